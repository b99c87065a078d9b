"""Noises with heavy tails, rounded to whole numbers."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, log
from typing import Any

import numpy as np

from dampen.certified import ball
from dampen.mechanisms.numeric.noises import RoundedNoise
from dampen.vectors import Floats

SUMMED = 2**11
"""So many terms of a mean are added one by one; the rest is an integral with corrections."""
NODES = 32
"""Of Gauss' rule over a cell."""
TINY, NOTHING = -18.0, -45.0
"""Below exp(TINY) three terms of a series are all of it to within 1e-19, below exp(NOTHING) one is."""


@dataclass(frozen=True, repr=False)
class RoundedPolyPlace(RoundedNoise):
    """Noise of density proportional to (1 + |z|)^-(power + 1): P(|Z| > z) = (1 + z)^-power, for power >= 2."""

    power: int

    def survival(self, flint: Any, z: Any) -> Any:
        """(1 + z)^-power."""
        return (1 / (1 + z)) ** self.power

    def log_survival(self, z: Floats) -> Floats:
        """-power ln(1 + z)."""
        return np.asarray(-self.power * np.log1p(z))

    def log_cell(self, z: Floats, width: float) -> Floats:
        """(1 + z)^-power (1 - (1 + width / (1 + z))^-power)."""
        lost = -np.expm1(-self.power * np.log1p(width / (1 + z)))
        return np.asarray(np.log(lost) - self.power * np.log1p(z))

    def quantile(self, tail: Floats) -> Floats:
        """tail^(-1 / power) - 1."""
        return np.asarray(np.expm1(-np.log(tail) / self.power))

    def mean_size(self) -> float:
        """scale^power zeta(power, scale + 1/2), the sum of f(k - 1/2), f(x) = (scale / (scale + x))^power.

        Midpoints from N on add up to the integral of f plus f'(N) / 24 - 7 f'''(N) / 5760 + ... (Euler and Maclaurin).
        """
        scale, q = float(self.scale), self.power
        far = scale + SUMMED
        ratio = scale / far
        tail = ratio**q * (far / (q - 1) - q / (24 * far) + 7 * q * (q + 1) * (q + 2) / (5760 * far**3))
        middles = np.arange(SUMMED, 0, -1) - 0.5
        return float(np.exp(-q * np.log1p(middles / scale)).sum() + tail)


