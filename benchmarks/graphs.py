"""Graphs: ego betweenness, ranks, edge supports and private top-20 lists of the papers' graphs, against their peers.

Run ``python -m benchmarks.graphs`` from the project's root with ``DAMPEN_DATA`` set. Peers that are not installed are
left out and named. benchmarks/README.md says what is timed.
"""

import argparse
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks import graph_peers, graph_walks, huge_graphs
from benchmarks.targets import Target
from benchmarks.timing import Run, interleaved_medians, stopwatch
from dampen import Budget, Graph, datasets, top_nodes
from dampen.graphs.node_scores import distance_two_sums
from dampen.queries.graph.level import pair_weights, weight_bits

GRAPHS = ("enron", "github", "dblp", "gowalla")
GROWING = ("amazon", "stanford")
K, EPSILON = 20, 1
EBC, EBC_ALONE, WEDGES = "EBC", "EBC, one thread", "bare pass over wedges"
DAMPENED, LEVEL = "top-20 by local_dampening", "top-20 by level"
SUMS_ALONE, WALKS = "distance-2 sums, one thread", "bare pass over 2-walks"
PAGERANK, CORES = "PageRank", "core numbers"
SUPPORTS, NETWORKIT, SCIPY = "edge supports", "networkit", "scipy A @ A"
SECONDS = {
    EBC: {"enron": 0.12, "github": 0.22, "dblp": 0.40},
    DAMPENED: {"enron": 0.15, "github": 0.25, "dblp": 0.5},
    LEVEL: {"enron": 0.4, "github": 1.2, "dblp": 0.8},
    SUPPORTS: {"dblp": 0.1},
}
"""By the clock, with all threads."""
DENSE = {"a clique of 3000": (3000, 1.0, 5), "2500 nodes of density .9": (2500, 0.9, 10)}
"""Nodes, share of the pairs that have an edge, and seconds by the clock that EBC may take."""
AGAINST_IGRAPH = {"enron": 20, "github": 35, "dblp": 40}
AGAINST_NETWORKX = dict.fromkeys(GRAPHS, 700)
RANKS_AGAINST: dict[tuple[str, str], dict[str, float]] = {
    (PAGERANK, "igraph"): {"enron": 1, "dblp": 1},
    (PAGERANK, "networkx"): {"enron": 4, "dblp": 4},
    (CORES, "igraph"): {"enron": 1.5, "dblp": 1.5},
    (CORES, "networkx"): {"enron": 50, "dblp": 50},
}
"""One thread on both sides, by the processor."""
AGAINST_WEDGES = {"enron": 2, "dblp": 2, "github": 3, "gowalla": 3}
AGAINST_WALKS = {"enron": 2, "github": 2, "dblp": 2}
ALLOWANCE = 60.0
RESULTS = Path(__file__).resolve().parent / "results" / "graphs.json"

Figures = dict[str, dict[str, float]]
"""Seconds, by graph and by what was done."""


def cpu(action: Callable[[], object]) -> Run:
    """A run that times the processor, not the clock: fair to programs of one thread on a busy machine."""

    def run() -> float:
        start = process_time()
        action()
        return process_time() - start

    return run


def measured(name: str, graph: Graph, rounds: int, peers: list[str]) -> dict[str, float]:
    """Medians of everything about one graph, and what peers would take for it."""
    runs = {**_by_the_clock(graph), **_by_the_processor(graph)}
    if name in SECONDS[SUPPORTS]:
        runs[SCIPY] = graph_peers.supports_by_scipy(graph)
        if NETWORKIT in peers:
            runs[NETWORKIT] = graph_peers.supports_by_networkit(graph)
    runs |= _ranks(graph, peers)
    interleaved_medians(runs, rounds=1, allowance=ALLOWANCE)
    found = {who: each.seconds for who, each in interleaved_medians(runs, rounds=rounds, allowance=ALLOWANCE).items()}
    for peer, everything in {"igraph": graph_peers.ego_by_igraph, "networkx": graph_peers.ego_by_networkx}.items():
        if peer in peers:
            found |= {f"{peer}, {kind} (extrapolated)": part for kind, part in asdict(everything(graph)).items()}
    return found


def dense_graph(nodes: int, density: float) -> Graph:
    """Each pair has an edge with this probability; the same graph every time."""
    src, dst = np.triu_indices(nodes, 1)
    kept = np.random.default_rng(0).random(len(src)) < density
    return Graph.from_edges(src[kept], dst[kept], nodes=nodes)


def dense_seconds(rounds: int) -> dict[str, float]:
    """Seconds by the clock that EBC of the dense graphs takes."""
    runs = {name: stopwatch(dense_graph(nodes, p).ego_betweenness) for name, (nodes, p, _) in DENSE.items()}
    found = interleaved_medians(runs, rounds=min(rounds, 3), allowance=ALLOWANCE)
    return {name: each.seconds for name, each in found.items()}


def _by_the_clock(graph: Graph) -> dict[str, Run]:
    def listed(method: str) -> Callable[[], object]:
        return lambda: top_nodes(graph, K, epsilon=EPSILON, budget=Budget(epsilon=EPSILON), method=method)

    return {
        EBC: stopwatch(graph.ego_betweenness),
        DAMPENED: stopwatch(listed("local_dampening")),
        LEVEL: stopwatch(listed("level")),
        SUPPORTS: stopwatch(graph.edge_supports),
    }


