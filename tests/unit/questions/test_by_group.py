"""The same question for every group, at one price. The joint law of all groups is in tests/audit/test_by_group.py."""

import traceback
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chisquare

from dampen import Adjacency, Budget, Category, Flag, Number, Table, entropy
from dampen.errors import BudgetExceeded, DataError, ParameterError, ReleaseFailed
from dampen.mechanisms import Exponential, Laplace, PermuteAndFlip, SelectionMechanism, SmoothExponential, StableArgmax
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.privacy import GroupRelease, NumericRelease
from dampen.problem import NumericProblem, SelectionProblem
from dampen.questions.by_group import share_of_group
from dampen.tables.groups import MOST_GROUPS

if TYPE_CHECKING:
    from tests.conftest import Refused

SURE = 10**6
ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
both = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)

ROWS: dict[str, Any] = {
    "age": [20, 30, 40, 60, 70],
    "ill": ["flu", "flu", "gout", "gout", "gout"],
    "sex": ["F", "F", "F", "M", "M"],
    "late": [False, False, False, True, True],
}
COLUMNS: dict[str, Any] = {
    "age": Number(0, 120, step=1),
    "ill": Category("flu", "gout", "cold"),
    "sex": Category("F", "M"),
    "late": Flag(),
}


def table(
    budget: Budget | None = None, *, rows: Any = None, adjacency: Adjacency = ADD_REMOVE, **columns: Any
) -> Table:
    purse = Budget(epsilon=100 * SURE) if budget is None else budget
    return Table(ROWS if rows is None else rows, columns=COLUMNS | columns, budget=purse, adjacency=adjacency)


def people(number: int, groups: int = 1) -> Table:
    """So many people, all of them in the first group."""
    return table(rows={"sex": [0] * number}, sex=Category(*range(groups)))


ASKED: dict[str, Any] = {
    "count": lambda groups, **price: groups.count(**price),
    "sum": lambda groups, **price: groups.sum("age", **price),
    "mean": lambda groups, **price: groups.mean("age", **price),
    "median": lambda groups, **price: groups.median("age", **price),
    "percentile": lambda groups, **price: groups.percentile("age", 50, **price),
    "percentiles": lambda groups, **price: groups.percentiles("age", (0, 100), **price),
    "histogram": lambda groups, **price: groups.histogram("age", **price),
    "most_common": lambda groups, **price: groups.most_common("ill", **price),
}
TRUTH: dict[str, dict[str, Any]] = {
    "count": {"F": 3, "M": 2},
    "sum": {"F": 90, "M": 130},
    "mean": {"F": 30, "M": 65},
    "median": {"F": 30, "M": 70},
    "percentile": {"F": 30, "M": 70},
    "percentiles": {"F": (20, 40), "M": (60, 70)},
    "histogram": {"F": {20: 1, 30: 1, 40: 1}, "M": {60: 1, 70: 1}},
    "most_common": {"F": "flu", "M": "gout"},
}
each_question = pytest.mark.parametrize("question", ASKED)


@both
@pytest.mark.parametrize("form", [dict, pd.DataFrame], ids=["mapping", "frame"])
@each_question
def test_much_budget_tells_the_truth(question: str, form: Any, adjacency: Adjacency) -> None:
    told = ASKED[question](table(rows=form(ROWS), adjacency=adjacency).by("sex"), epsilon=SURE).value
    if question == "histogram":
        told = {group: {point: count for point, count in bars.items() if count} for group, bars in told.items()}
    assert told == (pytest.approx(TRUTH[question], abs=0.1) if question == "mean" else TRUTH[question])


@both
@each_question
def test_a_mapping_of_releases_for_one_price(question: str, adjacency: Adjacency) -> None:
    budget = Budget(epsilon=1)
    told = ASKED[question](table(budget, adjacency=adjacency).by("sex"), epsilon=1)
    assert isinstance(told, GroupRelease)
    assert list(told) == ["F", "M"]
    assert told.loss.epsilon == budget.spent.epsilon == 1
    assert told.loss.adjacency is budget.adjacency is adjacency
    for label, each in told.items():
        assert each.value == told.value[label]
        assert each.loss == told.loss
    with pytest.raises(BudgetExceeded):
        ASKED[question](table(budget, adjacency=adjacency).by("sex"), epsilon=1)
    assert budget.spent.epsilon == 1


