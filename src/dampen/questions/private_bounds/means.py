"""The mean of numbers without bounds: a centre, the sum of the distances from it, and how many numbers there are.

The centre is a median on the grid of few leading bits. It is released, so that distances from it are a function of each
value alone: they are summed up as numbers without bounds are. What a large common offset would cost, it takes away.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import inf, nextafter
from typing import Any

from dampen._validate import Number, exact, positive, render
from dampen.describe.columns import PRIVATE
from dampen.entropy import Entropy
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import Laplace, PermuteAndFlip, SignedCapRace
from dampen.mechanisms.caps.base import in_units
from dampen.mechanisms.caps.errors import MovedAccuracy
from dampen.mechanisms.numeric.noises import PublicNoise
from dampen.privacy import CONFIDENCE, Accuracy, Adjacency, NumericRelease, PrivacyLoss, miss_chance
from dampen.problem import NumericFrame, NumericProblem
from dampen.queries import percentile_value_problem
from dampen.queries.sizes import sizes_frame, sizes_problem
from dampen.questions.record import Posed
from dampen.tables.counts import require_public_number
from dampen.tables.relative_grid import unbounded_grid
from dampen.tables.unit_counts import count_sizes
from dampen.tables.unit_reading import FARTHEST, Units

CAPS = tuple(1 << power for power in range(64))
"""Distances from a centre are at most 2**63 - 1 units."""
TWICE = "twice"
CENTRE, AGAIN, NUMBER = Fraction(1, 8), Fraction(1, 16), Fraction(1, 8)
"""The shares of epsilon for the centre, for a second one nearer to the data, and for how many numbers there are."""


@dataclass(frozen=True)
class CentredAccuracy(Accuracy):
    """A mean from a released sum of distances from a centre, and a released or public number of values.

    Distances were moved between ``low`` and ``high``; the error is that of the mean of those.
    """

    low: Fraction
    high: Fraction
    total: Fraction
    noise: PublicNoise
    unit_size: Fraction
    number: int
    number_noise: PublicNoise | None

    @property
    def found(self) -> Fraction:
        """The mean distance; fewer than one value count as one."""
        return min(max(self.total / max(self.number, 1), self.low), self.high)

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The distance to the farthest mean that is likely: each noise exceeds its part with half of the chance."""
        chance = miss_chance(confidence) / (1 if self.number_noise is None else 2)
        off = self.noise.size_exceeded_with(chance) * self.unit_size
        many = 0 if self.number_noise is None else self.number_noise.size_exceeded_with(chance)
        totals, numbers = (self.total - off, self.total + off), (max(self.number - many, 1), max(self.number + many, 1))
        means = [min(max(total / number, self.low), self.high) for total, number in product(totals, numbers)]
        return float(max(abs(mean - self.found) for mean in means) + self.unit_size / 2)


class PrivateMean(Posed[NumericRelease]):
    """A centre or none, two ends around it, and the mean of the values between them."""

    def __init__(self, values: Any, units: Units, centre: Any, *, epsilon: Number, adjacency: Adjacency) -> None:
        price, self._values, self._units = positive(epsilon=epsilon), values, units
        self._replaced = adjacency is Adjacency.REPLACE
        stages, self._start = _as_centre(centre, units)
        self._stages = [PermuteAndFlip(price * share) for share in stages]
        self._number = None if self._replaced else Laplace(price * NUMBER)
        rest = 1 - sum(stages, Fraction(0) if self._replaced else NUMBER)
        self._race = SignedCapRace(price * rest)
        self._sums = sizes_frame(CAPS, units.unit, adjacency)
        self._counts = NumericFrame(1, adjacency)
        self.frame = self._sums, self._counts
        self.loss = PrivacyLoss(price, adjacency=adjacency)
        require_public_number(values, adjacency)
        if not count_sizes(values, units).count and self._replaced:
            raise DataError("values must not be empty: a mean needs one")

    def draw(self, source: Entropy) -> Any:
        """The centre in units, the ends and the sum, and the number of values."""
        centre = self._start
        for stage in self._stages:
            centre = self._nearer(stage, centre, source)
        sizes = count_sizes(self._values, Units(self._units.unit, centre))
        ends, total = self._race.draw(sizes_problem(self._sums, sizes), source)
        if self._number is None:
            return centre, ends, total, sizes.count
        return centre, ends, total, self._number.draw(NumericProblem(self._counts, sizes.count), source)

    def _nearer(self, stage: PermuteAndFlip, centre: int, source: Entropy) -> int:
        """A median on the grid whose leading bits count from the centre on, in units."""
        unit = self._units.unit
        grid = unbounded_grid(unit, centre=centre)
        problem = percentile_value_problem(self._values, 50, grid=grid, adjacency=self._sums.adjacency)
        found = self._units.read(grid[stage.draw(problem, source)])
        return min(max(found, 1 - FARTHEST), FARTHEST - 1)

    def build(self, drawn: Any, loss: PrivacyLoss, note: str) -> NumericRelease:
        """The mean, between two ends around the centre."""
        centre, (low, high), total, number = drawn
        unit, none = self._units.unit, NumericProblem(self._counts, 0)
        noise = self._race.noise(self._sums, (low, high))
        counted = None if self._number is None else self._number.noise(none)
        moved = CentredAccuracy(low * unit, high * unit, total * unit, noise, unit, number, counted)
        told = _apart(in_units(self._sums, centre + low), in_units(self._sums, centre + high))
        known = MovedAccuracy(moved, told, self._race.capped_accuracy(self._sums, (low, high)).sides, Fraction(number))
        drawn_by = f"{self._race!r} of the distances from a centre"
        value = float(centre * unit + moved.found)
        return NumericRelease(value, loss, drawn_by, note, known, told, known.at_stake())


def _apart(low: float, high: float) -> tuple[float, float]:
    """Two ends that serve as bounds: far from 0 one float may stand for both, and its neighbours are taken."""
    return (low, high) if low < high else (nextafter(low, -inf), nextafter(high, inf))


def _as_centre(centre: Any, units: Units) -> tuple[list[Fraction], int]:
    """The shares of epsilon for the stages of a centre, and where it starts: at 0, or at a public number, in units."""
    if isinstance(centre, str) and centre == PRIVATE:
        return [CENTRE], 0
    if isinstance(centre, str) and centre == TWICE:
        return [CENTRE, AGAIN], 0
    try:
        start = exact(centre=centre) / units.unit
    except ParameterError:
        start = Fraction(2 * FARTHEST)
    if abs(start) >= FARTHEST:
        rule = "centre must be 'private', 'twice', or a number below 2**62 units in size"
        raise ParameterError(f"{rule}; got {render(centre)}") from None
    return [], round(start)
