"""Counts of subgraphs and their ladders, judged by all graphs of up to six nodes."""

from collections.abc import Callable
from functools import cache, partial
from itertools import combinations, pairwise
from math import comb
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Graph, GrowthLaw, NumericProblem
from dampen.errors import DataError, ParameterError
from dampen.mechanisms.numeric.ladder_walk import can_walk, level
from dampen.queries import edge_count_problem, k_clique_problem, k_star_problem, k_triangle_problem, triangle_problem
from dampen.queries.graph import subgraph_ladders, subgraphs
from dampen.queries.graph.subgraph_ladders import (
    CliqueLadder,
    KTriangleLadder,
    StarLadder,
    TriangleLadder,
    k_triangle_bound,
)
from dampen.queries.whole_ladders import WholeLadder, binomials, rounded_up
from dampen.vectors import Integers
from tests.conftest import Refused
from tests.unit.queries.graph.space import GraphSpace

LARGEST_SPACE = 6
COUNT = comb(LARGEST_SPACE, 2) + 2

ProblemOf = Callable[[Graph], NumericProblem]

KINDS: dict[str, tuple[ProblemOf, Callable[[GraphSpace], Integers], bool]] = {
    "triangles": (triangle_problem, lambda space: space.cliques(3), True),
    "2-stars": (lambda graph: k_star_problem(graph, 2), lambda space: space.stars(2), True),
    "3-stars": (lambda graph: k_star_problem(graph, 3), lambda space: space.stars(3), True),
    "4-stars": (lambda graph: k_star_problem(graph, 4), lambda space: space.stars(4), True),
    "3-cliques": (lambda graph: k_clique_problem(graph, 3), lambda space: space.cliques(3), False),
    "4-cliques": (lambda graph: k_clique_problem(graph, 4), lambda space: space.cliques(4), False),
    "5-cliques": (lambda graph: k_clique_problem(graph, 5), lambda space: space.cliques(5), False),
    "2-triangles": (k_triangle_problem, lambda space: space.k_triangles(2), False),
    "3-triangles": (lambda graph: k_triangle_problem(graph, 3), lambda space: space.k_triangles(3), False),
}
"""The problem, its judge, and whether the ladder is what one edge can do at each distance, no more."""
SLOW = ("3-cliques", "5-cliques", "3-triangles")
"""Their kin run on all graphs of six nodes by default, and they in full runs."""

CHEAP = ["triangles", "4-cliques", "5-cliques", "2-triangles", "3-triangles"]


@cache
def space_of(nodes: int) -> GraphSpace:
    return GraphSpace(nodes)


@cache
def judged(kind: str, nodes: int) -> tuple[Integers, Integers]:
    """The count of every graph, and the largest changes at each distance."""
    value = KINDS[kind][1](space_of(nodes))
    return value, space_of(nodes).largest_changes(value, COUNT)


def require_ladder(space: GraphSpace, rungs: dict[int, Integers]) -> None:
    """Rungs rise, and the next rung covers that of every graph with one edge more or less."""
    for mask in space.representatives:
        own = rungs[mask]
        assert (np.diff(own) >= 0).all()
        for other in space.neighbours(mask):
            assert (rungs[int(space.classes[other])][:-1] <= own[1:]).all()


