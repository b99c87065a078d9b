"""``dampen.Table``: described once, then asked."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dampen
from dampen import Adjacency, Budget, Category, Date, Flag, Number, Table, Text, between
from dampen.accounting.composition import within
from dampen.describe.columns import Column
from dampen.errors import BudgetExceeded, DataError, ParameterError
from dampen.front.memory import FREE
from dampen.mechanisms import Exponential, PolyPlace
from dampen.privacy import Release
from tests.conftest import Refused

SURE = 10**6
"""An epsilon at which noise is 0, and the best is chosen, but for a chance of exp(-1000)."""
ROWS: dict[str, list[Any]] = {
    "pay": [1000, 2000, 3000, 4000, 5000, 9000],
    "team": ["lab", "lab", "lab", "sales", "sales", "board"],
    "hired": ["2019-03-05", "2020-01-01", "2020-06-30", "2021-12-31", "2022-02-02", "2010-10-10"],
    "smoker": [True, False, False, True, False, False],
    "name": ["ann", "bob", "cid", "dan", "eve", "fay"],
}
COLUMNS: dict[str, Column] = {
    "pay": Number(0, 10_000, step=50),
    "team": Category("sales", "lab", "board"),
    "hired": Date("2000-01-01", "2030-12-31", step="month"),
    "smoker": Flag(),
    "name": Text(),
}


def described(data: Any = None, budget: Any = None, **more: Any) -> Table:
    rows = ROWS if data is None else data
    return Table(rows, columns=COLUMNS, budget=Budget(epsilon=100 * SURE) if budget is None else budget, **more)


def as_csv(folder: Path) -> Path:
    path = folder / "staff.csv"
    pd.DataFrame(ROWS).to_csv(path, index=False)
    return path


FORMS = {
    "mapping": lambda _: ROWS,
    "pandas": lambda _: pd.DataFrame(ROWS),
    "polars": lambda _: pl.DataFrame(ROWS),
    "csv": as_csv,
}


@pytest.mark.parametrize("form", FORMS)
def test_every_question_is_answered_the_same_wherever_the_rows_lie(form: str, tmp_path: Path) -> None:
    table = described(FORMS[form](tmp_path))
    assert table.count(epsilon=SURE) == 6
    assert table.sum("pay", epsilon=SURE) == 24_000
    assert table.mean("pay", epsilon=SURE) == pytest.approx(4000, abs=1)
    assert table.variance("pay", epsilon=SURE) == pytest.approx(np.var(ROWS["pay"]), rel=0.01)
    assert table.median("pay", epsilon=SURE) == 4000
    assert table.percentile("pay", 0, epsilon=SURE) == 1000
    assert table.percentiles("pay", (0, 50, 100), epsilon=SURE) == (1000, 4000, 9000)
    assert table.median("hired", epsilon=SURE) == date(2020, 6, 1)
    assert table.most_common("team", epsilon=SURE) == "lab"
    assert table.top_categories("team", 2, epsilon=SURE) == ("lab", "sales")
    assert table.most_common("smoker", epsilon=SURE).value is False
    assert table.histogram("pay", epsilon=SURE)[9000] == 1
    assert table.histogram("team", epsilon=SURE).value == {"sales": 2, "lab": 3, "board": 1}
    assert table.histogram("hired", epsilon=SURE)[date(2020, 6, 1)] == 1


@pytest.mark.parametrize("form", FORMS)
def test_filters_leave_rows_by_value_by_set_and_by_range(form: str, tmp_path: Path) -> None:
    table = described(FORMS[form](tmp_path))
    assert table.where(team="lab").count(epsilon=SURE) == 3
    assert table.where(team={"lab", "board"}).count(epsilon=SURE) == 4
    assert table.where(pay=between(2000, 4000)).count(epsilon=SURE) == 3
    assert table.where(pay=between(None, 1999)).count(epsilon=SURE) == 1
    assert table.where(hired=between("2020-01-01", "2020-12-31")).count(epsilon=SURE) == 2
    assert table.where(smoker=True).sum("pay", epsilon=SURE) == 5000
    assert table.where({"team": "lab"}, smoker=False).median("pay", epsilon=SURE) == 3000
    assert table.where(team="lab").where(pay=between(2000, None)).count(epsilon=SURE) == 2


@pytest.mark.parametrize("form", FORMS)
def test_groups_are_all_answered_for_one_price(form: str, tmp_path: Path) -> None:
    budget = Budget(epsilon=10 * SURE)
    table = described(FORMS[form](tmp_path), budget=budget)
    means = table.by("team").mean("pay", epsilon=SURE)
    assert list(means) == ["sales", "lab", "board"]
    assert [means[team].value for team in means] == pytest.approx([4500, 2000, 9000], abs=1)
    assert budget.spent.epsilon == means.loss.epsilon == SURE
    assert table.by("team").count(epsilon=SURE).value == {"sales": 2, "lab": 3, "board": 1}
    crossed = table.by("team", "smoker").count(epsilon=SURE).value
    assert crossed["lab", True] == 1
    assert crossed["board", True] == 0
    assert len(crossed) == 6
    assert table.by("team").sum("pay", epsilon=SURE).value == {"sales": 9000, "lab": 6000, "board": 9000}
    assert table.by("team").median("pay", epsilon=SURE).value == {"sales": 5000, "lab": 2000, "board": 9000}
    assert table.by("smoker").percentiles("pay", (0, 100), epsilon=SURE).value[True] == (1000, 4000)
    assert table.by("smoker").most_common("team", epsilon=SURE).value[False] == "lab"
    assert table.where(smoker=False).by("team").count(epsilon=SURE).value == {"sales": 1, "lab": 2, "board": 1}


def test_under_replace_groups_share_the_price(refused: Refused) -> None:
    budget = Budget(epsilon=10 * SURE)
    table = described(budget=budget, adjacency="replace")
    loss = table.by("team").mean("pay", epsilon=SURE).loss
    assert loss.epsilon == SURE
    assert loss.adjacency is Adjacency.REPLACE
    assert budget.spent.epsilon == SURE
    with refused(ParameterError, "REPLACE"):
        table.where(team="lab").median("pay", epsilon=1)
    assert table.where(team="lab").by("smoker").median("pay", epsilon=SURE).value[True] == 1000
    consistent = table.by("team").count(epsilon=1, consistent=True)
    assert sum(consistent.value.values()) == 6


@pytest.mark.parametrize(
    ("ask", "shown"),
    [
        (lambda table: table.median("pya", epsilon=1), 'did you mean "pay"'),
        (lambda table: table.where(team="labb").count(epsilon=1), 'did you mean "lab"'),
        (lambda table: table.where(teem="lab").count(epsilon=1), 'did you mean "team"'),
        (lambda table: table.mean("team", epsilon=1), "number"),
        (lambda table: table.mean("hired", epsilon=1), "number"),
        (lambda table: table.most_common("pay", epsilon=1), "category"),
        (lambda table: table.median("name", epsilon=1), "text"),
        (lambda table: table.by("pay").count(epsilon=1), "category"),
        (lambda table: table.by().count(epsilon=1), "by"),
        (lambda table: table.by("team", "team").count(epsilon=1), "by"),
        (lambda table: table.by("team").most_common("team", epsilon=1), "another"),
        (lambda table: table.where(pay=between(20_000, None)).count(epsilon=1), "bounds"),
        (lambda table: table.median("pay", epsilon=0), "epsilon"),
        (lambda table: table.percentile("pay", 101, epsilon=1), "p must"),
        (lambda table: table.median("pay", epsilon=1, method="label"), "label"),
        (lambda table: table.median("pay", epsilon=1, method="widest"), "method"),
        (lambda table: table.median("hired", epsilon=1, method="number"), "dates"),
        (lambda table: table.median("hired", epsilon=1, method=PolyPlace(1)), "dates"),
        (lambda table: table.by("team").median("pay", epsilon=1, method="label"), "label"),
        (lambda table: table.percentiles("pay", (0.25, 0.5), epsilon=1), "percentages"),
        (lambda table: table.median("pay", epsilon=1, note="x" * 501), "note"),
        (lambda table: table.release_group_members("name", "hired", epsilon=1), "category"),
        (lambda table: table.where(team="lab").release_group_members("name", "team", epsilon=1), "where"),
    ],
)
def test_what_is_not_described_is_refused_before_anything_is_charged(
    ask: Any, shown: str, refused: Refused, untouched: Budget
) -> None:
    with refused(ParameterError, shown):
        ask(described(budget=untouched))


def test_rows_are_counted_where_no_column_is_described() -> None:
    assert Table(ROWS, columns={}, budget=Budget(epsilon=SURE)).count(epsilon=SURE) == 6


@pytest.mark.parametrize("columns", [{"pay": 5}, {1: Flag()}, "pay", None])
def test_a_description_maps_names_to_columns(columns: Any, refused: Refused, untouched: Budget) -> None:
    with refused(ParameterError, "columns"):
        Table(ROWS, columns=columns, budget=untouched)


@pytest.mark.parametrize("adjacency", [Adjacency.EDGE, "edge", "ADD_REMOVE", "", None, 1, ["replace"]], ids=str)
def test_the_adjacency_is_one_of_records_or_its_name(adjacency: Any, refused: Refused, untouched: Budget) -> None:
    with refused(ParameterError, "adjacency must be one of 'add_remove', 'replace'; got"):
        described(budget=untouched, adjacency=adjacency)
    for known in Adjacency.ADD_REMOVE, Adjacency.REPLACE:
        assert described(adjacency=known.value).adjacency is described(adjacency=known).adjacency is known


def test_whether_data_are_refused_depends_on_all_rows(refused: Refused, untouched: Budget) -> None:
    """A filter or a grouping of the asker's choice would tell who has a missing value."""
    broken = {**ROWS, "pay": [*ROWS["pay"][:5], None]}
    table = described(broken, budget=untouched)
    for part in (table, table.where(team="lab"), table.where(team="board")):
        with refused(DataError, "column 'pay' must have no missing values"):
            part.sum("pay", epsilon=1)
        with refused(DataError, "column 'pay' must have no missing values"):
            part.by("smoker").mean("pay", epsilon=1)
    for part in (table, table.where(pay=between(0, 1000))):
        with refused(DataError, "column 'pay'"):
            part.where(pay=between(1, 5000)).count(epsilon=1)
    odd = described({**ROWS, "team": ["lab"] * 5 + ["cellar"]}, budget=untouched)
    refusing: list[Callable[[], Any]] = [
        lambda: odd.where(team="lab").count(epsilon=1),
        lambda: odd.where(smoker=True).by("team").count(epsilon=1),
        lambda: odd.where(smoker=True).most_common("team", epsilon=1),
    ]
    for ask in refusing:
        with refused(DataError, "column 'team' must hold only the declared"):
            ask()


