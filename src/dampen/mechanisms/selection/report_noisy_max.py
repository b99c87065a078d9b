"""Report-noisy-max."""

from dataclasses import dataclass, replace
from typing import Literal

from dampen._validate import Number, one_of
from dampen.entropy import Entropy
from dampen.mechanisms import laws
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.mechanisms.selection.exponential import Exponential
from dampen.mechanisms.selection.permute_and_flip import PermuteAndFlip
from dampen.mechanisms.selection_errors import SelectionAccuracy
from dampen.privacy import Accuracy, PrivacyLoss
from dampen.problem import Frame, count_candidates
from dampen.sampling.exponents import Exponents
from dampen.sampling.race import LaplaceNoise, draw_by_race
from dampen.vectors import Floats

NoiseName = Literal["laplace", "exponential", "gumbel"]


@dataclass(frozen=True, init=False, repr=False)
class ReportNoisyMax(UtilityMechanism):
    """Add independent noise to every utility and report the candidate with the largest sum, not the sum.

    Definition
    ----------
    argmax of c * u_r + Z_r with c = epsilon / (2 * bound), or epsilon / bound in a monotone frame, and standard Z:
    ``"laplace"`` (default), ``"exponential"`` (the law of :class:`PermuteAndFlip`) or ``"gumbel"`` (the law of
    :class:`Exponential`).

    Guarantee
    ---------
    epsilon-differential privacy for all three; bounded range epsilon for Gumbel noise alone
    (docs/proofs/report_noisy_max.md). Laplace noise is here for comparison: exponential noise is never worse.

    Differs from the paper
    ----------------------
    Exponents end at 1024 below the best. Utilities that are floats have their exponents
    rounded to multiples of epsilon / 2^22, and c is smaller by the factor 1 - 2^-20, which pays for it.

    Numerics
    --------
    No noise is ever a float: uniform numbers are revealed bit by bit until the order of the largest is certain. The
    Laplace law is computed by Gauss' rule between its kinks to within 1e-12.

    Cost
    ----
    O(n); with runs, O(groups). With Laplace noise the run time depends on how close the race is.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.Frame(("tea", "coffee"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, utilities=[7, 5]).as_public()
    >>> np.exp(ReportNoisyMax(epsilon=1).log_probabilities(problem)).round(4).tolist()
    [0.8647, 0.1353]
    >>> picks = ReportNoisyMax(epsilon=1).simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 0).sum()) > 800
    True

    References
    ----------
    Dwork and Roth, The algorithmic foundations of differential privacy, 2014, section 3.3. Ding et al., The
    permute-and-flip mechanism is identical to report-noisy-max with exponential noise, 2021.
    """

    noise: NoiseName
    proportional = True

    def __init__(self, epsilon: Number, noise: NoiseName = "laplace") -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "noise", one_of(("laplace", "exponential", "gumbel"), noise=noise))

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon; with Gumbel noise also bounded range epsilon."""
        loss = super().privacy(frame)
        return replace(loss, bounded_range=self.epsilon) if self.noise == "gumbel" else loss

    def _twin(self) -> UtilityMechanism | None:
        """The mechanism that has this noise's law, if another one has."""
        if self.noise == "laplace":
            return None
        return PermuteAndFlip(self.epsilon) if self.noise == "exponential" else Exponential(self.epsilon)

    def accuracy(self, frame: Frame) -> Accuracy:
        """That of the worst utilities."""
        twin = self._twin()
        if twin is not None:
            return twin.accuracy(frame)
        return SelectionAccuracy("laplace", count_candidates(frame.candidates), self._rate(frame), self.epsilon)

    def _log_law(self, x: Floats, sizes: Floats) -> Floats:
        twin = self._twin()
        return laws.laplace_maximum(x, sizes) if twin is None else twin._log_law(x, sizes)

    def _draw(self, exponents: Exponents, source: Entropy) -> tuple[int, int]:
        twin = self._twin()
        return draw_by_race(exponents, LaplaceNoise(), source) if twin is None else twin._draw(exponents, source)
