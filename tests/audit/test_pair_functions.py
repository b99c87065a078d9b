"""A query's own pair function: the exact sensitivity of every difference of utilities, tighter than the sum."""

from functools import cache

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import AuditReport, audit_selection
from dampen.mechanisms import Exponential, PairwiseDampening, PermuteAndFlip
from dampen.sensitivity import PairTable, RungTable
from dampen.vectors import Floats
from tests.audit.universes.database_graphs import DatabaseGraph, random_graph

NODES, SIZE, FLOOR = 8, 3, 1 / 16
SEEDS = range(40)


@cache
def graph_of(seed: int) -> tuple[DatabaseGraph, Floats]:
    """A graph, and its rungs of u_q - u_r indexed [t, x, r, q], as far as the whole graph reaches."""
    graph = random_graph(seed, NODES, SIZE, monotone=False)
    differences = (graph.utilities[:, None, :] - graph.utilities[:, :, None]).reshape(NODES, SIZE * SIZE)
    rungs = DatabaseGraph(differences, graph.neighbours).rungs(NODES + 1)
    return graph, np.maximum(rungs, FLOOR).reshape(NODES + 1, NODES, SIZE, SIZE)


def problem_of(x: tuple[int, int], rows: int = NODES + 1) -> SelectionProblem:
    seed, node = x
    graph, pair_rungs = graph_of(seed)
    own = graph.rungs(NODES + 1)
    bound = max(float(own.max()), 1.0)
    sensitivity = RungTable(own[:, node], bound=bound)
    sensitivity.pairs = PairTable(pair_rungs[:rows, node])
    frame = Frame(range(SIZE), bound=bound, adjacency=Adjacency.REPLACE)
    return SelectionProblem(frame, graph.utilities[node], sensitivity)


def audit(mechanism: PairwiseDampening, rows: int = NODES + 1) -> AuditReport:
    return audit_selection(
        mechanism,
        lambda x: problem_of(x, rows),
        [(seed, node) for seed in SEEDS for node in range(NODES)],
        lambda x: [(x[0], other) for other in graph_of(x[0])[0].neighbours[x[1]]],
    )


@pytest.mark.parametrize("score", ["margin", "clipped"])
@pytest.mark.parametrize("law", [Exponential, PermuteAndFlip])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_claims_hold(score: str, law: type[Exponential] | type[PermuteAndFlip], epsilon: str) -> None:
    report = audit(PairwiseDampening(epsilon, score=score, law=law))  # type: ignore[arg-type]
    assert report.passed, str(report)
    assert report.pairs > 250


def test_the_audit_comes_close_to_the_claim() -> None:
    assert audit(PairwiseDampening(1)).worst_log_ratio > 0.9


def test_the_first_rung_alone_is_caught() -> None:
    report = audit(PairwiseDampening(1), rows=1)
    assert report.breaches == ("epsilon",)


def test_the_pair_function_is_what_is_read() -> None:
    """Tighter than the sum of the two, so the winner leads by more."""
    gains = []
    for seed in SEEDS:
        problem = problem_of((seed, 0))
        plain = SelectionProblem(
            problem.frame,
            problem.utilities,
            RungTable(graph_of(seed)[0].rungs(9)[:, 0], bound=problem.frame.bound or 1),
        )
        own, summed = (np.asarray(PairwiseDampening(1).scores(each)) for each in (problem, plain))
        gains.append(own.max() - summed.max())
    assert max(gains) > 0.5
