"""Numbers whose noise follows the data: smooth sensitivity of an order statistic, ladders of subgraph counts.

Run ``python -m benchmarks.numeric`` from the project's root with ``DAMPEN_DATA`` set. Peers that are not installed are
left out and named. benchmarks/README.md says what is timed.
"""

import argparse
import json
import math
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.targets import Target
from benchmarks.timing import Run, interleaved_medians, stopwatch
from dampen import Adjacency, Graph, NumericProblem, datasets
from dampen.entropy import system_entropy
from dampen.mechanisms import ExactPairLaplace, Ladder, NumericMechanism, PiecewiseLaplace, PolyPlace
from dampen.queries import (
    k_clique_problem,
    k_star_problem,
    k_triangle_problem,
    order_statistic_problem,
    triangle_problem,
)
from dampen.vectors import Floats

EPSILONS = ("1", "0.1")
"""The rate beta is that of smooth Laplace noise at these epsilons and delta 1e-6."""
TOP = 600_000
SAMPLE = 100
"""The loop in Python is timed on so many distances."""
RESULTS = Path(__file__).resolve().parent / "results" / "numeric.json"

SUBGRAPHS: dict[str, Callable[[Graph], NumericProblem]] = {
    "triangles": triangle_problem,
    "3-stars": lambda graph: k_star_problem(graph, 3),
    "2-triangles": k_triangle_problem,
    "4-cliques": lambda graph: k_clique_problem(graph, 4),
}


def by_distance(held: Floats, beta: float) -> float:
    """The definition in numpy, distance by distance, on sorted values."""
    best, t = 0.0, 0
    padded = np.concatenate([np.zeros(len(held)), held, np.full(len(held), float(TOP))])
    middle = len(held) + len(held) // 2
    while TOP * math.exp(-beta * t) > best:
        gaps = padded[middle : middle + t + 2] - padded[middle - t - 1 : middle + 1]
        best = max(best, math.exp(-beta * t) * float(gaps.max()))
        t += 1
    return best


def by_loop(held: list[float], beta: float) -> float:
    """Seconds of the same in Python's own numbers, extrapolated from the first distances."""
    rank, best = len(held) // 2 + 1, 0.0
    start = perf_counter()
    for t in range(SAMPLE):
        for s in range(t + 2):
            best = max(best, math.exp(-beta * t) * (held[rank - 1 + s] - held[rank - 2 + s - t]))
    seconds, last = perf_counter() - start, math.log(TOP / best) / beta
    return seconds * (last / SAMPLE) ** 2


def order_statistic(epsilon: str, rounds: int) -> dict[str, float]:
    """Seconds of everybody who finds the smooth sensitivity of the median salary, values counted or sorted before."""
    pay, beta = datasets.load_sf_salaries()["TotalPay"], float(epsilon) / (2 * math.log(2e6))
    held = np.sort(np.clip(pay, 0, TOP))
    made = order_statistic_problem(pay, 50, bounds=(0, TOP), resolution="0.01", adjacency=Adjacency.REPLACE)
    runs: dict[str, Run] = {
        "dampen": stopwatch(lambda: made.sensitivity.smooth(beta)),
        "numpy, distance by distance": stopwatch(lambda: by_distance(held, beta)),
    }
    found = {who: figure.seconds for who, figure in interleaved_medians(runs, rounds=rounds, allowance=60).items()}
    apart = float(made.sensitivity.smooth(beta)[0]) / by_distance(held, beta) - 1
    assert abs(apart) < 1e-2, "the two disagree by more than the grid explains"
    return found | {"a loop in Python (extrapolated)": by_loop(held.tolist(), beta)}


