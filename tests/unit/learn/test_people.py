"""Classifiers on tables with a person: who pays, what is refused, and that heavy rows have no heavier vote."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import dampen
from dampen import Adjacency, Budget, Category, Number, Table
from dampen.errors import BudgetError, DataError, ParameterError
from dampen.learn import PrivateClassifier, PrivateForestClassifier, PrivateTreeClassifier, private_score
from tests.estimators import ESTIMATORS, small

SURE = 10**6
COLUMNS = {"age": Number(0, 100, bins=4), "job": Category("office", "field"), "leaves": Category("no", "yes")}


def crowd() -> dict[str, list[Any]]:
    """Forty people with one row each, who leave if young; one old person with a thousand rows leaves in all of them."""
    rows: list[tuple[Any, ...]] = [
        (f"p{i}", 20 if i % 2 else 80, "field" if i % 3 else "office", "yes" if i % 2 else "no") for i in range(40)
    ]
    rows += [("heavy", 80, "field", "yes")] * 1000
    return dict(zip(("who", "age", "job", "leaves"), map(list, zip(*rows, strict=True)), strict=True))


def table(data: Any = None, **options: Any) -> Table:
    given = {"columns": COLUMNS, "budget": Budget(epsilon=10**9), "person": "who", **options}
    return Table(crowd() if data is None else data, **given)


SEEN = {"age": [20, 80], "job": ["field", "field"]}


@pytest.mark.parametrize("engine", ["arrays", "duckdb", "csv"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_person_has_one_vote_whatever_the_rows(name: str, engine: str, tmp_path: Path) -> None:
    data: Any = crowd()
    if engine == "duckdb":
        data = duckdb.from_arrow(pa.table(data))
    if engine == "csv":
        data = str(tmp_path / "crowd.csv")
        duckdb.from_arrow(pa.table(crowd())).write_csv(data)
    model = small(name, SURE, expected_records=100, structure=3, max_depth=2)
    if name == "PrivateForestClassifier" and engine == "duckdb":
        with pytest.raises(ParameterError, match="takes rows in memory or files"):
            model.fit(table(data), "leaves")
        return
    model.fit(table(data), "leaves")
    assert model.predict(SEEN).tolist() == ["yes", "no"]
    assert model.terms_["unit"] == "who"
    assert type(model).from_json(model.to_json()).to_json() == model.to_json()


def test_by_row_the_heavy_person_decides() -> None:
    model = PrivateClassifier(SURE, expected_records=100, kind="table").fit(table(person=None), "leaves")
    assert model.predict(SEEN).tolist() == ["yes", "yes"]


def test_released_counts_are_votes() -> None:
    """Thirty people with two rows each, of which one has the other class, and a row of nobody."""
    rows = [(who, age, way) for who in range(30) for age, way in ((10, "no"), (90, "yes"))] + [(None, 10, "yes")]
    data = dict(zip(("who", "age", "leaves"), map(list, zip(*rows, strict=True)), strict=True))
    columns = {"age": Number(0, 100, bins=2), "leaves": Category("no", "yes")}
    model = PrivateClassifier(SURE, expected_records=100, kind="table").fit(table(data, columns=columns), "leaves")
    assert np.array(model.model_.counts).tolist() == [[0, 15], [15, 0]]


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=str)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_loss_is_one_per_person(name: str, adjacency: Adjacency) -> None:
    budget = Budget(epsilon=3, unit="who", adjacency=adjacency)
    found = table(budget=budget, adjacency=adjacency)
    model = small(name, 1).fit(found, "leaves")
    assert budget.spent.epsilon == 1
    release = private_score(model, found, "leaves", epsilon=2, budget=budget)
    assert (release.loss.unit, release.loss.adjacency) == ("who", adjacency)
    assert budget.spent.epsilon == 3


def test_a_budget_of_rows_refuses() -> None:
    budget = Budget(epsilon=3, unit="row")
    with pytest.raises(BudgetError, match="who"):
        PrivateClassifier(1).fit(table(budget=budget), "leaves")
    assert budget.spent.epsilon == 0


WIDE = {f"x{i}": Number(0, 1, bins=64) for i in range(11)}
REFUSED: list[tuple[Any, dict[str, Any], str, str]] = [
    (PrivateTreeClassifier(1, 2, "information_gain"), {}, "leaves", "criterion='max' and mechanism='permute_and_flip'"),
    (PrivateTreeClassifier(1, 2, mechanism="stable"), {}, "leaves", "got 'max' and 'stable'"),
    (PrivateForestClassifier(1, labels="pareto"), {}, "leaves", "labels must be 'counts' or 'permute_and_flip'"),
    (PrivateClassifier(1), {"columns": {**COLUMNS, "who": Category("heavy")}}, "who", "who"),
    (PrivateClassifier(1), {"person": "whom"}, "leaves", "whom"),
    (PrivateClassifier(1), {"columns": {**WIDE, "leaves": Category("no", "yes")}}, "leaves",
     "fewer than 2\\*\\*62 cells"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "options", "target", "rule"), REFUSED, ids=lambda each: str(each)[:40])
def test_refusals_cost_nothing(model: Any, options: dict[str, Any], target: str, rule: str) -> None:
    data: dict[str, Any] = {**crowd(), **{name: [0.5] * 1040 for name in WIDE}}
    found = table(data, **options)
    with pytest.raises(ParameterError, match=rule):
        model.fit(found, target)
    assert found.budget.spent.epsilon == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ESTIMATORS)
def test_rows_without_a_person_are_dropped_or_refused(name: str) -> None:
    data = crowd()
    data["who"] = [None, *data["who"][1:]]
    small(name, 1).fit(table(data), "leaves")
    refusing = table(data, person_missing="refuse")
    with pytest.raises(DataError, match="'who' must have no missing values"):
        small(name, 1).fit(refusing, "leaves")
    model = PrivateClassifier(1).fit(table(data), "leaves")
    with pytest.raises(DataError, match="'who' must have no missing values"):
        private_score(model, refusing, "leaves", epsilon=1, budget=refusing.budget)
    assert refusing.budget.spent.epsilon == 0  # type: ignore[attr-defined]


def test_a_described_person_is_nothing_to_learn_from() -> None:
    found = table(columns={**COLUMNS, "who": Category("heavy", "p0", other="p0")})
    assert list(PrivateClassifier(1).fit(found, "leaves").schema_.attributes) == ["age", "job"]


def test_a_filter_leaves_votes_of_the_rows_that_meet_it() -> None:
    model = PrivateClassifier(SURE, expected_records=100, kind="table").fit(
        table().where(age=dampen.between(50, None)), "leaves"
    )
    assert sum(map(sum, model.model_.counts)) == 21


def test_scores_are_shares_of_votes() -> None:
    model = PrivateClassifier(SURE, expected_records=100, kind="table").fit(table(), "leaves")
    release = private_score(model, table(), "leaves", epsilon=SURE, budget=Budget(epsilon=SURE))
    assert float(release) == pytest.approx(40 / 41, abs=1e-5)
    assert release.error(0.95) < 0.001
    rough = private_score(model, table(), "leaves", epsilon=1, budget=Budget(epsilon=1))
    assert 0.02 < float(rough.error(0.95)) < 0.5


def test_scores_refuse_a_model_that_reads_the_person() -> None:
    model = PrivateClassifier(1).fit(table(person=None), "leaves")
    with pytest.raises(ParameterError, match="must not read the person's column"):
        private_score(model, table(person="age"), "leaves", epsilon=1, budget=Budget(epsilon=1))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_tables_joined_by_links(name: str) -> None:
    shop = dampen.Database(
        {"customers": {"id": [1, 2, 3], "vip": ["no", "yes", "no"]},
         "orders": {"customer": [1, 1, 2, 3], "price": [5, 5, 90, 5]}},
        person="customers.id", links={"orders.customer": "customers.id"},
        columns={"customers": {"vip": Category("no", "yes")}, "orders": {"price": Number(0, 100, bins=2)}},
        budget=Budget(epsilon=10**9),
    )  # fmt: skip
    orders = shop.table("orders")
    target = next(column for column in orders.columns if column.endswith("vip"))
    model = small(name, SURE, expected_records=100, structure=3).fit(orders, target)
    assert model.terms_["unit"] == orders.person
