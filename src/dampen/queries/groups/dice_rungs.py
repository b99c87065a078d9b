"""How far one person moves the Dice score of a set, now and after t others have moved."""

from fractions import Fraction

import numpy as np

from dampen._validate import whole
from dampen.sensitivity import SensitivityFunction
from dampen.sensitivity.base import ZERO, gaps_to
from dampen.vectors import Floats, Integers, Vector


class DiceRungs(SensitivityFunction):
    """s(t) = min(1, 2 / max(N - t, 1)) for a set with N = its size plus the true group's.

    One person more or less in the true group moves N by 1 and the score by at most 2 / N, which proves that it is
    admissible (docs/proofs/triode.md).
    """

    def __init__(self, totals: Integers) -> None:
        super().__init__(size=len(totals), bound=1)
        self._totals = totals
        heights = np.minimum(1.0, 2.0 / np.arange(1, int(totals.max()) + 1))
        self._sums = np.concatenate([[0.0], np.cumsum(heights)])

    @property
    def saturation(self) -> int:
        """Two steps before the largest N."""
        return max(0, int(self._totals.max()) - 2)

    def at(self, t: int) -> Floats:
        """2 / (N - t), at most 1."""
        left = np.maximum(self._totals - whole(t=t, least=0), 1)
        return np.minimum(1.0, 2.0 / left)

    def inverse(self, u: Vector, level: Fraction = ZERO) -> Floats:
        """Search the sums of 2 / 1, 2 / 2, ... downwards from N for where abs(u - level) less is reached."""
        size = np.abs(gaps_to(u, level))
        target = self._sums[self._totals] - size
        place = np.maximum(np.searchsorted(self._sums, target, side="left"), 1)
        rung = np.minimum(1.0, 2.0 / place)
        within = self._totals - place + (self._sums[np.minimum(place, len(self._sums) - 1)] - target) / rung
        steps = np.where(target > 0, within, self._totals - target)
        return self._signed(np.maximum(steps, 0.0), u, level, rung)

    def __repr__(self) -> str:
        """Without its size, from which that of the group could be read off."""
        return "DiceRungs()"
