"""Degrees and ego betweenness: exact changes by one edge, bounds, admissible rungs, the range score."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency
from dampen.audit import edge_neighbours, graphs
from dampen.audit.neighbours import Graph
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import Exponential, LocalDampening, ShiftedLocalDampening
from dampen.queries import degree_problem, ego_betweenness_problem, ego_betweenness_range_problem
from dampen.queries.graph.ego_betweenness_rungs import EgoBetweennessRungs, ego_betweenness_bound
from dampen.queries.graph.node_problems import shift_sums
from dampen.sensitivity import DegreeLike
from dampen.sensitivity.base import SensitivityFunction
from tests.conftest import Refused
from tests.unit.queries.graph import judges as judge

ATLAS = graphs(largest=6, smallest=2)
LARGER = [graph for graph in graphs(largest=7, smallest=7) if len(graph[1]) % 3 == 0]


def dl(m: int) -> Fraction:
    return max(Fraction(m * (m - 1), 4), Fraction(m))


def floats(values: list[Fraction]) -> list[float]:
    return [float(value) for value in values]


def test_the_judge_agrees_with_betweenness_of_ego_networks() -> None:
    for nodes, edges in ATLAS[::5]:
        graph = nx.Graph(list(edges))
        graph.add_nodes_from(range(nodes))
        found = judge.ego_betweenness((nodes, edges))
        for v in range(nodes):
            ego = nx.betweenness_centrality(nx.ego_graph(graph, v), normalized=False)[v]
            assert float(found[v]) == pytest.approx(ego, abs=1e-12)


@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_the_bound_is_the_exact_global_sensitivity(n: int) -> None:
    largest = Fraction(0)
    for x in graphs(largest=n, smallest=n):
        before = judge.ego_betweenness(x)
        for y, _ in judge.added(x):
            largest = max(largest, *(abs(b - a) for a, b in zip(before, judge.ego_betweenness(y), strict=True)))
    assert largest == ego_betweenness_bound(n - 1)


def test_the_published_global_sensitivities() -> None:
    """With the largest degree of Enron, DBLP and GitHub in place of K - 1, as printed (two of them swapped)."""
    assert [ego_betweenness_bound(k + 1) for k in (1383, 343, 9458)] == [477826.5, 29326.5, 22361076.5]


@pytest.mark.parametrize("x", ATLAS[::3], ids=str)
def test_changes_stay_within_the_lemma(x: Graph) -> None:
    near, before = judge.neighbour_sets(x), judge.ego_betweenness(x)
    for y, (p, q) in judge.added(x):
        after, shared = judge.ego_betweenness(y), len(near[p] & near[q])
        for v in range(x[0]):
            change, d = after[v] - before[v], len(near[v])
            if v in (p, q):
                assert -Fraction(shared * (shared - 1), 4) <= change <= d - shared
            else:
                assert -Fraction(d, 2) <= change <= 0
                assert change == 0 or {p, q} <= near[v]


@pytest.mark.parametrize("tight", [False, True], ids=["published", "co-degree"])
def test_rungs_are_admissible_on_the_atlas(tight: bool) -> None:
    """Also on a third of the graphs of seven nodes, where max(q, d) leaves the straight line."""
    for x in [*ATLAS, *LARGER[:60]]:
        rungs_x, ebc = rungs(x, tight), floats(judge.ego_betweenness(x))
        for y in edge_neighbours(x):
            other = rungs(y, tight)
            moved = np.abs(np.array(ebc) - floats(judge.ego_betweenness(y)))
            assert (rungs_x.at(0) >= moved - 1e-12).all(), (x, y)
            for t in range(5):
                assert (rungs_x.at(t + 1) >= other.at(t)).all(), (x, y, t)


def rungs(x: Graph, tight: bool) -> EgoBetweennessRungs:
    d = judge.degrees(x)
    return EgoBetweennessRungs(d, judge.codegrees(x) if tight else d, max_degree=x[0] - 1)


nodes_of_degree = st.integers(0, 40).flatmap(lambda d: st.tuples(st.just(d), st.integers(0, d)))


@given(st.lists(nodes_of_degree, min_size=1, max_size=5), st.integers(0, 60), st.floats(-1e4, 1e4))
def test_closed_forms_are_the_generic_loops(pairs: list[tuple[int, int]], more: int, gap: float) -> None:
    d, w = zip(*pairs, strict=True)
    function = EgoBetweennessRungs(d, w, max_degree=max(d) + more)
    height = float(ego_betweenness_bound(max(d) + more))
    for t in (0, 1, 2, 7, 30, 90):
        naive = [min(height, max(b * (b - 1) / 4, a)) for a, b in zip(np.add(d, t), np.add(w, t), strict=True)]
        assert function.at(t).tolist() == naive
        assert function.cumulative(t) == pytest.approx(SensitivityFunction.cumulative(function, t), rel=1e-13)
    assert (function.at(function.saturation) == height).all()
    u = np.full(len(d), gap)
    assert function.inverse(u) == pytest.approx(SensitivityFunction.inverse(function, u), rel=1e-12, abs=1e-12)
    level = Fraction(7, 2)
    assert function.inverse(u, level) == pytest.approx(SensitivityFunction.inverse(function, u, level), rel=1e-12)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=6), st.floats(-1e4, 1e4))
def test_with_co_degrees_equal_to_degrees_it_is_a_function_of_one_number(d: list[int], gap: float) -> None:
    values = [float(dl(m)) for m in range(30)]
    one = EgoBetweennessRungs(d, d, max_degree=30)
    other = DegreeLike(d, values, ego_betweenness_bound(30), floor=1)
    u = np.full(len(d), gap)
    assert one.inverse(u) == pytest.approx(other.inverse(u), rel=1e-12, abs=1e-12)
    assert one.cumulative(25) == pytest.approx(other.cumulative(25), rel=1e-13)


def test_the_published_function_dampens_to_less_than_two() -> None:
    """Why local dampening with it cannot tell nodes apart: EBC <= C(d, 2) is less than two rungs."""
    d = np.arange(200)
    assert EgoBetweennessRungs(d, d, max_degree=500).inverse((d * (d - 1) / 2).astype(np.float64)).max() < 2


@pytest.mark.parametrize("x", ATLAS[::7], ids=str)
def test_shifted_dampening_has_the_closed_form_of_the_theory(x: Graph) -> None:
    n, d, ebc = x[0], np.array(judge.degrees(x)), floats(judge.ego_betweenness(x))
    problem = ego_betweenness_problem(ebc, d)
    height, largest = float(ego_betweenness_bound(n - 1)), max(n - 2, 1)
    m = np.minimum(d, largest)
    expected = np.array(ebc) + m * height - shift_sums(m)
    scores = np.asarray(ShiftedLocalDampening(1, horizon=n - 1).scores(problem))
    assert scores - scores[0] == pytest.approx(expected - expected[0], abs=1e-12)


def test_shift_sums_are_sums() -> None:
    assert shift_sums(np.arange(40)).tolist() == [float(sum(map(dl, range(m)))) for m in range(40)]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_the_range_score_moves_within_its_bound(n: int) -> None:
    """Every utility by at most the bound, and the width of all changes of a pair is attained at n = 6."""
    widest, bound = 0.0, float(ego_betweenness_bound(n - 1))
    for x in graphs(largest=n, smallest=n):
        before = range_utilities(x)
        for y, _ in judge.added(x):
            change = range_utilities(y) - before
            assert np.abs(change).max() <= bound + 1e-12
            widest = max(widest, float(change.max() - change.min()))
    assert widest <= 2 * bound + 1e-12
    assert n < 4 or widest > 0.9 * 2 * bound - n / 2


def range_utilities(x: Graph) -> Any:
    return ego_betweenness_range_problem(floats(judge.ego_betweenness(x)), judge.degrees(x)).groups


def test_the_range_score_has_nearly_twice_the_slope_in_the_degree() -> None:
    d = np.array([60, 10, *[0] * 100])
    by_range = ego_betweenness_range_problem(np.zeros(102), d)
    by_shift = ShiftedLocalDampening(1, horizon=101).scores(ego_betweenness_problem(np.zeros(102), d))
    slope = (by_range.groups[0] - by_range.groups[1]) / (np.asarray(by_shift)[0] - np.asarray(by_shift)[1])
    assert slope > 1.9
    assert Exponential(1).privacy(by_range.frame).epsilon == 1


def test_degrees_are_whole_monotone_and_of_bound_one() -> None:
    for x in ATLAS[::4]:
        problem = degree_problem(judge.degrees(x))
        assert problem.integral
        assert problem.frame.monotone
        assert problem.frame.adjacency is Adjacency.EDGE
        for y, _ in judge.added(x):
            change = degree_problem(judge.degrees(y)).groups - problem.groups
            assert sorted(change.tolist()) == [0] * (x[0] - 2) + [1, 1]


def test_labels_and_frames() -> None:
    problem = ego_betweenness_problem([0, 0.5, 0], [1, 2, 1], nodes=("a", "b", "c"), codegrees=[1, 0, 1])
    assert problem.frame.candidates == ("a", "b", "c")
    assert problem.frame.bound == 1
    assert (problem.frame.monotone, problem.frame.adjacency) == (False, Adjacency.EDGE)
    assert LocalDampening(1).scores(problem).tolist() == [0, 0.5, 0]  # type: ignore[union-attr]
    lonely = ego_betweenness_problem([0.0], [0])
    assert (lonely.frame.bound, lonely.sensitivity.at(3).tolist()) == (Fraction(1), [1.0])


@pytest.mark.parametrize("problem", [ego_betweenness_problem, ego_betweenness_range_problem])
def test_refusals(problem: Any, refused: Refused) -> None:
    zeros = [0.0] * 4
    with refused(DataError, "degrees", "max_degree", hidden=("3", "2")):
        problem(zeros, [3, 1, 1, 1], max_degree=2)
    with refused(DataError, "degrees", "whole"):
        problem(zeros, [1.5, 1.0, 1.0, 1.0])
    with refused(DataError, "degrees", "a node"):
        problem([], [])
    with refused(DataError, "degrees", hidden=("-1",)):
        problem(zeros, [-1, 1, 1, 1])
    with refused(DataError, "ego_betweenness", "4"):
        problem([0.0], [1, 1, 1, 1])
    with refused(ParameterError, "max_degree", "0"):
        problem(zeros, [0, 0, 0, 0], max_degree=0)
    with refused(ParameterError, "nodes", "4", "2"):
        problem(zeros, [1, 1, 1, 1], nodes=("a", "b"))


def test_co_degrees_above_degrees_are_refused(refused: Refused) -> None:
    with refused(DataError, "codegrees"):
        ego_betweenness_problem([0.0, 0.0], [1, 1], codegrees=[2, 0])
    with refused(DataError, "codegrees"):
        ego_betweenness_problem([0.0, 0.0], [1, 1], codegrees=[1])


def test_a_smaller_largest_degree_lowers_the_bound_and_every_rung() -> None:
    free, tied = (ego_betweenness_problem([0.0] * 30, [3] * 30, max_degree=k) for k in (None, 8))
    assert (free.frame.bound, tied.frame.bound) == (Fraction(189), Fraction(21, 2))
    assert tied.sensitivity.at(20).max() == 10.5


def test_all_pairs_are_tried() -> None:
    assert sum(len(list(combinations(range(x[0]), 2))) for x in ATLAS) == 2 * 1 + 4 * 3 + 11 * 6 + 34 * 10 + 156 * 15
