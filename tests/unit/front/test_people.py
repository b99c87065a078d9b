"""A table with a person, asked: every answer against what is worked out by hand, wherever the rows lie."""

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from dampen import Adjacency, Budget, Category, Date, Flag, Number, Release, Table, between
from dampen.errors import BudgetError, CutOffWarning, DataError, ParameterError
from dampen.front.memory import FREE
from dampen.mechanisms import Exponential
from dampen.privacy import GroupRelease

if TYPE_CHECKING:
    from tests.conftest import Refused

SURE = 10**9
"""An epsilon at which noise is 0, and the best is chosen, but for a chance of exp(-1000)."""
VISITS: dict[str, list[Any]] = {
    "patient": ["ann", "ann", "ann", "ann", "bob", "cid", "cid", "dan", None],
    "cost": [10, 10, 10, 90, 40, 50, 70, 20, 100],
    "ward": ["a", "b", "b", "b", "a", "b", "b", "c", "c"],
    "day": ["2020-01-05"] * 4 + ["2020-03-01", "2020-05-01", "2020-06-30", "2020-07-07", "2020-12-31"],
    "gain": [-5, -5, 1, 0, 7, 2, 3, -1, 100],
    "ill": [True, False, True, True, False, True, False, False, True],
}
COLUMNS: dict[str, Any] = {
    "cost": Number(0, 100, step=10),
    "ward": Category("a", "b", "c"),
    "day": Date("2020-01-01", "2020-12-31", step="month"),
    "gain": Number(-10, 10),
    "ill": Flag(),
}


def as_csv(folder: Path) -> Path:
    path = folder / "visits.csv"
    pd.DataFrame(VISITS).to_csv(path, index=False)
    return path


FORMS: dict[str, Callable[[Path], Any]] = {
    "mapping": lambda _: VISITS,
    "pandas": lambda _: pd.DataFrame(VISITS),
    "csv": as_csv,
}


def visits(data: Any = None, budget: Any = None, **more: Any) -> Table:
    rows, payer = VISITS if data is None else data, Budget(epsilon=1000 * SURE) if budget is None else budget
    return Table(rows, columns=COLUMNS, budget=payer, **{"person": "patient", **more})


BOTH = pytest.mark.parametrize("adjacency", ["add_remove", "replace"])


@BOTH
@pytest.mark.parametrize("form", FORMS)
def test_every_question_by_person(form: str, adjacency: str, tmp_path: Path) -> None:
    """Four persons with 4, 1, 2 and 1 rows; the row without a person is left out."""
    table = visits(FORMS[form](tmp_path), adjacency=adjacency)
    assert table.count(of="persons", epsilon=SURE) == 4
    assert table.count(epsilon=SURE) == 8
    assert table.count(cap=2, epsilon=SURE) == 2 + 1 + 2 + 1
    assert table.sum("cost", epsilon=SURE) == 300
    assert table.sum("cost", cap=100, epsilon=SURE) == 100 + 40 + 100 + 20
    assert table.sum("gain", epsilon=SURE) == 2
    assert table.sum("gain", cap=5, epsilon=SURE) == -5 + 5 + 5 - 1
    assert table.mean("cost", epsilon=SURE) == pytest.approx((30 + 40 + 60 + 20) / 4, abs=0.1)
    assert table.mean("cost", of="rows", cap=2, epsilon=SURE) == pytest.approx((60 + 40 + 120 + 20) / 6, abs=0.1)
    assert table.mean("cost", of="rows", cap=8, epsilon=SURE) == pytest.approx(300 / 8, abs=0.1)
    assert table.median("cost", epsilon=SURE) == 40
    assert table.percentile("cost", 100, epsilon=SURE) == 90
    assert table.percentiles("cost", (0, 20, 100), epsilon=SURE) == (10, 20, 90)
    assert table.median("cost", of="rows", cap=8, epsilon=SURE) == 40
    assert table.percentile("cost", 90, of="rows", cap=8, epsilon=SURE) == 90
    assert table.median("day", epsilon=SURE) == date(2020, 5, 1)
    assert table.most_common("ward", epsilon=SURE) == "b"
    assert table.top_categories("ward", 2, epsilon=SURE) == ("b", "a")
    assert table.histogram("ward", epsilon=SURE).value == pytest.approx({"a": 1.25, "b": 1.75, "c": 1}, abs=0.01)
    assert table.histogram("cost", epsilon=SURE)[10] == pytest.approx(0.75, abs=0.01)


