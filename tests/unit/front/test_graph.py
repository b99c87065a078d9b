"""``dampen.Graph``: a graph that is asked by its methods."""

import warnings
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, Graph, PrivacyLoss
from dampen.errors import BudgetExceeded, CutOffWarning, ParameterError
from dampen.graphs import graph as plain
from dampen.mechanisms import CapMechanism, Ladder

if TYPE_CHECKING:
    from tests.conftest import Refused

SURE = 10**6
LEAVES = 30


def star() -> Graph:
    return Graph.from_edges([0] * LEAVES, range(1, LEAVES + 1), nodes=LEAVES + 1)


@pytest.mark.parametrize("score", ["ego_betweenness", "degree"])
def test_top_nodes_are_those_of_the_function(score: str) -> None:
    budget = Budget(epsilon=10 * SURE)
    told = star().top_nodes(1, epsilon=SURE, budget=budget, score=score)
    assert told == dampen.top_nodes(star(), 1, epsilon=SURE, budget=budget, score=score) == (0,)
    assert told.loss == PrivacyLoss(SURE, adjacency=Adjacency.EDGE)
    assert told.mechanism == f"1 nodes by {score}, level"


def test_every_option_of_the_questions_is_passed_on() -> None:
    """A method of the same words as its function, but for the graph, the payer and the note."""
    budget = Budget(epsilon=10 * SURE, delta="1/2")
    asked: dict[str, Any] = {"method": "exponential", "max_degree": 9, "score": "ego_betweenness", "shift": 0}
    assert "exponential" in star().top_nodes(2, epsilon=1, budget=budget, **asked).mechanism
    with pytest.raises(ParameterError, match="max_degree"):
        star().top_nodes(1, epsilon=1, budget=budget, max_degree=0)
    counted = star().count("k-star", k=2, epsilon=5, delta="1e-6", budget=budget)
    assert counted.loss == PrivacyLoss(5, "1e-6", adjacency=Adjacency.EDGE)
    named = star().count("triangle", epsilon=2, budget=budget, mechanism=Ladder(2))
    assert named.mechanism == repr(Ladder(2))
    assert star().count("edge", epsilon=SURE, budget=budget) == LEAVES


def test_a_named_graph_is_answered_again_for_nothing() -> None:
    budget = Budget(epsilon=3, remember=True)
    friends = star().named("friends").paid_by(budget)
    first = friends.count("triangle", epsilon=1)
    assert friends.count("triangle", epsilon="1.0") == first
    assert "nothing was spent" in friends.count("triangle", epsilon=1).note
    assert budget.spent.epsilon == 1
    nodes = friends.top_nodes(2, epsilon=1)
    assert friends.top_nodes(2, epsilon=1) == nodes
    assert friends.top_nodes(2, epsilon=1, shift="0").loss == nodes.loss
    assert budget.spent.epsilon == 2
    with pytest.raises(BudgetExceeded):
        friends.top_nodes(1, epsilon="3/2")


@pytest.mark.parametrize(
    "other",
    [
        lambda graph, pays: graph.named("others").count("triangle", **pays),
        lambda graph, pays: graph.count("triangle", **pays),
        lambda graph, pays: graph.named("friends").count("edge", **pays),
        lambda graph, pays: graph.named("friends").count("triangle", mechanism=Ladder(1), **pays),
        lambda graph, pays: graph.named("friends").top_nodes(1, **pays),
    ],
    ids=["another name", "no name", "another pattern", "another mechanism", "another question"],
)
def test_what_differs_in_anything_is_asked_anew(other: Any) -> None:
    budget = Budget(epsilon=2, remember=True)
    pays: dict[str, Any] = {"epsilon": 1, "budget": budget}
    star().named("friends").count("triangle", **pays)
    other(star(), pays)
    assert budget.spent.epsilon == 2


