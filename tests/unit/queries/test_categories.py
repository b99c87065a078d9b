"""Counts, winners and approvals: values by counting, distances by breadth-first search."""

import numpy as np
import pytest

from dampen import Adjacency
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import StableArgmax
from dampen.queries import approval_problem, count_problem, winner_problem
from dampen.queries.categories import winner_steps
from tests.conftest import Refused
from tests.unit.queries.order.judges import BOTH, distances

ADD_REMOVE, REPLACE = BOTH


def winner(x: tuple[int, ...], labels: int) -> int:
    return max(range(labels), key=lambda label: (x.count(label), -label))


@pytest.mark.parametrize("adjacency", BOTH)
@pytest.mark.parametrize(("labels", "largest"), [(2, 8), (3, 6), (4, 5)])
def test_winner_steps_by_breadth_first_search(labels: int, largest: int, adjacency: Adjacency) -> None:
    """Exact for the winner under both adjacencies, for all under ADD_REMOVE; never too far, and exact for some."""
    adds, exact = adjacency is ADD_REMOVE, 0
    everything = multisets(range(labels), largest=2 * largest + 1 if adds else largest, smallest=0 if adds else 1)
    known = set(everything)
    around = add_remove_neighbours(range(labels)) if adds else replace_neighbours(range(labels))
    for label in range(labels):
        wins = {x for x in everything if winner(x, labels) == label}
        to = distances(wins, lambda x: (y for y in around(x) if y in known))
        away = distances(known - wins, lambda x: (y for y in around(x) if y in known))
        for x in everything:
            if len(x) > largest:
                continue
            counts = np.array([x.count(other) for other in range(labels)], dtype=np.int64)
            utilities, starts = winner_steps(counts, adjacency)
            assert utilities.tolist() == [int(other == winner(x, labels)) for other in range(labels)]
            distance = (away if x in wins else to)[x]
            assert starts[label] + 1 == distance if adds or x in wins else starts[label] + 1 <= distance
            exact += starts[label] + 1 == distance
    assert exact > 20


def test_one_category() -> None:
    for adjacency in BOTH:
        utilities, starts = winner_steps(np.array([4]), adjacency)
        assert (utilities.tolist(), starts.tolist()) == ([1], [4])


def test_problems_by_hand() -> None:
    values = ["b", "a", "b", "c"]
    for adjacency in BOTH:
        counts = count_problem(values, categories=("a", "b", "c", "d"), adjacency=adjacency)
        assert counts.utilities.tolist() == [1, 2, 1, 0]  # type: ignore[union-attr]
        assert counts.frame.monotone == (adjacency is ADD_REMOVE)
        assert counts.frame.bound == 1
        assert counts.integral
    hit = winner_problem(values, categories=("a", "b", "c", "d"), adjacency=ADD_REMOVE)
    assert hit.utilities.tolist() == [0, 1, 0, 0]  # type: ignore[union-attr]
    assert StableArgmax(1)._distance(hit) == 1
    assert not hit.frame.monotone
    empty = winner_problem([], categories=("a", "b"), adjacency=ADD_REMOVE)
    assert empty.utilities.tolist() == [1, 0]  # type: ignore[union-attr]


def test_approvals() -> None:
    ballots = [{"a", "b"}, ["b", "b"], (), frozenset("c")]
    for adjacency in BOTH:
        problem = approval_problem(ballots, categories=("a", "b", "c"), adjacency=adjacency)
        assert problem.utilities.tolist() == [1, 2, 1]  # type: ignore[union-attr]
        assert problem.frame.monotone == (adjacency is ADD_REMOVE)


def test_refusals(refused: Refused) -> None:
    with refused(DataError, "every ballot must hold declared categories only", hidden=("secret",)):
        approval_problem([{"secret"}], categories=("a",), adjacency=ADD_REMOVE)
    with refused(DataError, "every ballot must be a set"):
        approval_problem(["ab"], categories=("a", "b"), adjacency=ADD_REMOVE)
    with refused(ParameterError, "ballots must be a sequence"):
        approval_problem(7, categories=("a",), adjacency=ADD_REMOVE)  # type: ignore[arg-type]
    for make in (count_problem, winner_problem):
        with refused(ParameterError, "adjacency must be Adjacency.ADD_REMOVE or Adjacency.REPLACE"):
            make(["a"], categories=("a", "b"), adjacency=Adjacency.EDGE)