@BOTH
@pytest.mark.parametrize("form", FORMS)
def test_every_question_of_groups_by_person(form: str, adjacency: str, tmp_path: Path) -> None:
    wards = visits(FORMS[form](tmp_path), adjacency=adjacency).by("ward")
    assert wards.count(of="persons", epsilon=SURE).value == {"a": 2, "b": 2, "c": 1}
    assert wards.count(cap=8, epsilon=SURE).value == pytest.approx({"a": 2, "b": 5, "c": 1}, abs=0.01)
    assert wards.count(cap=2, epsilon=SURE).value == pytest.approx({"a": 1.5, "b": 3.5, "c": 1}, abs=0.01)
    assert wards.count(of="persons", cap=1, epsilon=SURE).value == pytest.approx({"a": 1.5, "b": 1.5, "c": 1}, abs=0.01)
    assert wards.sum("cost", cap=1000, epsilon=SURE).value == pytest.approx({"a": 50, "b": 230, "c": 20}, abs=0.1)
    assert wards.sum("gain", cap=1000, epsilon=SURE).value == pytest.approx({"a": 2, "b": 1, "c": -1}, abs=0.01)
    cut = {"a": 3 - 5 / 3, "b": 3 - 4 / 3, "c": -1}
    assert wards.sum("gain", cap=3, epsilon=SURE).value == pytest.approx(cut, abs=0.01)
    assert wards.mean("cost", epsilon=SURE).value == pytest.approx({"a": 34, "b": 50, "c": 20}, abs=0.1)
    assert wards.median("cost", epsilon=SURE).value == {"a": 40, "b": 50, "c": 20}
    assert wards.percentile("cost", 100, epsilon=SURE).value == {"a": 40, "b": 90, "c": 20}
    assert wards.percentiles("cost", (0, 100), epsilon=SURE).value["b"] == (10, 90)
    assert wards.most_common("ill", epsilon=SURE).value["c"] is False
    assert wards.histogram("cost", epsilon=SURE).value["b"][50] == pytest.approx(0.5, abs=0.01)
    crossed = wards._table.by("ward", "ill").count(of="persons", epsilon=SURE).value
    assert crossed["a", True] == 1
    assert crossed["c", True] == 0


@BOTH
@pytest.mark.parametrize("form", FORMS)
def test_one_number_for_each_person(form: str, adjacency: str, tmp_path: Path) -> None:
    table = visits(FORMS[form](tmp_path), adjacency=adjacency)
    largest = table.per_person("max", "cost")
    assert largest.count(epsilon=SURE) == 4
    assert largest.median(epsilon=SURE) == 70
    assert largest.percentiles((0, 100), epsilon=SURE) == (20, 90)
    assert largest.percentile(0, epsilon=SURE) == 20
    assert largest.mean(epsilon=SURE) == pytest.approx((90 + 40 + 70 + 20) / 4, abs=0.1)
    assert largest.histogram(epsilon=SURE).value[90] == 1
    assert table.per_person("min", "cost").sum(epsilon=SURE) == 10 + 40 + 50 + 20
    assert table.per_person("min", "day").median(epsilon=SURE) == date(2020, 5, 1)
    means = table.per_person("mean", "cost")
    assert means.mean(epsilon=SURE) == pytest.approx(37.5, abs=0.1)
    assert means.variance(epsilon=SURE) == pytest.approx(((7.5**2) + 2.5**2 + 22.5**2 + 17.5**2) / 4, abs=2)
    sums = table.per_person("sum", "gain", bounds=(-20, 20), step=1)
    assert sums.percentile(0, epsilon=SURE) == -9
    assert sums.sum(epsilon=SURE) == 2
    rows = table.per_person("count", bounds=(0, 3), step=1)
    assert rows.percentile(100, epsilon=SURE) == 3
    assert rows.mean(epsilon=SURE) == pytest.approx((3 + 1 + 2 + 1) / 4, abs=0.01)


