"""What takes longer than at an earlier commit: graphs of the papers, and questions about tables, side by side.

Run ``python -m benchmarks.earlier COMMIT`` from the project's root with ``DAMPEN_DATA`` set. Each version runs in
processes of its own, in turn, with its own compiled code; a figure is the shortest of all its runs divided by that of
the earlier version. Only what both versions can be asked by the same words is timed.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from tarfile import TarFile
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from benchmarks.targets import Target

MOST = 1.05
GRAPHS = ("enron", "github", "dblp", "amazon", "gowalla", "facebook", "ca_grqc", "ca_hepth")
RESULTS = Path(__file__).resolve().parent / "results" / "earlier.json"

Figures = dict[str, float]


def shortest(action: Callable[[], object], clock: Callable[[], float], runs: int) -> float:
    """The shortest of some runs; compiled code and files are warm."""
    action()
    taken = []
    for _ in range(runs):
        start = clock()
        action()
        taken.append(clock() - start)
    return min(taken)


def time_graph(name: str, runs: int) -> Figures:
    """Seconds of one process: by the clock, EBC with one thread by the processor."""
    from dampen import Budget, Graph, count_subgraphs, datasets, top_nodes

    graph = getattr(datasets, f"load_{name}")()
    src, dst = graph.edges()

    def top(method: str) -> Callable[[], object]:
        return lambda: top_nodes(graph, 20, epsilon=1, budget=Budget(epsilon=1), method=method)

    def count(pattern: str, k: int | None = None) -> Callable[[], object]:
        return lambda: count_subgraphs(graph, pattern, k=k, epsilon=1, budget=Budget(epsilon=1))

    actions = {
        "build from arrays": lambda: Graph.from_edges(src, dst, nodes=graph.nodes),
        **{f"top-20 by {method}": top(method) for method in ("level", "local_dampening", "degree")},
        "edge supports": graph.edge_supports,
        "triangles": count("triangle"),
        "3-stars": count("k-star", 3),
        "2-triangles": count("2-triangle"),
        "4-cliques": count("k-clique", 4),
    }
    found = {what: shortest(action, perf_counter, runs) for what, action in actions.items()}
    return {**found, "EBC, one thread": shortest(lambda: graph.ego_betweenness(threads=1), process_time, runs)}


def time_tables(runs: int) -> Figures:
    """The same of questions that have nothing to do with graphs."""
    import numpy as np

    from dampen import Budget, median, select, top_k

    rng = np.random.default_rng(0)
    values, scores = rng.integers(0, 10_000, 10**6), dict(enumerate(rng.integers(0, 1000, 10**5).tolist()))

    def pay() -> Budget:
        return Budget(epsilon=1)

    actions: dict[str, Callable[[], object]] = {
        "median of 1e6": lambda: median(values, bounds=(0, 10_000), step=1, epsilon=1, budget=pay()),
        "select of 1e5": lambda: select(scores, sensitivity=1, epsilon=1, budget=pay()),
        "top 10 of 1e5": lambda: top_k(scores, 10, sensitivity=1, epsilon=1, budget=pay()),
    }
    return {what: shortest(action, perf_counter, runs) for what, action in actions.items()}


def unpack(commit: str, folder: Path) -> Path:
    """The sources of a commit."""
    packed = subprocess.run(["git", "archive", commit, "src"], stdout=subprocess.PIPE, check=True).stdout
    with TarFile(fileobj=BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
    return folder / "src"


def run_once(sources: Path, subject: str, runs: int, cache: Path) -> Figures:
    """One process of one version."""
    given = {"PYTHONPATH": f"{sources}{os.pathsep}.", "NUMBA_CACHE_DIR": str(cache / sources.parent.name)}
    command = [sys.executable, "-m", "benchmarks.earlier", "--subject", subject, "--runs", str(runs)]
    done = subprocess.run(command, env={**os.environ, **given}, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(done.stdout))


def compare(commit: str, subjects: tuple[str, ...], rounds: int, runs: int) -> dict[str, Figures]:
    """Times now as parts of those of the earlier commit."""
    found = dict[str, Figures]()
    with TemporaryDirectory() as folder:
        versions = {"earlier": unpack(commit, Path(folder) / "earlier"), "now": Path("src").resolve()}
        for subject in subjects:
            best: dict[str, Figures] = {version: {} for version in versions}
            for _ in range(rounds):
                for version, sources in versions.items():
                    for what, seconds in run_once(sources, subject, runs, Path(folder) / "compiled").items():
                        best[version][what] = min(seconds, best[version].get(what, seconds))
            found[subject] = {what: best["now"][what] / seconds for what, seconds in best["earlier"].items()}
            print(subject, {what: round(ratio, 2) for what, ratio in found[subject].items()}, flush=True)
    return found


def targets(found: Mapping[str, Figures]) -> list[Target]:
    """Nothing may take longer than before, but for noise."""
    ratios = {f"{subject}: {what}": ratio for subject, each in found.items() for what, ratio in each.items()}
    return [Target(f"nothing takes more than {MOST} of what it took", MOST, ratios)]


def main() -> None:
    """Measure, print and write as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.earlier", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("commit", nargs="?", default="HEAD", help="the version to be held against")
    parser.add_argument("--rounds", type=int, default=3, help="so many processes of each version")
    parser.add_argument("--runs", type=int, default=10, help="so many runs in each")
    parser.add_argument("--subject", choices=(*GRAPHS, "tables"), help="time this one alone, in this process")
    chosen = parser.parse_args()
    if chosen.subject:
        figures = time_tables(chosen.runs) if chosen.subject == "tables" else time_graph(chosen.subject, chosen.runs)
        print(json.dumps(figures))
        return
    found = compare(chosen.commit, (*GRAPHS, "tables"), chosen.rounds, chosen.runs)
    for target in targets(found):
        print(target.line())
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"commit": chosen.commit, "ratios": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
