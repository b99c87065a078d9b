"""TRIODE with the right sensitivity."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.grouping.base import Members, SetMechanism
from dampen.mechanisms.selection.base import ROUNDING_SHARE
from dampen.mechanisms.selection.exponential import Exponential
from dampen.privacy import PrivacyLoss
from dampen.problem import GroupFrame
from dampen.queries.groups import Subsets, dice, dice_problem
from dampen.sampling.exact import draw_subset
from dampen.vectors import Floats

MOST_PEOPLE = 2000
"""Up to so many people all cells of overlap and outside count are written out."""
LARGEST_RATE = Fraction(7)
"""Up to this rate sets are drawn by rejection, in at most exp(7) tries on average; public."""


@dataclass(frozen=True, init=False, repr=False)
class Triode(SetMechanism):
    """For each category a set of people, more likely the better it fits: the exponential mechanism on all 2^n sets.

    Definition
    ----------
    P[r] proportional to exp(c * Dice(r, G)), Dice = 2 |r & G| / (|r| + |G|), independently for each category, with
    c = epsilon / 2. The sensitivity of Dice is 1.

    Guarantee
    ---------
    epsilon-differential privacy for all categories together, when one person's category changes: what one set gains by
    its normaliser, the other loses (docs/proofs/triode.md). No larger rate is private: between a group of one person
    and an empty one the loss is epsilon.

    Differs from the paper
    ----------------------
    The paper divides by a sensitivity of 2 / (2 n - 1) or 2 / (2^n - 1). Both are false, and the loss is about ten
    times the claim for n = 20. The right one is 1, reached between the empty group and a group of one. With it every
    set is within exp(epsilon / 2) of equally likely: prefer randomised response. The price is that of all groups, of
    which a person who changes category touches two. The limit of 20 people is gone.

    Numerics
    --------
    Exact. By rejection up to epsilon 14, with exponents that are fractions; beyond it by the cells of `dice_problem`,
    for up to 2,000 people.

    Cost
    ----
    By rejection O(n) bits for each of at most exp(c) tries on average; how many depends on the group's size. By cells
    O(n^2).

    Example
    -------
    >>> import numpy as np
    >>> law = np.exp(Triode(2).set_law(np.array([True, False])))
    >>> law.round(3).tolist()
    [0.15, 0.408, 0.15, 0.292]

    References
    ----------
    Chaves and Machado, Differentially private group-by data releasing algorithm, 2019.
    """

    @property
    def rate(self) -> Fraction:
        """The exponent of one unit of Dice."""
        return self.epsilon / 2

    def privacy(self, frame: GroupFrame) -> PrivacyLoss:
        """Epsilon; beyond 2,000 people epsilon ends where rejection would take too long."""
        if self.rate > LARGEST_RATE and frame.people > MOST_PEOPLE:
            raise ParameterError(
                f"epsilon must be at most {2 * LARGEST_RATE} for TRIODE with more than {MOST_PEOPLE} people; use "
                "method='randomised_response', which has no such limit"
            )
        return super().privacy(frame)

    def draw_set(self, members: Members, shared: Any, source: Entropy) -> Members:
        """By rejection, or by cells where epsilon is large."""
        size, rate = int(np.count_nonzero(members)), self.rate
        if rate > LARGEST_RATE:
            return members_of(self._by_cells().draw(dice_problem(members), source), len(members))

        def exponent(chosen: Members) -> Fraction:
            overlap, picked = int(np.count_nonzero(chosen & members)), int(np.count_nonzero(chosen))
            return rate * (1 - dice(overlap, picked, size))

        return draw_subset(len(members), exponent, source)

    def set_law(self, members: Members, shared: Any = None) -> Floats:
        """Not private. Ln P of all subsets."""
        if self.rate > LARGEST_RATE:
            return np.asarray(self._by_cells().log_probabilities(dice_problem(members)), dtype=np.float64)
        scores = dice_scores(members) * float(self.rate)
        return np.asarray(scores - np.log(np.exp(scores).sum()))

    def _by_cells(self) -> Exponential:
        return Exponential(epsilon_by_cells(self.epsilon))


def epsilon_by_cells(epsilon: Fraction) -> Fraction:
    """At which epsilon a law by cells draws each of the sets that cost ``epsilon`` together.

    Its rate is half of its epsilon, less what pays for the rounding of one set's exponents. Those of a second set are
    rounded too: the same share once more.
    """
    return epsilon * (1 - ROUNDING_SHARE)


def dice_scores(members: Members) -> Floats:
    """The Dice score of every subset, by its number."""
    numbers = np.arange(Subsets(len(members)).total, dtype=np.uint64)
    group = sum(1 << int(person) for person in np.flatnonzero(members))
    overlap, chosen = np.bitwise_count(numbers & np.uint64(group)), np.bitwise_count(numbers)
    totals = chosen.astype(np.int64) + int(np.count_nonzero(members))
    return np.where(totals > 0, 2.0 * overlap / np.maximum(totals, 1), 1.0)


def members_of(number: int, people: int) -> Members:
    """The subset of this number, person by person."""
    written = number.to_bytes((people + 7) // 8, "little")
    return np.unpackbits(np.frombuffer(written, dtype=np.uint8), count=people, bitorder="little").astype(np.bool_)
