"""How soon Ctrl-C is heard while graphs are read, counted and asked.

Run ``python -m benchmarks.interrupts`` from the project's root; ``--edges 100000000`` takes a quarter of an hour and
10 GB. Every count runs once to the end, and then again and again while the signal comes at other moments, spread over
the time that it took. A figure is the longest time from the signal until the count has ended; a signal that comes when
it is done tells nothing and is not counted.
"""

import argparse
import json
import os
import signal
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from time import perf_counter
from typing import Any, NamedTuple

import duckdb
import numpy as np

from benchmarks.graphs import DENSE, dense_graph
from benchmarks.huge_graphs import power_law, write_edges
from benchmarks.targets import Target
from dampen import Budget, Graph, count_subgraphs, top_nodes
from dampen.describe.conditions import Between
from dampen.graphs.kept_rows import count_rows_kept
from dampen.tables.engines import Source

MOST_SECONDS = 1.0
RESULTS = Path(__file__).resolve().parent / "results" / "interrupts.json"

Action = Callable[[], Any]


class Seen(NamedTuple):
    """Of one action: how long it takes, how long it goes on at most after a signal, and how many signals met it."""

    seconds: float
    wait: float
    signals: int


def interrupt_often(action: Action, moments: int) -> Seen:
    """Signals at so many moments, spread over the time that the action takes."""
    action()  # compiled code is warm
    start = perf_counter()
    action()
    seconds = perf_counter() - start
    waits = [_wait(action, seconds * (moment + 0.5) / moments) for moment in range(moments)]
    heard = [wait for wait in waits if wait is not None]
    return Seen(seconds, max(heard, default=0.0), len(heard))


def _wait(action: Action, moment: float) -> float | None:
    sent = [0.0]

    def interrupt() -> None:
        sent[0] = perf_counter()
        os.kill(os.getpid(), signal.SIGINT)

    timer = Timer(moment, interrupt)
    timer.start()
    try:
        action()
        timer.cancel()
        timer.join()
    except KeyboardInterrupt:
        return perf_counter() - sent[0]
    return None  # done before the signal


def actions(edges: int, folder: Path) -> dict[str, Action]:
    """What is interrupted: graphs with a power law of degrees, one of them under a hub, and dense ones."""
    nodes, src, dst = power_law(edges)
    file = str(folder / "edges.parquet")
    write_edges(file, src, dst)
    graph = Graph.from_edges(src, dst, nodes=nodes)

    def ask(**how: Any) -> Action:
        return lambda: top_nodes(graph, 10, epsilon=6, budget=Budget(epsilon=6), **how)

    def count(pattern: str, k: int | None = None, unit: str = "edge") -> Action:
        return lambda: count_subgraphs(graph, pattern, k=k, unit=unit, epsilon=1, budget=Budget(epsilon=1, unit=unit))

    everywhere = np.arange(1, nodes, dtype=src.dtype)  # one node is joined to all others
    hub = Graph.from_edges(np.concatenate([src, 0 * everywhere]), np.concatenate([dst, everywhere]), nodes=nodes)

    def count_under_hub(pattern: str) -> Action:
        return lambda: count_subgraphs(hub, pattern, epsilon=1, budget=Budget(epsilon=1))

    connection = duckdb.connect()
    distinct = connection.sql(f"select distinct src, dst from '{file}'")
    few = Source(file, where=[Between("src", Fraction(0), Fraction(nodes // 20))])

    return {
        "build from arrays": lambda: Graph.from_edges(src, dst, nodes=nodes),
        "build from Parquet": lambda: Graph.from_file(file, src="src", dst="dst", nodes=nodes),
        "build from few rows of Parquet": lambda: Graph.from_file(few, src="src", dst="dst", nodes=nodes),
        "build from a relation": lambda: Graph.from_frame(distinct, src="src", dst="dst", nodes=nodes),
        "EBC": graph.ego_betweenness,
        "top-10 by level": ask(method="level"),
        "top-10 by local_dampening": ask(method="local_dampening"),
        "top-10 by PageRank": ask(score="pagerank"),
        "top-10 by core": ask(score="core"),
        "top-10 by degree, with scores": ask(score="degree", with_scores=True),
        "top-10 by degree of a graph cut down": ask(score="degree", max_degree=50),
        "triangles": count("triangle"),
        "3-stars": count("k-star", 3),
        "2-triangles": count("2-triangle"),
        "4-cliques": count("k-clique", 4),
        "edges, a node hidden": count("edge", unit="node"),
        "edge supports": graph.edge_supports,
        "rows kept": lambda: count_rows_kept(src, dst, [2**power for power in range(12)], nodes=nodes),
        "EBC, a hub over all": hub.ego_betweenness,
        "triangles, a hub over all": count_under_hub("triangle"),
        "2-triangles, a hub over all": count_under_hub("2-triangle"),
        **{f"EBC of {name}": dense_graph(size, p).ego_betweenness for name, (size, p, _) in DENSE.items()},
    }


def main() -> None:
    """Measure, print and write as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interrupts", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--edges", type=int, default=20_000_000)
    parser.add_argument("--moments", type=int, default=8, help="so many signals for each count")
    chosen = parser.parse_args()
    found = dict[str, Seen]()
    with TemporaryDirectory() as folder:
        for name, action in actions(chosen.edges, Path(folder)).items():
            seen = found[name] = interrupt_often(action, chosen.moments)
            told = (
                f"{seen.signals} signals heard after at most {seen.wait:.2f} s" if seen.signals else "no signal met it"
            )
            print(f"{name:<37} {seen.seconds:8.2f} s, {told}", flush=True)
    waits = {name: seen.wait for name, seen in found.items() if seen.signals}
    print(Target(f"Ctrl-C is heard within {MOST_SECONDS:.0f} s", MOST_SECONDS, waits).line())
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"edges": chosen.edges, "seconds": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
