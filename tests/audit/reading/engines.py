"""What engines count: every method of the contract that hands out counts."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import floor
from typing import Any
from unittest.mock import patch

import numpy as np

from dampen.describe.conditions import Among, Between
from dampen.tables import as_grid
from dampen.tables.engines import Bins, CodedTable, Labels, Reading, duck_stream, open_engine
from dampen.tables.pair_counts import Block
from dampen.tables.unit_reading import Units
from tests.audit.reading.check import Answer, Question, Record, largest
from tests.audit.reading.entries import Entry, Public, counts, in_tables, place_on, rest_place
from tests.audit.reading.forms import Held
from tests.audit.reading.numbers import clipped, ends_of
from tests.audit.reading.oracle import MISSING, OTHER, No, day, number
from tests.audit.reading.tables import EDGES, HIGH, LOW, TABLE, cells

ROOT = "root"


def label_counts(public: Public) -> Question:
    """How many values stand for each label."""

    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        with open_engine(data, column) as engine:
            return engine.label_counts(column, public.labels)  # type: ignore[return-value]

    return Question("", ask, lambda records: counts([public.rule.place(value) for (value,) in records]))


def _part(public: Public) -> Question:
    """The rows of each label: no row is in two parts."""

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "v") as engine:
            places = range(len(public.labels))
            parts = [engine.part(Among("v", public.labels, frozenset({place}))) for place in places]
            assert [part.row_count("v") for part in parts] == [part.row_count() for part in parts]
            return {place: part.row_count() for place, part in enumerate(parts)}

    def expect(records: Sequence[Record]) -> Answer:
        places = [public.rule.place(value) for (value,) in records]
        return counts([place for place in places if place >= 0])

    return Question("", ask, expect)


def _sets(public: Public) -> Question:
    """The rows of several labels, and all others."""
    several = frozenset(range(0, len(public.labels), 2))
    others = frozenset(range(len(public.labels))) - several

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "v") as engine:
            each = {"some": several, "others": others}
            parts = {name: engine.part(Among("v", public.labels, places)) for name, places in each.items()}
            assert parts["some"].part(Among("v", public.labels, others)).row_count() == 0
            return {name: part.row_count() for name, part in parts.items()}

    def expect(records: Sequence[Record]) -> Answer:
        places = [public.rule.place(value) for (value,) in records]
        return counts(["some" if place in several else "others" for place in places if place >= 0])

    return Question("", ask, expect)


def ranges(public: Public) -> Question:
    """The rows whose number is in a range, with both ends, and with one."""
    low, high = ends_of(public)
    asked = {"both": (low, high), "from": (low, None), "to": (None, high), "all": (None, None)}

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "v") as engine:
            return {name: engine.part(Between("v", *ends)).row_count() for name, ends in asked.items()}

    def expect(records: Sequence[Record]) -> Answer:
        found = [each for each in (number(value) for (value,) in records) if not isinstance(each, No)]
        return {
            name: sum((first is None or each >= first) and (last is None or each <= last) for each in found)
            for name, (first, last) in asked.items()
        }

    return Question("", ask, expect, largest)


def spans(public: Public) -> Question:
    """The rows whose day is in a range."""
    low, high = public.span
    ends = [None if end is None else Fraction(end) for end in (low, high)]

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "v") as engine:
            return {"in": engine.part(Between("v", ends[0], ends[1], days=True)).row_count()}

    def expect(records: Sequence[Record]) -> Answer:
        days = [each for each in (day(value) for (value,) in records) if not isinstance(each, No)]
        return {"in": sum((low is None or each >= low) and (high is None or each <= high) for each in days)}

    return Question("", ask, expect)


def _faulty(public: Public) -> Question:
    """Whether something is missing or odd in a column: one record more adds one fault at most, for each reading."""
    readings = {"labels": Reading(public.labels), "numbers": Reading(), "days": Reading(days=True)}

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "v") as engine:
            found = {name: engine.faulty({"v": reading}) for name, reading in readings.items()}
        faults: dict[Any, int] = {(name, MISSING): len(each.missing) for name, each in found.items()}
        return faults | {(name, OTHER): len(each.other) for name, each in found.items()}

    def expect(records: Sequence[Record]) -> Answer:
        met = {("labels", min(public.rule.place(value), 0)) for (value,) in records}
        met |= {
            (name, _fault(read(value))) for (value,) in records for name, read in (("numbers", number), ("days", day))
        }
        return {(name, fault): 1 for name, fault in met if fault < 0}

    return Question("", ask, expect, largest)


def _fault(found: Any) -> int:
    return 0 if not isinstance(found, No) else MISSING if found is No.MISSING else OTHER


def _rows(public: Public) -> Question:
    """Rows that leave: by the places of their labels."""

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "a", "y") as engine:
            found = engine.rows({"a": public.labels, "y": public.choices})
            return counts(list(zip(found["a"].tolist(), found["y"].tolist(), strict=True)))

    def expect(records: Sequence[Record]) -> Answer:
        return counts([(public.rule.place(one), public.choice_rule.place(two)) for one, two in records])

    return Question("", ask, expect)


def histogram(public: Public) -> Question:
    """How many values stand at each place of a grid."""

    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        with open_engine(data, column) as engine:
            places, counted = engine.histogram(column, as_grid(public.grid))
            found = dict(zip(places.tolist(), counted.tolist(), strict=True))
            return None if OTHER in found else found

    def expect(records: Sequence[Record]) -> Answer:
        found = [number(value) for (value,) in records]
        if No.NUMBER in found:
            return None
        return counts([MISSING if isinstance(each, No) else place_on(public.grid, each) for each in found])

    return Question("", ask, expect)


def on_days(public: Public) -> Question:
    """How many values stand at each place of a grid of days."""

    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        with open_engine(data, column) as engine:
            places, counted = engine.histogram(column, public.day_grid)
            return dict(zip(places.tolist(), counted.tolist(), strict=True))

    def expect(records: Sequence[Record]) -> Answer:
        return counts([day_place(public, value) for (value,) in records])

    return Question("", ask, expect)


def day_place(public: Public, value: Any) -> int:
    """The place of a value on the grid of days, ``MISSING`` or ``OTHER``."""
    found, points = day(value), public.day_grid.points().tolist()
    return _fault(found) if isinstance(found, No) else place_on(points, found)


def _cross(public: Public) -> Question:
    """Groups of two columns: rows alone, and their days."""
    by = [("g", public.labels), ("f", public.choices)]

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "v", "g", "f") as engine:
            rows = engine.counts_by_group(None, None, by).tolist()
            days = engine.counts_by_group("v", public.day_grid, by).tolist()
        assert len({tuple(row[:-1]) for row in (*rows, *days)}) <= len(rows) + len(days)
        return {("row", *row[:-1]): row[-1] for row in rows} | {("day", *row[:-1]): row[-1] for row in days}

    def expect(records: Sequence[Record]) -> Answer:
        groups = [(public.rule.place(one), public.choice_rule.place(two)) for _, one, two in records]
        days = [day_place(public, value) for value, _, _ in records]
        told = [("day", *group, place) for group, place in zip(groups, days, strict=True)]
        return counts([*(("row", *group, 0) for group in groups), *told])

    return Question("", ask, expect, largest)


def _group_sums(public: Public) -> Question:
    """One record more moves one group's count by 1, and its sum by at most the bound."""
    low, high = ends_of(public)

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "v", "g") as engine:
            found = engine.sums_by_group("v", (low, high), [("g", public.labels)])
        told: dict[Any, Any] = {("n", *group): each.count for group, each in found.items()}
        told |= {("gone", *group): each.missing for group, each in found.items()}
        told |= {("other", *group): each.other for group, each in found.items()}
        return told | {("sum", *group): each.sum / _reach(public) for group, each in found.items()}

    def expect(records: Sequence[Record]) -> Answer:
        told: Counter[Any] = Counter()
        for value, group in records:
            found, place = number(value), public.rule.place(group)
            if isinstance(found, No):
                told["gone" if found is No.MISSING else "other", place] += 1
                continue
            told["n", place] += 1
            told["sum", place] += Fraction(min(max(found, low), high)) / _reach(public)  # type: ignore[assignment]
        return told

    return Question("", ask, expect, largest)