def test_columns_that_are_not_asked_about_may_hold_anything() -> None:
    broken = {**ROWS, "pay": [None] * 6}
    assert described(broken).where(team="lab").count(epsilon=SURE) == 3


def test_missing_values_may_be_dropped_and_others_have_a_label() -> None:
    rows = {"pay": [1, None, 3], "team": ["lab", "cellar", None]}
    columns: dict[str, Column] = {
        "pay": Number(0, 10, step=1, missing="drop"),
        "team": Category("lab", "rest", other="rest", missing="other"),
    }
    table = Table(rows, columns=columns, budget=Budget(epsilon=100 * SURE))
    assert table.sum("pay", epsilon=SURE) == 4
    assert table.by("team").count(epsilon=SURE).value == {"lab": 1, "rest": 2}
    assert table.by("team").sum("pay", epsilon=SURE).value == {"lab": 1, "rest": 3}
    assert table.most_common("team", epsilon=SURE) == "rest"
    dropped = Table(rows, columns={"team": Category("lab", "cellar", missing="drop")}, budget=Budget(epsilon=SURE * 9))
    assert dropped.by("team").count(epsilon=SURE).value == {"lab": 1, "cellar": 1}


def test_who_is_in_which_group_comes_out_of_a_table() -> None:
    table = described(budget=Budget(epsilon=10 * SURE, adjacency=Adjacency.REPLACE))
    told = table.release_group_members("name", "team", epsilon=100)
    assert {team: sorted(people) for team, people in told.value.items()} == {
        "sales": ["dan", "eve"],
        "lab": ["ann", "bob", "cid"],
        "board": ["fay"],
    }


