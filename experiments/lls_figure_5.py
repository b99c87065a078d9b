"""Fig. 5 of the largest-local-sensitivities paper: time. Counted in steps, so that a rerun gives the same file.

Seconds of another machine cannot be compared, and seconds of this one are not the same twice. What is counted is how
many sensitivities each method reads for one answer on the subgraphs of Fig. 6-8: levels above the graph's own for
LLS, rungs of a ladder until it is flat or no longer matters for the others, and graphs for smooth sensitivity by its
definition.
"""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any, ClassVar

from dampen.mechanisms import ExactPairLaplace, Ladder, PolyPlace
from experiments.lls_figure_4 import delta_of
from experiments.lls_figure_6_7_8 import LEVELS, posed, subgraph
from experiments.lls_printed import TwoTriangles
from experiments.pictures import BLUE, GREEN, GREY, RED, SKY
from experiments.reproduction import (
    LLS,
    Cell,
    Claim,
    Findings,
    Losses,
    Reproduction,
    Row,
    markdown,
    number,
    one,
    rounded,
    where,
)

EPSILON = 1.0
METHODS = {
    "lls": ("LLS as printed", RED),
    "nls": ("noisy local sensitivity", GREY),
    "ladder": ("ladder", BLUE),
    "smooth_ladder": ("smooth sensitivity, by a ladder", SKY),
    "exact_pair": ("ExactPairLaplace", GREEN),
    "poly_place": ("PolyPlace", GREEN),
}


def steps(nodes: int) -> dict[str, int]:
    """Sensitivities read for one answer."""
    level, frame = TwoTriangles.of(subgraph(nodes)).level(), posed(nodes).frame
    rungs = posed(nodes).rungs(nodes)
    until_flat = next((t for t, rung in enumerate(rungs) if rung >= frame.bound), nodes)
    return {
        "lls": nodes - 2 - level + 1,
        "nls": 2,
        "ladder": min(Ladder(EPSILON).rungs_read(frame), until_flat + 1),
        "smooth_ladder": until_flat + 1,
        "exact_pair": min(ExactPairLaplace(EPSILON, delta_of(EPSILON)).rungs_read(frame), until_flat + 1),
        "poly_place": min(PolyPlace(EPSILON).rungs_read(frame), until_flat + 1),
    }


class LlsFigure5(Reproduction):
    """Work."""

    id = "lls_figure_5"
    paper = LLS
    title = "Fig. 5"
    subject = "work for one answer, counted in sensitivities"
    needs = ("gowalla",)
    parameters: ClassVar[Mapping[str, Any]] = {"epsilon": EPSILON, "nodes": list(LEVELS)}

    def cells(self) -> Sequence[Cell]:
        """One for each subgraph."""
        return [(nodes,) for nodes in LEVELS]

    def measure(self, cell: Cell) -> list[Row]:
        """Steps; and how many digits the number of graphs has that the definition of smooth sensitivity names."""
        nodes = int(cell[0])
        missing = nodes * (nodes - 1) // 2 - len(subgraph(nodes).edges()[0])
        rows: list[Row] = [{"nodes": nodes, "method": m, "steps": count} for m, count in steps(nodes).items()]
        return [
            *rows,
            {"nodes": nodes, "method": "log10 of all larger graphs", "steps": rounded(missing * log10(2), 4)},
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Sections 5.3 and 6.2."""
        at = {m: number(one(rows, nodes=1000, method=m), "steps") for m in METHODS}
        return [
            Claim(
                "smooth sensitivity cannot be computed for graphs of middle size",
                "section 6.2",
                "by its definition it names "
                f"10^{number(one(rows, nodes=1000, method='log10 of all larger graphs'), 'steps'):,.0f} "
                f"graphs of 1000 nodes; by a ladder, which bounds it, {at['smooth_ladder']:,.0f} numbers",
                at["smooth_ladder"] > 1e6,
            ),
            Claim(
                "LLS and noisy local sensitivity take the least time, the ladder much more",
                "section 6.2, table",
                ", ".join(f"{METHODS[m][0]} {at[m]:,.0f}" for m in ("lls", "nls", "ladder")) + " steps for 1000 nodes",
                at["lls"] < at["ladder"] and at["nls"] < at["ladder"],
            ),
        ]

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Time is not released; it depends on the data for most of them, which docs/known-limits.md says."""
        return True

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """1000 nodes."""
        at = {m: number(one(rows, nodes=1000, method=m), "steps") for m in METHODS}
        return Findings(
            published=f"{at['lls']:,.0f} levels for 1000 nodes",
            privacy="a time is no release. That it depends on the data is a [known limit](known-limits.md)",
            sound=f"`LargestLocalSensitivities` and `SmoothLaplace` read at most {at['smooth_ladder']:,.0f} rungs",
            default=f"`ExactPairLaplace` at most {at['exact_pair']:,.0f}, `PolyPlace` {at['poly_place']:,.0f}. The "
            "time of an "
            "answer is that of counting common neighbours, once, for all of them (benchmarks/README.md)",
            straw_man="Laplace noise reads none",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """All counts."""
        lines = [
            [label, *(f"{number(one(rows, nodes=n, method=m), 'steps'):,.0f}" for n in LEVELS)]
            for m, (label, _) in METHODS.items()
        ]
        table = markdown(["method", *(f"{n} nodes" for n in LEVELS)], lines)
        return (
            "The paper draws seconds. Seconds differ from run to run and from machine to machine, so what is counted "
            f"here is the work behind them: sensitivities read for one answer at epsilon 1.\n\n{table}"
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """Steps against nodes."""
        figure, panel = plt.subplots(figsize=(7.8, 3.6))
        for method, (label, colour) in METHODS.items():
            held = where(rows, method=method)
            style = "--" if method == "poly_place" else "-"
            panel.plot(
                [r["nodes"] for r in held], [r["steps"] for r in held], style, marker="o", color=colour, label=label
            )
        panel.set_yscale("log")
        panel.set_xscale("log")
        panel.set_xlabel("nodes")
        panel.set_ylabel("sensitivities read")
        panel.legend(frameon=False, fontsize=9, loc="center left", bbox_to_anchor=(1, 0.5))
        panel.grid(alpha=0.3)
        figure.tight_layout()
        return figure
