"""Counts of labels: monotone when a record is added or removed, not when one is replaced."""

from itertools import chain

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.sensitivity import RungTable
from tests.audit.universes.base import Universe

LABELS = ("a", "b", "c")


def counts_problem(x: tuple[str, ...], adjacency: Adjacency, *, monotone: bool) -> SelectionProblem:
    frame = Frame(LABELS, bound=1, adjacency=adjacency, monotone=monotone)
    counts = [x.count(label) for label in LABELS]
    return SelectionProblem(frame, counts, RungTable([[1, 1, 1]] * 3, bound=1))


def counts_add_remove(largest: int = 15) -> Universe:
    return Universe(
        "counts, ADD_REMOVE",
        lambda x: counts_problem(x, Adjacency.ADD_REMOVE, monotone=True),
        multisets(LABELS, largest=largest),
        add_remove_neighbours(LABELS),
    )


def counts_replace(largest: int = 15) -> Universe:
    return Universe(
        "counts, REPLACE",
        lambda x: counts_problem(x, Adjacency.REPLACE, monotone=False),
        multisets(LABELS, largest=largest, smallest=1),
        replace_neighbours(LABELS),
    )


def far_apart(records: int) -> Universe:
    """Two labels and many records, from all of one label to all of the other: orders that are hardly ever drawn.

    A data set is how many have the first label.
    """
    frame = Frame(("a", "b"), bound=1, adjacency=Adjacency.REPLACE)
    return Universe(
        f"counts of {records} records, REPLACE",
        lambda x: SelectionProblem(frame, [x, records - x]),
        range(records),
        lambda x: [x + 1],
    )


def approval_ballots() -> Universe:
    """Each record approves of a set of labels, so one record moves several counts at once."""
    ballots = ("", "a", "b", "c", "ab", "ac", "bc", "abc")

    def problem_of(x: tuple[str, ...]) -> SelectionProblem:
        return counts_problem(tuple(chain.from_iterable(x)), Adjacency.ADD_REMOVE, monotone=True)

    return Universe("approval ballots", problem_of, multisets(ballots, largest=4), add_remove_neighbours(ballots))
