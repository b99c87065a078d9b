"""Questions about values by group: two columns, of one table or in parallel."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import floor
from typing import Any

import dampen
from dampen.queries import percentile_value_problem
from dampen.tables import GridCounts, as_grid
from dampen.tables.grid import Grid
from dampen.tables.groups import (
    GroupColumn,
    categories_by_groups,
    grids_by_groups,
    rows_by_groups,
    total_by_group,
)
from tests.audit.reading.check import Answer, Question, Record, Vector, largest
from tests.audit.reading.entries import (
    DAY_ENDS,
    DAY_GRIDS,
    VAST,
    Entry,
    Public,
    counts,
    in_tables,
    joined,
    numbered,
    place_on,
    placed_in_groups,
    posed,
    rest_place,
    utilities,
)
from tests.audit.reading.forms import Held
from tests.audit.reading.labels import grouped, mode, settled
from tests.audit.reading.numbers import (
    FINE,
    PART,
    QUARTER,
    clipped,
    ends_of,
    mean_shares,
    near,
    places_on,
    rounded,
    shares,
)
from tests.audit.reading.oracle import MISSING, OTHER, No, day

ADD_REMOVE, REPLACE = dampen.Adjacency.ADD_REMOVE, dampen.Adjacency.REPLACE


def _missing(public: Public) -> str:
    return "refuse" if rest_place(public) is None or public.missing == "refuse" else "other"


def _apart(public: Public, records: Sequence[Record]) -> list[list[Any]] | None:
    """The values of each group, or a refusal."""
    places = [placed_in_groups(group, public, _missing(public)) for _, group in records]
    if None in places:
        return None
    each = list(zip(places, records, strict=True))
    return [[row[0] for place, row in each if place == group] for group in range(len(public.labels))]


def _chosen(public: Public, values: Sequence[Any]) -> list[int] | None:
    places = [public.choice_rule.place(value) for value in values]
    return None if any(place < 0 for place in places) else places


def _numbers(public: Public, values: Sequence[Any]) -> list[int] | None:
    return places_on(public, values, "refuse")


def _of_groups(public: Public, records: Sequence[Record], read: Callable[..., Any]) -> list[list[int]] | None:
    """The places of the values of each group. A refused value is refused in whichever group it stands."""
    parts = _apart(public, records)
    found = None if parts is None else [read(public, part) for part in parts]
    return None if found is None or None in found else found


def _counted(public: Public, records: Sequence[Record], read: Callable[..., Any]) -> Answer:
    found = _of_groups(public, records, read)
    return None if found is None else counts([(place, spot) for place, part in enumerate(found) for spot in part])


def _column(public: Public) -> list[GroupColumn]:
    """One column to group by, whose missing values go where other values do, if anywhere."""
    return [GroupColumn("g", public.labels, rest_place(public), _missing(public))]


def _grids(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        found = grids_by_groups(held.table, as_grid(public.grid), _column(public), column="v")
        return {
            (place, spot): count
            for place, each in enumerate(found)
            for spot, count in zip(each.places.tolist(), each.counts.tolist(), strict=True)
        }

    return Question("", ask, lambda records: _counted(public, records, _numbers))


def _categories(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        found = categories_by_groups(held.table, public.choices, _column(public), column="v")
        return {(place, spot): int(count) for place, each in enumerate(found) for spot, count in enumerate(each)}

    return Question("", ask, lambda records: _counted(public, records, _chosen))


def _columns(public: Public) -> list[GroupColumn]:
    """Two columns to group by: one with a label that may take the rest, one whose missing values are left out."""
    return [
        GroupColumn("g", public.labels, rest_place(public), settled(public)),
        GroupColumn("f", public.choices, None, "drop"),
    ]


def _crossed(public: Public, one: Any, two: Any) -> int | None:
    """The group of a record; ``None`` if it is refused, ``MISSING`` if it is in none."""
    first, second = placed_in_groups(one, public, _columns(public)[0].missing), public.choice_rule.place(two)
    if first is None or second == OTHER:
        return None
    return MISSING if MISSING in (first, second) else first * len(public.choices) + second


def _of_crossed(public: Public, records: Sequence[Record], read: Callable[..., Any]) -> list[tuple[int, Any]] | None:
    """The groups of records and what their values are; records in no group are refused too."""
    groups = [_crossed(public, one, two) for _, one, two in records]
    values = [read(public, [value]) for value, _, _ in records]
    if None in groups or None in values:
        return None
    return [(group, each) for group, own in zip(groups, values, strict=True) for each in own if group != MISSING]  # type: ignore[misc]


def _sizes(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        return numbered(rows_by_groups(held.table, _columns(public)))

    def expect(records: Sequence[Record]) -> Answer:
        groups = [_crossed(public, one, two) for one, two in records]
        return None if None in groups else counts([group for group in groups if group != MISSING])

    return Question("", ask, expect)


def _days(public: Public, values: Sequence[Any]) -> list[int] | None:
    found = [day(value) for value in values]
    if No.DAY in found or (No.MISSING in found and mode(public) == "refuse"):
        return None
    return [place_on(public.day_grid.points().tolist(), each) for each in found if not isinstance(each, No)]


def _crossed_days(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        found = grids_by_groups(held.table, public.day_grid, _columns(public), column="v", missing=mode(public))
        return {
            (group, place): count
            for group, each in enumerate(found)
            for place, count in zip(each.places.tolist(), each.counts.tolist(), strict=True)
        }

    def expect(records: Sequence[Record]) -> Answer:
        found = _of_crossed(public, records, _days)
        return None if found is None else counts(found)

    return Question("", ask, expect)


def _crossed_choices(public: Public) -> Question:
    named: dict[str, Any] = {"column": "v", "missing": mode(public)}

    def ask(held: Held) -> Answer:
        found = categories_by_groups(held.table, public.choices, _columns(public), **named)
        return {(group, place): int(count) for group, each in enumerate(found) for place, count in enumerate(each)}

    def expect(records: Sequence[Record]) -> Answer:
        found = _of_crossed(public, records, _read_choices)
        return None if found is None else counts(found)

    return Question("", ask, expect)


def _totals(public: Public) -> Question:
    """One record more moves one group's count by 1 and its sum by at most the bound."""
    reach = max(abs(end) for end in ends_of(public))

    def ask(held: Held) -> Answer:
        found = total_by_group(held.table, public.bounds, _columns(public), column="v", missing=mode(public))
        told: dict[Any, Any] = {("n", group): each.count for group, each in enumerate(found)}
        return told | {("sum", group): each.sum / reach for group, each in enumerate(found)}

    def expect(records: Sequence[Record]) -> Answer:
        found = _of_crossed(public, records, lambda public, values: clipped(public, values, mode(public)))
        if found is None:
            return None
        sums: dict[Any, Fraction] = {}
        for group, value in found:
            sums["sum", group] = sums.get(("sum", group), Fraction(0)) + value / reach
        return {**counts([("n", group) for group, _ in found]), **sums}

    return Question("", ask, expect, largest)


