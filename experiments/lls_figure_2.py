"""Fig. 2 of the largest-local-sensitivities paper: when its noise is smaller than Laplace noise. Closed forms."""

from collections.abc import Mapping, Sequence
from math import ceil, log
from typing import Any, ClassVar

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.audit import laplace_pair
from dampen.mechanisms import ExactPairLaplace, PolyPlace
from dampen.sensitivity import RungTable
from experiments.lls_printed import ratio
from experiments.pictures import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED
from experiments.reproduction import LLS, Cell, Claim, Findings, Losses, Reproduction, Row, number, one, rounded, where

DELTA = 1e-6
TS = (0.01, 0.02, 0.05, 0.1, 0.2)
DEPTHS = (0, 1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 120, 140, 160, 180, 200)
SAMPLE = (0.1, 60)
"""The t and the depth that the findings speak of."""


def epsilon_of(t: float) -> float:
    """t = epsilon / ln(1 / delta)."""
    return t * log(1 / DELTA)


def published(t: float, depth: int) -> float:
    """The noise of level r - l over Laplace noise: 2 (1 + t / 2)^-l (Proposition 12)."""
    return 2 * (1 + t / 2) ** -depth


def worth_from(t: float) -> int:
    """The depth from which on it is below 1."""
    return ceil(log(2) / log(1 + t / 2))


def well_ordered(depth: int) -> NumericProblem:
    """A data set ``depth`` levels below the top, each level's sensitivity twice that of the one below."""
    rungs = [[max(2.0 ** (step - depth), 2.0**-40)] for step in range(depth + 1)]
    frame = NumericFrame(1, Adjacency.REPLACE, resolution="1e-9")
    return NumericProblem(frame, 0, RungTable(rungs, bound=1)).as_public()


def ours(t: float, depth: int, name: str) -> float:
    """Our noise over Laplace noise, on such a data set."""
    epsilon = epsilon_of(t)
    mechanism = ExactPairLaplace(epsilon, DELTA) if name == "exact_pair" else PolyPlace(epsilon)
    return float(mechanism.expected_absolute_noise(well_ordered(depth)) * epsilon)


def worst_delta(t: float) -> float:
    """The largest exact delta of two levels of a well-ordered chain, over the target: the published noise."""
    epsilon = epsilon_of(t)
    scale, step = 2 / epsilon, ratio(epsilon, DELTA)
    found = [
        laplace_pair(epsilon=epsilon, distance=distance, scale=scale, other_scale=scale / step).delta
        for distance in (0, 0.5 / step, 1 / step)
    ]
    return float(max(found)) / DELTA


class LlsFigure2(Reproduction):
    """When is it worth it?"""

    id = "lls_figure_2"
    paper = LLS
    title = "Fig. 2"
    subject = "when instance-based noise is smaller than Laplace noise"
    parameters: ClassVar[Mapping[str, Any]] = {"t": TS, "depths": DEPTHS, "delta": DELTA}

    def cells(self) -> Sequence[Cell]:
        """One for each t."""
        return [(t,) for t in TS]

    def measure(self, cell: Cell) -> list[Row]:
        """Ratios to Laplace noise for the bound."""
        t = float(cell[0])
        return [
            {
                "t": t,
                "depth": depth,
                "published": rounded(published(t, depth)),
                "exact_pair": rounded(ours(t, depth, "exact_pair"), 4),
                "poly_place": rounded(ours(t, depth, "poly_place"), 4),
                "delta_over_target": rounded(worst_delta(t), 4),
            }
            for depth in DEPTHS
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 4.3."""
        return [
            Claim(
                "for small t and levels near the top the mechanism is no use against Laplace noise",
                "section 4.3",
                "twice the noise at the top; below 1 from depth "
                + ", ".join(f"{worth_from(t)} (t = {t:g})" for t in TS),
                all(number(row, "published") == 2 for row in where(rows, depth=0)),
            ),
            Claim(
                "the smaller t, the lower a level must be to gain",
                "section 4.3",
                "so it is",
                [worth_from(t) for t in TS] == sorted((worth_from(t) for t in TS), reverse=True),
            ),
        ]

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """In a chain of levels, one per step, with the paper's constants."""
        return max(number(row, "delta_over_target") for row in rows) <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """At one point."""
        t, depth = SAMPLE
        row = one(rows, t=t, depth=depth)
        worst, most = (max(number(r, column) for r in rows) for column in ("delta_over_target", "exact_pair"))
        return Findings(
            published=f"{number(row, 'published'):.2f} times Laplace noise at t = {t:g}, {depth} levels below the top",
            privacy=f"in a chain of levels, one per step, it is: the exact delta is at most {worst:.2g} of the "
            "target. For "
            "other structures of levels Proposition 11 does not hold (`LargestLocalSensitivitiesAsPrinted`)",
            sound="`LargestLocalSensitivities`: the same form, one level per step",
            default=f"`ExactPairLaplace`: {number(row, 'exact_pair'):.2g} times Laplace noise there, at most "
            f"{most:.2g} "
            f"anywhere; `PolyPlace`, without a delta: {number(row, 'poly_place'):.2g}",
            straw_man="Laplace noise for the bound: 1 by definition, and better than the published noise above the "
            "line",
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """Ratios against depth: published solid, ours dashed."""
        figure, panel = plt.subplots(figsize=(7.8, 3.9))
        for t, colour in zip(TS, (BLUE, ORANGE, GREEN, RED, PURPLE), strict=True):
            held = where(rows, t=t)
            depths = [row["depth"] for row in held]
            panel.plot(depths, [row["published"] for row in held], color=colour, label=f"t = {t:g}, published")
            panel.plot(
                depths,
                [row["exact_pair"] for row in held],
                color=colour,
                linestyle="--",
                label=f"t = {t:g}, exact pair",
            )
        panel.axhline(1, color=BLACK, linewidth=0.8, linestyle=":")
        panel.set_yscale("log")
        panel.set_ylim(1e-3, 3)
        panel.set_xlabel("levels below the top, l")
        panel.set_ylabel("noise / Laplace noise")
        panel.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.01, 0.5))
        panel.grid(alpha=0.3)
        figure.tight_layout()
        return figure
