"""The worked examples of the local dampening paper (VLDB Journal 2023), where theory confirms them.

Section 3.4 (Example 5), 3.6.1 (Example 6) and 4.3 (Examples 7 and 8); the corrected figures of Example 8 and the limit
of shifting with per-candidate bounds are those of selection.md A4 and A2. All with the exponential law, as in the
paper. The graph has two hubs of egocentric betweenness 6.5 and six nodes of 0.
"""

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import (
    Exponential,
    LocalDampening,
    PairwiseDampening,
    PermuteAndFlip,
    SelectionMechanism,
    ShiftedLocalDampening,
)
from dampen.sensitivity import SensitivityFunction, Table
from dampen.vectors import Floats

HUBS, LEAVES = 2, 6
UTILITIES = [6.5] * HUBS + [0.0] * LEAVES
GLOBAL = "7.5"
"""The global sensitivity that the paper gives for graphs of this size (Example 2)."""


def posed(utilities: list[float], rungs: SensitivityFunction) -> SelectionProblem:
    frame = Frame(range(len(utilities)), rungs.bound, Adjacency.EDGE)
    return SelectionProblem(frame, utilities, rungs)


def law(mechanism: SelectionMechanism, problem: SelectionProblem) -> Floats:
    return np.exp(np.asarray(mechanism.log_probabilities(problem), dtype=np.float64))


def test_example_5_local_dampening_with_flat_local_sensitivity() -> None:
    problem = posed(UTILITIES, Table([[3] * 8, [5] * 8], bound=GLOBAL))
    mechanism = LocalDampening(2, law=Exponential)
    assert np.asarray(mechanism.scores(problem)) == pytest.approx([1.7] * HUBS + [0] * LEAVES)
    chances = law(mechanism, problem)
    assert chances[0] == pytest.approx(0.32, abs=0.005)
    assert chances[-1] == pytest.approx(0.06, abs=0.005)


def test_example_6_the_exponential_mechanism() -> None:
    frame = Frame(range(8), GLOBAL, Adjacency.EDGE)
    chances = law(Exponential(2), SelectionProblem(frame, UTILITIES))
    assert chances[0] == pytest.approx(0.22, abs=0.005)
    assert chances[-1] == pytest.approx(0.09, abs=0.005)


def test_example_7_inversion_and_none_with_pairs() -> None:
    problem = posed([3.0, 4.0], Table([[1, 4], [2, 4]], bound=4))
    assert np.asarray(LocalDampening(1).scores(problem)).tolist() == [2, 1]
    pairwise = np.asarray(PairwiseDampening(1).scores(problem))
    assert pairwise.tolist() == [-0.2, 0.2]
    for kind in (Exponential, PermuteAndFlip):
        inverted, right = (law(make(1, law=kind), problem) for make in (LocalDampening, PairwiseDampening))
        assert inverted[0] > inverted[1]
        assert right[1] > right[0]
    assert law(PairwiseDampening(1000), problem)[1] == pytest.approx(1, abs=1e-12)
    assert law(LocalDampening(1000), problem)[1] == pytest.approx(0, abs=1e-12)


def test_example_8_corrected() -> None:
    """Printed: a score of 0.1 and 0.472 / 0.0046. The score of -0.5 with a first rung of 3 is -1/6."""
    rungs = Table([[3] * HUBS + [2] * LEAVES, [5] * 8], bound=GLOBAL)
    mechanism = LocalDampening(2, law=Exponential, shift=7)
    assert np.asarray(mechanism.scores(posed(UTILITIES, rungs))) == pytest.approx([-1 / 6] * HUBS + [-2] * LEAVES)
    chances = law(mechanism, posed(UTILITIES, rungs))
    assert chances[0] == pytest.approx(0.338, abs=0.0005)
    assert chances[-1] == pytest.approx(0.054, abs=0.0005)


class OwnBounds(SensitivityFunction):
    """Rungs of 2 and 1 for ever: each candidate has a bound of its own, and none is common."""

    def __init__(self) -> None:
        super().__init__(size=2, bound=None, floor=1)

    def at(self, t: int) -> Floats:
        return np.array([2.0, 1.0])


@pytest.mark.parametrize(("shift", "chance"), [(10, 0.993), (100, 4e-18)])
def test_shifting_with_per_candidate_bounds_goes_astray(shift: int, chance: float) -> None:
    """selection.md A2: utilities 2 and 11; the more the scores are shifted, the less the best is chosen.

    The theory gives the utilities and the two chances, not the model. Constant rungs of 2 (worse) and 1 (better) at
    epsilon 2 give both, here by local dampening at a public level with no common bound at all.
    """
    mechanism = LocalDampening(2, law=Exponential, shift=shift)
    best = law(mechanism, posed([2.0, 11.0], OwnBounds()))[1]
    assert best == pytest.approx(chance, rel=0.1 if chance < 1e-9 else 0.001)


@pytest.mark.parametrize("horizon", [0, 1, 3])
def test_the_closed_form_forces_the_common_bound_from_a_public_horizon_on(horizon: int) -> None:
    problem = posed([2.0, 11.0], Table([[2, 1]] * 3, bound=2))
    mechanism = ShiftedLocalDampening(2, horizon=horizon, law=Exponential)
    assert np.asarray(mechanism.scores(problem)).tolist() == [-9, -horizon]
    assert law(mechanism, problem)[1] == pytest.approx(1 / (1 + np.exp(-(9 - horizon) / 2)), abs=1e-5)
