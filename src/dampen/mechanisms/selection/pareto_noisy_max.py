"""Pareto noisy max: smooth noisy max, repaired."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, flag, positive, render
from dampen.certified import ball, round_down
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms import laws
from dampen.mechanisms.selection.base import ROUNDING_SHARE
from dampen.mechanisms.selection.smooth_selection import SmoothSelection
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, count_candidates
from dampen.sampling.exponents import Exponents
from dampen.sampling.race import ParetoNoise, draw_by_race
from dampen.vectors import Floats

LARGEST_NU = 32
"""Beyond this the noise is nearly exponential, and its law is not computed accurately."""


@dataclass(frozen=True, init=False, repr=False)
class ParetoNoisyMax(SmoothSelection):
    """Report the candidate with the largest utility plus one-sided heavy-tailed noise, scaled by smooth sensitivity.

    Definition
    ----------
    argmax of u_r + (2 S / alpha) Z_r, where S is the largest beta-smooth sensitivity of any candidate and
    P[Z > t] = (1 + t / nu)^-nu. alpha and beta depend on epsilon, nu and the number of candidates R alone.

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/pareto_noisy_max.md): with beta and alpha such that
    epsilon >= nu beta and epsilon >= nu ln(1 + alpha / nu) + ln(R) (1 - exp(-nu beta)). With ``indicator=True``, a
    public promise that utilities are 0 and 1 in a frame with bound 1, the two terms of the last condition need not be
    added.

    Differs from the paper
    ----------------------
    Smooth noisy max as published adds noise that is not private: the noises of all candidates are rescaled at once, and
    two-sided noise loses a factor that grows with ln R. One-sided Pareto noise does not. Exponents are rounded to the
    lattice.

    Numerics
    --------
    No noise is ever a float. The law is computed by Gauss' rule to within 1e-12.

    Cost
    ----
    O(n) and a few certified comparisons; more of them for nu other than 1.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.sensitivity import Step
    >>> frame = dampen.Frame(("tea", "coffee"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.SelectionProblem(frame, [0, 1], Step([4, 4], bound=1)).as_public()
    >>> np.exp(ParetoNoisyMax(epsilon=1, indicator=True).log_probabilities(problem)).round(3).tolist()
    [0.02, 0.98]
    >>> picks = ParetoNoisyMax(epsilon=1).simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 1).sum()) > 900
    True

    References
    ----------
    Chaves, Differentially private selection using smooth sensitivity, 2024. Nissim, Raskhodnikova and Smith, Smooth
    sensitivity and sampling in private data analysis, STOC 2007.
    """

    nu: Fraction

    capped = False

    def __init__(self, epsilon: Number, nu: Number = 1, indicator: bool = False) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "indicator", flag(indicator=indicator))
        object.__setattr__(self, "nu", positive(nu=nu))
        if not 1 <= self.nu <= LARGEST_NU:
            raise ParameterError(f"nu must lie between 1 and {LARGEST_NU}; got {render(nu)}")

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon, for every frame with a finite bound."""
        self._require_usable(frame)
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def beta(self, frame: Frame) -> Fraction:
        """t / nu, where the dilation's own cost ln(R) (1 - exp(-t)) takes half of epsilon (all, for indicators)."""
        return self._t(frame) / self.nu * (1 - ROUNDING_SHARE)

    def alpha(self, frame: Frame) -> Fraction:
        """What is left of epsilon for the slide."""
        epsilon, size = self._reduced_epsilon(), count_candidates(frame.candidates)

        def value(flint: Any) -> Any:
            nu, left = ball(flint, self.nu), ball(flint, epsilon)
            if not self.indicator:
                left -= flint.arb(size).log() * -(-ball(flint, self._t(frame))).expm1()
            return nu * (left / nu).expm1()

        return round_down(value)

    def _t(self, frame: Frame) -> Fraction:
        epsilon, size = self._reduced_epsilon(), count_candidates(frame.candidates)
        share = epsilon if self.indicator else epsilon / 2

        def value(flint: Any) -> Any:
            most, log_size = ball(flint, share), flint.arb(size).log()
            if not most < log_size:
                return ball(flint, epsilon)
            t = -(-most / log_size).log1p()
            return t if t < ball(flint, epsilon) else ball(flint, epsilon)

        return round_down(value)

    def _log_law(self, x: Floats, sizes: Floats) -> Floats:
        return laws.pareto_maximum(x, sizes, float(self.nu))

    def _draw(self, exponents: Exponents, source: Entropy) -> tuple[int, int]:
        return draw_by_race(exponents, ParetoNoise(self.nu), source)
