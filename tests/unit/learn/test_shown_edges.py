"""Edges in texts are the edges of the model: who reads a model by hand gets the answers of the machine."""

import re

import numpy as np
import pytest

from dampen import Budget, Number
from dampen.learn import PrivateClassifier, PrivateScorecard, PrivateTreeClassifier, Schema

NUMBERS = {
    "thirds": Number(0, 23456789, bins=9),
    "tiny": Number("1e-7", "3.3e-7", bins=7),
    "signed": Number(-0.1, 0.7, bins=8),
    "vast": Number(10**15, 10**15 + 1000, bins=6),
}
EPSILON = 10**6


def rows(number: Number) -> tuple[dict[str, list[float]], list[str]]:
    low, high = number.float_bounds
    values = np.linspace(low, high, 300)
    return {"x": values.tolist()}, np.where(values > (low + 2 * high) / 3, "yes", "no").tolist()


def edges_in(text: str) -> set[float]:
    """All numbers that stand behind ``<``, ``>=`` or before ``<=``."""
    found = re.findall(r"(?:<|>=) (-?[0-9][0-9.e+-]*)|(-?[0-9][0-9.e+-]*) (?:<=|to)", text)
    return {float(one or two) for one, two in found}


@pytest.mark.parametrize("name", NUMBERS)
def test_points_have_the_edges_of_the_schema(name: str) -> None:
    schema = Schema({"x": NUMBERS[name]}, classes=["no", "yes"])
    model = PrivateScorecard(EPSILON, schema, Budget(epsilon=EPSILON)).fit(*rows(NUMBERS[name]))
    assert edges_in(model.export_text()) == {*schema.edges()["x"].tolist()}


@pytest.mark.parametrize("kind", ["table", "joint"])
@pytest.mark.parametrize("name", NUMBERS)
def test_tests_have_the_edges_that_were_chosen(name: str, kind: str) -> None:
    schema = Schema({"x": NUMBERS[name]}, classes=["no", "yes"])
    model = PrivateClassifier(EPSILON, schema, Budget(epsilon=EPSILON), expected_records=300, kind=kind)
    model.fit(*rows(NUMBERS[name]))
    tests = {test.edge for test in model.model_.tests}
    assert edges_in("\n".join(model.tests_)) == tests
    assert edges_in(model.export_text()) == (tests if kind == "table" else {*schema.edges()["x"].tolist()})


@pytest.mark.parametrize("name", NUMBERS)
def test_trees_have_the_edges_of_their_tests(name: str) -> None:
    schema = Schema({"x": NUMBERS[name]}, classes=["no", "yes"])
    model = PrivateTreeClassifier(EPSILON, 2, schema=schema, budget=Budget(epsilon=EPSILON)).fit(*rows(NUMBERS[name]))
    assert edges_in(model.export_text()) == {*model.model_.edges}


def test_a_sum_by_hand_is_that_of_the_machine() -> None:
    """A value just beyond an edge that six digits would move: 2345679 is not below 2345678.9."""
    schema = Schema({"pay": Number(0, 23456789)}, classes=["no", "yes"])
    pay = np.arange(0, 23456789, 9973)
    model = PrivateScorecard(5, schema, Budget(epsilon=5)).fit({"pay": pay}, np.where(pay > 2345678, "yes", "no"))
    lines = model.export_text().splitlines()
    [line] = [line for line in lines if " 2345678.9 to < " in line]
    by_hand = int(lines[1].split()[-1]) + int(line.split()[-1])
    assert model.predict({"pay": [2345679]}).tolist() == ["yes" if by_hand > 0 else "no"]
