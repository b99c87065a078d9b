"""``dampen.select``: scores in, the label out; every refusal leaves the budget whole."""

from collections import Counter
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import dampen
from dampen import Adjacency, Budget, Frame, SelectionProblem
from dampen.errors import BudgetExceeded, DampenError, DataError, ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, SelectionMechanism, StableArgmax
from dampen.privacy import PrivacyLoss
from dampen.questions.record import RECORD, Single
from dampen.sensitivity import Constant, RungTable, SensitivityFunction
from dampen.vectors import Floats

if TYPE_CHECKING:
    from tests.conftest import Refused

HUGE = 10**6
"""An epsilon at which any answer but the best has a probability of exp(-1024)."""
VOTES = {"tea": 31, "coffee": 28, "water": 4}


@pytest.fixture
def budget() -> Budget:
    return Budget(epsilon=HUGE)


def pose_select(scores: Any, **public: Any) -> SelectionProblem:
    posed = RECORD["select"].pose(scores, epsilon=1, **public)
    assert isinstance(posed, Single)
    assert isinstance(posed.problem, SelectionProblem)
    return posed.problem


def choose(scores: Any, budget: Budget, **arguments: Any) -> Any:
    return dampen.select(scores, **{"sensitivity": 1, "epsilon": HUGE, "budget": budget, **arguments})


@pytest.mark.parametrize(
    "scores",
    [
        VOTES,
        Counter(VOTES),
        pd.Series(VOTES),
        pd.Series(VOTES, dtype=float),
        {label: float(score) for label, score in VOTES.items()},
        {label: np.int32(score) for label, score in VOTES.items()},
        {label: np.float32(score) for label, score in VOTES.items()},
        {label: Fraction(score, 7) for label, score in VOTES.items()},
        {"coffee": np.int64(28), "tea": 31, "water": np.uint8(4)},
        {"water": False, "tea": True},
    ],
    ids=["dict", "Counter", "Series", "Series of floats", "floats", "int32", "float32", "fractions", "mixed", "bool"],
)
def test_with_a_huge_epsilon_the_answer_is_the_best_label(scores: Any, budget: Budget) -> None:
    assert choose(scores, budget) == "tea"


def test_the_answer_is_the_label_itself_whatever_its_type(budget: Budget) -> None:
    assert choose({(1, "a"): 3, None: 1}, budget) == (1, "a")


def test_the_price_is_epsilon_once(budget: Budget) -> None:
    choose(VOTES, budget, epsilon="1/3")
    assert budget.spent.epsilon == Fraction(1, 3)
    assert (budget.adjacency, budget.unit) == (Adjacency.ADD_REMOVE, "row")


def test_under_replace_the_budget_is_kept_under_replace(budget: Budget) -> None:
    choose(VOTES, budget, epsilon=1, adjacency=Adjacency.REPLACE)
    assert budget.adjacency is Adjacency.REPLACE
    assert budget.spent.epsilon == 1


class Spy(PermuteAndFlip):
    """Keeps the problems that it is asked to decide."""

    seen: list[SelectionProblem]

    def draw(self, problem: SelectionProblem, source: Any) -> int:
        Spy.seen = [problem]
        return super().draw(problem, source)


def test_the_problem_posed_is_the_one_described(budget: Budget) -> None:
    choose(VOTES, budget, epsilon=1, sensitivity="1/2", monotone=True, mechanism=Spy)
    [problem] = Spy.seen
    frame = problem.frame
    assert (frame.candidates, frame.bound, frame.monotone) == (("tea", "coffee", "water"), Fraction(1, 2), True)
    assert frame.adjacency is Adjacency.ADD_REMOVE
    assert np.asarray(problem.utilities).tolist() == [31, 28, 4]
    assert not problem.public


def test_a_mechanism_for_one_winner_refuses_other_scores_before_payment(refused: "Refused", untouched: Budget) -> None:
    budget = Budget(epsilon=HUGE)
    assert choose({"a": 0, "b": 1}, budget, epsilon=100, mechanism=StableArgmax) == "b"
    with refused(DataError, "utilities must be 0, and 1 for at most one candidate", hidden=("31",)):
        choose(VOTES, untouched, epsilon=1, mechanism=StableArgmax)


def test_monotone_is_not_assumed() -> None:
    assert pose_select(VOTES, sensitivity=1).frame.monotone is False


# Candidates


def test_candidates_without_a_score_count_as_zero_in_the_order_given() -> None:
    problem = pose_select(Counter(a=-3, b=-5), sensitivity=1, candidates=["c", "a", "b"])
    assert problem.frame.candidates == ("c", "a", "b")
    assert np.asarray(problem.utilities).tolist() == [0, -3, -5]
    assert problem.integral


