"""What is the mean? Of persons, each with the mean of the own rows; or of rows, nobody with more than a limit.

Values are read to a unit first, the nearest multiple each, so that a person's share of a vote at a value is exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from dampen._validate import Number, positive
from dampen.accounting import composed
from dampen.accuracy.before import MeanBefore
from dampen.mechanisms import Laplace
from dampen.mechanisms.noise_errors import Noisy, quotient_interval
from dampen.privacy import CONFIDENCE, Accuracy, Adjacency, NumericRelease, PrivacyLoss, miss_chance
from dampen.problem import NumericFrame, NumericProblem
from dampen.queries.sums import FINENESS
from dampen.queries.units import UnitGrid
from dampen.questions.numbers import draw_parts, undrawn_parts
from dampen.questions.record import Composite, Posed
from dampen.tables.engines.base import PersonShares


@dataclass(frozen=True)
class MeanAccuracy(Accuracy):
    """A mean, from a released sum of differences from the middle of the bounds and a released number of votes.

    ``number`` may count parts of votes, ``vote`` of which make one. ``rounding``: half of the unit to which values were
    read.
    """

    low: Fraction
    high: Fraction
    centred: Noisy
    number: Noisy
    vote: int
    rounding: Fraction

    @property
    def value(self) -> float:
        """The mean of the released numbers, between the bounds; fewer than one vote count as one."""
        return float((self.low + self.high) / 2 + self._found())

    def _found(self) -> Fraction:
        half = (self.high - self.low) / 2
        return min(max(self.centred.value / max(self.number.value, Fraction(self.vote)), -half), half)

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The distance to the further end of the means that are likely, and the rounding; at most high - low."""
        wide, found = self.high - self.low, self._found()
        low, high = quotient_interval(self.centred, self.number, wide / 2, miss_chance(confidence))
        return float(min(max(high - found, found - low) + self.rounding, wide))


def weigh(units: UnitGrid, places: Sequence[int], weights: Sequence[int]) -> tuple[Fraction, int]:
    """Votes for the places of values: the sum of their differences from the middle of the bounds, and their number."""
    wide = units.last - units.first
    halves = sum(weight * (2 * place - wide) for weight, place in zip(weights, places, strict=True))
    return halves * units.unit / 2, sum(weights)


def pose_mean(
    units: UnitGrid,
    shares: PersonShares,
    column: int,
    *,
    limit: int,
    vote: int,
    epsilon: Number,
    unit: str,
) -> Posed[NumericRelease]:
    """The mean of all votes, of which a person has at most ``limit``, ``vote`` parts each, under ``ADD_REMOVE``.

    With c the middle of the bounds and w their distance, the sum of v - c over votes moves by at most ``limit`` w / 2
    for one person, the number of votes by ``limit``. Each takes half of epsilon.
    """
    low, high = units.bounds
    off, parts_of_votes = weigh(units, shares.cells[:, 0].tolist(), shares.weights[:, column].tolist())
    half = limit * (high - low) / 2
    first = NumericFrame(half, Adjacency.ADD_REMOVE, half / FINENESS, unit=unit)
    near = floor(off / vote / first.resolution + Fraction(1, 2)) * first.resolution
    number = NumericFrame(limit, Adjacency.ADD_REMOVE, unit=unit)
    return _pose((NumericProblem(first, near), NumericProblem(number, parts_of_votes // vote)), units, 1, epsilon)


def pose_group_mean(
    units: UnitGrid, places: Sequence[int], weights: Sequence[int], *, vote: int, epsilon: Number, unit: str
) -> Posed[NumericRelease]:
    """The mean of the votes of one group, for a person whose vote may be spread over several, under ``ADD_REMOVE``.

    Nothing is rounded after votes are added up, so that somebody with a small part of a vote here moves little here:
    the sum counts in halves of a unit times a part of a vote, on which all values lie, and the number in such parts.
    """
    low, high = units.bounds
    off, parts_of_votes = weigh(units, places, weights)
    first = NumericFrame(vote * (high - low) / 2, Adjacency.ADD_REMOVE, units.unit / 2, unit=unit)
    number = NumericFrame(vote, Adjacency.ADD_REMOVE, unit=unit)
    return _pose((NumericProblem(first, off), NumericProblem(number, parts_of_votes)), units, vote, epsilon)


def _pose(
    parts: tuple[NumericProblem, NumericProblem], units: UnitGrid, vote: int, epsilon: Number
) -> Posed[NumericRelease]:
    """Half of epsilon each for the sum and the number."""
    price = positive(epsilon=epsilon)
    each, (low, high) = Laplace(price / 2), units.bounds

    def build(drawn: tuple[Noisy, ...], loss: PrivacyLoss, note: str) -> NumericRelease:
        centred, number = drawn
        known = MeanAccuracy(low, high, centred, number, vote, units.unit / 2)
        return NumericRelease(known.value, loss, f"{each!r} of a sum and of a number", note, known)

    frames = tuple(part.frame for part in parts)
    loss = composed([each.privacy(frame) for frame in frames])
    top, many = undrawn_parts(each, parts)
    before = MeanBefore((high - low) / 2, top, many, vote=vote, rounding=units.unit / 2)
    return Composite(frames, loss, lambda source: draw_parts(each, parts, source), build, before)
