"""Every engine reads the same values alike: random columns of awkward values, in all containers that can hold them.

No oracle here: the containers are held against each other. What each value must count as is said in
``tests/audit/test_reading.py``.
"""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from dampen.describe.conditions import Among, Between, Condition
from dampen.tables import as_grid
from dampen.tables.engines import open_engine
from tests.audit.reading.cases import random_labels
from tests.audit.reading.columns import Kind
from tests.audit.reading.entries import BOUNDS, DAY_GRIDS, GRIDS, SPANS, Public, in_tables
from tests.audit.reading.forms import FORMS, Form
from tests.audit.reading.numbers import ends_of
from tests.audit.reading.oracle import No, number
from tests.audit.reading.pool import CLUSTERS

ALIKE: dict[str, tuple[str, ...]] = {
    "texts": ("list", "pandas str", "pandas string", "arrow string", "polars from arrow string", "csv"),
    "whole numbers": ("list", "array of int64", "pandas Int64", "arrow int64", "polars from arrow int64"),
    "far numbers": ("list", "array of uint64", "pandas UInt64", "arrow uint64", "polars from arrow uint64"),
    "reals": ("list", "array of float64", "pandas Float64", "arrow double", "polars from arrow double"),
    "truth values": ("list", "array of bool", "pandas boolean", "arrow bool", "polars from arrow bool"),
    "days": ("list", "array of datetime64[D]", "arrow date32[day]", "polars from arrow date32[day]"),
    "moments": ("list", "pandas datetime64[ns]", "arrow timestamp[us]", "polars from arrow timestamp[us]"),
    "decimals": ("list", "arrow decimal128(20, 2)", "polars from arrow decimal128(20, 2)"),
}
"""Types of columns that hold the same values."""
rounds = pytest.mark.parametrize("rounds", [2, pytest.param(6, marks=pytest.mark.long)])


def _containers(names: Sequence[str]) -> list[tuple[Form, Kind]]:
    fit = [form for form in FORMS if form.family != "spark" and not form.name.startswith("learn")]
    return [(form, kind) for form in fit for kind in form.kinds if kind.name in names]


@rounds
@pytest.mark.parametrize("sort", ALIKE)
def test_random_columns_count_alike(sort: str, rounds: int) -> None:
    held = _containers(ALIKE[sort])
    typed = [kind for _, kind in held if kind.name != "list"]
    common = [value for value in typed[0].values if all(any(value is own for own in kind.values) for kind in typed)]
    for round_ in range(rounds):
        rng = Random(f"{sort} {round_}")
        labels = random_labels(rng, rng.choice([*CLUSTERS]))
        values = rng.choices(common, k=8)
        counts = {(form.name, kind.name): _labels_of(form, kind, values, labels) for form, kind in held}
        assert len({*map(str, counts.values())}) == 1, (labels, values, counts)
        numbers = [value for value in values if not isinstance(number(value), No)]
        grid = as_grid(rng.choice(GRIDS))
        places = {(form.name, kind.name): _places_of(form, kind, numbers, grid) for form, kind in held}
        assert len({*map(str, places.values())}) == 1, (grid, numbers, places)


@rounds
@pytest.mark.parametrize("sort", ALIKE)
def test_random_columns_are_filtered_and_grouped_alike(sort: str, rounds: int) -> None:
    """Sets, ranges, days, groups of two columns and their sums, of values that are no numbers or days too."""
    held = [(form, kind) for form, kind in _containers(ALIKE[sort]) if in_tables(form)]
    typed = [kind for _, kind in held if kind.name != "list"]
    common = [value for value in typed[0].values if all(any(value is own for own in kind.values) for kind in typed)]
    for round_ in range(rounds // 2):
        rng = Random(f"{sort} filtered {round_}")
        labels = random_labels(rng, rng.choice([*CLUSTERS]))
        rows = list(zip(*(rng.choices(common, k=8) for _ in range(2)), strict=True))
        public = Public(labels, bounds=rng.choice(BOUNDS), day_grid=rng.choice(DAY_GRIDS), span=rng.choice(SPANS))
        found = {(form.name, kind.name): _told(form, kind, rows, public) for form, kind in held}
        assert len({*map(str, found.values())}) == 1, (public, rows, found)


def _told(form: Form, kind: Kind, rows: list[tuple[Any, ...]], public: Public) -> list[Any]:
    low, high = ends_of(public)
    first, last = (None if end is None else Fraction(end) for end in public.span)
    some = frozenset(range(0, len(public.labels), 2))
    parts: list[Condition] = [Among("v", public.labels, some), Between("v", low, high), Between("v", None, high)]
    by = [("v", public.labels), ("g", public.labels[::-1])]
    with open_engine(form.hold(["v", "g"], [kind, kind], rows).table, "v", "g") as engine:
        counts = [engine.part(condition).row_count() for condition in (*parts, Between("v", first, last, days=True))]
        days = [each.tolist() for each in engine.histogram("v", public.day_grid)]
        groups = sorted(engine.counts_by_group("g", public.day_grid, by[:1]).tolist())
        crossed = sorted(engine.counts_by_group(None, None, by).tolist())
        sums = engine.sums_by_group("g", (low, high), by)
    return [counts, days, groups, crossed, sorted((place, *vars(each).values()) for place, each in sums.items())]


def _asked(form: Form, kind: Kind, values: list[Any]) -> tuple[Any, str | None]:
    return form.hold(["v"], [kind], [(value,) for value in values]).named("v")


def _labels_of(form: Form, kind: Kind, values: list[Any], labels: tuple[Any, ...]) -> list[tuple[int, int]]:
    data, column = _asked(form, kind, values)
    with open_engine(data, column) as engine:
        return sorted((place, count) for place, count in engine.label_counts(column, labels).items() if count)


def _places_of(form: Form, kind: Kind, values: list[Any], grid: Any) -> list[tuple[int, int]]:
    data, column = _asked(form, kind, values)
    with open_engine(data, column) as engine:
        places, counted = engine.histogram(column, grid)
        return sorted(zip(places.tolist(), counted.tolist(), strict=True))
