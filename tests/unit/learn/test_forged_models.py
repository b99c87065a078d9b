"""Saved models that nobody's ``to_json`` wrote: refused in one sentence, before compiled loops read them."""

import json
from typing import Any

import pytest

from dampen import Budget, Category, Number
from dampen.errors import ParameterError
from dampen.learn import PrivateClassifier, PrivateForestClassifier, PrivateTreeClassifier, Schema
from dampen.learn.estimator import PaidClassifier
from tests.estimators import ESTIMATORS

SCHEMA = Schema({"a": Category(["x", "y", "z"]), "b": Number(0, 10, bins=4)}, classes=["no", "yes"])
TABLE = {"a": ["x", "y", "z", "x"] * 10, "b": list(range(10)) * 4}
TARGET = ["no", "yes"] * 20


def written(kind: str) -> dict[str, Any]:
    made: dict[str, PaidClassifier] = {
        "tree": PrivateTreeClassifier(5, 2, schema=SCHEMA, budget=Budget(epsilon=5)),
        "forest": PrivateForestClassifier(1, 3, 2, schema=SCHEMA, budget=Budget(epsilon=1)),
        "votes": PrivateForestClassifier(1, 3, 2, "stable", schema=SCHEMA, budget=Budget(epsilon=1)),
        "table": PrivateClassifier(1, SCHEMA, Budget(epsilon=1), expected_records=100),
    }
    plain: dict[str, Any] = json.loads(made[kind].fit(TABLE, TARGET).to_json())
    return plain


FORGED: dict[str, tuple[str, dict[str, Any]]] = {
    "an attribute beyond the schema": ("forest", {"attributes": [[7] * 3] * 3}),
    "an attribute beyond 32 bits": ("forest", {"attributes": [[2**40] * 3] * 3}),
    "an attribute before the first": ("forest", {"attributes": [[-2] * 3] * 3}),
    "a category beyond the schema": ("forest", {"right": [[[99], [], []]] * 3}),
    "a category before the first": ("forest", {"right": [[[-1], [], []]] * 3}),
    "counts of too few leaves": ("forest", {"counts": [[[1, 2]]]}),
    "counts of too few classes": ("forest", {"counts": [[[1]] * 4] * 3}),
    "too many totals": ("forest", {"totals": [1, 2, 3]}),
    "no weight": ("forest", {"weight": 0}),
    "no epsilon": ("forest", {"epsilon": "1/0"}),
    "too deep": ("forest", {"depth": 40}),
    "a label beyond the classes": ("votes", {"labels": [[9] * 4] * 3}),
    "a label before the first": ("votes", {"labels": [[-1] * 4] * 3}),
    "a test of no attribute": ("table", {"tests": [{"attribute": 9, "edge": 1.0}], "counts": [[1, 2]] * 2}),
    "a test from behind": ("table", {"tests": [{"attribute": -1, "edge": 1.0}], "counts": [[1, 2]] * 2}),
    "a test of no category": ("table", {"tests": [{"attribute": 0, "code": 9}], "counts": [[1, 2]] * 2}),
    "an edge in a category": ("table", {"tests": [{"attribute": 0, "edge": 1.0}], "counts": [[1, 2]] * 2}),
    "cells of too few classes": ("table", {"tests": [], "counts": [[1]]}),
    "intervals without edges": ("tree", {"attribute": 1, "children": [{"counts": [1, 2]}] * 4}),
}


@pytest.mark.parametrize("forged", list(FORGED))
def test_forged_models_are_refused(forged: str) -> None:
    kind, changed = FORGED[forged]
    plain = written(kind)
    loads = ESTIMATORS[plain["model"]]
    assert loads.from_json(json.dumps(plain)).predict(TABLE).shape == (40,)
    plain["released"] = ({"counts": [1, 2]} if kind == "tree" else plain["released"]) | changed
    with pytest.raises(ParameterError):
        loads.from_json(json.dumps(plain))


def test_forged_parameters_are_refused() -> None:
    with pytest.raises(ParameterError):
        PrivateTreeClassifier.from_json(json.dumps(written("tree") | {"parameters": {"max_depth": "2"}}))


def test_json_without_end_is_refused() -> None:
    with pytest.raises(ParameterError):
        PrivateTreeClassifier.from_json('{"model":' + "[" * 100_000)
