"""A plan reads descriptions alone: data that refuse every access, rows as stand-ins, and shapes that are declared."""

from pathlib import Path
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category, Date, Flag, Number, StandIn, Table
from dampen.errors import ParameterError
from dampen.tables.engines import Source

COLUMNS: dict[str, Any] = {
    "pay": Number(0, 10_000, step=50),
    "team": Category("sales", "lab", "board"),
    "smoker": Flag(),
    "since": Date("2000-01-01", "2030-01-01", step="month"),
}
QUESTIONS = [
    *("count", "count by team, smoker", "sum pay", "mean pay", "mean pay by team", "variance pay", "median pay"),
    *("median since", "percentile 90 of pay where smoker=true", "percentiles 25,50,75 of pay by team"),
    *("histogram pay", "histogram team", "most_common team", "top_categories 2 of team"),
]
OF_PEOPLE = ["count of persons", "count cap 5", "sum pay cap 500 by team", "mean pay", "median pay", "histogram team"]


class Forbidden:
    """Data that raise on whatever is asked of them, their class included."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"a row was looked at: {name}")

    def _refuse(self, *given: Any) -> Any:
        raise AssertionError("a row was looked at")

    __iter__ = __len__ = __getitem__ = __contains__ = __bool__ = __eq__ = __hash__ = _refuse
    __array__ = __str__ = __repr__ = __dir__ = __float__ = __int__ = _refuse


def forbidden_table(budget: Any, **more: Any) -> Table:
    table = Table({}, columns=COLUMNS, budget=budget, **more)
    object.__setattr__(table.view.data, "data", Forbidden())
    return table


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"epsilon": 1},
        {"error": {"median pay": 50, "count": "2%"}},
        {"error": {"median pay": 4000, "mean pay": 900}, "epsilon": 60},
    ],
)
@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE])
def test_no_row_is_looked_at(given: dict[str, Any], adjacency: Adjacency, tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "staff.db", epsilon=90, adjacency=adjacency)
    head = ledger.head
    table = forbidden_table(ledger, adjacency=adjacency)
    asked = [each for each in QUESTIONS if adjacency is Adjacency.ADD_REMOVE or "where" not in each]
    shape = {"pay": StandIn([100, 2000, 3000]).as_public()}
    size = dict.fromkeys(asked, 900)
    for stand_ins in (None, shape):
        plan = dampen.plan(table, asked, size=size, stand_ins=stand_ins, **given)
        assert str(plan)
        assert plan.as_html()
        assert plan.as_dict()
    assert ledger.head == head
    assert ledger.spent.epsilon == 0


def test_no_row_of_a_person_is_looked_at() -> None:
    budget = Budget(epsilon=9, unit="who")
    plan = dampen.plan(forbidden_table(budget, person="who"), OF_PEOPLE, size=900, epsilon=9)
    assert len(plan.epsilons) == len(OF_PEOPLE)
    assert budget.spent.epsilon == 0


def test_a_bad_question_is_refused_without_a_look() -> None:
    asked: list[tuple[str, dict[str, Any]]] = [("median pya", {}), ("mean pay", {}), ("median pay", {"error": -1})]
    for question, given in asked:
        with pytest.raises(ParameterError):
            dampen.plan(forbidden_table(Budget(epsilon=1)), question, **given)


ROWS = {"pay": [1200, 2500], "team": ["lab", "sales"], "smoker": [True, False], "since": ["2001-02-03"] * 2}


def staff(data: Any = ROWS, **more: Any) -> Table:
    return Table(data, columns=COLUMNS, budget=Budget(epsilon=2), **more)


@pytest.mark.parametrize(
    "rows",
    [
        staff,
        lambda: staff().where(team="lab"),
        lambda: staff().by("team"),
        lambda: Table({**ROWS, "who": [1, 2]}, columns=COLUMNS, budget=Budget(epsilon=2), person="who").per_person(
            "max", "pay"
        ),
    ],
)
def test_rows_of_a_table_are_never_a_stand_in(rows: Any) -> None:
    with pytest.raises(ParameterError, match="rows of a table that is asked are private"):
        StandIn(rows())


def test_the_data_that_are_asked_are_no_stand_in_whoever_says_so(tmp_path: Path) -> None:
    path = tmp_path / "staff.csv"
    path.write_text("pay\n1\n")
    cases = [
        (staff(), ROWS),
        (staff(), ROWS["pay"]),
        (staff(str(path)), path),
        (staff(path), Source(str(path), column="pay")),
    ]
    for table, values in cases:
        with pytest.raises(ParameterError, match="rows of a table that is asked are private"):
            dampen.plan(table, "median pay", size=9, stand_ins={"pay": StandIn(values).as_public()})


# Shapes that a description declares


@pytest.mark.parametrize("shape", ["uniform", {10: 1400, 50: 2600, 90: 5200}])
def test_a_declared_shape_stands_in(shape: Any) -> None:
    columns = {"pay": Number(0, 10_000, step=50, shape=shape)}
    table = Table("none.csv", columns=columns, budget=Budget(epsilon=2))
    declared = dampen.plan(table, "median pay", error=200, size=5000)
    stand_in = StandIn.uniform() if shape == "uniform" else StandIn.percentiles(shape).as_public()
    said = dampen.plan(staff(), "median pay", error=200, size=5000, stand_ins={"pay": stand_in})
    assert declared == said
    assert "if the values lie as in the stand-in" in str(declared)
    other = dampen.plan(
        table, "median pay", error=200, size=5000, stand_ins={"pay": StandIn(range(2000, 3000)).as_public()}
    )
    assert other.epsilons != declared.epsilons  # what is said in the call counts


def test_a_shape_changes_no_answer_and_no_name_of_one() -> None:
    plain, shaped = Number(0, 10, step=1), Number(0, 10, step=1, shape="uniform")
    assert repr(plain) == repr(shaped)
    assert plain != shaped


@pytest.mark.parametrize("shape", ["bell", 7, {}, {50: 3, 60: 2}, {"x": 3}, [1, 2]])
def test_what_is_no_shape_is_refused(shape: Any) -> None:
    with pytest.raises(ParameterError):
        Number(0, 10, shape=shape)
    with pytest.raises(ParameterError, match="shape must be left out where no bounds are known"):
        Number(unit=1, shape="uniform")