@pytest.mark.parametrize("form", FORMS)
def test_only_rows_that_meet_a_filter_count(form: str, tmp_path: Path) -> None:
    table = visits(FORMS[form](tmp_path)).where(ward={"a", "b"})
    assert table.count(of="persons", epsilon=SURE) == 3
    assert table.where(cost=between(20, None)).count(epsilon=SURE) == 4
    assert table.where(ward="b").median("cost", epsilon=SURE) == 50
    assert table.where(ward="a").by("ill").count(of="persons", epsilon=SURE).value == {True: 1, False: 1}


def test_limits_are_chosen_and_told() -> None:
    """Two hundred persons with 8 rows and one with 1000: noise that fits 8 rows, which are told."""
    who = [*(f"p{place}" for place in range(200) for _ in range(8)), *["big"] * 1000]
    data = {"who": who, "v": [place % 10 for place in range(1600)] + [9] * 1000, "g": ["a", "b"] * 1300}
    columns: dict[str, Any] = {"v": Number(0, 10, step=1), "g": Category("a", "b")}
    table = Table(data, columns=columns, budget=Budget(epsilon=100), person="who")
    counted = table.count(epsilon=5)
    assert counted.cap in (8, 16, 32, 64)
    assert abs(counted - 1600) < 400
    assert counted.error().statement.startswith(f"totals above {counted.cap} were cut; the noise is at most")
    assert counted.as_dict()["cap"] == counted.cap
    assert table.median("v", of="rows", epsilon=5).cap in (1, 2, 4, 8, 16, 32)
    limited = table.by("g").count(epsilon=5)
    assert limited.cap in (8, 16, 32, 64)
    assert limited["a"].cap == limited.cap
    assert f"nobody counts for more than {limited.cap} rows" in str(limited)
    assert table.by("g").sum("v", epsilon=5).cap >= 8
    assert table.mean("v", of="rows", epsilon=5).cap in (1, 2, 4, 8, 16, 32)


def test_public_caps_are_told_and_cost_nothing() -> None:
    table = visits()
    assert table.count(cap=2, epsilon=1).cap == 2
    assert table.sum("gain", cap=5, epsilon=1).cap == (-5, 5)
    assert "totals above 5 and below -5 were cut" in str(table.sum("gain", cap=5, epsilon=1))
    assert table.median("cost", of="rows", cap=2, epsilon=1).cap == 2
    assert table.by("ward").count(cap=4, epsilon=1).cap == 4
    assert "nobody counts for more than 4 rows" in str(table.by("ward").count(cap=4, epsilon=1))
    assert "nobody counts for more than 4 in size" in str(table.by("ward").sum("gain", cap=4, epsilon=1))
    assert table.median("cost", epsilon=1).cap is None


def test_groups_of_both_signs_do_not_cancel_where_doubt_is_told() -> None:
    loss = visits().count(of="persons", epsilon=1).loss
    for value, doubtful in (({"a": 90, "b": -80}, False), ({"a": 40, "b": -60}, False), ({"a": 49, "b": 0}, True)):
        assert GroupRelease(value, loss, "", at_stake=50.0).doubtful is doubtful


def test_many_groups_have_a_limit_of_groups() -> None:
    labels = [str(place) for place in range(40)]
    data = {"who": [f"p{place}" for place in range(400) for _ in range(3)], "g": [labels[k % 40] for k in range(1200)]}
    table = Table(data, columns={"g": Category(labels)}, budget=Budget(epsilon=SURE * 10), person="who")
    counted = table.by("g").count(of="persons", epsilon=SURE)
    assert counted.cap in (1, 2, 4, 8, 16, 32, 64)
    assert sum(counted.value.values()) == pytest.approx(400 * min(3, counted.cap), rel=1e-3)
    few = table.where(g={"0", "1"}).by("g").count(of="persons", cap=1, epsilon=SURE)
    both = [{3 * p % 40, (3 * p + 1) % 40, (3 * p + 2) % 40} & {0, 1} for p in range(400)]
    assert few["0"] == pytest.approx(sum(1 / len(own) for own in both if 0 in own), abs=0.01)


