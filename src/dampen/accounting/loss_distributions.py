"""Exact loss distributions: what one release, or many, promise at every epsilon, from the laws of the worst neighbours.

Let P and Q be the laws of a release on its worst pair of neighbours: whatever pair there is, it tells no more at any
epsilon. The loss L = ln P/Q, as P draws it, says all: delta(e) = E[(1 - exp(e - L))+], and the losses of several
releases, chosen adaptively or not, are sums of independent ones (Zhu, Dong and Wang 2022).

Losses live on a lattice. One between two points a < b is split between both so that the masses of P and of Q are kept:
who sees the two parts can merge them, so they promise no more than the loss itself. All masses are rounded up, what is
larger than the lattice counts as infinite, and what is smaller as its first point. So every delta is at least the true
one. docs/proofs/loss_distributions.md has the proofs.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log2
from typing import Any

import numpy as np

from dampen._validate import Number, non_negative, positive, probability, render, whole
from dampen.errors import ParameterError
from dampen.privacy import Adjacency
from dampen.vectors import Floats, Integers

MOST_POINTS = 2**12
"""Where a lattice has more, every second point is split between its neighbours."""
CUT = 1e-24
"""So much mass at either end is cut off at a time: the upper one counts as an infinite loss."""
ROUNDING = 2.0**-30
"""Masses that are split are raised by this share, and epsilons lowered by it: more than floats can be off."""
UNDERFLOW = 1e-290
"""What is added for numbers that are too small for floats."""
UNIT = 2.0**-52
FARTHEST = 2**16
"""No loss is more steps of a common lattice away from 0: a coarser one is taken where the finer one would need more."""


@dataclass(frozen=True, eq=False, repr=False)
class LossDistribution:
    """How likely each loss is, at most: ``masses[i]`` that of (first + i) step, and ``infinite`` that of no bound.

    Neighbours may be taken either way round. ``adjacency``, ``unit``: who they are. Everything here is public.
    """

    step: Fraction
    first: int
    masses: Floats
    infinite: float = 0.0
    adjacency: Adjacency | None = None
    unit: str | None = None

    def __repr__(self) -> str:
        return f"LossDistribution({len(self.masses)} losses, {float(self.step):.3g} apart)"

    @property
    def losses(self) -> Floats:
        """The points of the lattice."""
        return np.asarray(float(self.step) * np.arange(self.first, self.first + len(self.masses)))

    def delta(self, epsilon: Number) -> float:
        """With which delta an epsilon holds; rounded up."""
        given = non_negative(epsilon=epsilon)
        largest = (self.first + len(self.masses) - 1) * self.step
        return min(1.0, self.infinite if given >= largest else self._excess(float(given)))

    def _excess(self, epsilon: float) -> float:
        losses = self.losses
        lowered = epsilon - 2.0**-40 * (1 + epsilon + float(np.abs(losses).max()))
        share = -np.expm1(np.minimum(lowered - losses, 0.0))
        return float((self.masses * share).sum()) * (1 + (len(losses) + 16) * UNIT) + self.infinite + UNDERFLOW

    def epsilon(self, delta: Number) -> Fraction:
        """The least epsilon >= 0 that holds with this delta, or a little more.

        Refused where delta is below what was cut off, for which no epsilon is known.
        """
        limit = float(probability(delta=delta)) * (1 - 4 * UNIT)
        low, high = 0.0, max(float(self.losses[-1]), 0.0) * (1 + ROUNDING) + ROUNDING
        if self._excess(low) <= limit:
            return Fraction(0)
        if self._excess(high) > limit:
            least = f"delta must be above {self._excess(high):.3g}, which is not told apart from an infinite loss"
            raise ParameterError(f"{least}; got {render(delta)}")
        for _ in range(64):
            middle = (low + high) / 2
            low, high = (low, middle) if self._excess(middle) <= limit else (middle, high)
        return Fraction(high)

    def compose(self, other: "LossDistribution") -> "LossDistribution":
        """The loss of both releases of one data set, on the finer one of their lattices."""
        if not isinstance(other, LossDistribution):
            raise ParameterError(f"other must be a LossDistribution; got {render(other)}")
        if (self.adjacency, self.unit) != (other.adjacency, other.unit):
            rule = f"other must have the same neighbours, {self._neighbours()}: losses of others do not add up"
            raise ParameterError(f"{rule}; got {other._neighbours()}")
        step = self._common_step(other)
        one, two = self._on(step), other._on(step)
        terms = min(len(one.masses), len(two.masses))
        masses = np.convolve(one.masses, two.masses) * (1 + (terms + 8) * UNIT)
        infinite = (one.infinite + two.infinite) * (1 + 4 * UNIT) + UNDERFLOW
        return replace(self, step=step, first=one.first + two.first, masses=masses, infinite=infinite)._within_reach()

    def _neighbours(self) -> str:
        return f"{'none' if self.adjacency is None else self.adjacency.name} per {self.unit}"

    def _common_step(self, other: "LossDistribution") -> Fraction:
        finer = min(self.step, other.step)
        reach = max(each.step * max(abs(each.first), abs(each.first + len(each.masses))) for each in (self, other))
        return finer if reach <= FARTHEST * finer else round_to_power(reach / FARTHEST)

    def compose_self(self, count: int) -> "LossDistribution":
        """The loss of so many releases of this kind."""
        turns, power = whole(count=count, least=1), self
        found: LossDistribution | None = None
        while turns:
            if turns & 1:
                found = power if found is None else found.compose(power)
            turns >>= 1
            power = power.compose(power) if turns else power
        assert found is not None
        return found

    def _on(self, step: Fraction) -> "LossDistribution":
        """The same on another lattice, or itself."""
        if step == self.step:
            return self
        spread = spread_losses(self.losses, self.masses, step)
        return replace(self, step=step, first=spread.first, masses=spread.masses)

    def _within_reach(self) -> "LossDistribution":
        """Without the ends that hardly weigh anything, and with every second point where there are too many."""
        found = self._cut()
        while len(found.masses) > MOST_POINTS:
            found = found._halve()
        return found

    def _cut(self) -> "LossDistribution":
        below, above = np.cumsum(self.masses), np.cumsum(self.masses[::-1])
        low, high = int((below <= CUT).sum()), len(self.masses) - int((above <= CUT).sum())
        if high <= low:
            return self
        raised = 1 + (len(self.masses) + 8) * UNIT
        kept = self.masses[low:high].copy()
        kept[0] = (kept[0] + float(self.masses[:low].sum()) * raised) * (1 + 4 * UNIT)
        infinite = self.infinite * (1 + 4 * UNIT) + float(self.masses[high:].sum()) * raised
        return replace(self, first=self.first + low, masses=kept, infinite=infinite)

    def _halve(self) -> "LossDistribution":
        """Every loss that is an odd multiple of the step is split between the even ones beside it.

        With x = exp(step) the upper one has the share x / (x + 1), so that the mass of Q is kept.
        """
        odd = self.first % 2
        padded = np.concatenate([np.zeros(odd), self.masses, np.zeros(2)])
        even, between = padded[0:-1:2], padded[1::2]
        size = min(len(even), len(between))
        upper = 1 / (1 + np.exp(-float(self.step)))
        masses = even[:size] + between[:size] * ((1 - upper) * (1 + 8 * UNIT))
        masses[1:] += between[: size - 1] * (upper * (1 + 8 * UNIT))
        return replace(self, step=2 * self.step, first=(self.first - odd) // 2, masses=masses * (1 + 8 * UNIT))


def spread_losses(losses: Floats, masses: Floats, step: Fraction) -> LossDistribution:
    """Any losses on a lattice: each is split between the points around it, and both parts are rounded up.

    A loss of a + x with 0 <= x < h leaves a share of (1 - exp(-x)) / (1 - exp(-h)) to the upper point.
    """
    width = float(step)
    places = np.floor(losses / width)
    off = np.clip(losses - places * width, 0.0, width)
    upper = masses * (np.expm1(-off) / np.expm1(-width))
    low: Integers = places.astype(np.int64)
    first, last = int(low.min()), int(low.max()) + 2
    size = last - first + 1
    found = np.bincount(low - first, masses - upper, minlength=size).astype(np.float64)
    found += np.bincount(low - first + 1, upper, minlength=size)
    # Where floats put a loss on the wrong side of a point, or a share beside its own, it is off by less than this. The
    # largest loss may then lie above its upper point: there is one more.
    slack = sum(np.bincount(low - first + above, masses, minlength=size) for above in range(3))
    raised = (found + slack * ROUNDING) * (1 + (len(losses) + 8) * UNIT)
    return LossDistribution(step, first, raised)


def losses_at(step: Fraction, places: Any, masses: Any, infinite: float = 0.0) -> LossDistribution:
    """Losses that are multiples of the step themselves: nothing is split. Masses are rounded up."""
    at, weights = np.asarray(places, dtype=np.int64), np.asarray(masses, dtype=np.float64)
    found = np.bincount(at - at.min(), weights).astype(np.float64)
    return LossDistribution(positive(step=step), int(at.min()), found * (1 + ROUNDING / 1024), infinite)


def round_to_power(number: Fraction) -> Fraction:
    """A power of two near it, so that steps divide each other."""
    power = ceil(log2(number))
    return Fraction(2**power) if power >= 0 else Fraction(1, 2**-power)
