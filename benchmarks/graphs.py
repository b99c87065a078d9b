"""Statistics of graphs: ego betweenness and edge supports of the papers' graphs, against igraph, networkx and others.

Run ``python -m benchmarks.graphs`` from the project's root with ``DAMPEN_DATA`` set. Peers that are not installed are
left out and named. benchmarks/README.md says what is timed.
"""

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numba import njit

from benchmarks.targets import Target
from benchmarks.timing import Measured, Run, interleaved_medians, stopwatch
from dampen import Graph, datasets
from dampen.statistics import ego_kernels

GRAPHS = ("enron", "github", "dblp", "gowalla")
SECONDS = {"enron": 0.12, "github": 0.22, "dblp": 0.40}
AGAINST_IGRAPH = {"enron": 20, "github": 35, "dblp": 40}
AGAINST_WALK = {"enron": 2, "dblp": 2, "github": 3, "gowalla": 3}
GROWING = ("amazon", "stanford")
SAMPLE, HUBS = 200, 10
"""networkx is timed on so many nodes, evenly spaced by degree, igraph on five times as many and on the largest hubs."""
RESULTS = Path(__file__).resolve().parent / "results" / "graphs.json"

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
def walk_wedges(offsets: Any, middles: Any, neighbours: Any, memory: Any) -> int:
    """One bare pass over the 2-paths of all ego networks: found and laid out alike, then walked without a count."""
    place, tails, tips, sizes, fill, row, _, ids, _, _ = memory
    total = 0
    for c in range(len(middles)):
        t = ego_kernels._ego_edges(c, offsets, middles, neighbours, place, tails, tips)
        d: Any = np.int64(offsets[c + 1] - offsets[c])
        linked, _ = ego_kernels._relabel(t, d, tails, tips, sizes, ids)
        ego_kernels._sorted_rows(t, linked, tails, tips, sizes, fill, row)
        for u in range(linked):
            for slot in range(sizes[u], sizes[u + 1]):
                w = row[slot]
                for far in range(sizes[w], sizes[w + 1]):
                    if row[far] >= u:
                        break
                    total += row[far]
    return total


def cpu(action: Callable[[], object]) -> Run:
    """A run that times the processor, not the clock: fair to programs of one thread on a busy machine."""

    def run() -> float:
        start = process_time()
        action()
        return process_time() - start

    return run


def bare_walk(graph: Graph) -> Callable[[], object]:
    """The bare pass, with the graph renumbered by degree beforehand."""
    order = np.argsort(graph.degrees(), kind="stable").astype(np.uint32)
    rows = ego_kernels.by_degree(order, graph.offsets.view(np.uint32), graph.neighbours.view(np.uint32))
    lengths = ego_kernels.scan_lengths(*rows)
    memory = ego_kernels.scratch(graph.nodes, int(graph.degrees().max()), int(lengths.max()))
    return lambda: walk_wedges(*rows, memory)


def by_igraph(graph: Graph) -> float:
    """CPU seconds for the betweenness of every node in the subgraph of itself and its neighbours; extrapolated."""
    made = import_module("igraph").Graph(graph.nodes, np.column_stack(graph.edges()).tolist())

    def one(node: int) -> None:
        ids = sorted([node, *made.neighbors(node)])
        made.induced_subgraph(ids).betweenness(vertices=ids.index(node), directed=False)

    return _extrapolated(graph, one, hubs=HUBS, sample=5 * SAMPLE)


def by_networkx(graph: Graph) -> float:
    """The same with networkx, hubs left out."""
    nx = import_module("networkx")
    made = nx.Graph()
    made.add_nodes_from(range(graph.nodes))
    made.add_edges_from(zip(*(ends.tolist() for ends in graph.edges()), strict=True))

    def one(node: int) -> None:
        nx.betweenness_centrality(nx.ego_graph(made, node), normalized=False)

    return _extrapolated(graph, one, hubs=0, sample=SAMPLE)


def _extrapolated(graph: Graph, one: Callable[[int], object], hubs: int, sample: int) -> float:
    """The hubs themselves, and nodes evenly spaced by degree for all others."""
    order = np.argsort(graph.degrees(), kind="stable")
    others = order[: graph.nodes - hubs]
    chosen = others[np.linspace(0, len(others) - 1, sample + 2).astype(int)[1:-1]]
    exact = cpu(lambda: [one(node) for node in order[graph.nodes - hubs :].tolist()])()
    return exact + cpu(lambda: [one(node) for node in chosen.tolist()])() * len(others) / len(chosen)


def ego(name: str, graph: Graph, rounds: int, peers: list[str]) -> dict[str, float]:
    """Seconds of everybody who computes ego betweenness."""
    graph.ego_betweenness()
    wall = interleaved_medians({"dampen": stopwatch(graph.ego_betweenness)}, rounds=rounds, allowance=60)
    walk = bare_walk(graph)
    walk()
    runs = {"dampen, one thread": cpu(lambda: graph.ego_betweenness(threads=1)), "bare walk": cpu(walk)}
    measured: dict[str, Measured] = wall | interleaved_medians(runs, rounds=rounds, allowance=60)
    seconds = {who: figure.seconds for who, figure in measured.items()}
    if "igraph" in peers and name in AGAINST_IGRAPH:
        seconds["igraph (extrapolated)"] = by_igraph(graph)
    if "networkx" in peers:
        seconds["networkx (extrapolated)"] = by_networkx(graph)
    return seconds


