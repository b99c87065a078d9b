"""PrivateClassifier: what it accepts, what it shows, and that a table comes back from JSON as it went."""

import json
import sys
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Category, Number
from dampen.errors import DataError, MissingExtra, ParameterError
from dampen.learn import PrivateClassifier, PrivateScorecard, Schema

SCHEMA = Schema({"age": Number(0, 100, bins=4), "sex": Category(["F", "M"])}, classes=["no", "yes"])


def table(rows: int = 800) -> tuple[dict[str, Any], list[str]]:
    rng = np.random.default_rng(1)
    age, sex = rng.integers(0, 100, rows), rng.choice(["F", "M"], rows)
    return {"age": age, "sex": sex}, np.where((age < 50) & (sex == "M"), "yes", "no").tolist()


def fitted(epsilon: float = 1, **given: Any) -> PrivateClassifier:
    given = {"expected_records": 800, "kind": "table", **given}
    return PrivateClassifier(epsilon, SCHEMA, dampen.Budget(epsilon=epsilon), **given).fit(*table())


@pytest.mark.parametrize("adjacency", [None, Adjacency.ADD_REMOVE, Adjacency.REPLACE])
def test_a_replaced_record_halves_the_rate(adjacency: Adjacency | None) -> None:
    model = PrivateClassifier(1, SCHEMA, dampen.Budget(epsilon=1), 800, adjacency).fit(*table())
    assert model.model_.epsilon <= (0.5 if adjacency is Adjacency.REPLACE else 1)


def test_what_does_not_fit_is_refused_before_anything_is_paid() -> None:
    budget = dampen.Budget(epsilon=1)
    many = Schema({"x": Number(0, 1, bins=5000)}, classes=[0, 1])
    wrong: list[tuple[dict[str, Any], Any, type[Exception], str]] = [
        ({"schema": SCHEMA, "expected_records": 0}, table(), ParameterError, "expected_records"),
        ({"schema": SCHEMA, "expected_records": 1.5}, table(), ParameterError, "expected_records"),
        ({"schema": many}, ({"x": [0.5]}, [1]), ParameterError, "4096 tests"),
        ({"schema": SCHEMA}, (table()[0], ["maybe"] * 800), DataError, "declared classes"),
        ({"schema": SCHEMA, "adjacency": Adjacency.EDGE}, table(), ParameterError, "adjacency"),
    ]
    for given, data, error, rule in wrong:
        with pytest.raises(error, match=rule):
            PrivateClassifier(epsilon=1, budget=budget, **given).fit(*data)
    assert budget.spent.epsilon == 0


def test_json_brings_back_the_same_table() -> None:
    model = fitted()
    again = PrivateClassifier.from_json(model.to_json())
    assert again.to_json() == model.to_json()
    assert (again.predict_proba(table()[0]) == model.predict_proba(table()[0])).all()
    assert again.export_text() == model.export_text()
    assert again.budget is None
    cut = json.loads(model.to_json())
    cut["released"]["counts"].pop()
    with pytest.raises(ParameterError, match="cells"):
        PrivateClassifier.from_json(json.dumps(cut))


def test_the_text_has_a_row_for_every_possible_cell() -> None:
    """Four tests at this price, of which all are taken: three nested edges and a sex make 4 x 2 cells."""
    model = fitted(epsilon=2)
    assert model.tests_ == ("age < 25", "age < 50", "age < 75", "sex = M")
    lines = model.export_text().splitlines()
    assert lines[0].split("  ")[0] == "age < 25"
    assert lines[0].split()[-3:] == ["no", "yes", "class"]
    assert len(lines) == 1 + 8
    assert [line.split()[-1] for line in lines[1:]] == ["no", "no", "no", "no", "no", "yes", "no", "yes"]


def test_an_unknown_category_is_none_of_the_others() -> None:
    model = fitted(epsilon=2)
    asked = {"age": [20, 20, 20, -5], "sex": ["F", "unheard of", "M", "M"]}
    assert model.predict(asked).tolist() == ["no", "no", "yes", "yes"]
    assert np.allclose(model.predict_proba(asked).sum(axis=1), 1)


def test_the_picture_shows_every_cell() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    model = fitted(epsilon=2)
    axes = model.plot_table()
    assert len(axes.texts) == 8
    assert [label.get_text() for label in axes.get_xticklabels()] == list(model.tests_)
    assert model.plot_table(axes) is axes
    axes.figure.clear()


def test_a_picture_of_very_many_cells_is_refused() -> None:
    schema = Schema({f"x{place}": Category([0, 1]) for place in range(9)}, classes=[0, 1])
    rows = np.zeros((5, 9), dtype=int)
    model = PrivateClassifier(1000, schema, dampen.Budget(epsilon=1000), 1000, kind="table").fit(rows, rows[:, 0])
    with pytest.raises(ParameterError, match="256"):
        model.plot_table()


