"""``dampen.top_k`` and the default of ``dampen.select`` for sensitivity functions."""

from fractions import Fraction

import pytest

import dampen
from dampen import Budget
from dampen.errors import DampenError, ParameterError
from dampen.mechanisms import Exponential, PairwiseDampening, PermuteAndFlip, ReportNoisyMax, StableArgmax
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
    for kind in (PairwiseDampening, PermuteAndFlip):
        release = kind.release

        def recording(self, *args, _release=release, **kwargs):  # type: ignore[no-untyped-def]
            used.append(type(self).__name__)
            return _release(self, *args, **kwargs)

        monkeypatch.setattr(kind, "release", recording)
    rows, budget = RungTable([[1, 1, 2, 2]], bound=5), Budget(epsilon=3)
    dampen.select(VOTES, sensitivity=rows, monotone=monotone, epsilon=1, budget=budget)
    dampen.select(VOTES, sensitivity=Constant(1, size=4), monotone=monotone, epsilon=1, budget=budget)
    dampen.select(VOTES, sensitivity=1, monotone=monotone, epsilon=1, budget=budget)
    assert used == ["PairwiseDampening", "PermuteAndFlip", "PermuteAndFlip"]