def supports(graph: Graph, rounds: int, peers: list[str]) -> dict[str, float]:
    """Seconds of everybody who counts triangles at edges."""
    from scipy import sparse

    ones = np.ones(len(graph.neighbours), dtype=np.int32)
    matrix = sparse.csr_array((ones, graph.neighbours, graph.offsets), shape=(graph.nodes, graph.nodes))
    runs: dict[str, Run] = {
        "dampen": stopwatch(graph.edge_supports),
        "scipy A @ A": stopwatch(lambda: (matrix @ matrix).multiply(matrix)),
    }
    if "networkit" in peers:
        networkit = import_module("networkit")
        made = networkit.Graph(graph.nodes)
        for src, dst in zip(*(ends.tolist() for ends in graph.edges()), strict=True):
            made.addEdge(src, dst)
        made.indexEdges()
        runs["networkit"] = stopwatch(lambda: networkit.sparsification.TriangleEdgeScore(made).run())
    return {who: figure.seconds for who, figure in interleaved_medians(runs, rounds=rounds, allowance=60).items()}


def memory(graph: Graph, folder: Path, share: float = 1.0) -> tuple[float, int]:
    """Megabytes over imports and edges of a process that builds the graph from arrays and computes; and its edges."""
    np.save(folder / "ends.npy", np.array(graph.edges()))
    command = [sys.executable, "-c", MEMORY, str(folder / "ends.npy"), str(graph.nodes), str(share)]
    megabytes, edges = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return float(megabytes), int(edges)


def exponent(graph: Graph, folder: Path) -> float:
    """How memory grows with edges, from a random half of them to all."""
    (half, few), (whole, many) = memory(graph, folder, 0.5), memory(graph, folder)
    return math.log(whole / half) / math.log(many / few)


def targets(found: dict[str, dict[str, float]], held: dict[str, float], grown: dict[str, float]) -> list[Target]:
    """The promises of this page."""
    egos = {name: found[name] for name in GRAPHS if name in found}
    ours = "dampen, one thread"
    promises = [
        Target(f"EBC of {name} in {limit} s", limit, {name: egos[name]["dampen"]} if name in egos else {})
        for name, limit in SECONDS.items()
    ]
    for who, limits in {
        "igraph (extrapolated)": AGAINST_IGRAPH,
        "networkx (extrapolated)": dict.fromkeys(GRAPHS, 700),
    }.items():
        promises += [
            Target(f"EBC of {name} {limit} times as fast as {who}, one thread", limit, at_least=True,
                   ratios={name: egos[name][who] / egos[name][ours]} if who in egos.get(name, {}) else {})
            for name, limit in limits.items()
        ]  # fmt: skip
    promises += [
        Target(f"EBC of {name} in {limit} bare walks", limit, {name: egos[name][ours] / egos[name]["bare walk"]})
        for name, limit in AGAINST_WALK.items()
        if name in egos
    ]
    one = found["supports of dblp"]
    return [
        *promises,
        Target("EBC up to 1M edges takes 100 MB over imports", 100, held),
        Target("memory grows with edges to the power of 1.1", 1.1, grown),
        Target("edge supports of 1M edges in 0.1 s", 0.1, {"dblp": one["dampen"]}),
        Target("edge supports 2 times as fast as networkit", 2, at_least=True,
               ratios={"dblp": one["networkit"] / one["dampen"]} if "networkit" in one else {}),
        Target("edge supports 8 times as fast as scipy", 8, {"dblp": one["scipy A @ A"] / one["dampen"]}, True),
    ]  # fmt: skip


def main() -> None:
    """Measure, print and write as JSON."""
    from tempfile import TemporaryDirectory

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds, no memory of large graphs")
    quick = parser.parse_args().quick
    rounds = 3 if quick else 15
    peers = [name for name in ("igraph", "networkx", "networkit") if find_spec(name)]
    print("peers:", ", ".join(peers) or "none")
    found: dict[str, dict[str, float]] = {}
    held, grown = {}, {}
    with TemporaryDirectory() as name_of_folder:
        folder, start = Path(name_of_folder), perf_counter()
        for name in GRAPHS:
            graph = getattr(datasets, f"load_{name}")()
            found[name] = ego(name, graph, rounds, peers)
            held[name] = memory(graph, folder)[0]
            if name == "dblp":
                found["supports of dblp"] = supports(graph, rounds, peers)
        for name in () if quick else GROWING:
            grown[name] = exponent(getattr(datasets, f"load_{name}")(), folder)
    for what, seconds in found.items():
        for who, figure in seconds.items():
            print(f"{what:<18} {who:<26} {figure:12.4f} s")
    for target in targets(found, held, grown):
        print(target.line())
    print(f"memory over imports: {held} MB; exponents: {grown}; {perf_counter() - start:.0f} s in all")
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"seconds": found, "megabytes": held, "exponents": grown}, indent=1))


if __name__ == "__main__":
    main()