def test_who_comes_out_meets_the_filter_so_it_names_public_columns_alone(refused: Refused, untouched: Budget) -> None:
    """Else a filter by pay would tell, for nothing, whose pay it is."""
    table = described(budget=untouched)
    for part in (table.where(pay=between(1000, 3000)), table.where(team="lab"), table.where(smoker=True, team="lab")):
        with refused(ParameterError, "where must name public columns alone"):
            part.release_group_members("name", "team", epsilon=1, public=["smoker", "team"])
    paid = described(budget=Budget(epsilon=10 * SURE, adjacency=Adjacency.REPLACE)).where(smoker=True)
    told = paid.release_group_members("name", "team", epsilon=SURE, public=["smoker"])
    assert sorted(name for people in told.value.values() for name in people) == ["ann", "dan"]


def test_one_public_column_may_be_named_alone_and_its_name_holds_no_other(refused: Refused, untouched: Budget) -> None:
    """ "pay_grade" names pay_grade: a filter by pay stays refused."""
    paid = described(budget=Budget(epsilon=10 * SURE, adjacency=Adjacency.REPLACE)).where(smoker=True)
    for public in ("smoker", {"smoker"}, frozenset({"smoker"}), ("smoker", "pay")):
        told = paid.release_group_members("name", "team", epsilon=SURE, public=public)
        assert sorted(name for people in told.value.values() for name in people) == ["ann", "dan"]
    part = described(budget=untouched).where(pay=between(1000, 3000))
    for inside in ("pay_grade", "repay", ["pay_grade"], ""):
        with refused(ParameterError, "where must name public columns alone"):
            part.release_group_members("name", "team", epsilon=1, public=inside)


