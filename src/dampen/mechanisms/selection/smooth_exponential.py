"""The smooth exponential mechanism."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, flag, positive, probability
from dampen.certified import ball, round_down
from dampen.entropy import Entropy
from dampen.mechanisms import laws
from dampen.mechanisms.selection.base import ROUNDING_SHARE
from dampen.mechanisms.selection.smooth_selection import SmoothSelection
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, count_candidates
from dampen.sampling.buckets import BucketSampler
from dampen.sampling.exponents import Exponents
from dampen.vectors import Floats


@dataclass(frozen=True, init=False, repr=False)
class SmoothExponential(SmoothSelection):
    """The exponential mechanism with smooth sensitivity in place of the global one, and the delta that this costs.

    Definition
    ----------
    P[r] proportional to exp(alpha u_r / (2 S)), where S is the largest beta-smooth sensitivity of any candidate,
    alpha = epsilon / 2 and beta = ln(1 + epsilon / (2 ln(R / delta))).

    Guarantee
    ---------
    (epsilon, delta)-differential privacy (docs/proofs/smooth_exponential.md). With ``indicator=True``, a public promise
    that at most one utility is 1 and all others are 0 in a frame with bound 1, alpha = 2 epsilon and
    beta = ln(1 + epsilon / ln(R / delta)).

    Differs from the paper
    ----------------------
    The thesis shows that this is not pure private, which is right, and concludes that smooth sensitivity cannot be used
    here, which is too strong. Exponents are rounded to the lattice.

    Numerics
    --------
    Drawn exactly by integer weights and certified coins.

    Cost
    ----
    O(n) without random bits per candidate.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.sensitivity import Step
    >>> frame = dampen.Frame(("tea", "coffee"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.SelectionProblem(frame, [0, 1], Step([20, 20], bound=1)).as_public()
    >>> np.exp(SmoothExponential(1, "1e-6", indicator=True).log_probabilities(problem)).round(3).tolist()
    [0.022, 0.978]
    >>> picks = SmoothExponential(1, "1e-6").simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 1).sum()) > 500
    True

    References
    ----------
    Chaves, Differentially private selection using smooth sensitivity, 2024, Theorem 7.2. Nissim, Raskhodnikova and
    Smith, Smooth sensitivity and sampling in private data analysis, STOC 2007.
    """

    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number, indicator: bool = False) -> None:
        super().__init__(epsilon)
        positive(delta=delta)
        object.__setattr__(self, "indicator", flag(indicator=indicator))
        object.__setattr__(self, "delta", probability(delta=delta))

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon and delta, for every frame with a finite bound."""
        self._require_usable(frame)
        return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency, unit=frame.unit)

    def alpha(self, frame: Frame) -> Fraction:
        """Half of epsilon for the slide; twice epsilon for indicators, whose swap keeps the normaliser."""
        return self._reduced_epsilon() * (2 if self.indicator else Fraction(1, 2))

    def beta(self, frame: Frame) -> Fraction:
        """What the other half of epsilon (all of it, for indicators) allows for the dilation."""
        share = self._reduced_epsilon() * (1 if self.indicator else Fraction(1, 2))
        delta = self.delta * max(1 - self.epsilon * ROUNDING_SHARE, Fraction(1, 2))

        def value(flint: Any) -> Any:
            tail = (count_candidates(frame.candidates) / ball(flint, delta)).log()
            return (ball(flint, share) / tail).log1p()

        return round_down(value) * (1 - ROUNDING_SHARE)

    def _log_law(self, x: Floats, sizes: Floats) -> Floats:
        return laws.softmax(x, sizes)

    def _draw(self, exponents: Exponents, source: Entropy) -> tuple[int, int]:
        return BucketSampler(exponents).draw(source)
