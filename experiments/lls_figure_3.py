"""Fig. 3 of the largest-local-sensitivities paper: the private sum of the k smallest salaries. Exact scales.

In this data space the salaries are public and a data set is a prefix of them (:mod:`experiments.prefix_sum`): only
which prefix was summed up is hidden. The paper does not say which epsilon its picture has; two are taken.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dampen import NumericProblem
from dampen.audit import laplace_pair
from dampen.mechanisms import ExactPairLaplace, SmoothLaplace
from dampen.vectors import Floats
from experiments import data
from experiments.lls_printed import printed_rates
from experiments.pictures import curves, grid, legend
from experiments.prefix_sum import prefix_sum_problem
from experiments.reproduction import LLS, Cell, Claim, Findings, Losses, Reproduction, Row, number, one, rounded, where

EPSILONS = (0.1, 1.0)
SHARES = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""k / n."""
METHODS = {
    "lls": ("LLS as printed", "published"),
    "lls_no_gap": ("LLS without its gap rule", "published_too"),
    "smooth": ("smooth sensitivity", "sound"),
    "exact_pair": ("ExactPairLaplace", "default"),
    "laplace": ("Laplace", "straw_man"),
}


@lru_cache(maxsize=1)
def ordered() -> Floats:
    """All salaries, in ascending order."""
    return np.sort(data.salaries())


def delta_of(epsilon: float) -> float:
    """epsilon / (2 n), the paper's."""
    return epsilon / (2 * len(ordered()))


@lru_cache(maxsize=8)
def rates(epsilon: float, gap_rule: bool) -> tuple[Floats, Floats]:
    """The distinct salaries above 0, and the printed rate of each."""
    levels = np.unique(ordered())
    levels = levels[levels > 0]
    return levels, printed_rates(levels.tolist(), epsilon, delta_of(epsilon), gap_rule=gap_rule)


def printed(k: int, epsilon: float, *, gap_rule: bool) -> float:
    """The scale that Algorithm 1 gives for the k smallest: its level is the next salary."""
    levels, found = rates(epsilon, gap_rule)
    return float(1 / found[np.searchsorted(levels, max(ordered()[k], levels[0]))])


def problem(k: int) -> NumericProblem:
    """The sum of the k smallest, in cents."""
    return prefix_sum_problem(ordered(), k, resolution="0.01").as_public()


def amplitude(method: str, k: int, epsilon: float) -> float:
    """The mean size of the noise."""
    delta = delta_of(epsilon)
    forms: dict[str, Callable[[], float]] = {
        "lls": lambda: printed(k, epsilon, gap_rule=True),
        "lls_no_gap": lambda: printed(k, epsilon, gap_rule=False),
        "smooth": lambda: float(SmoothLaplace(epsilon, delta).expected_absolute_noise(problem(k))),
        "exact_pair": lambda: float(ExactPairLaplace(epsilon, delta).expected_absolute_noise(problem(k))),
        "laplace": lambda: float(ordered()[-1]) / epsilon,
    }
    return forms[method]()


def worst_delta(epsilon: float) -> float:
    """The largest exact delta of neighbouring prefixes by the printed noise, over the target; 400 of them."""
    n = len(ordered())
    first = int(np.searchsorted(ordered(), 0, side="right"))
    found = []
    for k in (*range(first, n - 1, max((n - first) // 400, 1)), n - 2):
        scales = [printed(place, epsilon, gap_rule=True) for place in (k, k + 1)]
        pair = laplace_pair(epsilon=epsilon, distance=float(ordered()[k]), scale=scales[0], other_scale=scales[1])
        found.append(float(pair.delta))
    return max(found) / delta_of(epsilon)


class LlsFigure3(Reproduction):
    """Salaries."""

    id = "lls_figure_3"
    paper = LLS
    title = "Fig. 3"
    subject = "the sum of the k smallest salaries"
    needs = ("sf_salaries",)
    parameters: ClassVar[Mapping[str, Any]] = {"epsilons": EPSILONS, "shares": SHARES}

    def cells(self) -> Sequence[Cell]:
        """One for each curve."""
        return [(epsilon, method) for epsilon in EPSILONS for method in METHODS]

    def measure(self, cell: Cell) -> list[Row]:
        """Amplitudes; and how much of the target delta the printed noise needs at worst."""
        epsilon, method = float(cell[0]), str(cell[1])
        used = rounded(worst_delta(epsilon), 4) if method == "lls" else None
        return [
            {
                "epsilon": epsilon,
                "method": method,
                "share": share,
                "amplitude": rounded(amplitude(method, int(share * len(ordered())), epsilon)),
                "delta_over_target": used,
            }
            for share in SHARES
        ]

    def _ratio(self, rows: Sequence[Row], epsilon: float, method: str) -> float:
        """The largest ratio to smooth sensitivity."""
        ours, smooth = (where(rows, epsilon=epsilon, method=name) for name in (method, "smooth"))
        return max(number(a, "amplitude") / number(b, "amplitude") for a, b in zip(ours, smooth, strict=True))

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 6.2."""
        apart = {e: (self._ratio(rows, e, "lls"), self._ratio(rows, e, "lls_no_gap")) for e in EPSILONS}
        return [
            Claim(
                "LLS and smooth sensitivity need almost the same noise",
                "section 6.2",
                "; ".join(
                    f"at epsilon {e:g} LLS as printed needs up to {a:.3g} times as much, without its gap rule "
                    f"{b:.2f} times"
                    for e, (a, b) in apart.items()
                ),
                all(a < 1.2 for a, _ in apart.values()),
            ),
            Claim(
                "smooth sensitivity takes more than three minutes for k / n < 0.6, LLS less than 130 ms",
                "section 6.2",
                "the ladder of a prefix is the rest of the list, so smooth sensitivity is one pass over it, as LLS is "
                "(`experiments.prefix_sum.PrefixLadder.smooth`)",
                False,
            ),
        ]

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """On neighbouring prefixes."""
        return max(number(r, "delta_over_target") for r in where(rows, method="lls")) <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """Half of the salaries at epsilon 1."""
        at = {m: number(one(rows, epsilon=1.0, method=m, share=0.5), "amplitude") for m in METHODS}
        used = max(number(r, "delta_over_target") for r in where(rows, method="lls"))
        return Findings(
            published=f"the sum of the lower half at epsilon 1: an amplitude of {at['lls']:,.0f} by the algorithm "
            "as printed, "
            f"whose gap rule stops it near the top, and {at['lls_no_gap']:,.0f} without that rule",
            privacy=f"for prefixes it is (exact delta at most {used:.2g} of the target). But the salaries "
            "themselves are public "
            "in this data space: nobody's salary is protected, only where the sum ends",
            sound=f"smooth sensitivity with its proved constants: {at['smooth']:,.0f}",
            default=f"`ExactPairLaplace` in the same data space: {at['exact_pair']:,.0f}. `dampen.total` protects "
            "salaries "
            f"and needs {at['laplace']:,.0f} for the same bound",
            straw_man=f"Laplace noise for the largest salary: {at['laplace']:,.0f}, less than LLS as printed",
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """One panel for each epsilon."""
        figure, axes = grid(plt, 1, len(EPSILONS))
        for panel, epsilon in zip(axes[0], EPSILONS, strict=True):
            curves(panel, where(rows, epsilon=epsilon), "share", "amplitude", METHODS)
            panel.set_yscale("log")
            panel.set_title(f"epsilon = {epsilon:g}", fontsize=10)
            panel.set_xlabel("k / n")
        axes[0][0].set_ylabel("mean size of the noise")
        legend(figure, axes, columns=3)
        return figure
