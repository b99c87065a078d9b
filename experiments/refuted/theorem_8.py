"""Instance-based Laplace noise by two conditions per data set, as published: each with a free parameter of its own."""

from math import log, sqrt

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.sensitivity import RungTable
from experiments.refuted.numbers import NumericEvidence, RefutedNoise


class NoiseByTheorem8(RefutedNoise):
    """Two data sets, 1 apart, with rates lambda and lambda / r that meet the conditions with different parameters.

    Required of every data set x and every neighbour y, for some alpha_x in [0, 1]: lambda_x |f(x) - f(y)| <= alpha_x
    epsilon and |1 - lambda_y / lambda_x| <= (1 - alpha_x) epsilon / ln(1 / delta). The proof uses alpha_x where only
    alpha_y is known to serve. With one alpha for both ends of a pair, and delta <= 1/e, the theorem is true.
    """

    evidence = NumericEvidence(
        claim="(epsilon, delta)-differentially private where the two conditions hold",
        source="Canard, Olivier and Quertier, PST 2017, Theorem 8: epsilon = 10 and delta = 1e-5",
        claimed_epsilon=10,
        claimed_delta=1e-5,
        problem_of=lambda x: NumericProblem(NumericFrame(1, Adjacency.REPLACE), x, RungTable([[1]], bound=1)),
        pair=(0, 1),
    )

    def __init__(self, epsilon: float, delta: float) -> None:
        self.epsilon, self.t = epsilon, epsilon / log(1 / delta)
        self.ratio = (self.t + sqrt(self.t**2 + 4)) / 2
        self.alpha = 1 - (1 - 1 / self.ratio) / self.t

    @classmethod
    def as_claimed(cls) -> "NoiseByTheorem8":
        """With epsilon = 10 and delta = 1e-5."""
        return cls(10, 1e-5)

    def scale_of(self, problem: NumericProblem) -> float:
        """The data set of value 0 has the wider noise."""
        rate = self.alpha * self.epsilon
        return (1 if problem.value else self.ratio) / rate

    def slack(self) -> float:
        """By how much the conditions hold at least, over both data sets."""
        wide, narrow = self.alpha * self.epsilon / self.ratio, self.alpha * self.epsilon
        conditions = []
        for rate, other, alpha in ((wide, narrow, self.alpha / self.ratio), (narrow, wide, self.alpha)):
            conditions += [alpha * self.epsilon - rate, (1 - alpha) * self.t - abs(1 - other / rate)]
        return min(conditions)
