"""The auditor itself: every pair is judged by its own claim, and nothing that is not a number passes."""

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Frame, Runs, SelectionProblem
from dampen.audit import audit_admissibility, audit_selection
from dampen.audit.pair_audit import concentrated_loss
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip, TopK
from dampen.privacy import PrivacyLoss
from dampen.problem import count_candidates
from dampen.sensitivity import Step
from dampen.vectors import Floats


def two_sizes(x: tuple[int, int]) -> SelectionProblem:
    size, value = x
    frame = Frame(range(size), bound=1, adjacency=Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, [value] + [4 - value] * (size - 1))


def flipped(x: tuple[int, int]) -> list[tuple[int, int]]:
    return [(x[0], 1 - x[1])]


class TooCheapForTwo(Exponential):
    """Claims half of its epsilon when there are two candidates."""

    def privacy(self, frame: Frame) -> PrivacyLoss:
        share = 2 if count_candidates(frame.candidates) == 2 else 1
        return PrivacyLoss(self.epsilon / share, adjacency=frame.adjacency)


@pytest.mark.parametrize("universe", [[(2, 0)], [(2, 0), (3, 0)], [(3, 0), (2, 0)]])
def test_a_breach_is_not_hidden_by_a_later_larger_claim(universe: list[tuple[int, int]]) -> None:
    report = audit_selection(TooCheapForTwo(1), two_sizes, universe, flipped)
    assert report.breaches == ("epsilon",)
    assert report.worst_pair == ((2, 0), (2, 1))
    assert report.claim.epsilon == 0.5


def test_a_law_that_is_not_a_number_is_refused() -> None:
    class Broken(Exponential):
        def _log_law(self, x: Floats, sizes: Floats) -> Floats:
            return np.full(len(x), np.nan)

    with pytest.raises(ParameterError, match="NaN"):
        audit_selection(Broken(1), two_sizes, [(2, 0)], flipped)


def test_admissibility_is_judged_per_candidate_not_per_group() -> None:
    frame = Frame(range(4), bound=1, adjacency=Adjacency.ADD_REMOVE)

    def regrouped(x: int) -> SelectionProblem:
        return SelectionProblem(frame, Runs([9, 0], [1, 3] if x == 0 else [3, 1]))

    report = audit_admissibility(regrouped, [0], lambda x: [1 - x], horizon=2)
    assert not report.passed
    assert report.worst_shortfall == 8


def test_a_floor_above_the_bound_would_break_dampening_and_is_refused() -> None:
    with pytest.raises(ParameterError, match="floor must not exceed the bound"):
        Step([3, 3], bound=1, floor=5)


def test_select_charges_what_it_is_told_even_for_a_top_k() -> None:
    budget = dampen.Budget(epsilon=5)
    with pytest.raises(ParameterError, match="epsilon"):
        dampen.select({"a": 1, "b": 0}, sensitivity=1, epsilon=1, budget=budget, mechanism=TopK(2, PermuteAndFlip(1)))
    assert budget.spent.epsilon == 0


def test_divergences_far_out_are_numbers() -> None:
    """The order that overflows counts, and what is a number is not infinite."""
    far = concentrated_loss(np.array([0.0, -900.0]), np.array([0.0, -800.0]))
    assert far == pytest.approx(700 / 15 / 16)
    near = concentrated_loss(*(np.array([np.log(-np.expm1(x)), x]) for x in (-20.0, -7.0)))
    assert near == pytest.approx(np.log1p(np.exp(6.0)) / 2, rel=1e-3)