def test_a_candidate_without_a_score_can_win(budget: Budget) -> None:
    assert choose({"a": -3, "b": -5}, budget, candidates=("a", "b", "c")) == "c"
    assert choose({}, Budget(epsilon=HUGE), candidates=["only"]) == "only"


def test_zeros_have_the_type_of_the_other_scores() -> None:
    problem = pose_select({"a": 1.5}, sensitivity=1, candidates=iter(["a", "b"]))
    assert not problem.integral
    assert np.asarray(problem.utilities).tolist() == [1.5, 0.0]


# Mechanisms


@pytest.mark.parametrize(
    "mechanism",
    [
        None,
        PermuteAndFlip,
        Exponential,
        ReportNoisyMax,
        PermuteAndFlip(HUGE),
        ReportNoisyMax(float(HUGE), noise="gumbel"),
        partial(ReportNoisyMax, noise="exponential"),
    ],
    ids=repr,
)
def test_a_mechanism_is_a_class_an_instance_or_nothing(mechanism: Any, budget: Budget) -> None:
    assert choose(VOTES, budget, mechanism=mechanism) == "tea"
    assert budget.spent.epsilon == HUGE


def test_permute_and_flip_is_the_default(monkeypatch: pytest.MonkeyPatch, budget: Budget) -> None:
    monkeypatch.setattr(PermuteAndFlip, "_draw", lambda self, exponents, source: (2, 0))
    assert choose(VOTES, budget) == "water"


# Sensitivity functions


def test_a_sensitivity_function_brings_its_bound_and_goes_into_the_problem() -> None:
    table = RungTable([[1, 1, 1]], bound=10)
    problem = pose_select(VOTES, sensitivity=table)
    assert problem.sensitivity is table
    assert problem.frame.bound == 10


def test_a_sensitivity_function_is_taken_as_it_is(budget: Budget) -> None:
    assert choose(VOTES, budget, sensitivity=Constant(2, size=3)) == "tea"
    assert choose(VOTES, Budget(epsilon=HUGE), sensitivity=RungTable([[1, 2, 3]], bound=4)) == "tea"


class Unbounded(SensitivityFunction):
    """A sensitivity function without a finite bound."""

    def __init__(self, size: int) -> None:
        super().__init__(size=size, bound=None, floor=1)

    def at(self, t: int) -> Floats:
        return np.full(self.size, float(t))


# Refusals


def described(parameter: object) -> str | None:
    """A case by the arguments that it changes."""
    if not isinstance(parameter, dict):
        return None
    return ", ".join(f"{name}={' '.join(str(value).split())[:24]}" for name, value in parameter.items())


