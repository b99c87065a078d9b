"""``top_nodes(..., with_scores=True)``: the largest of all noisy scores, what they cost, and how far they are off."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import dampen
from dampen import Budget, Graph
from dampen.audit import ScriptedEntropy
from dampen.cli.app import app
from dampen.errors import ParameterError
from dampen.mechanisms import LaplaceCounts
from dampen.mechanisms.noise_errors import ChosenNoiseAccuracy, NoiseAccuracy
from dampen.privacy import GroupRelease
from dampen.queries.graph.centralities import CENTRALITIES, Terms
from dampen.queries.graph.rank_problems import pagerank_problem
from dampen.questions import node_lists
from dampen.questions.node_lists import prepare_with_scores, steps_to_tell
from dampen.questions.record import RECORD
from tests.conftest import Refused

SURE = 10**6
TELLING = [("degree", "level"), ("degree", "degree"), ("pagerank", "one_hop"), ("pagerank", "global")]
each_way = pytest.mark.parametrize(("score", "method"), TELLING)


@pytest.fixture(scope="module")
def stars() -> Graph:
    """Three stars of 60, 50 and 40 leaves, and four nodes that are alone: the centres are a, b and c."""
    leaves = [60, 50, 40]
    labels = ["a", "b", "c", *(f"leaf {place}" for place in range(sum(leaves) + 4))]
    return Graph.from_edges(np.repeat(["a", "b", "c"], leaves), labels[3:-4], nodes=labels)


def exact_scores(graph: Graph, score: str, method: str) -> Any:
    if method == "one_hop":
        degrees = graph.degrees()
        rows = np.repeat(np.arange(graph.nodes), degrees)
        return np.bincount(rows, weights=1 / degrees[graph.neighbours], minlength=graph.nodes)
    return graph.degrees() if score == "degree" else graph.pagerank()


@each_way
def test_scores_come_with_the_list_at_no_further_price(stars: Graph, score: str, method: str) -> None:
    budget = Budget(epsilon=SURE)
    asked: dict[str, Any] = {"score": score, "method": method, "epsilon": SURE, "budget": budget}
    release = dampen.top_nodes(stars, 3, **asked, with_scores=True)
    assert isinstance(release, GroupRelease)
    assert list(release) == ["a", "b", "c"]
    assert budget.spent.epsilon == release.loss.epsilon == SURE
    right = exact_scores(stars, score, method)[:3]
    for label, value in zip(release, right, strict=True):
        assert abs(release[label].value - value) <= release[label].error() < 0.01
        assert isinstance(release[label].value, int if score == "degree" else float)
    assert release.mechanism == f"3 nodes by {score}, {method}, with scores"


def test_the_error_says_whose_scores_were_told(stars: Graph) -> None:
    """Below epsilon 5 the default tells one-hop scores: by its own PageRank a node may be off by more."""
    told = {
        (score, epsilon): dampen.top_nodes(
            stars, 3, score=score, epsilon=epsilon, budget=Budget(epsilon=5), with_scores=True
        ).error()
        for score, epsilon in (("pagerank", 1), ("pagerank", 5), ("degree", 1))
    }
    units = {"pagerank": {1: "one-hop PageRank", 5: "PageRank"}, "degree": {1: "edges"}}
    for (score, epsilon), error in told.items():
        assert error.unit == units[score][epsilon]
        assert f" {error.unit} with probability 95 %" in str(error)


@each_way
def test_they_are_the_largest_of_all_noisy_scores(stars: Graph, score: str, method: str, monkeypatch: Any) -> None:
    """The vector that was drawn is told for the k largest alone; equal ones in the public order of nodes."""
    drawn: list[Any] = []
    honest = LaplaceCounts.draw

    def overheard(self: LaplaceCounts, problem: Any, source: Any) -> Any:
        drawn.append(honest(self, problem, source))
        return drawn[-1]

    monkeypatch.setattr(LaplaceCounts, "draw", overheard)
    found = dampen.top_nodes(
        stars, 7, score=score, method=method, epsilon=1, budget=Budget(epsilon=1), with_scores=True
    ).value
    [noisy] = drawn
    order = sorted(range(stars.nodes), key=lambda place: (-int(noisy[place]), place))[:7]
    assert list(found) == [stars.labels[place] for place in order]
    ranking = CENTRALITIES[score].methods[method].rank(stars, Terms())
    assert ranking.unit is not None
    told = max(ranking.unit, node_lists.FINEST_TOLD)
    assert list(found.values()) == [int(noisy[place]) * told for place in order]


@each_way
def test_the_error_is_that_of_the_largest_noise(stars: Graph, score: str, method: str) -> None:
    """Chosen by what came out, so no noise of any node may exceed it: seeded simulation of the law, and its tail."""
    way = CENTRALITIES[score].methods[method]
    _, accuracy = prepare_with_scores(way, stars, 3, Fraction(1), Terms())
    rng = np.random.default_rng(5)
    noise = np.abs(accuracy.noise.simulate(rng, 4000 * stars.nodes)).reshape(4000, -1) * float(accuracy.resolution)
    largest = noise.max(axis=1)
    share = (largest <= accuracy.bound("0.9")).mean()
    assert 0.88 < share < 0.95
    assert (noise[:, 0] <= accuracy.bound("0.9")).mean() > 0.999, (
        "the error of a node that was named beforehand is less"
    )


@each_way
def test_the_error_holds_what_scores_are_off_without_noise(stars: Graph, score: str, method: str) -> None:
    """One-hop votes were rounded down, each by less than 2^-40; PageRank ends; both are rounded to steps of 2^-30."""
    n, step = stars.nodes, Fraction(1, 2**30)
    grid = {"one_hop": Fraction(n, 2**40), "global": pagerank_problem(stars.offsets, stars.neighbours).off}
    off = 0 if score == "degree" else grid[method] + step
    posed = RECORD["top_nodes"].pose(stars, 1, score=score, method=method, epsilon=1, with_scores=True)
    told = posed.accuracy_before
    assert isinstance(told, ChosenNoiseAccuracy)
    steps = told.noise.size_exceeded_with(Fraction(1, 20) / n)
    assert told.bound() == float(steps * (1 if score == "degree" else step) + off)


def test_the_guide_tells_the_error_of_all_nodes_and_of_one_named_beforehand() -> None:
    """Of as many nodes as Enron has: no edge decides it."""
    page = " ".join((Path(__file__).parents[3] / "docs" / "graphs.md").read_text().split())
    [(nodes, largest, named)] = re.findall(r"on ([\d,]+) nodes at epsilon 1 .*? at most (\S+) .*? off by (\d+)\.", page)
    graph = Graph.from_edges([], [], nodes=int(nodes.replace(",", "")))
    posed = RECORD["top_nodes"].pose(graph, 3, score="pagerank", epsilon=1, with_scores=True)
    told = posed.accuracy_before
    assert isinstance(told, ChosenNoiseAccuracy)
    assert told.statement().startswith(f"off by at most {largest} one-hop PageRank")
    assert f"{NoiseAccuracy(told.noise, told.resolution, rounding=told.rounding).bound():.0f}" == named


def test_the_price_is_that_of_the_rounding_too(stars: Graph) -> None:
    """Units of 2^-40 become steps of 2^-30: 2^10 units each, and one step for every node."""
    posed = RECORD["top_nodes"].pose(stars, 1, score="pagerank", epsilon=1, with_scores=True)
    assert posed.accuracy_before is not None
    noise = posed.accuracy_before.noise  # type: ignore[attr-defined]
    n = stars.nodes
    assert noise.rate == Fraction(1, 2 * 2**30 + -(-2 * n // 2**10) + n)
    assert steps_to_tell(Fraction(1, 2**40), Fraction(2000)) == 2**13, "2^-27: the noise is 1000 times as large"
    assert steps_to_tell(Fraction(1, 2**20), Fraction(2)) == 1


@pytest.mark.parametrize(("score", "method"), [("degree", "degree"), ("pagerank", "one_hop"), ("pagerank", "global")])
def test_a_step_may_be_larger_than_any_score(stars: Graph, score: str, method: str) -> None:
    """At the least price a step does not fit 64 bits: all scores are in the first one, and noise is still paid for."""
    asked: dict[str, Any] = {"score": score, "method": method, "epsilon": "1e-60", "with_scores": True}
    posed = RECORD["top_nodes"].pose(stars, 2, **asked)
    assert posed.accuracy_before is not None
    assert posed.accuracy_before.noise.rate == Fraction(1, 10**60 * (1 + stars.nodes))  # type: ignore[attr-defined]
    assert len(posed.release(Budget(epsilon=1), "")) == 2


def test_an_error_is_told_before_and_after(stars: Graph) -> None:
    posed = RECORD["top_nodes"].pose(stars, 2, score="pagerank", epsilon=1, with_scores=True)
    release = posed.release(Budget(epsilon=1), "")
    assert posed.accuracy_before is not None
    assert float(release.error()) == posed.accuracy_before.bound()
    assert "off by at most" in str(release)
    told = release.as_dict()
    assert [row["group"] for row in told["value"]] == list(release)
    assert told["value"][0]["error"]["bound"] == float(release.error())


def test_scores_are_told_of_what_is_proved_to_tell_them(stars: Graph, untouched: Budget, refused: Refused) -> None:
    asked: dict[str, Any] = {"epsilon": 1, "budget": untouched, "with_scores": True}
    others: list[dict[str, Any]] = [
        *({"method": method} for method in ("level", "degree", "exponential", "one_shot_laplace")),
        {"score": "degree", "method": "exponential"},
        {"score": "core"},
    ]
    for more in others:
        with refused(ParameterError, "with_scores must be left out here"):
            dampen.top_nodes(stars, 2, **asked, **more)
    with refused(ParameterError, "with_scores must be left out where max_degree is given"):
        dampen.top_nodes(stars, 2, **asked, score="pagerank", max_degree=10)
    with refused(ParameterError, "with_scores must be True or False"):
        dampen.top_nodes(stars, 2, **(asked | {"with_scores": "yes"}), score="pagerank")


def test_they_are_remembered_and_noted(stars: Graph, tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "friends.db", epsilon=10, remember=True)
    graph = stars.named("friends").paid_by(ledger)
    asked: dict[str, Any] = {"score": "pagerank", "epsilon": 1, "with_scores": True}
    first = graph.top_nodes(3, **asked)
    again = graph.top_nodes(3, **asked)
    assert (again.value, float(again.error())) == (first.value, float(first.error()))
    assert list(again) == list(first)
    assert ledger.spent.epsilon == 1
    graph.top_nodes(3, score="pagerank", epsilon=1)
    assert ledger.spent.epsilon == 2
    notes = [entry.note for entry in ledger.history() if entry.kind == "charge"]
    assert notes == ["top_nodes k=3 by 'pagerank'"] * 2
    ledger.close()


def test_a_graph_without_edges_is_answered() -> None:
    empty = Graph.from_edges([], [], nodes=5)
    for score, method in TELLING:
        asked: dict[str, Any] = {"score": score, "method": method, "epsilon": 1, "budget": Budget(epsilon=2)}
        assert len(dampen.top_nodes(empty, 2, **asked, with_scores=True)) == 2
        assert len(set(dampen.top_nodes(empty, 2, **asked))) == 2


def test_the_command_tells_them_behind_the_labels(tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    path.write_text("".join(f"0 {leaf}\n" for leaf in range(1, 40)))
    asked = ["top-nodes", str(path), "--nodes", "50", "--k", "1", "--epsilon", str(SURE), "--score", "pagerank"]
    done = CliRunner().invoke(app, [*asked, "--method", "one-hop", "--with-scores"])
    label, value = done.stdout.strip().split("\t")
    assert (done.exit_code, label, round(float(value), 1)) == (0, "0", 39)
    assert "off by at most" in done.stderr
    told = json.loads(CliRunner().invoke(app, [*asked, "--with-scores", "--json"]).stdout)
    assert told["mechanism"] == "1 nodes by pagerank, global, with scores"
    assert CliRunner().invoke(app, asked).stdout == "0\n"


def test_draws_are_decided_by_the_bits_alone(stars: Graph) -> None:
    """The same bits, the same answer; the frame of the noise is public."""
    way = CENTRALITIES["pagerank"].methods["one_hop"]
    bits = np.random.default_rng(0).integers(0, 2, 10**5).tolist()
    answers = []
    for _ in range(2):
        draw, _ = prepare_with_scores(way, stars, 3, Fraction(1), Terms())
        answers.append(draw(ScriptedEntropy(bits)))
    assert answers[0] == answers[1]