@dataclass(frozen=True, repr=False)
class RoundedBell(RoundedNoise):
    """Noise of density proportional to (1 + q)^-exponent, q = |z|^gamma / spread: Cauchy's type and Student's t.

    1 / (1 + q) has a beta law, so P(|Z| > z) = I_u(exponent - 1 / gamma, 1 / gamma) at u = 1 / (1 + q), with the
    regularised incomplete beta function I.
    """

    gamma: Fraction
    spread: Fraction
    exponent: Fraction

    def survival(self, flint: Any, z: Any) -> Any:
        """I_u, or 1 - I_(1 - u) of the exchanged parameters where u is close to 1."""
        far, near = ball(flint, self.exponent - 1 / self.gamma), ball(flint, 1 / self.gamma)
        power = self.gamma.numerator if self.gamma.denominator == 1 else ball(flint, self.gamma)
        q = z**power / ball(flint, self.spread)
        if q < 1:
            return 1 - (q / (1 + q)).beta_lower(near, far, regularized=True)
        return (1 / (1 + q)).beta_lower(far, near, regularized=True)

    @cached_property
    def _shape(self) -> tuple[float, float]:
        """The two parameters of the beta law."""
        return float(self.exponent - 1 / self.gamma), float(1 / self.gamma)

    @cached_property
    def _height(self) -> float:
        """Ln of the density of |Z| at 0: gamma / (spread^(1 / gamma) B)."""
        from scipy.special import betaln

        gamma = float(self.gamma)
        return log(gamma) - log(self.spread) / gamma - float(betaln(*self._shape))

    def _log_odds(self, z: Floats) -> Floats:
        """Ln q."""
        with np.errstate(divide="ignore"):
            return np.asarray(float(self.gamma) * np.log(z) - log(self.spread))

    def _log_density(self, z: Floats) -> Floats:
        """Ln of the density of |Z|."""
        with np.errstate(over="ignore"):
            q = np.power(z, float(self.gamma)) / float(self.spread)
        fall = np.where(np.isfinite(q), np.log1p(q), self._log_odds(z))
        return np.asarray(self._height - float(self.exponent) * fall)

    def log_survival(self, z: Floats) -> Floats:
        """Ln I_u, or ln(1 - I_(1 - u)) unless that is small; for tiny u the series u^a / (a B) (1 + ...)."""
        from scipy.special import betainc, betaln

        (far, near), odds = self._shape, self._log_odds(np.asarray(z, dtype=np.float64))
        log_u, below = -np.logaddexp(0, odds), betainc(near, far, np.exp(-np.logaddexp(0, -odds)))
        tiny, small = log_u < TINY, below > 0.9
        u = np.exp(np.minimum(log_u, TINY))
        series = 1 + far * (1 - near) * u * (1 / (far + 1) + (2 - near) * u / (2 * far + 4))
        first = far * log_u - log(far) - float(betaln(far, near)) + np.log(series)
        above = np.log(betainc(far, near, np.exp(np.where(tiny, 0, log_u))))
        return np.asarray(np.where(tiny, first, np.where(small, above, np.log1p(-np.where(small, 0, below)))))

    def log_cell(self, z: Floats, width: float) -> Floats:
        """Gauss' rule where the cell is small against the distance to the poles of the density, else a difference."""
        z = np.asarray(z, dtype=np.float64)
        middle, half = z + width / 2, width / 2
        angle, size = np.pi / float(self.gamma), float(self.spread) ** (1 / float(self.gamma))
        distance = np.hypot(middle - size * np.cos(angle), size * np.sin(angle))
        smooth = (distance >= 2 * half) & (z >= half)
        return np.asarray(np.where(smooth, self._by_quadrature(middle, half), self._by_difference(z, width)))

    def _by_quadrature(self, middle: Floats, half: float) -> Floats:
        nodes, weights = np.polynomial.legendre.leggauss(NODES)
        centre = self._log_density(middle)
        values = np.exp(self._log_density(np.maximum(middle[..., None] + half * nodes, 0)) - centre[..., None])
        return np.asarray(centre + np.log(half * (values @ weights)))

    def _by_difference(self, z: Floats, width: float) -> Floats:
        """S(z) - S(z + width); from 0 on, the beta law below u = 1."""
        from scipy.special import betainc

        far, near = self._shape
        odds = float(self._log_odds(np.asarray(width)))
        start = betainc(near, far, np.exp(-np.logaddexp(0, -odds)))
        first = self._height + log(width) if odds < NOTHING else log(start)
        with np.errstate(divide="ignore", invalid="ignore"):
            before, after = self.log_survival(z), self.log_survival(z + width)
            return np.asarray(np.where(z == 0, first, before + np.log(-np.expm1(after - before))))

    def quantile(self, tail: Floats) -> Floats:
        """From the quantile of u, or of 1 - u where that is the smaller one."""
        from scipy.special import betaincinv

        far, near = self._shape
        u, v = betaincinv(far, near, tail), betaincinv(near, far, 1 - tail)
        with np.errstate(divide="ignore", over="ignore"):
            odds = np.where(u < 0.5, (1 - u) / u, v / (1 - v))
            return np.asarray((float(self.spread) * odds) ** (1 / float(self.gamma)))

    def mean_size(self) -> float:
        """The sum of S((k - 1/2) / scale); from N on the integral of S and a correction (Euler and Maclaurin)."""
        from scipy.special import beta, betainc, betaincc

        (far, near), scale = self._shape, float(self.scale)
        if far <= near:
            return inf
        end = np.array([SUMMED / scale])
        mean = float(self.spread) ** (1 / float(self.gamma)) * beta(2 * near, far - near) / beta(near, far)
        odds = self._log_odds(end)
        u, v = np.exp(-np.logaddexp(0, odds)), np.exp(-np.logaddexp(0, -odds))
        share = np.where(odds < 0, betaincc(2 * near, far - near, v), betainc(far - near, 2 * near, u))
        beyond = scale * (mean * share - end * np.exp(self.log_survival(end)))
        slope = -np.exp(self._log_density(end)) / scale
        middles: Floats = (np.arange(SUMMED, 0, -1, dtype=np.float64) - 0.5) / scale
        return float(np.exp(self.log_survival(middles)).sum() + (beyond + slope / 24)[0])
