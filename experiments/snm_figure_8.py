"""Fig. 8 of the Smooth Noisy Max thesis: the law of dampened labels (LD2) for HEPTH's median at three epsilons. Exact.

The middle epsilon is the one of Fig. 7 at which the expected answer comes nearest to the median before it leaves again.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from experiments.dampening_figure_9 import worst_label_loss
from experiments.percentile_answers import Answers
from experiments.pictures import GREY, RED
from experiments.reproduction import (
    SNM,
    Cell,
    Claim,
    Findings,
    Losses,
    Reproduction,
    Row,
    number,
    rounded,
    shown,
    where,
)
from experiments.snm_figure_7 import EPSILONS, answers

NAME, P, MEDIAN = "HEPTH", 50, 41
SMALL, LARGE = EPSILONS[0], EPSILONS[-1]
CURVE = tuple(float(epsilon) for epsilon in np.logspace(-1, 3, 41))


def law(epsilon: float) -> Answers:
    """Of LD2."""
    return answers("ld2", NAME, P, epsilon)


def chance_epsilon() -> float:
    """Where the expected answer is nearest to the median, below the last one."""
    biases = [law(epsilon).bias for epsilon in EPSILONS]
    return EPSILONS[int(np.argmin(biases[:-1]))]


class SnmFigure8(Reproduction):
    """A small error by chance."""

    id = "snm_figure_8"
    paper = SNM
    title = "Fig. 8"
    subject = "the law of dampened labels for HEPTH's median"
    needs = (NAME,)
    parameters: ClassVar[Mapping[str, Any]] = {"p": P, "small": SMALL, "large": LARGE, "curve": "logspace(-1, 3, 41)"}

    def cells(self) -> Sequence[Cell]:
        """The laws, and the curve of both measures."""
        return [("law", "small"), ("law", "chance"), ("law", "large"), ("curve", ""), ("default", "")]

    def measure(self, cell: Cell) -> list[Row]:
        """Probabilities of values, or for each epsilon both measures and the chance of the median."""
        if cell[0] == "curve":
            return [self._summary(epsilon) for epsilon in CURVE]
        if cell[0] == "default":
            found = answers("default", NAME, P, chance_epsilon())
            return [{**self._summary(chance_epsilon()), "kind": "default", "error": rounded(found.error, 5)}]
        epsilon = {"small": SMALL, "chance": chance_epsilon(), "large": LARGE}[str(cell[1])]
        found = law(epsilon)
        values, place = np.unique(found.values, return_inverse=True)
        chances = np.bincount(place, weights=found.law)
        return [
            {**self._summary(epsilon), "kind": cell[1], "value": int(value), "probability": rounded(chance, 4)}
            for value, chance in zip(values.tolist(), chances.tolist(), strict=True)
        ]

    def _summary(self, epsilon: float) -> Row:
        found = law(epsilon)
        return {
            "kind": "curve",
            "epsilon": rounded(epsilon),
            "bias": rounded(found.bias, 5),
            "error": rounded(found.error, 5),
            "right": rounded(found.hit, 4),
            "value": None,
            "probability": None,
        }

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """The caption, and p. 58."""
        small, chance, large = (where(rows, kind=kind)[0] for kind in ("small", "chance", "large"))
        later = [r for r in where(rows, kind="curve") if number(r, "epsilon") > number(chance, "epsilon")]
        peak = max(number(r, "bias") for r in later)
        last = where(rows, kind="curve")[-1]
        return [
            Claim(
                "with a small budget the chance of the median is low",
                "p. 60, first plot",
                f"{number(small, 'right'):.1e} at epsilon {number(small, 'epsilon'):.2g}",
                number(small, "right") < 0.01,
            ),
            Claim(
                "then the absolute expected error is very low, by chance",
                "p. 60, second plot",
                f"{number(chance, 'bias'):.2g} at epsilon {number(chance, 'epsilon'):.3g}, where the chance of the "
                "median "
                f"is {number(chance, 'right'):.3f} and the expected distance {number(chance, 'error'):.1f}",
                number(chance, "bias") < 5 and number(chance, "right") < 0.1,
            ),
            Claim(
                "and rises again as the budget grows",
                "p. 58",
                f"up to {peak:.3g}",
                peak > number(chance, "bias"),
            ),
            Claim(
                "with a large budget it converges",
                "p. 60, last plot",
                f"at epsilon {number(large, 'epsilon'):.3g} the chance of the median is "
                f"{number(large, 'right'):.2f} and "
                f"the expected distance {number(large, 'error'):.1f}; at {number(last, 'epsilon'):,.0f} they are "
                f"{number(last, 'right'):.2f} and {number(last, 'error'):.1f}",
                number(large, "error") < number(chance, "error") < number(small, "error"),
            ),
        ]

    def losses(self) -> dict[str, float]:
        """Of dampened labels on a small universe."""
        return {"labels": worst_label_loss(1)}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Unshifted dampening of labels is."""
        return losses["labels"] <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """Why it happens."""
        chance = where(rows, kind="chance")[0]
        distances = [number(r, "error") for r in where(rows, kind="curve")]
        falling = all(b <= a for a, b in pairwise(distances))
        [default] = where(rows, kind="default")
        return Findings(
            published="as described. The measure is the cause: the distance of the expected answer falls to 0 where "
            "answers below and above the median balance, while the expected distance "
            + ("falls all the way" if falling else "does not fall everywhere"),
            privacy=f"yes (worst loss of dampened labels at epsilon 1 on a small universe: {losses['labels']:.2f}); "
            "the "
            "bound, the largest count, is taken from the data",
            sound="`dampen.queries.percentile_label_problem` with `LocalDampening`: the law drawn here",
            default=f"`dampen.percentile` at epsilon {number(chance, 'epsilon'):.3g}: an expected distance of "
            f"{shown(default['error'], 2)}",
            straw_man="a label chosen at random: an expected distance of "
            f"{shown(float(np.mean(distances[:1])), 3)}, as at epsilon {SMALL:g}",
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """Three laws over values near the median, and both measures."""
        figure, axes = plt.subplots(1, 4, figsize=(13.2, 3.2))
        for panel, kind in zip(axes, ("small", "chance", "large"), strict=False):
            held = [row for row in where(rows, kind=kind) if number(row, "value") <= 200]
            panel.bar([row["value"] for row in held], [row["probability"] for row in held], 1.6, color=RED)
            panel.axvline(MEDIAN, color="black", linewidth=0.8, linestyle=":")
            panel.set_title(f"epsilon = {number(held[0], 'epsilon'):.3g}", fontsize=10)
            panel.set_xlabel("value (dotted: the median)")
        axes[0].set_ylabel("probability")
        curve = where(rows, kind="curve")
        for column, colour, label in (("bias", RED, "|x_k - E(answer)|"), ("error", GREY, "E|x_k - answer|")):
            axes[3].plot([r["epsilon"] for r in curve], [r[column] for r in curve], color=colour, label=label)
        axes[3].set_xscale("log")
        axes[3].set_xlabel("epsilon")
        axes[3].legend(frameon=False, fontsize=8)
        axes[3].grid(alpha=0.3)
        figure.tight_layout()
        return figure
