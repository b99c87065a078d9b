"""Fig. 6, 7 and 8 of the largest-local-sensitivities paper: 2-triangles of Gowalla subgraphs. Exact laws.

The paper does not say how its subgraphs of 100, 500 and 1000 nodes were taken, only their levels, 19, 155 and 222. Here
each is the breadth-first sample, among forty, whose level is nearest.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dampen import Graph, NumericProblem
from dampen.mechanisms import (
    ExactPairLaplace,
    Ladder,
    Laplace,
    LargestLocalSensitivities,
    NoisyLocalSensitivity,
    NumericMechanism,
    PolyPlace,
    SmoothLaplace,
)
from dampen.queries import k_triangle_problem
from experiments import data
from experiments.dampening_table_1 import breadth_first_sample
from experiments.lls_figure_4 import delta_of
from experiments.lls_printed import TwoTriangles, printed_delta, printed_ladder_noise, printed_scale
from experiments.pictures import curves, grid, legend
from experiments.reproduction import (
    LLS,
    Cell,
    Claim,
    Findings,
    Losses,
    Reproduction,
    Row,
    distinct,
    markdown,
    number,
    one,
    rounded,
    shown,
    where,
)

LEVELS = {100: 19, 500: 155, 1000: 222}
"""Nodes and level of each figure."""
FIGURES = {100: "Fig. 6", 500: "Fig. 7", 1000: "Fig. 8"}
SAMPLES = 40
EPSILONS = (0.025, 0.05, 0.075, 0.1, 0.125, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2)
VALID: dict[str, Callable[[float], NumericMechanism]] = {
    "lls_repaired": lambda epsilon: LargestLocalSensitivities(epsilon, delta_of(epsilon)),
    "ladder": Ladder,
    "smooth": lambda epsilon: SmoothLaplace(epsilon, delta_of(epsilon)),
    "noisy_local": lambda epsilon: NoisyLocalSensitivity(epsilon, delta_of(epsilon)),
    "laplace": Laplace,
    "poly_place": PolyPlace,
    "exact_pair": lambda epsilon: ExactPairLaplace(epsilon, delta_of(epsilon)),
}
"""With sensitivities that hold."""
METHODS = {
    "lls": ("LLS as printed", "published"),
    "lls_no_gap": ("LLS without its gap rule", "published_too"),
    "lf": ("ladder as printed", "published_third"),
    "lls_repaired": ("LLS, valid", "sound_third"),
    "ladder": ("ladder, valid", "sound"),
    "noisy_local": ("NLS, valid", "sound_too"),
    "laplace": ("Laplace", "straw_man"),
    "exact_pair": ("ExactPairLaplace", "default"),
    "poly_place": ("PolyPlace", "classical"),
}


@lru_cache(maxsize=3)
def subgraph(nodes: int) -> Graph:
    """The sample whose level is nearest to the paper's; the first of equals."""
    samples = [
        breadth_first_sample(data.graph("gowalla"), nodes, np.random.default_rng([0, nodes, place]))
        for place in range(SAMPLES)
    ]
    return min(samples, key=lambda sample: abs(TwoTriangles.of(sample).level() - LEVELS[nodes]))


def noise(method: str, nodes: int, epsilon: float) -> float:
    """Its mean size."""
    if method in VALID:
        return float(VALID[method](epsilon).expected_absolute_noise(posed(nodes)))
    counts, delta = TwoTriangles.of(subgraph(nodes)), delta_of(epsilon)
    if method == "lf":
        return printed_ladder_noise(counts.level(), int(counts.shared().max()), nodes, epsilon)
    return printed_scale(counts.level(), nodes, epsilon, delta, gap_rule=method == "lls")


@lru_cache(maxsize=3)
def posed(nodes: int) -> NumericProblem:
    """How many 2-triangles does the subgraph have?"""
    return k_triangle_problem(subgraph(nodes)).as_public()


