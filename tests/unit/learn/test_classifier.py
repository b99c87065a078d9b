"""PrivateClassifier: what it accepts, what it shows, and that a table comes back from JSON as it went."""

import json
import sys
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Category, Number
from dampen.errors import DataError, MissingExtra, ParameterError
from dampen.learn import PrivateClassifier, Schema

SCHEMA = Schema({"age": Number(0, 100, bins=4), "sex": Category(["F", "M"])}, classes=["no", "yes"])


def table(rows: int = 800) -> tuple[dict[str, Any], list[str]]:
    rng = np.random.default_rng(1)
    age, sex = rng.integers(0, 100, rows), rng.choice(["F", "M"], rows)
    return {"age": age, "sex": sex}, np.where((age < 50) & (sex == "M"), "yes", "no").tolist()


def fitted(epsilon: float = 1, **given: Any) -> PrivateClassifier:
    given = {"expected_records": 800, **given}
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
    model = PrivateClassifier(1000, schema, dampen.Budget(epsilon=1000), 1000).fit(rows, rows[:, 0])
    with pytest.raises(ParameterError, match="256"):
        model.plot_table()


def test_missing_matplotlib_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dampen\[plots\]'"):
        fitted().plot_table()
