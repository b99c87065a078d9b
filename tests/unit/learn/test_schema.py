"""Schemas: what is public, written by hand, in JSON or read off a public sample."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dampen import Budget
from dampen.errors import DataError, ParameterError
from dampen.learn import Categorical, Numeric, PrivateTreeClassifier, Schema

FULL = Schema(
    {"age": Numeric(17, 91, bins=20, whole=True), "pay": Numeric(0, 1.5), "sex": Categorical(["F", "M"], other="M")},
    classes=["no", "yes"],
)


def test_json_keeps_everything(tmp_path: Path) -> None:
    assert Schema.from_json(FULL.to_json()) == FULL
    (tmp_path / "s.json").write_text(FULL.to_json())
    assert Schema.from_json(tmp_path / "s.json") == FULL


@pytest.mark.parametrize("text", ["{", "{}", '{"attributes": 3, "classes": [1]}', '{"attributes": {"a": {}}}'])
def test_what_is_no_schema_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ParameterError, match="schema must be JSON") as refused:
        Schema.from_json(text)
    assert "\n" not in str(refused.value)
    with pytest.raises(ParameterError, match="can be read"):
        Schema.from_json("no such file")


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda: Schema({}, ["a"]), "attributes must map"),
        (lambda: Schema({"a": 3}, ["a"]), "attributes must map"),  # type: ignore[dict-item]
        (lambda: Schema({"a": Numeric(0, 1)}, []), "must not be empty"),
        (lambda: Schema({"a": Numeric(0, 1)}, ["a", "a"]), "distinct"),
        (lambda: Numeric(1, 1), "lo must be below hi"),
        (lambda: Numeric(0, float("nan")), "finite"),
        (lambda: Numeric(0, 1, bins=0), "at least 1"),
        (lambda: Categorical(["a"], other="b"), "other must be one of"),
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
    assert Numeric(0, 4).edges(4).tolist() == [1, 2, 3]
    assert Numeric(0, 4, bins=2).edges(4).tolist() == [2]
    assert Numeric(0, 1, whole=True).edges(10).tolist() == [1]


def test_a_public_sample_tells_its_bounds_and_values() -> None:
    sample = {"n": [3, 9], "x": [0.5, 2.0], "c": ["b", "a"], "same": [4, 4], "y": [1, 0]}
    found = Schema.from_public_sample(sample, "y", bins=5)
    assert found == Schema(
        {
            "n": Numeric(3, 9, 5, whole=True),
            "x": Numeric(0.5, 2, 5),
            "c": Categorical(["a", "b"]),
            "same": Categorical([4]),
        },
        classes=[0, 1],
    )
    with pytest.raises(DataError, match="no missing values"):
        Schema.from_public_sample({"n": [1.0, float("nan")], "y": [0, 1]}, "y")
