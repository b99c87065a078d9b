"""Questions about labels: categories, groups, filters."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import dampen
from dampen.queries import count_problem, row_count_problem, winner_problem
from dampen.tables import count_categories
from tests.audit.reading.check import Answer, Question, Record, largest
from tests.audit.reading.entries import (
    VAST,
    Entry,
    Public,
    counts,
    in_tables,
    numbered,
    placed_in_groups,
    posed,
    rest_place,
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


def _most_common(data: Any, labels: Any, **named: Any) -> Answer:
    return utilities(
        posed(lambda till: dampen.most_common(data, categories=labels, epsilon=1, budget=till, **named))[-1]
    )


def _top_categories(data: Any, labels: Any, **named: Any) -> Answer:
    found = posed(lambda till: dampen.top_categories(data, 1, categories=labels, epsilon=1, budget=till, **named))
    return utilities(found[-1])


def _where(public: Public) -> Question:
    """Rows with a value in a filter."""

    def ask(held: Held) -> Answer:
        problem = row_count_problem(held.table, where={"v": public.wanted}, adjacency=ADD_REMOVE)
        *_, asked = posed(lambda till: dampen.count(held.table, where={"v": public.wanted}, epsilon=1, budget=till))
        assert asked.value == problem.value
        return utilities(problem)

    return Question("", ask, lambda records: {"value": sum(public.filter_rule.place(v) == 0 for (v,) in records)})


def _rows(public: Public) -> Question:
    """All rows."""

    def ask(held: Held) -> Answer:
        data, column = held.named("v")
        return utilities(row_count_problem(data, column=column, adjacency=ADD_REMOVE))

    return Question("", ask, lambda records: {"value": len(records)})


def _where_then_counted(public: Public) -> Question:
    """Categories of the rows that a filter leaves."""

    def ask(held: Held) -> Answer:
        named = {"column": "v", "where": {"f": public.wanted}, "missing": mode(public), "other": public.other}
        return _most_common(held.table, public.labels, **named)

    def expect(records: Sequence[Record]) -> Answer:
        return tallied(public, [(value,) for value, kept in records if public.filter_rule.place(kept) == 0])

    return Question("", ask, expect)


def _group_counts(adjacency: Any) -> Any:
    def question(public: Public) -> Question:
        missing = public.missing if public.missing != "other" or rest_place(public) is not None else "refuse"

        def ask(held: Held) -> Answer:
            data, column = held.named("v")
            found = dampen.group_counts(
                data, categories=public.labels, epsilon=VAST, budget=dampen.Budget(epsilon=VAST), adjacency=adjacency,
                column=column, other=public.rest, missing=missing,
            )  # fmt: skip
            return numbered(list(found.value.values()))

        return Question("", ask, lambda records: grouped(public, records, missing))

    return question


def _group_by(public: Public) -> Question:
    """Who is in which group: ids are numbers of their own, so that a record keeps its id wherever it stands."""
    missing = "refuse" if rest_place(public) is None or public.missing == "refuse" else "other"

    def ask(held: Held) -> Answer:
        ids, column = held.named("id")
        told = dampen.group_by(
            ids, held.columns["v"] if held.bare else "v", categories=public.labels, epsilon=VAST,
            budget=dampen.Budget(epsilon=VAST), column=column, other=public.rest, missing=missing,
        )  # fmt: skip
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
    Entry("most_common", {"v": "label"}, _counted(_most_common), ("questions.most_common",)),
    Entry("top_categories", {"v": "label"}, _counted(_top_categories), ("questions.top_categories",)),
    Entry("most_common where", {"v": "label", "f": "filter"}, _where_then_counted, takes=in_tables),
    Entry(
        "count where",
        {"v": "filter"},
        _where,
        ("questions.count", "queries.row_count_problem"),
        takes=in_tables,
    ),
    Entry("count", {"v": "label"}, _rows),
    Entry("group_counts", {"v": "group"}, _group_counts(ADD_REMOVE), ("questions.group_counts",)),
    Entry("group_counts of replaced records", {"v": "group"}, _group_counts(REPLACE)),
    Entry("group_by", {"v": "group", "id": "id"}, _group_by, ("questions.group_by",), settles=_two_labels),
)
