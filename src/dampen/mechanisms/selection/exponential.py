"""The exponential mechanism."""

from dataclasses import dataclass, replace

from dampen.entropy import Entropy
from dampen.mechanisms import laws
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.mechanisms.selection_errors import SelectionAccuracy
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, count_candidates
from dampen.sampling.buckets import BucketSampler
from dampen.sampling.exponents import Exponents
from dampen.vectors import Floats


@dataclass(frozen=True, init=False, repr=False)
class Exponential(UtilityMechanism):
    """Each candidate with probability proportional to exp(c * utility).

    Definition
    ----------
    P[r] = exp(c u_r) / sum_s exp(c u_s) with c = epsilon / (2 * bound), or epsilon / bound in a monotone frame.

    Guarantee
    ---------
    epsilon-differential privacy, and bounded range epsilon: over the outputs the loss of two neighbours stays within
    an interval of length epsilon, which composes at an eighth of epsilon squared (docs/proofs/exponential.md).

    Differs from the paper
    ----------------------
    Exponents end at 1024 below the best. Utilities that are floats have their exponents
    rounded to multiples of epsilon / 2^22, and c is smaller by the factor 1 - 2^-20, which pays for it. Whole-number
    utilities are not rounded.

    Numerics
    --------
    Drawn exactly by integer weights and certified coins (docs/numerics.md); the number of tries is geometric.

    Cost
    ----
    O(n) without random bits per candidate; with runs, O(groups).

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.Frame(("tea", "coffee"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, utilities=[7, 5]).as_public()
    >>> np.exp(Exponential(epsilon=1).log_probabilities(problem)).round(4).tolist()
    [0.8808, 0.1192]
    >>> picks = Exponential(epsilon=1).simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 0).sum()) > 800
    True

    References
    ----------
    McSherry and Talwar, Mechanism design via differential privacy, FOCS 2007. Durfee and Rogers, Practical
    differentially private top-k selection, NeurIPS 2019 (bounded range).
    """

    proportional = True

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon, with bounded range epsilon."""
        return replace(super().privacy(frame), bounded_range=self.epsilon)

    def accuracy(self, frame: Frame) -> SelectionAccuracy:
        """That of the worst utilities."""
        size = count_candidates(frame.candidates)
        return SelectionAccuracy("exponential", size, self._rate(frame), self.epsilon)

    def _log_law(self, x: Floats, sizes: Floats) -> Floats:
        return laws.softmax(x, sizes)

    def _draw(self, exponents: Exponents, source: Entropy) -> tuple[int, int]:
        return BucketSampler(exponents).draw(source)
