"""Tables for experiments with trees: as the published algorithms read them, and as this library does.

NOT PRIVATE, as in the papers: numbers are cut into bins between the smallest and the largest that occur, and categories
and classes are those that occur. For this library the bounds of Adult and of the pen positions are public knowledge.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen import Category, Number, datasets
from dampen.datasets import CATALOGUE, Dataset
from dampen.learn import Schema
from dampen.learn.estimator import PaidClassifier
from dampen.learn.records import Records, as_records
from dampen.learn.schema import Attribute
from dampen.learn.training_table import TrainingTable
from dampen.tables.columns import column_of_values
from dampen.tables.contingency import Codes, Layout
from dampen.tables.engines.array_codes import label_places
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.engines.labels import Places
from dampen.vectors import Integers
from experiments.private_classifier import BOUNDS, TASKS, Task
from experiments.seeded_entropy import SeededEntropy

BINS = 20
"""Into so many bins the thesis's code cuts every number of Adult."""
LABELS = {
    "adult": "Adult",
    "adult_full": "Adult",
    "nltcs": "NLTCS",
    "acs": "ACS",
    "compas": "Compas",
    "wine_white": "Wine",
    "mushroom": "Mushroom",
    "pendigits": "Pen-digits",
    "wall_following": "Wall-sensor",
}


@dataclass(frozen=True, eq=False)
class Coded:
    """A table in codes, for published algorithms, and in records, for this library. ``numeric``: which are numbers."""

    schema: Schema
    records: Records
    codes: Codes
    labels: Codes
    layout: Layout
    numeric: NDArray[np.bool_]

    @property
    def rows(self) -> int:
        """How many there are."""
        return self.records.rows

    @property
    def values(self) -> NDArray[np.float64]:
        """Numbers as they are and categories in codes, one column for each attribute."""
        return np.column_stack([column.astype(np.float64) for column in self.records.columns])

    @classmethod
    def of(cls, task: Task, bins: int = BINS) -> "Coded":
        """Numbers in bins of equal width between the least and the largest that occur."""
        named = task.schema.attributes
        schema = Schema(
            {name: _with_bins(a, bins) if isinstance(a, Number) else a for name, a in named.items()},
            task.schema.classes,
        )
        records = as_records(task.table, schema)
        numeric = np.array([isinstance(attribute, Number) for attribute in named.values()])
        codes = [_binned(c, bins) if n else c for c, n in zip(records.columns, numeric, strict=True)]
        sizes = [bins if isinstance(a, Number) else len(a.labels) for a in named.values()]
        labels = label_places(column_of_values(task.table[task.target], None), Places.of(schema.classes)).astype(
            np.int32
        )
        layout = Layout(tuple(sizes), len(schema.classes))
        return cls(schema, records, np.column_stack(codes).astype(np.int32), labels, layout, numeric)


def _with_bins(attribute: Number, bins: int) -> Number:
    return Number(attribute.lo, attribute.hi, bins=bins, unit=attribute.unit)


def _binned(column: NDArray[np.float64], bins: int) -> Codes:
    edges = np.linspace(column.min(), column.max(), bins + 1)[1:-1]
    return np.searchsorted(edges, column, side="right").astype(np.int32)


def folds(rows: int, count: int, seed: int) -> list[tuple[Integers, Integers]]:
    """Training and test rows of each fold of a random partition into ``count`` parts."""
    parts = np.array_split(np.random.default_rng([seed, rows]).permutation(rows), count)
    return [(np.concatenate([*parts[:k], *parts[k + 1 :]]), parts[k]) for k in range(count)]


def accuracy_of(
    model: PaidClassifier, table: Coded, train: Integers, test: Integers, epsilon: str, key: list[int]
) -> float:
    """How often a classifier of this library is right; its own growing, on seeded bits, paid by nobody."""
    model.schema_, model.terms_ = table.schema, model._terms()
    with np.errstate(all="ignore"):
        grown = model._grow(model._prepare(_counted(table, train)), Fraction(epsilon), SeededEntropy(key))
    answers = model._shares(grown, _rows(table.records, test)).argmax(axis=1)
    return float((answers == table.labels[test]).mean())


