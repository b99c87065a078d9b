"""Subgraphs of the real graphs: counts that their publishers or the theory state, and first rungs by another way.

Theory: numeric.md, section 3.5 (ego_facebook: 1.61M triangles, 229M 2-triangles).
"""

import os

import numpy as np
import pytest
from scipy import sparse

from dampen import datasets
from dampen.graphs.graph import Graph
from dampen.queries import k_clique_problem, k_star_problem, k_triangle_problem, triangle_problem

pytestmark = pytest.mark.skipif(
    not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
)


def matrices(graph: Graph) -> tuple[sparse.csr_array, sparse.csr_array]:
    """The adjacency matrix, and the common neighbours of all pairs of two nodes."""
    ones = np.ones(len(graph.neighbours), dtype=np.int64)
    x = sparse.csr_array((ones, graph.neighbours, graph.offsets), shape=(graph.nodes, graph.nodes))
    shared = (x @ x).tolil()
    shared.setdiag(0)
    return x, sparse.csr_array(shared)


def test_facebook() -> None:
    graph = datasets.load_facebook()
    x, a = matrices(graph)
    triangles, pairs = triangle_problem(graph), k_triangle_problem(graph)
    assert triangles.value == 1_612_010
    assert pairs.value == 228_787_050
    assert pairs.frame.bound == 4037 * (5 * 4039 - 15) // 2
    assert triangles.rungs(3) == (a.max(), a.max() + 1, a.max() + 2) == (293, 294, 295)
    supports = a.multiply(x)
    apart = supports @ x
    apart = apart + apart.T
    change = a.multiply(a - (a > 0)) / 2 + apart - 2 * a.multiply(x)
    change = sparse.lil_array(change)
    change.setdiag(0)
    assert pairs.rungs(1)[0] == change.tocsr().max() == 116_072
    assert k_clique_problem(graph, 4).value == 30_004_668
    degrees = graph.degrees()
    assert k_star_problem(graph, 3).value == sum(d * (d - 1) * (d - 2) // 6 for d in degrees.tolist())


def test_dblp() -> None:
    graph = datasets.load_dblp()
    triangles = triangle_problem(graph)
    assert triangles.value == 2_224_385
    assert triangles.rungs(2) == (graph.max_codegree(), graph.max_codegree() + 1)
    assert k_clique_problem(graph, 4).value == 16_713_192
    pairs = k_triangle_problem(graph)
    supports = graph.edge_supports()
    assert pairs.value == (supports * (supports - 1) // 2).sum()
    largest = graph.max_codegree()
    assert pairs.rungs(1)[0] <= (5 * largest**2 - largest) // 2
