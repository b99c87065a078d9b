"""Laplace noise from smooth sensitivity at ln(1 / delta), at an epsilon where that is too little."""

from fractions import Fraction
from math import exp, log

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.sensitivity import RungTable
from experiments.refuted.numbers import NumericEvidence, RefutedNoise

EPSILON, DELTA = 15, 1e-6
GROWTH = Fraction(exp(EPSILON / (2 * log(1 / DELTA))))
"""How far two neighbours' smooth sensitivities may be apart."""


def problem_of(x: int) -> NumericProblem:
    """Two data sets: 0 has local sensitivity 1 and a neighbour, 1, with as much more as smoothness allows."""
    frame = NumericFrame(GROWTH, Adjacency.REPLACE, resolution="1e-6")
    return NumericProblem(frame, x, RungTable([[float(GROWTH) if x else 1.0]], bound=GROWTH))


class SmoothLaplaceBeyondItsRange(RefutedNoise):
    """Scale 2 S / epsilon, S the largest exp(-beta t) s(t), beta = epsilon / (2 ln(1 / delta)), for every epsilon.

    True for delta = 1e-6 up to epsilon = 11.2 only. ``dampen.mechanisms.SmoothLaplace`` has ln(2 / delta) and an end.
    """

    evidence = NumericEvidence(
        claim="(epsilon, delta)-differentially private for every epsilon",
        source="Canard, Olivier and Quertier, PST 2017, on smooth sensitivity as a case of Theorem 8: epsilon = 15",
        claimed_epsilon=EPSILON,
        claimed_delta=DELTA,
        problem_of=problem_of,
        pair=(0, 1),
    )

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.beta = epsilon, epsilon / (2 * log(1 / delta))

    @classmethod
    def as_claimed(cls) -> "SmoothLaplaceBeyondItsRange":
        """With epsilon = 15 and delta = 1e-6."""
        return cls(EPSILON, DELTA)

    def scale_of(self, problem: NumericProblem) -> float:
        """From the first rung and, one step further, the bound."""
        first, bound = float(problem.sensitivity.at(0)[0]), float(problem.frame.bound)
        return 2 * max(first, bound * exp(-self.beta)) / self.epsilon
