"""Fig. 7 of the local dampening paper: the expected error of shifted dampening against a parameter of its
sensitivity.

Three candidates of utility 10, 20 and 30, and the sensitivity function min(u t / beta, 100). The larger beta, the
slower it rises. Exact laws.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.accuracy import expected_error
from dampen.mechanisms import Exponential, PermuteAndFlip, SelectionMechanism, ShiftedLocalDampening
from dampen.sensitivity import RungTable
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
    number,
    one,
    rounded,
    where,
)

EPSILON, BOUND = 1, 100
UTILITIES = (10, 20, 30)
BETAS = tuple(round(float(beta), 4) for beta in np.logspace(-2, 1, 25))
METHODS = {
    "shifted": ("shifted dampening (Def. 15)", "shifted"),
    "other_way": ("shifted the other way (Def. 16)", "published_too"),
    "exponential": ("exponential mechanism", "exponential"),
    "default": ("permute-and-flip", "default"),
}


def problem(beta: float) -> SelectionProblem:
    """The question of Example 9."""
    horizon = int(np.ceil(BOUND * beta / min(UTILITIES))) + 1
    rows = [[min(u * t / beta, BOUND) for u in UTILITIES] for t in range(horizon)]
    frame = Frame(("r1", "r2", "r3"), BOUND, Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, list(UTILITIES), RungTable(rows, bound=BOUND, floor="1e-9")).as_public()


def mechanism(method: str, beta: float) -> SelectionMechanism:
    """Each at epsilon 1."""
    horizon = problem(beta).sensitivity.horizon or 0
    return {
        "shifted": ShiftedLocalDampening(EPSILON, horizon, "up", law=Exponential),
        "other_way": ShiftedLocalDampening(EPSILON, horizon, "down", law=Exponential),
        "exponential": Exponential(EPSILON),
        "default": PermuteAndFlip(EPSILON),
    }[method]


class DampeningFigure7(Reproduction):
    """Expected error against beta."""

    id = "dampening_figure_7"
    paper = DAMPENING
    title = "Fig. 7"
    subject = "expected error of shifted dampening against beta"
    parameters: ClassVar[Mapping[str, Any]] = {
        "epsilon": EPSILON,
        "bound": BOUND,
        "utilities": UTILITIES,
        "betas": BETAS,
    }

    def cells(self) -> Sequence[Cell]:
        """One for each method."""
        return [(method,) for method in METHODS]

    def measure(self, cell: Cell) -> list[Row]:
        """Exact expected errors."""
        method = str(cell[0])
        return [
            {"method": method, "beta": b, "error": rounded(expected_error(mechanism(method, b), problem(b)))}
            for b in BETAS
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """The text's reading of the picture, and Corollary 2."""
        up = [number(row, "error") for row in where(rows, method="shifted")]
        classical = number(where(rows, method="exponential")[0], "error")
        return [
            Claim(
                "the larger beta, the smaller the error of shifted dampening",
                "section 4.4.1, Example 9",
                f"it falls from {up[0]:.2f} at beta {BETAS[0]:g} to {up[-1]:.1g} at beta {BETAS[-1]:g}",
                all(b <= a for a, b in pairwise(up)),
            ),
            Claim(
                "never worse than the exponential mechanism, for an increasing function shifted upwards (Corollary 2)",
                "section 4.4.2",
                f"at most {max(up):.2f}, the exponential mechanism {classical:.2f}",
                max(up) <= classical + 1e-5,
            ),
        ]

    def losses(self) -> dict[str, float]:
        """Of shifted dampening over all neighbours of the paper's example graph, its degree bound public."""
        return {"shifted": worst_top_loss(1)}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Shifted dampening with an admissible function, on all neighbours of the paper's example graph."""
        return losses["shifted"] <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """At beta 1."""
        at = {m: number(one(rows, method=m, beta=1.0), "error") for m in METHODS}
        return Findings(
            published=f"an expected error of {at['shifted']:.2f} at beta 1, where the exponential mechanism has "
            f"{at['exponential']:.2f}",
            privacy=f"yes, with an admissible function (worst loss on the example graph {losses['shifted']:.2f} at "
            "epsilon 1). This one is 0 at t = 0 for every data set, so it is admissible only if no neighbour ever has "
            "another utility: the example shows how errors follow the function, and is no query",
            sound="the same mechanism (`ShiftedLocalDampening`), in closed form",
            default=f"permute-and-flip for the bound of {BOUND}, which needs no such function: {at['default']:.2f}",
            straw_man=f"the exponential mechanism: {at['exponential']:.2f}, which is what beta = 0 gives",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """On Lemma 6."""
        down = [number(row, "error") for row in where(rows, method="other_way")]
        return (
            "Lemma 6 asks for the largest gap at the best candidate. That order belongs to the shift the other way "
            f"(Definition 16); with it the error of this function rises from {down[0]:.2f} to {down[-1]:.2f}."
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """Errors against beta."""
        figure, axes = grid(plt, 1, 1)
        curves(axes[0][0], rows, "beta", "error", METHODS)
        axes[0][0].set_xscale("log")
        axes[0][0].set_xlabel("beta")
        axes[0][0].set_ylabel("expected error")
        legend(figure, axes, columns=2)
        return figure
