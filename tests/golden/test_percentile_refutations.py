"""What is wrong with two published sensitivities of percentiles, by number (percentile.md, sections 1.2 and 3)."""

import numpy as np
import pytest

from dampen import Adjacency, SelectionProblem
from dampen.audit import audit_admissibility
from dampen.mechanisms import Exponential, ShiftedLocalDampening, StableArgmax
from dampen.queries import percentile_hit_problem, percentile_label_problem
from experiments.refuted import DampeningByAlgorithm2, StableArgmaxByLemma53
from experiments.refuted.base import measured_admissibility, measured_loss
from experiments.refuted.percentile_lemma_5_3 import printed_start


@pytest.mark.parametrize(("epsilon", "loss"), [(0.1, 1.3016), (1, 1.3805), (2, 1.4306), (5, 1.4732), (50, 1.4973)])
def test_algorithm_2_loses_up_to_half_as_much_again(epsilon: float, loss: float) -> None:
    """The score of the moved label changes by 3 where 1 is claimed, so the loss tends to 1.5 epsilon."""
    evidence = DampeningByAlgorithm2.evidence
    assert measured_loss(DampeningByAlgorithm2(epsilon), evidence) / epsilon == pytest.approx(loss, abs=5e-5)


def test_with_exact_rungs_the_same_pair_is_harmless() -> None:
    before, after = (percentile_label_problem(x, 50, bound=2).as_public() for x in DampeningByAlgorithm2.evidence.pair)
    for horizon in (1, 5, 12):
        mechanism = ShiftedLocalDampening(1, horizon, law=Exponential)
        laws = [np.asarray(mechanism.log_probabilities(problem)) for problem in (before, after)]
        assert np.abs(laws[0] - laws[1]).max() <= 1


def test_lemma_5_3_says_zero_where_one_record_changes_the_median() -> None:
    evidence = StableArgmaxByLemma53.evidence
    report = measured_admissibility(evidence)
    assert (report.worst_condition, report.worst_shortfall) == ("first rung", 1)
    assert measured_loss(StableArgmaxByLemma53.as_claimed(), evidence) == pytest.approx(2.5292, abs=5e-5)
    assert [printed_start((0,) * 100 + (1,) * 20 + (2,) * 3, 90), printed_start((0,) * 50 + (1,) * 100, 75)] == [19, 75]


def test_with_the_exact_distance_the_same_pair_is_admissible() -> None:
    def problem_of(x: tuple[int, ...]) -> SelectionProblem:
        return percentile_hit_problem(x, 50, grid=range(4), adjacency=Adjacency.ADD_REMOVE)

    x, y = StableArgmaxByLemma53.evidence.pair
    assert audit_admissibility(problem_of, (x,), lambda _: (y,), 3).passed
    laws = [np.asarray(StableArgmax(1).log_probabilities(problem_of(z))) for z in (x, y)]
    assert np.abs(laws[0] - laws[1]).max() <= 1 + 1e-9