def _grouped(held: Held, public: Public, till: Any, column: Any = None, **more: Any) -> Any:
    """A table with both columns to group by, and one of values if it is described."""
    one, two = _columns(public)
    columns = {
        "g": dampen.Category(one.labels, other=public.rest, missing=one.missing),
        "f": dampen.Category(two.labels, missing=two.missing),
    }
    values = {} if column is None else {"v": column}
    return dampen.Table(held.table, columns={**columns, **values}, budget=till, **more).by("g", "f")


def _counts(adjacency: dampen.Adjacency) -> Callable[[Public], Question]:
    """Sizes of the groups of one column, as they are released."""

    def question(public: Public) -> Question:
        missing = settled(public)

        def ask(held: Held) -> Answer:
            described = dampen.Category(public.labels, other=public.rest, missing=missing)
            budget = dampen.Budget(epsilon=VAST)
            table = dampen.Table(held.table, columns={"g": described}, budget=budget, adjacency=adjacency)
            return numbered(list(table.by("g").count(epsilon=VAST).value.values()))

        return Question("", ask, lambda records: grouped(public, records, missing))

    return question


def _crossed_counts(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        return utilities(posed(lambda till: _grouped(held, public, till).count(epsilon=1))[-1])

    return Question("", ask, _sizes(public).expect)


def _asked(
    ask_one: Callable[..., Any],
    describe: Callable[[Public], Any],
    read: Callable[..., Any],
    rule: Callable[..., Sequence[Vector]],
    tell: Callable[[Sequence[Any]], Vector] = joined,
    *,
    parts: int = 1,
    **more: Any,
) -> Callable[[Public], Question]:
    """A question about the values of each group, each of which poses so many problems.

    ``read``: what a value is, as for the other entries here; ``rule``: what the problems of a group of such must know.
    """

    def question(public: Public) -> Question:
        size = len(public.labels) * len(public.choices)

        def ask(held: Held) -> Answer:
            found = posed(lambda till: ask_one(_grouped(held, public, till, describe(public))))
            return tell(found[-size * parts :])

        @cache
        def known(values: tuple[Any, ...]) -> Sequence[Vector]:
            return rule(public, list(values))

        def expect(records: Sequence[Record]) -> Answer:
            found = _of_crossed(public, records, read)
            if found is None:
                return None
            members = [tuple(value for own, value in found if own == group) for group in range(size)]
            each = [part for values in members for part in known(values)]
            return {(place, key): count for place, part in enumerate(each) for key, count in part.items()}

        return Question("", ask, expect, **more)

    return question


def _in_shares(parts: Sequence[Any]) -> Vector:
    return {(place, "share"): share for place, share in shares(parts).items()}


def _number(public: Public, **more: Any) -> dampen.Number:
    return dampen.Number(*public.bounds, missing=mode(public), **more)


def _in_quarters(public: Public) -> dampen.Number:
    return _number(public, step=QUARTER)


def _read_numbers(public: Public, values: Sequence[Any]) -> list[Fraction] | None:
    return clipped(public, values, mode(public))


def _read_places(public: Public, values: Sequence[Any]) -> list[int] | None:
    """Where numbers stand on the grid of quarters."""
    found, low = _read_numbers(public, values), ends_of(public)[0]
    return None if found is None else [floor((value - low) / QUARTER) for value in found]


def _at(*ps: int) -> Callable[..., list[Vector]]:
    """What percentiles of values know that stand at places of the grid of quarters."""
    return lambda public, places: _known_of(as_grid(bounds=public.bounds, step=QUARTER), places, ps)


def _middle_day(public: Public, places: Sequence[int]) -> list[Vector]:
    return _known_of(public.day_grid, places, [50])


def _known_of(grid: Grid, places: Sequence[int], ps: Sequence[int]) -> list[Vector]:
    taken = sorted(set(places))
    counted = GridCounts(grid, taken, [places.count(place) for place in taken])
    return [utilities(percentile_value_problem(counted, p, grid=grid, adjacency=ADD_REMOVE)) for p in ps]


def _date(public: Public) -> dampen.Date:
    lo, hi, step = DAY_ENDS[DAY_GRIDS.index(public.day_grid)]
    return dampen.Date(lo, hi, step=step, missing=mode(public))


def _choice(public: Public) -> dampen.Category:
    return dampen.Category(public.choices, missing=mode(public))


def _read_choices(public: Public, values: Sequence[Any]) -> list[int] | None:
    places = [public.choice_rule.place(value) for value in values]
    refused = OTHER in places or (MISSING in places and mode(public) == "refuse")
    return None if refused else [place for place in places if place >= 0]


def _tally(public: Public, places: Sequence[int]) -> list[Vector]:
    return [counts(places)]


def _mean_parts(public: Public, values: list[Fraction]) -> list[Vector]:
    return [{"share": share} for share in mean_shares(values, *ends_of(public)).values()]


def _sum_share(public: Public, values: list[Fraction]) -> list[Vector]:
    reach = max(abs(end) for end in ends_of(public))
    return [{"share": rounded(sum(values, Fraction(0)), FINE) / reach}]


def _question(name: str, *given: Any, **more: Any) -> Callable[[Any], Any]:
    return lambda table: getattr(table, name)("v", *given, epsilon=1, **more)


CROSSED = {"g": "group", "f": "choice"}
NUMBERS = {"v": "number", **CROSSED}
ENTRIES: tuple[Entry, ...] = (
    Entry("rows_by_groups", CROSSED, _sizes, ("tables.rows_by_groups",), in_tables),
    Entry("grids_by_groups", {"v": "day", **CROSSED}, _crossed_days, ("tables.grids_by_groups",), in_tables),
    Entry(
        "categories_by_groups",
        {"v": "choice", **CROSSED},
        _crossed_choices,
        ("tables.categories_by_groups",),
        in_tables,
    ),
    Entry("total_by_group", {"v": "number", **CROSSED}, _totals, ("tables.total_by_group",), in_tables),
    Entry("count by group", {"g": "group"}, _counts(ADD_REMOVE), ("GroupedTable.count",), in_tables),
    Entry("count of replaced records by group", {"g": "group"}, _counts(REPLACE), takes=in_tables),
    Entry("count by two", CROSSED, _crossed_counts, takes=in_tables),
    Entry(
        "sum by group",
        NUMBERS,
        _asked(
            _question("sum"),
            lambda public: _number(public, unit=FINE),
            _read_numbers,
            _sum_share,
            _in_shares,
            distance=largest,
            step=1 + FINE,
        ),
        ("GroupedTable.sum",),
        in_tables,
    ),
    Entry(
        "mean by group",
        NUMBERS,
        _asked(
            _question("mean"),
            _number,
            _read_numbers,
            _mean_parts,
            _in_shares,
            parts=2,
            distance=largest,
            step=1 + PART,
        ),
        ("GroupedTable.mean",),
        in_tables,
    ),
    Entry(
        "percentile by group",
        NUMBERS,
        _asked(_question("percentile", 75), _in_quarters, _read_places, _at(75), distance=largest),
        ("GroupedTable.percentile",),
        in_tables,
        near,
    ),
    Entry(
        "percentiles by group",
        NUMBERS,
        _asked(
            _question("percentiles", (10, 90), strategy="even"),
            _in_quarters,
            _read_places,
            _at(10, 90),
            parts=2,
            distance=largest,
        ),
        ("GroupedTable.percentiles",),
        in_tables,
        near,
    ),
    Entry(
        "median of days by group",
        {"v": "day", **CROSSED},
        _asked(_question("median"), _date, _days, _middle_day, distance=largest),
        ("GroupedTable.median",),
        in_tables,
    ),
    Entry(
        "histogram by group",
        NUMBERS,
        _asked(_question("histogram"), _in_quarters, _read_places, _tally),
        ("GroupedTable.histogram",),
        in_tables,
        near,
    ),
    Entry(
        "most_common by group",
        {"v": "choice", **CROSSED},
        _asked(_question("most_common"), _choice, _read_choices, _tally),
        ("GroupedTable.most_common",),
        in_tables,
    ),
    Entry("grids_by_groups of numbers", {"v": "number", "g": "group"}, _grids, takes=in_tables),
    Entry("categories_by_groups of one", {"v": "choice", "g": "group"}, _categories, takes=in_tables),
)
