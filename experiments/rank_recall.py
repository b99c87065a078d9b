"""How many of the k nodes of highest PageRank do one-hop PageRank, PageRank and degree find, and how dense are cores?

``python -m experiments.rank_recall`` with ``DAMPEN_DATA`` set. The mean over seeded simulations of the same laws that
``dampen.top_nodes`` draws from: for PageRank the share of the true top ten among ten that are told, for core numbers
the mean core number of the ten that are told.
"""

import argparse
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from rich.console import Console
from rich.table import Table

from dampen import Graph, datasets
from dampen.queries.graph.centralities import CENTRALITIES, Ranking, Terms
from dampen.questions.node_lists import MECHANISMS
from dampen.vectors import Integers, Vector

GRAPHS = ("enron", "github", "dblp", "facebook", "gowalla", "amazon", "ca_grqc", "ca_hepth")
EPSILONS = ("0.1", "1", "10")
WAYS = {
    "by degree": ("degree", "degree"),
    "one-hop PageRank": ("pagerank", "one_hop"),
    "PageRank": ("pagerank", "global"),
    "core number, permute and flip": ("core", "permute_and_flip"),
    "core number, exponential": ("core", "exponential"),
}
"""What is ranked, and by which method of it."""


def load(name: str) -> Graph:
    """A graph by its name in the data sets."""
    graph: Graph = getattr(datasets, f"load_{name}")()
    return graph


def best(scores: Vector, k: int) -> Integers:
    """The places of the k highest scores."""
    return np.argsort(-scores, kind="stable")[:k]


def lists(graph: Graph, way: str, *, k: int, runs: int) -> Callable[[str], Integers]:
    """For an epsilon, ``runs`` lists of k places each; scores are computed once."""
    score, name = WAYS[way]
    method = CENTRALITIES[score].methods[name]
    ranking: Ranking = method.rank(graph, Terms())
    problem = ranking.problem.as_public()

    def draw(epsilon: str) -> Integers:
        rng = np.random.default_rng([list(WAYS).index(way), k, Fraction(epsilon).numerator])
        return MECHANISMS[method.law](ranking, k, Fraction(epsilon)).simulate(problem, rng, runs)

    return draw


def recall(found: Integers, right: Integers) -> tuple[float, float]:
    """The mean share of right nodes, and its standard error."""
    shares = np.isin(found, right).mean(axis=1)
    return float(shares.mean()), float(shares.std(ddof=1) / np.sqrt(len(shares)))


def pagerank_rows(graph: Graph, k: int, runs: int) -> dict[str, list[tuple[float, float]]]:
    """Of degree, one-hop PageRank and PageRank the recall of the true top k by PageRank, at each epsilon."""
    right = best(graph.pagerank(), k)
    found = {way: lists(graph, way, k=k, runs=runs) for way in list(WAYS)[:3]}
    return {f"{way}: recall": [recall(draw(epsilon), right) for epsilon in EPSILONS] for way, draw in found.items()}


def core_rows(graph: Graph, k: int, runs: int) -> dict[str, list[tuple[float, float]]]:
    """The mean core number of k nodes found by core number and by degree, at each epsilon."""
    cores = graph.core_numbers()

    def mean_core(found: Integers) -> tuple[float, float]:
        means = cores[found].mean(axis=1)
        return float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means)))

    found = {way: lists(graph, way, k=k, runs=runs) for way in ("by degree", *list(WAYS)[3:])}
    return {f"{way}: mean core": [mean_core(draw(epsilon)) for epsilon in EPSILONS] for way, draw in found.items()}


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--graphs", nargs="+", choices=GRAPHS, default=list(GRAPHS))
    options = parser.parse_args()
    console = Console(width=150)
    for name in options.graphs:
        graph = load(name)
        rows = pagerank_rows(graph, options.k, options.runs) | core_rows(graph, options.k, options.runs)
        table = Table("way", *EPSILONS, title=f"{name}: {title(graph, options.k)}")
        for label, found in rows.items():
            table.add_row(label, *(f"{mean:.3g} ± {error:.2g}" for mean, error in found))
        console.print(table)


def one_hop(graph: Graph) -> Vector:
    """How many votes each node has: one-hop PageRank without noise."""
    ranking = CENTRALITIES["pagerank"].methods["one_hop"].rank(graph, Terms())
    assert ranking.unit is not None
    return np.asarray(ranking.problem.utilities) * float(ranking.unit)


def shares_without_noise(graph: Graph, k: int) -> list[float]:
    """How many of the true top k are among the top k by degree, and by one-hop PageRank."""
    right = best(graph.pagerank(), k)
    return [float(np.isin(best(scores, k), right).mean()) for scores in (graph.degrees(), one_hop(graph))]


def title(graph: Graph, k: int) -> str:
    """How many of the true top k without noise are the same, and how large core numbers are."""
    by_degree, by_votes = shares_without_noise(graph, k)
    return f"top {k} shared with degree {by_degree}, with one-hop {by_votes}; largest core {graph.core_numbers().max()}"


if __name__ == "__main__":
    main()
