"""Noise of one public scale and light tails, for budgets of rho."""

from dataclasses import dataclass
from fractions import Fraction

from dampen.mechanisms.base import PricedByRho
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem


@dataclass(frozen=True, init=False, repr=False)
class Gaussian(PricedByRho, AdditiveMechanism):
    """The value plus discrete Gaussian noise fitted to the frame's bound.

    Definition
    ----------
    value + K on the frame's grid, P(K = k) proportional to exp(-k^2 / (2 s)), s = reach^2 / (2 rho), where reach is the
    bound in grid steps.

    Guarantee
    ---------
    rho-concentrated differential privacy (docs/proofs/gaussian.md). It is epsilon-private for no epsilon, so a budget
    that counts rho must pay: ``Budget(rho=...)``, or one with a delta. Nothing about the noise depends on the data, so
    a release tells its error: ``release.error(0.95)``.

    Differs from the paper
    ----------------------
    The variance is any rational number.

    Numerics
    --------
    Drawn from coins of probability exp(-x) with rational x; no float is involved.

    Cost
    ----
    O(1).

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.NumericProblem(frame, 1000).as_public()
    >>> round(Gaussian(rho="1/8").expected_absolute_noise(problem), 3)
    1.562
    >>> bool(abs(Gaussian(rho="1/8").simulate(problem, np.random.default_rng(0), size=10_000).mean() - 1000) < 0.1)
    True

    References
    ----------
    Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020. Bun and Steinke,
    Concentrated differential privacy: simplifications, extensions, and lower bounds, TCC 2016.
    """

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Rho, and no epsilon."""
        self._public_noise(frame)
        return PrivacyLoss(None, adjacency=frame.adjacency, unit=frame.unit, rho=self.rho)

    def noise(self, problem: NumericProblem) -> GaussianNoise:
        """The same for all data sets of a frame."""
        return self._public_noise(problem.frame)

    def _public_noise(self, frame: NumericFrame) -> GaussianNoise:
        return GaussianNoise.of(self.rho, Fraction(frame.reach**2))

    def accuracy(self, frame: NumericFrame) -> NoiseAccuracy:
        """That of the noise; in a range no answer is further off than the range is wide."""
        wide = None if frame.range is None else frame.range[1] - frame.range[0]
        return NoiseAccuracy(self._public_noise(frame), frame.resolution, largest=wide)
