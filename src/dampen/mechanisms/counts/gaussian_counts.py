"""Noise of one public scale on every count, which grows with the root of how many counts one step moves."""

from dataclasses import dataclass

from dampen.entropy import Entropy
from dampen.mechanisms.base import PricedByRho
from dampen.mechanisms.counts.base import CountsMechanism
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.privacy import PrivacyLoss
from dampen.problem import CountsFrame, CountsProblem
from dampen.sampling.discrete_gaussian import discrete_gaussian_batch
from dampen.sampling.discrete_laplace import add_within
from dampen.vectors import Integers


@dataclass(frozen=True, init=False, repr=False)
class GaussianCounts(PricedByRho, CountsMechanism):
    """Every count plus discrete Gaussian noise fitted to how far one step moves all counts together, in squares.

    Definition
    ----------
    c_i + K_i with independent K_i, P(K_i = k) proportional to exp(-k^2 / (2 s)), s = l1 largest / (2 rho), where l1
    bounds how far one step moves the counts in sum and ``largest`` how far it moves any one of them; cut off at 2^62
    in size.

    Guarantee
    ---------
    rho-concentrated differential privacy for all counts together (docs/proofs/gaussian_counts.md). It is
    epsilon-private for no epsilon, so a budget that counts rho must pay: ``Budget(rho=...)``, or one with a delta.
    Nothing about the noise depends on the data, so a release tells its error: ``release.error(0.95)``.

    Differs from the paper
    ----------------------
    The variance is any rational number, and the squared distance is bounded by l1 times ``largest``.

    Numerics
    --------
    Discrete Laplace numbers, each kept by 48 random bits against its probability, and by certified arithmetic where
    these do not decide; no noise is ever a float.

    Cost
    ----
    O(n), the same for every data set but for tries that know no data.

    Example
    -------
    A thousand counts of which one person may move all by 1, at the rho that (1, 1e-6) pays for:

    >>> import numpy as np, dampen
    >>> frame = dampen.CountsFrame(1000, l1=1000, largest=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.CountsProblem(frame, [50] * 1000).as_public()
    >>> mechanism = GaussianCounts(rho="0.0243559703595")
    >>> round(float(mechanism.noise(frame).variance) ** 0.5, 1)
    143.3
    >>> mechanism.simulate(problem, np.random.default_rng(0), size=2).shape
    (2, 1000)

    References
    ----------
    Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020. Bun and Steinke,
    Concentrated differential privacy: simplifications, extensions, and lower bounds, TCC 2016.
    """

    def privacy(self, frame: CountsFrame) -> PrivacyLoss:
        """Rho, and no epsilon."""
        self.noise(frame)
        return PrivacyLoss(None, adjacency=frame.adjacency, unit=frame.unit, rho=self.rho)

    def noise(self, frame: CountsFrame) -> GaussianNoise:
        """The same for all counts and all data sets of a frame."""
        return GaussianNoise.of(self.rho, frame.l1 * frame.largest)

    def draw(self, problem: CountsProblem, source: Entropy) -> Integers:
        """All noises at once, added to the counts. Nobody has paid for it here."""
        noise = discrete_gaussian_batch(self.noise(problem.frame).variance, problem.frame.size, source)
        return add_within(problem.counts, noise)