@pytest.mark.parametrize("public", [None, 5, b"smoker", ["smoker", 3], [b"smoker"], {"smoker": 1}, iter(["smoker"])])
def test_public_columns_are_a_list_of_names(public: Any, refused: Refused, untouched: Budget) -> None:
    for table in (described(budget=untouched), described(budget=untouched).where(smoker=True)):
        with refused(ParameterError, "public must be a list of names of columns; got"):
            table.release_group_members("name", "team", epsilon=1, public=public)


def test_a_sum_s_error_knows_that_it_is_rounded() -> None:
    table = Table({"share": [0.25] * 10}, columns={"share": Number(0, 1)}, budget=Budget(epsilon=10 * SURE))
    told = table.sum("share", epsilon=SURE)
    assert abs(told.value - 2.5) <= told.error()
    by_hand = Table({"share": [0.25] * 10}, columns={"share": Number(0, 1, unit="0.01")}, budget=Budget(epsilon=SURE))
    assert by_hand.sum("share", epsilon=SURE).error() < 0.01


@pytest.mark.parametrize(
    ("column", "value"),
    [("pay", None), ("pay", float("inf")), ("team", "cellar"), ("leaves", None), ("leaves", "perhaps")],
)
def test_whether_a_fit_is_refused_depends_on_all_rows(
    column: str, value: Any, refused: Refused, untouched: Budget
) -> None:
    from dampen.learn import PrivateClassifier, PrivateTreeClassifier

    rows = {**ROWS, "leaves": ["yes", "no"] * 3}
    rows[column] = [*rows[column][:5], value]
    columns: dict[str, Column] = {
        "pay": Number(0, 10_000, missing="drop"),
        "team": Category("sales", "lab", "board"),
        "smoker": Flag(),
        "leaves": Category("yes", "no", other="no"),
    }
    table = Table(rows, columns=columns, budget=untouched)
    for part in (table, table.where(smoker=True), table.where(smoker=False)):
        for model in (PrivateClassifier(1), PrivateTreeClassifier(1, 2)):
            with refused(DataError):
                model.fit(part, "leaves")


