"""Questions about labels: categories, groups, filters."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import dampen
from dampen.queries import count_problem, row_count_problem, winner_problem
from dampen.tables import count_categories
from dampen.tables.engines import Source
from tests.audit.reading.check import Answer, Question, Record, largest
from tests.audit.reading.entries import (
    VAST,
    Entry,
    Public,
    counts,
    in_both,
    in_tables,
    numbered,
    placed_in_groups,
    posed,
    rest_place,
    source_of,
    utilities,
)
from tests.audit.reading.forms import Held
from tests.audit.reading.oracle import MISSING, OTHER

ADD_REMOVE, REPLACE = dampen.Adjacency.ADD_REMOVE, dampen.Adjacency.REPLACE


def mode(public: Public) -> str:
    """What happens to missing values where no category takes them."""
    return "refuse" if public.missing == "refuse" else "drop"


def tallied(public: Public, records: Sequence[Record]) -> Answer:
    """How many values each category has, or a refusal."""
    places = [public.rule.place(value) for (value,) in records]
    refused = (MISSING in places and public.missing == "refuse") or (OTHER in places and public.other == "refuse")
    return None if refused else counts([place for place in places if place >= 0])


def won(public: Public, records: Sequence[Record]) -> Answer:
    """1 for the category with the most values."""
    found = tallied(public, records)
    most = None if found is None else max(range(len(public.labels)), key=lambda place: (found.get(place, 0), -place))
    return None if most is None else {most: 1}


def grouped(public: Public, records: Sequence[Record], missing: str) -> Answer:
    """The sizes of groups, or a refusal."""
    places = [placed_in_groups(value, public, missing) for (value,) in records]
    return None if None in places else counts([place for place in places if place != MISSING])


def _counted(pose: Any, *, expect: Any = tallied, **more: Any) -> Any:
    """A question about one column of categories; ``pose`` returns its utilities."""

    def question(public: Public) -> Question:
        named = {"missing": mode(public), "other": public.other}

        def ask(held: Held) -> Answer:
            data, column = held.named("v")
            return pose(data, public.labels, column=column, **named)  # type: ignore[no-any-return]

        return Question("", ask, lambda records: expect(public, records), **more)

    return question


def settled(public: Public) -> str:
    """What happens to missing values where a category may take them."""
    return public.missing if public.missing != "other" or rest_place(public) is not None else "refuse"


def _ranked(ask_one: Callable[..., Any]) -> Callable[[Public], Question]:
    """A question about the sizes of categories; undeclared values are refused, or count for one of them."""

    def question(public: Public) -> Question:
        def ask(held: Held) -> Answer:
            values = source_of(held, "v", settled(public), other=public.rest)
            found = posed(lambda till: ask_one(values, categories=public.labels, epsilon=1, budget=till))
            return utilities(found[-1])

        return Question("", ask, lambda records: grouped(public, records, settled(public)))

    return question


def _top_categories(values: Any, **named: Any) -> Any:
    return dampen.top_categories(values, 1, **named)


def _where(public: Public) -> Question:
    """Rows with a value in a filter."""

    def ask(held: Held) -> Answer:
        problem = row_count_problem(held.table, where={"v": public.wanted}, adjacency=ADD_REMOVE)
        source = Source(held.table, {"v": public.wanted})
        *_, asked = posed(lambda till: dampen.count(source, epsilon=1, budget=till))
        assert asked.value == problem.value
        return utilities(problem)

    return Question("", ask, lambda records: {"value": sum(public.filter_rule.place(v) == 0 for (v,) in records)})


def _rows(public: Public) -> Question:
    """All rows."""

    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        problem = row_count_problem(data, column=column, adjacency=ADD_REMOVE)
        *_, asked = posed(lambda till: dampen.count(data, epsilon=1, budget=till))
        assert asked.value == problem.value
        return utilities(problem)

    return Question("", ask, lambda records: {"value": len(records)})


def _where_then_counted(public: Public) -> Question:
    """Categories of the rows that a filter leaves."""

    def ask(held: Held) -> Answer:
        values = source_of(held, "v", settled(public), {"f": public.wanted}, public.rest)
        return utilities(
            posed(lambda till: dampen.most_common(values, categories=public.labels, epsilon=1, budget=till))[-1]
        )

    def expect(records: Sequence[Record]) -> Answer:
        kept = [(value,) for value, wanted in records if public.filter_rule.place(wanted) == 0]
        return grouped(public, kept, settled(public))

    return Question("", ask, expect)


def _members(public: Public) -> Question:
    """Who is in which group: ids are numbers of their own, so that a record keeps its id wherever it stands."""
    missing = "refuse" if rest_place(public) is None or public.missing == "refuse" else "other"

    def release(held: Held) -> Any:
        budget = dampen.Budget(epsilon=VAST)
        if held.bare:
            ids, groups = held.columns["id"], held.columns["v"]
            return dampen.release_group_members(ids, groups, categories=public.labels, epsilon=VAST, budget=budget)
        described = dampen.Category(public.labels, other=public.rest, missing=missing)
        table = dampen.Table(held.table, columns={"v": described}, budget=budget)
        return table.release_group_members("id", "v", epsilon=VAST)

    def ask(held: Held) -> Answer:
        told = release(held).value
        return counts(
            [(place, str(person)) for place, people in enumerate(told.values()) for person in people.tolist()]
        )

    def expect(records: Sequence[Record]) -> Answer:
        places = [placed_in_groups(value, public, missing) for value, _ in records]
        return None if None in places else counts([(p, str(r[1])) for p, r in zip(places, records, strict=True)])

    return Question("", ask, expect)


def _two_labels(public: Public) -> Public:
    """Groups need at least two labels."""
    more = "one more" if public.labels != ("one more",) else "and one"
    return public if len(public.labels) > 1 else replace(public, labels=(*public.labels, more))


ENTRIES: tuple[Entry, ...] = (
    Entry(
        "count_categories",
        {"v": "label"},
        _counted(lambda data, labels, **named: numbered(count_categories(data, labels, **named))),
        ("tables.count_categories",),
    ),
    Entry(
        "count_problem",
        {"v": "label"},
        _counted(
            lambda data, labels, **named: utilities(count_problem(data, categories=labels, adjacency=REPLACE, **named))
        ),
        ("queries.count_problem",),
    ),
    Entry(
        "winner_problem",
        {"v": "label"},
        _counted(
            lambda data, labels, **named: utilities(
                winner_problem(data, categories=labels, adjacency=ADD_REMOVE, **named)
            ),
            expect=won,
            distance=largest,
        ),
        ("queries.winner_problem",),
    ),
    *in_both("most_common", {"v": "group"}, _ranked(dampen.most_common), ("questions.most_common",)),
    *in_both("top_categories", {"v": "group"}, _ranked(_top_categories), ("questions.top_categories",)),
    Entry("most_common where", {"v": "group", "f": "filter"}, _where_then_counted, takes=in_tables),
    Entry(
        "count where",
        {"v": "filter"},
        _where,
        ("questions.count", "queries.row_count_problem"),
        takes=in_tables,
    ),
    Entry("count", {"v": "label"}, _rows),
    *in_both(
        "release_group_members",
        {"v": "group", "id": "id"},
        _members,
        ("questions.release_group_members",),
        _two_labels,
    ),
)
