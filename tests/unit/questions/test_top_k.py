"""``dampen.top_k`` and the default of ``dampen.select`` for sensitivity functions."""

from fractions import Fraction
from typing import Any

import pytest

import dampen
from dampen import Budget
from dampen.errors import DampenError, ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, StableArgmax
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.sensitivity import Constant, RungTable

VOTES = {"tea": 31, "coffee": 28, "water": 4, "milk": 1}
SURE = 10**6


def test_the_best_come_first_when_epsilon_is_huge() -> None:
    for mechanism in (None, Exponential, PermuteAndFlip):
        best = dampen.top_k(VOTES, 3, sensitivity=1, epsilon=SURE, budget=Budget(epsilon=SURE), mechanism=mechanism)
        assert best == ("tea", "coffee", "water")


def test_epsilon_is_the_price_of_the_whole_answer() -> None:
    budget = Budget(epsilon=1)
    dampen.top_k(VOTES, 3, sensitivity=1, monotone=True, epsilon="1/3", budget=budget)
    assert budget.spent.epsilon == Fraction(1, 3)


def test_candidates_without_a_score_can_be_chosen() -> None:
    chosen = dampen.top_k({"a": 0}, 2, candidates=("a", "b"), sensitivity=1, epsilon=1, budget=Budget(epsilon=1))
    assert set(chosen) == {"a", "b"}


@pytest.mark.parametrize(
    ("k", "mechanism"), [(0, None), (5, None), (1.5, None), (2, StableArgmax), (2, ReportNoisyMax), (2, "no")]
)
def test_refusals_spend_nothing(k: int, mechanism: type[Exponential] | None) -> None:
    budget = Budget(epsilon=1)
    with pytest.raises(DampenError) as refusal:
        dampen.top_k(VOTES, k, sensitivity=1, epsilon=1, budget=budget, mechanism=mechanism)
    assert isinstance(refusal.value, ParameterError)
    assert len(str(refusal.value).splitlines()) == 1
    assert len(str(refusal.value)) < 300
    assert budget.spent.epsilon == 0


@pytest.mark.parametrize("monotone", [False, True])
def test_a_sensitivity_function_makes_pairwise_dampening_the_default(
    monotone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[str] = []
    draw = SingleMechanism.draw

    def recording(self: SingleMechanism, *args: Any) -> int:
        used.append(type(self).__name__)
        return draw(self, *args)

    monkeypatch.setattr(SingleMechanism, "draw", recording)
    rows, budget = RungTable([[1, 1, 2, 2]], bound=5), Budget(epsilon=3)
    for sensitivity in (rows, Constant(1, size=4), 1):
        told = dampen.select(VOTES, sensitivity=sensitivity, monotone=monotone, epsilon=1, budget=budget)
        assert told.mechanism.startswith(used[-1])
    assert used == ["PairwiseDampening", "PermuteAndFlip", "PermuteAndFlip"]
