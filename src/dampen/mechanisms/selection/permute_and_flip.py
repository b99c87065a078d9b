"""Permute-and-flip."""

from dataclasses import dataclass

from dampen.entropy import Entropy
from dampen.mechanisms import laws
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.mechanisms.selection_errors import SelectionAccuracy
from dampen.problem import Frame, count_candidates
from dampen.sampling.exponents import Exponents
from dampen.sampling.flips import draw_by_flips, flip_groups
from dampen.sampling.race import ExponentialNoise, draw_by_race
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, init=False, repr=False)
class PermuteAndFlip(UtilityMechanism):
    """Flip a coin of probability exp(c * (utility - best)) per candidate; choose uniformly among the heads.

    Definition
    ----------
    P[r] = p_r * integral over [0, 1] of prod over s != r of (1 - p_s z) dz with p_r = exp(c (u_r - max u)) and
    c = epsilon / (2 * bound), or epsilon / bound in a monotone frame. The same law as adding standard exponential
    noise to c * utility and taking the largest.

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/permute_and_flip.md). Never worse in expected utility than the exponential
    mechanism at the same epsilon. Its range is *not* epsilon, so it claims no bounded range.

    Differs from the paper
    ----------------------
    All coins are flipped, so the run time tells nothing of the scores; the sequential algorithm's does. Exponents end
    at 1024 below the best. Utilities that are floats have their exponents rounded to
    multiples of epsilon / 2^22, and c is smaller by the factor 1 - 2^-20, which pays for it.

    Numerics
    --------
    Sixteen random bits per candidate against a certified table, more where these do not decide (docs/numerics.md). The
    law is computed by Gauss' rule to within 1e-13.

    Cost
    ----
    O(n), the same for every data set of n candidates; with runs, O(groups).

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.Frame(("tea", "coffee"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, utilities=[7, 5]).as_public()
    >>> np.exp(PermuteAndFlip(epsilon=1).log_probabilities(problem)).round(4).tolist()
    [0.9323, 0.0677]
    >>> picks = PermuteAndFlip(epsilon=1).simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 0).sum()) > 850
    True

    References
    ----------
    McKenna and Sheldon, Permute-and-flip: a new mechanism for differentially private selection, NeurIPS 2020. Ding et
    al., The permute-and-flip mechanism is identical to report-noisy-max with exponential noise, 2021.
    """

    proportional = True

    def accuracy(self, frame: Frame) -> SelectionAccuracy:
        """That of the worst utilities."""
        size = count_candidates(frame.candidates)
        return SelectionAccuracy("permute_and_flip", size, self._rate(frame), self.epsilon)

    def _log_law(self, x: Floats, sizes: Floats) -> Floats:
        return laws.permute_and_flip(x, sizes)

    def _draw(self, exponents: Exponents, source: Entropy) -> tuple[int, int]:
        if exponents.sizes is None:
            return draw_by_flips(exponents, source), 0
        return draw_by_race(exponents, ExponentialNoise(), source)

    def draw_groups(self, behind: Integers, ends: Integers, source: Entropy) -> Integers:
        """Draws of many small problems at once, monotone with bound 1: each one's candidate, as a place in its group.

        ``behind`` says for each candidate how far it lies below the best of its group, whose places end at ``ends``.
        Nobody has paid here.
        """
        return flip_groups(behind, ends, self.epsilon, source)
