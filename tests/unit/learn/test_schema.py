"""Schemas: what is public, written by hand, in JSON or read off a public sample."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dampen import Budget, Category, Date, Flag, Number, Text
from dampen.describe.columns import Column
from dampen.errors import DataError, ParameterError
from dampen.learn import PrivateTreeClassifier, Schema
from dampen.learn.schema import inner_edges

FULL = Schema(
    {"age": Number(17, 91, bins=20, unit=1), "pay": Number(0, 1.5), "sex": Category(["F", "M"], other="M")},
    classes=["no", "yes"],
)


def test_json_keeps_everything(tmp_path: Path) -> None:
    assert Schema.from_json(FULL.to_json()) == FULL
    (tmp_path / "s.json").write_text(FULL.to_json())
    assert Schema.from_json(tmp_path / "s.json") == FULL


@pytest.mark.parametrize("text", ["{", "{}", '{"attributes": 3, "classes": [1]}', '{"attributes": {}}'])
def test_what_is_no_schema_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ParameterError, match="schema must be JSON") as refused:
        Schema.from_json(text)
    assert "\n" not in str(refused.value)
    with pytest.raises(ParameterError, match="can be read"):
        Schema.from_json("no such file")


def test_json_has_the_words_of_a_description() -> None:
    schema = Schema(
        {
            "age": Number(17, 91, bins=20, unit=1),
            "pay": Number(0, "1/3"),
            "sex": Category("F", "M", other="M"),
            "f": Flag(),
        },
        classes=[False, True],
    )
    assert json.loads(schema.to_json()) == {
        "attributes": {
            "age": {"kind": "number", "bounds": [17, 91], "unit": 1, "bins": 20},
            "pay": {"kind": "number", "bounds": [0, "1/3"]},
            "sex": {"kind": "category", "values": ["F", "M"], "other": "M"},
            "f": {"kind": "flag"},
        },
        "classes": [False, True],
    }
    assert Schema.from_json(schema.to_json()) == schema


@pytest.mark.parametrize(
    ("attribute", "rule"),
    [
        ("{}", "attribute 'a' still needs its kind"),
        ("3", "attribute 'a' must be a table with a kind"),
        ('{"kind": "number", "lo": 0, "hi": 1}', "attribute 'a' knows no key \"lo\""),
        ('{"kind": "number"}', "attribute 'a' is a number and still needs bounds"),
        ('{"kind": "number", "bounds": [1, 0]}', "attribute 'a': lo must be below hi"),
        ('{"kind": "text"}', "attribute 'a' must be a number, a category or a flag; got a text"),
    ],
)
def test_an_attribute_that_is_none_is_named(attribute: str, rule: str) -> None:
    with pytest.raises(ParameterError) as refused:
        Schema.from_json(f'{{"attributes": {{"a": {attribute}}}, "classes": [0, 1]}}')
    assert rule in str(refused.value)


TABLE: dict[str, Column] = {
    "age": Number(0, 120, unit=1),
    "job": Category("office", "field"),
    "born": Date("1900-01-01", "2030-01-01"),
    "smoker": Flag(),
    "name": Text(),
}


def test_a_described_table_has_a_schema() -> None:
    """Its numbers, categories and flags but the target are attributes; dates and texts are left out."""
    assert Schema.from_description(TABLE, "job") == Schema(
        {"age": Number(0, 120, unit=1), "smoker": Flag()}, classes=["office", "field"]
    )
    assert Schema.from_description(TABLE, "smoker").classes == (False, True)
    for target in ("age", "born", "name"):
        with pytest.raises(ParameterError, match=f"target must be a category or a flag; got column '{target}', a "):
            Schema.from_description(TABLE, target)
    with pytest.raises(ParameterError, match='"smoke": did you mean "smoker"'):
        Schema.from_description(TABLE, "smoke")
    with pytest.raises(ParameterError, match="attributes must map"):
        Schema.from_description({"name": Text(), "smoker": Flag()}, "smoker")


def test_a_flag_is_learned_as_a_category_of_truth_values() -> None:
    rows = {"f": [True, False] * 40, "text": ["TRUE", "false"] * 40}
    schemas = [Schema({"f": Flag()}, [0, 1]), Schema({"f": Category(False, True)}, [0, 1])]
    for name in rows:
        fits = [
            PrivateTreeClassifier("1e6", 1, schema=schema, budget=Budget(epsilon="1e6")).fit(
                {"f": rows[name]}, [1, 0] * 40
            )
            for schema in schemas
        ]
        assert [fit.predict({"f": [True, False]}).tolist() for fit in fits] == [[1, 0]] * 2
    with pytest.raises(DataError, match=r"column 'f' must hold only the declared values$"):
        PrivateTreeClassifier(1, 1, schema=schemas[0], budget=Budget(epsilon=1)).fit({"f": [True, None]}, [0, 1])


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: Schema({}, ["a"]), "attributes must map"),
        (lambda: Schema({"a": 3}, ["a"]), "attributes must map"),  # type: ignore[dict-item]
        (lambda: Schema({"a": Text()}, ["a"]), "attributes must map names to Number, Category or Flag"),  # type: ignore[dict-item]
        (lambda: Schema({"a": Number(2**60, 2**60 + 1)}, ["a"]), "bounds that differ as floats"),
        (lambda: Schema({"a": Number(0, 1)}, []), "must not be empty"),
        (lambda: Schema({"a": Number(0, 1)}, ["a", "a"]), "distinct"),
        (lambda: Number(1, 1), "lo must be below hi"),
        (lambda: Number(0, float("nan")), "finite"),
        (lambda: Number(0, 1, bins=0), "at least 1"),
        (lambda: Category(["a"], other="b"), "other must be one of"),
        (lambda: Schema.any(0, 1, 2, classes="secret"), "classes must be"),
        (lambda: Schema.any(0, 1, 2, classes=[0, 1]).to_json(), "name its attributes"),
    ],
)
def test_what_does_not_fit_is_refused(make: Any, rule: str) -> None:
    with pytest.raises(ParameterError, match=rule):
        make()


def test_unnamed_columns_have_no_classes_unless_somebody_says_which() -> None:
    with pytest.raises(TypeError, match="classes"):
        Schema.any(0, 1, 2)  # type: ignore[call-arg]
    with pytest.raises(ParameterError, match="empty"):
        Schema.any(0, 1, 2, classes=[])


def test_only_classes_called_public_come_from_the_training_data() -> None:
    """One record has another label: declared classes stay as they are, public ones tell it."""
    table, labels = np.zeros((9, 1)), [[0] * 9, [0] * 8 + [1]]

    def classes(said: Any) -> list[list[int]]:
        made = Schema.any(0, 1, bins=2, classes=said)
        fits = [PrivateTreeClassifier(1, 1, schema=made, budget=Budget(epsilon=1)).fit(table, y) for y in labels]
        return [fit.classes_.tolist() for fit in fits]

    assert classes([0, 1, 2]) == [[0, 1, 2]] * 2
    assert classes("public") == [[0], [0, 1]]


def test_edges_are_of_equal_width_and_whole_numbers_share_none() -> None:
    assert inner_edges(Number(0, 4), 4).tolist() == [1, 2, 3]
    assert inner_edges(Number(0, 4, bins=2), 4).tolist() == [2]
    assert inner_edges(Number(0, 1, unit=1), 10).tolist() == [1]
    assert inner_edges(Number(0, 1, unit="1/2"), 4).tolist() == [0.25, 0.5, 0.75]


def test_a_public_sample_tells_its_bounds_and_values() -> None:
    sample = {"n": [3, 9], "x": [0.5, 2.0], "c": ["b", "a"], "same": [4, 4], "y": [1, 0]}
    found = Schema.from_public_sample(sample, "y", bins=5)
    assert found == Schema(
        {
            "n": Number(3, 9, bins=5, unit=1),
            "x": Number(0.5, 2, bins=5),
            "c": Category(["a", "b"]),
            "same": Category([4]),
        },
        classes=[0, 1],
    )
    with pytest.raises(DataError, match="no missing values"):
        Schema.from_public_sample({"n": [1.0, float("nan")], "y": [0, 1]}, "y")
