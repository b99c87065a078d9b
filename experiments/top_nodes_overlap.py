"""Which share of the k nodes of highest ego betweenness does each method of ``dampen.top_nodes`` find?

``python -m experiments.top_nodes_overlap`` with ``DAMPEN_DATA`` set. The mean of 30 runs for every method, epsilon and
graph, and beside it the bound of :mod:`experiments.recall_bound` on what any method can do.

Problems and mechanisms are those that ``top_nodes`` builds; statistics are computed once per graph. Draws are seeded
simulations of the same laws: ``simulate`` of each mechanism, and for the level method its own two steps, h by a
difference of two geometric numbers and then ``simulate`` of the list for that h.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from dampen import Graph, datasets
from dampen.mechanisms import LaplaceTopK
from dampen.queries.graph.centralities import EGO_BETWEENNESS, Terms
from dampen.queries.graph.level import (
    clip_h,
    kth_largest_degree,
    level_plan,
    level_problem,
    level_rates,
    level_sums,
)
from dampen.questions.node_lists import MECHANISMS
from dampen.vectors import Integers
from experiments.recall_bound import attack_lengths, recall_bound

GRAPHS = ("enron", "github", "gowalla", "dblp", "decoupled")
METHODS = tuple(EGO_BETWEENNESS.methods)
EPSILONS = ("0.01", "0.1", "0.5", "1", "10")
SHIFT = 10_000
"""The public level of ``codegree_dampening``."""
CLIQUES, CLIQUE, STARS, LEAVES = 8, 80, 12, 60
RESULTS = Path(__file__).resolve().parent / "results" / "top_nodes_overlap.json"

Draw = Callable[[Fraction, np.random.Generator, int], Integers]


@dataclass(frozen=True)
class Overlap:
    """The mean share of right nodes and its standard error."""

    graph: str
    k: int
    method: str
    epsilon: str
    mean: float
    error: float
    runs: int


def decoupled() -> Graph:
    """Eight cliques of 80 nodes and twelve stars of 60 leaves: the most edges and the most influence are apart."""
    edges = [(c + i, c + j) for c in range(0, CLIQUES * CLIQUE, CLIQUE) for i in range(CLIQUE) for j in range(i)]
    centres = star_centres()
    edges += [(centre, centre + leaf) for centre in centres for leaf in range(1, LEAVES + 1)]
    src, dst = zip(*edges, strict=True)
    return Graph.from_edges(src, dst, nodes=centres[-1] + LEAVES + 1)


def star_centres() -> list[int]:
    """The right answers of the decoupled graph."""
    return [CLIQUES * CLIQUE + star * (LEAVES + 1) for star in range(STARS)]


def load(name: str) -> Graph:
    """A graph by its name in the data sets, or the decoupled one."""
    graph: Graph = decoupled() if name == "decoupled" else getattr(datasets, f"load_{name}")()
    return graph


def right_nodes(graph: Graph, name: str, k: int) -> list[int]:
    """The nodes that count as found."""
    if name == "decoupled":
        return star_centres()
    return [int(v) for v in np.argsort(-graph.ego_betweenness(), kind="stable")[:k]]


def by_level(graph: Graph, k: int) -> Draw:
    """The level method, its sums computed once for each step of the weights."""
    degrees, sums = graph.degrees(), dict[tuple[bool, Fraction], Integers]()
    largest = kth_largest_degree(degrees, k)

    def one(epsilon: Fraction, rng: np.random.Generator) -> Integers:
        for_h, for_list = level_rates(epsilon)
        up, down = rng.geometric(-math.expm1(-float(for_h)), size=2)
        plan = level_plan(clip_h(largest + int(up - down), graph.nodes), epsilon=for_list, k=k, n=graph.nodes)
        key = (plan.by_degree, plan.step)
        if key not in sums:
            sums[key] = level_sums(graph.offsets, graph.neighbours, plan)
        problem = level_problem(sums[key], degrees, plan).as_public()
        return LaplaceTopK(k, for_list, movers=2, drift=plan.drift).simulate(problem, rng, 1).reshape(k)

    return lambda epsilon, rng, runs: np.array([one(epsilon, rng) for _ in range(runs)])


def by_mechanism(graph: Graph, k: int, method: str) -> Draw:
    """Any other method: its problem does not depend on epsilon."""
    way = EGO_BETWEENNESS.methods[method]
    ranking = way.rank(graph, Terms(shift=SHIFT))
    problem = ranking.problem.as_public()

    def draw(epsilon: Fraction, rng: np.random.Generator, runs: int) -> Integers:
        return MECHANISMS[way.law](ranking, k, epsilon).simulate(problem, rng, runs).reshape(runs, k)

    return draw


def overlaps(graph: Graph, name: str, k: int, method: str, epsilons: list[str], runs: int) -> Iterator[Overlap]:
    """One method on one graph. The seed is the method's place and the epsilon's, so that rows can be recomputed."""
    right = right_nodes(graph, name, k)
    draw = by_level(graph, k) if method == "level" else by_mechanism(graph, k, method)
    for epsilon in epsilons:
        rng = np.random.default_rng([METHODS.index(method), EPSILONS.index(epsilon), k])
        shares = np.isin(draw(Fraction(epsilon), rng, runs), right).mean(axis=1)
        error = float(shares.std(ddof=1) / math.sqrt(runs)) if runs > 1 else math.nan
        yield Overlap(name, k, method, epsilon, float(shares.mean()), error, runs)


def bound(graph: Graph, name: str, k: int, epsilons: list[str]) -> Iterator[Overlap]:
    """The recall bound as a row of its own."""
    lengths = attack_lengths(graph, k, right=right_nodes(graph, name, k))
    for epsilon in epsilons:
        yield Overlap(name, k, "recall bound", epsilon, recall_bound(lengths, k=k, epsilon=float(epsilon)), 0.0, 0)


def show(console: Console, rows: list[Overlap], epsilons: list[str]) -> None:
    """One table per graph."""
    for name in dict.fromkeys(row.graph for row in rows):
        table = Table("method", *epsilons, title=f"{name}, k = {rows[0].k}")
        for method in dict.fromkeys(row.method for row in rows if row.graph == name):
            found = [row for row in rows if (row.graph, row.method) == (name, method)]
            table.add_row(method, *(f"{row.mean:.3f} ± {row.error:.3f}" for row in found))
        console.print(table)


def main() -> None:
    """Measure, print the tables and write them down."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--graphs", nargs="+", choices=(*GRAPHS, "amazon", "facebook"), default=list(GRAPHS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=None)
    parser.add_argument("--epsilons", nargs="+", choices=EPSILONS, default=list(EPSILONS))
    parser.add_argument("--no-bound", action="store_true", help="leave out the recall bound, which takes minutes")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    methods = options.methods or [m for m in METHODS if m != "pairwise" or options.k == 1]
    console, rows = Console(), list[Overlap]()
    for name in options.graphs:
        graph = load(name)
        for method in track(methods, f"{name:10}", console=console):
            rows += overlaps(graph, name, options.k, method, options.epsilons, options.runs)
        rows += [] if options.no_bound else bound(graph, name, options.k, options.epsilons)
    show(console, rows, options.epsilons)
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


if __name__ == "__main__":
    main()
