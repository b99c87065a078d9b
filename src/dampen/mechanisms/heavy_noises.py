"""Noises with heavy tails, rounded to whole numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.mechanisms.noises import RoundedNoise
from dampen.vectors import Floats

SUMMED = 2**11
"""So many terms of a mean are added one by one; the rest is an integral with corrections."""


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
