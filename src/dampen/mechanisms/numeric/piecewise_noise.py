"""Whole-number noise that falls by one rate on every rung of a ladder, however long the rung is."""

from fractions import Fraction
from functools import cached_property
from math import log
from typing import Any

import numpy as np

from dampen.certified import ball
from dampen.entropy import Entropy
from dampen.mechanisms.numeric.noises import LARGEST_SIMULATED, NoiseOnRungs
from dampen.sampling.discrete_laplace import geometric
from dampen.sampling.exact import draw_weighted
from dampen.vectors import Floats, Integers


class PiecewiseNoise(NoiseOnRungs):
    """A whole number K with P(K = k) proportional to exp(-rate * phi(|k|)), phi(j) the rungs that reach as far as j.

    phi is 0 at 0, rises by 1 over the ``rungs[t]`` distances of rung t, each by the same part, and by 1 over ``reach``
    distances for every rung beyond. Rungs of 0 hold no distance, and the next one begins higher.
    """

    def draw(self, entropy: Entropy) -> int:
        """A rung by its exact weight, a place on it, and a fair sign.

        The place is a geometric number of rate ``rate / rung``, modulo the rung: its law is the same on every multiple.
        """
        ring = draw_weighted(self._weights, entropy)
        if ring == 0:
            return 0
        if ring <= len(self.rungs):
            rung = self.rungs[ring - 1]
            place = geometric(self.rate / rung, entropy) % rung
        else:
            place = geometric(self.rate / self.reach, entropy)
        size = self.ends[ring - 1] + 1 + place
        return -size if entropy.bits(1) else size

    def _weights(self, flint: Any) -> list[Any]:
        """The weight of 0, of each rung, and of all rungs beyond together.

        Rung t of length l weighs 2 exp(-rate t) (1 - exp(-rate)) / (exp(rate / l) - 1).
        """
        fall = (-ball(flint, self.rate)).exp()
        known = {rung: 2 * (1 - fall) / _growth(flint, self.rate, rung) for rung in set(self.rungs) if rung}
        power, weights = flint.arb(1), [flint.arb(1)]
        for rung in self.rungs:
            weights.append(power * known[rung] if rung else flint.arb(0))
            power *= fall
        return [*weights, 2 * power / _growth(flint, self.rate, self.reach)]

    # The law in floats

    @cached_property
    def _steps(self) -> Floats:
        """How much phi rises, times the rate, from one distance to the next: on each rung, and beyond them."""
        lengths = np.array([*self.rungs, self.reach], dtype=np.float64)
        steps: Floats = np.full(len(lengths), np.inf)
        steps[lengths > 0] = float(self.rate) / lengths[lengths > 0]
        return steps

    @cached_property
    def _own(self) -> Floats:
        """What one side of each rung weighs, and of all beyond together, over what phi takes off before it begins."""
        own = 1 / np.expm1(np.minimum(self._steps, 700.0)) * np.where(np.isinf(self._steps), 0.0, 1.0)
        own[:-1] *= -np.expm1(-float(self.rate))
        return np.asarray(own)

    @cached_property
    def _from(self) -> Floats:
        """What one side of each rung and of all that follow weighs, over the same: never underflows."""
        sums, fall = self._own.copy(), float(np.exp(-float(self.rate)))
        for place in range(len(sums) - 2, -1, -1):
            sums[place] += fall * sums[place + 1]
        return sums

    @property
    def _log_total(self) -> float:
        """Ln of the sum of all weights."""
        return float(np.log1p(2 * self._from[0]))

    @property
    def scale(self) -> float:
        """Half of that sum: for Laplace noise of a fine grid the mean size."""
        return 0.5 + float(self._from[0])

    def _places(self, sizes: Any) -> tuple[Integers, Floats]:
        """On which rung each distance >= 1 lies, and where on it, counted from 1."""
        small = self.ends[-1] < 2**62 and sizes.dtype != object
        # Rungs of 0 repeat an end: searching from the left finds the first rung that reaches the distance.
        ends = np.array(self.ends, dtype=np.int64 if small else object)
        places = np.minimum(np.searchsorted(ends, sizes) - 1, len(self.rungs))
        return places, np.asarray(sizes - ends[places], dtype=np.float64)

    def log_probabilities(self, k: Any) -> Floats:
        """-rate * phi, less the logarithm of the sum of all weights."""
        sizes = np.abs(np.asarray(k))
        places, offsets = self._places(np.maximum(sizes, 1))
        falls = float(self.rate) * places + self._steps[places] * offsets
        return np.asarray(np.where(sizes == 0, 0.0, -falls) - self._log_total)

    def log_tail(self, k: Any) -> Floats:
        """The rest of the rung of k, and all rungs beyond."""
        places, offsets = self._places(np.asarray(k))
        rate, steps = float(self.rate), self._steps[places]
        # Beyond the rungs all is one geometric series, whose fall stays a logarithm and cannot underflow.
        beyond, fallen = places == len(self.rungs), steps * (offsets - 1)
        rest = np.where(beyond, 1.0, np.exp(-np.where(beyond, 0.0, fallen)) - np.exp(-rate)) / np.expm1(steps)
        following = np.append(self._from[1:], 0.0)[places] * np.exp(-rate)
        far = rate * places + np.where(beyond, fallen, 0.0)
        return np.asarray(log(2) - self._log_total - far + np.log(rest + following))

    def mean_size(self) -> float:
        """The mean place on each rung times its share: that of a geometric number that ends with the rung."""
        rate, steps = float(self.rate), self._steps
        starts, lengths = (np.array(each, dtype=np.float64) for each in (self.ends, (*self.rungs, 0)))
        places = starts - 1 / np.expm1(-np.minimum(steps, 700.0)) - lengths / np.expm1(rate)
        shares = np.exp(-rate * np.arange(len(steps)) + log(2) - self._log_total) * self._own
        return float(shares @ places)

    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """As the exact draw, in floats."""
        rate = float(self.rate)
        weights = np.append(1.0, 2 * np.exp(-rate * np.arange(len(self._own))) * self._own)
        rings = rng.choice(len(weights), size, p=weights / weights.sum())
        lengths = np.array([1.0, *self.rungs, np.inf])[rings]
        steps = np.append(rate, self._steps)[rings]
        # A uniform number cut so that the place stays on the rung; beyond the rungs it is not cut.
        cut = np.where(np.isinf(lengths), 1.0, -np.expm1(-rate))
        places = np.minimum(np.floor(-np.log1p(-rng.random(size) * cut) / steps), lengths - 1)
        starts = np.array([0, *self.ends], dtype=np.float64)[rings]
        sizes = np.where(rings == 0, 0.0, starts + 1 + places)
        signed = np.where(rng.random(size) < 0.5, -sizes, sizes)
        return np.asarray(np.clip(signed, -LARGEST_SIMULATED, LARGEST_SIMULATED), dtype=np.int64)


def _growth(flint: Any, rate: Fraction, rung: int) -> Any:
    """exp(rate / rung) - 1 as a ball."""
    return ball(flint, rate / rung).expm1()
