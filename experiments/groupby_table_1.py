"""Table 1 of the group-by paper: TRIODE on 20 people, 15 of them in the group. Exact laws: expectations, no sample."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from experiments.groupby_qualities import EPSILONS, MEMBERS, PEOPLE, TABLE_1, Quality, picked_in_table_1, table_1
from experiments.refuted import TriodeByItsPrintedSensitivity
from experiments.refuted.base import measured_loss
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
    where,
)

DESCRIBED, SOUND = "TRIODE as described", "TRIODE, epsilon for the release"
RESPONSE, CHANCE, ALL = "randomised response, epsilon for the release", "16 at random", "everybody"
PRINTED = "as printed in the paper"


def f1_table(rows: Sequence[Row]) -> str:
    """F1 at each epsilon, the printed row first."""
    lines = [
        [name, *(f"{number(row, 'f1'):.3f}" for row in where(rows, method=name))] for name in distinct(rows, "method")
    ]
    return markdown(["F1", *EPSILONS], lines)


def quality_rows(name: str, found: Sequence[Quality]) -> list[Row]:
    """One for each epsilon."""
    return [
        {
            "method": name,
            "epsilon": rounded(epsilon),
            "precision": rounded(quality.precision),
            "recall": rounded(quality.recall),
            "f1": rounded(quality.f1),
            "error": rounded(quality.error, 3),
        }
        for epsilon, quality in zip(EPSILONS.values(), found, strict=True)
    ]


class GroupByTable1(Reproduction):
    """TRIODE."""

    id = "groupby_table_1"
    paper = GROUP_BY
    title = "Table 1"
    subject = "TRIODE on 20 people"
    parameters: ClassVar[Mapping[str, Any]] = {"people": PEOPLE, "members": MEMBERS, "epsilons": tuple(EPSILONS)}

    def cells(self) -> Sequence[Cell]:
        """One."""
        return [("all",)]

    def measure(self, cell: Cell) -> list[Row]:
        """The printed table, and every contestant."""
        contestants = {PRINTED: [Quality(*row) for row in TABLE_1], **table_1()}
        return [row for name, found in contestants.items() for row in quality_rows(name, found)]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """Section 3."""
        first, last = (one(rows, method=DESCRIBED, epsilon=epsilon) for epsilon in (0.01, 10))
        away = max(
            abs(number(a, "f1") - number(b, "f1"))
            for a, b in zip(where(rows, method=PRINTED), where(rows, method=DESCRIBED), strict=True)
        )
        return [
            Claim(
                "a mean F1 of about 0.79 at epsilon 0.01",
                "p. 275, Table 1",
                f"{number(first, 'f1'):.2f} by the algorithm as described; 16 of 20 at random have "
                f"{number(one(rows, method=CHANCE, epsilon=0.01), 'f1'):.2f}",
                abs(number(first, "f1") - 0.79) < 0.05,
            ),
            Claim(
                "about 0.97 at epsilon 10",
                "p. 275, Table 1",
                f"{number(last, 'f1'):.2f} by the algorithm as described",
                abs(number(last, "f1") - 0.97) < 0.05,
            ),
            Claim(
                "the six rows of the table",
                "p. 275, Table 1",
                f"up to {away:.2f} away from the algorithm as described; in all six recall over precision is 16 / "
                "15, so "
                f"{', '.join(f'{count:.0f}' for count in picked_in_table_1())} people were picked for a group of "
                f"{MEMBERS}",
                away < 0.05,
            ),
        ]

    def losses(self) -> dict[str, float]:
        """At epsilon 1, with the printed sensitivity."""
        kind = TriodeByItsPrintedSensitivity
        return {"triode": measured_loss(kind.as_claimed(), kind.evidence)}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """The stored pair of the fence."""
        return losses["triode"] <= 1

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """At epsilon 1."""
        at = {name: number(one(rows, method=name, epsilon=1), "f1") for name in distinct(rows, "method")}
        return Findings(
            published=f"an F1 of {at[DESCRIBED]:.3f} at epsilon 1 by the algorithm as described; printed: "
            f"{at[PRINTED]:.3f}. The "
            "printed numbers up to ln 2 are those of 16 people at random, and a loop that picks l + 1 people gives 16",
            privacy="no: the sensitivity is 1, not 2 / (2 n - 1), and the exact loss at epsilon 1 is "
            f"{losses['triode']:.1f} "
            "(`TriodeByItsPrintedSensitivity`)",
            sound=f"the same law with the right sensitivity, epsilon for the whole release: {at[SOUND]:.3f}; "
            "dampened around "
            f"its element sensitivities {at['dampened TRIODE, epsilon for the release']:.3f}",
            default=f"`dampen.release_group_members`, randomised response: {at[RESPONSE]:.3f}",
            straw_man=f"16 people at random: {at[CHANCE]:.3f}. Everybody, without a look at the data: {at[ALL]:.3f}",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """F1 of everyone."""
        remark = (
            "The prices are not the same: the printed rows price one group, those *for the release* all of it. F1 "
            "rewards "
            "large sets where the group is a majority."
        )
        return f"{f1_table(rows)}\n\n{remark}"