def _streamed_sums(public: Public) -> Question:
    """The same where rows leave DuckDB batch by batch, however few they are."""
    asked = _group_sums(public)

    def ask(held: Held) -> Answer:
        with patch.object(duck_stream, "MANY_ROWS", 0):
            return asked.ask(held)

    return replace(asked, ask=ask)


def _by_group(public: Public) -> Question:
    """The places of numbers, and of labels, in each group."""

    def ask(held: Held) -> Answer:
        with open_engine(held.table, "v", "g") as engine:
            by = [("g", public.labels)]
            found = engine.counts_by_group("v", as_grid(public.grid), by).tolist()
            alike = engine.counts_by_group("v", public.labels, by).tolist()
        if any(place == OTHER for _, place, _ in found):
            return None
        numbers = {("number", group, place): count for group, place, count in found}
        return numbers | {("label", group, place): count for group, place, count in alike}

    def expect(records: Sequence[Record]) -> Answer:
        found = [(number(value), public.rule.place(group)) for value, group in records]
        if any(each is No.NUMBER for each, _ in found):
            return None
        places = [(MISSING if isinstance(each, No) else place_on(public.grid, each), group) for each, group in found]
        alike = [("label", public.rule.place(group), public.rule.place(value)) for value, group in records]
        return counts([*(("number", group, place) for place, group in places), *alike])

    return Question("", ask, expect, largest)


