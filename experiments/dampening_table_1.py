"""Table 1 of the local dampening paper: shifted dampening against PrivateSQL on samples of 50 nodes.

PrivateSQL is asked for one view per node c: for every pair {u, v} how many paths of length 2 join u and v among c and
its neighbours, if both are neighbours of c and have no edge, else 0. Each view gets epsilon / n, and every count gets
Laplace noise for the sensitivity that the rules give for the query of the paper's appendix. Ego betweenness is then
the sum of 1 / count over the counts above 0.

NOT PRIVATE. The largest degree of each sample is read from the data, as in the paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dampen import Graph
from dampen.vectors import Floats, Integers
from experiments import data
from experiments.dampening_figure_10 import GRAPHS, LABELS, Statistics, overlaps
from experiments.example_graph import worst_top_loss
from experiments.pictures import curves, grid, legend
from experiments.reproduction import (
    DAMPENING,
    Cell,
    Claim,
    Findings,
    Losses,
    Reproduction,
    Row,
    distinct,
    markdown,
    number,
    rounded,
    where,
)

EPSILONS = ("0.1", "0.5", "1", "5", "10")
SIZES = (1, 2, 3)
NODES, SAMPLES, RUNS, PRINTED_SAMPLES = 50, 30, 10, 10
CONTESTANTS = {
    "shifted": "SLDPrivTopk (PTK)",
    "private_sql": "PrivateSQL (PSQL)",
    "private_sql_least": "PrivateSQL at sensitivity 1",
    "degree": "degree (straw man)",
    "level": "level (default)",
}
PAPER = {
    "enron": {"shifted": (0.06, 0.45, 0.60, 0.84, 0.88), "private_sql": (0.01, 0.01, 0.16, 0.20, 0.21)},
    "dblp": {"shifted": (0.05, 0.27, 0.44, 0.87, 0.92), "private_sql": (0.02, 0.02, 0.05, 0.11, 0.21)},
    "github": {"shifted": (0.07, 0.49, 0.69, 0.86, 0.91), "private_sql": (0.02, 0.02, 0.02, 0.03, 0.07)},
}
"""The table as printed, at the five epsilons."""


@dataclass(frozen=True)
class Relation:
    """A table as the rules see it: how many rows one edge changes, and how often a join value may occur at most."""

    stability: int
    frequency: int


def joined(one: Relation, other: Relation) -> int:
    """How many rows of a join one edge changes, where both sides may change."""
    return one.frequency * other.stability + other.frequency * one.stability + one.stability * other.stability


def private_sql_sensitivity(max_degree: int) -> int:
    """What the rules give for the query of the paper's appendix, as we read them: 648 + 80 max_degree.

    An edge is two rows (a, b) and (b, a). With e1.a = u fixed, e1.b is a key, and so is e2.a with e2.b = v: their join
    changes in 1 * 2 + 1 * 2 + 2 * 2 = 8 rows. Each of the four grouped sub-queries changes in two rows and has its
    grouping columns as a key; each is joined on a column whose values occur up to max_degree times. The paper names
    one value, 1448 for a largest degree of 10, and this reading gives it; the paper does not say how it came about.
    """
    rows = joined(Relation(2, 1), Relation(2, 1))
    for _ in range(4):
        rows = joined(Relation(rows, max_degree), Relation(2, 1))
    return rows


def breadth_first_sample(graph: Graph, size: int, rng: np.random.Generator) -> Graph:
    """The subgraph on the first ``size`` nodes that a breadth-first search from a random node meets.

    Neighbours are visited in random order. A start whose component is too small is drawn again.
    """
    while True:
        found = _breadth_first(graph, int(rng.integers(graph.nodes)), size, rng)
        if len(found) == size:
            return induced(graph, found)


def _breadth_first(graph: Graph, start: int, size: int, rng: np.random.Generator) -> list[int]:
    found, seen = [start], {start}
    for node in found:
        near = graph.neighbours[graph.offsets[node] : graph.offsets[node + 1]]
        for other in rng.permutation(near).tolist():
            if other not in seen:
                seen.add(other)
                found.append(other)
                if len(found) == size:
                    return found
    return found


def induced(graph: Graph, nodes: list[int]) -> Graph:
    """The subgraph on these nodes, numbered from 0."""
    place = {node: number for number, node in enumerate(nodes)}
    edges = [
        (place[node], place[other])
        for node in nodes
        for other in graph.neighbours[graph.offsets[node] : graph.offsets[node + 1]].tolist()
        if other in place and place[node] < place[other]
    ]
    src, dst = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    return Graph.from_edges(src, dst, nodes=len(nodes))


def path_counts(graph: Graph) -> Integers:
    """Q(u, v, c) for all c and all pairs u < v: an array of shape (n, pairs)."""
    adjacency = np.zeros((graph.nodes, graph.nodes), dtype=np.int64)
    src, dst = graph.edges()
    adjacency[src, dst] = adjacency[dst, src] = 1
    upper = np.triu_indices(graph.nodes, 1)
    views = []
    for c in range(graph.nodes):
        inside = adjacency[c]
        paths = adjacency @ (adjacency * (inside + (np.arange(graph.nodes) == c))[:, None])
        views.append((paths * np.outer(inside, inside) * (1 - adjacency))[upper])
    return np.array(views)


def private_sql_tops(counts: Integers, epsilon: Fraction, sensitivity: int, rng: np.random.Generator) -> Integers:
    """The nodes in the order of their ego betweenness from noisy counts, made whole; negative ones are taken for 0."""
    scale = sensitivity * len(counts) / float(epsilon)
    noisy = np.rint(counts + rng.laplace(scale=scale, size=counts.shape))
    worth = np.where(noisy > 0, 1 / np.maximum(noisy, 1.0), 0.0).sum(axis=1)
    return np.argsort(-worth + rng.uniform(size=len(worth)) * 1e-12)


def sample_overlaps(
    stats: Statistics, counts: Integers, method: str, epsilon: str, seed: list[int], runs: int
) -> float:
    """The mean overlap of one sample, over k = 1, 2, 3 and the runs."""
    rng = np.random.default_rng(seed)
    if not method.startswith("private_sql"):
        return float(np.mean([overlaps(stats, method, k, epsilon, rng, runs).mean() for k in SIZES]))
    sensitivity = 1 if method == "private_sql_least" else private_sql_sensitivity(int(stats.degrees.max()))
    tops = [private_sql_tops(counts, Fraction(epsilon), sensitivity, rng) for _ in range(runs)]
    return float(np.mean([np.isin(top[:k], stats.true_top(k)).mean() for top in tops for k in SIZES]))


def sample_rows(name: str, graph: Graph, sample: int, runs: int, seed: int) -> list[Row]:
    """One row for each contestant and epsilon."""
    key = [seed, GRAPHS.index(name), sample]
    small = breadth_first_sample(graph, NODES, np.random.default_rng(key))
    stats, counts = Statistics.of(small), path_counts(small)
    rows: list[Row] = []
    for place, method in enumerate(CONTESTANTS):
        for epsilon in EPSILONS:
            found = sample_overlaps(stats, counts, method, epsilon, [*key, place, EPSILONS.index(epsilon)], runs)
            rows.append(
                {
                    "graph": name,
                    "sample": sample,
                    "max_degree": int(stats.degrees.max()),
                    "method": method,
                    "epsilon": float(epsilon),
                    "overlap": rounded(found, 4),
                }
            )
    return rows


def by_sample(rows: Sequence[Row], graph: str, method: str) -> Floats:
    """The overlaps, one line for each epsilon and one entry for each sample."""
    held = where(rows, graph=graph, method=method)
    return np.array([[number(row, "overlap") for row in where(held, epsilon=float(e))] for e in EPSILONS])


def means(rows: Sequence[Row], graph: str, method: str) -> Floats:
    """The mean over samples at each epsilon."""
    return np.asarray(by_sample(rows, graph, method).mean(axis=1))


def deviations(rows: Sequence[Row], graph: str, method: str) -> Floats:
    """How far the printed means are from ours, in standard errors of the difference."""
    found = by_sample(rows, graph, method)
    spread = found.std(axis=1, ddof=1) * (1 / found.shape[1] + 1 / PRINTED_SAMPLES) ** 0.5
    return np.asarray((np.array(PAPER[graph][method]) - found.mean(axis=1)) / np.maximum(spread, 0.005))


def table(rows: Sequence[Row]) -> str:
    """Ours beside the paper's as a Markdown table."""
    lines = []
    for graph in distinct(rows, "graph"):
        for method, label in CONTESTANTS.items():
            printed = PAPER[graph].get(method)
            ours = means(rows, graph, method)
            entries = [f"{value:.2f}" + (f" ({printed[i]:.2f})" if printed else "") for i, value in enumerate(ours)]
            lines.append([LABELS[graph], label, *entries])
    return markdown(["graph", "method", *EPSILONS], lines, left=2)


