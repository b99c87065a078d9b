"""Scores for one-shot lists: on their grid, two ends within the bound, all others within the drift."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.errors import DampenError, DataError, ParameterError
from dampen.queries.graph.ego_betweenness_rungs import EgoBetweennessRungs, ego_betweenness_bound
from dampen.queries.graph.node_problems import ONE_SHOT_SCORES, grid, one_shot_problem
from dampen.vectors import Integers
from tests.conftest import Refused
from tests.unit.queries.graph import judges as judge

ATLAS = [*graphs(largest=5, smallest=2), *graphs(largest=6, smallest=6)[::7]]
SHIFTS = ("0", "1.5")


def units(x: Graph, score: str, shift: str = "0", max_degree: int | None = None) -> tuple[Integers, int, int]:
    values = [float(value) for value in judge.ego_betweenness(x)]
    problem, drift = one_shot_problem(values, judge.degrees(x), score=score, max_degree=max_degree, shift=shift)
    assert problem.frame.bound is not None
    return np.asarray(problem.groups), int(problem.frame.bound), drift


def score_by_definition(x: Graph, score: str, shift: str) -> list[Fraction]:
    """In fractions, rung after rung."""
    n, ebc, degrees = x[0], judge.ego_betweenness(x), judge.degrees(x)
    bound = ego_betweenness_bound(n - 1)

    def rung(m: int) -> Fraction:
        return max(Fraction(m * (m - 1), 4), Fraction(m))

    if score == "plain":
        return ebc
    if score == "shifted":
        return [e + sum((bound - rung(j) for j in range(d)), Fraction(0)) for e, d in zip(ebc, degrees, strict=True)]
    out = []
    for e, d in zip(ebc, degrees, strict=True):
        gap, t = abs(e - Fraction(shift)), 0
        while gap >= (step := max(min(rung(d + t), bound), Fraction(1))):
            gap, t = gap - step, t + 1
        out.append((t + gap / step) * (1 if e >= Fraction(shift) else -1))
    return out


@pytest.mark.parametrize("score", ONE_SHOT_SCORES)
@pytest.mark.parametrize("shift", SHIFTS)
def test_scores_are_the_definition_rounded_down_to_the_grid(score: str, shift: str) -> None:
    for x in ATLAS[::3]:
        unit = Fraction(1, 2**20) if score == "local_dampening" else grid(ego_betweenness_bound(x[0] - 1))
        found = units(x, score, shift)[0]
        for utility, exact in zip(found.tolist(), score_by_definition(x, score, shift), strict=True):
            assert -Fraction(1, 4) <= exact / unit - utility <= 2


@pytest.mark.parametrize("score", ONE_SHOT_SCORES)
@pytest.mark.parametrize("shift", SHIFTS)
def test_an_edge_moves_its_ends_by_the_bound_and_all_others_within_the_drift(score: str, shift: str) -> None:
    """All graphs up to five nodes and every seventh of six; ends and others come near what is promised."""
    ends, others = 0.0, 0.0
    for x in ATLAS:
        before, bound, drift = units(x, score, shift)
        for y, edge in judge.added(x):
            after, *public = units(y, score, shift)
            assert public == [bound, drift]
            change = after - before
            rest = np.delete(change, edge)
            assert np.abs(change).max() <= bound
            assert rest.size == 0 or (rest.min() >= 1 - drift and rest.max() <= 1)
            ends = max(ends, np.abs(change[list(edge)]).max() / bound)
            others = max(others, float(np.abs(rest).max(initial=0)) / drift)
    assert ends > 0.9
    assert others > 0.6


@pytest.mark.parametrize("score", ONE_SHOT_SCORES)
def test_with_a_degree_bound(score: str) -> None:
    """Graphs of six nodes whose degrees stay within 3, before and after."""
    for x in graphs(largest=6, smallest=6)[::5]:
        if max(judge.degrees(x)) > 3:
            continue
        before, bound, drift = units(x, score, max_degree=3)
        for y, edge in judge.added(x):
            if max(judge.degrees(y)) <= 3:
                change = units(y, score, max_degree=3)[0] - before
                rest = np.delete(change, edge)
                assert np.abs(change).max() <= bound
                assert rest.min() >= 1 - drift
                assert rest.max() <= 1


@pytest.mark.parametrize("n", [3, 100, 36_692, 2**20])
def test_bound_and_drift_are_public_and_the_bound_has_about_a_million_units(n: int) -> None:
    """The price of k nodes, 2 bound + k drift, is hardly more than 2 bound where n is large."""
    degrees = np.zeros(n, dtype=np.int64)
    for score in ONE_SHOT_SCORES[:2]:
        problem, drift = one_shot_problem(np.zeros(n), degrees, score=score)
        assert 2**20 <= problem.frame.bound <= 2**21 + 3  # type: ignore[operator]
        height = ego_betweenness_bound(n - 1)
        assert drift == pytest.approx(float(Fraction(n - 1, 2) / grid(height)), abs=3)
        assert np.asarray(problem.groups).dtype == np.int64


def test_hubs_of_a_large_graph_are_scored_exactly() -> None:
    n, d = 2**20, 2**20 - 1
    degrees = np.full(n, 1, dtype=np.int64)
    degrees[0] = d
    values = np.zeros(n)
    values[0] = float(d * (d - 1) // 2)
    problem, _ = one_shot_problem(values, degrees, score="shifted")
    height = ego_betweenness_bound(n - 1)
    sums = 10 + sum(Fraction(j * (j - 1), 4) for j in range(5, 200))
    assert sums == 5 + Fraction(200 * 199 * 198, 12)
    exact = Fraction(d * (d - 1), 2) + d * height - 5 - Fraction(d * (d - 1) * (d - 2), 12)
    assert -Fraction(1, 4) <= exact / grid(height) - int(np.asarray(problem.groups)[0]) <= 2


def test_dampened_scores_are_those_of_the_rungs() -> None:
    rungs = EgoBetweennessRungs([40, 3, 0], [40, 3, 0], max_degree=99)
    values = np.array([700.0, 2.0, 0.0])
    degrees = np.concatenate([[40, 3, 0], np.zeros(97, dtype=np.int64)])
    padded = np.concatenate([values, np.zeros(97)])
    problem, _ = one_shot_problem(padded, degrees, score="local_dampening", shift=300)
    assert np.asarray(problem.groups)[:3] / 2**20 == pytest.approx(rungs.inverse(values, Fraction(300)), abs=2**-19)


@pytest.mark.parametrize(
    ("options", "error", "shown"),
    [
        ({"score": "best"}, ParameterError, "score must be one of"),
        ({"score": "plain", "max_degree": 0}, ParameterError, "max_degree"),
        ({"score": "plain", "max_degree": 1}, DataError, "degrees must not exceed"),
        ({"score": "local_dampening", "shift": "far"}, ParameterError, "shift"),
    ],
    ids=str,
)
def test_refusals(options: dict[str, Any], error: type[DampenError], shown: str, refused: Refused) -> None:
    with refused(error, shown):
        one_shot_problem([1.0, 0.0, 0.0], [2, 1, 1], **options)
