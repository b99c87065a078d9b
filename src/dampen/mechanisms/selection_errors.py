"""How far choices are off, whatever the data: in units of their score, in people, in ranks.

Nothing is worse than one best candidate and all others just so far behind that they count as misses. Proofs:
docs/proofs/errors.md and docs/proofs/percentile_error.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, exp, expm1, inf, log, log1p
from typing import Literal

from dampen._validate import Number
from dampen.mechanisms.noise_errors import MARGIN, least_solution
from dampen.mechanisms.selection.base import LATTICE, ROUNDING_SHARE
from dampen.privacy import CONFIDENCE, Accuracy, Adjacency, miss_chance
from dampen.sampling.exponents import DEEPEST, LARGEST_UNITS
from dampen.writing import percent

Law = Literal["exponential", "permute_and_flip", "one_shot", "laplace"]
"""How a choice is drawn: the last two name the largest scores after exponential noise, or after Laplace's."""
FEW = 2.0**-20
"""Fewer heads than this, on average, and permute-and-flip misses by half of their number, to within this share."""
LARGEST_LOG = 700.0
"""Powers end here, far beyond every probability, so that none overflows."""


@dataclass(frozen=True)
class SelectionAccuracy(Accuracy):
    """A choice among ``size`` candidates by ``law``, with ``rate`` times its score in the exponent.

    The error of a choice is how far its score lies below the best; in a list of ``places``, of each place below what
    should stand there. ``step``: what one unit of score is worth where scores are whole numbers; ``None``: they are any
    numbers, and their exponents are rounded.
    """

    law: Law
    size: int
    rate: Fraction
    epsilon: Fraction
    step: Fraction | None = None
    unit: str = "units of the score"
    places: int = 1

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The least error of which more has probability at most 1 - confidence, for all scores; infinite for none.

        Candidates beyond a public depth count as that deep, so an error cannot be ruled out that needs more depth.
        """
        depth = needed_depth(self.law, self.size, miss_chance(confidence), self.places)
        unit = min(self.rate, Fraction(DEEPEST)) if self.step is not None else self.epsilon * LATTICE
        units = DEEPEST // unit if self.step is not None else min(DEEPEST // unit, LARGEST_UNITS)
        if depth > units * unit:
            return inf
        if self.step is not None:
            return float(max(ceil(depth / self.rate) - 1, 0) * self.step)
        return float((depth + unit if depth else 0) / (self.rate * (1 - ROUNDING_SHARE)))

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words."""
        rival = "the best" if self.places == 1 else "what should stand in its place, each"
        return f"at most {self.amount(confidence)} below {rival}, with probability {percent(confidence)}"


@dataclass(frozen=True)
class PercentileAccuracy(Accuracy):
    """The p-th percentile, drawn on a grid of ``size`` points by how many people must change, at ``epsilon``.

    The error is the number of people who must come or go (``REPLACE``: have other values) before the answer is the
    percentile. n people can always do it by n + 1 changes: a larger bound says that the answer is noise. Where there
    are no records at all one person is needed, so 1 is the least bound.
    """

    epsilon: Fraction
    size: int
    p: Fraction
    adjacency: Adjacency
    law: Law = "permute_and_flip"

    @property
    def unit(self) -> str:
        """People, whatever the data call them."""
        return "people"

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The least number of people, at least 1, of which more are needed with probability at most 1 - confidence."""
        score = SelectionAccuracy(self.law, self.size, self.epsilon / 2, self.epsilon, step=Fraction(1))
        return max(score.bound(confidence), 1.0)

    def ranks(self, confidence: Number = CONFIDENCE) -> float:
        """How many ranks p n / 100 lies at most outside those of the answer, from its first to its last."""
        return float(Fraction(self.bound(confidence)) * ranks_per_person(self.p, self.adjacency))

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words."""
        who = "1 person" if self.bound(confidence) == 1 else self.amount(confidence)
        change = "more or fewer" if self.adjacency is Adjacency.ADD_REMOVE else "with other values"
        return f"at most {who} {change} would make this exact, with probability {percent(confidence)}"


