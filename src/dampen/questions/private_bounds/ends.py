"""First two ends, chosen privately; then a question whose values are moved between them.

The values are counted once more, after all is paid: what could be refused then is refused before, on the widest ends.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dampen._validate import Number, positive
from dampen.entropy import Entropy
from dampen.mechanisms import LimitRace
from dampen.mechanisms.caps.base import in_units
from dampen.mechanisms.caps.errors import Beyond, MovedAccuracy
from dampen.mechanisms.noise_errors import VarianceAccuracy
from dampen.privacy import Adjacency, GroupRelease, PrivacyLoss, Release, record_adjacency
from dampen.queries.sizes import sizes_frame, sizes_problem
from dampen.questions.record import Posed
from dampen.tables.unit_counts import count_sizes
from dampen.tables.unit_reading import Units
from dampen.vectors import LARGEST_WHOLE

SHARE = Fraction(1, 4)
"""Of epsilon, for the ends."""
LAST_POWER = 46
"""Ends are at most so many doublings of the unit: grids between them have few enough digits."""
Bounds = tuple[Fraction, Fraction]
Pose = Callable[[Bounds, Fraction], Posed[Any]]
"""Ends and a price in; the question between them out. It reads the values."""


class BetweenEnds(Posed[Any]):
    """Two ends by a race for either sign, then the question between them at the rest of epsilon.

    Added or removed values move one race alone, which has the whole share; replaced ones may move both, which have half
    of it each.
    """

    def __init__(self, values: Any, units: Units, pose: Pose, *, epsilon: Number, adjacency: Adjacency) -> None:
        price = positive(epsilon=epsilon)
        moved = 1 if record_adjacency(adjacency) is Adjacency.ADD_REMOVE else 2
        self._race, self._rest, self._pose = LimitRace(price * SHARE / moved), price * (1 - SHARE), pose
        caps = tuple(1 << power for power in range(LAST_POWER + 1) if units.unit * (2 << power) < LARGEST_WHOLE)
        cap_frame = sizes_frame(caps, units.unit, adjacency)
        widest = pose((-caps[-1] * units.unit, caps[-1] * units.unit), self._rest)
        self._problem = sizes_problem(cap_frame, count_sizes(values, units))
        self.frame = cap_frame, widest.frame
        self.loss = PrivacyLoss(price, adjacency=adjacency)

    def draw(self, source: Entropy) -> Any:
        """The ends, then the answer between them, and the question that it answers."""
        high = self._race.draw(self._problem.positive, source)
        low = -self._race.draw(self._problem.negative, source)
        unit = self._problem.frame.resolution
        posed = self._pose((low * unit, high * unit), self._rest)
        return (low, high), posed, posed.draw(source)

    def build(self, drawn: Any, loss: PrivacyLoss, note: str) -> Release:
        """The answer, and the ends."""
        ends, posed, answer = drawn
        release: Release = posed.build(answer, loss, note)
        low, high = ends
        told = in_units(self._problem.frame, low), in_units(self._problem.frame, high)
        sides = self._race.beyond(self._problem.frame, high), self._race.beyond(self._problem.frame, -low)
        known = self._tell_of_ends(release, told, sides)
        return replace(
            release,
            cap=told,
            at_stake=known.at_stake(),
            accuracy=release.accuracy if isinstance(release, GroupRelease) else known,
            mechanism=f"{self._race!r} for either end, then {release.mechanism}",
        )

    def _tell_of_ends(self, release: Release, told: tuple[float, float], sides: tuple[Beyond, Beyond]) -> MovedAccuracy:
        """What the ends tell beside the error of the answer between them.

        Bars are counts, whose errors stand as they are: the first and the last hold what lies outside.
        """
        accuracy = release.accuracy
        assert accuracy is not None
        if isinstance(accuracy, VarianceAccuracy):
            return MovedAccuracy(accuracy, told, sides, accuracy.number.value)
        return MovedAccuracy(accuracy, told, sides, Fraction(sum(release.value.values())))
