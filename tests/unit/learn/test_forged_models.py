"""Saved models that nobody's ``to_json`` wrote: refused in one sentence, before compiled loops read them."""

import json
from fractions import Fraction
from typing import Any

import pytest

from dampen import Budget, Category, Number
from dampen.errors import ParameterError
from dampen.learn import (
    PrivateClassifier,
    PrivateForestClassifier,
    PrivateScorecard,
    PrivateTreeClassifier,
    Schema,
)
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
        "joint": PrivateClassifier(1, SCHEMA, Budget(epsilon=1), expected_records=100, kind="joint"),
        "scorecard": PrivateScorecard(1, SCHEMA, Budget(epsilon=1)),
    }
    plain: dict[str, Any] = json.loads(made[kind].fit(TABLE, TARGET).to_json())
    return plain


def grown(plain: dict[str, Any], levels: int) -> dict[str, Any]:
    """A tree of so many tests of the same category on every path."""
    for _ in range(levels):
        plain = {"counts": [1, 2], "attribute": 0, "children": [plain] * 3}
    return plain


ABSURD = [10**400, -(10**400), 2**63, 1.5, 1e308, float("nan"), True, "7", None]
"""What JSON can hold in place of a released count, and no release can have drawn."""
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
    "a path longer than the parameters say": ("tree", grown({"counts": [1, 2]}, 3)),
    "a weight that nobody could choose": ("forest", {"weight": 3}),
    "a point that is a text": ("forest", {"points": [["7"] * 3] * 3}),
    "a point that is no number": ("forest", {"points": [[float("nan")] * 3] * 3}),
    "a rate that is no float": ("forest", {"epsilon": "1e-400"}),
    "a vast rate": ("table", {"epsilon": "1e400"}),
    "an edge that is a flag": ("table", {"tests": [{"attribute": 1, "edge": True}], "counts": [[1, 2]] * 2}),
}


WRITTEN = {kind: written(kind) for kind in ("tree", "forest", "votes", "table", "joint", "scorecard")}


@pytest.mark.parametrize("forged", list(FORGED))
def test_forged_models_are_refused(forged: str) -> None:
    kind, changed = FORGED[forged]
    plain = dict(WRITTEN[kind])
    loads = ESTIMATORS[plain["model"]]
    assert loads.from_json(json.dumps(plain)).predict(TABLE).shape == (40,)
    plain["released"] = ({"counts": [1, 2]} if kind == "tree" else plain["released"]) | changed
    with pytest.raises(ParameterError):
        loads.from_json(json.dumps(plain))


VAST = ["1e1000000000", "1e-1000000000", "1E999999999/3", "9" * 10**6, f"1/{'9' * 10**6}", 1e308, True, None, "nan"]
"""Exact numbers that would take all memory, or that nobody writes so."""


@pytest.mark.parametrize("absurd", VAST, ids=lambda each: str(each)[:14])
@pytest.mark.parametrize("kind", ["forest", "table", "joint", "scorecard"])
def test_exact_numbers_are_refused_before_they_are_computed(kind: str, absurd: Any) -> None:
    plain = WRITTEN[kind]
    for forged in (
        {"released": plain["released"] | {"epsilon": absurd}}, {"for_cuts": absurd}, {"epsilon": absurd},
    ):  # fmt: skip
        with pytest.raises(ParameterError) as caught:
            ESTIMATORS[plain["model"]].from_json(json.dumps(plain | forged))
        assert len(str(caught.value)) < 150


@pytest.mark.parametrize("epsilon", ["1e-150", "1e150", f"1.{'7' * 90}", Fraction(10**90 + 1, 3**150)], ids=str)
def test_what_any_fit_wrote_is_read(epsilon: Any) -> None:
    made = PrivateClassifier(epsilon, SCHEMA, Budget(epsilon="1e150"), expected_records=100, kind="table")
    made.fit(TABLE, TARGET)
    assert PrivateClassifier.from_json(made.to_json()).to_json() == made.to_json()


def test_forged_parameters_are_refused() -> None:
    with pytest.raises(ParameterError):
        PrivateTreeClassifier.from_json(json.dumps(WRITTEN["tree"] | {"parameters": {"max_depth": "2"}}))


def test_json_without_end_is_refused() -> None:
    with pytest.raises(ParameterError):
        PrivateTreeClassifier.from_json('{"model":' + "[" * 100_000)


@pytest.mark.parametrize("absurd", ABSURD, ids=repr)
@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("tree", lambda count: {"counts": [1, count]}),
        ("forest", lambda count: {"counts": [[[1, count]] * 4] * 3}),
        ("forest", lambda count: {"totals": [count, 1]}),
        ("votes", lambda count: {"labels": [[count] * 4] * 3}),
        ("table", lambda count: {"tests": [], "counts": [[count, 2]]}),
        ("table", lambda count: {"records": count}),
    ],
)
def test_absurd_counts_are_refused_when_they_are_read(kind: str, changed: Any, absurd: Any) -> None:
    plain = WRITTEN[kind]
    loads, forged = ESTIMATORS[plain["model"]], changed(absurd)
    kept = {} if kind == "tree" else plain["released"]
    loads.from_json(json.dumps(plain | {"released": kept | changed(1)}))
    with pytest.raises(ParameterError) as caught:
        loads.from_json(json.dumps(plain | {"released": kept | forged}))
    assert len(str(caught.value)) < 120


def test_the_largest_counts_that_a_release_can_draw_are_read() -> None:
    for count in (2**63 - 1, -(2**63)):
        plain = WRITTEN["tree"] | {"released": {"counts": [count, 1]}}
        assert PrivateTreeClassifier.from_json(json.dumps(plain)).predict_proba(TABLE).shape == (40, 2)