class LlsFigure678(Reproduction):
    """2-triangles."""

    id = "lls_figure_6_7_8"
    paper = LLS
    title = "Fig. 6-8"
    subject = "2-triangles of Gowalla subgraphs of 100, 500 and 1000 nodes"
    needs = ("gowalla",)
    parameters: ClassVar[Mapping[str, Any]] = {
        "levels": list(LEVELS.items()),
        "samples": SAMPLES,
        "epsilons": EPSILONS,
        "seed": 0,
    }

    def cells(self) -> Sequence[Cell]:
        """One for each subgraph and method."""
        return [(nodes, method) for nodes in LEVELS for method in (*METHODS, "smooth")]

    def measure(self, cell: Cell) -> list[Row]:
        """The mean size of the noise; for the printed ones the exact delta that they need."""
        nodes, method = int(cell[0]), str(cell[1])
        counts = TwoTriangles.of(subgraph(nodes))
        rows: list[Row] = []
        for epsilon in EPSILONS:
            needed = None
            if method in ("lls", "lls_no_gap"):
                needed = rounded(printed_delta(counts, epsilon, delta_of(epsilon), gap_rule=method == "lls"), 4)
            rows.append(
                {
                    "nodes": nodes,
                    "level": counts.level(),
                    "count": int(posed(nodes).value),
                    "local_sensitivity": int(posed(nodes).rungs(1)[0]),
                    "method": method,
                    "epsilon": epsilon,
                    "noise": rounded(noise(method, nodes, epsilon)),
                    "delta": needed,
                }
            )
        return rows

    def _ratios(self, rows: Sequence[Row], nodes: int, ours: str, theirs: str) -> list[float]:
        """The noise of one over that of the other, at each epsilon."""
        pairs = zip(where(rows, nodes=nodes, method=ours), where(rows, nodes=nodes, method=theirs), strict=True)
        return [number(a, "noise") / number(b, "noise") for a, b in pairs]

    def _better_until(self, rows: Sequence[Row], nodes: int, ours: str, theirs: str) -> float:
        """The last epsilon at which one needs at most 0.9 of the noise of the other, never having needed more; or 0."""
        until = 0.0
        for epsilon, found in zip(EPSILONS, self._ratios(rows, nodes, ours, theirs), strict=True):
            if found > 1:
                break
            until = epsilon if found <= 0.9 else until
        return until

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 6.2."""
        printed = {n: self._better_until(rows, n, "lls", "lf") for n in LEVELS}
        valid = {n: self._better_until(rows, n, "lls_repaired", "ladder") for n in LEVELS}
        beyond = [
            found
            for n in LEVELS
            for epsilon, found in zip(EPSILONS, self._ratios(rows, n, "lls", "lf"), strict=True)
            if epsilon > printed[n]
        ]
        comparable = f"{min(beyond):.2f} to {max(beyond):.2f} times"

        def told(found: dict[int, float]) -> str:
            return ", ".join("nowhere" if until == 0 else f"up to {until:g}" for until in found.values())

        return [
            Claim(
                "up to some epsilon LLS needs significantly less noise than the ladder, then they are comparable",
                "section 6.2, Fig. 6-8",
                f"as printed: less {told(printed)} (100, 500, 1000 nodes), and {comparable} as much beyond; with "
                f"sensitivities that hold: less {told(valid)}",
                all(until > 0 for until in printed.values()) and 0.85 <= min(beyond) <= max(beyond) <= 1.2,
            ),
            Claim(
                "the lower the level, the larger that epsilon",
                "section 6.2",
                "as above",
                printed[100] > printed[500] >= printed[1000],
            ),
            Claim(
                "noisy local sensitivity needs far more noise than the ladder",
                "section 6.2",
                "with valid sensitivities "
                + ", ".join(
                    f"{self._at(rows, n, 'noisy_local') / self._at(rows, n, 'ladder'):.3g} times" for n in LEVELS
                )
                + " as much at epsilon 1",
                all(self._at(rows, n, "noisy_local") > 2 * self._at(rows, n, "ladder") for n in LEVELS),
            ),
        ]

    def _at(self, rows: Sequence[Row], nodes: int, method: str, epsilon: float = 1.0) -> float:
        return number(one(rows, nodes=nodes, method=method, epsilon=epsilon), "noise")

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """The exact delta of each sample and its worst neighbour, at every epsilon."""
        return all(number(r, "delta") <= delta_of(number(r, "epsilon")) for r in where(rows, method="lls"))

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """The subgraph of 500 nodes at epsilon 1."""
        at = {m: self._at(rows, 500, m) for m in METHODS}
        row = one(rows, nodes=500, method="lls", epsilon=1.0)
        return Findings(
            published=f"500 nodes, {row['count']:,} 2-triangles, epsilon 1: {at['lls']:,.0f} by LLS as printed, "
            f"{at['lls_no_gap']:,.0f} without its gap rule, {at['lf']:,.0f} by the ladder as printed",
            privacy=f"no: one edge moves this count by {row['local_sensitivity']:,}, where 5/2 a says "
            f"{2.5 * number(row, 'level'):,.0f}. The exact delta is {number(row, 'delta'):.2g} (claimed "
            f"{delta_of(1.0):.1g}) as printed",
            sound=f"with valid ladders `LargestLocalSensitivities` needs {at['lls_repaired']:,.0f} and `Ladder` "
            f"{at['ladder']:,.0f}",
            default=f"`ExactPairLaplace`: {at['exact_pair']:,.0f}; `PolyPlace`, without a delta: "
            f"{at['poly_place']:,.0f}",
            straw_man=f"Laplace noise for the bound: {at['laplace']:,.0f}",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """Noise at epsilon 1, relative to the count."""
        lines = []
        for nodes in distinct(rows, "nodes"):
            row = where(rows, nodes=nodes)[0]
            relative = [f"{self._at(rows, nodes, m) / number(row, 'count'):.2g}" for m in METHODS]
            lines.append(
                [
                    f"{FIGURES[nodes]}: {nodes} nodes, level {row['level']} ({LEVELS[nodes]})",
                    shown(row["count"]),
                    *relative,
                ]
            )
        table = markdown(["subgraph (the paper's level)", "count", *(label for label, _ in METHODS.values())], lines)
        return f"Mean size of the noise over the count, at epsilon 1:\n\n{table}"

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """One panel for each figure."""
        figure, axes = grid(plt, 1, len(LEVELS))
        for panel, nodes in zip(axes[0], LEVELS, strict=True):
            held = where(rows, nodes=nodes)
            curves(panel, held, "epsilon", "noise", METHODS)
            panel.axhline(
                number(held[0], "count"), color="black", linewidth=0.8, linestyle=":", label="the count itself"
            )
            panel.set_yscale("log")
            panel.set_title(f"{FIGURES[nodes]}: {nodes} nodes, level {held[0]['level']}", fontsize=10)
            panel.set_xlabel("epsilon")
        axes[0][0].set_ylabel("mean size of the noise")
        legend(figure, axes, columns=5)
        return figure
