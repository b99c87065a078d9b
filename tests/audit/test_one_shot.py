"""One-shot lists by ego betweenness: the law of the ordered top two on all small graphs, and the controls."""

import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import edge_neighbours, graphs
from dampen.audit.neighbours import Graph
from dampen.mechanisms import LaplaceTopK
from dampen.queries.graph.node_problems import ONE_SHOT_SCORES, one_shot_problem
from tests.audit.universes.base import Universe
from tests.unit.queries.graph import judges as judge


def asked(x: Graph, score: str) -> tuple[SelectionProblem, int]:
    return one_shot_problem([float(v) for v in judge.ego_betweenness(x)], judge.degrees(x), score=score)


def universe(score: str, n: int) -> tuple[Universe, int]:
    every = graphs(largest=n, smallest=n)
    label = f"{score}, graphs of {n} nodes"
    return Universe(label, lambda x: asked(x, score)[0], every, edge_neighbours), asked(every[0], score)[1]


@pytest.mark.parametrize("score", ONE_SHOT_SCORES)
@pytest.mark.parametrize(("n", "k"), [(4, 1), (4, 2), (4, 3)])
def test_ordered_lists_hold_their_claim(score: str, n: int, k: int) -> None:
    """With the width that follows from two movers and the drift, not with that of utilities that may all move."""
    atlas, drift = universe(score, n)
    mechanism = LaplaceTopK(k, 2, movers=2, drift=drift)
    frame = atlas.problem_of(atlas.data_sets[0]).frame
    assert k < 3 or mechanism.width(frame) < LaplaceTopK(k, 2).width(frame)
    report = atlas.audit(mechanism)
    assert report.passed, str(report)
    assert report.worst_log_ratio > 0.4


def test_one_mover_is_too_few_for_the_shifted_score() -> None:
    """The control: both ends of an edge rise by nearly the bound."""
    report = universe("shifted", 4)[0].audit(LaplaceTopK(3, 2, movers=1))
    assert report.breaches == ("epsilon",)


@pytest.mark.parametrize("score", ONE_SHOT_SCORES)
def test_a_bound_of_a_quarter_is_caught(score: str) -> None:
    def understated(x: Graph) -> SelectionProblem:
        problem = asked(x, score)[0]
        frame = Frame(problem.frame.candidates, int(problem.frame.bound or 0) // 4, Adjacency.EDGE)
        return SelectionProblem(frame, problem.utilities)

    atlas = Universe(f"{score}, understated", understated, graphs(largest=4, smallest=4), edge_neighbours)
    assert atlas.audit(LaplaceTopK(2, 2, movers=1)).breaches == ("epsilon",)