def _counted(table: Coded, rows: Integers) -> TrainingTable:
    """Some records, their categories and classes as codes, counted in memory."""
    attributes = {
        name: found if isinstance(found, Number) else Category(range(len(found.labels)))
        for name, found in table.schema.attributes.items()
    }
    columns = dict(zip(attributes, _rows(table.records, rows).columns, strict=True))
    schema = Schema(attributes, range(len(table.schema.classes)))
    return TrainingTable.scan(ArrayEngine({**columns, "class of a row": table.labels[rows]}), schema, "class of a row")


def _rows(records: Records, rows: Integers) -> Records:
    return Records(tuple(column[rows] for column in records.columns), len(rows))


SHAPES: dict[str, tuple[int, int, tuple[int, ...], int]] = {
    "adult": (45_222, 5, (7, 2, 14, 6, 5, 2, 41), 2),
    "adult_full": (48_842, 6, (9, 16, 7, 15, 6, 5, 2, 42), 2),
    "nltcs": (21_574, 0, (2,) * 15, 2),
    "acs": (47_461, 0, (2,) * 22, 2),
    "compas": (4_732, 9, (2, 6, 2, 1), 11),
    "wine_white": (4_898, 11, (), 7),
    "mushroom": (8_124, 0, (6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 1, 4, 3, 5, 9, 6, 7), 2),
    "pendigits": (10_992, 16, (), 10),
    "wall_following": (5_456, 4, (), 4),
}
"""Rows, numbers, values of each category, and classes."""


def synthetic(name: str, rows: int | None = None) -> Task:
    """A table of the same shape: every attribute is a noisy reading of one of three hidden numbers, as the class is."""
    full, numbers, categories, classes = SHAPES[name]
    count = full if rows is None else rows
    rng = np.random.default_rng([full, numbers])
    hidden, table, known = rng.normal(size=(count, 3)), dict[str, NDArray[Any]](), dict[str, Attribute]()
    for place in range(numbers):
        seen = hidden[:, place % 3] + rng.normal(scale=1 + place / 4, size=count)
        table[f"number{place}"], known[f"number{place}"] = np.clip(50 + 15 * seen, 0, 100).round(1), Number(0, 100)
    for place, size in enumerate(categories):
        seen = hidden[:, place % 3] + rng.normal(scale=0.5 + place / 4, size=count)
        table[f"category{place}"], known[f"category{place}"] = _parts(seen, size), Category(range(size))
    told = hidden @ np.array([1.0, 0.7, -0.5]) + rng.normal(scale=0.5, size=count)
    table["class"] = _parts(told, classes)
    return Task(Dataset(CATALOGUE["nltcs"], table), "class", Schema(known, range(classes)))


def _parts(seen: NDArray[np.float64], size: int) -> Integers:
    """So many equal parts of the range between -1.5 and 1.5, the outer ones open."""
    return np.searchsorted(np.linspace(-1.5, 1.5, size + 1)[1:-1], seen).astype(np.int64)


def load(name: str, *, made_up: bool = False) -> Coded:
    """The table of this name, or one of its shape."""
    if made_up:
        return Coded.of(synthetic(name))
    return Coded.of(TASKS[name]() if name != "adult_full" else _adult_full())


def _adult_full() -> Task:
    """With the rows that have a "?", as a value of its own, and all fourteen attributes."""
    table = datasets.load_adult()
    sample = Schema.from_public_sample(table, "income")
    known = {name: Number(*ends, unit=1) for name, ends in BOUNDS.items()}
    known["fnlwgt"] = Number(0, 1_500_000, unit=1)
    return Task(table, "income", Schema({**sample.attributes, **known}, sample.classes))
