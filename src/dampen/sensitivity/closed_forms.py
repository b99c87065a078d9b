"""Sensitivity functions that are a formula in t."""

from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, positive, whole
from dampen.errors import DataError
from dampen.sensitivity.base import ZERO, SensitivityFunction, gaps_to
from dampen.vectors import Floats, Integers, Vector, as_vector


class Constant(SensitivityFunction):
    """s(t) = bound for every t and every candidate: the global sensitivity and nothing more."""

    def __init__(self, bound: Number, *, size: int) -> None:
        super().__init__(size=size, bound=bound)
        self._height = positive(bound=bound)

    @property
    def saturation(self) -> int:
        """From the start."""
        return 0

    def at(self, t: int) -> Floats:
        """The bound, whatever t."""
        whole(t=t, least=0)
        return np.full(self.size, float(self._height))

    def cumulative(self, t: int) -> Floats:
        """The bound, t times."""
        return np.full(self.size, float(self._height * whole(t=t, least=0)))

    def __repr__(self) -> str:
        return f"Constant({float(self._height)!r}, size={self.size})"


class Step(SensitivityFunction):
    """s(t) = 0 for t < t0 and the bound from t0 on, with a t0 of each candidate's own: for utilities of 0 and 1."""

    def __init__(self, t0: Any, bound: Number, *, floor: Number | None = None) -> None:
        starts = as_vector(t0, "t0")
        if starts.dtype.kind != "i" or starts.size == 0 or starts.min() < 0:
            raise DataError("t0 must be whole numbers, not negative, one per candidate")
        super().__init__(size=len(starts), bound=bound, floor=floor)
        self._starts, self._height = starts, positive(bound=bound)

    @property
    def saturation(self) -> int:
        """The largest t0."""
        return int(self._starts.max())

    def at(self, t: int) -> Floats:
        """0 before t0, the bound from there on."""
        return np.where(self._starts <= whole(t=t, least=0), float(self._height), 0.0)

    def cumulative(self, t: int) -> Floats:
        """The bound for every step from t0 on."""
        return np.maximum(whole(t=t, least=0) - self._starts, 0) * float(self._height)

    def inverse(self, u: Vector, level: Fraction = ZERO) -> Floats:
        """Floor by floor up to t0, then bound by bound."""
        size, floor = np.abs(gaps_to(u, level)), float(self.floor)
        low = np.minimum(size, self._starts * floor)
        steps = low / floor + (size - low) / float(self._height)
        return self._signed_scores(steps, u, level, np.where(size > low, float(self._height), floor))

    def smooth(self, beta: Number) -> Floats:
        """exp(-beta t0) times the bound."""
        rate = float(positive(beta=beta))
        return np.maximum(np.exp(-rate * self._starts) * float(self._height), float(self.floor))

    def __repr__(self) -> str:
        return f"Step(size={self.size}, bound={float(self._height)!r})"


class DegreeLike(SensitivityFunction):
    """s(t, r) = f(d_r + t): one non-decreasing function of a private whole number d_r plus the distance.

    ``values`` holds f(0), f(1), ...; beyond its end f is the bound. One prefix sum and one search serve all candidates.
    """

    def __init__(self, degrees: Any, values: Any, bound: Number, *, floor: Number | None = None) -> None:
        numbers, heights = (
            as_vector(degrees, "degrees"),
            np.asarray(as_vector(values, "values", mixed=True), dtype=np.float64),
        )
        if numbers.dtype.kind != "i" or numbers.size == 0 or numbers.min() < 0:
            raise DataError("degrees must be whole numbers, not negative, one per candidate")
        super().__init__(size=len(numbers), bound=bound, floor=floor)
        self._height = positive(bound=bound)
        self._degrees: Integers = np.asarray(numbers, dtype=np.int64)
        if heights.size == 0 or heights.min() < 0:
            raise DataError("values must not be empty and not negative")
        if (np.diff(heights) < 0).any() or heights[-1] > float(self._height):
            raise DataError("values must not decrease and not exceed the bound")
        self._values = heights
        self._sums = _prefix_sums(heights)
        self._rung_sums = _prefix_sums(np.maximum(heights, float(self.floor)))

    @property
    def saturation(self) -> int:
        """The length of the table less the smallest d."""
        return max(0, len(self._values) - int(self._degrees.min()))

    def at(self, t: int) -> Floats:
        """f(d + t)."""
        place = self._degrees + whole(t=t, least=0)
        inside = np.minimum(place, len(self._values) - 1)
        return np.where(place < len(self._values), self._values[inside], float(self._height))

    def cumulative(self, t: int) -> Floats:
        """The difference of two prefix sums."""
        end, last = len(self._values), self._degrees + whole(t=t, least=0)
        inside = self._sums[np.minimum(last, end)] - self._sums[np.minimum(self._degrees, end)]
        beyond = np.maximum(last, end) - np.maximum(self._degrees, end)
        return np.asarray(inside + beyond * float(self._height))

    def inverse(self, u: Vector, level: Fraction = ZERO) -> Floats:
        """Search the prefix sums of the rungs for where abs(u - level) more than at d is reached."""
        size, end = np.abs(gaps_to(u, level)), len(self._values)
        start = self._prefix(self._rung_sums, self._degrees)
        target = start + size  # sums count from f(0), the score from f(d): both are moved by the sum up to d
        place = np.minimum(np.searchsorted(self._rung_sums, target, side="right") - 1, end)
        rung = np.maximum(np.append(self._values, float(self._height))[place], float(self.floor))
        steps = np.maximum(place + (target - self._rung_sums[place]) / rung - self._degrees, 0.0)
        return self._signed_scores(steps, u, level, rung / (1 + start / np.maximum(size, float(self.floor))))

    def _prefix(self, sums: Floats, place: Integers) -> Floats:
        inside = np.minimum(place, len(self._values))
        return np.asarray(sums[inside] + (place - inside) * float(self._height))

    def __repr__(self) -> str:
        return f"DegreeLike(size={self.size}, bound={float(self._height)!r})"


def _prefix_sums(values: Floats) -> Floats:
    """0, v_0, v_0 + v_1, ..., each within two roundings of exact."""
    total, lost, sums = 0.0, 0.0, [0.0]
    for value in values.tolist():
        term = value - lost
        larger = total + term
        lost = (larger - total) - term
        total = larger
        sums.append(total)
    return np.array(sums)
