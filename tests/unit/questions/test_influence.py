"""``dampen.top_nodes`` and ``dampen top-nodes``: the most influential nodes, paid for once."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import dampen
from dampen import Adjacency, Budget, Graph
from dampen.cli.app import app
from dampen.cli.top_nodes import MethodName, ScoreName
from dampen.errors import BudgetError, DampenError, DataError, ParameterError
from dampen.queries.graph.centralities import CENTRALITIES, Method, Terms
from dampen.questions.node_lists import LISTS, MECHANISMS, Draw
from dampen.questions.record import RECORD
from tests.conftest import Refused

HUBS = 3
BY_EGO_BETWEENNESS = list(CENTRALITIES["ego_betweenness"].methods)
BY_DEGREE = list(CENTRALITIES["degree"].methods)


@pytest.fixture(scope="module")
def stars() -> Graph:
    """Three stars of 60, 50 and 40 leaves: the centres are 0, 1 and 2."""
    leaves = [60, 50, 40]
    src = np.repeat(range(HUBS), leaves)
    return Graph.from_edges(src, HUBS + np.arange(len(src)), nodes=HUBS + len(src))


@pytest.mark.parametrize("method", [method for method in BY_EGO_BETWEENNESS if method != "pairwise"])
@pytest.mark.parametrize("max_degree", [None, 100])
def test_every_method_finds_what_stands_out_and_is_paid_once(stars: Graph, method: str, max_degree: int | None) -> None:
    budget = Budget(epsilon=10**7)
    found = dampen.top_nodes(stars, HUBS, epsilon=10**7, budget=budget, method=method, max_degree=max_degree)
    assert found == (0, 1, 2)
    assert (budget.spent.epsilon, budget.adjacency, budget.unit) == (Fraction(10**7), Adjacency.EDGE, "edge")


@pytest.mark.parametrize("method", BY_DEGREE)
def test_the_score_may_be_the_degree(stars: Graph, method: str) -> None:
    found = dampen.top_nodes(stars, 2, score="degree", epsilon=10**5, budget=Budget(epsilon=10**5), method=method)
    assert found == (0, 1)


@pytest.mark.parametrize(("score", "used"), [("ego_betweenness", "level"), ("degree", "level"), ("pagerank", "global")])
def test_without_a_method_the_first_one_is_used(stars: Graph, score: str, used: str) -> None:
    posed = RECORD["top_nodes"].pose(stars, 2, epsilon=10**5, score=score)
    release = posed.release(Budget(epsilon=10**5), "")
    assert (release.value, release.mechanism) == ((0, 1), f"2 nodes by {score}, {used}")


def test_pagerank_is_one_hop_where_little_is_paid(stars: Graph) -> None:
    """The price of the graph that is looked at counts: a third where it is cut down first."""
    used = {
        (epsilon, bound): dampen.top_nodes(
            stars, 2, score="pagerank", epsilon=epsilon, budget=Budget(epsilon=20), max_degree=bound
        ).mechanism
        for epsilon, bound in (("4.99", None), (5, None), (14, 100), (15, 100))
    }
    assert [name.rpartition(", ")[2] for name in used.values()] == ["one_hop", "global", "one_hop", "global"]


@pytest.mark.parametrize("method", CENTRALITIES["core"].methods)
def test_the_score_may_be_the_core_number(method: str) -> None:
    """A clique of five and a star of fifty leaves: the clique is dense."""
    src, dst = np.triu_indices(5, 1)
    graph = Graph.from_edges([*src, *[5] * 50], [*dst, *range(6, 56)], nodes=56)
    found = dampen.top_nodes(graph, 5, score="core", epsilon=10**4, budget=Budget(epsilon=10**4), method=method)
    assert set(found) == {0, 1, 2, 3, 4}


def test_the_command_knows_every_score_and_method() -> None:
    assert [name.value.replace("-", "_") for name in ScoreName] == list(CENTRALITIES)
    assert [name.value.replace("-", "_") for name in MethodName] == [*BY_EGO_BETWEENNESS, "one_hop", "global"]


def test_pairwise_is_for_one_node(stars: Graph, untouched: Budget, refused: Refused) -> None:
    assert dampen.top_nodes(stars, 1, epsilon=10**6, budget=Budget(epsilon=10**6), method="pairwise") == (0,)
    with refused(ParameterError, "k must be 1", "2"):
        dampen.top_nodes(stars, 2, epsilon=1, budget=untouched, method="pairwise")


def test_labels_come_back() -> None:
    graph = Graph.from_edges(["ann"] * 3, ["bob", "cy", "dee"], nodes=["ann", "bob", "cy", "dee"])
    assert dampen.top_nodes(graph, 1, epsilon=10**4, budget=Budget(epsilon=10**4), method="degree") == ("ann",)


def test_with_a_degree_bound_every_graph_is_cut_and_a_third_is_spent_on_the_draw(
    stars: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[Any, ...]] = []

    def prepare(_: Method, graph: Graph, k: int, rate: Fraction, terms: Terms) -> Draw:
        seen.append((rate, int(graph.degrees().max()), terms.max_degree))
        return lambda source: tuple(range(k))

    monkeypatch.setitem(LISTS, "level", prepare)
    for bound in (None, 1000, 20):
        dampen.top_nodes(stars, 2, epsilon=3, budget=Budget(epsilon=3), max_degree=bound)
    assert seen == [(3, 60, None), (1, 60, 1000), (1, 20, 20)]


def test_methods_that_take_a_shift_are_those_whose_law_it_changes(stars: Graph) -> None:
    taking = set()
    for centrality in CENTRALITIES.values():
        for name, method in centrality.methods.items():
            drawn = [draw_shifted(method, stars, shift) for shift in (0, 1000)]
            assert method.takes_shift == (drawn[0] != drawn[1]), name
            taking |= {name} if method.takes_shift else set()
    assert taking == {"codegree_dampening", "one_shot_local_dampening"}
    for name in taking:
        dampen.top_nodes(stars, 1, epsilon=1, budget=Budget(epsilon=1), method=name, shift=1000)


def draw_shifted(method: Method, graph: Graph, shift: int) -> list[list[int]]:
    """Seeded draws from the law of a method; that of ``level``, which is made while it is drawn, has no shift."""
    if method.law not in MECHANISMS:
        return []
    ranking = method.rank(graph, Terms(shift=shift))
    mechanism = MECHANISMS[method.law](ranking, 1, Fraction(1))
    drawn: list[list[int]] = mechanism.simulate(ranking.problem.as_public(), np.random.default_rng(0), 500).tolist()
    return drawn


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"k": 0}, "k must be"),
        ({"k": 10**6}, "k must not exceed"),
        ({"method": "best"}, "method must be one of"),
        ({"score": "fame"}, "score must be one of"),
        ({"score": "degree", "method": "shifted"}, "method must be one of"),
        ({"epsilon": 0}, "epsilon must be positive"),
        ({"max_degree": 0}, "max_degree"),
        ({"method": "codegree_dampening", "shift": "far"}, "shift"),
        ({"method": "one_shot_local_dampening", "shift": "far"}, "shift"),
        ({"shift": "far"}, "shift"),
        ({"shift": 1}, "shift must be left out with a method that has none; got 1"),
        ({"method": "shifted", "shift": "-1/2"}, "shift must be left out with a method that has none; got '-1/2'"),
        ({"score": "pagerank", "shift": 10}, "shift must be left out with a method that has none; got 10"),
        ({"graph": "edges.txt"}, "graph must be a dampen.Graph (Graph.from_edges"),
        ({"graph": {"a": [1], "b": [2]}}, "graph must be a dampen.Graph (Graph.from_edges"),
        ({"graph": None}, "graph must be a dampen.Graph"),
    ],
    ids=str,
)
def test_a_refusal_is_one_line_and_costs_nothing(
    stars: Graph, untouched: Budget, refused: Refused, options: dict[str, Any], shown: str
) -> None:
    asked: dict[str, Any] = {"graph": stars, "k": 2, "epsilon": 1, **options}
    with refused(ParameterError, shown):
        dampen.top_nodes(asked.pop("graph"), asked.pop("k"), budget=untouched, **asked)


def test_a_graph_without_edges_is_answered() -> None:
    empty = Graph.from_edges([], [], nodes=5)
    for method in [method for method in BY_EGO_BETWEENNESS if method != "pairwise"]:
        found = dampen.top_nodes(empty, 2, epsilon=1, budget=Budget(epsilon=1), method=method)
        assert len(set(found)) == 2


# The command


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    path = tmp_path / "edges.txt"
    path.write_text("# a star\n" + "".join(f"0 {leaf}\n" for leaf in range(1, 40)))
    return path


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, ["top-nodes", *map(str, arguments)])


def test_the_command_tells_labels_on_lines(edges: Path) -> None:
    done = run(edges, "--nodes", 50, "--k", 1, "--epsilon", 10000)
    assert (done.exit_code, done.stdout) == (0, "0\n")
    assert "nothing remembers" in done.stderr
    answer = json.loads(run(edges, "--nodes", 50, "--k", 2, "--epsilon", 1, "--method", "degree", "--json").stdout)
    assert answer["loss"] == {"epsilon": "1", "delta": "0", "adjacency": "edge", "unit": "edge"}
    assert len(answer["value"]) == 2


def test_nodes_from_edges_says_what_it_publishes(edges: Path, tmp_path: Path) -> None:
    done = run(edges, "--nodes-from-edges", "--k", 1, "--epsilon", 10000)
    assert (done.exit_code, done.stdout) == (0, "0\n")
    assert "which nodes have an edge is published" in done.stderr
    table = tmp_path / "edges.csv"
    table.write_text("a,b\nann,bob\nann,cy\nann,dee\n")
    done = run(table, "--src", "a", "--dst", "b", "--nodes-from-edges", "--k", 1, "--epsilon", 10000)
    assert done.stdout == "ann\n"


def test_a_filter_leaves_some_edges(tmp_path: Path) -> None:
    table = tmp_path / "edges.csv"
    table.write_text("a,b,year\n0,1,1\n0,2,1\n0,3,1\n0,4,1\n5,6,2\n5,7,2\n5,8,2\n")
    asked = (table, "--src", "a", "--dst", "b", "--nodes", 9, "--k", 1, "--epsilon", 10000)
    assert run(*asked).stdout == "0\n"
    assert run(*asked, "--where", "year=2").stdout == "5\n"


def test_labels_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("ann\nbob\ncy\ndee\n")
    (tmp_path / "edges.txt").write_text("ann bob\nann cy\nann dee\n")
    done = run(tmp_path / "edges.txt", "--nodes", tmp_path / "names.txt", "--k", 1, "--epsilon", 10000)
    assert done.stdout == "ann\n"


def test_the_ledger_pays(edges: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.db"
    Budget.open(study, epsilon=1).close()
    options = (edges, "--nodes", 50, "--k", 1, "--epsilon", 1, "--budget", study, "--note", "hubs")
    assert run(*options).exit_code == 0
    ledger = Budget.open(study)
    assert ([p.note for p in ledger.summary().purposes], ledger.unit) == (["hubs"], "edge")
    ledger.close()
    assert isinstance(run(*options).exception, BudgetError)


def test_the_command_refuses_a_method_in_its_own_words(edges: Path) -> None:
    done = run(edges, "--nodes", 50, "--k", 1, "--epsilon", 1, "--score", "pagerank", "--method", "permute-and-flip")
    assert isinstance(done.exception, ParameterError)
    assert str(done.exception) == "method must be one of 'one-hop', 'global'; got 'permute-and-flip'"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--k", "1"), ParameterError),
        (("--k", "1", "--nodes", "50", "--where", "year=1"), ParameterError),
        (("--k", "1", "--nodes", "50", "--engine", "spark"), ParameterError),
        (("--k", "1", "--nodes", "50", "--nodes-from-edges"), ParameterError),
        (("--k", "1", "--nodes", "5"), DataError),
        (("--k", "99", "--nodes", "50"), ParameterError),
        (("--k", "1", "--nodes", "nowhere.txt"), ParameterError),
    ],
    ids=str,
)
def test_errors_are_one_line_without_data(edges: Path, options: tuple[str, ...], error: type[DampenError]) -> None:
    done = run(edges, "--epsilon", 1, *options)
    assert isinstance(done.exception, error)
    [line] = str(done.exception).splitlines()
    assert len(line) < 300
