"""Noise of Cauchy's type scaled by smooth sensitivity: pure differential privacy."""

from dataclasses import dataclass
from fractions import Fraction

from dampen._validate import Number, exact, render
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.heavy_noises import RoundedBell
from dampen.mechanisms.numeric.rungs import check_epsilon
from dampen.mechanisms.numeric.smooth_noise import SmoothNoiseMechanism

SMALLEST_GAMMA, LARGEST_GAMMA = 2, 16


@dataclass(frozen=True, init=False, repr=False)
class SmoothCauchy(SmoothNoiseMechanism):
    """The value plus noise of density proportional to 1 / (1 + |z|^gamma), scaled by the smooth sensitivity.

    Definition
    ----------
    value + K on the frame's grid, K = S / alpha * Z rounded: S is the largest exp(-beta t) L_t over the rungs, with the
    reach beyond the T rungs that are read, and half of epsilon pays for each of the two,

        beta = epsilon / (2 (gamma - 1)),    alpha = epsilon / (2 (gamma - 1)^((gamma - 1) / gamma)).

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/smooth_cauchy.md), for gamma from 2 to 16. The mean size of the noise is
    finite above gamma = 2, its variance above 3. ``gamma`` is public and must not be chosen from the data.

    Differs from the paper
    ----------------------
    The paper takes alpha = beta = epsilon / (2 (gamma + 1)). At gamma = 2 the exact condition gives a third of that
    noise.

    Numerics
    --------
    S is computed in floats, with alpha and beta lowered by a public share of at least 1e-9, which pays for their
    rounding. The scale is then a fraction, and K is drawn exactly, by certified bounds of an incomplete beta function.

    Cost
    ----
    O(T), T = max(25, ln(reach) + 16) / beta rungs and at most 65536; drawing evaluates some dozens of beta functions.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=30, adjacency=dampen.Adjacency.EDGE)
    >>> ladder = dampen.sensitivity.RungTable([[7], [15], [27], [30]], bound=30)
    >>> problem = dampen.NumericProblem(frame, 100, ladder).as_public()
    >>> round(SmoothCauchy(epsilon=5).expected_absolute_noise(problem), 2)
    4.51
    >>> drawn = SmoothCauchy(epsilon=5).simulate(problem, np.random.default_rng(0), size=10_000)
    >>> bool(abs(np.median(drawn) - 100) < 1)
    True

    References
    ----------
    Nissim, Raskhodnikova and Smith, Smooth sensitivity and sampling in private data analysis, STOC 2007.
    """

    gamma: Fraction

    def __init__(self, epsilon: Number, gamma: Number = 4) -> None:
        super().__init__(epsilon)
        check_epsilon(self.epsilon)
        power = exact(gamma=gamma)
        if not SMALLEST_GAMMA <= power <= LARGEST_GAMMA:
            raise ParameterError(f"gamma must lie between {SMALLEST_GAMMA} and {LARGEST_GAMMA}; got {render(gamma)}")
        object.__setattr__(self, "gamma", power)

    @property
    def alpha(self) -> float:
        """Epsilon / (2 (gamma - 1)^((gamma - 1) / gamma))."""
        gamma = float(self.gamma)
        return float(float(self.epsilon) / (2 * (gamma - 1) ** ((gamma - 1) / gamma)))

    @property
    def beta(self) -> float:
        """Epsilon / (2 (gamma - 1))."""
        return float(self.epsilon / (2 * (self.gamma - 1)))

    def _noise(self, scale: Fraction) -> RoundedBell:
        return RoundedBell(scale, self.gamma, Fraction(1), Fraction(1))
