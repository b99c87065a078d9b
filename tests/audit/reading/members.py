"""Questions whose people are public and told one by one: who is in a group, who approves of what, whose value is whose.

The oracle has no say in these: they take truth values, sets and whole numbers as they are.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

import dampen
from dampen.queries import (
    approval_problem,
    dice_problem,
    fragment_problem,
    group_size_problem,
    percentile_label_problem,
)
from tests.audit.reading.check import Answer, Question, Vector, largest
from tests.audit.reading.entries import Entry, Public, numbered, utilities
from tests.audit.reading.forms import Form, Held

ADD_REMOVE = dampen.Adjacency.ADD_REMOVE


def _in_lists(form: Form) -> bool:
    return form.name == "columns"


def _members(pose: Callable[[Any], Any], bound: Callable[[int], int]) -> Callable[[Public], Question]:
    """One truth value for each person; another one moves every utility by at most the bound, which their number tells.

    A replaced record is one neighbour here, and the check allows two records.
    """

    def distance(one: Vector, two: Vector) -> Any:
        return largest(one, two) * 2 / bound(len(one))

    return lambda public: Question(
        "", lambda held: utilities(pose(held.columns["v"])), distance=distance, sized=True, nonempty=True
    )


def _fragments(members: Any) -> Any:
    return fragment_problem(members, np.zeros(len(members), dtype=np.int64))


def _approvals(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        ballots = [[value] for value in held.columns["v"]]
        return utilities(approval_problem(ballots, categories=public.labels, adjacency=ADD_REMOVE))

    return Question("", ask, distance=largest)


def _labels(public: Public) -> Question:
    def ask(held: Held) -> Answer:
        return numbered(percentile_label_problem(held.columns["v"], 50, bound=4).utilities)

    return Question("", ask, distance=lambda one, two: largest(one, two) / 2, sized=True, nonempty=True)


def _one(people: int) -> int:
    return 1


TRUTH = {"v": "truth"}
ENTRIES: tuple[Entry, ...] = (
    Entry("group_size_problem", TRUTH, _members(group_size_problem, _one), ("queries.group_size_problem",), _in_lists),
    Entry("dice_problem", TRUTH, _members(dice_problem, _one), ("queries.dice_problem",), _in_lists),
    Entry(
        "fragment_problem",
        TRUTH,
        _members(_fragments, lambda people: 2 ** (people - 1)),
        ("queries.fragment_problem",),
        _in_lists,
    ),
    Entry("approval_problem", {"v": "node"}, _approvals, ("queries.approval_problem",), _in_lists),
    Entry("percentile_label_problem", {"v": "finite"}, _labels, ("queries.percentile_label_problem",), _in_lists),
)
