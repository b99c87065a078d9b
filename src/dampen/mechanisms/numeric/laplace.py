"""Noise of one public scale: the baseline of all numeric releases."""

from dataclasses import dataclass

from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import Geometric
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem


@dataclass(frozen=True, init=False, repr=False)
class Laplace(AdditiveMechanism):
    """The value plus discrete Laplace noise fitted to the frame's bound.

    Definition
    ----------
    value + K on the frame's grid, P(K = k) proportional to exp(-epsilon |k| / reach), where reach is the bound in grid
    steps.

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/laplace.md). Nothing about the noise depends on the data, so a release
    tells its error: ``release.error(0.95)``.

    Differs from the paper
    ----------------------
    Whole numbers in place of reals: on a grid the two-sided geometric law is the better one, and exact.

    Numerics
    --------
    Drawn from coins of probability exp(-x) with a rational rate; no float is involved.

    Cost
    ----
    O(1).

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.NumericProblem(frame, 1000).as_public()
    >>> round(Laplace(0.5).expected_absolute_noise(problem), 3)
    1.919
    >>> bool(abs(Laplace(0.5).simulate(problem, np.random.default_rng(0), size=10_000).mean() - 1000) < 0.1)
    True

    References
    ----------
    Dwork, McSherry, Nissim and Smith, Calibrating noise to sensitivity in private data analysis, TCC 2006. Ghosh,
    Roughgarden and Sundararajan, Universally utility-maximizing privacy mechanisms, STOC 2009.
    """

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def noise(self, problem: NumericProblem) -> Geometric:
        """The same for all data sets of a frame."""
        return self._public_noise(problem.frame)

    def _public_noise(self, frame: NumericFrame) -> Geometric:
        return Geometric(self.epsilon / frame.reach)

    def accuracy(self, frame: NumericFrame) -> NoiseAccuracy:
        """That of the noise; in a range no answer is further off than the range is wide."""
        wide = None if frame.range is None else frame.range[1] - frame.range[0]
        return NoiseAccuracy(self._public_noise(frame), frame.resolution, largest=wide)
