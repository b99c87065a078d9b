"""The 0/1 percentile with the thesis's distance: 2 j + 1 steps, j the shorter side of the ties."""

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import StableArgmax
from dampen.sensitivity import Step
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism

GRID = range(4)
Records = tuple[int, ...]


def printed_start(x: Records, p: int) -> int:
    """2 j + 1, where the percentile has j ties on its shorter side."""
    ordered = sorted(x)
    rank = min(len(x) - 1, p * len(x) // 100)
    left = sum(value == ordered[rank] for value in ordered[:rank])
    right = sum(value == ordered[rank] for value in ordered[rank + 1 :])
    return 2 * min(left, right) + 1


def lemma_5_3_problem(x: Records) -> SelectionProblem:
    """Utility 1 for the median of the records; the sensitivity of every value is 1 from t = 2 j + 1 on."""
    frame = Frame(GRID, bound=1, adjacency=Adjacency.ADD_REMOVE)
    utilities = [int(value == sorted(x)[len(x) // 2]) for value in GRID]
    return SelectionProblem(frame, utilities, Step([printed_start(x, 50)] * len(GRID), bound=1))


class StableArgmaxByLemma53(RefutedMechanism):
    """The best law that knows only the winner and its distance, with the distance of the thesis.

    One record more makes 1 the median of (0, 1, 2, 2), so the sensitivity at distance 0 is 1, where 2 j + 1 = 1 says 0.
    ``dampen.queries.percentile_hit_problem`` has the exact distance.
    """

    evidence = Evidence(
        kind=Kind.ADMISSIBILITY,
        claim="the local sensitivity of the 0/1 percentile is 0 before t = 2 j + 1",
        source="Chaves 2024, Lemmas 5.3 and 5.4: the median of 0, 1, 2, 2 on the grid 0..3, and one more 0",
        claimed_epsilon=1,
        problem_of=lemma_5_3_problem,
        pair=((0, 1, 2, 2), (0, 0, 1, 2, 2)),
        horizon=3,
    )

    def __init__(self, epsilon: int) -> None:
        self.epsilon = epsilon

    @classmethod
    def as_claimed(cls) -> "StableArgmaxByLemma53":
        """With epsilon = 1."""
        return cls(1)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law of StableArgmax."""
        problem.require_public("log_probabilities")
        return np.asarray(StableArgmax(self.epsilon).log_probabilities(problem))
