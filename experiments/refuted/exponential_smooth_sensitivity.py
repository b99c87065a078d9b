"""The exponential mechanism with smooth sensitivity in place of the global one, used as if it were pure."""

from fractions import Fraction

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.sensitivity import RungTable
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism

HORIZON = 40
"""The public number of rows of the step function; beyond it the sensitivity is 1."""


def winner_problem(votes: tuple[int, ...]) -> SelectionProblem:
    """Utility 1 for the candidate with the most votes (the first of equals), 0 for the others.

    The winner w changes after k = min over s != w of (n_w - n_s + [s > w]) added or removed votes, so the local
    sensitivity at distance t is 1 from t = k - 1 on and 0 before.
    """
    winner = int(np.argmax(votes))
    steps = min(votes[winner] - n + (s > winner) for s, n in enumerate(votes) if s != winner)
    rows = [[float(t >= steps - 1)] * len(votes) for t in range(HORIZON)]
    frame = Frame(tuple(f"C{place}" for place in range(1, len(votes) + 1)), bound=1, adjacency=Adjacency.ADD_REMOVE)
    utilities = [int(place == winner) for place in range(len(votes))]
    return SelectionProblem(frame, utilities, RungTable(rows, bound=1))


class ExponentialWithSmoothSensitivity(RefutedMechanism):
    """P[r] proportional to exp(epsilon u_r / (2 S)), S = max over t of exp(-beta t) s(t), the smooth sensitivity.

    The rate now depends on the data, and neighbours' rates differ by the factor exp(beta): the loss grows without limit
    with the lead of the winner. (With a smaller beta it is private with a delta.)
    """

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="epsilon-differentially private",
        source="Chaves 2024, Theorem 7.2, which refutes it: votes 22, 8, 17, 4, 0 and one more for the third candidate",
        claimed_epsilon=0.5,
        problem_of=winner_problem,
        pair=((22, 8, 17, 4, 0), (22, 8, 18, 4, 0)),
    )

    def __init__(self, epsilon: Fraction, beta: Fraction) -> None:
        self.epsilon, self.beta = epsilon, beta

    @classmethod
    def as_claimed(cls) -> "ExponentialWithSmoothSensitivity":
        """With epsilon = beta = 1/2."""
        return cls(Fraction(1, 2), Fraction(1, 2))

    def smooth_sensitivity(self, problem: SelectionProblem) -> float:
        """The largest exp(-beta t) s(t); beyond the last row s is the bound and exp(-beta t) only falls."""
        last = problem.sensitivity.horizon or 0
        return max(float(np.exp(-float(self.beta) * t) * problem.sensitivity.at(t).max()) for t in range(last + 1))

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law as published."""
        problem.require_public("log_probabilities")
        exponents = float(self.epsilon) * np.asarray(problem.utilities) / (2 * self.smooth_sensitivity(problem))
        return np.asarray(exponents - np.log(np.exp(exponents).sum()))
