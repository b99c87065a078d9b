"""Pairs of graphs up to the names of their nodes: none is missing, and a loss does not depend on names."""

from math import comb

import pytest

from dampen import SelectionProblem
from dampen.audit import audit_selection, edge_neighbours, graphs
from dampen.mechanisms import LaplaceTopK, LocalDampening
from dampen.mechanisms.selection.base import SelectionMechanism
from tests.audit.universes.atlas import edge_orbits, neighbours_up_to_names
from tests.audit.universes.ego_betweenness import ego_betweenness, ego_betweenness_beyond_the_atlas, node_degrees


@pytest.mark.parametrize(("nodes", "pairs"), [(2, 1), (3, 3), (4, 14), (5, 74), (6, 572)])
def test_the_orbits_hold_every_absent_edge(nodes: int, pairs: int) -> None:
    atlas = graphs(largest=nodes, smallest=nodes)
    assert sum(len(list(neighbours_up_to_names(x))) for x in atlas) == pairs
    for x in atlas:
        assert sum(edge_orbits(x).values()) == comb(nodes, 2) - len(x[1])


def test_a_path_and_a_star() -> None:
    """Ends of a path of four: the two ends, or an end and the node two steps away; leaves of a star are alike."""
    path, star = frozenset({(0, 1), (1, 2), (2, 3)}), frozenset({(0, 1), (0, 2), (0, 3)})
    assert edge_orbits((4, path)) == {(0, 2): 2, (0, 3): 1}
    assert edge_orbits((4, star)) == {(1, 2): 3}


@pytest.mark.parametrize("mechanism", [LocalDampening(1), LaplaceTopK(2, 1, movers=2)], ids=["dampening", "top two"])
def test_all_pairs_with_their_names_lose_no_more(mechanism: SelectionMechanism) -> None:
    ordered = isinstance(mechanism, LaplaceTopK)
    universe = node_degrees(largest=5, smallest=5) if ordered else ego_betweenness(largest=5, smallest=5, tight=True)
    few = universe.audit(mechanism)
    all_pairs = audit_selection(mechanism, universe.problem_of, universe.data_sets, edge_neighbours)
    assert (few.pairs, all_pairs.pairs) == (74, 316)
    assert few.worst_log_ratio == pytest.approx(all_pairs.worst_log_ratio, abs=1e-12)


def test_co_degrees_matter_only_beyond_the_atlas() -> None:
    """max(q(m), m) is m up to 5, and the bound for seven nodes is 5: there both sensitivities are one."""
    small = [ego_betweenness(largest=6, tight=tight) for tight in (False, True)]
    assert all(_same_rungs(*(universe.problem_of(x) for universe in small)) for x in small[0].data_sets)
    large = [ego_betweenness_beyond_the_atlas(tight=tight) for tight in (False, True)]
    assert sum(_same_rungs(*(universe.problem_of(x) for universe in large)) for x in large[0].data_sets) <= 2


def _same_rungs(one: SelectionProblem, other: SelectionProblem) -> bool:
    return all((one.sensitivity.at(t) == other.sensitivity.at(t)).all() for t in range(9))