def subgraphs(rounds: int, peers: list[str]) -> dict[str, float]:
    """Seconds of whole problems, and of peers that count triangles."""
    graph = datasets.load_dblp()
    ends = [end.tolist() for end in graph.edges()]
    runs: dict[str, Run] = {}
    for name, problem in SUBGRAPHS.items():
        problem(graph)
        runs[f"dampen, {name}"] = stopwatch(partial(_with_rungs, problem, graph))
    if "igraph" in peers:
        drawn = import_module("igraph").Graph(graph.nodes, list(zip(*ends, strict=True)))
        runs["igraph, triangles counted"] = stopwatch(lambda: len(drawn.list_triangles()))
    if "networkx" in peers:
        nx = import_module("networkx")
        made = nx.Graph()
        made.add_edges_from(zip(*ends, strict=True))
        runs["networkx, triangles counted"] = stopwatch(lambda: sum(nx.triangles(made).values()) // 3)
    return {who: figure.seconds for who, figure in interleaved_medians(runs, rounds=rounds, allowance=30).items()}


def draws(epsilon: str, rounds: int) -> dict[str, float]:
    """Seconds of one draw around the median salary, by mechanisms that walk the whole ladder."""
    pay = datasets.load_sf_salaries()["TotalPay"]
    made = order_statistic_problem(pay, 50, bounds=(0, TOP), resolution="0.01", adjacency=Adjacency.REPLACE)
    source = system_entropy()
    kinds: tuple[NumericMechanism, ...] = (
        PiecewiseLaplace(epsilon),
        ExactPairLaplace(epsilon, "1e-6"),
        PolyPlace(epsilon),
        Ladder(epsilon),
    )
    runs: dict[str, Run] = {type(kind).__name__: stopwatch(partial(kind.draw, made, source)) for kind in kinds}
    return {who: figure.seconds for who, figure in interleaved_medians(runs, rounds=rounds, allowance=30).items()}


def _with_rungs(problem: Callable[[Graph], NumericProblem], graph: Graph) -> tuple[int, ...]:
    return problem(graph).rungs(2000)


def targets(
    order: dict[str, dict[str, float]], drawn: dict[str, dict[str, float]], ladders: dict[str, float]
) -> list[Target]:
    """The promises of this page."""
    walked = {where: seconds["PiecewiseLaplace"] / seconds["ExactPairLaplace"] for where, seconds in drawn.items()}
    ours = {who: seconds for who, seconds in ladders.items() if who.startswith("dampen")}
    peers = {who: seconds / ours["dampen, triangles"] for who, seconds in ladders.items() if who not in ours}
    own = {where: seconds["dampen"] for where, seconds in order.items()}
    naive = {
        f"{where}, {who}": seconds[who] / own[where]
        for where, seconds in order.items()
        for who in seconds
        if who != "dampen"
    }
    return [
        Target("smooth sensitivity of an order statistic in 10 ms", 0.01, own),
        Target("faster than the definition", 1, naive, at_least=True),
        Target("a draw of PiecewiseLaplace in the time of one of ExactPairLaplace", 1, walked),
        Target("every subgraph problem of 1M edges in 5 s", 5, ours),
        Target("triangles with their ladder faster than peers count them", 1, peers, at_least=True),
    ]


def main() -> None:
    """Measure, print and write as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds")
    rounds = 3 if parser.parse_args().quick else 15
    peers = [name for name in ("igraph", "networkx") if find_spec(name)]
    print("peers:", ", ".join(peers) or "none")
    medians = {f"median salary, epsilon {epsilon}": order_statistic(epsilon, rounds) for epsilon in EPSILONS}
    drawn = {f"draw, epsilon {epsilon}": draws(epsilon, rounds) for epsilon in EPSILONS}
    found = medians | drawn | {"com_dblp": subgraphs(rounds, peers)}
    for what, seconds in found.items():
        for who, figure in seconds.items():
            print(f"{what:<26} {who:<38} {figure * 1000:12.2f} ms")
    for target in targets(medians, drawn, found["com_dblp"]):
        print(target.line())
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"seconds": found}, indent=1))


if __name__ == "__main__":
    main()
