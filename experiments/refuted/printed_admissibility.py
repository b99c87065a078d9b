"""Local dampening with a sensitivity function that is admissible only in the sense that is printed."""

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import LocalDampening
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism

UTILITIES = (*range(273, 302), 401)
"""A path of 30 databases: steps of 1, and of 100 at the end."""


class FirstRung(SensitivityFunction):
    """s(x, t) = LS(x, 0) for every t."""

    def __init__(self, first: Floats) -> None:
        super().__init__(size=len(first), bound=100, floor=1)
        self._first = first

    def at(self, t: int) -> Floats:
        """The first rung, whatever t."""
        return self._first


def path_problem(x: int) -> SelectionProblem:
    """The x-th database of the path: one candidate that moves along it, and one that stays at 0."""
    near = [y for y in (x - 1, x + 1) if 0 <= y < len(UTILITIES)]
    first = max(abs(UTILITIES[x] - UTILITIES[y]) for y in near)
    frame = Frame(("moves", "stays"), bound=100, adjacency=Adjacency.REPLACE)
    return SelectionProblem(frame, [UTILITIES[x], 0], FirstRung(np.array([float(first), 1.0])))


class DampeningAsPrinted(RefutedMechanism):
    """Exponents epsilon D / 2, where D is dampened by a function that need not look at the neighbours.

    Definition 6 asks for s(x, t+1) >= s(x, t) where s(x, t+1) >= s(y, t) for all neighbours y is needed. The local
    sensitivity at distance 0, repeated for ever, satisfies it, and dampened scores of neighbours differ by 297.
    """

    evidence = Evidence(
        kind=Kind.ADMISSIBILITY,
        claim="a function with s(x, 0) >= LS(x, 0) and s(x, t+1) >= s(x, t) is admissible",
        source="Farias et al., VLDB Journal 2023, Definition 6, as printed",
        claimed_epsilon=1,
        problem_of=path_problem,
        pair=(27, 28),
        horizon=1,
    )

    def __init__(self, epsilon: int) -> None:
        self.epsilon = epsilon

    @classmethod
    def as_claimed(cls) -> "DampeningAsPrinted":
        """With epsilon = 1."""
        return cls(1)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law of local dampening."""
        problem.require_public("log_probabilities")
        return np.asarray(LocalDampening(self.epsilon).log_probabilities(problem))