def test_what_may_be_missing_is_warned_of_by_released_things_alone() -> None:
    table = visits()
    with pytest.warns(CutOffWarning, match="what was cut off may exceed the answer"):
        answer = table.count(epsilon=1)
    assert answer.doubtful
    assert not table.count(cap=4, epsilon=1).doubtful


def test_an_unknown_person_is_left_out_or_refused(untouched: Budget, refused: "Refused") -> None:
    table = visits(budget=untouched, person_missing="refuse")
    for ask in (lambda: table.count(epsilon=1), lambda: table.by("ward").median("cost", epsilon=1)):
        with refused(DataError, "column 'patient' must have no missing values"):
            ask()


def test_a_person_that_is_not_there(untouched: Budget, refused: "Refused") -> None:
    table = visits(budget=untouched, person="patent")
    with refused(ParameterError, "'patent'"):
        table.count(epsilon=1)
    with refused(ParameterError, "'patent'"):
        table.per_person("max", "cost").median(epsilon=1)


@pytest.mark.parametrize("held", [None, Adjacency.ADD_REMOVE, Adjacency.REPLACE])
def test_a_budget_of_rows_does_not_pay(held: Adjacency | None, refused: "Refused") -> None:
    budget = Budget(epsilon=10, unit="row", adjacency=held)
    with refused(BudgetError, "'row'", "Budget.open(..., unit='patient')"):
        visits(budget=budget).median("cost", epsilon=1)
    assert budget.spent.epsilon == 0


@pytest.mark.parametrize(
    ("ask", "shown"),
    [
        (lambda t: t.count(of="people", epsilon=1), "of must be one of 'rows', 'persons'"),
        (lambda t: t.count(cap=0, epsilon=1), "cap must be a whole number"),
        (lambda t: t.count(cap=2**41, epsilon=1), "cap must be at most 2**40"),
        (lambda t: t.count(of="persons", cap=2, epsilon=1), "cap must be left out"),
        (lambda t: t.sum("cost", cap="1/2", epsilon=1), "multiple of the unit"),
        (lambda t: t.median("cost", cap=2, epsilon=1), "cap must be left out"),
        (lambda t: t.median("cost", method="rank", epsilon=1), "method must be left out"),
        (lambda t: t.percentiles("cost", (1, 2), strategy="halving", epsilon=1), "strategy must be 'auto' or 'even'"),
        (lambda t: t.percentile("cost", 101, epsilon=1), "p must"),
        (lambda t: t.variance("cost", epsilon=1), "per_person"),
        (lambda t: t.release_group_members("patient", "ward", epsilon=1), "without a person"),
        (lambda t: t.median("cost", epsilon=0), "epsilon"),
        (lambda t: t.by("ward").sum("gain", cap="1/2", epsilon=1), "multiple of the unit"),
        (lambda t: t.by("ward").sum("gain", cap=0, epsilon=1), "cap must be a whole number"),
        (lambda t: t.by("ward").sum("ward", epsilon=1), "number"),
        (lambda t: t.by("ward").most_common("ward", epsilon=1), "another"),
        (lambda t: t.by("ward").count(of="visits", epsilon=1), "of must be"),
        (lambda t: t.most_common("ward", mechanism=3, epsilon=1), "mechanism must be"),
        (lambda t: t.per_person("median", "cost"), "how must be one of"),
        (lambda t: t.per_person("max"), "column must be named"),
        (lambda t: t.per_person("count", "cost", bounds=(0, 9)), "column must be left out"),
        (lambda t: t.per_person("sum", "cost"), "bounds must be given"),
        (lambda t: t.per_person("max", "cost", bounds=(0, 9)), "bounds must be left out"),
        (lambda t: t.per_person("max", "cost", step=1), "step must be left out"),
        (lambda t: t.per_person("sum", "cost", bounds=3), "bounds must be two numbers"),
        (lambda t: t.per_person("max", "ward"), "number"),
        (lambda t: t.per_person("mean", "day"), "number"),
        (lambda t: t.per_person("min", "day").mean(epsilon=1), "number"),
        (lambda t: t.per_person("max", "cost").median(epsilon=1, method="number"), "method must choose"),
    ],
)
def test_bad_words_are_refused_before_data_are_read(
    ask: Callable[[Table], Any], shown: str, untouched: Budget, refused: "Refused", tmp_path: Path
) -> None:
    with refused(ParameterError, shown):
        ask(visits(data=tmp_path / "missing.csv", budget=untouched))


