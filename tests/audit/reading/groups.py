"""Questions about values by group: two columns, of one table or in parallel."""

from collections.abc import Callable, Sequence
from typing import Any

import dampen
from dampen.queries import percentile_value_problem
from dampen.tables import as_grid
from dampen.tables.groups import categories_by_group, grids_by_group
from tests.audit.reading.check import Answer, Question, Record, largest
from tests.audit.reading.entries import Entry, Public, counts, in_tables, joined, placed_in_groups, posed, rest_place
from tests.audit.reading.forms import Held
from tests.audit.reading.numbers import counted_before, places_on

ADD_REMOVE = dampen.Adjacency.ADD_REMOVE


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


def _sides(held: Held) -> tuple[Any, Any, str | None]:
    """Values, groups and the column of the values."""
    data, column = held.named("v")
    return data, held.columns["g"] if held.bare else "g", column


def _most_common(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        values, groups, column = _sides(held)
        found = posed(
            lambda till: dampen.group_most_common(
                values,
                groups,
                categories=public.labels,
                choices=public.choices,
                epsilon=1,
                budget=till,
                column=column,
                other=public.rest,
                missing=_missing(public),
            )
        )
        return joined(found[-len(public.labels) :])

    return Question("", ask, lambda records: _counted(public, records, _chosen))


def _percentiles(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        values, groups, column = _sides(held)
        found = posed(
            lambda till: dampen.group_percentiles(
                values,
                groups,
                50,
                categories=public.labels,
                grid=public.grid,
                epsilon=1,
                budget=till,
                column=column,
                other=public.rest,
                missing=_missing(public),
            )
        )
        return joined(found[-len(public.labels) :])

    def expect(records: Sequence[Record]) -> Answer:
        found = _of_groups(public, records, _numbers)
        if found is None:
            return None
        counted = [counted_before(public, places) for places in found]
        return joined([percentile_value_problem(each, 50, grid=public.grid, adjacency=ADD_REMOVE) for each in counted])

    return Question("", ask, expect, largest)


def _named(public: Public) -> dict[str, Any]:
    return {"column": "v", "by": "g", "other": public.rest, "missing": _missing(public)}


def _grids(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        found = grids_by_group(held.table, as_grid(public.grid), public.labels, **_named(public))
        return {
            (place, spot): count
            for place, each in enumerate(found)
            for spot, count in zip(each.places.tolist(), each.counts.tolist(), strict=True)
        }

    return Question("", ask, lambda records: _counted(public, records, _numbers))


def _categories(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        found = categories_by_group(held.table, public.choices, public.labels, **_named(public))
        return {(place, spot): int(count) for place, each in enumerate(found) for spot, count in enumerate(each)}

    return Question("", ask, lambda records: _counted(public, records, _chosen))


ENTRIES: tuple[Entry, ...] = (
    Entry("group_most_common", {"v": "choice", "g": "group"}, _most_common, ("questions.group_most_common",)),
    Entry("group_percentiles", {"v": "number", "g": "group"}, _percentiles, ("questions.group_percentiles",)),
    Entry("grids_by_group", {"v": "number", "g": "group"}, _grids, ("tables.grids_by_group",), in_tables),
    Entry(
        "categories_by_group",
        {"v": "choice", "g": "group"},
        _categories,
        ("tables.categories_by_group",),
        in_tables,
    ),
)