class DampeningTable1(Reproduction):
    """Shifted dampening against PrivateSQL."""

    id = "dampening_table_1"
    paper = DAMPENING
    title = "Table 1"
    subject = "shifted dampening against PrivateSQL"
    needs = GRAPHS
    parameters: ClassVar[Mapping[str, Any]] = {
        "samples": SAMPLES,
        "nodes": NODES,
        "runs": RUNS,
        "seed": 0,
        "epsilons": EPSILONS,
        "k": SIZES,
    }

    def cells(self) -> Sequence[Cell]:
        """One for each sample."""
        return [(graph, sample) for graph in GRAPHS for sample in range(SAMPLES)]

    def measure(self, cell: Cell) -> list[Row]:
        """Mean overlaps of one sample, over k = 1, 2, 3 and the runs."""
        graph, sample = str(cell[0]), int(cell[1])
        return sample_rows(graph, data.graph(graph), sample, RUNS, self.parameters["seed"])

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Both columns of the table, within what samples can tell."""
        claims = []
        for method, name in (("shifted", "shifted dampening (PTK)"), ("private_sql", "PrivateSQL (PSQL)")):
            away = np.concatenate([np.abs(deviations(rows, graph, method)) for graph in GRAPHS])
            lines = "; ".join(f"{LABELS[g]} " + ", ".join(f"{v:.2f}" for v in means(rows, g, method)) for g in GRAPHS)
            printed = "; ".join(f"{LABELS[g]} " + ", ".join(f"{v:.2f}" for v in PAPER[g][method]) for g in GRAPHS)
            claims.append(
                Claim(
                    f"{name} at epsilon 0.1, 0.5, 1, 5, 10: {printed}",
                    "section 6.5.1, Table 1",
                    f"{lines} (largest difference {away.max():.1f} standard errors)",
                    bool(away.max() <= 3),
                )
            )
        return claims

    def losses(self) -> dict[str, float]:
        """Of shifted dampening over all neighbours of the paper's example graph, its degree bound public."""
        return {"shifted": worst_top_loss(1)}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Shifted dampening on all neighbours of the paper's example graph, its degree bound public."""
        return losses["shifted"] <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """Means over the three graphs at epsilon 1."""
        at = {m: float(np.mean([means(rows, g, m)[EPSILONS.index("1")] for g in GRAPHS])) for m in CONTESTANTS}
        return Findings(
            published=f"over the three graphs at epsilon 1 shifted dampening finds {at['shifted']:.2f} and PrivateSQL, "
            f"as we read its rules, {at['private_sql']:.2f}; a blind guess finds 0.04",
            privacy="the mechanism is, with a public bound on degrees; the experiment reads it from each sample. So "
            "does "
            "the sensitivity of PrivateSQL",
            sound=f"with the least sensitivity that any rules could give, 1, PrivateSQL finds "
            f"{at['private_sql_least']:.2f}",
            default=f"`dampen.top_nodes` (the level method): {at['level']:.2f}",
            straw_man=f"the nodes of highest noisy degree: {at['degree']:.2f}",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """The table, and what could not be determined."""
        largest = sorted({int(number(row, "max_degree")) for row in rows})
        low, high = (private_sql_sensitivity(degree) for degree in (largest[0], largest[-1]))
        least = [float(means(rows, graph, "private_sql_least")[-1]) for graph in GRAPHS]
        head = (
            f"{SAMPLES} samples and {RUNS} runs on each (the paper: {PRINTED_SAMPLES} and {RUNS}). In brackets what is "
            "printed."
        )
        remarks = (
            "*The sensitivity of PrivateSQL.* The paper names one value, 1448 where the largest degree is 10. The "
            "rules for joins give it in one natural reading of the query in the appendix, which makes it 648 + 80 "
            "times the "
            "largest degree (`private_sql_sensitivity`). Other readings of the same rules give 33 to 19,402, and two "
            "more of those we tried give 1448 as well. Largest degrees of our samples are between "
            f"{largest[0]} and {largest[-1]}, so it is between {low} and {high} here.",
            "*The noise.* With a budget of epsilon / 50 for each view, the noise of one count has a scale of "
            f"{5 * low:,} to {5 * high:,} at epsilon 10, and the counts are below 50. The printed 0.2 at epsilon 5 and "
            f"10 needs far less; with a sensitivity of 1 we find {min(least):.2f} to {max(least):.2f} at epsilon 10.",
            "*Not determined*: how noisy counts become non-negative (here: rounded, and negative ones are 0), whether "
            "pairs are counted once or twice (here: once), in what order the search visits neighbours (here: random), "
            "what is done with components of fewer than 50 nodes (here: another start), and why the printed numbers at "
            "epsilon 0.1 are below those of a blind guess.",
        )
        return "\n\n".join((head, table(rows), "\n".join(f"- {remark}" for remark in remarks)))

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """One panel for each graph, with 95 % intervals over the samples, and what is printed."""
        graphs = distinct(rows, "graph")
        figure, axes = grid(plt, 1, len(graphs), share_y=True)
        roles = {"shifted": "shifted", "private_sql": "published_too", "private_sql_least": "published_third"}
        roles |= {"degree": "straw_man", "level": "default"}
        methods = {name: (label, roles[name]) for name, label in CONTESTANTS.items()}
        for panel, graph in zip(axes[0], graphs, strict=True):
            curves(panel, _curve_rows(rows, graph), "epsilon", "overlap", methods, "half_width")
            for method, marker in (("shifted", "D"), ("private_sql", "v")):
                panel.plot([float(e) for e in EPSILONS], PAPER[graph][method], marker, color="black", fillstyle="none",
                           markersize=7, linestyle="none", label="printed")  # fmt: skip
            panel.set_xscale("log")
            panel.set_title(LABELS[graph], fontsize=10)
            panel.set_xlabel("epsilon")
        axes[0][0].set_ylabel("mean overlap")
        legend(figure, axes, columns=3)
        return figure


def _curve_rows(rows: Sequence[Row], graph: str) -> list[Row]:
    curve: list[Row] = []
    for method in CONTESTANTS:
        found = by_sample(rows, graph, method)
        half = 1.96 * found.std(axis=1, ddof=1) / found.shape[1] ** 0.5
        curve += [
            {"method": method, "epsilon": float(e), "overlap": float(found[i].mean()), "half_width": float(half[i])}
            for i, e in enumerate(EPSILONS)
        ]
    return curve
