"""Fig. 1 of the group-by paper: the error of a private group size, and the F1 of TRIODE-H. Exact, and from Table 2."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from dampen.vectors import Floats
from experiments.groupby_qualities import EPSILONS
from experiments.groupby_table_2 import AS_PRINTED, MEN, PEOPLE, GroupByTable2
from experiments.pictures import curves
from experiments.reproduction import (
    GROUP_BY,
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

METHODS = {
    "printed": "as printed, epsilon for one group",
    "replace": "by(...).count, REPLACE, epsilon for all groups",
    "add_remove": "by(...).count, ADD_REMOVE, epsilon for all groups",
    "blind": "half of all people, whatever the data",
}
SIZES = {"printed": "published", "replace": "default", "add_remove": "sound", "blind": "straw_man"}
F1_ROLES = ("reference", "published", "sound", "default", "published_third", "straw_man")
"""How the lines look."""


def size_law(epsilon: float) -> Floats:
    """Of the printed choice of a size from 1 to n - 1: proportional to exp(-epsilon |size - true| / 2)."""
    exponents = -epsilon / 2 * np.abs(np.arange(1, PEOPLE) - MEN)
    weights = np.exp(exponents)
    return np.asarray(weights / weights.sum())


def size_error(method: str, epsilon: float) -> float:
    """The expected distance of the told size from the true one."""
    if method == "printed":
        return float(size_law(epsilon) @ np.abs(np.arange(1, PEOPLE) - MEN))
    if method == "blind":
        return abs(PEOPLE / 2 - MEN)
    rate = epsilon / 2 if method == "replace" else epsilon
    return float(2 * np.exp(-rate) / (1 - np.exp(-2 * rate)))


class GroupByFigure1(Reproduction):
    """Sizes, and F1."""

    id = "groupby_figure_1"
    paper = GROUP_BY
    title = "Fig. 1"
    subject = "the size of a group, and TRIODE-H on Adult"
    needs = ("adult",)
    parameters: ClassVar[Mapping[str, Any]] = {**GroupByTable2.parameters, "people": PEOPLE, "men": MEN}

    def cells(self) -> Sequence[Cell]:
        """Both panels."""
        return [("size",), ("f1",)]

    def measure(self, cell: Cell) -> list[Row]:
        """Expected errors of the size, or F1 as in Table 2."""
        if cell[0] == "size":
            return [
                {"panel": "size", "method": m, "epsilon": rounded(e), "value": rounded(size_error(m, e)), "error": 0}
                for m in METHODS
                for e in EPSILONS.values()
            ]
        found = GroupByTable2().measure(("all",))
        kept = {"method": "method", "epsilon": "epsilon", "value": "f1", "error": "error"}
        return [{"panel": "f1", **{name: row[column] for name, column in kept.items()}} for row in found]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 3. The text gives no numbers for the first panel."""
        errors = [number(row, "value") for row in where(rows, panel="size", method="printed")]
        f1 = [number(row, "value") for row in where(rows, panel="f1", method=AS_PRINTED)]
        return [
            Claim(
                "the error of the size falls with the budget, over orders of magnitude",
                "p. 275, Fig. 1a",
                ", ".join(shown(value) for value in errors),
                errors == sorted(errors, reverse=True) and errors[0] > 1000 * errors[-1],
            ),
            Claim(
                "the F1 grows with the budget",
                "p. 275, Fig. 1b",
                f"between {min(f1):.3f} and {max(f1):.3f}, without a trend",
                f1[-1] > f1[0] + 0.02,
            ),
        ]

    def losses(self) -> dict[str, float]:
        """Of the size between neighbours, at epsilon 1; and of both stages, as in Table 2."""
        sizes = np.arange(1, PEOPLE)
        other = -0.5 * np.abs(sizes - MEN - 1)
        log_other = other - np.log(np.exp(other).sum())
        size = float(np.abs(np.log(np.maximum(size_law(1.0), 1e-300)) - log_other)[MEN - 600 : MEN + 600].max())
        return {"size": size, **GroupByTable2().losses()}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """The size is; the second stage is not as printed."""
        return max(losses["size"], losses["printed"], losses["stages"]) <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """At epsilon 1."""
        at = {m: number(one(rows, panel="size", method=m, epsilon=1), "value") for m in METHODS}
        return Findings(
            published=f"an expected error of {at['printed']:.2f} people at epsilon 1",
            privacy=f"the size is (loss {losses['size']:.2f} at epsilon 1); the second stage is not as printed "
            "(Table 2)",
            sound="the same choice of a size is private",
            default=f"`table.by(...).count`: {at['replace']:.2f} under REPLACE, as in the paper, and "
            f"{at['add_remove']:.2f} under "
            "ADD_REMOVE, for all groups at once",
            straw_man=f"half of all people: {at['blind']:,.0f}",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """Errors of the size."""
        lines = [
            [label, *(shown(row["value"]) for row in where(rows, panel="size", method=m))]
            for m, label in METHODS.items()
        ]
        return "Expected errors of the size of the group Male:\n\n" + markdown(["", *EPSILONS], lines)

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """Errors of sizes on a logarithmic axis, and F1."""
        figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.5))
        left, right = axes
        curves(
            left, where(rows, panel="size"), "epsilon", "value", {m: (METHODS[m], role) for m, role in SIZES.items()}
        )
        left.set_yscale("log")
        left.set_ylabel("expected error of the size, people")
        f1 = where(rows, panel="f1")
        roles = dict(zip(distinct(f1, "method"), F1_ROLES, strict=True))
        curves(right, f1, "epsilon", "value", {m: (m, role) for m, role in roles.items()}, error="error")
        right.set_ylabel("F1")
        for panel in axes:
            panel.set_xscale("log")
            panel.set_xlabel("epsilon")
            panel.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.17))
        figure.tight_layout()
        return figure
