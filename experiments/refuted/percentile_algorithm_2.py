"""Shifted dampening of percentile selection with the sensitivity of the paper's Algorithm 2."""

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import Exponential, ShiftedLocalDampening
from dampen.queries.order.percentile_label import LabelRungs
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism

TOP, RANK = 2, 7
"""Values lie in [0, TOP]; the median of 12 values is the seventh."""
Values = tuple[int, ...]
Ordered = tuple[tuple[int, int], ...]
"""(value, label), in the order of the values."""


def replaced(x: Ordered, position: int, value: int) -> Ordered:
    """CopyAndReplace: the element at a position gets a value; ordered again."""
    return tuple(sorted((value if place == position else old, label) for place, (old, label) in enumerate(x)))


def candidates(x: Ordered, t: int, r: int) -> list[Ordered]:
    """Algorithm 2: the databases at distance t that are said to hold the largest sensitivity of label r."""
    if t == 0:
        return [x]
    if t == 1:
        own = next(place for place, (_, label) in enumerate(x) if label == r)
        firsts = [replaced(x, own, TOP), x, replaced(x, own, 0), x]
        return [*firsts, replaced(x, RANK - 1, TOP), replaced(x, RANK - 1, 0)]
    values = (0, TOP, 0, TOP, 0, TOP)
    return [replaced(y, RANK - 1, value) for y, value in zip(candidates(x, t - 1, r), values, strict=True)]


def first_rung(x: Ordered, r: int) -> float:
    """The exact local sensitivity of label r at distance 0."""
    by_label = [value for _, value in sorted((label, value) for value, label in x)]
    return float(LabelRungs(np.array(by_label), RANK, TOP).at(0)[r])


class PrintedRungs(SensitivityFunction):
    """The rungs of Lemma 11 for t < n, then the bound. They are not even non-decreasing in t."""

    def __init__(self, rows: list[list[float]]) -> None:
        super().__init__(size=len(rows[0]), bound=TOP, horizon=len(rows))
        self._rows = np.array(rows)

    def at(self, t: int) -> Floats:
        """As printed."""
        return np.asarray(self._rows[t]) if t < len(self._rows) else np.full(self.size, float(TOP))


def algorithm_2_problem(x: Values) -> SelectionProblem:
    """Utility -abs(x_(k) - x_r) of label r; its rung at t is the largest first rung of the candidates (Lemma 11)."""
    ordered = tuple(sorted((value, label) for label, value in enumerate(x)))
    labels = range(len(x))
    rows = [[max(first_rung(y, r) for y in candidates(ordered, t, r)) for r in labels] for t in range(len(x))]
    frame = Frame(labels, bound=TOP, adjacency=Adjacency.REPLACE)
    utilities = [-abs(ordered[RANK - 1][0] - value) for value in x]
    return SelectionProblem(frame, utilities, PrintedRungs(rows))


class DampeningByAlgorithm2(RefutedMechanism):
    """Shifted dampening, summed up to t = n. The six candidate databases miss the worst one, so rungs are too small.

    ``dampen.queries.percentile_label_problem`` has the exact rungs.
    """

    evidence = Evidence(
        kind=Kind.LOSS,
        claim="shifted local dampening with the sensitivity of Algorithm 2 is epsilon-differentially private",
        source="Farias et al., VLDB Journal 2023, Lemma 11 and Algorithm 2: 12 values, one label moves from 1 to 2",
        claimed_epsilon=1,
        problem_of=algorithm_2_problem,
        pair=((1,) * 5 + (2,) * 7, (1,) * 4 + (2,) * 8),
    )

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    @classmethod
    def as_claimed(cls) -> "DampeningByAlgorithm2":
        """With epsilon = 1."""
        return cls(1)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law of shifted dampening, exponential as in the paper."""
        problem.require_public("log_probabilities")
        horizon = problem.sensitivity.horizon or 0
        return np.asarray(ShiftedLocalDampening(self.epsilon, horizon, law=Exponential).log_probabilities(problem))