@both
def test_each_group_is_asked_at_its_share(adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under REPLACE a record may leave one group and enter another; inside the groups records come and go."""
    seen: list[Any] = []

    def choose(self: SelectionMechanism, problem: SelectionProblem, _: object) -> int:
        assert problem.frame.adjacency is ADD_REMOVE
        seen.append(self)
        return 0

    def add(self: Laplace, problem: NumericProblem, _: object) -> int:
        assert problem.frame.adjacency is ADD_REMOVE
        seen.append(self)
        return 0

    monkeypatch.setattr(SingleMechanism, "draw", choose)
    monkeypatch.setattr(Laplace, "draw", add)
    groups = table(adjacency=adjacency, sex=Category("F", "M", "X")).by("sex")
    share = Fraction(1, 2) if adjacency is REPLACE else Fraction(1)
    assert share_of_group(1, adjacency) == share
    for question, mechanism, parts in (
        ("median", PermuteAndFlip, 1),
        ("most_common", PermuteAndFlip, 1),
        ("sum", Laplace, 1),
        ("mean", Laplace, 2),
    ):
        seen.clear()
        ASKED[question](groups, epsilon=1)
        assert [(type(each), each.epsilon) for each in seen] == [(mechanism, share / parts)] * 3 * parts


@each_question
def test_groups_without_records_are_answered(question: str) -> None:
    """Which of the declared groups occur is private."""
    nobody: dict[str, list[Any]] = {name: [] for name in ROWS}
    told = ASKED[question](table(rows=nobody).by("sex"), epsilon=1)
    assert set(told) == {"F", "M"}


def test_groups_of_several_columns_are_all_combinations() -> None:
    told = table().by("sex", "late").count(epsilon=SURE).value
    assert told == {("F", False): 3, ("F", True): 0, ("M", False): 0, ("M", True): 2}
    assert list(told) == list(product(("F", "M"), (False, True)))
    by_late = table().by("late", "sex").median("age", epsilon=SURE).value
    assert (by_late[False, "F"], by_late[True, "M"]) == (30, 70)


def test_groups_of_filtered_rows() -> None:
    late = table().where(late=True)
    assert late.by("sex").count(epsilon=SURE).value == {"F": 0, "M": 2}
    assert late.by("sex").median("age", epsilon=SURE)["M"] == 70
    gout = table().where(ill="gout").by("sex").most_common("ill", epsilon=SURE)
    assert gout.value == {"F": "gout", "M": "gout"}


# Counts


def test_each_count_tells_its_error() -> None:
    counts = table().by("sex").count(epsilon=1)
    assert isinstance(counts["F"], NumericRelease)
    assert all(type(each.value) is int for each in counts.values())
    assert float(counts.error("0.95")) == float(counts["M"].error("0.95")) == 3


def test_under_replace_the_noise_of_counts_is_twice_as_wide() -> None:
    assert float(table(adjacency=REPLACE).by("sex").count(epsilon=1).error("0.95")) == 6


def test_the_noise_of_counts_has_the_geometric_law() -> None:
    number = 20_000
    counts = people(0, number).by("sex").count(epsilon=1)
    drawn = np.clip(np.array(list(counts.value.values())), -4, 4)
    q = np.exp(-1)
    law = np.array([(1 - q) / (1 + q) * q ** abs(k) for k in range(-3, 4)])
    ends = (1 - law.sum()) / 2
    law = np.array([ends, *law, ends])
    observed = np.bincount(drawn + 4, minlength=9)
    assert chisquare(observed, law * number).pvalue > 1e-6
    wrong = law * np.where(np.arange(9) % 2, 1.3, 0.7)
    assert chisquare(observed, wrong / wrong.sum() * number).pvalue < 1e-6


@both
@pytest.mark.parametrize("number", [1, 1000])
def test_noise_beyond_64_bits_cannot_be_taken_off_again(number: int, adjacency: Adjacency) -> None:
    """Sums are cut off, not the noise: cut noise is a known number, and the rest would be the true count."""
    rows = {"sex": ["F"] * number}
    counts = table(rows=rows, adjacency=adjacency).by("sex").count(epsilon="1e-30")
    assert {abs(count) for count in counts.value.values()} == {2**62}


def test_counts_can_be_made_non_negative() -> None:
    counts = people(0, 200).by("sex").count(epsilon=1, non_negative=True)
    assert min(counts.value.values()) == 0 < max(counts.value.values())
    for told in (counts, counts[0]):
        with pytest.raises(ParameterError, match="tell no error: ask for them as they were drawn"):
            told.error("0.9")


@both
@pytest.mark.parametrize("where", [{}, {"late": False}], ids=["all", "some"])
def test_counts_can_be_made_to_add_up(
    adjacency: Adjacency, where: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the number of rows where it is public, which is under REPLACE without a filter; else to the noisy sum."""
    noise = np.array([-4, 9, -7])
    monkeypatch.setattr("dampen.mechanisms.counts.laplace_counts.discrete_laplace_batch", lambda *_: noise)
    rows = {"sex": ["F"] * 30 + ["M"] * 5, "late": [False] * 34 + [True]}
    asked = table(rows=rows, adjacency=adjacency, sex=Category("F", "M", "X")).where(where)
    counts = asked.by("sex").count(epsilon=1, consistent=True).value
    assert min(counts.values()) >= 0
    noisy = 33 - len(where)
    assert sum(counts.values()) == (35 if adjacency is REPLACE and not where else noisy)


def test_counts_of_rows_that_may_be_dropped_add_up_to_the_noisy_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    """A replaced record may become one without a group, so how many have one is private."""
    monkeypatch.setattr("dampen.mechanisms.counts.laplace_counts.discrete_laplace_batch", lambda *_: np.array([7, 0]))
    asked = table(rows={"sex": ["F"] * 30 + [None]}, adjacency=REPLACE, sex=Category("F", "M", missing="drop"))
    assert sum(asked.by("sex").count(epsilon=1, consistent=True).value.values()) == 37


def test_one_group_is_a_count() -> None:
    assert people(9).by("sex").count(epsilon=SURE).value == {0: 9}


@each_question
def test_what_fails_after_payment_tells_nothing(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("secret")

    monkeypatch.setattr(entropy, "system_entropy", fail)
    budget = Budget(epsilon=1)
    with pytest.raises(ReleaseFailed) as caught:
        ASKED[question](table(budget).by("sex"), epsilon=1)
    assert budget.spent.epsilon == 1
    assert "secret" not in "".join(traceback.format_exception(caught.value))


# Values that are missing or not declared


def test_values_without_a_group(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,city\n1,Oslo\n2,Bonn\n3,Oslo\n4,Lima\n5,\n")
    rest = Category("Oslo", "Bonn", "rest", other="rest", missing="other")
    asked = table(rows=path, city=rest).by("city")
    assert asked.count(epsilon=SURE).value == {"Oslo": 2, "Bonn": 1, "rest": 2}
    assert asked.sum("age", epsilon=SURE).value == {"Oslo": 4, "Bonn": 2, "rest": 9}
    assert asked.median("age", epsilon=SURE).value == {"Oslo": 3, "Bonn": 2, "rest": 5}
    dropped = table(rows=path, city=Category("Oslo", "Bonn", "Lima", missing="drop")).by("city")
    assert dropped.count(epsilon=SURE).value == {"Oslo": 2, "Bonn": 1, "Lima": 1}


def test_missing_numbers_are_dropped_in_each_group() -> None:
    rows = {"sex": ["F", "F", "M"], "age": [1, None, 5]}
    asked = table(rows=rows, age=Number(0, 9, step=1, missing="drop")).by("sex")
    assert asked.sum("age", epsilon=SURE).value == {"F": 1, "M": 5}
    assert asked.mean("age", epsilon=SURE)["F"] == pytest.approx(1, abs=0.01)
    assert asked.median("age", epsilon=SURE).value == {"F": 1, "M": 5}


# Mechanisms and refusals


def test_any_mechanism_may_answer() -> None:
    groups = table().by("sex")
    assert groups.median("age", epsilon=SURE, method=Exponential).value == {"F": 30, "M": 70}
    assert groups.most_common("ill", epsilon=SURE, mechanism=Exponential(SURE)).value == {"F": "flu", "M": "gout"}
    budget = Budget(epsilon=1, delta="1/100")
    table(budget, adjacency=REPLACE).by("sex").median(
        "age", epsilon=1, method=lambda epsilon: SmoothExponential(epsilon, delta="1e-6")
    )
    assert budget.spent.epsilon == 1
    assert budget.spent.delta > 0


NUMBERS = ("sum", "mean", "median", "percentile", "percentiles", "histogram")
WRONG_ROWS = [
    *((question, {"sex": ["F"] * 4 + ["secret"]}, "column 'sex' must hold only the declared") for question in ASKED),
    *((question, {"sex": ["F"] * 4 + [None]}, "column 'sex' must have no missing values") for question in ASKED),
    *((question, {"age": [1, 2, 3, 4, None]}, "column 'age' must have no missing values") for question in NUMBERS),
    *((question, {"age": [1, 2, 3, 4, "secret"]}, "column 'age' must hold numbers") for question in NUMBERS),
    *((question, {"sex": ["F", "M"]}, "equally many") for question in NUMBERS),
    ("most_common", {"ill": ["flu"] * 4 + ["secret"]}, "column 'ill' must hold only the declared"),
    ("most_common", {"ill": ["flu"] * 4 + [None]}, "column 'ill' must have no missing values"),
]


@pytest.mark.parametrize(("question", "rows", "message"), WRONG_ROWS)
def test_bad_data_are_refused_before_payment(
    question: str, rows: dict[str, Any], message: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(DataError, message, hidden=("secret",)):
        ASKED[question](table(untouched, rows=ROWS | rows).by("sex"), epsilon=1)


WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any], str]] = [
    ("count", (), {"non_negative": 1}, "non_negative must be True or False"),
    ("count", (), {"consistent": None}, "consistent must be True or False"),
    ("count", (), {"epsilon": 0}, "epsilon must be positive"),
    ("mean", ("age",), {"epsilon": "x"}, "epsilon"),
    ("mean", ("sex",), {}, "must be a number"),
    ("mean", ("agee",), {}, 'did you mean "age"'),
    ("median", ("ill",), {}, "must be a number or a date"),
    ("median", ("age",), {"method": Exponential(2)}, "epsilon must be the mechanism's own"),
    ("median", ("age",), {"method": "label"}, "position in a list"),
    ("median", ("age",), {"method": "best"}, "method must be one of"),
    ("median", ("age",), {"method": StableArgmax}, "percentile_hit_problem"),
    ("percentile", ("age", 101), {}, "p must lie between 0 and 100"),
    ("percentiles", ("age", (0.25, 0.5)), {}, "fractions"),
    ("percentiles", ("age", 50), {}, "ps must be a list"),
    ("percentiles", ("age", (25, 50)), {"strategy": "best"}, "strategy must be one of"),
    ("most_common", ("sex",), {}, "another one than those of the groups"),
    ("most_common", ("age",), {}, "must be a category or a flag"),
    ("most_common", ("ill",), {"mechanism": StableArgmax}, "winner_problem"),
]


@pytest.mark.parametrize(("question", "asked", "changed", "message"), WRONG, ids=str)
def test_bad_arguments_are_refused_before_payment(
    question: str, asked: tuple[Any, ...], changed: dict[str, Any], message: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(ParameterError, message):
        getattr(table(untouched).by("sex"), question)(*asked, **{"epsilon": 1, **changed})


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ((), "by must name one or more different columns"),
        (("sex", "sex"), "by must name one or more different columns"),
        ((["sex"],), "by must name one or more different columns"),
        (("town",), '"town"'),
        (("age",), "must be a category or a flag"),
    ],
    ids=str,
)
def test_groups_are_those_of_declared_categories(
    columns: tuple[Any, ...], message: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(ParameterError, message):
        table(untouched).by(*columns)


def test_so_many_groups_may_be_crossed(untouched: Budget, refused: "Refused") -> None:
    many: dict[str, Any] = {name: Category(*range(2**11)) for name in ("a", "b")}
    with refused(ParameterError, f"by must make at most {MOST_GROUPS} groups; got {2**22}"):
        table(untouched, **many).by("a", "b")


def test_mechanisms_are_made_at_the_share_of_a_group(untouched: Budget, refused: "Refused") -> None:
    groups = table(untouched, adjacency=REPLACE).by("sex")
    with refused(ParameterError, "epsilon must be the mechanism's own, 1; got 0.5"):
        groups.median("age", epsilon=1, method=Exponential(1))