def test_missing_matplotlib_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dampen\[plots\]'"):
        fitted().plot_table()


def joint(epsilon: float = 2, **given: Any) -> PrivateClassifier:
    budget = dampen.Budget(epsilon=epsilon)
    return PrivateClassifier(epsilon, SCHEMA, budget, **{"expected_records": 4000, **given}).fit(*table(4000))


def test_a_joint_model_is_taken_where_a_public_number_is_small() -> None:
    """rho is 1/2 W K m / (epsilon N) with W = 1 + 0.44 and m = (4 + 2 * 0.44) / 1.44: 4.88 / (epsilon N)."""
    for records, kind in ((250, "joint"), (240, "table")):
        model = joint(epsilon=1, expected_records=records)
        assert model.kind_ == kind
        assert f"{4.88 / records:.2g}" in model.why_
    vast = joint(epsilon=1, expected_records=10**7)
    assert (vast.kind_, "would not fit" in vast.why_) == ("table", True)
    assert joint(kind="table").kind_ == "table"
    assert "asked for" in joint(kind="joint").why_


def test_more_than_two_classes_keep_the_table() -> None:
    schema = Schema({"a": Category(range(3))}, classes=range(3))
    rows = np.arange(3000).reshape(-1, 1) % 3
    for kind, told in ((None, "table"), ("joint", "joint")):
        model = PrivateClassifier(5, schema, dampen.Budget(epsilon=5), 3000, kind=kind).fit(rows, rows[:, 0])
        assert model.kind_ == told
        assert ("more than two classes" in model.why_) == (kind is None)


def test_more_records_than_can_be_certified_are_refused_before_payment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dampen.learn.classifier.MOST_SCORED", 3999)
    with pytest.raises(DataError, match="for a joint model: try kind='table'"):
        joint()
    assert joint(kind="table").kind_ == joint(epsilon=1, expected_records=240).kind_ == "table"
    monkeypatch.setattr("dampen.learn.scorecard.MOST_SCORED", 3999)
    budget = dampen.Budget(epsilon=1)
    with pytest.raises(DataError, match="for a scorecard"):
        PrivateScorecard(1, schema=SCHEMA, budget=budget).fit(*table(4000))
    assert budget.spent.epsilon == 0


def test_a_joint_model_predicts_shows_and_comes_back() -> None:
    data, classes = table(4000)
    model = joint()
    assert model.kind_ == "joint"
    assert (model.predict(data) == np.array(classes)).mean() > 0.95
    again = PrivateClassifier.from_json(model.to_json())
    assert (again.predict_proba(data) == model.predict_proba(data)).all()
    assert (again.kind_, again.why_, again.export_text()) == (model.kind_, model.why_, model.export_text())
    assert model.export_text().splitlines()[-1].startswith("Add up the points")
    assert model.predict({"age": [20], "sex": ["unheard of"]}).shape == (1,)


def test_points_of_a_joint_model_add_up_as_its_text_says() -> None:
    model = joint()
    lines = [line.split() for line in model.export_text().splitlines()[1:-1]]
    points = {" ".join(words[:-1]): int(words[-1]) for words in lines}
    said = ["yes" if answer else "no" for answer in (20 < 25, 20 < 50, 20 < 75, True)]
    assert model.tests_ == ("age < 25", "age < 50", "age < 75", "sex = M")
    total = points["everybody"] + points["age < 25"] + points["sex = M"]
    total += sum(points[f"{test} {answer}"] for test, answer in zip(model.tests_, said, strict=True))
    total += points[f"answers {' '.join(said)}"]
    shares = model.predict_proba({"age": [20], "sex": ["M"]})[0]
    p = 1 / (1 + np.exp(-total / 100))
    assert shares[1] == pytest.approx(p / (3 * p - 2 * p * p) if p >= 0.5 else 1 - (1 - p) / (1 + p - 2 * p * p))


def test_absurd_joint_models_are_refused() -> None:
    told = json.loads(joint().to_json())
    changes: list[dict[str, Any]] = [{"points": told["released"]["points"][1:]}, {"points": "many"}, {"epsilon": "0"}]
    for change in [*changes, {"tests": []}]:
        with pytest.raises(ParameterError):
            PrivateClassifier.from_json(json.dumps({**told, "released": {**told["released"], **change}}))
    with pytest.raises(ParameterError, match="kind"):
        joint(kind="forest")


def test_a_joint_model_of_very_many_values_is_refused_before_anything_is_paid() -> None:
    budget = dampen.Budget(epsilon=1)
    wide = Schema({"x": Number(0, 1, bins=4000)}, classes=[*range(300)])
    with pytest.raises(ParameterError, match=r"classes|kind"):
        PrivateClassifier(1, wide, budget, kind="joint").fit({"x": [0.5]}, [1])
    assert budget.spent.epsilon == 0
