"""Percentiles, modes and histograms by votes: whoever has more rows has no more weight, or no more than a limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, positive, render
from dampen.accounting import composed
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms import PermuteAndFlip, SelectionMechanism
from dampen.mechanisms.selection_errors import SelectionAccuracy, whole_accuracy
from dampen.privacy import CONFIDENCE, Accuracy, Adjacency, ListRelease, PrivacyLoss, miss_chance
from dampen.problem import SelectionProblem
from dampen.queries.order.percentile_on_grid import rank_sensitivity
from dampen.queries.votes import Votes, vote_frame, vote_percentile_problem
from dampen.questions.record import Composite, Posed, Single
from dampen.tables.grid import Grid
from dampen.writing import percent

BITS = 20
"""A vote is 2**BITS units, where nothing asks for fewer."""
LARGEST_DENOMINATOR = 2**30
"""Units of a vote times the denominator of p / 100 stay below this, so that 2**32 votes fit 64 bits."""


def bits_for(shares: Sequence[Fraction]) -> int:
    """Into how many units, as a power of 2, a vote is cut where these percentiles are asked for. Public.

    >>> bits_for([Fraction(1, 2)]), bits_for([Fraction(99999, 100000)])
    (20, 13)
    """
    most = max((share.denominator for share in shares), default=1)
    return max(0, min(BITS, (LARGEST_DENOMINATOR // most).bit_length() - 1))


@dataclass(frozen=True)
class VoteAccuracy(Accuracy):
    """Percentiles drawn by votes at ``epsilon`` each: how many votes each lies outside of those of its answer.

    Of ``each`` units, a person's at most, ``vote`` make one vote: that of a person, or of a row, where a person has the
    votes of several.
    """

    epsilon: Fraction
    size: int
    shares: tuple[Fraction, ...]
    adjacency: Adjacency
    each: int
    vote: int
    unit: str = "people"

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """How many votes a share of all lies at most outside those of its answer, from its first to its last."""
        chance = miss_chance(confidence) / len(self.shares)
        return max(self._alone(share, 1 - chance) for share in self.shares)

    def _alone(self, share: Fraction, confidence: Fraction) -> float:
        rate = self.epsilon / (2 * rank_sensitivity(share, self.adjacency) * self.each)
        step = Fraction(1, share.denominator * self.vote)
        return SelectionAccuracy("permute_and_flip", self.size, rate, self.epsilon, step).bound(confidence)

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words."""
        which = "its percentile" if len(self.shares) == 1 else "their percentiles"
        return f"within {self.amount(confidence)} of {which}, with probability {percent(confidence)}"


def pose_percentiles(
    votes: Votes,
    asked: Sequence[Fraction],
    *,
    grid: Grid,
    epsilon: Number,
    adjacency: Adjacency,
    unit: str,
    limit: int = 1,
    listed: bool = True,
) -> Posed[Any]:
    """Percentiles of the votes, each drawn with an equal share of epsilon. Not ``listed``: one, told by itself.

    ``limit``: how many votes a person has at most: one, or one for each row up to so many.
    """
    price, shares = positive(epsilon=epsilon), sorted(set(asked))
    each = PermuteAndFlip(price / len(shares))
    problems = [
        vote_percentile_problem(votes, 100 * share, grid=grid, adjacency=adjacency, unit=unit) for share in shares
    ]
    told = votes.each, votes.each // limit, "people" if limit == 1 else "rows"
    known = VoteAccuracy(each.epsilon, len(grid), tuple(shares), adjacency, *told)
    if not listed:
        return Single(each, problems[0], known)

    def draw(source: Entropy) -> list[Any]:
        return [grid[each.draw(problem, source)] for problem in problems]

    def build(answers: list[Any], loss: PrivacyLoss, note: str) -> ListRelease:
        by_share = dict(zip(shares, sorted(answers), strict=True))
        value = tuple(by_share[share] for share in asked)
        return ListRelease(value, loss, f"{each!r} for each of {len(shares)} percentiles", note, known)

    loss = composed([each.privacy(problem.frame) for problem in problems])
    return Composite(tuple(problem.frame for problem in problems), loss, draw, build, known)


def pose_choice(
    votes: Votes, labels: Sequence[Any], mechanism: SelectionMechanism, *, adjacency: Adjacency, unit: str
) -> Posed[Any]:
    """The label, or the first few, with the most votes."""
    frame = vote_frame(labels, votes.each, adjacency, unit)
    mechanism.privacy(frame)
    known = whole_accuracy(mechanism.accuracy(frame), "people", Fraction(1, votes.each))
    return Single(mechanism, SelectionProblem(frame, votes.at_all(len(labels))), known)


def require_proportional(mechanism: SelectionMechanism) -> None:
    """Refuse a mechanism where votes are cut into parts, unless less than a vote is proved to cost less in proportion.

    Prices of the parts add up to that of a whole vote then, and only then. Proof: docs/proofs/people.md, section 4.
    """
    if not mechanism.proportional:
        rule = "mechanism must be one whose loss is in proportion to votes, as of PermuteAndFlip, in groups of persons"
        raise ParameterError(f"{rule}; got {render(mechanism)}")


def require_votes(method: object) -> None:
    """Refuse a way to find percentiles that votes do not have."""
    if not isinstance(method, str) or method != "distance":
        rule = "method must be left out for a table with a person, whose percentiles are found by votes"
        raise ParameterError(f"{rule}; got {render(method)}")


def require_even(strategy: object) -> None:
    """Refuse the same for several percentiles."""
    if not isinstance(strategy, str) or strategy not in ("auto", "even"):
        rule = "strategy must be 'auto' or 'even' for a table with a person"
        raise ParameterError(f"{rule}; got {render(strategy)}")
