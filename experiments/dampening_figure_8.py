"""Fig. 8 of the local dampening paper: ego betweenness against its sensitivity function, on Enron.

Nodes are counted in logarithmic cells of both, so that the file stays small; correlations are those of all nodes.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy import stats

from dampen import Graph
from dampen.graphs.node_scores import codegrees
from dampen.queries import ego_betweenness_problem
from dampen.vectors import Floats
from experiments import data
from experiments.example_graph import worst_top_loss
from experiments.reproduction import (
    DAMPENING,
    Cell,
    Claim,
    Findings,
    Losses,
    Reproduction,
    Row,
    number,
    one,
    rounded,
    where,
)

PER_DECADE = 8
CORRELATIONS = {
    "spearman": "rank correlation of ego betweenness and the function",
    "pearson": "linear correlation of ego betweenness and the function",
    "spearman_degree": "rank correlation of ego betweenness and degree",
    "spearman_codegree": "rank correlation of ego betweenness and the co-degree function",
    "decreasing_pairs": "share of pairs of nodes of different ego betweenness that the function orders the other way",
}


def first_rungs(graph: Graph, *, by_codegree: bool = False) -> Floats:
    """The sensitivity function at distance 0: as published, or from co-degrees."""
    shared = codegrees(graph.offsets, graph.neighbours) if by_codegree else None
    problem = ego_betweenness_problem(graph.ego_betweenness(), graph.degrees(), codegrees=shared)
    return np.asarray(problem.sensitivity.at(0), dtype=np.float64)


def cell_of(values: Floats) -> Floats:
    """The lower end of each value's cell; 0 for 0."""
    logs = np.floor(np.log10(np.maximum(values, 1e-3)) * PER_DECADE) / PER_DECADE
    return np.where(values > 0, 10**logs, 0.0)


def decreasing_pairs(values: Floats, rungs: Floats) -> float:
    """Among pairs drawn by a seed, with different values."""
    first, second = np.random.default_rng(0).integers(0, len(values), size=(2, 1_000_000))
    products = (values[first] - values[second]) * (rungs[first] - rungs[second])
    return float((products[values[first] != values[second]] < 0).mean())


def correlations(graph: Graph) -> dict[str, float]:
    """By name."""
    values, rungs = graph.ego_betweenness(), first_rungs(graph)
    return {
        "spearman": float(stats.spearmanr(values, rungs)[0]),
        "pearson": float(stats.pearsonr(values, rungs)[0]),
        "spearman_degree": float(stats.spearmanr(values, graph.degrees())[0]),
        "spearman_codegree": float(stats.spearmanr(values, first_rungs(graph, by_codegree=True))[0]),
        "decreasing_pairs": decreasing_pairs(values, rungs),
    }


class DampeningFigure8(Reproduction):
    """Ego betweenness and its sensitivity go together."""

    id = "dampening_figure_8"
    paper = DAMPENING
    title = "Fig. 8"
    subject = "ego betweenness against its sensitivity function on Enron"
    needs = ("enron",)
    parameters: ClassVar[Mapping[str, Any]] = {"per_decade": PER_DECADE, "pairs": 1_000_000}

    def cells(self) -> Sequence[Cell]:
        """Correlations, and the picture."""
        return [("correlation",), ("cells",)]

    def measure(self, cell: Cell) -> list[Row]:
        """A row for each correlation, or for each cell with a node in it."""
        graph = data.graph("enron")
        if cell[0] == "correlation":
            found = correlations(graph)
            return [
                {"kind": name, "ego_betweenness": None, "sensitivity": None, "value": rounded(value, 4)}
                for name, value in found.items()
            ]
        pairs = np.stack([cell_of(graph.ego_betweenness()), cell_of(first_rungs(graph))], axis=1)
        ends, nodes = np.unique(pairs.round(6), axis=0, return_counts=True)
        return [
            {"kind": "nodes", "ego_betweenness": rounded(x, 4), "sensitivity": rounded(y, 4), "value": int(count)}
            for (x, y), count in zip(ends.tolist(), nodes.tolist(), strict=True)
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 4.5."""
        found = {name: number(one(rows, kind=name), "value") for name in CORRELATIONS}
        return [
            Claim(
                "ego betweenness and its sensitivity function are positively correlated",
                "section 4.5",
                f"rank correlation {found['spearman']:.2f}, linear {found['pearson']:.2f}",
                found["spearman"] > 0.5 and found["pearson"] > 0.5,
            ),
            Claim(
                "strict monotonicity is violated",
                "section 4.5",
                f"{100 * found['decreasing_pairs']:.1f} % of pairs are ordered the other way",
                found["decreasing_pairs"] > 0,
            ),
        ]

    def losses(self) -> dict[str, float]:
        """Of shifted dampening over all neighbours of the paper's example graph, its degree bound public."""
        return {"shifted": worst_top_loss(1)}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """The function is admissible: shifted dampening with it, on all neighbours of the example graph."""
        return losses["shifted"] <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """Correlations."""
        found = {name: number(one(rows, kind=name), "value") for name in CORRELATIONS}
        return Findings(
            published=f"a rank correlation of {found['spearman']:.3f} over all nodes",
            privacy="the function is admissible (Lemma 13 holds), so mechanisms with it are private. The picture "
            "itself is "
            "drawn from the data and is not",
            sound="the same function (`dampen.queries.ego_betweenness_problem`); from co-degrees it is smaller and its "
            f"rank correlation is {found['spearman_codegree']:.3f}",
            default="the level method of `dampen.top_nodes` uses another score (Fig. 10)",
            straw_man="the function grows with the degree alone, so its rank correlation is that of the degree: "
            f"{found['spearman_degree']:.3f}",
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """Cells of both logarithms; ego betweenness 0 at the left edge."""
        figure, panel = plt.subplots(figsize=(6.0, 4.2))
        held = where(rows, kind="nodes")
        positive = [number(row, "ego_betweenness") for row in held if row["ego_betweenness"]]
        left = min(positive) / 3
        x = [number(row, "ego_betweenness") or left for row in held]
        y = [max(number(row, "sensitivity"), 0.5) for row in held]
        counts = np.array([number(row, "value") for row in held])
        drawn = panel.scatter(x, y, c=np.log10(counts), s=14, cmap="viridis", marker="s", linewidths=0)
        bar = figure.colorbar(drawn, ax=panel, label="nodes")
        ticks = np.arange(0, int(np.log10(counts.max())) + 1)
        bar.set_ticks(ticks, labels=[f"{10**tick:,}" for tick in ticks])
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlabel("ego betweenness (0 at the left edge)")
        panel.set_ylabel("sensitivity function at distance 0")
        panel.grid(alpha=0.3)
        figure.tight_layout()
        return figure
