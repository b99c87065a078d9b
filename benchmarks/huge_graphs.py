"""Graphs of up to 100M edges with a power law of degrees: how time grows with what is to be walked.

``python -m benchmarks.graphs --huge`` measures each size in a process of its own, so that its peak of memory is known;
``python -m benchmarks.huge_graphs 2000000`` measures one.
"""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.targets import Target
from dampen import Budget, Graph, top_nodes
from dampen.graphs import node_scores, renumber
from dampen.graphs.stretches import stretches

SIZES = (2_000_000, 8_000_000, 20_000_000, 50_000_000, 100_000_000)
MEAN_DEGREE = 20
EXPONENT = 2.5
"""The share of nodes of degree d falls as d to the power of minus this."""
AT_ONCE = 2**22
STEP = 2_654_435_761
"""A prime that is larger than any number of nodes: by it numbers of nodes are mixed."""
EBC, LEVEL, BUILD, READ = "EBC", "top-10 by level", "build from arrays", "build from Parquet"
WEDGES, WALKS = "wedges", "walks"
WORK = {EBC: WEDGES, LEVEL: WALKS}
"""What the time of a question is held against: walks of two steps, or those alone that find all triangles.

An edge has as many wedges as the end of smaller degree has neighbours."""
MOST_SECONDS, MOST_GIGABYTES, GROWTH, EDGES_A_SECOND = 90, 10, 1.05, 10_000_000

Figures = dict[str, float]


def _top(epsilon: int, **how: Any) -> Callable[[Graph], object]:
    return lambda graph: top_nodes(graph, 10, epsilon=epsilon, budget=Budget(epsilon=epsilon), **how)


def _count(pattern: str, k: int | None = None) -> Callable[[Graph], object]:
    return lambda graph: graph.count(pattern, k=k, epsilon=1, budget=Budget(epsilon=1))


QUESTIONS = {
    LEVEL: _top(1, method="level"),
    "top-10 by PageRank": _top(5, score="pagerank"),
    "top-10 by core": _top(1, score="core"),
    "triangles": _count("triangle"),
    "3-stars": _count("k-star", 3),
    "2-triangles": _count("2-triangle"),
    "4-cliques": _count("k-clique", 4),
}
"""What may take long to answer of such a graph."""


def power_law(edges: int, seed: int = 0) -> tuple[int, NDArray[np.int32], NDArray[np.int32]]:
    """A random graph after Chung and Lu: how many nodes, and both ends of so many pairs.

    Each end is drawn by itself, node number floor(n u) with a probability in proportion to its weight
    w(u) = (1 - c u)^(-1/a), a = EXPONENT - 1. The largest expected degree is the square root of twice the number of
    edges: no pair then expects more than one edge. The integral of w is inverted in closed form. Numbers are then
    mixed, since large degrees are not neighbours in real files. A few pairs repeat each other or join a node with
    itself.
    """
    nodes, rng, power = 2 * edges // MEAN_DEGREE, np.random.default_rng(seed), 1 - 1 / (EXPONENT - 1)
    cut = _cut(math.sqrt(2 * edges) / MEAN_DEGREE, power)
    ends = np.empty((2, edges), dtype=np.int32)
    for first in range(0, edges, AT_ONCE):
        piece = ends[:, first : first + AT_ONCE]
        drawn = 1 - rng.random(piece.shape) * (1 - (1 - cut) ** power)
        places = np.minimum((1 - drawn ** (1 / power)) / cut * nodes, nodes - 1).astype(np.int64)
        piece[:] = places * STEP % nodes
    return nodes, ends[0], ends[1]


def _cut(largest: float, power: float) -> float:
    """The c for which the largest weight is so many times the mean one, by halving."""
    low, high = 0.0, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        mean = (1 - (1 - middle) ** power) / (power * middle)
        below = middle < 1 and (1 - middle) ** (power - 1) / mean < largest
        low, high = (middle, high) if below else (low, middle)
    return low


