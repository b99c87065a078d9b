"""Counts of the real graphs: as their publishers state them, and as the definition of ego betweenness gives them."""

import os
from fractions import Fraction

import numpy as np
import pytest

from dampen import datasets
from dampen.graphs.graph import Graph
from tests.unit.graphs.judges import ego_betweenness_by_matrix

pytestmark = pytest.mark.skipif(
    not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
)

STATED = {
    "enron": (1_383, 727_044),
    "dblp": (343, 2_224_385),
    "github": (9_458, 523_810),
    "gowalla": (14_730, 2_273_138),
    "facebook": (1_045, 1_612_010),
    "ca_grqc": (81, 48_260),
    "ca_hepth": (65, 28_339),
    "amazon": (549, 667_129),
    "stanford": (38_625, 11_329_473),
}
"""Largest degree and triangles (SNAP; MUSAE for GitHub)."""

LARGEST = 1_500
"""The judge's matrices have at most so many rows."""


def load(name: str) -> Graph:
    graph: Graph = getattr(datasets, f"load_{name}")()
    return graph


@pytest.mark.parametrize("name", STATED)
def test_degrees_and_triangles(name: str) -> None:
    graph = load(name)
    assert (int(graph.degrees().max()), graph.triangles()) == STATED[name]


@pytest.mark.parametrize("name", ["enron", "dblp", "github", "gowalla"])
def test_supports_add_up_to_the_triangles(name: str) -> None:
    graph = load(name)
    supports = graph.edge_supports()
    assert supports.sum() == 3 * STATED[name][1]
    src, dst = graph.edges()
    for edge in np.random.default_rng(0).integers(0, len(src), 200):
        one, other = (graph.neighbours[graph.offsets[v] : graph.offsets[v + 1]] for v in (src[edge], dst[edge]))
        assert supports[edge] == len(np.intersect1d(one, other))


@pytest.mark.parametrize("name", ["enron", "dblp", "github", "gowalla"])
def test_ego_betweenness_of_200_nodes_and_of_large_ones(name: str) -> None:
    graph = load(name)
    values, degrees = graph.ego_betweenness(), graph.degrees()
    within = np.flatnonzero(degrees <= LARGEST)
    largest = within[np.argsort(-degrees[within])[:2]]
    chosen = np.random.default_rng(1).choice(within[degrees[within] > 1], 200, replace=False)
    for node in [*largest.tolist(), *chosen.tolist()]:
        d = int(degrees[node])
        exact = ego_betweenness_by_matrix(graph, node)
        assert abs(Fraction(float(values[node])) - exact) <= (d + 2) * Fraction(1, 2**53) * (d * (d - 1) // 2)
    assert graph.ego_betweenness_exact(int(largest[0])) == ego_betweenness_by_matrix(graph, int(largest[0]))


@pytest.mark.parametrize(("name", "codegree"), [("enron", 420), ("dblp", 213), ("github", 2_411), ("gowalla", 1_297)])
def test_largest_codegree(name: str, codegree: int) -> None:
    """The node of the pair is confirmed by its row of the squared adjacency matrix; no other row has a larger entry."""
    from scipy import sparse

    graph = load(name)
    shape = (graph.nodes, graph.nodes)
    matrix = sparse.csr_array((np.ones(len(graph.neighbours), dtype=np.int32), graph.neighbours, graph.offsets), shape)
    order = np.argsort(-graph.degrees())[:200]
    square = (matrix[order] @ matrix).tocoo()
    assert square.data[order[square.row] != square.col].max() == codegree == graph.max_codegree()
