"""The papers' data sets; where they are not on this machine, seeded stand-ins of the same shape.

A stand-in has the published number of records, nodes and edges, and about the published largest value. It serves to try
the code without the data: figures drawn from it say so, and docs/papers.md holds none.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from dampen import Graph, datasets
from dampen.datasets.loading import data_folders
from dampen.vectors import Floats, Integers
from experiments.results import PUBLISHED, SYNTHETIC

GRAPH_SHAPES = {
    "enron": (36_692, 183_831, 1_383),
    "dblp": (317_080, 1_049_866, 343),
    "github": (37_700, 289_003, 9_458),
    "gowalla": (196_591, 950_327, 14_730),
}
"""Nodes, edges and the largest degree, as published."""
HISTOGRAM_SHAPES = {"PATENT": (6.2, 5_700, 1.0), "HEPTH": (21.2, 55, 1.2), "INCOME": (45.0, 700, 2.4)}
"""The percentage of zeros, and of the others the median and the spread of the logarithm."""
SALARIES = 148_654


def source(needs: Sequence[str]) -> str:
    """Whether all of these are here as published."""
    named = [datasets.CATALOGUE[name].file for name in needs]
    here = all(any((folder / file).is_file() for folder in data_folders()) for file in named)
    return PUBLISHED if here else SYNTHETIC


@lru_cache(maxsize=1)
def graph(name: str) -> Graph:
    """A graph, one at a time in memory."""
    if source((name,)) == SYNTHETIC:
        return synthetic_graph(*GRAPH_SHAPES[name], seed=len(name))
    loaded: Graph = getattr(datasets, f"load_{name}")()
    return loaded


def synthetic_graph(nodes: int, edges: int, largest: int, seed: int) -> Graph:
    """Ends drawn with weights that fall by a power of the rank, from the largest degree to the mean."""
    rng = np.random.default_rng(seed)
    ranks = np.arange(1, nodes + 1)
    powers = np.linspace(0.1, 1.5, 141)
    expected = [2 * edges / (ranks**-power).sum() for power in powers]
    weights = ranks ** -powers[int(np.argmin(np.abs(np.array(expected) - largest)))]
    weights = weights / weights.sum()
    pairs = np.empty((0, 2), dtype=np.int64)
    while len(pairs) < edges:
        drawn = rng.choice(nodes, size=(edges, 2), p=weights)
        drawn.sort(axis=1)
        pairs = np.unique(np.vstack([pairs, drawn[drawn[:, 0] < drawn[:, 1]]]), axis=0)
    kept = pairs[np.sort(rng.choice(len(pairs), edges, replace=False))]
    return Graph.from_edges(kept[:, 0], kept[:, 1], nodes=nodes)


@lru_cache(maxsize=3)
def histogram(name: str) -> Integers:
    """The 4096 counts of a DPBench histogram."""
    if source((name,)) == PUBLISHED:
        return datasets.load_dpbench(name)
    zeros, median, spread = HISTOGRAM_SHAPES[name]
    rng = np.random.default_rng(len(name))
    counts: Integers = np.ceil(median * np.exp(spread * rng.standard_normal(4096))).astype(np.int64)
    counts[rng.random(4096) < zeros / 100] = 0
    return counts


@lru_cache(maxsize=1)
def salaries() -> Floats:
    """What each employee was paid in all, none of it negative."""
    if source(("sf_salaries",)) == PUBLISHED:
        return np.maximum(np.asarray(datasets.load_sf_salaries()["TotalPay"], dtype=np.float64), 0)
    rng = np.random.default_rng(0)
    return np.asarray(np.minimum(70_000 * np.exp(0.75 * rng.standard_normal(SALARIES)), 567_595.43).round(2))
