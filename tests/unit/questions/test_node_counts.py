"""Edges counted so that a node is hidden with all its edges, as a user asks for them."""

from fractions import Fraction
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Graph
from dampen.errors import BudgetError, ParameterError
from dampen.mechanisms import EdgeRace, Laplace
from dampen.privacy import NumericRelease
from dampen.questions.record import RECORD
from tests.conftest import Refused

SURE = 3000
"""So large an epsilon that noise is 0 and the cap large enough but rarely; it may be larger."""
RING = Graph.from_edges(range(40), [(i + 1) % 40 for i in range(40)], nodes=60)


def test_the_cap_is_told_with_the_answer() -> None:
    budget = Budget(epsilon=SURE)
    release = RING.count("edge", epsilon=SURE, unit="node", budget=budget)
    assert isinstance(release, NumericRelease)
    assert release.value == 40
    assert release.cap in (2, 4, 8, 16, 32, 59)
    assert (release.loss.adjacency, release.loss.unit) == (Adjacency.ADD_REMOVE, "node")
    assert (budget.unit, budget.adjacency) == ("node", Adjacency.ADD_REMOVE)
    assert budget.spent.epsilon == SURE
    assert release.mechanism == repr(EdgeRace(SURE))


def test_the_error_is_that_of_the_noise_under_the_cap() -> None:
    release: Any = RING.count("edge", epsilon=1, unit="node", budget=Budget(epsilon=1))
    frame = RECORD["count_subgraphs"].frame(records=60, pattern="edge", unit="node", epsilon=1)
    noise = EdgeRace(1).noise(frame, release.cap)
    for confidence in (Fraction(1, 2), Fraction(19, 20)):
        assert release.error(confidence) == noise.size_exceeded_with(1 - confidence)
    assert f"at most {release.cap} edges of a node were kept" in str(release.error())


def test_the_price_knows_the_nodes_alone() -> None:
    asked: dict[str, Any] = {"pattern": "edge", "unit": "node", "epsilon": 2}
    known = RECORD["count_subgraphs"]
    assert known.price(records=60, **asked).epsilon == 2
    assert known.frame(records=60, **asked) == known.pose(RING, **asked).frame


@pytest.mark.parametrize(("first", "then"), [("edge", "node"), ("node", "edge")])
def test_one_budget_pays_for_one_of_both_and_says_which_pays_for_the_other(first: str, then: str) -> None:
    budget = Budget(epsilon=9)
    RING.count("edge", epsilon=1, unit=first, budget=budget)
    with pytest.raises(BudgetError) as caught:
        RING.count("edge", epsilon=1, unit=then, budget=budget)
    words = f"this budget counts in units of '{first}', the release in others"
    assert str(caught.value) == f"{words}: a budget of its own pays for that, such as Budget.open(..., unit='{then}')"
    assert budget.spent.epsilon == 1
    RING.count("edge", epsilon=1, unit=then, budget=Budget(epsilon=1, unit=then))


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"pattern": "triangle"}, "pattern must be 'edge' with unit='node', which hides all edges of a node"),
        ({"pattern": "k-star", "k": 2}, "pattern must be 'edge' with unit='node'"),
        ({"pattern": "square"}, "pattern"),
        ({"k": 2}, "k must be left out with unit='node'"),
        ({"delta": "1e-6"}, "delta must be 0 with unit='node'"),
        ({"delta": 2}, "delta"),
        ({"mechanism": Laplace(1)}, "mechanism must be left out with unit='node'"),
        ({"epsilon": 0}, "epsilon"),
        ({"unit": "person"}, "unit must be one of 'edge', 'node'"),
        ({"unit": None}, "unit"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_one_sentence_before_any_spending(
    asked: dict[str, Any], shown: str, refused: Refused, untouched: Budget
) -> None:
    words: dict[str, Any] = {"pattern": "edge", "epsilon": 1, "unit": "node"} | asked
    with refused(ParameterError, shown):
        dampen.count_subgraphs(RING, budget=untouched, **words)


def test_the_smallest_graphs_are_answered() -> None:
    for nodes in (1, 2):
        graph = Graph.from_edges([], [], nodes=nodes)
        release: Any = graph.count("edge", epsilon=SURE, unit="node", budget=Budget(epsilon=SURE))
        assert (release.value, release.cap) == (0, 1)
