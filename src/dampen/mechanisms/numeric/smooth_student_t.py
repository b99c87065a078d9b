"""Student's t noise scaled by smooth sensitivity: pure differential privacy."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from dampen._validate import Number, render, whole
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.heavy_noises import RoundedBell
from dampen.mechanisms.numeric.rungs import check_epsilon
from dampen.mechanisms.numeric.smooth_noise import SmoothNoiseMechanism

LARGEST_DOF = 64


@dataclass(frozen=True, init=False, repr=False)
class SmoothStudentT(SmoothNoiseMechanism):
    """The value plus Student's t noise with ``dof`` degrees of freedom, scaled by the smooth sensitivity.

    Definition
    ----------
    value + K on the frame's grid, K = S / alpha * Z rounded, Z of density proportional to (1 + z^2 / d)^(-(d + 1) / 2):
    S is the largest exp(-beta t) L_t over the rungs, with the reach beyond the T rungs that are read, and half of
    epsilon pays for each of the two,

        beta = epsilon / (2 d),    alpha = epsilon sqrt(d) / (d + 1).

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/smooth_student_t.md), for whole dof from 1 to 64. The mean size of the
    noise is finite from dof = 2 on, its variance from 3 on. ``dof`` is public and must not be chosen from the data.

    Differs from the paper
    ----------------------
    The paper charges (dof + 1) beta for the change of scale; dof beta is enough, and tight.

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
    >>> round(SmoothStudentT(epsilon=5).expected_absolute_noise(problem), 2)
    3.56
    >>> drawn = SmoothStudentT(epsilon=5).simulate(problem, np.random.default_rng(0), size=10_000)
    >>> bool(abs(np.median(drawn) - 100) < 1)
    True

    References
    ----------
    Bun and Steinke, Average-case averages: private algorithms for smooth sensitivity and mean estimation, 2019. Nissim,
    Raskhodnikova and Smith, Smooth sensitivity and sampling in private data analysis, STOC 2007.
    """

    dof: int

    def __init__(self, epsilon: Number, dof: int = 3) -> None:
        super().__init__(epsilon)
        check_epsilon(self.epsilon)
        if whole(dof=dof, least=1) > LARGEST_DOF:
            raise ParameterError(f"dof must be at most {LARGEST_DOF}; got {render(dof)}")
        object.__setattr__(self, "dof", int(dof))

    @property
    def alpha(self) -> float:
        """Epsilon sqrt(dof) / (dof + 1)."""
        return float(self.epsilon) * sqrt(self.dof) / (self.dof + 1)

    @property
    def beta(self) -> float:
        """Epsilon / (2 dof)."""
        return float(self.epsilon / (2 * self.dof))

    def _noise(self, scale: Fraction) -> RoundedBell:
        return RoundedBell(scale, Fraction(2), Fraction(self.dof), Fraction(self.dof + 1, 2))
