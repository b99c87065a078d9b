"""Noise of one public scale whose probability falls in steps as wide as the bound."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, exp, expm1, floor, log
from typing import Any

import numpy as np

from dampen.entropy import Entropy
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import LARGEST_SIMULATED, PublicNoise
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem
from dampen.sampling.staircase import staircase
from dampen.vectors import Floats, Integers

SMALL = 2**62
"""Laws of steps below this are computed in whole numbers of 64 bits, and of larger ones in floats."""
SLACK = 2.0**-42
"""By so much chances are lowered, which pays for the rounding of floats."""


@dataclass(frozen=True, repr=False)
class StaircaseNoise(PublicNoise):
    """P(K = k) proportional to exp(-rate l(k)): l = 0 for |k| < plateau, else 1 + floor((|k| - plateau) / step)."""

    rate: Fraction
    step: int
    plateau: int

    @classmethod
    def of(cls, rate: Fraction, step: int) -> "StaircaseNoise":
        """With the plateau of the least mean size, up to rounding. Any public one is as private."""
        share = exp(-float(rate) / 2) / (1 + exp(-float(rate) / 2))
        return cls(rate, step, max(1, floor(Fraction(share) * step + Fraction(1, 2))))

    @cached_property
    def _log_total(self) -> float:
        """Ln of 2 plateau - 1 + 2 step r / (1 - r), r = exp(-rate)."""
        return log(2 * self.plateau - 1 + 2 * self.step * self._later)

    @property
    def _later(self) -> float:
        """r + r^2 + ..."""
        rate = float(self.rate)
        return -exp(-rate) / expm1(-rate)

    def draw(self, entropy: Entropy) -> int:
        """By certified weights of the plateau and the rest, a geometric step and a fair die."""
        return staircase(self.rate, self.step, self.plateau, entropy)

    def levels(self, k: Any) -> Any:
        """How many steps down each k lies: l(k)."""
        sizes = self._sizes(k)
        return np.where(sizes < self.plateau, 0, 1 + (sizes - self.plateau) // self.step)

    def _sizes(self, k: Any) -> Any:
        sizes = np.abs(np.asarray(k))
        return sizes if self.step + self.plateau < SMALL and sizes.dtype != object else sizes.astype(np.float64)

    def log_probabilities(self, k: Any) -> Floats:
        """-rate l(k), less the logarithm of the sum of all weights."""
        return np.asarray(-float(self.rate) * self.levels(k).astype(np.float64) - self._log_total)

    def log_tail(self, k: Any) -> Floats:
        """The rest of the step of k, and all steps beyond."""
        beyond = self._sizes(k) - self.plateau
        rest = np.where(beyond < 0, -beyond, self.step - beyond % self.step).astype(np.float64)
        log_rest = np.log(rest + self.step * self._later)
        return np.asarray(log(2) - float(self.rate) * self.levels(k).astype(np.float64) + log_rest - self._log_total)

    def mean_size(self) -> float:
        """The middle of each step times its share; steps after the first lie 1 / (exp(rate) - 1) steps further."""
        inner, total = float(self.plateau) * (self.plateau - 1), exp(self._log_total)
        middle = self.plateau + (self.step - 1) / 2 + self.step * self._later
        return float(inner / total + 2 * self.step * self._later / total * middle)

    def size_exceeded_with(self, chance: Fraction) -> int:
        """The smallest k >= 0 with P(|K| > k) <= chance, or larger by a share of 2^-40 or by one.

        P(|K| > k) is the number of places on the same step beyond k, and ``step`` r / (1 - r) for all steps after it,
        times 2 r^level, of the whole: the level is found first, then the place on it.
        """
        rate, share = float(self.rate), log(chance) + self._log_total - log(2) - SLACK
        after = self.step * self._later
        level = max(0, ceil((log(after) - share) / rate)) if after > 0 else 0
        places = max(exp(share + rate * level) - after, 0.0)
        return max(0, self.plateau + level * self.step - 1 - floor(places))

    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """As the exact draw, in floats."""
        inside = rng.random(size) < (2 * self.plateau - 1) / exp(self._log_total)
        near = np.floor(rng.random(size) * (2 * self.plateau - 1)) - self.plateau + 1
        far = self.plateau + self.step * np.floor(rng.exponential(1 / float(self.rate), size))
        far += np.floor(rng.random(size) * self.step)
        signed = np.where(rng.random(size) < 0.5, -far, far)
        return np.asarray(
            np.clip(np.where(inside, near, signed), -LARGEST_SIMULATED, LARGEST_SIMULATED), dtype=np.int64
        )


@dataclass(frozen=True, init=False, repr=False)
class Staircase(AdditiveMechanism):
    """The value plus noise that is equally likely over whole steps as wide as the frame's bound.

    Definition
    ----------
    value + K on the frame's grid, P(K = k) proportional to exp(-epsilon l(k)), where l(k) = 0 for |k| < g, and else
    1 + floor((|k| - g) / t). The step t is the frame's reach, the bound in grid steps, and the plateau is g = max(1,
    round(t / (1 + exp(epsilon / 2)))).

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/staircase.md). Nothing about the noise depends on the data, so a release
    tells its error: ``release.error(0.95)``. The mean size of the noise is never above that of :class:`Laplace`, but
    for the rounding of g, and falls as exp(-epsilon / 2) for a large epsilon, where that of Laplace stays at t /
    epsilon. With t = 1 both are the same.

    Differs from the paper
    ----------------------
    Whole numbers in place of reals, and one plateau on both sides of 0.

    Numerics
    --------
    The plateau and what lies beyond it are compared with random bits in certified arithmetic, steps are counted with
    coins of probability exp(-x), places are fair dice; no float is involved.

    Cost
    ----
    O(1).

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.mechanisms import Laplace
    >>> frame = dampen.NumericFrame(bound=100, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.NumericProblem(frame, 1000).as_public()
    >>> round(Staircase(3).expected_absolute_noise(problem), 1), round(Laplace(3).expected_absolute_noise(problem), 1)
    (23.5, 33.3)
    >>> bool(abs(Staircase(3).simulate(problem, np.random.default_rng(0), size=10_000).mean() - 1000) < 2)
    True

    References
    ----------
    Geng and Viswanath, The optimal noise-adding mechanism in differential privacy, ISIT 2014.
    """

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def noise(self, problem: NumericProblem) -> StaircaseNoise:
        """The same for all data sets of a frame."""
        return self._public_noise(problem.frame)

    def _public_noise(self, frame: NumericFrame) -> StaircaseNoise:
        return StaircaseNoise.of(self.epsilon, frame.reach)

    def accuracy(self, frame: NumericFrame) -> NoiseAccuracy:
        """That of the noise; in a range no answer is further off than the range is wide."""
        wide = None if frame.range is None else frame.range[1] - frame.range[0]
        return NoiseAccuracy(self._public_noise(frame), frame.resolution, largest=wide)