def _by_the_processor(graph: Graph) -> dict[str, Run]:
    weights = pair_weights(Fraction(1, 2), weight_bits(graph.nodes), int(graph.degrees().max()) + 1)
    return {
        EBC_ALONE: cpu(lambda: graph.ego_betweenness(threads=1)),
        WEDGES: cpu(graph_walks.bare_wedges(graph)),
        SUMS_ALONE: cpu(lambda: distance_two_sums(graph.offsets, graph.neighbours, weights, threads=1)),
        WALKS: cpu(graph_walks.bare_walks(graph)),
    }


def _ranks(graph: Graph, peers: list[str]) -> dict[str, Run]:
    """PageRank and core numbers, by one thread; and by the peers that are installed."""
    makers = {"igraph": graph_peers.ranks_by_igraph, "networkx": graph_peers.ranks_by_networkx}
    others = {
        f"{what}, {peer}": cpu(action)
        for peer, make in makers.items()
        if peer in peers
        for what, action in make(graph).items()
    }
    return {PAGERANK: cpu(lambda: graph.pagerank(threads=1)), CORES: cpu(graph.core_numbers), **others}


def targets(
    found: Figures, dense: Mapping[str, float], held: Mapping[str, float], grown: Mapping[str, float]
) -> list[Target]:
    """The promises about graphs."""
    igraph, networkx = "igraph, cpu (extrapolated)", "networkx, wall (extrapolated)"
    return [
        *(
            Target(f"{what} of {name} in {limit} s", limit, {name: found[name][what]} if name in found else {})
            for what, limits in SECONDS.items()
            for name, limit in limits.items()
        ),
        *(Target(f"EBC of {name} in {DENSE[name][2]} s", DENSE[name][2], {name: dense[name]}) for name in dense),
        *_ratios(found, igraph, EBC_ALONE, AGAINST_IGRAPH, "EBC of {} {} times as fast as igraph, one thread", True),
        *_ratios(found, networkx, EBC, AGAINST_NETWORKX, "EBC of {} {} times as fast as networkx", True),
        *_ratios(found, EBC_ALONE, WEDGES, AGAINST_WEDGES, "EBC of {} in {} bare passes over its wedges"),
        *_ratios(found, SUMS_ALONE, WALKS, AGAINST_WALKS, "distance-2 sums of {} in {} bare passes over 2-walks"),
        *_ratios(found, NETWORKIT, SUPPORTS, {"dblp": 2}, "edge supports of {} {} times as fast as networkit", True),
        *_ratios(found, SCIPY, SUPPORTS, {"dblp": 8}, "edge supports of {} {} times as fast as scipy's A @ A", True),
        *(
            target
            for (what, peer), limits in RANKS_AGAINST.items()
            for target in _ratios(
                found, f"{what}, {peer}", what, limits, what + " of {} {} times as fast as " + peer, True
            )
        ),
        Target("EBC up to 1M edges takes 100 MB over imports", 100, held),
        Target("its memory grows with edges to the power of 1.1", 1.1, grown),
    ]


def _ratios(
    found: Figures, over: str, under: str, limits: Mapping[str, float], promise: str, at_least: bool = False
) -> list[Target]:
    """One target per graph; one that was not measured says so."""
    return [
        Target(
            promise.format(name, limit) + (" (extrapolated)" if "extrapolated" in over else ""),
            limit,
            {name: found[name][over] / found[name][under]} if over in found.get(name, {}) else {},
            at_least,
        )
        for name, limit in limits.items()
    ]


def main() -> None:
    """Measure, print and write as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graphs", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three rounds; too few for verdicts")
    parser.add_argument(
        "--huge", action="store_true", help="power-law graphs of up to 100M edges, too: minutes and 10 GB"
    )
    chosen = parser.parse_args()
    rounds = 3 if chosen.quick else 15
    peers, start = graph_peers.installed(), perf_counter()
    missing = [name for name in graph_peers.PEERS if name not in peers]
    print(f"not installed: {', '.join(missing)}" if missing else "all peers are installed")
    found: Figures = {}
    held, grown, loads = {}, {}, {}
    with TemporaryDirectory() as name_of_folder:
        folder = Path(name_of_folder)
        for name in GRAPHS:
            graph = getattr(datasets, f"load_{name}")()
            held[name] = graph_walks.megabytes(graph, folder)[0]
            found[name] = measured(name, graph, rounds, peers)
            loads[name] = os.getloadavg()[0]
            _show(name, found[name], held[name], loads[name])
        for name in GROWING:
            grown[name] = graph_walks.growth(getattr(datasets, f"load_{name}")(), folder)
    dense = dense_seconds(rounds)
    print(f"EBC of dense graphs, seconds: {dense}")
    huge = huge_graphs.measure_all() if chosen.huge else {}
    verdicts = targets(found, dense, held, grown) + huge_graphs.targets(huge)
    print(*(target.line() for target in verdicts), sep="\n")
    print(f"memory over imports: {held} MB; exponents: {grown}; {perf_counter() - start:.0f} s in all")
    figures = {"load": loads, "seconds": found, "dense": dense, "huge": huge, "megabytes": held, "exponents": grown}
    _write(figures, verdicts)


def _show(name: str, seconds: Mapping[str, float], megabytes: float, load: float) -> None:
    print(f"{name}: load {load:.1f} on {os.cpu_count()} processors, {megabytes:.0f} MB", flush=True)
    for what, figure in seconds.items():
        print(f"  {what:<34} {figure:12.4f}")


def _write(figures: dict[str, Any], verdicts: list[Target]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    lines = [{"promise": each.promise, "met": each.met, "ratios": dict(each.ratios)} for each in verdicts]
    RESULTS.write_text(json.dumps({**figures, "targets": lines}, indent=1) + "\n")


if __name__ == "__main__":
    main()
