"""Fig. 9 of the local dampening paper: the expected error of private percentiles on three histograms. Exact laws.

The paper's three methods answer with the label of a record; ours and the straw man with a value of a public grid.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from dampen.mechanisms import Exponential, LocalDampening, PermuteAndFlip
from dampen.queries import percentile_label_problem
from dampen.vectors import Floats
from experiments.percentile_answers import DATA, Answers, default_answers, label_answers, rank_answers
from experiments.pictures import curves, grid, legend
from experiments.refuted import DampeningByAlgorithm2
from experiments.refuted.base import measured_loss
from experiments.reproduction import (
    DAMPENING,
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
    shown,
    where,
)

PERCENTS = (50, 90, 95, 99)
EPSILONS = tuple(float(epsilon) for epsilon in np.logspace(-1, 2, 30))
PRINTED = {
    ("PATENT", 50): 44,
    ("PATENT", 90): 52,
    ("PATENT", 99): 59,
    ("HEPTH", 50): 12,
    ("HEPTH", 90): 52,
    ("HEPTH", 99): 73,
}
"""The largest reduction of the error against the exponential mechanism, in percent."""
INCOME_AT_MOST = 3
METHODS = {
    "exponential": ("EMPercentileSelection", "exponential"),
    "permute_and_flip": ("PFPercentileSelection", "permute_and_flip"),
    "local_dampening": ("LDPercentileSelection", "shifted"),
    "rank": ("ranks (straw man)", "straw_man"),
    "default": ("dampen.percentile", "default"),
}
ANSWERS: dict[str, Callable[[str, int, float], Answers]] = {
    "exponential": lambda name, p, epsilon: label_answers(name, p, Exponential(epsilon)),
    "permute_and_flip": lambda name, p, epsilon: label_answers(name, p, PermuteAndFlip(epsilon)),
    "local_dampening": lambda name, p, epsilon: label_answers(name, p, LocalDampening(epsilon, Exponential)),
    "rank": rank_answers,
    "default": default_answers,
}


def error(method: str, name: str, p: int, epsilon: float) -> float:
    """The expected absolute error, from the law."""
    return ANSWERS[method](name, p, epsilon).error


def reductions(rows: Sequence[Row], name: str, p: int) -> list[float]:
    """How much less local dampening errs than the exponential mechanism, in percent, at each epsilon."""
    classical, dampened = (
        [number(row, "error") for row in where(rows, data=name, p=p, method=method)]
        for method in ("exponential", "local_dampening")
    )
    return [100 * (1 - d / c) for c, d in zip(classical, dampened, strict=True)]


def worst_label_loss(epsilon: float) -> float:
    """The largest log-ratio of dampening with exact rungs between (0, 1, 1, 3, 4) and all with another record."""
    values, bound = (0, 1, 1, 3, 4), 4
    mechanism = LocalDampening(epsilon, Exponential)

    def log_law(x: tuple[int, ...]) -> Floats:
        return np.asarray(mechanism.log_probabilities(percentile_label_problem(x, 50, bound=bound)))

    others = [(*values[:i], v, *values[i + 1 :]) for i in range(len(values)) for v in range(bound + 1)]
    return max(float(np.abs(log_law(values) - log_law(other)).max()) for other in others)


def nearest(epsilon: float) -> float:
    """The epsilon of the figure that is nearest to this, as the file has it."""
    return rounded(min(EPSILONS, key=lambda value: abs(np.log(value / epsilon))))


class DampeningFigure9(Reproduction):
    """Percentiles by labels."""

    id = "dampening_figure_9"
    paper = DAMPENING
    title = "Fig. 9"
    subject = "percentiles of three histograms"
    needs = DATA
    parameters: ClassVar[Mapping[str, Any]] = {"percents": PERCENTS, "epsilons": "logspace(-1, 2, 30)"}

    def cells(self) -> Sequence[Cell]:
        """One for each panel."""
        return [(name, p) for name in DATA for p in PERCENTS]

    def measure(self, cell: Cell) -> list[Row]:
        """Exact expected errors."""
        name, p = str(cell[0]), int(cell[1])
        return [
            {
                "data": name,
                "p": p,
                "method": method,
                "epsilon": rounded(epsilon),
                "error": rounded(error(method, name, p, epsilon)),
            }
            for method in METHODS
            for epsilon in EPSILONS
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 5.3."""
        claims = []
        for name in DATA[:2]:
            printed = [PRINTED[name, p] for p in (50, 90, 99)]
            found = [max(reductions(rows, name, p)) for p in (50, 90, 99)]
            claims.append(
                Claim(
                    f"{name}: errors up to {printed[0]}, {printed[1]}, {printed[2]} % smaller, for p = 50, 90, 99",
                    "section 5.3",
                    ", ".join(f"{value:.1f}" for value in found) + " %",
                    [int(value) for value in found] == printed,
                )
            )
        income = [max(reductions(rows, "INCOME", p)) for p in (50, 90, 99)]
        small = np.mean([value < 1 for p in (50, 90, 99) for value in reductions(rows, "INCOME", p)])
        claims += [
            Claim(
                f"INCOME: errors up to {INCOME_AT_MOST} % smaller, for p = 99",
                "section 5.3",
                f"{income[2]:.1f} %",
                int(income[2]) == INCOME_AT_MOST,
            ),
            Claim(
                "INCOME: the same errors in most scenarios",
                "section 5.3",
                f"less than 1 % apart at {100 * small:.0f} % of the points; up to {income[0]:.1f} % for p = 50",
                bool(small > 0.5),
            ),
        ]
        apart = max(
            abs(number(a, "error") / number(b, "error") - 1)
            for a, b in zip(where(rows, method="permute_and_flip"), where(rows, method="exponential"), strict=True)
        )
        claims.append(
            Claim(
                "the exponential mechanism and permute-and-flip have very similar errors",
                "section 5.3",
                f"at most {100 * apart:.1f} % apart",
                apart < 0.05,
            )
        )
        return claims

    def losses(self) -> dict[str, float]:
        """Of dampened labels on a small universe, and of Algorithm 2 on the stored pair of the fence."""
        refuted = DampeningByAlgorithm2
        return {"labels": worst_label_loss(1), "algorithm_2": measured_loss(refuted.as_claimed(), refuted.evidence)}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """Dampening of five records and all that differ in one."""
        return losses["labels"] <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """PATENT's median at epsilon 1."""
        at = {m: number(one(rows, data="PATENT", p=50, method=m, epsilon=nearest(1)), "error") for m in METHODS}
        largest = max(
            max(reductions(rows, name, p)[: sum(epsilon <= 1.1 for epsilon in EPSILONS)])
            for name in DATA
            for p in PERCENTS
        )
        first = min(EPSILONS[int(np.argmax(reductions(rows, name, p)))] for name in DATA for p in PERCENTS)
        return Findings(
            published="with the exact element sensitivity and without a shift the printed reductions come out; they "
            f"occur at epsilons of {first:.2g} and more. Up to epsilon {nearest(1):.3g} the reduction is at most "
            f"{largest:.1f} %. PATENT's median there: {shown(at['local_dampening'])} against "
            f"{shown(at['exponential'])}",
            privacy="unshifted dampening is: its scores lie within [-1, 0] (worst loss over five records and all that "
            f"differ in one: {losses['labels']:.2f} at epsilon 1). With the rungs of Lemma 11 and Algorithm 2 shifted "
            f"dampening is not: exact loss {losses['algorithm_2']:.2f} at epsilon 1 "
            "(`DampeningByAlgorithm2`). The bound is the largest count, which is private",
            sound="`dampen.queries.percentile_label_problem` has the exact rungs. One replaced value makes any label "
            "right, so no private choice of a label errs much less than a random one",
            default=f"`dampen.percentile`, a value of a public grid: {shown(at['default'])}",
            straw_man=f"permute-and-flip on ranks: {shown(at['rank'])}",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """Errors at epsilon 1 and the largest reductions."""
        lines = []
        for name in DATA:
            for p in PERCENTS:
                reduction = reductions(rows, name, p)
                at = nearest(1)
                errors = [shown(one(rows, data=name, p=p, method=m, epsilon=at)["error"]) for m in METHODS]
                best = EPSILONS[int(np.argmax(reduction))]
                printed = PRINTED.get((name, p))
                lines.append(
                    [f"{name} {p}", *errors, f"{max(reduction):.1f} %", "-" if printed is None else f"{printed} %",
                     f"{best:.3g}"]
                )  # fmt: skip
        head = ["data, p", *(label for label, _ in METHODS.values()), "largest reduction", "printed", "at epsilon"]
        return (
            f"Expected errors at epsilon {nearest(1):.3g}, and the largest reduction over all epsilons:\n\n"
            + markdown(head, lines)
        )

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """One panel for each histogram and percentile."""
        figure, axes = grid(plt, len(DATA), len(PERCENTS))
        for line, name in zip(axes, DATA, strict=True):
            for panel, p in zip(line, PERCENTS, strict=True):
                held = [{**row, "error": max(number(row, "error"), 1e-3)} for row in where(rows, data=name, p=p)]
                curves(panel, held, "epsilon", "error", METHODS)
                panel.set_xscale("log")
                panel.set_yscale("log")
                panel.set_title(f"{name}, p = {p}", fontsize=10)
            line[0].set_ylabel("expected error (cut at 0.001)")
        for panel in axes[-1]:
            panel.set_xlabel("epsilon")
        legend(figure, axes)
        return figure
