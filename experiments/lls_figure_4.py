"""Fig. 4 of the largest-local-sensitivities paper: noise on a number of edges. Exact scales.

One edge moves the number of edges by 1 in every graph, so every sensitivity is 1, local, smooth or global.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from dampen import NumericProblem
from dampen.mechanisms import ExactPairLaplace, Laplace
from dampen.queries import edge_count_problem
from experiments import data
from experiments.dampening_table_1 import breadth_first_sample
from experiments.lls_printed import printed_rates
from experiments.pictures import curves, grid, legend
from experiments.reproduction import LLS, Cell, Claim, Findings, Losses, Reproduction, Row, number, one, rounded, where

NODES = 100
USERS = 196_591
EPSILONS = tuple(round(0.05 * step, 2) for step in range(1, 25))
METHODS = {
    "lls": ("LLS as printed", "published"),
    "ss": ("smooth sensitivity as printed", "published_too"),
    "exact_pair": ("ExactPairLaplace", "sound"),
    "laplace": ("Laplace (default)", "default"),
}


def delta_of(epsilon: float) -> float:
    """epsilon / (2 n), n the nodes of the whole graph."""
    return epsilon / (2 * USERS)


def problem() -> NumericProblem:
    """The edges of a sample of 100 nodes, on a fine grid: rounding is not what is compared."""
    sample = breadth_first_sample(data.graph("gowalla"), NODES, np.random.default_rng([0, NODES, 0]))
    return edge_count_problem(sample).as_public()


def amplitude(method: str, epsilon: float, posed: NumericProblem) -> float:
    """The mean size of the noise."""
    forms: dict[str, Callable[[], float]] = {
        "lls": lambda: float(1 / printed_rates([1.0], epsilon, delta_of(epsilon))[0]),
        "ss": lambda: 2 * 1.0 / epsilon,
        "exact_pair": lambda: float(ExactPairLaplace(epsilon, delta_of(epsilon)).expected_absolute_noise(posed)),
        "laplace": lambda: float(Laplace(epsilon).expected_absolute_noise(posed)),
    }
    return forms[method]()


class LlsFigure4(Reproduction):
    """Edges."""

    id = "lls_figure_4"
    paper = LLS
    title = "Fig. 4"
    subject = "the number of edges of a graph of 100 nodes"
    needs = ("gowalla",)
    parameters: ClassVar[Mapping[str, Any]] = {"nodes": NODES, "users": USERS, "epsilons": EPSILONS, "seed": 0}

    def cells(self) -> Sequence[Cell]:
        """One."""
        return [("all",)]

    def measure(self, cell: Cell) -> list[Row]:
        """Amplitudes, and the count."""
        posed = problem()
        return [
            {
                "method": method,
                "epsilon": epsilon,
                "amplitude": rounded(amplitude(method, epsilon, posed)),
                "edges": int(posed.value),
            }
            for method in METHODS
            for epsilon in EPSILONS
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 6.2."""
        pairs = list(zip(where(rows, method="lls"), where(rows, method="ss"), strict=True))
        apart = max(abs(number(a, "amplitude") / number(b, "amplitude") - 1) for a, b in pairs)
        return [
            Claim(
                "both need similar noise for reasonable epsilon",
                "section 6.2",
                f"the same at every epsilon ({100 * apart:.1f} % apart)",
                apart < 0.1,
            ),
            Claim(
                "LLS needs slightly less for small epsilon",
                "section 6.2",
                "2 / epsilon for both: every sensitivity is 1",
                any(number(a, "amplitude") < number(b, "amplitude") * (1 - 1e-9) for a, b in pairs),
            ),
            Claim(
                "in utility LLS is the first choice for edges",
                "section 6.2, table",
                "Laplace noise needs half as much at every epsilon",
                all(
                    number(a, "amplitude") <= number(b, "amplitude")
                    for a, b in zip(where(rows, method="lls"), where(rows, method="laplace"), strict=True)
                ),
            ),
        ]

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Noise of one scale for all graphs, twice what one edge needs."""
        return all(number(r, "amplitude") * number(r, "epsilon") >= 1 for r in where(rows, method="lls"))

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """At epsilon 1."""
        at = {m: number(one(rows, epsilon=1.0, method=m), "amplitude") for m in METHODS}
        return Findings(
            published=f"an amplitude of {at['lls']:.2f} at epsilon 1, by LLS and by smooth sensitivity, for a count of "
            f"{rows[0]['edges']}",
            privacy="yes: the noise has the same scale for every graph, and half of it would do",
            sound=f"`ExactPairLaplace`: {at['exact_pair']:.2f}",
            default=f'`dampen.count_subgraphs(graph, "edge", ...)`, Laplace noise: {at["laplace"]:.2f}, '
            "without a delta",
            straw_man="the same Laplace noise",
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """Amplitude against epsilon."""
        figure, axes = grid(plt, 1, 1)
        curves(axes[0][0], rows, "epsilon", "amplitude", METHODS)
        axes[0][0].set_yscale("log")
        axes[0][0].set_xlabel("epsilon")
        axes[0][0].set_ylabel("mean size of the noise")
        legend(figure, axes, columns=2)
        return figure
