"""How much would noise leave of three centralities that dampen does not release?

``python -m experiments.unreleasable_centralities`` with ``DAMPEN_DATA`` set. Noise is Laplace on the score of every
node, of the scale change / epsilon. The price is generous: the change comes from a number of the graph at hand, the gap
between two eigenvalues and the largest score, or a degree, as if it were public. It is not, so nobody may use it.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import eigsh

from dampen import Graph
from dampen.graphs.graph import DAMPING, STEPS
from dampen.vectors import Floats, Integers, Vector
from experiments.rank_recall import EPSILONS, best, lists, load, recall

GRAPHS = ("enron", "github", "dblp")
SEEDS = (1, 100, 10_000)
"""Places by falling degree of the nodes whose surroundings are ranked."""


@dataclass(frozen=True)
class Scores:
    """The scores of all nodes, and by how much together one edge is said to move them."""

    values: Vector
    change: float


def links_of(graph: Graph) -> Any:
    """The adjacency matrix."""
    return csr_array((np.ones(len(graph.neighbours)), graph.neighbours, graph.offsets), shape=(graph.nodes,) * 2)


def other_edge(links: Any, p: int, q: int) -> Any:
    """The adjacency matrix after an edge was added between two nodes, or taken away if it was there."""
    return links + csr_array((np.full(2, 1 - 2 * links[p, q]), ([p, q], [q, p])), shape=links.shape)


def eigenvector(links: Any) -> Scores:
    """The first eigenvector, of length 1.

    One edge moves it by 2 sqrt(2) max x / (gap - 1) at most, as a length (Davis and Kahan), gap > 1 being that between
    the first two eigenvalues. The change is twice that; the sum over n nodes may be sqrt(n) times a length.
    """
    values, vectors = eigsh(links, k=2, which="LA", v0=np.ones(links.shape[0]))
    scores = np.abs(vectors[:, 1])
    return Scores(scores, 4 * np.sqrt(2) * scores.max() / (values[1] - values[0] - 1))


def reach(links: Any) -> Scores:
    """How many nodes are within two hops.

    A node that is joined to the one of the largest degree d gains up to d + 1. The change is that of two nodes alone,
    but all neighbours of both ends move, too.
    """
    near = csr_array(links + eye_array(links.shape[0]))
    parts = [np.diff((near[row : row + 500] @ near).indptr) for row in range(0, links.shape[0], 500)]
    return Scores(np.concatenate(parts) - 1, 2 * (links.sum(axis=1).max() + 1))


WAYS: dict[str, Callable[[Any], Scores]] = {"eigenvector": eigenvector, "reach": reach}


def surroundings(links: Any, seed: int) -> Scores:
    """PageRank of one node's surroundings: where a walk ends that starts at the seed and goes on with probability c.

    The change is 4 c / (1 - c) / d, d the degree of the seed. It is enough: an edge moves how each of its ends u shares
    out its rank by 2 / d_u in all, that rank is d_u / d at most, and what differs is carried on for 1 / (1 - c) steps.
    """
    degrees = links.sum(axis=1)
    start = (1 - DAMPING) * (np.arange(len(degrees)) == seed)
    ranks = start
    for _ in range(STEPS):
        ranks = start + DAMPING * (links @ (ranks / np.maximum(degrees, 1)))
    return Scores(ranks, 4 * DAMPING / (1 - DAMPING) / float(degrees[seed]))


def recall_rows(graph: Graph, found: Scores, *, k: int, runs: int) -> dict[str, list[tuple[float, float]]]:
    """The recall of the true top k with that noise and by degree, at each epsilon, with standard errors."""
    right = best(found.values, k)

    def noisy(epsilon: str) -> Integers:
        rng, scale = np.random.default_rng([k, *Fraction(epsilon).as_integer_ratio()]), found.change / float(epsilon)
        return np.array([best(found.values + rng.laplace(0, scale, graph.nodes), k) for _ in range(runs)])

    ways = {"with noise": noisy, "by degree": lists(graph, "by degree", k=k, runs=runs)}
    return {way: [recall(draw(epsilon), right) for epsilon in EPSILONS] for way, draw in ways.items()}


def top_edge(links: Any, found: Scores) -> float:
    """What the edge between the two nodes of the highest scores moves the eigenvector by, in units of the change."""
    after = eigenvector(other_edge(links, *best(found.values, 2).tolist()))
    return float(np.abs(after.values - found.values).sum() / found.change)


def reach_units(graph: Graph, found: Scores) -> Floats:
    """The reach of the tenth and the hundredth node, in units of the largest degree."""
    return np.asarray(np.sort(found.values)[[-10, -100]] / graph.degrees().max())


def neighbours_and_stranger(graph: Graph, links: Any, place: int) -> tuple[float, float]:
    """In units of the change: the median rank of the seed's neighbours, and what an edge to a stranger moves all by.

    The seed has that place by falling degree. The stranger is the last node that is no neighbour.
    """
    order = best(graph.degrees(), graph.nodes)
    seed = int(order[place - 1])
    near = graph.neighbours[graph.offsets[seed] : graph.offsets[seed + 1]]
    stranger = int(order[~np.isin(order, near)][-1])
    found, after = surroundings(links, seed), surroundings(other_edge(links, seed, stranger), seed)
    moved = np.abs(after.values - found.values).sum()
    return float(np.median(np.asarray(found.values)[near]) / found.change), float(moved / found.change)


def main() -> None:
    """Measure and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    options = parser.parse_args()
    console = Console(width=120)
    for name in options.graphs:
        graph = load(name)
        links = links_of(graph)
        found = {way: scores_of(links) for way, scores_of in WAYS.items()}
        table = Table(f"{name}: recall of", "way", *EPSILONS)
        for way, scores in found.items():
            for label, row in recall_rows(graph, scores, k=options.k, runs=options.runs).items():
                table.add_row(way, label, *(f"{mean:.2f} ± {error:.3f}" for mean, error in row))
        console.print(table)
        console.print(f"the edge of the top two moves the eigenvector by {top_edge(links, found['eigenvector']):.3g}")
        console.print("reach of the tenth and hundredth: {:.3g}, {:.3g}".format(*reach_units(graph, found["reach"])))
        for place in SEEDS:
            ranks, moved = neighbours_and_stranger(graph, links, place)
            console.print(f"around node {place:,} by degree: neighbours {ranks:.2g}, a new edge {moved:.2g}")


if __name__ == "__main__":
    main()
