"""What noise would leave of eigenvector centrality, reach and PageRank of surroundings: the figures of the guide.

Theory: centralities.md, section 6, which names the noise. The real graphs are looked for in the folder that
``DAMPEN_DATA`` names.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from dampen import Graph
from dampen.graphs.graph import DAMPING
from experiments.rank_recall import load
from experiments.unreleasable_centralities import (
    GRAPHS,
    SEEDS,
    WAYS,
    eigenvector,
    links_of,
    neighbours_and_stranger,
    other_edge,
    reach,
    reach_units,
    recall_rows,
    surroundings,
    top_edge,
)

GUIDE = (Path(__file__).parents[2] / "docs" / "graphs.md").read_text()
SECTION = GUIDE.split("### What cannot be had")[1].split("\n## ")[0]
NAMES = dict(zip(GRAPHS, ("Enron", "GitHub", "DBLP"), strict=True))
THEORY = {
    ("eigenvector", "enron"): ([0, 0.16, 0.98], 0.50),
    ("eigenvector", "github"): ([0, 0.21, 0.92], 0.70),
    ("eigenvector", "dblp"): ([0, 0, 0.33], 0.12),
    ("reach", "enron"): ([0, 0.04, 0.90], 0.40),
    ("reach", "github"): ([0, 0, 0.45], 0.60),
}
"""Recall with noise at epsilon .1, 1 and 10, and by degree, as the theory prints them."""
RUNS, ROUNDING, SPREAD = 100, 0.0055, 0.05
"""Runs of the guide, from the same seeds of numpy's ``Generator.laplace``; its figures have two digits. The theory's
are of other runs."""
LEAST_SURE = ("eigenvector", "dblp")
"""The row with the largest standard error, which the guide tells."""
graphs = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "enron" else pytest.mark.long) for name in GRAPHS]
)
with_data = pytest.mark.skipif(
    not os.environ.get("DAMPEN_DATA"), reason="DAMPEN_DATA does not name a folder of the real data sets"
)


def told_in_guide(*names: str) -> list[list[str]]:
    """The figures of the row of the guide that begins with these cells, cell by cell."""
    start = "| " + " | ".join(names) + " |"
    [row] = [line for line in SECTION.splitlines() if line.startswith(start)]
    return [cell.split(", ") for cell in row.removeprefix(start).replace("*", "").strip("| ").split(" | ")]


def short(figures: list[float], digits: int) -> list[str]:
    return [f"{figure:.{digits}f}".removeprefix("0") for figure in figures]


def star(leaves: int, alone: int = 1) -> Graph:
    return Graph.from_edges([0] * leaves, range(1, leaves + 1), nodes=leaves + 1 + alone)


def test_a_star_has_the_scores_that_are_known() -> None:
    """Of m leaves: eigenvalues sqrt(m), 0 and -sqrt(m); half of the weight of the eigenvector is the centre's."""
    links = links_of(star(16))
    found = eigenvector(links)
    assert np.asarray(found.values) == pytest.approx([0.5**0.5, *[(1 / 32) ** 0.5] * 16, 0])
    assert found.change == pytest.approx(2 * 2 * 2**0.5 * 0.5**0.5 / (4 - 1))
    assert np.asarray(reach(links).values).tolist() == [16] * 17 + [0]
    ranks = np.asarray(surroundings(links, 0).values)
    assert ranks == pytest.approx([1 / (1 + DAMPING), *[DAMPING / (1 + DAMPING) / 16] * 16, 0])


def test_reach_is_within_two_hops() -> None:
    path = links_of(Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4], nodes=6))
    assert np.asarray(reach(path).values).tolist() == [2, 3, 4, 3, 2, 0]


def test_one_new_neighbour_of_the_largest_moves_reach_by_all_that_is_paid_for() -> None:
    links = links_of(star(16))
    before, after = reach(links), reach(other_edge(links, 0, 17))
    assert np.abs(np.asarray(after.values) - before.values).sum() == before.change == 2 * (16 + 1)


def test_no_edge_moves_surroundings_by_more_than_is_paid_for() -> None:
    rng = np.random.default_rng(0)
    for _ in range(8):
        src, dst = np.triu_indices(12, 1)
        kept = rng.random(len(src)) < rng.uniform(0.1, 0.6)
        kept[0] = True
        links = links_of(Graph.from_edges(src[kept], dst[kept], nodes=12))
        before = surroundings(links, 0)
        for p, q in zip(src[1:].tolist(), dst[1:].tolist(), strict=True):
            after = surroundings(other_edge(links, p, q), 0)
            assert np.abs(np.asarray(after.values) - before.values).sum() <= before.change


@with_data
@graphs
@pytest.mark.parametrize("way", ["eigenvector", pytest.param("reach", marks=pytest.mark.long)])
def test_recalls_are_those_of_the_guide_and_of_the_theory(way: str, name: str) -> None:
    graph = load(name)
    rows = recall_rows(graph, WAYS[way](links_of(graph)), k=10, runs=RUNS)
    told = [[float(figure) for figure in cell] for cell in told_in_guide(way, NAMES[name])]
    noisy, by_degree = ([mean for mean, _ in row] for row in rows.values())
    assert [noisy, by_degree] == [pytest.approx(means, abs=ROUNDING) for means in told]
    assert all(left < right for left, right in zip(noisy[:2], by_degree[:2], strict=True))
    if (way, name) in THEORY:
        means, share = THEORY[way, name]
        assert noisy == pytest.approx(means, abs=SPREAD)
        assert by_degree == pytest.approx([share] * 3, abs=SPREAD)
    largest = max(error for row in rows.values() for _, error in row)
    told_error = SECTION.split("standard errors at most ")[1].split(":")[0]
    assert largest < float(told_error) + 0.0005
    assert (way, name) != LEAST_SURE or short([largest], 3) == [told_error]


@with_data
@graphs
def test_what_the_noise_is_held_against_is_told_in_the_guide(name: str) -> None:
    graph = load(name)
    links = links_of(graph)
    around = [neighbours_and_stranger(graph, links, place) for place in SEEDS]
    ranks, moved = ([pair[part] for pair in around] for part in (0, 1))
    units = reach_units(graph, reach(links)).tolist()
    assert told_in_guide(NAMES[name]) == [
        short([top_edge(links, eigenvector(links))], 1),
        short(units, 1),
        short(ranks, 3),
        short(moved, 3),
    ]
    assert all(rank < change / 2 for rank, change in around)
