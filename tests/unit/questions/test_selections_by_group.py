"""One percentile or one winner for each group, at one price."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import dampen
from dampen import Adjacency, Budget
from dampen.errors import BudgetExceeded, DataError, ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip, SelectionMechanism, SmoothExponential, StableArgmax
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.problem import SelectionProblem
from dampen.tables.grid import as_grid
from dampen.tables.groups import grids_by_group

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

    monkeypatch.setattr(SingleMechanism, "draw", draw)
    budget = Budget(epsilon=1)
    ask(budget, adjacency=adjacency, categories=("F", "M", "other"))
    assert [mechanism.epsilon * share for mechanism in seen] == [1, 1, 1]
    assert all(type(mechanism) is PermuteAndFlip for mechanism in seen)
    assert budget.spent.epsilon == 1
    assert budget.adjacency is adjacency
    with pytest.raises(BudgetExceeded):
        ask(budget, adjacency=adjacency)
    assert len(seen) == 3


def joint_laws(
    ask: Any, monkeypatch: pytest.MonkeyPatch, adjacency: Adjacency, where: dict[str, Any] | None = None
) -> Callable[[Any], list[Any]]:
    """The laws of all groups' draws at epsilon 1, by the table of (value, group) or, filtered, (value, group, city)."""
    laws: list[Any] = []

    def draw(self: SelectionMechanism, problem: SelectionProblem, source: object) -> int:
        laws.append(np.asarray(self.log_probabilities(problem)))
        return 0

    def told(table: tuple[tuple[Any, str], ...]) -> list[Any]:
        laws.clear()
        columns = dict(zip(("v", "g", "city"), zip(*table, strict=True), strict=False))
        given: dict[str, Any] = {"values": list(columns.get("v", ())), "groups": list(columns.get("g", ()))}
        if where is not None:
            given = {"values": columns, "groups": "g", "column": "v", "where": where}
        given |= {"grid": range(4)} if ask is medians else {}
        ask(Budget(epsilon=1), adjacency=adjacency, **given)
        return list(laws)

    monkeypatch.setattr(SingleMechanism, "draw", draw)
    return told


def worst_loss(told: Callable[[Any], list[Any]], pairs: Iterable[tuple[Any, Any]]) -> float:
    """The draws are independent, so the worst losses of the groups add up."""
    worst = 0.0
    for x, y in pairs:
        apart = [one - other for one, other in zip(told(x), told(y), strict=True)]
        worst = max(worst, sum(float(d.max()) for d in apart), -sum(float(d.min()) for d in apart))
    return worst


