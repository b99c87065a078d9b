"""Who belongs to which group, from the caller's side."""

from collections import Counter
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, Category, PrivacyLoss, Release, Table
from dampen.errors import BudgetExceeded, DataError, ParameterError, ReleaseFailed
from dampen.mechanisms.grouping.base import GroupMechanism
from dampen.questions.members_by_group import METHODS

if TYPE_CHECKING:
    from tests.conftest import Refused

IDS, GROUPS, CATEGORIES = ("ann", "bob", "cid", "dan"), ("F", "M", "M", "M"), ("F", "M")
MANY: dict[str, Any] = {"ids": range(2001), "groups": ["F"] * 2001}
each_method = pytest.mark.parametrize("method", METHODS)


def asked(budget: Budget, **changed: Any) -> dict[Any, Any]:
    given: dict[str, Any] = {"ids": IDS, "groups": GROUPS, "categories": CATEGORIES, "epsilon": 1} | changed
    ids, groups = given.pop("ids"), given.pop("groups")
    told: dict[Any, Any] = dampen.release_group_members(ids, groups, budget=budget, **given).value
    return told


@each_method
def test_one_payment_for_the_whole_mapping(method: str) -> None:
    budget = Budget(epsilon=1)
    told = asked(budget, method=method)
    assert budget.spent.epsilon == 1
    assert budget.adjacency is Adjacency.REPLACE
    assert list(told) == ["F", "M"]
    for chosen in told.values():
        assert set(chosen.tolist()) <= set(IDS)
        assert len(set(chosen.tolist())) == len(chosen)


def test_randomised_response_is_the_default_and_a_partition() -> None:
    told = asked(Budget(epsilon=1))
    assert sorted(np.concatenate(list(told.values())).tolist()) == sorted(IDS)


@pytest.mark.parametrize("method", ["randomised_response", "triode", "dampened_triode"])
def test_much_budget_tells_the_truth(method: str) -> None:
    told = asked(Budget(epsilon=10**6), epsilon=10**6, method=method)
    assert {label: chosen.tolist() for label, chosen in told.items()} == {"F": ["ann"], "M": ["bob", "cid", "dan"]}


def test_much_budget_tells_triode_h_the_sizes_and_the_best_fragments() -> None:
    """Fragments of one person: the size is right, and the picks are members."""
    told = asked(Budget(epsilon=10**6), epsilon=10**6, method="triode_h", fragment=1)
    assert {label: sorted(chosen.tolist()) for label, chosen in told.items()} == {
        "F": ["ann"],
        "M": ["bob", "cid", "dan"],
    }


@each_method
@pytest.mark.parametrize(("ids", "groups"), [((), ()), (("ann",), ("F",)), (IDS, ("F",) * 4)])
def test_few_people_and_empty_groups(method: str, ids: tuple[str, ...], groups: tuple[str, ...]) -> None:
    told = asked(Budget(epsilon=1), ids=ids, groups=groups, categories=("F", "M", "other"), method=method)
    assert list(told) == ["F", "M", "other"]
    assert all(len(chosen) <= len(ids) for chosen in told.values())


@each_method
@pytest.mark.parametrize(
    "ids",
    [range(40), [f"p{i:02}" for i in range(40)], [2**70 + i for i in range(40)], [*range(10), *"abcdefghijklmno"],
     [date(2000, 1, 1 + i) for i in range(20)], np.arange(40) / 2],
    ids=["int", "str", "large", "mixed", "date", "float"],
)  # fmt: skip
def test_the_order_of_rows_is_not_told(method: str, ids: Any) -> None:
    """Rows that lie group by group: if their order came out, everybody after a step back would be of the last group."""
    told_ids = list(ids)
    rows = told_ids[1::2] + told_ids[::2]
    half = len(told_ids) // 2
    told = asked(Budget(epsilon=1), ids=rows, groups=["F"] * half + ["M"] * (len(rows) - half), method=method)
    for chosen in told.values():
        places = [told_ids.index(each) for each in chosen.tolist()]
        assert places == sorted(places)