def _sums(public: Public) -> Question:
    low, high = ends_of(public)

    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        with open_engine(data, column) as engine:
            found = engine.sums(column, (low, high))
            return None if found.other else {"n": found.count, "gone": found.missing, "sum": found.sum / _reach(public)}

    def expect(records: Sequence[Record]) -> Answer:
        values = [value for (value,) in records]
        found, gone = clipped(public, values, "drop"), sum(number(value) is No.MISSING for value in values)
        total = None if found is None else sum(found, Fraction(0)) / _reach(public)
        return None if found is None or total is None else {"n": len(found), "gone": gone, "sum": total}

    return Question("", ask, expect, largest)


def _sizes(public: Public) -> Question:
    """One record more moves one count of a sign and a size by 1, and the sum of these sizes by as much as they are."""

    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        told: dict[Any, Any] = {}
        for unit in UNITS:
            with open_engine(data, column) as engine:
                found = engine.unit_sizes(column, Units(unit))
            told |= {(unit, "n", each.side, each.caps): each.people for each in found.buckets}
            told |= {(unit, "sum", each.side, each.caps): Fraction(each.sum, 2**each.caps) for each in found.buckets}
            told |= {(unit, "gone"): found.missing, (unit, "other"): found.other}
        return told

    def expect(records: Sequence[Record]) -> Answer:
        told: Counter[Any] = Counter()
        for (value,), unit in product(records, UNITS):
            found = number(value)
            if isinstance(found, No):
                told[unit, "gone" if found is No.MISSING else "other"] += 1
                continue
            read = _in_units(found, unit)
            key = (read > 0) - (read < 0), max(abs(read) - 1, 0).bit_length()
            told[unit, "n", *key] += 1
            told[unit, "sum", *key] += Fraction(abs(read), 2 ** key[1])  # type: ignore[assignment]
        return told

    return Question("", ask, expect, largest)


UNITS = (1, Fraction(1, 4))
"""Powers of 2, so that nothing is rounded but to the nearest unit."""


def _in_units(value: Any, unit: Any) -> int:
    """The nearest number of units, the upper of two, in numbers and units below 2**62; whole numbers of unit 1 as they
    are, others as floats.
    """
    inner = min(max(value, -(2**62)), 2**62)
    if unit == 1 and inner == floor(inner):
        return int(inner)
    exact = Fraction(float(inner)) / unit
    return int(min(max(floor(exact + Fraction(1, 2)), -(2**62)), 2**62))


def _reach(public: Public) -> Fraction:
    return max(abs(end) for end in ends_of(public))


def coded(public: Public) -> CodedTable:
    """The table as engines are told of it."""
    attributes: dict[str, Labels | Bins] = {
        "a": Labels(public.labels, rest_place(public)),
        "b": Bins(float(LOW), float(HIGH), tuple(map(float, EDGES))),
    }
    return CodedTable(attributes, "y", Labels(public.choices))


def _tabled(count: Callable[[Any, CodedTable], dict[Any, int]], keys: Callable[..., list[Any]], step: int) -> Any:
    """A question about rows that keep their schema; others are refused by the scan before it."""

    def question(public: Public) -> Question:
        table, wide = coded(public), len(public.labels)

        def ask(held: Held) -> Answer:
            with open_engine(held.table, "a", "b", "y") as engine:
                return None if engine.faults(table).columns else count(engine, table)

        def expect(records: Sequence[Record]) -> Answer:
            found = cells(public, records)
            return None if found is None else counts([key for cell in found for key in keys(wide, *cell)])

        return Question("", ask, expect, step=step)

    return question


def _rows_of_places(engine: Any, table: CodedTable) -> dict[Any, int]:
    found: dict[Any, int] = {}
    for places, count in zip(*(part.tolist() for part in engine.cells(table)), strict=True):
        found[tuple(places)] = found.get(tuple(places), 0) + count
    return found


