"""Whole-number noise of a normal law: its probabilities, its tails and its size in floats beside the exact draw.

With f(k) = exp(-k^2 / (2 s)) all of them are sums of f. Where these have few terms that count they are summed. Else the
formula of Euler and Maclaurin is used, whose terms fall so quickly there that the rest is below the rounding of floats.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, factorial, log, log1p, pi, sqrt
from typing import Any

import numpy as np
from numpy.polynomial.hermite_e import hermeval

from dampen._validate import render
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.noises import LARGEST_SIMULATED, PublicNoise
from dampen.sampling.discrete_gaussian import discrete_gaussian
from dampen.vectors import Floats, Integers

WIDE = 64.0
"""Sums over a variance of this size or more have too many terms."""
TERMS = 72
"""So many terms of a sum count, where the variance is smaller or the first term lies far out."""
CORRECTIONS = 8
"""So many terms of the formula of Euler and Maclaurin; each is less than a fifth of the one before."""
SMALLEST, LARGEST = Fraction(1, 2**1000), Fraction(2**1000)
"""Between these floats can tell a law."""
SLACK = 2.0**-32
"""By so much chances are lowered, which pays for the rounding of floats."""
_EVEN = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""Bernoulli numbers B_2, B_4, ..., B_16."""


@dataclass(frozen=True, repr=False)
class GaussianNoise(PublicNoise):
    """P(K = k) proportional to exp(-k^2 / (2 variance)).

    The variance is that of the normal law; the number's own is no larger, and from 1 on the same but for 1e-6 of it.
    """

    variance: Fraction

    @classmethod
    def of(cls, rho: Fraction, squared: Fraction) -> "GaussianNoise":
        """With the least variance that hides, at rho, steps whose square is at most ``squared`` in sum."""
        variance = squared / (2 * rho)
        if not SMALLEST <= variance <= LARGEST:
            ends = "so that a variance between 2**-1000 and 2**1000 pays for it"
            raise ParameterError(f"rho must fit how far one step moves the answer, {ends}; got {render(rho)}")
        return cls(variance)

    def draw(self, entropy: Entropy) -> int:
        """A discrete Laplace number, kept by a coin."""
        return discrete_gaussian(self.variance, entropy)

    def log_probabilities(self, k: Any) -> Floats:
        """-k^2 / (2 s) less the logarithm of the sum of all f."""
        size = np.asarray(k, dtype=np.float64)
        return np.asarray(-(size**2) / (2 * float(self.variance)) - self._log_whole())

    def _log_whole(self) -> float:
        """Ln of the sum of f: by the formula of Poisson from a variance of 1 on, where the next term is 1e-34."""
        s = float(self.variance)
        if s >= 1:
            return log(2 * pi * s) / 2 + log1p(2 * exp(-2 * pi**2 * s))
        return log1p(2 * sum(exp(-(k**2) / (2 * s)) for k in range(1, 10)))

    def log_tail(self, k: Any) -> Floats:
        """Ln f(k) plus the logarithm of what all f from there on make of it, twice."""
        size = np.asarray(k, dtype=np.float64)
        s = float(self.variance)
        if s < WIDE or (size >= s).all():
            multiple = self._sum_terms(size)
        elif (size < s).all():
            multiple = self._sum_smoothly(size)
        else:
            multiple = np.where(size >= s, self._sum_terms(size), self._sum_smoothly(np.minimum(size, s)))
        return np.asarray(np.minimum(log(2) + self.log_probabilities(size) + np.log(multiple), 0.0))

    def _sum_terms(self, k: Floats) -> Floats:
        """The sum of f(k + j) / f(k) over j >= 0, term by term."""
        j = np.arange(TERMS, dtype=np.float64)
        return np.asarray(np.exp(-j * (2 * k[..., None] + j) / (2 * float(self.variance))).sum(axis=-1))

    def _sum_smoothly(self, k: Floats) -> Floats:
        """The same: the integral from k on, half of the first term, and what its odd derivatives correct.

        The derivative of order n of f at k is f(k) (-1)^n He_n(k / sigma) / sigma^n with Hermite polynomials He.
        """
        from scipy.special import erfcx

        sigma = sqrt(float(self.variance))
        coefficients = np.zeros(2 * CORRECTIONS)
        for i in range(1, CORRECTIONS + 1):
            coefficients[2 * i - 1] = _EVEN[i - 1] / factorial(2 * i) * sigma ** (1 - 2 * i)
        integral = sigma * sqrt(pi / 2) * erfcx(k / (sigma * sqrt(2)))
        return np.asarray(integral + 0.5 + hermeval(k / sigma, coefficients))

    def mean_size(self) -> float:
        """Twice the sum of k f(k) over k >= 1, by the same two ways."""
        s = float(self.variance)
        if s < WIDE:
            k = np.arange(1.0, TERMS)
            total = float((k * np.exp(-(k**2) / (2 * s))).sum())
        else:
            total = s - sum(
                _EVEN[m] / (2 * m + 2) * (-1 / (2 * s)) ** m / factorial(m) for m in range(CORRECTIONS // 2)
            )
        return 2 * total * exp(-self._log_whole())

    def size_exceeded_with(self, chance: Fraction) -> int:
        """The smallest k >= 0 with P(|K| > k) <= chance, or a little more."""
        limit = log(chance.numerator) - log(chance.denominator) - SLACK

        def fits(size: int) -> bool:
            return float(self.log_tail(size + 1)) <= limit

        high = 0
        while not fits(high):
            high = 2 * high + 1
        low = (high - 1) // 2 if high else -1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        return high

    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """Discrete Laplace numbers, kept as by the exact draw but with floats."""
        s = float(self.variance)
        width = np.floor(sqrt(s)) + 1
        found, left = np.zeros(size, dtype=np.int64), np.arange(size)
        while left.size:
            one, other = np.floor(rng.exponential(width, (2, len(left))))
            kept = rng.random(len(left)) < np.exp(-((np.abs(one - other) - s / width) ** 2) / (2 * s))
            found[left[kept]] = np.clip(one - other, -LARGEST_SIMULATED, LARGEST_SIMULATED)[kept]
            left = left[~kept]
        return found
