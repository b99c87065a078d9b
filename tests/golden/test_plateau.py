"""Dampening resolved upwards on plateaus, as in the authors' code: private, and no better than the plain mechanism.

Theory: smooth_noisy_max.md, section 6 (the winner gets t0 + 1, the losers t0), and selection.md A1 (all conventions
have sensitivity 1).
"""

import numpy as np
import pytest

from dampen import SelectionProblem
from dampen.mechanisms import Exponential, LocalDampening
from experiments.plateau_upwards import PlateauUpwards
from tests.audit.universes.winners import winner_problem, winners


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("votes", [0, 1, 5, 50])
def test_it_is_the_plain_exponential_mechanism_on_utilities_of_0_and_1(votes: int, epsilon: str) -> None:
    whole = winner_problem((1,) * votes, 3, own_steps=False)
    problem = SelectionProblem(whole.frame, whole.groups.astype(np.float64), whole.sensitivity).as_public()
    upwards = PlateauUpwards(epsilon, Exponential)
    first = max(votes - 1, 0)
    assert np.asarray(upwards.scores(problem)).tolist() == [first + int(winner) for winner in whole.groups]
    plain = Exponential(epsilon).log_probabilities(problem)
    np.testing.assert_allclose(upwards.log_probabilities(problem), plain, rtol=0, atol=1e-12)


def test_resolved_to_zero_the_winner_gains_with_its_lead() -> None:
    problem = winner_problem((1,) * 50, 3, own_steps=False).as_public()
    upwards, shipped = (
        np.exp(kind(1, Exponential).log_probabilities(problem)) for kind in (PlateauUpwards, LocalDampening)
    )
    assert upwards[1] == pytest.approx(np.exp(0.5) / (np.exp(0.5) + 2), abs=1e-5)
    assert shipped[1] > 0.999


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_it_is_private(epsilon: str) -> None:
    assert winners(labels=3, largest=6).audit(PlateauUpwards(epsilon)).passed