@pytest.mark.parametrize("value", [None, float("inf")])
def test_whether_a_score_is_refused_depends_on_all_rows(value: Any, refused: Refused, untouched: Budget) -> None:
    from dampen.learn import PrivateTreeClassifier, private_score

    columns: dict[str, Column] = {"pay": Number(0, 10_000), "smoker": Flag()}
    model = PrivateTreeClassifier(1, 2).fit(Table(ROWS, columns=columns, budget=Budget(epsilon=1)), "smoker")
    broken = Table({**ROWS, "pay": [*ROWS["pay"][:5], value]}, columns=columns, budget=untouched)
    for part in (broken, broken.where(smoker=True), broken.where(smoker=False)):
        with refused(DataError, "column 'pay'"):
            private_score(model, part, "smoker", epsilon=1, budget=untouched)


def test_a_fit_takes_missing_values_as_others_with_a_filter_or_without_one() -> None:
    """Where another label takes them they break no schema: that there is a filter decides nothing."""
    from dampen.learn import PrivateTreeClassifier

    rows = {**ROWS, "team": [*ROWS["team"][:5], None]}
    columns: dict[str, Column] = {"team": Category("sales", "lab", other="lab", missing="other"), "smoker": Flag()}
    table = Table(rows, columns=columns, budget=Budget(epsilon=100))
    for part in (table, table.where(smoker=True), table.where(smoker=False)):
        assert PrivateTreeClassifier(1, 2).fit(part, "smoker").classes_.tolist() == [False, True]


def test_an_answer_says_how_good_it_is_and_behaves_as_its_value() -> None:
    count = described().count(epsilon=1)
    assert float(count.error(0.95)) == 3
    assert "95 %" in str(count)
    assert count + 1 == count.value + 1
    assert count.as_dict()["error"]["bound"] == 3
    assert "<table>" in count._repr_html_()


def test_the_ledger_s_note_says_what_was_asked(tmp_path: Path) -> None:
    path = as_csv(tmp_path)
    ledger = Budget.open(tmp_path / "staff.db", epsilon=10)
    table = described(str(path), budget=ledger)
    table.where(team="lab").median("pay", epsilon=1)
    table.by("team").count(epsilon=1)
    table.count(epsilon=1, note="my own")
    notes = [entry.note for entry in ledger.history() if entry.kind == "charge"]
    assert notes[0] == f"median of pay as Number(0, 10000, step=50) where team = 'lab' in {path}"
    assert notes[1] == f"count by team in {path}"
    assert notes[2] == "my own"
    ledger.close()


def test_a_ledger_that_remembers_answers_again_for_nothing(tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "staff.db", epsilon=10, remember=True)
    table = described(str(as_csv(tmp_path)), budget=ledger)
    questions: list[Callable[[], Release]] = [
        lambda: table.median("pay", epsilon=1),
        lambda: table.by("team").mean("pay", epsilon=1),
        lambda: table.percentiles("hired", (25, 75), epsilon=1),
        lambda: table.histogram("hired", epsilon=1),
    ]
    for ask in questions:
        first, spent = ask(), ledger.spent.epsilon
        again = ask()
        assert (again.value, again.loss, again.mechanism) == (first.value, first.loss, first.mechanism)
        assert type(again) is type(first)
        assert ledger.spent.epsilon == spent
        assert FREE in again.note
        assert FREE not in first.note
    spent = ledger.spent.epsilon
    table.median("pay", epsilon="1/2")
    table.where(team="lab").median("pay", epsilon=1)
    assert spent is not None
    assert not within(ledger.spent.epsilon, spent + 1)
    ledger.close()


