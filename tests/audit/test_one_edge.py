"""What one edge does to ego betweenness and to its range score, on every pair of graphs up to names."""

from collections.abc import Iterator
from fractions import Fraction

import pytest

from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.queries import ego_betweenness_range_problem
from dampen.queries.graph.ego_betweenness_rungs import ego_betweenness_bound
from tests.audit.universes.atlas import edge_orbits
from tests.unit.queries.graph import judges as judge

each_size = pytest.mark.parametrize("n", [3, 4, 5, 6, pytest.param(7, marks=pytest.mark.long)])


def pairs(n: int) -> Iterator[tuple[Graph, Graph, tuple[int, int]]]:
    return ((x, (n, x[1] | {edge}), edge) for x in graphs(largest=n, smallest=n) for edge in edge_orbits(x))


def lost_pairs(shared: int) -> Fraction:
    return Fraction(shared * (shared - 1), 4)


@each_size
def test_ends_and_others_move_within_the_lemma_and_as_far_as_it_says(n: int) -> None:
    """With C common neighbours: an end in [-q(|C|), d - |C|], others in [-d / 2, 0]; both ends of the first occur."""
    rise = fall = largest = Fraction(0)
    for x, y, (p, q) in pairs(n):
        near, before, after = judge.neighbour_sets(x), judge.ego_betweenness(x), judge.ego_betweenness(y)
        shared = len(near[p] & near[q])
        for v, near_v in enumerate(near):
            change, d = after[v] - before[v], len(near_v)
            largest = max(largest, abs(change))
            if v not in (p, q):
                assert -Fraction(d, 2) <= change <= 0
                continue
            assert -lost_pairs(shared) <= change <= d - shared
            rise = max(rise, change / (d - shared)) if d > shared else rise
            fall = max(fall, -change / lost_pairs(shared)) if shared > 1 else fall
    assert largest == ego_betweenness_bound(n - 1)
    assert rise == 1
    assert fall == (1 if n > 3 else 0)


@each_size
def test_the_range_score_moves_within_one_interval(n: int) -> None:
    """Of length 2 G for all nodes of all pairs; one node alone moves by G, one pair nearly by all of it."""
    bound, widest, highest = float(ego_betweenness_bound(n - 1)), 0.0, 0.0
    for x, y, _ in pairs(n):
        old, new = (
            ego_betweenness_range_problem([float(v) for v in judge.ego_betweenness(g)], judge.degrees(g)).groups
            for g in (x, y)
        )
        change = new - old
        widest, highest = max(widest, float(change.max() - change.min())), max(highest, float(abs(change).max()))
    assert highest == pytest.approx(bound, abs=1e-9)
    assert widest <= 2 * bound + 1e-9
    assert n < 6 or widest >= 0.87 * 2 * bound