def _joints(engine: Any, table: CodedTable) -> dict[Any, int]:
    """A slot for each place; what stands below the diagonal means nothing."""
    wide, kinds = sum(table.sizes), table.classes.size
    blocks = (Block(0, table.sizes[0], False), Block(table.sizes[0], wide, False))
    found = engine.joints(table, np.arange(wide), blocks, np.arange(kinds))
    return {
        (kind, one, two): count
        for kind, joint in enumerate(found)
        for one, row in enumerate(joint.tolist())
        for two, count in enumerate(row)
        if one <= two and count
    }


def _levels(engine: Any, table: CodedTable) -> dict[Any, int]:
    """The root of a tree, and its children by the first attribute."""
    levels, size = engine.levels(table), table.sizes[0]
    root = levels.tables(np.array([0]))
    levels.descend(np.array([0]), np.array([0]))
    below = levels.tables(np.arange(size))
    found = {(ROOT, *key): count for key, count in _cells(root).items()}
    return found | {(node, *key): count for node in range(size) for key, count in _cells(below[node]).items()}


def _levels_of(wide: int, place: int, bin_of: int, kind: int) -> list[Any]:
    return [(node, spot, kind) for node in (ROOT, place) for spot in (place, wide + bin_of)]


def _cells(array: Any) -> dict[Any, int]:
    flat = array.reshape(-1, array.shape[-1]).tolist()
    return {(place, kind): count for place, row in enumerate(flat) for kind, count in enumerate(row)}


def _pairs_of(wide: int, place: int, bin_of: int, kind: int) -> list[Any]:
    one, two = place, wide + bin_of
    return [(kind, one, one), (kind, one, two), (kind, two, two)]


ENTRIES: tuple[Entry, ...] = (
    Entry("Engine.label_counts", {"v": "label"}, label_counts, ("Engine.label_counts",)),
    Entry("Engine.part", {"v": "label"}, _part, ("Engine.part", "Engine.row_count"), in_tables),
    Entry("Engine.part by sets", {"v": "label"}, _sets, takes=in_tables),
    Entry("Engine.part by ranges", {"v": "number"}, ranges, takes=in_tables),
    Entry("Engine.part by days", {"v": "day"}, spans, takes=in_tables),
    Entry("Engine.faulty", {"v": "any"}, _faulty, ("Engine.faulty",), in_tables),
    Entry("Engine.rows", {"a": "label", "y": "choice"}, _rows, ("Engine.rows",), in_tables),
    Entry("Engine.histogram", {"v": "number"}, histogram, ("Engine.histogram",)),
    Entry("Engine.histogram of days", {"v": "day"}, on_days),
    Entry("Engine.counts_by_group of two", {"v": "day", "g": "label", "f": "choice"}, _cross, takes=in_tables),
    Entry("Engine.sums_by_group", {"v": "number", "g": "label"}, _group_sums, ("Engine.sums_by_group",), in_tables),
    Entry("streamed sums", {"v": "number", "g": "label"}, _streamed_sums, ("Engine.sums_by_group",), in_tables),
    Entry("Engine.counts_by_group", {"v": "number", "g": "label"}, _by_group, ("Engine.counts_by_group",), in_tables),
    Entry("Engine.sums", {"v": "number"}, _sums, ("Engine.sums",)),
    Entry("Engine.unit_sizes", {"v": "number"}, _sizes, ("Engine.unit_sizes", "tables.count_sizes")),
    Entry(
        "Engine.faults",
        TABLE,
        _tabled(
            lambda engine, table: dict(enumerate(engine.faults(table).classes.tolist())),
            lambda wide, place, bin_of, kind: [kind],
            1,
        ),
        ("Engine.faults",),
        in_tables,
    ),
    Entry(
        "Engine.class_counts",
        TABLE,
        _tabled(
            lambda engine, table: _cells(engine.class_counts(table)),
            lambda wide, place, bin_of, kind: [(0, kind)],
            1,
        ),
        ("Engine.class_counts",),
        in_tables,
    ),
    Entry(
        "Engine.contingency",
        TABLE,
        _tabled(
            lambda engine, table: _cells(engine.contingency(table)),
            lambda wide, place, bin_of, kind: [(place, kind), (wide + bin_of, kind)],
            2,
        ),
        ("Engine.contingency",),
        in_tables,
    ),
    Entry(
        "Engine.cells",
        TABLE,
        _tabled(_rows_of_places, lambda wide, place, bin_of, kind: [(place, bin_of, kind)], 1),
        ("Engine.cells",),
        in_tables,
    ),
    Entry("Engine.joints", TABLE, _tabled(_joints, _pairs_of, 3), ("Engine.joints",), in_tables),
    Entry("Engine.levels", TABLE, _tabled(_levels, _levels_of, 4), ("Engine.levels",), in_tables),
)
