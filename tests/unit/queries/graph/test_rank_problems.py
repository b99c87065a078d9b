"""Problems by PageRank and core numbers: what is promised covers what the numbers are off by, whatever the graph."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.errors import DataError, ParameterError
from dampen.graphs.rank_scores import pagerank
from dampen.queries.graph import rank_problems
from dampen.queries.graph.rank_problems import (
    DAMPING,
    RankProblem,
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


# What is promised, on coarse grids and after few steps, where the prices of both are large


def random_pairs(count: int) -> Iterator[tuple[Graph, Graph]]:
    """Sparse and dense graphs, and the same with one edge more."""
    rng = np.random.default_rng(5)
    for _ in range(count):
        n = int(rng.integers(4, 9))
        present = [pair for pair in combinations(range(n), 2) if rng.random() < 0.4]
        absent = [pair for pair in combinations(range(n), 2) if pair not in present]
        if absent:
            yield (n, frozenset(present)), (n, frozenset([*present, absent[rng.integers(len(absent))]]))


def circle_and_a_node(nodes: int) -> tuple[Graph, Graph]:
    """All nodes of the circle have rank 1, to the last bit; the edge to the node beside it lowers all but its end."""
    circle = frozenset((v, (v + 1) % nodes) for v in range(nodes))
    return (nodes + 1, circle), (nodes + 1, circle | {(0, nodes)})


def moved_units(x: Graph, y: Graph) -> tuple[int, RankProblem]:
    """The sum of what one edge moves, in units of the grid, and what is promised; no node moves beyond the bound."""
    one, other = pagerank_problem(*judge.csr(x)), pagerank_problem(*judge.csr(y))
    assert (one.l1, one.unit, one.problem.frame.bound) == (other.l1, other.unit, other.problem.frame.bound)
    moved = np.abs(np.asarray(one.problem.utilities) - np.asarray(other.problem.utilities))
    assert moved.max() <= one.problem.frame.bound
    return int(moved.sum()), one


@pytest.mark.parametrize("bits", [0, 3, 40])
@pytest.mark.parametrize("steps", [1, 2, 5, None])
def test_ranks_after_any_steps_and_on_any_grid_keep_the_promise(
    monkeypatch: pytest.MonkeyPatch, steps: int | None, bits: int
) -> None:
    """From the definition: ranks as they are computed and rounded. None: as many steps as there are."""
    monkeypatch.setattr(rank_problems, "grid_bits", lambda n: bits)
    if steps is not None:
        monkeypatch.setattr(rank_problems, "pagerank_steps", lambda n, c: steps)
    for x, y in (*random_pairs(60), circle_and_a_node(4), circle_and_a_node(60)):
        moved, told = moved_units(x, y)
        assert moved <= told.l1


def test_rounding_may_move_every_node_by_a_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A circle of ranks 1, and then just below, on a grid of 1: more than the edge and all errors could do."""
    monkeypatch.setattr(rank_problems, "grid_bits", lambda n: 0)
    moved, told = moved_units(*circle_and_a_node(60))
    errors = 2 * pagerank_error(61, DAMPING, pagerank_steps(61, DAMPING))
    assert pagerank_bound(DAMPING) + errors < 59 <= moved <= told.l1


@pytest.mark.parametrize("bits", [0, 3, 40])
@pytest.mark.parametrize("steps", [1, 3])
def test_ranks_of_both_graphs_may_be_off_by_all_that_is_paid_for(
    monkeypatch: pytest.MonkeyPatch, steps: int, bits: int
) -> None:
    """One node's rank is too low where it is lower, too high where it is higher; no nearer are ranks proven to be."""
    c, large = as_damping(DAMPING), 0
    monkeypatch.setattr(rank_problems, "grid_bits", lambda n: bits)
    monkeypatch.setattr(rank_problems, "pagerank_steps", lambda n, c: steps)
    for x, y in random_pairs(60):
        n, one = x[0], 2**bits
        low, high = fixed_point(x, c), fixed_point(y, c)
        node = next(v for v in range(n) if low[v] <= high[v])
        off = pagerank_error(n, c, steps)
        low[node], high[node] = low[node] - off, high[node] + off
        answers = iter([np.array(low, dtype=float), np.array(high, dtype=float)])
        monkeypatch.setattr(rank_problems, "pagerank", lambda *asked, answers=answers: next(answers))
        moved, told = moved_units(x, y)
        assert moved <= told.l1
        assert told.l1 - moved <= pagerank_bound(c) * one + 2 * n + 1
        large += off > pagerank_bound(c)
    assert large > 20, "to pay for one of the two is noticed"


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
