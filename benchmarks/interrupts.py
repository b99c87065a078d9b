"""How soon Ctrl-C is heard while graphs are read, counted and asked.

Run ``python -m benchmarks.interrupts`` from the project's root; ``--edges 100000000`` takes a quarter of an hour and
10 GB. Every count runs once to the end, and then again and again while the signal comes at other moments, spread over
the time that it took. A figure is the longest time from the signal until the count has ended.
"""

import argparse
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from time import perf_counter
from typing import Any

from benchmarks.graphs import DENSE, dense_graph
from benchmarks.huge_graphs import power_law, write_edges
from benchmarks.targets import Target
from dampen import Budget, Graph, count_subgraphs, top_nodes
from dampen.graphs.kept_rows import count_rows_kept

MOST_SECONDS = 1.0
RESULTS = Path(__file__).resolve().parent / "results" / "interrupts.json"

Action = Callable[[], Any]


def longest_wait(action: Action, moments: int) -> tuple[float, float]:
    """How long the action takes, and how long it goes on at most after an interrupt."""
    action()  # compiled code is warm
    start = perf_counter()
    action()
    seconds = perf_counter() - start
    waits = [_wait(action, seconds * (moment + 0.5) / moments) for moment in range(moments)]
    return seconds, max(waits)


def _wait(action: Action, moment: float) -> float:
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
    return 0.0  # done before the signal


def actions(edges: int, folder: Path) -> dict[str, Action]:
    """What is interrupted: graphs with a power law of degrees, and dense ones."""
    nodes, src, dst = power_law(edges)
    file = str(folder / "edges.parquet")
    write_edges(file, src, dst)
    graph = Graph.from_edges(src, dst, nodes=nodes)

    def ask(**how: Any) -> Action:
        return lambda: top_nodes(graph, 10, epsilon=6, budget=Budget(epsilon=6), **how)

    def count(pattern: str, k: int | None = None) -> Action:
        return lambda: count_subgraphs(graph, pattern, k=k, epsilon=1, budget=Budget(epsilon=1))

    return {
        "build from arrays": lambda: Graph.from_edges(src, dst, nodes=nodes),
        "build from Parquet": lambda: Graph.from_file(file, src="src", dst="dst", nodes=nodes),
        "EBC": graph.ego_betweenness,
        "top-10 by level": ask(method="level"),
        "top-10 by local_dampening": ask(method="local_dampening"),
        "top-10 by PageRank": ask(score="pagerank"),
        "top-10 by core": ask(score="core"),
        "triangles": count("triangle"),
        "3-stars": count("k-star", 3),
        "2-triangles": count("2-triangle"),
        "edge supports": graph.edge_supports,
        "rows kept": lambda: count_rows_kept(src, dst, [2**power for power in range(12)], nodes=nodes),
        **{f"EBC of {name}": dense_graph(size, p).ego_betweenness for name, (size, p, _) in DENSE.items()},
    }


def main() -> None:
    """Measure, print and write as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interrupts", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--edges", type=int, default=20_000_000)
    parser.add_argument("--moments", type=int, default=8, help="so many signals for each count")
    chosen = parser.parse_args()
    found = dict[str, tuple[float, float]]()
    with TemporaryDirectory() as folder:
        for name, action in actions(chosen.edges, Path(folder)).items():
            found[name] = longest_wait(action, chosen.moments)
            print(f"{name:<34} {found[name][0]:8.2f} s, heard after at most {found[name][1]:.2f} s", flush=True)
    waits = {name: wait for name, (_, wait) in found.items()}
    print(Target(f"Ctrl-C is heard within {MOST_SECONDS:.0f} s", MOST_SECONDS, waits).line())
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"edges": chosen.edges, "seconds": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