@dataclass(frozen=True)
class PercentilesAccuracy(Accuracy):
    """Several percentiles on one grid, drawn one by one at ``epsilon`` each, then sorted. The error is one of ranks."""

    epsilon: Fraction
    size: int
    ps: tuple[Fraction, ...]
    adjacency: Adjacency

    @property
    def unit(self) -> str:
        """Ranks."""
        return "ranks"

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """How many ranks p n / 100 lies at most outside those of its answer, for all p at once."""
        share = miss_chance(confidence) / len(set(self.ps))
        alone = (PercentileAccuracy(self.epsilon, self.size, p, self.adjacency) for p in self.ps)
        return max(each.ranks(1 - share) for each in alone)

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words."""
        return f"all within {self.amount(confidence)} of their percentiles, with probability {percent(confidence)}"


def whole_accuracy(told: Accuracy, unit: str, step: Fraction = Fraction(1)) -> Accuracy:
    """What a mechanism tells, for scores that are whole numbers by type, each worth ``step`` of the unit."""
    return replace(told, step=step, unit=unit) if isinstance(told, SelectionAccuracy) else told


def people_accuracy(told: Accuracy, p: Fraction, adjacency: Adjacency) -> Accuracy:
    """What a mechanism tells, for a percentile scored by how many people must change: at half of epsilon a person."""
    if not isinstance(told, SelectionAccuracy) or told.rate != told.epsilon / 2:
        return told
    return PercentileAccuracy(told.epsilon, told.size, p, adjacency, told.law)


def ranks_per_person(p: Fraction, adjacency: Adjacency) -> Fraction:
    """How many ranks one person's change moves a percentile and a value apart at most."""
    return max(p, 100 - p) / 100 if adjacency is Adjacency.ADD_REMOVE else Fraction(1)


def needed_depth(law: Law, size: int, chance: Fraction, places: int = 1) -> Fraction:
    """How deep in the exponent all misses must lie to be chosen with at most this chance, or a little deeper."""
    if size == 1 or chance == 1:
        return Fraction(0)
    each = chance / places
    if law == "exponential":
        depth = log(size - 1) + log((1 - each) / each)
    elif law == "one_shot":
        depth = -log(-expm1(log1p(-float(chance)) / size))
    elif law == "laplace":
        depth = least_solution(lambda x: laplace_miss(x, size, places), float(chance))
    else:
        depth = least_solution(lambda x: flip_miss(x, size), float(each))
    return Fraction(max(depth, 0.0) * MARGIN)


def flip_miss(depth: float, size: int) -> float:
    """P that permute-and-flip chooses none but the best of so many candidates, where all others lie that deep.

    1 - (1 - (1 - q)^N) / (N q) with q = exp(-depth): at most (N - 1) q / 2, which it is where that is small.
    """
    q, mean = exp(-depth), exp(min(log(size) - depth, LARGEST_LOG))
    if mean <= FEW:
        return mean * (1 - 1 / size) / 2
    if q == 1:
        return 1 - 1 / size
    return 1 + expm1(mean * (log1p(-q) / q if q > 0 else -1.0)) / mean


def laplace_miss(depth: float, size: int, places: int) -> float:
    """At least P that Laplace noise Z puts somebody that deep into one of the first places.

    One place: a rival has Z' - Z > depth, each with probability (2 + depth) exp(-depth) / 4. Several: one of those that
    should stand there has Z < -s, or somebody Z > t, for s + t = depth with equal chances of both.
    """
    if places == 1:
        return (2 + depth) / 4 * exp(min(log(size - 1) - depth, LARGEST_LOG))
    return exp(min((log(places) + log(size) - depth) / 2, LARGEST_LOG))
