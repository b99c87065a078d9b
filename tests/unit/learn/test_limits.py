"""What is too large, too small or unproved is refused while it is free; what is only extreme works."""

import datetime
from typing import Any

import numpy as np
import pytest

from dampen import Budget, Category, Number
from dampen.errors import DataError, ParameterError
from dampen.learn import PrivateClassifier, PrivateForestClassifier, PrivateTreeClassifier, Schema
from dampen.learn.estimator import PaidClassifier
from dampen.learn.table_growth import MOST_RECORDS
from tests.estimators import ESTIMATORS, small

SCHEMA = Schema({"a": Category(["x", "y", "z"]), "b": Number(0, 10, bins=4)}, classes=["no", "yes"])
TABLE = {"a": ["x", "y", "z", "x"] * 10, "b": list(range(10)) * 4}
TARGET = ["no", "yes"] * 20


def refused(made: PaidClassifier, match: str, table: Any = None) -> None:
    with pytest.raises(ParameterError, match=match):
        made.fit(TABLE if table is None else table, TARGET)
    assert made.budget.spent.epsilon == 0


@pytest.mark.parametrize("epsilon", ["1e-150", "1e-15", "1e-7"])
def test_pareto_is_refused_where_nothing_is_proved(epsilon: str) -> None:
    tree = PrivateTreeClassifier(epsilon, 2, mechanism="pareto", schema=SCHEMA, budget=Budget(epsilon=1))
    forest = PrivateForestClassifier(epsilon, 2, 2, "pareto", schema=SCHEMA, budget=Budget(epsilon=1))
    refused(tree, "too small")
    refused(forest, "too small")


@pytest.mark.parametrize("by", [{}, {"mechanism": "stable", "labels": "stable"}], ids=["default", "stable"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_vast_epsilon_makes_every_model(name: str, by: dict[str, str]) -> None:
    given: dict[str, Any] = {"max_depth": 2, "expected_records": 40, **by}
    made = small(name, "1e30", schema=SCHEMA, budget=Budget(epsilon="1e40"), **given)
    assert np.isfinite(made.fit(TABLE, TARGET).predict_proba(TABLE)).all()


def test_schemas_that_fill_the_memory_are_refused() -> None:
    with pytest.raises(ParameterError, match="bins"):
        Number(0, 1, bins=10**9)
    many_classes = ["no", "yes", *map(str, range(62))]
    wide = Schema({f"a{place}": Number(0, 1, bins=2**16) for place in range(17)}, classes=many_classes)
    table = {f"a{place}": [0.5] * 40 for place in range(17)}
    refused(PrivateTreeClassifier(1, 1, schema=wide, budget=Budget(epsilon=1)), "counts at a node", table)
    many = Schema({"b": Number(0, 10, bins=4000)}, classes=["no", "yes", *map(str, range(30))])
    refused(PrivateClassifier(1, many, Budget(epsilon=1)), "fewer tests")


def test_tables_whose_joint_counts_would_wrap_are_refused() -> None:
    made = PrivateClassifier(1, SCHEMA, Budget(epsilon=1))
    made._check(SCHEMA, MOST_RECORDS)
    with pytest.raises(DataError, match="records"):
        made._check(SCHEMA, MOST_RECORDS + 1)


def test_labels_of_numpy_are_written_and_others_refused() -> None:
    schema = Schema({"a": Category(["x", "y", "z"])}, classes=[np.int64(0), np.int64(1)])
    assert Schema.from_json(schema.to_json()) == schema
    with pytest.raises(ParameterError, match="JSON"):
        Schema({"a": Category([datetime.date(2020, 1, 1)])}, classes=[0, 1]).to_json()