@pytest.mark.parametrize("ask", [medians, modes], ids=["percentiles", "most_common"])
def test_the_joint_law_of_all_groups_under_replace(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two people, all their changes, also between groups. With each group at the full price it is caught."""
    told = joint_laws(ask, monkeypatch, Adjacency.REPLACE)
    people = list(product((0, 2) if ask is medians else ("flu", "cold"), ("F", "M")))
    pairs = [((one, rest), (other, rest)) for one in people for rest in people for other in people]
    assert 0.5 < worst_loss(told, pairs) <= 1 + 1e-9
    assert worst_loss(joint_laws(ask, monkeypatch, Adjacency.ADD_REMOVE), pairs) > 1.1


@pytest.mark.parametrize("ask", [medians, modes], ids=["percentiles", "most_common"])
def test_the_joint_law_of_all_groups_under_add_remove(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to two people and one more: each group at the full price, empty groups among them."""
    told = joint_laws(ask, monkeypatch, Adjacency.ADD_REMOVE)
    people = list(product((0, 2) if ask is medians else ("flu", "cold"), ("F", "M")))
    pairs = [((*x, one), x) for size in range(3) for x in product(people, repeat=size) for one in people]
    assert 0.5 < worst_loss(told, pairs) <= 1 + 1e-9


@pytest.mark.parametrize("ask", [medians, modes], ids=["percentiles", "most_common"])
def test_the_joint_law_of_filtered_groups_under_replace(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replaced record may leave the filter, enter it or change group inside: all of it costs at most epsilon."""
    told = joint_laws(ask, monkeypatch, Adjacency.REPLACE, {"city": "Oslo"})
    people = list(product((0, 2) if ask is medians else ("flu", "cold"), ("F", "M"), ("Oslo", "Bonn")))
    pairs = [((one, rest), (other, rest)) for one in people for rest in people[::2] for other in people]
    assert 0.5 < worst_loss(told, pairs) <= 1 + 1e-9
    assert worst_loss(joint_laws(ask, monkeypatch, Adjacency.ADD_REMOVE, {"city": "Oslo"}), pairs) > 1.1


TABLE: dict[str, Any] = {
    "age": AGES,
    "ill": ["flu", "flu", "gout", "gout", "gout"],
    "sex": SEX,
    "year": [1, 1, 1, 2, 2],
}


def test_a_row_is_never_in_two_groups() -> None:
    """A value stands for one label, however alike labels are."""
    mixed = {"age": AGES, "year": [1, "1", 1.0, True, "1.0"]}
    for labels in ((1, "1"), (1, "1.0"), (True, "true"), ("true", "True"), ("1", "1.0"), (0.1, "0.10")):
        found = grids_by_group(mixed, as_grid(range(121)), (*labels, "other"), column="age", by="year")
        assert sum(each.n for each in found) == len(AGES)


def test_an_empty_group_gets_an_answer() -> None:
    found = medians(Budget(epsilon=1), values=[], groups=[])
    assert set(found) == {"F", "M"}
    assert all(value in range(121) for value in found.values())


def test_groups_of_a_table_with_a_filter() -> None:
    asked: dict[str, Any] = {"values": TABLE, "groups": "sex", "epsilon": SURE}
    found = medians(Budget(epsilon=SURE), column="age", where={"year": "2"}, **asked)
    assert found["M"] == 70
    assert medians(Budget(epsilon=SURE), column="age", **asked) == {"F": 30, "M": 70}
    assert modes(Budget(epsilon=SURE), column="ill", **asked) == {"F": "flu", "M": "gout"}
    only = modes(Budget(epsilon=SURE), column="ill", where={"ill": "gout"}, **asked)
    assert only == {"F": "gout", "M": "gout"}


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
        (medians, {"values": [1, 2, None, 3, 4]}, DataError, "numbers, none of them missing: leave out such rows"),
        (medians, {"values": [1, 2, "secret", 3, 4]}, DataError, "values must be numbers"),
        (medians, {"values": 3}, ParameterError, "values must be a list, an array of one dimension"),
        (medians, {"groups": 3}, ParameterError, "groups must be a list, an array of one dimension"),
        (medians, {"mechanism": Exponential(1), "adjacency": Adjacency.REPLACE}, ParameterError, "have epsilon 0.5"),
        (medians, {"mechanism": Exponential(2)}, ParameterError, "have epsilon 1, at which each group"),
        (medians, {"groups": ["F", "F", "F", "M", "X"]}, DataError, "declared categories"),
        (medians, {"grid": None}, ParameterError, "give either grid or bounds"),
        (medians, {"p": 101}, ParameterError, "p must"),
        (medians, {"mechanism": StableArgmax}, ParameterError, "percentile_hit_problem"),
        (medians, {"adjacency": Adjacency.EDGE}, ParameterError, "adjacency"),
        (medians, {"where": {"year": 1}}, ParameterError, "where is for tables"),
        (medians, {"values": TABLE, "column": "age"}, ParameterError, "groups must be the name of a column"),
        (
            medians,
            {"values": TABLE, "column": 3, "groups": "sex"},
            ParameterError,
            "column must be the name of a column",
        ),
        (medians, {"values": TABLE, "column": "age", "groups": "age"}, ParameterError, "another column"),
        (medians, {"values": TABLE, "column": "age", "groups": "town"}, ParameterError, "'town'"),
        (medians, {"values": TABLE, "column": "ill", "groups": "sex"}, DataError, "column 'ill' must hold numbers"),
        (
            medians,
            {"values": TABLE | {"age": [1, None, 2, 3, 4]}, "column": "age", "groups": "sex"},
            DataError,
            "column 'age' must hold numbers, none of them missing",
        ),
        (medians, {"values": TABLE, "column": "age", "groups": "sex", "categories": ("F",)}, DataError, "declared"),
        (medians, {"values": TABLE, "column": "age", "groups": "sex", "p": 101}, ParameterError, "p must"),
        (
            modes,
            {"values": TABLE, "column": "ill", "groups": "sex", "choices": ("flu",)},
            DataError,
            "column 'ill' must hold only the declared choices",
        ),
        (modes, {"where": {"year": 1}}, ParameterError, "where is for tables"),
        (
            modes,
            {"values": ["flu", "secret", "flu", "flu", "flu"]},
            DataError,
            "declared choices, none of them missing",
        ),
        (modes, {"values": ["flu", None, "flu", "flu", "flu"]}, DataError, "leave out other rows"),
        (modes, {"choices": ()}, ParameterError, "choices must not be empty"),
        (modes, {"choices": "xy"}, ParameterError, "choices must be an ordered sequence"),
        (modes, {"mechanism": StableArgmax}, ParameterError, "winner_problem"),
    ],
)
def test_refusals_come_before_payment(
    ask: Any, changed: dict[str, Any], error: Any, message: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(error, message, hidden=("secret",)):
        ask(untouched, **changed)
