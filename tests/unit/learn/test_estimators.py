"""What every public estimator must do, whichever it is."""

import json
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from dampen import Adjacency, Budget, Category, Number
from dampen.errors import BudgetExceeded, ParameterError
from dampen.learn import Schema
from dampen.learn.estimator import load_classifier
from tests.estimators import ESTIMATORS, small

SCHEMA = Schema({"a": Number(0, 10, bins=2), "b": Category(["x", "y"])}, classes=["no", "yes"])
TABLE, TARGET = {"a": [1, 9] * 40, "b": ["x", "x", "y", "y"] * 20}, ["no", "yes"] * 40
EMPTY_TABLES = {
    "check_estimators_empty_data_messages": "an empty table is a table: to refuse it would tell it from one with a row"
}
"""Which of scikit-learn's checks a private classifier must fail."""
APART = Schema.any(-10, 10, bins=20, classes="public")
"""Bins of one unit: in scikit-learn's tables values such as 0 and 1 tell classes apart, and must not share a bin."""
PRECISE: dict[str, dict[str, Any]] = {
    "PrivateClassifier": {"schema": APART},
    "PrivateTreeClassifier": {"max_depth": 3, "schema": Schema.any(-10, 10, bins=10, classes="public")},
    "PrivateForestClassifier": {
        "n_trees": 1, "max_depth": 14, "labels": "permute_and_flip", "structure": 1,
        "schema": Schema.any(0, 1, bins=8, classes="public"),
    },
}  # fmt: skip
"""Parameters with which the tiny tables of scikit-learn's checks can be learned."""
PRICES = {"PrivateScorecard": 1e10, "PrivateClassifier": 1e10}
"""Coefficients are never exact: so vast an epsilon rounds them to the same points at every fit."""
CASES: list[tuple[str, dict[str, Any]]] = [
    *((name, {}) for name in ESTIMATORS),
    ("PrivateClassifier", {"kind": "table"}),
    ("PrivateClassifier", {"kind": "joint"}),
]


@pytest.mark.parametrize(("name", "given"), CASES, ids=str)
def test_scikit_learn_finds_no_fault(name: str, given: dict[str, Any]) -> None:
    schema = Schema.any(-10, 10, bins=16, classes="public")
    own = {"schema": schema, "budget": Budget(epsilon=10**15)} | PRECISE.get(name, {}) | given
    made = small(name, PRICES.get(name, 1e6), **own)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(made, on_fail=None, on_skip=None, expected_failed_checks=EMPTY_TABLES)
    assert [result["check_name"] for result in results if result["status"] == "failed"] == []
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= {"check_pipeline_consistency", "check_array_api_input"}
    assert len(results) > 45


@pytest.mark.parametrize("adjacency", [None, Adjacency.ADD_REMOVE, Adjacency.REPLACE])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fit_is_one_charge_of_epsilon(name: str, adjacency: Adjacency | None) -> None:
    budget = Budget(epsilon=2)
    made = small(name, "3/2", schema=SCHEMA, budget=budget, adjacency=adjacency).fit(TABLE, TARGET)
    assert budget.spent.epsilon == 1.5
    assert budget.adjacency is (adjacency or Adjacency.ADD_REMOVE)
    with pytest.raises(BudgetExceeded):
        made.fit(TABLE, TARGET)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_json_and_pickles_keep_the_model_and_drop_the_budget(name: str, tmp_path: Any) -> None:
    made = small(name, 1, schema=SCHEMA, budget=Budget(epsilon=1)).fit(TABLE, TARGET)
    (tmp_path / "model.json").write_text(made.to_json())
    shares = made.predict_proba(TABLE)
    copies = (
        ESTIMATORS[name].from_json(made.to_json()),
        load_classifier(tmp_path / "model.json"),
        pickle.loads(pickle.dumps(made)),
    )
    for copy in copies:
        assert type(copy) is ESTIMATORS[name]
        assert copy.budget is None
        assert copy.to_json() == made.to_json()
        assert np.array_equal(copy.predict_proba(TABLE), shares)
    assert clone(made).budget is made.budget


@pytest.mark.parametrize("name", ESTIMATORS)
def test_json_has_every_parameter_of_the_estimator(name: str) -> None:
    made = small(name, 1, schema=SCHEMA, budget=Budget(epsilon=1))
    written = json.loads(made.fit(TABLE, TARGET).to_json())
    assert written["model"] == name
    shared = {"epsilon", "schema", "budget", "adjacency"}
    assert written["parameters"] == {key: value for key, value in made.get_params().items() if key not in shared}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("wrong", [{"epsilon": "x"}, {"adjacency": "edge"}, {"schema": {}}, {"model": "other"}])
def test_forged_terms_are_refused(name: str, wrong: dict[str, Any]) -> None:
    made = small(name, 1, schema=SCHEMA, budget=Budget(epsilon=1)).fit(TABLE, TARGET)
    with pytest.raises(ParameterError):
        ESTIMATORS[name].from_json(json.dumps(json.loads(made.to_json()) | wrong))
