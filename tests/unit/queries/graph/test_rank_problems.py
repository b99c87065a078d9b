"""Problems by PageRank and core numbers: what is promised covers what the numbers are off by, whatever the graph."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.errors import DataError, ParameterError
from dampen.graphs.rank_scores import pagerank
from dampen.queries.graph.rank_problems import (
    DAMPING,
    as_damping,
    core_problem,
    grid_bits,
    one_hop_problem,
    pagerank_bound,
    pagerank_error,
    pagerank_problem,
    pagerank_steps,
)
from tests.conftest import Refused
from tests.unit.queries.graph import judges as judge

EMPTY = np.array([0], dtype=np.int64), np.array([], dtype=np.int64)


def fixed_point(x: Graph, c: Fraction) -> list[Fraction]:
    """PageRank in fractions: Gauss elimination of f = 1 - c + c P f."""
    near = judge.neighbour_sets(x)
    n = len(near)
    system = [
        [Fraction(v == s) - (c / len(near[s]) if s in near[v] else 0) for s in range(n)] + [1 - c] for v in range(n)
    ]
    for v in range(n):
        system[v] = [entry / system[v][v] for entry in system[v]]
        for other in range(n):
            if other != v:
                system[other] = [a - system[other][v] * b for a, b in zip(system[other], system[v], strict=True)]
    return [row[-1] for row in system]


@pytest.mark.parametrize("damping", ["0.85", "0.3", "0.95"])
@pytest.mark.parametrize("steps", [1, 3, 60, 400])
def test_floats_are_as_close_as_is_paid_for(damping: str, steps: int) -> None:
    """After few steps the missing ones count, after many the roundings; on all graphs of five nodes."""
    c, worst = as_damping(damping), Fraction(0)
    for x in graphs(largest=5, smallest=5):
        found = pagerank(*judge.csr(x), float(c), steps)
        off = [abs(Fraction(float(a)) - b) for a, b in zip(found, fixed_point(x, c), strict=True)]
        worst = max(worst, sum(off, Fraction(0)))
    assert worst <= pagerank_error(5, c, steps)
    assert steps < 400 or worst > 0, "roundings are there to be paid for"


def test_a_large_row_is_rounded_often_and_still_within() -> None:
    """A star, whose centre adds up 3,000 shares: its fixed point is known."""
    leaves, c = 3000, as_damping(DAMPING)
    centre = ((1 - c) + c * (1 - c) * leaves) / (1 - c**2)
    leaf = 1 - c + c * centre / leaves
    offsets = np.concatenate([[0], np.arange(leaves, 2 * leaves + 1)])
    found = pagerank(offsets, np.concatenate([np.arange(1, leaves + 1), np.zeros(leaves, int)]), float(c), 400)
    off = abs(Fraction(float(found[0])) - centre) + sum(abs(Fraction(float(each)) - leaf) for each in found[1:])
    assert 0 < off <= pagerank_error(leaves + 1, c, 400)


def test_promises_in_numbers() -> None:
    """One-hop 2 + n 2^-39; PageRank 7.03, less than 0.001 for missing steps, n 2^-40 and what roundings may do."""
    for x in ((5, frozenset({(0, 1)})), (6, frozenset[tuple[int, int]]())):
        n, hop, ranks = x[0], one_hop_problem(*judge.csr(x)), pagerank_problem(*judge.csr(x))
        assert (hop.unit, hop.l1) == (Fraction(1, 2**40), 2**41 + 2 * n)
        assert hop.problem.frame.bound == 2**40
        reach = float(ranks.l1 * ranks.unit)
        assert 7.0297 < reach < 7.0297 + 0.001 + 1e-9
        assert ranks.problem.frame.bound is not None
        assert float(ranks.problem.frame.bound * ranks.unit) == pytest.approx(3.5149 + 0.0009, abs=2e-4)
        assert hop.problem.integral
        assert ranks.problem.integral


@pytest.mark.parametrize("n", [1, 10, 10**4, 10**6])
def test_few_steps_are_left_out_and_the_rest_is_small(n: int) -> None:
    c = as_damping(DAMPING)
    steps = pagerank_steps(n, c)
    assert 4 * n * c**steps <= Fraction(1, 2**10) < 4 * n * c ** (steps - 1)
    assert 2 * pagerank_error(n, c, steps) < Fraction(3, 1000)
    assert pagerank_error(n, c, steps) > 2 * n * c**steps


def test_the_bound_in_closed_form() -> None:
    """2 c^2 (c + 1/2) / (1 - c^2) from 2/3 on, where both branches meet; below, 4 c x is the largest."""
    for c in (Fraction(2, 3), Fraction(7, 10), DAMPING, Fraction(99, 100)):
        assert pagerank_bound(c) == 2 * c**2 * (c + Fraction(1, 2)) / (1 - c**2)
    for c in (Fraction(1, 10), Fraction(1, 2), Fraction(2, 3)):
        assert pagerank_bound(c) == 4 * c * (Fraction(1, 2) + c) / (1 + c)


def test_scores_of_the_largest_graphs_fit() -> None:
    assert [grid_bits(n) for n in (1, 2**21, 2**22 - 1, 2**22, 2**31 - 1)] == [40, 40, 40, 39, 31]
    assert all(n * 2 ** grid_bits(n) < 2**62 for n in (1, 2**22 - 1, 2**22, 2**27, 2**31 - 1))


@pytest.mark.parametrize("damping", [0, 1, "0.995", -1])
def test_damping_is_a_share(damping: Any, refused: Refused) -> None:
    with refused(ParameterError, "damping must be above 0 and at most 0.99"):
        pagerank_problem(*judge.csr((3, frozenset({(0, 1)}))), damping=damping)


def test_data_that_is_no_graph_is_refused(refused: Refused) -> None:
    for ask in (one_hop_problem, pagerank_problem):
        with refused(DataError, "a graph needs a node"):
            ask(*EMPTY)
    for numbers in ([], [0.5], [-1, 2]):
        with refused(DataError, "core_numbers must be whole numbers"):
            core_problem(numbers)


def test_core_numbers_are_utilities_of_a_monotone_frame() -> None:
    problem = core_problem([2, 2, 2, 1], nodes=["a", "b", "c", "d"])
    assert problem.frame.bound == 1
    assert (problem.frame.monotone, problem.frame.candidates[3]) == (True, "d")