@pytest.mark.parametrize("ids", [(30, 4, 200, 1), ("dan", "bob", "cid", "ann"), (2, "b", 1, "a")])
@pytest.mark.parametrize("method", ["randomised_response", "triode", "dampened_triode"])
def test_everybody_keeps_their_group_when_ids_are_sorted(method: str, ids: tuple[Any, ...]) -> None:
    told = asked(Budget(epsilon=10**6), ids=ids, groups=("F", "M", "F", "M"), epsilon=10**6, method=method)
    assert {label: set(chosen.tolist()) for label, chosen in told.items()} == {"F": {*ids[::2]}, "M": {*ids[1::2]}}


def test_ids_that_print_alike_have_no_order_of_their_own(untouched: Budget, refused: "Refused") -> None:
    class Named:
        def __str__(self) -> str:
            return "secret"

    with refused(DataError, "ids must differ as text", hidden=("secret",)):
        asked(untouched, ids=[Named() for _ in range(4)])


def test_the_answer_is_a_release_of_a_mapping() -> None:
    told = dampen.release_group_members(IDS, GROUPS, categories=CATEGORIES, epsilon=1, budget=Budget(epsilon=1))
    assert told.loss == PrivacyLoss(1, adjacency=Adjacency.REPLACE)
    assert (told.mechanism, told.note) == ("RandomisedResponse(epsilon=1)", "release_group_members")
    assert list(told.value) == ["F", "M"]


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"ids": ("ann", "bob", "ann", "dan")}, DataError, "ids must be distinct"),
        ({"ids": 4}, ParameterError, "ids must be a list, an array of one dimension"),
        ({"ids": "abcd"}, ParameterError, "ids must be a list"),
        ({"ids": np.zeros((4, 1))}, ParameterError, "ids must be a list"),
        ({"groups": "FMMM"}, ParameterError, "groups must be a list"),
        ({"groups": ("F", "M", "M")}, DataError, "groups must be exactly one for each id"),
        ({"groups": ("F", "M", "M", "X")}, DataError, "must hold only the declared categories"),
        ({"groups": ("F", "M", "M", None)}, DataError, "must have no missing values"),
        ({"categories": ("F",)}, ParameterError, "categories must be at least two and at most 65536 labels"),
        ({"categories": ()}, ParameterError, "categories must not be empty"),
        ({"categories": "FM"}, ParameterError, "categories must be an ordered sequence"),
        ({"epsilon": 0}, ParameterError, "epsilon must be positive"),
        ({"method": "quartode"}, ParameterError, "method must be one of 'randomised_response', 'triode'"),
        ({"fragment": 5}, ParameterError, "fragment goes with method 'triode_h' alone"),
        ({"fragment": 0, "method": "triode_h"}, ParameterError, "fragment must be a whole number of at least 1"),
        (MANY | {"method": "dampened_triode"}, ParameterError, "at most 2000 people"),
        (MANY | {"method": "triode", "epsilon": 15}, ParameterError, "at most 14"),
    ],
)  # fmt: skip
def test_refusals_come_before_payment(
    changed: dict[str, Any], error: Any, message: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(error, message, hidden=("bob",)):
        asked(untouched, **changed)


def test_nothing_is_drawn_unless_it_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(
        "dampen.mechanisms.grouping.randomised_response.RandomisedResponse.draw", lambda *_: drawn.append("x")
    )
    with pytest.raises(BudgetExceeded):
        asked(Budget(epsilon="1/2"))
    assert drawn == []


@each_method
def test_a_failure_after_payment_tells_nothing_and_keeps_the_charge(
    method: str, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    def fails(*_: object) -> None:
        raise ValueError("ann is secret")

    kind: type[GroupMechanism] = type(METHODS[method](1))
    monkeypatch.setattr(kind, "draw", fails)
    budget = Budget(epsilon=1)
    with refused(ReleaseFailed, "the draw failed after it was paid for", hidden=("ann",)):
        asked(budget, method=method)
    assert budget.spent.epsilon == 1


def test_the_whole_call_has_the_law_it_claims() -> None:
    """One person, two categories, straight through the front door."""
    budget, runs = Budget(epsilon=2000), 2000
    told = Counter(len(asked(budget, ids=["ann"], groups=["F"])["F"]) for _ in range(runs))
    expected = runs * np.e / (1 + np.e)
    assert abs(told[1] - expected) < 5 * (expected * (1 - expected / runs)) ** 0.5


# Tables

ROWS: dict[str, Any] = {"id": [*IDS], "sex": [*GROUPS], "city": ["Oslo", "Oslo", "Bonn", "Oslo"]}
COLUMNS: dict[str, Any] = {"sex": Category("F", "M"), "city": Category("Oslo", "Bonn")}


def table(budget: Budget | None = None, *, rows: dict[str, Any] | None = None, **columns: Any) -> Table:
    purse = Budget(epsilon=10**9) if budget is None else budget
    return Table(ROWS | (rows or {}), columns=COLUMNS | columns, budget=purse)


def members(told: Release) -> dict[Any, list[Any]]:
    return {label: chosen.tolist() for label, chosen in told.value.items()}


@pytest.mark.parametrize("missing", ["refuse", "other"])
def test_undeclared_and_missing_go_to_other(missing: str) -> None:
    gone = None if missing == "other" else "Y"
    described = Category("F", "M", "rest", other="rest", missing=missing)
    asked = table(rows={"sex": ["F", "X", gone, "M"]}, sex=described)
    told = asked.release_group_members("id", "sex", epsilon=10**6)
    assert members(told) == {"F": ["ann"], "M": ["dan"], "rest": ["bob", "cid"]}


def test_a_public_filter_decides_who_is_told() -> None:
    told = table().where(city="Oslo").release_group_members("id", "sex", public=["city"], epsilon=10**6)
    assert members(told) == {"F": ["ann"], "M": ["bob", "dan"]}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda table: table.where(sex="F").release_group_members("id", "sex", epsilon=1), "where must name public"),
        (lambda table: table.release_group_members("id", "town", epsilon=1), '"town"'),
        (lambda table: table.release_group_members("name", "sex", epsilon=1), "'name'"),
        (lambda table: table.release_group_members("sex", "sex", epsilon=1), "another column than that of the ids"),
        (lambda table: table.release_group_members(3, "sex", epsilon=1), "id must be the name of a column"),
        (lambda table: table.release_group_members("id", GROUPS, epsilon=1), "column must be one that is declared"),
        (lambda table: table.release_group_members("id", "sex", epsilon=1, method="x"), "method must be one of"),
    ],
)
def test_a_filter_never_names_the_groups(ask: Any, message: str, untouched: Budget, refused: "Refused") -> None:
    """Rows that a filter on the groups leaves would tell everybody's group."""
    with refused(ParameterError, message):
        ask(table(untouched))


@pytest.mark.parametrize(
    ("sex", "described", "message"),
    [
        (["F", "M", "M", "X"], Category("F", "M"), "column 'sex' must hold only the declared categories"),
        (["F", "M", "M", None], Category("F", "M"), "column 'sex' must have no missing values"),
    ],
)
def test_groups_are_refused_by_all_rows_whoever_is_told(
    sex: list[Any], described: Category, message: str, untouched: Budget, refused: "Refused"
) -> None:
    """Under a filter of the asker's choice a refusal would tell whose group is missing."""
    asked = table(untouched, rows={"sex": sex, "city": ["Oslo", "Oslo", "Oslo", "Bonn"]}, sex=described)
    for part in (asked, asked.where(city="Oslo"), asked.where(city="Bonn")):
        with refused(DataError, message):
            part.release_group_members("id", "sex", public=["city"], epsilon=1)
