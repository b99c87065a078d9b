"""How far percentiles that are found by halving are off, whatever the data. Proof: docs/proofs/halving_error.md."""

from dataclasses import dataclass
from fractions import Fraction
from math import log

from dampen._validate import Number
from dampen.mechanisms.noise_errors import MARGIN
from dampen.mechanisms.selection_errors import PercentileAccuracy, ranks_per_person
from dampen.privacy import CONFIDENCE, Accuracy, Adjacency, miss_chance
from dampen.queries.order.halving import list_paths
from dampen.writing import percent, round_up

TIED, TIED_RATE = 2, Fraction(5, 4)
"""A fine cell holds more than twice its share of tied records and t more with chance at most exp(-5/4 t).

That is Chernoff's bound at any rate r with e^r - 1 <= 2 r, and 5/4 is nearly the largest.
"""


@dataclass(frozen=True)
class HalvedAccuracy(Accuracy):
    """Percentiles at ``shares``, found by halving at ``epsilon`` a step on ``size`` points of ``2**bits`` cells each.

    The error is one of ranks, as that of percentiles asked one by one, with the percentiles themselves known up to a
    few hundredths of a point: records that share the cell of an answer all go to one side, and are a share of all.
    """

    epsilon: Fraction
    size: int
    bits: int
    shares: tuple[Fraction, ...]

    @property
    def unit(self) -> str:
        """Ranks."""
        return "ranks"

    @property
    def points(self) -> Fraction:
        """How far the percentiles may lie from those asked, in points of which the whole has 100."""
        before = max(len(path) for path in list_paths(self.shares)) - 1
        return min(Fraction(100 * TIED * before, 2**self.bits), Fraction(100))

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """How many ranks an answer lies at most from such a percentile, for all of them at once."""
        paths, half = list_paths(self.shares), miss_chance(confidence) / 2
        cells = self.size << self.bits
        step = PercentileAccuracy(self.epsilon, cells, Fraction(50), Adjacency.ADD_REMOVE)
        people = Fraction(step.bound(1 - half / len(self.shares)))
        tied = Fraction((log(cells) - log(half)) / float(TIED_RATE) * MARGIN)
        return float(max(people * sum(map(_ranks, path)) + tied * (len(path) - 1) for path in paths))

    def statement(self, confidence: Number = CONFIDENCE) -> str:
        """The same in words."""
        near = f"of percentiles at most {round_up(float(self.points))} points from those asked" if self.points else ""
        place = near or "of their percentiles"
        return f"all within {self.amount(confidence)} {place}, with probability {percent(confidence)}"


def _ranks(share: Fraction) -> Fraction:
    return ranks_per_person(100 * share, Adjacency.ADD_REMOVE)