@pytest.mark.parametrize(
    ("changed", "error", "shown"),
    [
        ({"scores": {}}, DataError, "scores must not be empty"),
        ({"scores": {}, "candidates": []}, ParameterError, "candidates must not be empty"),
        ({"scores": [("a", 1)]}, ParameterError, "scores must be a mapping or a Series"),
        ({"scores": None}, ParameterError, "scores must be a mapping or a Series"),
        ({"scores": {"secret": 987654, "b": 2.5}}, DataError, "all whole numbers or all floats"),
        ({"scores": {"secret": 987654, "b": np.float64(1)}}, DataError, "all whole numbers or all floats"),
        ({"scores": {"secret": "987654"}}, DataError, "scores must be numbers"),
        ({"scores": {"secret": None}}, DataError, "scores must be numbers"),
        ({"scores": {"secret": 1j}}, DataError, "scores must be numbers"),
        ({"scores": {"secret": float("nan"), "b": 987654.0}}, DataError, "finite"),
        ({"scores": {"secret": float("inf"), "b": 987654.0}}, DataError, "finite"),
        ({"scores": pd.Series([1.0, None], index=["secret", "b"])}, DataError, "finite"),
        ({"scores": {"secret": 2**62 + 987654, "b": 1}}, DataError, "2**62"),
        ({"scores": {"secret": 2**70, "b": 1}}, DataError, "utilities"),
        ({"scores": pd.Series([987654, 2], index=["secret", "secret"])}, DataError, "each label once"),
        (
            {"scores": pd.Series([987654, 2], index=["secret", "secret"]), "candidates": ["secret", "b"]},
            DataError,
            "each label once",
        ),
        ({"scores": {"secret": 987654}, "candidates": ["a", "b"]}, DataError, "among the candidates"),
        ({"candidates": ["tea", "coffee", "water", "tea"]}, ParameterError, "distinct"),
        ({"candidates": 5}, ParameterError, "candidates"),
        ({"candidates": [["tea"], ["coffee"], ["water"]]}, DampenError, "candidates"),
        ({"sensitivity": 0}, ParameterError, "sensitivity must be positive; got 0"),
        ({"sensitivity": -1}, ParameterError, "sensitivity must be positive; got -1"),
        ({"sensitivity": float("nan")}, ParameterError, "sensitivity"),
        ({"sensitivity": True}, ParameterError, "sensitivity"),
        ({"sensitivity": None}, ParameterError, "sensitivity"),
        ({"sensitivity": Constant(1, size=2)}, ParameterError, "3 candidates"),
        ({"sensitivity": Unbounded(3), "mechanism": PermuteAndFlip}, ParameterError, "bound=None"),
        ({"epsilon": 0}, ParameterError, "epsilon must be positive; got 0"),
        ({"epsilon": -0.5}, ParameterError, "epsilon must be positive; got -0.5"),
        ({"epsilon": "abc"}, ParameterError, "epsilon"),
        ({"epsilon": float("inf")}, ParameterError, "epsilon"),
        ({"epsilon": 0, "mechanism": Exponential}, ParameterError, "epsilon"),
        ({"epsilon": 11}, BudgetExceeded, "asked epsilon 11; spent epsilon 0; limit epsilon 10"),
        ({"mechanism": PermuteAndFlip(2)}, ParameterError, "epsilon must be the mechanism's own, 2; got 1"),
        ({"mechanism": PermuteAndFlip(2), "epsilon": "1\n"}, ParameterError, "epsilon"),
        ({"mechanism": "permute-and-flip"}, ParameterError, "mechanism"),
        ({"mechanism": 5}, ParameterError, "mechanism"),
        ({"mechanism": str}, ParameterError, "mechanism"),
        ({"mechanism": Budget}, ParameterError, "mechanism"),
        ({"mechanism": int, "epsilon": "1/2"}, ParameterError, "mechanism"),
        ({"mechanism": SelectionMechanism}, ParameterError, "mechanism"),
        ({"monotone": True, "adjacency": Adjacency.REPLACE}, ParameterError, "monotone must be False under REPLACE"),
        ({"adjacency": "replace"}, ParameterError, "adjacency"),
    ],
    ids=described,
)
def test_refusals_are_one_line_without_data_and_spend_nothing(
    changed: dict[str, Any], error: type[DampenError], shown: str, untouched: Budget, refused: "Refused"
) -> None:
    arguments = {"scores": VOTES, "sensitivity": 1, "epsilon": 1, "budget": untouched, **changed}
    scores = arguments.pop("scores")
    with refused(error, shown, hidden=("secret", "987654")):
        dampen.select(scores, **arguments)


@pytest.mark.parametrize("budget", [None, 1, "1/2"])
def test_somebody_must_pay(budget: Any, refused: "Refused") -> None:
    with refused(ParameterError, "budget", type(budget).__name__):
        dampen.select(VOTES, sensitivity=1, epsilon=1, budget=budget)


def test_epsilon_sensitivity_and_budget_have_no_default(budget: Budget) -> None:
    """Epsilon may be left out where rho stands in its place."""
    for missing in ("epsilon", "sensitivity", "budget"):
        arguments: dict[str, Any] = {"epsilon": 1, "sensitivity": 1, "budget": budget}
        del arguments[missing]
        with pytest.raises(ParameterError if missing == "epsilon" else TypeError, match=missing):
            dampen.select(VOTES, **arguments)


def test_the_first_example_of_the_library_runs() -> None:
    budget = dampen.Budget(epsilon=2)
    frame = dampen.Frame(candidates=("a", "b", "c"), bound=10, adjacency=dampen.Adjacency.ADD_REMOVE)
    table = RungTable([[1, 1, 1], [2, 2, 2]], bound=10)
    problem = dampen.SelectionProblem(frame, utilities=[3, 1, 0], sensitivity=table)
    mechanism = PermuteAndFlip(epsilon=1)
    assert np.exp(np.asarray(mechanism.log_probabilities(problem))).sum() == pytest.approx(1, abs=1e-12)
    assert mechanism.release(problem, budget=budget).value in ("a", "b", "c")
    answer = dampen.select({"ann": 31, "bob": 28}, sensitivity=1, monotone=True, epsilon=1, budget=budget)
    assert answer in ("ann", "bob")
    assert budget.remaining.epsilon == 0
    assert mechanism.privacy(frame) == PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
    assert isinstance(frame, Frame)
