"""Counts of small patterns, as a user asks for them."""

from fractions import Fraction
from math import comb
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Graph
from dampen.errors import ParameterError
from dampen.mechanisms import Ladder, NoisyLocalSensitivity
from tests.conftest import Refused

NODES = 7
CLIQUE = Graph.from_edges(
    [i for i in range(NODES) for _ in range(i)], [j for i in range(NODES) for j in range(i)], nodes=NODES
)
SURE = 300
"""So large an epsilon that noise is 0 but rarely."""
TRUTH = {
    ("edge", None): comb(7, 2),
    ("triangle", None): comb(7, 3),
    ("2-triangle", None): comb(7, 2) * comb(5, 2),
    ("k-triangle", 3): comb(7, 2) * comb(5, 3),
    ("k-star", 3): 7 * comb(6, 3),
    ("k-clique", 4): comb(7, 4),
}


@pytest.mark.parametrize("delta", [0, "1e-9"])
@pytest.mark.parametrize(("pattern", "k"), TRUTH, ids=str)
def test_every_pattern_is_counted(pattern: str, k: int | None, delta: Any) -> None:
    budget = Budget(epsilon=SURE, delta="0.5")
    release = dampen.count_subgraphs(CLIQUE, pattern, k=k, epsilon=SURE, delta=delta, budget=budget)
    assert release.value == pytest.approx(TRUTH[pattern, k], abs=2)
    assert release.loss.adjacency is Adjacency.EDGE
    assert budget.spent.delta == (0 if pattern == "edge" else release.loss.delta)


@pytest.mark.parametrize(
    ("pattern", "k", "nodes", "epsilon", "delta", "expected"),
    [
        ("triangle", None, 1000, 1, 0, "LadderWalk"),
        ("triangle", None, 1000, 4, "1e-9", "LadderWalk"),
        ("2-triangle", None, 1000, "0.1", 0, "LadderWalk"),
        ("k-star", 3, 1000, "0.1", "1e-9", "LadderWalk"),
        ("triangle", None, 31, "0.1", 0, "Laplace"),
        ("triangle", None, 32, "0.1", 0, "LadderWalk"),
        ("triangle", None, 1000, 4, 0, "LadderWalk"),
        ("triangle", None, 1000, "4.0001", 0, "PolyPlace"),
        ("triangle", None, 1000, "4.0001", "1e-9", "ExactPairLaplace"),
        ("k-clique", 4, 1000, 1, 0, "PolyPlace"),
        ("k-triangle", 3, 1000, 1, 0, "PolyPlace"),
        ("k-star", 9, 1000, 1, 0, "PolyPlace"),
        ("k-star", 3, 1_500_000, 1, "1e-9", "LadderWalk"),
        ("2-triangle", None, 1_500_000, 1, "1e-9", "LadderWalk"),
        ("k-star", 4, 1_500_000, 1, "1e-9", "ExactPairLaplace"),
    ],
)
def test_the_default_is_a_public_rule(
    pattern: str, k: int | None, nodes: int, epsilon: Any, delta: Any, expected: str
) -> None:
    graph, budget = Graph.from_edges([0], [1], nodes=nodes), Budget(epsilon=10, delta="1e-3")
    release = dampen.count_subgraphs(graph, pattern, k=k, epsilon=epsilon, delta=delta, budget=budget)
    assert release.mechanism.split("(")[0] == expected
    assert release.loss.delta == (Fraction(delta) if expected == "ExactPairLaplace" else 0)


def test_only_edges_tell_their_error() -> None:
    budget = Budget(epsilon=10)
    assert dampen.count_subgraphs(CLIQUE, "edge", epsilon=1, budget=budget).error("0.5") == 1.0
    with pytest.raises(ParameterError, match="is private"):
        dampen.count_subgraphs(CLIQUE, "triangle", epsilon=1, budget=budget).error()


@pytest.mark.parametrize("k", [10**9, 10**30])
@pytest.mark.parametrize("pattern", ["k-star", "k-clique", "k-triangle"])
def test_a_size_beyond_all_nodes_is_answered_at_once(pattern: str, k: int) -> None:
    release = dampen.count_subgraphs(CLIQUE, pattern, k=k, epsilon=SURE, budget=Budget(epsilon=SURE))
    assert abs(release.value) <= 2


def test_a_mechanism_may_be_named() -> None:
    budget = Budget(epsilon=10, delta="0.5")
    ladder = dampen.count_subgraphs(CLIQUE, epsilon=2, mechanism=Ladder(2), budget=budget)
    assert ladder.mechanism.startswith("Ladder")
    noisy = NoisyLocalSensitivity(3, "1e-3")
    release = dampen.count_subgraphs(CLIQUE, "2-triangle", epsilon=3, delta="1e-3", mechanism=noisy, budget=budget)
    assert release.mechanism.startswith("NoisyLocalSensitivity")


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"pattern": "square"}, "pattern"),
        ({"pattern": "k-star"}, "k"),
        ({"pattern": "k-star", "k": 1.5}, "k"),
        ({"pattern": "k-clique", "k": 2}, "k"),
        ({"pattern": "triangle", "k": 3}, "k"),
        ({"epsilon": -1}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"mechanism": Ladder(2)}, "epsilon"),
        ({"mechanism": NoisyLocalSensitivity(1, "1e-3"), "delta": "1e-3"}, "NoisyLocalSensitivity"),
    ],
    ids=str,
)
def test_bad_parameters_are_one_sentence_before_any_spending(
    asked: dict[str, Any], shown: str, refused: Refused, untouched: Budget
) -> None:
    words: dict[str, Any] = {"epsilon": 1} | asked
    with refused(ParameterError, shown):
        dampen.count_subgraphs(CLIQUE, budget=untouched, **words)


def test_only_graphs_are_counted_and_the_smallest_are_handled(refused: Refused, untouched: Budget) -> None:
    with refused(ParameterError, "graph"):
        dampen.count_subgraphs([(0, 1)], epsilon=1, budget=untouched)
    empty = Graph.from_edges([], [], nodes=3)
    assert isinstance(dampen.count_subgraphs(empty, epsilon=1, budget=Budget(epsilon=1)).value, int)
