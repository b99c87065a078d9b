"""Whole-number noises that mechanisms add to a value: the exact draw, and the law in floats beside it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import ceil, exp, log, log1p
from typing import Any

import numpy as np

from dampen.certified import ball
from dampen.entropy import Entropy
from dampen.sampling.discrete_laplace import discrete_laplace
from dampen.sampling.rounded import draw_rounded
from dampen.vectors import Floats, Integers

LARGEST_SIMULATED = 2.0**62
"""Simulated noise ends here, so that it fits 64-bit numbers."""


class Noise(ABC):
    """A whole number K of a law symmetric about 0, in grid steps. Its scale may be private: it is never shown."""

    @abstractmethod
    def draw(self, entropy: Entropy) -> int:
        """One K, exactly."""

    @abstractmethod
    def log_probabilities(self, k: Any) -> Floats:
        """Ln P(K = k), each within 1e-12 of exact relatively to P."""

    @abstractmethod
    def log_tail(self, k: Any) -> Floats:
        """Ln P(|K| >= k), for whole k >= 1."""

    @abstractmethod
    def mean_size(self) -> float:
        """E |K|."""

    @abstractmethod
    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """Seeded draws in floats, for public problems."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(...)"


class PublicNoise(Noise):
    """A noise whose scale is public, so that its size may be told."""

    @abstractmethod
    def size_exceeded_with(self, chance: Fraction) -> int:
        """The smallest k >= 0 with P(|K| > k) <= chance, or a little more."""


@dataclass(frozen=True, repr=False)
class Geometric(PublicNoise):
    """Discrete Laplace noise: P(K = k) proportional to exp(-rate |k|)."""

    rate: Fraction

    def draw(self, entropy: Entropy) -> int:
        """From coins of probability exp(-x)."""
        return discrete_laplace(self.rate, entropy)

    def log_probabilities(self, k: Any) -> Floats:
        """tanh(rate / 2) exp(-rate |k|)."""
        rate = float(self.rate)
        return np.asarray(np.log(np.tanh(rate / 2)) - rate * np.abs(np.asarray(k, dtype=np.float64)))

    def log_tail(self, k: Any) -> Floats:
        """2 exp(-rate k) / (1 + exp(-rate))."""
        rate = float(self.rate)
        return np.asarray(np.log(2) - np.log1p(np.exp(-rate)) - rate * np.asarray(k, dtype=np.float64))

    def mean_size(self) -> float:
        """1 / sinh(rate)."""
        return float(1 / np.sinh(min(float(self.rate), 700.0)))

    def size_exceeded_with(self, chance: Fraction) -> int:
        """The smallest k >= 0 with P(|K| > k) <= chance, or the next one."""
        rate = float(self.rate)
        return max(0, ceil((log(2) - log1p(exp(-rate)) - log(chance)) / rate * (1 + 2**-40)) - 1)

    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """The difference of two geometric numbers."""
        one, other = rng.exponential(1 / float(self.rate), (2, size))
        return np.asarray(np.floor(one) - np.floor(other), dtype=np.int64)


@dataclass(frozen=True, repr=False)
class NoiseOnRungs(Noise):
    """A law that falls by exp(-rate) from each of the ``rungs`` of a ladder to the next, and over ``reach`` beyond."""

    rungs: tuple[int, ...]
    reach: int
    rate: Fraction

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The last distance before rung 0, 1, ..., and before all beyond them."""
        return tuple(accumulate(self.rungs, initial=0))


@dataclass(frozen=True, repr=False)
class RoundedNoise(Noise):
    """scale * Z rounded to the nearest whole number, for a real noise Z that a subclass knows."""

    scale: Fraction

    @abstractmethod
    def survival(self, flint: Any, z: Any) -> Any:
        """P(|Z| > z) as a ball, for a ball z >= 0."""

    @abstractmethod
    def log_survival(self, z: Floats) -> Floats:
        """Ln P(|Z| > z)."""

    @abstractmethod
    def log_cell(self, z: Floats, width: float) -> Floats:
        """Ln P(z < |Z| <= z + width) without cancellation."""

    @abstractmethod
    def quantile(self, tail: Floats) -> Floats:
        """The z with P(|Z| > z) = tail."""

    def draw(self, entropy: Entropy) -> int:
        """By revealing a uniform number until the rounding is certain."""
        return draw_rounded(lambda flint, x: self.survival(flint, ball(flint, x / self.scale)), entropy)

    def log_probabilities(self, k: Any) -> Floats:
        """Half of the cell from |k| - 1/2 to |k| + 1/2, and for 0 the cell from 0 to 1/2."""
        size, width = np.abs(np.asarray(k, dtype=np.float64)), 1 / float(self.scale)
        other = self.log_cell(np.maximum(size - 0.5, 0.5) * width, width) - np.log(2)
        return np.asarray(np.where(size == 0, self.log_cell(np.zeros(1), width / 2)[0], other))

    def log_tail(self, k: Any) -> Floats:
        """S((k - 1/2) / scale)."""
        return self.log_survival((np.asarray(k, dtype=np.float64) - 0.5) / float(self.scale))

    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """Rounded quantiles with random signs."""
        z = self.quantile(1 - rng.random(size)) * float(self.scale)
        signed = np.where(rng.random(size) < 0.5, -z, z)
        return np.asarray(np.rint(np.clip(signed, -LARGEST_SIMULATED, LARGEST_SIMULATED)), dtype=np.int64)


class RoundedLaplace(RoundedNoise):
    """Standard Laplace noise: P(|Z| > z) = exp(-z)."""

    def survival(self, flint: Any, z: Any) -> Any:
        """exp(-z)."""
        return (-z).exp()

    def log_survival(self, z: Floats) -> Floats:
        """-z."""
        return -z

    def log_cell(self, z: Floats, width: float) -> Floats:
        """exp(-z) (1 - exp(-width))."""
        return np.asarray(np.log(-np.expm1(-width)) - z)

    def quantile(self, tail: Floats) -> Floats:
        """-ln(tail)."""
        return np.asarray(-np.log(tail))

    def mean_size(self) -> float:
        """The sum of exp(-(k - 1/2) / scale) over k >= 1: 1 / (2 sinh(1 / (2 scale)))."""
        return float(1 / (2 * np.sinh(min(1 / (2 * float(self.scale)), 700.0))))
