"""Errors before payment name the rule, never a value of the table nor how many rows it has."""

import warnings
from typing import Any

import numpy as np
import pytest

from dampen import Budget, Category, Number
from dampen.errors import DampenError, DataError
from dampen.learn import PrivateTreeClassifier, Schema

ROWS = 73
TABLE = np.full((ROWS, 2), 9.25)
TARGET = np.arange(ROWS) % 2
UNNAMED = Schema.any(0, 10, bins=4, classes="public")
NUMBERS = Schema({"a": Number(0, 10), "b": Number(0, 10)}, classes=[0, 1])
MIXED = Schema({"a": Number(0, 10), "b": Category(["x"])}, classes=[0, 1])
MASKED = np.ma.array(TABLE, mask=np.arange(2 * ROWS).reshape(ROWS, 2) == 5)
OBJECTS = np.full((ROWS, 2), 10**400, dtype=object)
BROKEN: dict[str, tuple[Schema, Any, Any]] = {
    "one dimension, unnamed": (UNNAMED, TABLE[:, 0], TARGET),
    "complex": (UNNAMED, TABLE + 1j, TARGET),
    "target too short": (UNNAMED, TABLE, TARGET[1:]),
    "target of two columns": (UNNAMED, TABLE, np.column_stack([TARGET, TARGET])),
    "no columns": (UNNAMED, TABLE[:, :0], TARGET),
    "ragged rows, unnamed": (UNNAMED, [*TABLE.tolist()[1:], [9.25]], TARGET),
    "masked, unnamed": (UNNAMED, MASKED, TARGET),
    "masked target": (UNNAMED, TABLE, np.ma.array(TARGET, mask=TARGET == 1)),
    "masked": (NUMBERS, MASKED, TARGET),
    "masked texts": (MIXED, np.ma.array([["9.25", "x"]] * ROWS, mask=[[True, False]] * ROWS), TARGET),
    "one dimension": (NUMBERS, TABLE[:, 0], TARGET),
    "three columns": (NUMBERS, np.column_stack([TABLE, TARGET]), TARGET),
    "ragged rows": (NUMBERS, [*TABLE.tolist()[1:], [9.25]], TARGET),
    "beyond all floats": (NUMBERS, OBJECTS, TARGET),
}


@pytest.mark.parametrize("broken", list(BROKEN))
def test_errors_show_neither_values_nor_rows(broken: str) -> None:
    schema, table, target = BROKEN[broken]
    budget = Budget(epsilon=1)
    with pytest.raises(DampenError) as told:
        PrivateTreeClassifier(1, 2, schema=schema, budget=budget).fit(table, target)
    shown = str(told.value)
    assert "\n" not in shown
    assert len(shown) < 300
    assert not any(secret in shown for secret in ("9.25", "73", "72", "1000"))
    assert budget.spent.epsilon == 0


def test_hidden_entries_are_missing() -> None:
    with pytest.raises(DataError, match="column 'a'"):
        PrivateTreeClassifier(1, 2, schema=NUMBERS, budget=Budget(epsilon=1)).fit(
            np.ma.array(TABLE, mask=TABLE > 9), TARGET
        )


def test_many_classes_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrivateTreeClassifier(1, 1, schema=UNNAMED, budget=Budget(epsilon=1)).fit(TABLE, np.arange(ROWS))