@pytest.mark.parametrize(
    ("ask", "word"),
    [
        (lambda t: t.count(of="persons", epsilon=1), "of"),
        (lambda t: t.sum("cost", cap=3, epsilon=1), "cap"),
        (lambda t: t.by("ward").count(of="rows", epsilon=1), "of"),
        (lambda t: t.per_person("max", "cost"), "per_person"),
    ],
)
def test_words_of_persons_need_a_person(
    ask: Callable[[Table], Any], word: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(ParameterError, word, "person"):
        ask(visits(budget=untouched, person=None))


def test_other_mechanisms_choose_by_votes() -> None:
    assert visits().most_common("ward", mechanism=Exponential, epsilon=SURE) == "b"


QUESTIONS: dict[str, Callable[[Table], Release]] = {
    "rows": lambda t: t.count(cap=8, epsilon=1),
    "fewer rows": lambda t: t.count(cap=4, epsilon=1),
    "persons": lambda t: t.count(of="persons", epsilon=1),
    "median": lambda t: t.median("cost", epsilon=1),
    "median of rows": lambda t: t.median("cost", of="rows", cap=8, epsilon=1),
    "largest": lambda t: t.per_person("max", "cost").median(epsilon=1),
    "smallest": lambda t: t.per_person("min", "cost").median(epsilon=1),
    "sums": lambda t: t.per_person("sum", "cost", bounds=(0, 200), step=10).median(epsilon=1),
    "smaller sums": lambda t: t.per_person("sum", "cost", bounds=(0, 100), step=10).median(epsilon=1),
    "wards": lambda t: t.by("ward").count(cap=8, epsilon=1),
    "persons of wards": lambda t: t.by("ward").count(of="persons", epsilon=1),
}


def test_answers_are_remembered_by_whom_and_what_was_asked() -> None:
    budget = Budget(epsilon=1000, remember=True)
    table = visits(budget=budget, name="visits")
    first = {name: ask(table) for name, ask in QUESTIONS.items()}
    assert budget.spent.epsilon == len(QUESTIONS)
    for name, ask in QUESTIONS.items():
        again = ask(table)
        assert again.note.endswith(f"({FREE})")
        assert (again.value, again.cap, again.loss) == (first[name].value, first[name].cap, first[name].loss)
        assert again.error().statement == first[name].error().statement
    assert budget.spent.epsilon == len(QUESTIONS)
    others = visits(budget=budget, name="visits", person_missing="refuse", data={k: v[:-1] for k, v in VISITS.items()})
    assert not others.median("cost", epsilon=1).note.endswith(f"({FREE})")


def test_an_answer_by_row_is_no_answer_by_person() -> None:
    """Two tables of one name, one with a person: keys differ though budgets would refuse the other unit anyway."""
    rows, whose = visits(name="visits", person=None), visits(name="visits")
    from dampen.front.asking import Asking
    from dampen.questions.record import Price

    asked = Asking("median", "cost", {"method": "distance"}, (), Price(1), None)
    assert rows.view.key(asked) != whose.view.key(asked)
    assert "per patient" in whose.view.tell(asked)


def test_adjacency_is_that_of_the_table() -> None:
    for adjacency in (Adjacency.ADD_REMOVE, Adjacency.REPLACE):
        table = visits(adjacency=adjacency)
        for ask in QUESTIONS.values():
            loss = ask(table).loss
            assert (loss.epsilon, loss.adjacency, loss.unit) == (Fraction(1), adjacency, "patient")