def test_names_are_texts(refused: "Refused") -> None:
    with refused(ParameterError, "name must be one line of text"):
        star().named(3)  # type: ignore[arg-type]


def test_nodes_that_are_too_few_to_find_a_cap_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a table with a person, by released things alone; edges that are hidden one by one are all counted."""
    monkeypatch.setattr(CapMechanism, "draw", lambda self, problem, source: (1, 0))
    with pytest.warns(CutOffWarning, match="what was cut off may exceed the answer") as caught:
        release = star().count("edge", epsilon="1/10", unit="node", budget=Budget(epsilon=1))
    assert release.doubtful
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        star().count("edge", epsilon="1/10", budget=Budget(epsilon=1))


def test_whoever_is_named_pays() -> None:
    own, other = Budget(epsilon=1), Budget(epsilon=1)
    paid = star().paid_by(own)
    paid.count("edge", epsilon="1/4")
    paid.top_nodes(1, epsilon="1/4", budget=other)
    assert own.spent.epsilon == other.spent.epsilon == Fraction(1, 4)
    assert own.adjacency is Adjacency.EDGE
    with pytest.raises(BudgetExceeded):
        paid.count("edge", epsilon=1)


def test_somebody_must_pay(refused: "Refused") -> None:
    graph = star()
    graph.paid_by(Budget(epsilon=1))
    for ask in (lambda: graph.count(epsilon=1), lambda: graph.top_nodes(1, epsilon=1)):
        with refused(ParameterError, "budget must be given"):
            ask()
    with refused(ParameterError, "budget must be a dampen.Budget"):
        graph.paid_by(3).count(epsilon=1)  # type: ignore[arg-type]


def test_the_note_says_what_was_asked(tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "friends.db", epsilon=10)
    graph = star().paid_by(ledger)
    graph.top_nodes(2, epsilon=1, score="degree")
    graph.count("k-star", k=2, epsilon=1)
    graph.count(epsilon=1, note="mine")
    notes = [entry.note for entry in ledger.history() if entry.kind == "charge"]
    assert notes == ["top_nodes k=2 by 'degree'", "count 'k-star'", "mine"]
    ledger.close()


def test_every_way_to_make_a_graph_makes_one_that_can_be_asked(tmp_path: Path) -> None:
    (tmp_path / "edges.txt").write_text("0 1\n0 2\n")
    from scipy import sparse

    made = [
        Graph([0, 0], [1, 2], nodes=3),
        Graph.from_edges([0, 0], [1, 2], nodes=3),
        Graph.from_frame({"a": [0, 0], "b": [1, 2]}, src="a", dst="b", nodes=3),
        Graph.from_file(tmp_path / "edges.txt", nodes=3),
        Graph.from_networkx(nx.Graph([(0, 1), (0, 2)])),
        Graph.from_scipy(sparse.coo_array(([1, 1], ([0, 0], [1, 2])), shape=(3, 3))),
    ]
    for graph in made:
        assert type(graph) is Graph
        assert graph.count("edge", epsilon=SURE, budget=Budget(epsilon=SURE)) == 2


def test_it_is_the_graph_that_it_was() -> None:
    inner = plain.Graph.from_edges([0] * LEAVES, range(1, LEAVES + 1), nodes=LEAVES + 1)
    paid = star().paid_by(Budget(epsilon=1))
    assert paid == star() == inner
    assert repr(paid) == f"Graph({LEAVES + 1} nodes)"
    assert np.array_equal(paid.degrees(), inner.degrees())


def test_graphs_of_networkx_are_taken_by_the_functions() -> None:
    """Nodes of such a graph are public as they stand."""
    graph = nx.star_graph(LEAVES)
    assert dampen.top_nodes(graph, 1, epsilon=SURE, budget=Budget(epsilon=SURE)) == (0,)
    assert dampen.count_subgraphs(graph, "edge", epsilon=SURE, budget=Budget(epsilon=SURE)) == LEAVES
