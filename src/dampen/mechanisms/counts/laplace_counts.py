"""Noise of one public scale on every count."""

from dampen.entropy import Entropy
from dampen.mechanisms.counts.base import CountsMechanism
from dampen.mechanisms.numeric.noises import Geometric
from dampen.privacy import PrivacyLoss
from dampen.problem import CountsFrame, CountsProblem
from dampen.sampling.discrete_laplace import add_within, discrete_laplace_batch
from dampen.vectors import Integers


class LaplaceCounts(CountsMechanism):
    """Every count plus discrete Laplace noise fitted to how far one step moves all counts together.

    Definition
    ----------
    c_i + K_i with independent K_i, P(K_i = k) proportional to exp(-epsilon |k| / l1), where l1 bounds how far one step
    moves the counts in sum; cut off at 2^62 in size.

    Guarantee
    ---------
    epsilon-differential privacy for all counts together (docs/proofs/laplace_counts.md). Nothing about the noise
    depends on the data, so a release tells its error: ``release.error(0.95)``.

    Differs from the paper
    ----------------------
    Whole numbers in place of reals.

    Numerics
    --------
    16 random bits a count against certified bounds of -ln, more where these do not decide; no noise is ever a float.

    Cost
    ----
    O(n), the same for every data set.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.CountsFrame(3, l1=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.CountsProblem(frame, [50, 7, 0]).as_public()
    >>> LaplaceCounts(1).simulate(problem, np.random.default_rng(0), size=2).shape
    (2, 3)
    >>> round(LaplaceCounts(1).expected_absolute_noise(problem), 3)
    0.851

    References
    ----------
    Dwork, McSherry, Nissim and Smith, Calibrating noise to sensitivity in private data analysis, TCC 2006. Ghosh,
    Roughgarden and Sundararajan, Universally utility-maximizing privacy mechanisms, STOC 2009.
    """

    def privacy(self, frame: CountsFrame) -> PrivacyLoss:
        """Epsilon."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def noise(self, frame: CountsFrame) -> Geometric:
        """The same for all counts and all data sets of a frame."""
        return Geometric(self.epsilon / frame.l1)

    def draw(self, problem: CountsProblem, source: Entropy) -> Integers:
        """All noises at once, added to the counts. Nobody has paid for it here."""
        noise = discrete_laplace_batch(self.epsilon / problem.frame.l1, problem.frame.size, source)
        return add_within(problem.counts, noise)