def test_questions_that_differ_in_anything_have_different_keys() -> None:
    """Else an answer would be told to another question."""
    budget = Budget(epsilon=1000, remember=True)
    table = described(budget=budget, name="staff")
    other = Table(ROWS, columns={**COLUMNS, "team": Category("lab", "sales", "board")}, budget=budget, name="staff")
    bounded = Table(ROWS, columns={**COLUMNS, "pay": Number(0, 9_000, step=50)}, budget=budget, name="staff")
    renamed = Table(ROWS, columns=COLUMNS, budget=budget, name="staff 2")
    asked: list[Callable[[], Release]] = [
        lambda: table.count(epsilon=1),
        lambda: table.count(epsilon="1/3"),
        lambda: table.count(epsilon="0.333333333333"),
        lambda: table.where(team="lab").count(epsilon=1),
        lambda: table.where(team={"lab", "board"}).count(epsilon=1),
        lambda: table.where(pay=between(1, None)).count(epsilon=1),
        lambda: table.where(pay=between(None, 1)).count(epsilon=1),
        lambda: table.by("team").count(epsilon=1),
        lambda: table.by("team").count(epsilon=1, non_negative=True),
        lambda: table.by("team").count(epsilon=1, consistent=True),
        lambda: table.by("team", "smoker").count(epsilon=1),
        lambda: table.by("smoker", "team").count(epsilon=1),
        lambda: other.by("team").count(epsilon=1),
        lambda: table.median("pay", epsilon=1),
        lambda: table.median("pay", epsilon=1, method="rank"),
        lambda: table.median("pay", epsilon=1, method=Exponential),
        lambda: bounded.median("pay", epsilon=1),
        lambda: table.percentile("pay", 50, epsilon=1),
        lambda: table.percentile("pay", "1/3", epsilon=1),
        lambda: table.where(team="lab", smoker=True).count(epsilon=1),
        lambda: table.percentiles("pay", (25, 75), epsilon=1),
        lambda: table.percentiles("pay", (10, 90), epsilon=1),
        lambda: table.percentiles("pay", iter((10, 91)), epsilon=1),
        lambda: table.percentiles("pay", (10, 90), epsilon=1, strategy="halving"),
        lambda: table.sum("pay", epsilon=1),
        lambda: table.mean("pay", epsilon=1),
        lambda: table.top_categories("team", 1, epsilon=1),
        lambda: table.top_categories("team", 2, epsilon=1),
        lambda: renamed.count(epsilon=1),
    ]
    for ask in asked:
        before = budget.spent.epsilon
        ask()
        assert not within(budget.spent.epsilon, before)
    again: list[Callable[[], Release]] = [
        *asked,
        lambda: table.percentile("pay", "50", epsilon=1),
        lambda: table.percentiles("pay", ("25", "75.0"), epsilon="1.0"),
        lambda: table.where(smoker=True).where(team="lab").count(epsilon=1),
    ]
    before = budget.spent.epsilon
    for ask in again:
        ask()
    assert budget.spent.epsilon == before


def test_files_of_one_name_in_two_folders_are_two_tables(tmp_path: Path) -> None:
    budget = Budget(epsilon=10, remember=True)
    for folder, rows in (("one", 10), ("two", 5000)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "s.csv").write_text("smoker\n" + "true\n" * rows)
        (tmp_path / folder / "s.toml").write_text('data = "s.csv"\n[columns.smoker]\nkind = "flag"\n')
    opened = [dampen.open(tmp_path / folder / "s.toml", budget=budget) for folder in ("one", "two")]
    counts = [table.count(epsilon=1) for table in opened if isinstance(table, Table)]
    assert [round(count.value, -3) for count in counts] == [0, 5000]
    assert budget.spent.epsilon == 2


def test_rows_in_memory_have_no_name_to_be_remembered_by() -> None:
    budget = Budget(epsilon=10, remember=True)
    table = described(budget=budget)
    table.count(epsilon=1)
    table.count(epsilon=1)
    assert budget.spent.epsilon == 2
    named = described(budget=budget, name="staff of 2026")
    named.count(epsilon=1)
    named.count(epsilon=1)
    assert budget.spent.epsilon == 3


def test_a_budget_that_is_too_small_refuses_and_keeps_what_it_has() -> None:
    budget = Budget(epsilon=1)
    with pytest.raises(BudgetExceeded):
        described(budget=budget).by("team").mean("pay", epsilon=2)
    assert budget.spent.epsilon == 0


def test_printing_shows_what_is_public_alone() -> None:
    table = described().where(team="lab")
    assert repr(table) == "Table(dict: pay, team, hired, smoker, name where team = 'lab')"
    assert repr(table.by("smoker")) == f"{table!r}.by('smoker')"