@pytest.fixture
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if there were too many nodes for the sharper ladders."""
    monkeypatch.setattr(subgraphs, "MOST_NODES_TRIANGLES", 0)
    monkeypatch.setattr(subgraphs, "MOST_NODES_SMALL_CLIQUES", 0)
    monkeypatch.setattr(subgraphs, "ROOM", 0)


def rungs_of(kind: str, space: GraphSpace) -> dict[int, Integers]:
    found = {mask: KINDS[kind][0](space.graph(mask)) for mask in space.representatives}
    value, changes = judged(kind, space.nodes)
    for mask, problem in found.items():
        assert problem.value == value[mask]
        assert problem.frame.adjacency is Adjacency.EDGE
        assert problem.frame.resolution == 1
        assert problem.frame.bound == max(changes.max(), 1), "the bound is the global sensitivity"
    return {mask: np.array(problem.rungs(COUNT)) for mask, problem in found.items()}


@pytest.mark.parametrize(
    ("nodes", "kind"),
    [
        pytest.param(nodes, kind, marks=[pytest.mark.long] if nodes == 6 and kind in SLOW else [])
        for nodes in (2, 3, 4, 5, 6)
        for kind in KINDS
    ],
)
def test_ladders_cover_every_graph(kind: str, nodes: int) -> None:
    space = space_of(nodes)
    rungs, (_, changes) = rungs_of(kind, space), judged(kind, nodes)
    require_ladder(space, rungs)
    for mask, own in rungs.items():
        assert own[0] == changes[0, mask], "the first rung is the local sensitivity"
        assert (own >= changes[:, mask]).all()
        assert not KINDS[kind][2] or (own == changes[:, mask]).all()
        assert own[-1] == changes.max()


@pytest.mark.usefixtures("cheap")
@pytest.mark.parametrize("kind", CHEAP)
@pytest.mark.parametrize("nodes", [4, 6])
def test_ladders_of_the_largest_codegree_alone_cover_every_graph_too(kind: str, nodes: int) -> None:
    space = space_of(nodes)
    rungs, (_, changes) = rungs_of(kind, space), judged(kind, nodes)
    require_ladder(space, rungs)
    sharper = 0
    for mask, own in rungs.items():
        assert (own >= changes[:, mask]).all()
        sharper += int((own > changes[:, mask]).any())
    assert sharper or nodes < 6, "the cheap ladder was not asked"


@pytest.mark.parametrize("k", [2, 3])
def test_one_edge_moves_the_first_rung_of_k_triangles_by_no_more_than_the_second_order(k: int) -> None:
    space = space_of(6)
    ladder = k_triangle_problem(space.graph(space.representatives[100]), k).sensitivity
    assert isinstance(ladder, KTriangleLadder)
    assert (ladder.first_order, ladder.common, ladder.common_bound) == (
        judged(f"{k}-triangles", 6)[1][0, space.representatives[100]],
        judged("triangles", 6)[1][0, space.representatives[100]],
        4,
    )
    first = judged(f"{k}-triangles", 6)[1][0]
    shared = judged("triangles", 6)[1][0]
    most = np.array([KTriangleLadder(0, 0, k=k, nodes=6).second_order(a) for a in range(6)])[shared]
    for mask in space.representatives:
        for other in space.neighbours(mask):
            assert abs(first[mask] - first[other]) <= most[mask]


def book(pages: int) -> list[tuple[int, int]]:
    """0, 1 and 2, 3 joined crosswise; each of the four edges is in ``pages`` triangles, no pair shares more nodes."""
    edges = [(0, 2), (0, 3), (1, 2), (1, 3)]
    return edges + [
        (end, 4 + pages * side + page) for side, edge in enumerate(edges) for page in range(pages) for end in edge
    ]


@pytest.mark.parametrize(("k", "pages"), [(2, 2), (3, 2), (4, 2), (5, 3)])
def test_an_edge_between_two_common_neighbours_lengthens_four_sides(k: int, pages: int) -> None:
    """Larger than all graphs that are enumerated: here the published second order of k-triangles falls short."""
    nodes, edges = 4 + 4 * pages, book(pages)
    before, after = (
        k_triangle_problem(Graph([i for i, _ in drawn], [j for _, j in drawn], nodes=nodes), k)
        for drawn in (edges, [*edges, (2, 3)])
    )
    assert isinstance(before.sensitivity, KTriangleLadder)
    assert before.sensitivity.common == pages
    published = 3 * comb(pages, k - 1) + pages * comb(pages, k - 2)
    change = after.rungs(1)[0] - before.rungs(1)[0]
    assert (change > published) == (k > 2)
    assert change <= before.sensitivity.second_order(pages)
    assert all(one <= other for one, other in zip(after.rungs(20), before.rungs(21)[1:], strict=True))


@pytest.mark.parametrize("k", [2, 3])
def test_the_second_order_covers_the_cheap_first_rung_as_well(k: int) -> None:
    ladders = [KTriangleLadder(a, k=k, nodes=10) for a in range(9)]
    for a, (one, more) in enumerate(pairwise(ladders)):
        assert more.first_order - one.first_order <= one.second_order(a) <= more.second_order(a + 1)


def test_edges_have_no_ladder() -> None:
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 2, 3], nodes=5)
    problem = edge_count_problem(graph)
    assert problem.value == 4
    assert problem.frame.bound == 1
    assert problem.rungs(3) == (1, 1, 1)
    assert problem.frame.adjacency is Adjacency.EDGE


def random_graph(nodes: int, seed: int) -> tuple[Graph, Integers]:
    """A graph with hubs, and its adjacency matrix."""
    rng = np.random.default_rng(seed)
    weight = rng.pareto(1.5, nodes) + 0.05
    matrix = np.triu(rng.random((nodes, nodes)) < np.minimum(np.outer(weight, weight) * 0.02, 1), 1)
    src, dst = np.nonzero(matrix)
    both = (matrix | matrix.T).astype(np.int64)
    return Graph.from_edges(src, dst, nodes=nodes), both


def choose(numbers: Integers, k: int) -> Integers:
    return np.array([comb(a, k) for a in range(int(numbers.max()) + 1)], dtype=np.int64)[numbers]


def cliques_on_a_pair(x: Integers, size: int) -> int:
    """The most cliques of 2 or 3 nodes among common neighbours."""
    inner = (x[np.ix_(both, both)] for i, j in combinations(range(len(x)), 2) for both in [np.flatnonzero(x[i] & x[j])])
    return max(int(np.trace(np.linalg.matrix_power(part, size))) // (2 if size == 2 else 6) for part in inner)


@pytest.mark.parametrize("seed", [1, 2])
def test_sparse_counts_equal_dense_formulas(seed: int) -> None:
    graph, x = random_graph(400, seed)
    a, pairs = x @ x, ~np.eye(400, dtype=bool)
    degrees = x.sum(axis=0)
    sums = degrees[:, None] + degrees - 2 * x
    t = np.arange(40)[:, None]
    triangles = np.minimum(np.minimum(a[pairs] + t, (sums[pairs] + t) // 2), 398).max(axis=1)
    assert triangle_problem(graph).rungs(40) == tuple(triangles)
    for k in (2, 3):
        problem = k_triangle_problem(graph, k)
        assert problem.value == (choose(a, k) * x).sum() // 2
        apart, joined = choose(a, k - 1) * x, choose(np.maximum(a - 1, 0), k - 1) * x
        sides = np.where(x == 1, joined @ x + x @ joined, apart @ x + x @ apart)
        assert problem.rungs(1)[0] == (choose(a, k) + sides)[pairs].max()
    d = np.stack([degrees[:, None] - x, degrees[None, :] - x])
    large, small = d.max(axis=0)[pairs], d.min(axis=0)[pairs]
    for step, rung in enumerate(k_star_problem(graph, 3).rungs(3)):
        assert rung == (choose(np.minimum(large + step, 398), 2) + choose(small, 2)).max()
    top = np.argsort(-degrees)[:60]
    small = Graph.from_edges(*np.nonzero(np.triu(x[np.ix_(top, top)])), nodes=60)
    for k in (4, 5):
        assert k_clique_problem(small, k).rungs(1)[0] == cliques_on_a_pair(x[np.ix_(top, top)], k - 2)


GROWTH = {
    "triangles": GrowthLaw(2, 1),
    "2-stars": GrowthLaw(2, 1),
    "3-stars": GrowthLaw(3, "1/2"),
    "4-stars": GrowthLaw(4, "1/6"),
    "2-triangles": GrowthLaw(3, 4),
}
"""As docs/proofs/ladder_walk.md has them; the guarantee holds with any, the noise is small with these."""


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_that_grow_by_a_law_have_the_one_of_the_theory(kind: str) -> None:
    problem = KINDS[kind][0](Graph.from_edges([0, 0, 1], [1, 2, 2], nodes=400))
    assert problem.frame.growth == GROWTH.get(kind)
    assert can_walk(problem) == (kind in GROWTH)


@pytest.mark.parametrize("kind", GROWTH)
def test_one_edge_moves_the_level_by_one_at_most(kind: str) -> None:
    """Of triangles and 2-stars it is the first rung. Where a hub gains or loses an edge it moves."""
    problem_of, law, moved = KINDS[kind][0], GROWTH[kind], 0.0
    rng = np.random.default_rng(9)
    for seed in range(3):
        graph, x = random_graph(400, seed)
        before = problem_of(graph)
        own = level(before, law)
        assert (own == before.rungs(1)[0]) == (law.power == 2)
        hubs = np.argsort(-x.sum(axis=0))[:8]
        for i, j in [*combinations(hubs.tolist(), 2), *rng.choice(400, (10, 2), replace=False).tolist()]:
            near = x.copy()
            near[i, j] = near[j, i] = 1 - x[i, j]
            after = problem_of(Graph.from_edges(*np.nonzero(np.triu(near)), nodes=400))
            change = abs(level(after, law) - own)
            assert change <= 1
            moved = max(moved, float(change))
    assert moved > 0.4


def double_star(leaves: int) -> list[tuple[int, int]]:
    """Two joined nodes with leaves of their own: no common neighbours, and the largest sum of degrees."""
    return [(0, 1), *((end, 2 + end * leaves + leaf) for end in (0, 1) for leaf in range(leaves))]


@pytest.mark.parametrize(
    "edges", [double_star(3), double_star(4), book(1), book(2)], ids=["3", "4", "book 1", "book 2"]
)
def test_all_rungs_of_triangles_in_sparse_graphs(edges: list[tuple[int, int]]) -> None:
    """With isolated nodes, so that the bound comes late and every pair of the front matters."""
    x = np.zeros((16, 16), dtype=np.int64)
    for i, j in edges:
        x[i, j] = x[j, i] = 1
    a, degrees, pairs = x @ x, x.sum(axis=0), ~np.eye(16, dtype=bool)
    sums, t = degrees[:, None] + degrees - 2 * x, np.arange(40)[:, None]
    dense = np.minimum(np.minimum(a[pairs] + t, (sums[pairs] + t) // 2), 14).max(axis=1)
    assert triangle_problem(Graph(*zip(*edges, strict=True), nodes=16)).rungs(40) == tuple(dense)


def test_threads_do_not_change_a_problem() -> None:
    graph, _ = random_graph(400, 4)
    problems: list[Callable[..., NumericProblem]] = [
        triangle_problem,
        k_triangle_problem,
        partial(k_clique_problem, k=4),
    ]
    for problem in problems:
        one, two = problem(graph, threads=1), problem(graph, threads=2)
        assert (one.value, one.rungs(50)) == (two.value, two.rungs(50))


def test_cliques_of_many_sizes() -> None:
    """A clique of 70 nodes, which fill more than one word; ten of them are part of one of 20 as well."""
    ends = [*combinations(range(70), 2), *combinations(range(60, 80), 2)]
    graph = Graph([i for i, _ in ends], [j for _, j in ends], nodes=90)
    for k in (3, 4, 5):
        problem = k_clique_problem(graph, k)
        assert problem.value == comb(70, k) + comb(20, k) - comb(10, k)
        assert problem.rungs(1) == (comb(68, k - 2) + comb(18, k - 2) - comb(8, k - 2),)


def test_large_numbers_stay_exact_and_are_rounded_up_as_floats() -> None:
    star = Graph([0] * 3000, range(1, 3001), nodes=100_000)
    problem = k_star_problem(star, 30)
    assert problem.value == comb(3000, 30)
    assert isinstance(problem.sensitivity, StarLadder)
    rungs = problem.sensitivity.wholes(np.arange(3))
    assert rungs.tolist() == [comb(3000 + t, 29) + comb(1, 29) for t in range(3)]
    floats = problem.sensitivity.ladder(3)[:, 0]
    assert all(float_ >= whole for float_, whole in zip(map(int, floats), rungs.tolist(), strict=True))
    assert (np.diff(floats) > 0).all()
    assert problem.rungs(3) == tuple(rungs)


@pytest.mark.parametrize("nodes", [3, 6, 1000, 317_080, 10**7, 2 * 10**9])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_rungs_of_k_triangles_add_up_whether_64_bits_hold_them_or_not(k: int, nodes: int) -> None:
    shared = min(nodes - 2, 4000)
    cheap = KTriangleLadder(shared, k=k, nodes=nodes)
    exact = KTriangleLadder(shared, int(cheap.exact_ladder(1)[0]) // 3, k=k, nodes=nodes)
    for ladder in (cheap, exact):
        rungs = [ladder.first_order]
        for t in range(200):
            rises = ladder.second_order(min(shared + t, nodes - 2)) if ladder is exact or shared + t < nodes - 2 else 0
            rungs.append(rungs[-1] + rises)
        assert ladder.exact_ladder(201) == [min(rung, k_triangle_bound(nodes, k)) for rung in rungs]
        places = [0, 7, 150, 200]
        assert ladder.exact_rungs(places) == [ladder.exact_ladder(201)[t] for t in places]
    held = KTriangleLadder(shared, 0, k=2, nodes=nodes).wholes(np.array([0, nodes]))
    assert held.dtype == (np.int64 if nodes < 10**8 else object), "Python's own numbers only where they are needed"


def test_whole_numbers_are_rounded_up() -> None:
    numbers = np.array([2**53, 2**53 + 1, 2**53 + 2, 2**59 + 1], dtype=np.int64)
    expected = [2**53, 2**53 + 2, 2**53 + 2, 2**59 + 128]
    assert rounded_up(numbers).tolist() == expected
    assert rounded_up(numbers.astype(object)).tolist() == expected


@pytest.mark.parametrize("largest", [20, 10**9], ids=["64 bits", "Python's"])
@pytest.mark.parametrize("choice", [-1, 0, 1, 2, 5, 8])
def test_binomials(choice: int, largest: int) -> None:
    numbers = np.arange(20)
    expected = [comb(a, choice) if choice >= 0 else 0 for a in range(20)]
    assert binomials(numbers, choice, largest).tolist() == expected


@pytest.mark.parametrize("beta", ["0.001", "0.1", 2])
@pytest.mark.parametrize("kind", ["triangles", "3-stars", "2-triangles", "4-cliques"])
def test_smooth_is_the_largest_discounted_rung(kind: str, beta: Any) -> None:
    graph, _ = random_graph(400, 5)
    ladder = KINDS[kind][0](graph).sensitivity
    rungs = ladder.ladder(3000)[:, 0]
    assert ladder.smooth(beta)[0] == pytest.approx((rungs * np.exp(-float(beta) * np.arange(3000))).max(), rel=1e-12)
    assert ladder.at(7) == rungs[7]


def test_graphs_without_edges_or_with_too_few_nodes() -> None:
    for nodes in (1, 2, 3):
        for problem, _, _ in KINDS.values():
            found = problem(Graph([], [], nodes=nodes))
            assert found.value == 0
            assert found.frame.bound >= 1
            assert max(found.rungs(4)) <= 2


def test_a_problem_shows_nothing_of_the_graph() -> None:
    graph, _ = random_graph(400, 6)
    problem = k_triangle_problem(graph)
    for text in (repr(problem), repr(problem.sensitivity)):
        assert str(problem.value) not in text
        assert str(problem.rungs(1)[0]) not in text


@pytest.mark.parametrize("k", [1, 0, -3, 2.0, True, "2"], ids=repr)
def test_k_is_a_whole_number(k: Any, refused: Refused) -> None:
    graph = Graph([0], [1], nodes=3)
    for problem in (k_star_problem, k_triangle_problem, k_clique_problem):
        with refused(ParameterError, "k must be a whole number of at least", repr(k)):
            problem(graph, k)


def test_refusals(refused: Refused) -> None:
    with refused(ParameterError, "graph must be a dampen.Graph; got list"):
        triangle_problem([(0, 1)])  # type: ignore[arg-type]
    with refused(ParameterError, "k must be so small", "200"):
        k_star_problem(Graph([0], [1], nodes=10**6), 200)
    with refused(DataError, "shared", hidden=("77",)):
        TriangleLadder([77], nodes=10)
    with refused(DataError, "sums"):
        TriangleLadder([1, 2], [3], nodes=10)
    with refused(DataError, "smaller"):
        StarLadder([1], [2], k=2, nodes=10)
    with refused(DataError, "local", hidden=("77",)):
        CliqueLadder(3, 77, k=4, nodes=10)
    with refused(DataError, "shared", hidden=("77",)):
        KTriangleLadder(77, k=2, nodes=10)


def test_every_ladder_is_one_of_whole_numbers() -> None:
    for name in ("TriangleLadder", "StarLadder", "CliqueLadder", "KTriangleLadder"):
        assert issubclass(getattr(subgraph_ladders, name), WholeLadder)
