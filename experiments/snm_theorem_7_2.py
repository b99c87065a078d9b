"""The example of Theorem 7.2 in the Smooth Noisy Max thesis: exponential mechanism, smooth sensitivity. Exact."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import PermuteAndFlip, SmoothExponential, StableArgmax
from dampen.queries.categories import winner_steps
from dampen.sensitivity import Step
from dampen.vectors import Floats
from experiments.pictures import GREEN, RED, SKY, YELLOW
from experiments.refuted import ExponentialWithSmoothSensitivity
from experiments.refuted.base import measured_loss
from experiments.reproduction import (
    SNM,
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
)

PUBLISHED = ExponentialWithSmoothSensitivity
VOTES, MORE = PUBLISHED.evidence.pair
EPSILON, DELTA = 0.5, "1e-6"
RUNNER_UP = 2
"""The place of C3, who gets the vote more."""
PRINTED = (0.04, 0.10)
METHODS = {
    "published": "exponential mechanism with smooth sensitivity",
    "smooth_exponential": f"`SmoothExponential`, delta {DELTA}",
    "stable": "`StableArgmax`",
    "counts": "`PermuteAndFlip` on counts",
}


def hit_problem(votes: tuple[int, ...]) -> SelectionProblem:
    """1 for the winner; sensitivities step up at their exact distance."""
    utilities, steps = winner_steps(np.array(votes), Adjacency.ADD_REMOVE)
    frame = Frame(tuple(f"C{place}" for place in range(1, len(votes) + 1)), 1, Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, utilities, Step(steps, bound=1)).as_public()


def counts_problem(votes: tuple[int, ...]) -> SelectionProblem:
    """The votes themselves: one ballot more moves all of them in one direction, by at most 1."""
    frame = Frame(tuple(f"C{place}" for place in range(1, len(votes) + 1)), 1, Adjacency.ADD_REMOVE, monotone=True)
    return SelectionProblem(frame, list(votes)).as_public()


def law(method: str, votes: tuple[int, ...]) -> Floats:
    """Chances of C1 to C5."""
    forms: dict[str, Callable[[], Any]] = {
        "published": lambda: PUBLISHED.as_claimed().log_probabilities(PUBLISHED.evidence.problem_of(votes).as_public()),
        "smooth_exponential": lambda: SmoothExponential(EPSILON, DELTA, indicator=True).log_probabilities(
            hit_problem(votes)
        ),
        "stable": lambda: StableArgmax(EPSILON).log_probabilities(hit_problem(votes)),
        "counts": lambda: PermuteAndFlip(EPSILON).log_probabilities(counts_problem(votes)),
    }
    return np.exp(np.asarray(forms[method](), dtype=np.float64))


class SnmTheorem72(Reproduction):
    """Five candidates, one vote more."""

    id = "snm_theorem_7_2"
    paper = SNM
    title = "Theorem 7.2"
    subject = "the exponential mechanism with smooth sensitivity loses more than it claims"
    parameters: ClassVar[Mapping[str, Any]] = {"epsilon": EPSILON, "delta": DELTA, "votes": VOTES, "more": MORE}

    def cells(self) -> Sequence[Cell]:
        """One for each mechanism."""
        return [(method,) for method in METHODS]

    def measure(self, cell: Cell) -> list[Row]:
        """The chances of the winner and of C3 before and after, and the loss between them."""
        before, after = (law(str(cell[0]), votes) for votes in (VOTES, MORE))
        return [
            {
                "method": cell[0],
                "winner": rounded(before[0]),
                "before": rounded(before[RUNNER_UP]),
                "after": rounded(after[RUNNER_UP]),
                "loss": rounded(float(np.abs(np.log(before / after)).max())),
            }
        ]

    def claims(self, rows: Sequence[Row]) -> list[Claim]:
        """The two chances, and the conclusion."""
        row = one(rows, method="published")
        before, after, loss = (number(row, column) for column in ("before", "after", "loss"))
        return [
            Claim(
                f"C3 is chosen with chances {PRINTED[0]} and {PRINTED[1]:.2f}",
                "p. 70",
                f"{before:.4f} and {after:.4f}",
                (round(before, 2), round(after, 2)) == PRINTED,
            ),
            Claim(
                "so the mechanism is not epsilon-differentially private",
                "p. 69-70, Theorem 7.2",
                f"its loss is {loss:.3f} at epsilon {EPSILON}",
                loss > EPSILON,
            ),
        ]

    def losses(self) -> dict[str, float]:
        """On the stored pair of the fence."""
        return {"published": measured_loss(PUBLISHED.as_claimed(), PUBLISHED.evidence)}

    def private(self, rows: Sequence[Row], losses: Losses) -> bool:
        """The stored pair of the fence."""
        return losses["published"] <= EPSILON

    def findings(self, rows: Sequence[Row], losses: Losses) -> Findings:
        """The chance of the true winner, at epsilon 1/2."""
        winner = {m: number(one(rows, method=m), "winner") for m in METHODS}
        return Findings(
            published=f"the winner, who leads by 5 votes, is chosen with a chance of {winner['published']:.3f}",
            privacy=f"no: exact loss {losses['published']:.3f} at epsilon {EPSILON}, as the thesis says",
            sound=f"with a smaller beta and a delta (`SmoothExponential`): {winner['smooth_exponential']:.3f}",
            default=f"`StableArgmax`: {winner['stable']:.3f}",
            straw_man=f"permute-and-flip on the counts, at the same epsilon: {winner['counts']:.3f}",
        )

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """All chances."""
        lines = [
            [
                METHODS[str(row["method"])],
                *(f"{number(row, column):.4f}" for column in ("winner", "before", "after", "loss")),
            ]
            for row in rows
        ]
        return markdown(["mechanism", "P(C1)", "P(C3)", "P(C3), one vote more", "loss"], lines)

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """Chances of the winner, and losses against the claim."""
        figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.0))
        names = ["published", "smooth\nexponential", "stable\nargmax", "counts\n(straw man)"]
        for panel, column in ((left, "winner"), (right, "loss")):
            panel.bar(range(4), [row[column] for row in rows], 0.6, color=[RED, SKY, GREEN, YELLOW])
            panel.set_xticks(range(4), names, fontsize=8)
            panel.grid(alpha=0.3, axis="y")
        left.set_ylabel("chance of the winner")
        right.set_ylabel("loss on the pair")
        right.axhline(EPSILON, color="black", linewidth=0.8, linestyle=":", label="claimed")
        right.legend(frameon=False, fontsize=8)
        figure.tight_layout()
        return figure
