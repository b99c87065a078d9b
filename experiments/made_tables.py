"""Tables of known structure, and the tables of the literature with another column to be told.

What a classifier is tuned on flatters it. These tables were made after the rules of :class:`PrivateClassifier` had been
set: whoever moves a threshold there should look here, and not at the tables it was found on.

- *additive*: every attribute moves the log odds by itself;
- *rules*: two or three tests tell the class, up to a few wrong labels;
- *mixed*: a rule, and small effects of all attributes besides;
- *exchanged*: a table of the literature whose class becomes an attribute, and an attribute the class.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from dampen import Category, Number, datasets
from dampen.datasets import Dataset
from dampen.learn import Schema
from dampen.vectors import Floats, Integers
from experiments.private_classifier import BOUNDS


@dataclass(frozen=True, eq=False)
class MadeTable:
    """Columns, the places of the classes, and what is publicly known."""

    columns: dict[str, Integers | Floats]
    classes: Integers
    schema: Schema

    @property
    def rows(self) -> int:
        """How many records there are."""
        return len(self.classes)


def synthetic(kind: str, rows: int, kinds: int = 2, seed: int = 0) -> MadeTable:
    """A table of one of the families, with twelve attributes: four flags, four categories of five, four numbers."""
    rng = np.random.default_rng([seed, rows, kinds, *kind.encode()])
    columns: dict[str, Integers | Floats] = {f"flag{i}": rng.integers(2, size=rows) for i in range(4)}
    columns |= {f"kind{i}": rng.choice(5, size=rows, p=[0.4, 0.3, 0.15, 0.1, 0.05]) for i in range(4)}
    columns |= {f"number{i}": 100 * rng.beta(2, 5, size=rows) for i in range(4)}
    known: dict[str, Category | Number] = {f"flag{i}": Category([0, 1]) for i in range(4)}
    known |= {f"kind{i}": Category(range(5)) for i in range(4)}
    known |= {f"number{i}": Number(0, 100) for i in range(4)}
    scores = np.zeros((rows, kinds))
    if kind in ("additive", "mixed"):
        scores += _effects(columns, kinds, 1.0 if kind == "additive" else 0.5, rng)
    if kind in ("rules", "mixed"):
        scores += _rule(columns, kinds, rng)
    classes = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return MadeTable(columns, classes, Schema(known, range(kinds)))


def _effects(columns: dict[str, Integers | Floats], kinds: int, size: float, rng: np.random.Generator) -> Floats:
    """Log odds that add up: one effect for every value, and a slope for every number."""
    summed = np.zeros((len(next(iter(columns.values()))), kinds))
    for name, column in columns.items():
        if name.startswith("number"):
            summed += ((column - 30) / 30)[:, None] * rng.normal(scale=size, size=kinds)
        else:
            summed += rng.normal(scale=size, size=(5, kinds))[column.astype(np.int64)]
    return summed


def _rule(columns: dict[str, Integers | Floats], kinds: int, rng: np.random.Generator) -> Floats:
    """Log odds of a class that three tests tell."""
    answers = 4 * (columns["flag1"] == 1) + 2 * (columns["kind2"] == 0) + (columns["number3"] < 28)
    favoured = np.concatenate([rng.permutation(kinds), rng.integers(kinds, size=8)])[:8]
    return np.asarray(4.0 * (favoured[answers.astype(np.int64)][:, None] == np.arange(kinds)))


def exchanged(load: Callable[[], Dataset], target: str, known: dict[str, Number] | None = None) -> MadeTable:
    """A table of the literature with another class. NOT PRIVATE: the schema is read from the table itself."""
    table = load()
    schema = Schema.from_public_sample(table, target)
    numbers = {name: each for name, each in (known or {}).items() if name in schema.attributes}
    places = {label: place for place, label in enumerate(schema.classes)}
    classes = np.array([places[label] for label in table[target].tolist()], dtype=np.int64)
    columns = {name: column for name, column in table.items() if name != target}
    return MadeTable(columns, classes, Schema({**schema.attributes, **numbers}, range(len(places))))


ADULT = {name: Number(*ends, unit=1) for name, ends in BOUNDS.items()}


def _load_adult() -> Dataset:
    return datasets.load_adult(clean=True)


MADE: dict[str, Callable[[], MadeTable]] = {
    **{
        f"{kind} {seed}, {rows} rows, {kinds} classes": partial(synthetic, kind, rows, kinds, seed)
        for kind in ("additive", "rules", "mixed")
        for seed in range(3)
        for rows, kinds in ((10_000, 2), (40_000, 2), (40_000, 4))
    },
    "Adult, gender": lambda: exchanged(_load_adult, "gender", ADULT),
    "Adult, marital status": lambda: exchanged(_load_adult, "marital-status", ADULT),
    "NLTCS, column 3": lambda: exchanged(datasets.load_nltcs, "3"),
    "ACS, column 10": lambda: exchanged(datasets.load_acs, "10"),
    "mushroom, habitat": lambda: exchanged(datasets.load_mushroom, "habitat"),
    "mushroom, bruises": lambda: exchanged(datasets.load_mushroom, "bruises"),
}
"""By name; each is made anew and is the same every time."""
