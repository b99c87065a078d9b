"""Centralities: each is complete, its promises hold, and a new one needs nothing but its own object."""

from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, Frame, SelectionProblem
from dampen.cli.top_nodes import MethodName
from dampen.errors import ParameterError
from dampen.graphs.graph import Graph
from dampen.mechanisms import LaplaceTopK, TopK
from dampen.queries.graph.centralities import CENTRALITIES, EGO_BETWEENNESS, Centrality, Method, Ranking, Terms
from dampen.questions.node_lists import LISTS, MECHANISMS
from dampen.vectors import Integers
from tests.conftest import Refused

ROOT = Path(__file__).parents[4]
PLENTY = 10**6
STAR_AND_CLIQUE = Graph.from_edges([0] * 6 + [7, 7, 7, 8, 8, 9], [1, 2, 3, 4, 5, 6, 8, 9, 10, 9, 10, 10], nodes=12)
"""A star of six leaves, a clique of four nodes and one that is alone."""


def leaves(graph: Graph) -> Integers:
    """How many of its neighbours have no other neighbour."""
    degrees = graph.degrees()
    rows = np.repeat(np.arange(graph.nodes), degrees)
    return np.bincount(rows, weights=degrees[graph.neighbours] == 1, minlength=graph.nodes).astype(np.int64)


def by_leaves(graph: Graph, _terms: Terms) -> Ranking:
    """An edge xy changes the leaves of x, of y, and of the one other neighbour that either may have: by 1 each."""
    frame = Frame(range(graph.nodes), 1, Adjacency.EDGE)
    return Ranking(SelectionProblem(frame, leaves(graph)), movers=4)


LEAVES = Centrality(
    name="leaves",
    meaning="how many neighbours a node has that have no other",
    scores=leaves,
    methods={"one_shot_laplace": Method("laplace", by_leaves), "exponential": Method("exponential", by_leaves)},
    proofs=("laplace_top_k",),
)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Centrality:
    monkeypatch.setitem(CENTRALITIES, LEAVES.name, LEAVES)
    return LEAVES


@pytest.mark.parametrize("method", [None, *LEAVES.methods])
def test_a_new_centrality_is_answered_and_paid(toy: Centrality, method: str | None) -> None:
    budget = Budget(epsilon=PLENTY)
    asked: dict[str, Any] = {"score": toy.name, "method": method, "epsilon": PLENTY, "budget": budget}
    assert dampen.top_nodes(STAR_AND_CLIQUE, 1, **asked) == (0,)
    assert (budget.spent.epsilon, budget.adjacency) == (Fraction(PLENTY), Adjacency.EDGE)


def test_errors_name_what_the_new_centrality_allows(toy: Centrality, untouched: Budget, refused: Refused) -> None:
    with refused(ParameterError, "score must be one of 'ego_betweenness', 'degree', 'pagerank', 'core', 'leaves'"):
        dampen.top_nodes(STAR_AND_CLIQUE, 1, score="leafs", epsilon=1, budget=untouched)
    with refused(ParameterError, "method must be one of 'one_shot_laplace', 'exponential'"):
        dampen.top_nodes(STAR_AND_CLIQUE, 1, score="leaves", method="level", epsilon=1, budget=untouched)


def test_without_its_registration_it_is_unknown(untouched: Budget, refused: Refused) -> None:
    with refused(ParameterError, "score must be one of 'ego_betweenness', 'degree', 'pagerank', 'core'"):
        dampen.top_nodes(STAR_AND_CLIQUE, 1, score="leaves", epsilon=1, budget=untouched)


@pytest.mark.parametrize("centrality", CENTRALITIES.values(), ids=lambda each: each.name)
def test_every_centrality_is_complete(centrality: Centrality) -> None:
    """Its laws exist, its proofs too, and the first node of every ranking has the highest score."""
    assert {method.law for method in centrality.methods.values()} <= set(LISTS)
    assert all((ROOT / "docs" / "proofs" / f"{page}.md").exists() for page in centrality.proofs)
    best = centrality.scores(STAR_AND_CLIQUE).argmax()
    assert best == (7 if centrality.name == "core" else 0)
    for method in (each for each in centrality.methods.values() if each.law in MECHANISMS):
        ranking = method.rank(STAR_AND_CLIQUE, Terms())
        assert np.asarray(ranking.problem.utilities).argmax() == best
        assert ranking.problem.frame.candidates == range(STAR_AND_CLIQUE.nodes)


def test_one_shot_forms_promise_two_movers_and_a_drift() -> None:
    """One noise for the list at the whole rate; permute-and-flip in one shot and peeled at a share of 1 / k."""
    for name in ("one_shot_laplace", "one_shot_local_dampening", "one_shot_shifted"):
        method = EGO_BETWEENNESS.methods[name]
        ranking = method.rank(STAR_AND_CLIQUE, Terms(shift=1))
        mechanism = MECHANISMS[method.law](ranking, 2, Fraction(3))
        assert isinstance(mechanism, LaplaceTopK)
        assert (mechanism.epsilon, mechanism.movers, mechanism.drift) == (Fraction(3), 2, Fraction(ranking.drift))
        assert 0 < ranking.drift < 2**20
    for name in ("permute_and_flip", "one_shot_permute_and_flip"):
        method = EGO_BETWEENNESS.methods[name]
        mechanism = MECHANISMS[method.law](method.rank(STAR_AND_CLIQUE, Terms()), 2, Fraction(3))
        assert isinstance(mechanism, TopK)
        assert (mechanism.base.epsilon, mechanism.peeled) == (Fraction(3, 2), name == "permute_and_flip")


def test_what_tells_scores_promises_how_far_all_move() -> None:
    """Only where the utilities are the very scores: degrees that stand for ego betweenness are not told as such."""
    telling = {
        (each.name, name)
        for each in CENTRALITIES.values()
        for name, method in each.methods.items()
        if method.law == "laplace" and method.rank(STAR_AND_CLIQUE, Terms()).unit is not None
    }
    assert telling == {("degree", "level"), ("degree", "degree"), ("pagerank", "one_hop"), ("pagerank", "global")}
    for score, name in telling:
        ranking = CENTRALITIES[score].methods[name].rank(STAR_AND_CLIQUE, Terms())
        assert ranking.l1 is not None
        assert MECHANISMS["laplace"](ranking, 3, Fraction(1)).width(ranking.problem.frame) == ranking.l1  # type: ignore[attr-defined]
    degrees = CENTRALITIES["degree"].methods["degree"].rank(STAR_AND_CLIQUE, Terms())
    assert (degrees.l1, degrees.unit) == (2, Fraction(1))


def test_a_price_may_change_the_default() -> None:
    assert [CENTRALITIES["pagerank"].default(Fraction(price)) for price in ("0.1", "4.99", "5", "50")] == [
        *("one_hop", "one_hop"),
        *("global", "global"),
    ]
    assert {CENTRALITIES[name].default(Fraction(9)) for name in ("ego_betweenness", "degree")} == {"level"}


def test_the_command_and_the_documentation_list_them() -> None:
    named = [name.value.replace("-", "_") for name in MethodName]
    assert named == list(dict.fromkeys(chain.from_iterable(each.methods for each in CENTRALITIES.values())))
    page = (ROOT / "docs" / "graphs.md").read_text()
    for each in CENTRALITIES.values():
        methods = ", ".join(f"`{method}`" for method in each.methods)
        proofs = ", ".join(f"[{name}](proofs/{name}.md)" for name in each.proofs)
        assert f"| `{each.name}` | {each.meaning} | {methods} | {proofs} |" in page