def measure(edges: int) -> Figures:
    """Seconds by the clock and of the processors, gigabytes, and walks of two steps; compiled code is warm."""
    _warm_up()
    nodes, *ends = power_law(edges)
    found: Figures = {"edges": edges}
    with TemporaryDirectory() as folder:
        file = str(Path(folder) / "edges.parquet")
        write_edges(file, *ends)
        _time(found, READ, lambda: Graph.from_file(file, src="src", dst="dst", nodes=nodes))
    graph = _time(found, BUILD, lambda: Graph.from_edges(*ends, nodes=nodes))
    ends.clear()
    degrees = graph.degrees()
    found[WALKS] = float((degrees * degrees).sum())
    found[WEDGES] = float(sum(np.minimum(degrees[tails], degrees[heads]).sum() for tails, heads in _pieces(graph)))
    found["largest degree"] = float(degrees.max())
    for _ in range(3):  # the shortest of them: fresh memory may take longer than the count
        _time(found, EBC, graph.ego_betweenness)
    for what, ask in QUESTIONS.items():
        _time(found, what, partial(ask, graph))
    found["gigabytes"] = _peak_memory()
    return found


def _pieces(graph: Graph) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32]]]:
    """Both ends of all edges, some at a time."""
    for first, last in stretches(graph.offsets):
        sizes = np.diff(graph.offsets[first : last + 1])
        tails, heads = (
            np.repeat(np.arange(first, last), sizes),
            graph.neighbours[graph.offsets[first] : graph.offsets[last]],
        )
        yield tails[tails < heads], heads[tails < heads]


def _peak_memory() -> float:
    """In gigabytes, by Linux; ``resource`` would count what the program that started this one holds, too."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 2**20


def _warm_up() -> None:
    """All code that the sizes need, on a graph that is large enough to be listed, and is cut and dealt all the same."""
    nodes, src, dst = power_law(2**20 + 2**16)
    graph = Graph.from_edges(src, dst, nodes=nodes)
    usual = node_scores.LEAST_CUT, renumber.LEAST_DEALT
    for node_scores.LEAST_CUT, renumber.LEAST_DEALT in ((0, 1), usual):
        graph.ego_betweenness()
        for ask in QUESTIONS.values():
            ask(graph)


def write_edges(file: str, src: NDArray[np.int32], dst: NDArray[np.int32]) -> None:
    """Both ends of every edge as a Parquet file."""
    import duckdb

    with duckdb.connect() as connection:
        connection.register("edges", {"src": src, "dst": dst})
        connection.execute(f"copy (select * from edges) to '{file}' (format parquet)")


def _time(found: Figures, what: str, action: Callable[[], Any]) -> Any:
    clock, processor = perf_counter(), process_time()
    result = action()
    taken = {what: perf_counter() - clock, f"{what}, processor": process_time() - processor}
    found.update({key: min(seconds, found.get(key, seconds)) for key, seconds in taken.items()})
    return result


def measure_all(sizes: tuple[int, ...] = SIZES) -> dict[int, Figures]:
    """Every size in a process of its own."""
    found = {}
    for size in sizes:
        command = [sys.executable, "-m", "benchmarks.huge_graphs", str(size)]
        found[size] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        print(f"{size} edges: {found[size]}", flush=True)
    return found


def growth(found: Mapping[int, Figures], what: str) -> float:
    """The power of its work by which time by the clock grows, from the fewest edges to the most."""
    few, many, work = found[min(found)], found[max(found)], WORK[what]
    return math.log(many[what] / few[what]) / math.log(many[work] / few[work])


def targets(found: Mapping[int, Figures]) -> list[Target]:
    """The promises about huge graphs; without figures nothing was measured."""
    most = max(SIZES)
    largest = {str(size): each for size, each in found.items() if size == most}
    return [
        *(
            Target(f"{what} of {most} edges in {MOST_SECONDS} s", MOST_SECONDS, _each(largest, what))
            for what in (EBC, *QUESTIONS)
        ),
        *(
            Target(
                f"{what} grows with {work} to the power of {GROWTH}",
                GROWTH,
                dict.fromkeys(largest, growth(found, what) if largest else 0),
            )
            for what, work in WORK.items()
        ),
        Target(f"{most} edges take {MOST_GIGABYTES} GB", MOST_GIGABYTES, _each(largest, "gigabytes")),
        Target(
            f"{EDGES_A_SECOND} edges a second are built from Parquet",
            EDGES_A_SECOND,
            {str(size): size / each[READ] for size, each in found.items()},
            True,
        ),
    ]


def _each(found: Mapping[str, Figures], what: str) -> dict[str, float]:
    return {size: each[what] for size, each in found.items()}


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
