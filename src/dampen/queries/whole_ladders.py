"""Ladders of counts: sensitivity functions of size 1 whose rungs are whole numbers, computed exactly."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import Number, positive, whole
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import Floats, Integers

Wholes = NDArray[Any]
"""64-bit whole numbers, or Python's own where the public bound is too large for them."""

ROOM = 2**60
"""Whole numbers whose public bound stays below this are computed in 64 bits."""

QUICK_BOUND, QUICK_RUNGS = 2**57, 2**26
"""Below this bound rungs take nanoseconds each, in 64 bits, and so many may be read."""

FIRST_READ = 256
"""How many rungs a search for the smooth sensitivity reads at first; then twice as many each time."""


class WholeLadder(SensitivityFunction):
    """Rungs that are whole numbers; as floats they are rounded up, which keeps their order.

    A count that no edge can change has the bound 1, because a bound is positive, and rungs of 0. The floor is 1.
    """

    def __init__(self, bound: int) -> None:
        super().__init__(size=1, bound=max(bound, 1), floor=1)
        self._height = bound
        if bound < QUICK_BOUND:
            self.most_rungs = QUICK_RUNGS

    @abstractmethod
    def wholes(self, t: Integers) -> Wholes:
        """Not private. The rungs at some t, exactly: non-decreasing in t, at most the bound."""

    def at(self, t: int) -> Floats:
        """One rung."""
        return self.stretch(whole(t=t, least=0), t + 1)

    def ladder(self, count: int) -> Floats:
        """All rungs up to one, from one formula."""
        return self.stretch(0, whole(count=count, least=0))[:, np.newaxis]

    def stretch(self, first: int, last: int) -> Floats:
        """Some rungs, rounded up."""
        return rounded_up(self.wholes(np.arange(first, last, dtype=np.int64)))

    def exact_ladder(self, count: int) -> Sequence[int]:
        """All rungs up to one, not rounded."""
        return self.exact_rungs(range(whole(count=count, least=0)))

    def exact_rungs(self, places: Sequence[int]) -> Sequence[int]:
        """Some rungs, not rounded."""
        rungs: list[int] = self.wholes(np.array(places, dtype=np.int64)).tolist()
        return rungs

    def smooth(self, beta: Number) -> Floats:
        """The largest exp(-beta t) s(t), read in stretches until even the bound could not add anything."""
        rate, best, count = float(positive(beta=beta)), float(self.floor), FIRST_READ
        while True:
            rungs = self.ladder(count)[:, 0]
            best = max(best, float((np.exp(-rate * np.arange(count)) * rungs).max()))
            if np.exp(-rate * count) * float(self._height) <= best or rungs[-1] >= self._height:
                return np.array([best])
            count *= 2

    def __repr__(self) -> str:
        return f"{type(self).__name__}(bound={self.bound})"


def rounded_up(numbers: Wholes) -> Floats:
    """The smallest floats that are not below whole numbers."""
    if numbers.dtype == object:
        return np.array([_float_above(number) for number in numbers], dtype=np.float64)
    near = numbers.astype(np.float64)
    return np.where(near.astype(np.int64) < numbers, np.nextafter(near, np.inf), near)


def binomials(numbers: Wholes, choice: int, largest: int) -> Wholes:
    """C(number, choice) for numbers of 0 to ``largest``, which is public and decides how they are computed."""
    if choice > largest:
        return np.zeros(len(numbers), dtype=np.int64)
    room = binomial_room(largest, choice)
    values = numbers.astype(np.int64 if room < ROOM else object)
    found = np.ones_like(values) if choice >= 0 else np.zeros_like(values)
    for step in range(choice):
        found = found * np.maximum(values - step, 0) // (step + 1)
    return found


def binomial_room(largest: int, choice: int) -> int:
    """No product on the way to C(number, choice) exceeds this, for numbers of at most ``largest``."""
    room, worst = 1, 1
    for step in range(min(choice, largest + 1)):
        worst = max(worst, room * max(largest - step, 0))
        room = room * max(largest - step, 0) // (step + 1)
    return max(worst, room)


def _float_above(number: int) -> float:
    near = float(number)
    return near if near >= number else float(np.nextafter(near, np.inf))
