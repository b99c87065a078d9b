"""Draws of the instance-based mechanisms against exact laws; a law that is 30 % wrong must be rejected.

That a release is what is drawn, once it is paid for, is for the contracts to say.
"""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from dampen import Adjacency, Frame, SelectionProblem
from dampen.entropy import system_entropy
from dampen.mechanisms import (
    Exponential,
    LocalDampening,
    PairwiseDampening,
    ParetoNoisyMax,
    SelectionMechanism,
    ShiftedLocalDampening,
    SmoothExponential,
    StableArgmax,
    TopK,
)
from dampen.sensitivity import RungTable, Step
from dampen.vectors import Floats

ALPHA = 1e-6
DRAWS = 4_800
"""Enough that a law 30 % wrong is missed with probability below 1e-7 in every case."""
FRAME = Frame(range(4), bound=4, adjacency=Adjacency.ADD_REMOVE)
GENERAL = SelectionProblem(FRAME, [5.5, 4.0, 2.0, 0.0], RungTable([[1, 2, 1, 0.5], [2, 2, 2, 3]], bound=4))
SHARP = SelectionProblem(FRAME, [4, 3, 1, 0], RungTable([[0.5, 1, 1, 0.5]] * 9, bound=4))
INDICATOR = SelectionProblem(
    Frame(range(4), bound=1, adjacency=Adjacency.ADD_REMOVE), [0, 1, 0, 0], Step([2, 2, 2, 2], bound=1)
)
CASES: list[tuple[SelectionMechanism, SelectionProblem]] = [
    (LocalDampening(1, shift=3), GENERAL),
    (ShiftedLocalDampening(1, 2, "down", law=Exponential), GENERAL),
    (PairwiseDampening(1), GENERAL),
    (PairwiseDampening(1, "clipped", law=Exponential), SHARP),
    (StableArgmax("1/2"), INDICATOR),
    (ParetoNoisyMax(1, nu=2), SHARP),
    (ParetoNoisyMax(1, indicator=True), INDICATOR),
    (SmoothExponential(1, "1e-6"), SHARP),
    (TopK(2, LocalDampening("1/2")), GENERAL),
    (TopK(2, PairwiseDampening("1/2", law=Exponential)), GENERAL),
]


def p_value(counts: Floats, law: Floats) -> float:
    expected = law / law.sum() * counts.sum()
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), df=len(law) - 1))


@pytest.mark.parametrize(("mechanism", "problem"), CASES, ids=lambda value: repr(value)[:60])
def test_releases_follow_their_law_and_not_a_wrong_one(
    mechanism: SelectionMechanism, problem: SelectionProblem
) -> None:
    outcomes = {outcome: place for place, outcome in enumerate(mechanism.outcomes(problem.frame))}
    law = np.exp(np.asarray(mechanism.log_probabilities(problem)))
    source = system_entropy()
    drawn: list[Any] = [mechanism.draw(problem, source) for _ in range(DRAWS)]  # candidates are their own indices
    counts = np.bincount([outcomes[each] for each in drawn], minlength=len(law)).astype(np.float64)
    assert p_value(counts, law) > ALPHA
    wrong = law.copy()
    likely = np.argsort(-law)[: max(1, len(law) // 4)]
    wrong[likely] *= 0.7
    assert p_value(counts, wrong) < ALPHA
