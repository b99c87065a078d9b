"""Bare passes over the walks of a statistic of a graph, to hold it against; and the memory of a process."""

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from dampen import Graph
from dampen.graphs import ego_kernels, renumber
from dampen.graphs.threads import new_halt

MEMORY = """
import sys
import numpy as np
from dampen import Graph

def peak():
    [line] = [line for line in open("/proc/self/status") if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024

Graph.from_edges([0, 1, 2], [1, 2, 0], nodes=4).ego_betweenness()
ends, share = np.load(sys.argv[1]), float(sys.argv[3])
kept = np.random.default_rng(0).random(ends.shape[1]) < share
src, dst = ends[0, kept], ends[1, kept]
del ends, kept
open("/proc/self/clear_refs", "w").write("5")
before = peak()
Graph.from_edges(src, dst, nodes=int(sys.argv[2])).ego_betweenness()
print(peak() - before, len(src))
"""
"""The peak is Linux's, set back to what is in use before the graph is built."""


@njit(cache=True)
def _walk_wedges(offsets: Any, middles: Any, neighbours: Any, memory: Any, halt: Any) -> int:
    place, tails, tips, sizes, fill, row, _, ids, _, _, _, _ = memory
    total = 0
    for c in range(len(middles)):
        t = ego_kernels._ego_edges(c, offsets, middles, neighbours, place, tails, tips, halt)
        d: Any = np.int64(offsets[c + 1] - offsets[c])
        linked, _ = ego_kernels._relabel(t, d, tails, tips, sizes, ids, halt)
        ego_kernels._sort_rows(t, linked, tails, tips, sizes, fill, row, halt)
        for u in range(linked):
            for slot in range(sizes[u], sizes[u + 1]):
                w = row[slot]
                for far in range(sizes[w], sizes[w + 1]):
                    if row[far] >= u:
                        break
                    total += row[far]
    return total


@njit(cache=True)
def _walk_pairs(offsets: Any, neighbours: Any, ends: Any) -> None:
    for x in range(len(offsets) - 1):
        for slot in range(offsets[x], offsets[x + 1]):
            v = neighbours[slot]
            for far in range(offsets[v], offsets[v + 1]):
                ends[neighbours[far]] += 1


def bare_wedges(graph: Graph) -> Callable[[], object]:
    """One pass over the 2-paths of all ego networks: listed, sorted into rows, and walked without a count.

    The graph is renumbered by degree beforehand.
    """
    offsets, neighbours = graph.offsets.view(np.uint32), graph.neighbours.view(np.uint32)
    largest = int(graph.degrees().max())
    rows = renumber.by_degree(renumber.degree_order(offsets, largest), offsets, neighbours, 1)
    memory = ego_kernels.scratch(graph.nodes, largest, int(ego_kernels.scan_lengths(*rows).max()), 0)
    return lambda: _walk_wedges(*rows, memory, new_halt())


def bare_walks(graph: Graph) -> Callable[[], object]:
    """One pass over all walks x - v - y, as many as the sum of squared degrees; each adds 1 at its end."""
    ends = np.zeros(graph.nodes, dtype=np.uint32)
    return lambda: _walk_pairs(graph.offsets.view(np.uint32), graph.neighbours.view(np.uint32), ends)


def megabytes(graph: Graph, folder: Path, share: float = 1.0) -> tuple[float, int]:
    """Memory over imports and edges of a process that builds the graph from arrays and computes EBC; and its edges."""
    np.save(folder / "ends.npy", np.array(graph.edges()))
    command = [sys.executable, "-c", MEMORY, str(folder / "ends.npy"), str(graph.nodes), str(share)]
    held, edges = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(held), int(edges)


def growth(graph: Graph, folder: Path) -> float:
    """The power of the number of edges by which memory grows, from a random half of them to all."""
    (half, few), (whole, many) = megabytes(graph, folder, 0.5), megabytes(graph, folder)
    return math.log(whole / half) / math.log(many / few)
