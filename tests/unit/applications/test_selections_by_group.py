"""One percentile or one winner for each group, at one price."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import dampen
from dampen import Adjacency, Budget
from dampen.errors import BudgetExceeded, DataError, ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip, SelectionMechanism, SmoothExponential, StableArgmax
from dampen.problem import SelectionProblem

if TYPE_CHECKING:
    from tests.conftest import Refused

AGES, SEX = [20, 30, 40, 60, 70], ["F", "F", "F", "M", "M"]
SURE = 10**6


def medians(budget: Budget, **changed: Any) -> dict[Any, Any]:
    given: dict[str, Any] = {"values": AGES, "groups": SEX, "p": 50, "categories": ("F", "M"), "grid": range(121)}
    given |= {"epsilon": 1} | changed
    return dampen.group_percentiles(
        given.pop("values"), given.pop("groups"), given.pop("p"), budget=budget, **given
    )  # fmt: skip


def modes(budget: Budget, **changed: Any) -> dict[Any, Any]:
    given: dict[str, Any] = {"values": ["flu", "flu", "gout", "gout", "gout"], "groups": SEX, "categories": ("F", "M")}
    given |= {"choices": ("flu", "gout", "cold"), "epsilon": 1} | changed
    return dampen.group_most_common(given.pop("values"), given.pop("groups"), budget=budget, **given)


@pytest.mark.parametrize("form", [list, np.array, pd.Series], ids=["list", "array", "pandas"])
@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=lambda a: a.value)
def test_much_budget_tells_the_truth(form: Any, adjacency: Adjacency) -> None:
    pay = {"epsilon": SURE, "adjacency": adjacency}
    assert medians(Budget(epsilon=SURE), values=form(AGES), groups=form(SEX), **pay) == {"F": 30, "M": 70}
    assert modes(Budget(epsilon=SURE), **pay) == {"F": "flu", "M": "gout"}


@pytest.mark.parametrize("ask", [medians, modes], ids=["percentiles", "most_common"])
@pytest.mark.parametrize(("adjacency", "share"), [(Adjacency.ADD_REMOVE, 1), (Adjacency.REPLACE, 2)])
def test_each_group_is_asked_at_its_share_and_all_are_paid_once(
    ask: Any, adjacency: Adjacency, share: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[SelectionMechanism] = []

    def draw(self: SelectionMechanism, problem: SelectionProblem, source: object) -> int:
        assert problem.frame.adjacency is Adjacency.ADD_REMOVE
        seen.append(self)
        return 0

    monkeypatch.setattr(SelectionMechanism, "draw", draw)
    budget = Budget(epsilon=1)
    ask(budget, adjacency=adjacency, categories=("F", "M", "other"))
    assert [mechanism.epsilon * share for mechanism in seen] == [1, 1, 1]
    assert all(type(mechanism) is PermuteAndFlip for mechanism in seen)
    assert budget.spent.epsilon == 1
    assert budget.adjacency is adjacency
    with pytest.raises(BudgetExceeded):
        ask(budget, adjacency=adjacency)
    assert len(seen) == 3


@pytest.mark.parametrize("ask", [medians, modes], ids=["percentiles", "most_common"])
def test_the_joint_law_of_all_groups_under_replace(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people, all their changes: the sum of the groups' worst losses is epsilon, and twice that at full price."""
    laws: list[Any] = []

    def draw(self: SelectionMechanism, problem: SelectionProblem, source: object) -> int:
        laws.append(np.asarray(self.log_probabilities(problem)))
        return 0

    monkeypatch.setattr(SelectionMechanism, "draw", draw)
    values = (0, 2) if ask is medians else ("flu", "cold")
    people = [(value, group) for value in values for group in ("F", "M")]
    worst = 0.0
    for one in people:
        for rest in people:
            for other in people:
                told = []
                for table in ((one, rest), (other, rest)):
                    laws.clear()
                    given = {"values": [v for v, _ in table], "groups": [g for _, g in table]}
                    given |= {"grid": range(4)} if ask is medians else {}
                    ask(Budget(epsilon=1), adjacency=Adjacency.REPLACE, **given)
                    told.append(list(laws))
                apart = [x - y for x, y in zip(*told, strict=True)]
                worst = max(worst, sum(float(d.max()) for d in apart))
    assert 0.5 < worst <= 1 + 1e-9


def test_an_empty_group_gets_an_answer() -> None:
    found = medians(Budget(epsilon=1), values=[], groups=[])
    assert set(found) == {"F", "M"}
    assert all(value in range(121) for value in found.values())


def test_any_mechanism_may_answer() -> None:
    assert medians(Budget(epsilon=SURE), epsilon=SURE, mechanism=Exponential) == {"F": 30, "M": 70}
    budget = Budget(epsilon=1, delta="1/100")
    medians(budget, mechanism=lambda epsilon: SmoothExponential(epsilon, delta="1e-6"), adjacency=Adjacency.REPLACE)
    assert budget.spent.epsilon == 1
    assert budget.spent.delta > 0


@pytest.mark.parametrize(
    ("ask", "changed", "error", "message"),
    [
        (medians, {"groups": SEX[:-1]}, DataError, "groups must be exactly one for each value"),
        (medians, {"values": [1, 2, None, 3, 4]}, DataError, "must have no missing values"),
        (medians, {"groups": ["F", "F", "F", "M", "X"]}, DataError, "declared categories"),
        (medians, {"grid": None}, ParameterError, "give either grid or bounds"),
        (medians, {"p": 101}, ParameterError, "p must"),
        (medians, {"mechanism": StableArgmax}, ParameterError, "percentile_hit_problem"),
        (medians, {"adjacency": Adjacency.EDGE}, ParameterError, "adjacency"),
        (modes, {"values": ["flu", "secret", "flu", "flu", "flu"]}, DataError, "declared categories"),
        (modes, {"choices": ()}, ParameterError, "must not be empty"),
        (modes, {"mechanism": StableArgmax}, ParameterError, "winner_problem"),
    ],
)
def test_refusals_come_before_payment(
    ask: Any, changed: dict[str, Any], error: Any, message: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(error, message, hidden=("secret",)):
        ask(untouched, **changed)
