"""Numbers without bounds in classifiers: where they are cut, what that costs, and what is refused while it is free."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import dampen
from dampen import Adjacency, Budget, Category, Number, PrivacyLoss
from dampen.accounting.composition import rho_of
from dampen.errors import DataError, ParameterError
from dampen.learn import PrivateClassifier, PrivateForestClassifier, PrivateTreeClassifier, Schema, private_score
from dampen.learn.estimator import PaidClassifier
from dampen.learn.private_cuts import SHARE, edges_at
from dampen.learn.random_trees import draw_trees
from dampen.tables.relative_grid import unbounded_grid
from tests.estimators import ESTIMATORS, small

SURE = 10**6
ROWS = 1000
DATA: dict[str, list[Any]] = {
    "pay": [*range(1000, 1000 + ROWS)],
    "debt": [0] * 900 + [*range(100)],
    "leaves": ["yes"] * 250 + ["no"] * 750,
}
COLUMNS = {"pay": Number(unit=1, bins=4), "debt": Number(unit="0.5", bins=4), "leaves": Category("no", "yes")}
SEEN = {"pay": [1010, 1800], "debt": [0, 0]}


def table(data: Any = None, epsilon: Any = SURE, **options: Any) -> dampen.Table:
    given = {"columns": COLUMNS, "budget": Budget(epsilon=epsilon), **options}
    return dampen.Table(DATA if data is None else data, **given)


@pytest.mark.parametrize("engine", ["arrays", "duckdb", "csv"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_numbers_are_cut_at_their_percentiles_wherever_they_lie(name: str, engine: str, tmp_path: Path) -> None:
    data: Any = DATA
    if engine == "duckdb":
        data = duckdb.from_arrow(pa.table(DATA))
    if engine == "csv":
        data = str(tmp_path / "staff.csv")
        duckdb.from_arrow(pa.table(DATA)).write_csv(data)
    if name == "PrivateForestClassifier" and engine == "duckdb":
        return
    found = table(data)
    model = small(name, SURE, expected_records=1000, structure=3, max_depth=2).fit(found, "leaves")
    assert model.schema_.cuts["pay"] == pytest.approx((1250, 1500, 1750), abs=8)
    assert model.schema_.cuts["debt"] == (0, 0.5)
    assert found.budget.remaining.epsilon == 0  # type: ignore[attr-defined]
    assert model.predict(SEEN).tolist() == ["yes", "no"] or name == "PrivateForestClassifier"
    again = type(model).from_json(model.to_json())
    assert again.to_json() == model.to_json()
    assert again.predict_proba(DATA).tolist() == model.predict_proba(DATA).tolist()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_persons_cut_by_their_votes(name: str) -> None:
    """Ten persons around 1,000 with one row each, and one with a thousand rows beyond a million."""
    data: dict[str, list[Any]] = {"who": [*range(10), *[99] * 1000], "pay": [*range(1000, 1010), *[10**6] * 1000]}
    columns = {"pay": Number(unit=1, bins=2), "leaves": Category("no", "yes")}
    data["leaves"] = ["no"] * 1010
    found = table(data, columns=columns, person="who")
    model = small(name, SURE, expected_records=1000).fit(found, "leaves")
    [cut] = model.schema_.cuts["pay"]
    assert 1000 <= cut <= 1010
    assert model.terms_["unit"] == "who"
    by_row = small(name, SURE, expected_records=1000).fit(
        table({**data, "leaves": ["no"] * 1010}, columns=columns), "leaves"
    )
    assert by_row.schema_.cuts["pay"] == pytest.approx((10**6,), rel=0.01)


@pytest.mark.long
def test_persons_are_cut_in_tables_of_ibis() -> None:
    """A query that knows 3,711 places takes its time."""
    ibis = pytest.importorskip("ibis")
    data = pa.table({**DATA, "who": [*range(ROWS // 2)] * 2})
    found = table(ibis.duckdb.connect().create_table("staff", data), person="who")
    model = PrivateClassifier(SURE, expected_records=1000, kind="table").fit(found, "leaves")
    assert model.schema_.cuts["pay"] == pytest.approx((1250, 1500, 1750), rel=0.02)


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=str)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_cuts_are_a_part_of_one_charge(name: str, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, rates = ESTIMATORS[name], []
    grow = kind._grow

    def heard(self: PaidClassifier, prepared: Any, epsilon: Fraction, source: Any) -> Any:
        rates.append(epsilon)
        return grow(self, prepared, epsilon, source)

    monkeypatch.setattr(kind, "_grow", heard)
    found = table(epsilon=2, adjacency=adjacency)
    model = small(name, 2).fit(found, "leaves")
    assert found.budget.remaining.epsilon == 0  # type: ignore[attr-defined]
    whole = 1 if adjacency is Adjacency.REPLACE else 2
    assert rates == [whole * (1 - SHARE)] == [model._rate_paid()]
    assert json.loads(model.to_json())["for_cuts"] == str(2 * SHARE)
    assert kind.from_json(model.to_json())._rate_paid() == whole * (1 - SHARE)


def test_rhos_of_cuts_and_steps_add_up() -> None:
    """Two numbers, and the three shares of a tree of depth 1."""
    tree = PrivateTreeClassifier(2, 1, schema=Schema({"a": Number(unit=1), "b": Number(unit=1)}, [0, 1]))
    loss = tree._loss(tree.schema.with_cuts({"a": [1], "b": [1]}), "")
    assert loss.epsilon == 2
    number, step = (
        rho_of(PrivacyLoss(price, adjacency=Adjacency.ADD_REMOVE)) for price in (SHARE, 2 * (1 - SHARE) / 3)
    )
    assert loss.rho == 2 * number + 3 * step


@pytest.mark.parametrize("name", ESTIMATORS)
def test_released_cuts_serve_again_for_nothing(name: str) -> None:
    first = small(name, SURE).fit(table(), "leaves")
    again = small(name, 1, schema=first.schema_, budget=Budget(epsilon=1)).fit(DATA, "leaves")
    assert again.schema_ == first.schema_
    assert again._rate_paid() == 1
    assert "for_cuts" not in again.terms_
    assert Schema.from_json(first.schema_.to_json()) == first.schema_


def test_a_bounded_schema_pays_for_no_cuts() -> None:
    schema = Schema({"pay": Number(0, 2000), "debt": Number(unit=1, bins=1)}, classes=["no", "yes"])
    tree = PrivateTreeClassifier(1, 1, schema=schema, budget=Budget(epsilon=1)).fit(DATA, "leaves")
    assert tree._rate_paid() == 1
    assert not tree.schema_.cuts
    assert not schema.uncut


def test_an_empty_table_is_cut_somewhere() -> None:
    nobody: dict[str, list[Any]] = {name: [] for name in DATA}
    model = PrivateClassifier(1, expected_records=100).fit(table(nobody, 1), "leaves")
    assert set(model.schema_.cuts) == {"pay", "debt"}
    assert set(model.predict(SEEN)) <= {"no", "yes"}


def test_a_value_that_was_drawn_twice_has_an_edge_on_either_side() -> None:
    grid = unbounded_grid("0.01")
    assert edges_at([5.0, 0.0, 0.0], grid) == [0.0, 0.01, 5.0]
    assert edges_at([grid[-1]] * 2, grid) == [grid[-1]]
    assert edges_at([7], unbounded_grid(1)) == [7.0]


def test_points_of_a_forest_lie_among_the_cuts() -> None:
    schema = Schema({"pay": Number(unit=1)}, ["no", "yes"], cuts={"pay": [0, 10, 1000]})
    trees = draw_trees(schema, 400, 1, 5)
    points = trees.points[trees.attributes == 0]
    assert len(points) == 400
    shares = [(points == 0).mean(), (points < 10).mean(), (points == 1000).mean()]
    assert shares == pytest.approx([1 / 6, 1 / 2, 1 / 6], abs=0.08)
    alone = draw_trees(Schema({"pay": Number(unit=1)}, [0, 1], cuts={"pay": [7]}), 20, 2, 5)
    assert set(alone.points[alone.attributes == 0].tolist()) == {7.0}


def test_scores_read_numbers_without_bounds() -> None:
    found = table(epsilon=2 * SURE)
    model = PrivateClassifier(SURE, expected_records=1000, kind="table").fit(found, "leaves")
    assert private_score(model, found, "leaves", epsilon=SURE, budget=found.budget) > 0.98


@pytest.mark.parametrize(
    ("data", "columns", "match"),
    [
        ({"pay": [1.0, float("nan")]}, {}, "finite numbers"),
        ({"pay": [1.0, float("inf")]}, {}, "finite numbers"),
        ({}, {"pay": Number(unit=1, bins=5000)}, "at most 4096 tests"),
        ({}, {"pay": Number(unit=Fraction(1, 2**80))}, "fewer digits"),
    ],
    ids=["missing", "infinite", "too many", "digits"],
)
def test_what_is_wrong_is_refused_before_anything_is_paid(data: Any, columns: Any, match: str) -> None:
    given = {"pay": [1, 2], "debt": [0, 0], "leaves": ["no", "yes"], **data}
    found = table(given, 1, columns={**COLUMNS, **columns})
    with pytest.raises((DataError, ParameterError), match=match):
        PrivateClassifier(1).fit(found, "leaves")
    assert found.budget.spent.epsilon == 0  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "cuts",
    [3, {"age": [1]}, {"sex": [1]}, {"none": [1]}, {"pay": []}, {"pay": [2, 1]}, {"pay": [1, 1]}, {"pay": ["1"]},
     {"pay": [float("nan")]}, {"pay": [float("inf")]}, {"pay": [True]}, {"pay": 1}, {"pay": [1.0] * 2**16}],
    ids=str,
)  # fmt: skip
def test_what_are_no_cuts_is_refused(cuts: Any) -> None:
    attributes: dict[str, Any] = {"age": Number(0, 100), "sex": Category("F", "M"), "pay": Number(unit=1)}
    with pytest.raises(ParameterError, match="cuts must") as refused:
        Schema(attributes, ["no", "yes"], cuts=cuts)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    "change",
    [{"for_cuts": "1"}, {"for_cuts": "-1/10"}, {"for_cuts": "x"}, {"for_cuts": None}],
    ids=lambda change: str(change["for_cuts"]),
)
def test_forged_prices_of_cuts_are_refused(change: Any) -> None:
    plain = json.loads(PrivateTreeClassifier(1, 1).fit(table(epsilon=1), "leaves").to_json())
    with pytest.raises(ParameterError, match="what to_json"):
        PrivateTreeClassifier.from_json(json.dumps(plain | change))


def test_a_saved_model_without_its_cuts_is_refused() -> None:
    plain = json.loads(PrivateForestClassifier(1, 2, 1).fit(table(epsilon=1), "leaves").to_json())
    del plain["schema"]["cuts"]
    with pytest.raises(ParameterError, match="what to_json"):
        PrivateForestClassifier.from_json(json.dumps(plain))


def test_without_a_known_schema_parameters_stay_as_they_were() -> None:
    model = PrivateClassifier(1).fit(table(epsilon=1), "leaves")
    assert (model.schema, model.budget) == (None, None)
    assert np.isfinite(model.predict_proba(SEEN)).all()
