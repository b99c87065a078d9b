"""What any edge-private method can find of the true top k: the attack on small graphs, and the theory's table."""

import os

import numpy as np
import pytest

from dampen import Graph, datasets
from experiments.recall_bound import added_neighbours, attack, attack_lengths, bounds, changed, recall_bound
from experiments.top_nodes_overlap import decoupled, overlaps, star_centres

EPSILONS = (0.01, 0.1, 0.5, 1)
TABLE = {
    ("enron", 10): ([3, 44, 115, 171, 155, 157], [0.42, 0.93, 0.98, 1.0]),
    ("enron", 20): ([2, 11, 50, 56, 48, 79], [0.10, 0.94, 0.98, 0.99]),
    ("dblp", 5): ([1, 1, 2, 2, 6, 3], [0.0, 0.42, 0.69, 0.83]),
    ("dblp", 10): ([1, 4, 5, 12, 12, 19], [0.0, 0.69, 0.92, 0.96]),
    ("github", 10): ([4, 53, 84, 42, 3, 54], [0.67, 0.87, 0.97, 0.99]),
    ("gowalla", 10): ([2, 8, 117, 38, 151, 146], [0.71, 0.89, 0.96, 0.99]),
}
"""Attack lengths of the six nodes after the top k, and the bound at each epsilon, as the theory prints them.

But for two rows: the attack is greedy, and here a node must also lead in the changed graph. The theory has 53 at the
end of github's lengths, and 96, 61, 156, 145 at the end of gowalla's with a bound of 0.72 at epsilon 0.01: the 38 found
here makes it a little sharper.
"""


def random_graph(seed: int) -> Graph:
    rng = np.random.default_rng(seed)
    src, dst = np.nonzero(np.triu(rng.random((25, 25)) < 0.4, 1))
    return Graph.from_edges(src, dst, nodes=200)


def test_the_least_number_of_new_neighbours() -> None:
    for d in range(1, 12):
        for deficit in np.arange(0, 60, 0.5):
            [t] = added_neighbours([d], [deficit])
            assert t * d + t * (t - 1) / 2 >= deficit
            assert t == 1 or (t - 1) * d + (t - 1) * (t - 2) / 2 < deficit


def test_an_attack_does_to_the_changed_graph_what_it_says() -> None:
    for graph in map(random_graph, range(6)):
        values = graph.ego_betweenness()
        for v in (0, 7, 19):
            removed, added = attack(graph, v, values[v] + 30)
            after = changed(graph, v, removed, added)
            assert after.ego_betweenness()[v] >= values[v] + 30 - 1e-9
            assert after.degrees()[v] == graph.degrees()[v] - len(removed) + added


def test_one_neighbour_that_links_all_others_is_taken_away() -> None:
    """A wheel: without the second hub, which knows everybody, 45 pairs are linked by the first alone."""
    rim = range(2, 12)
    graph = Graph.from_edges([0] * 11 + [1] * 10, [1, *rim, *rim], nodes=30)
    assert graph.ego_betweenness()[0] == 45 / 2
    assert attack(graph, 0, 45) == ([1], 0)
    assert changed(graph, 0, [1], 0).ego_betweenness()[0] == 45


def test_lengths_bring_a_node_into_the_top_of_its_graph() -> None:
    """Two stars of 6 and 4 leaves, 15 and 6 pairs: two leaves more link 4 + 5 pairs, which is just enough."""
    graph = Graph.from_edges([0] * 6 + [10] * 4, [*range(1, 7), *range(11, 15)], nodes=40)
    lengths = attack_lengths(graph, 1)
    assert lengths[0] == 2
    assert lengths[1:].min() > 2
    assert recall_bound(lengths, k=1, epsilon=50) == pytest.approx(1, abs=1e-12)
    assert recall_bound(lengths, k=1, epsilon=1e-9) == pytest.approx(1 / 40, abs=1e-6)


def test_the_level_method_finds_the_centres_that_degrees_miss() -> None:
    graph = decoupled()
    assert (graph.nodes, len(star_centres())) == (1372, 12)
    [level], [degree] = (list(overlaps(graph, "decoupled", 10, m, ["10"], 30)) for m in ("level", "degree"))
    assert level.mean > 0.95
    assert degree.mean == 0


@pytest.mark.long
@pytest.mark.skipif(not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of real data sets")
@pytest.mark.parametrize(("name", "k"), TABLE)
def test_the_table_of_the_theory(name: str, k: int) -> None:
    lengths = attack_lengths(getattr(datasets, f"load_{name}")(), k)
    printed, shares = TABLE[name, k]
    assert lengths[:6].tolist() == printed
    assert bounds(lengths, k, EPSILONS) == pytest.approx(shares, abs=0.0051)
