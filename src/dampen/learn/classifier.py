"""The one obvious choice: a private decision table, planned by itself."""

from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from dampen._validate import Number as NumberLike
from dampen._validate import render, whole
from dampen.describe.columns import Number
from dampen.entropy import Entropy
from dampen.errors import DataError, ParameterError
from dampen.learn import views
from dampen.learn.decision_table import BinaryTest, DecisionTable, binary_tests, cells_of, class_shares
from dampen.learn.estimator import PaidClassifier
from dampen.learn.records import Records
from dampen.learn.saved import rate, whole_number, whole_numbers
from dampen.learn.schema import Attribute, Schema
from dampen.learn.table_growth import MOST_JOINT, MOST_RECORDS, MOST_TESTS, grow_table
from dampen.learn.training_table import TrainingTable
from dampen.privacy import Adjacency, BudgetLike
from dampen.vectors import Floats


class PrivateClassifier(PaidClassifier):
    """A private decision table: a few tests asked of every record, and class counts for each pattern of answers.

    How many tests are asked, and which share of epsilon each choice gets, follows from ``epsilon``, ``schema`` and
    ``expected_records`` alone. Guarantee: epsilon-differential privacy (docs/proofs/decision_table.md).

    Parameters
    ----------
    epsilon
        The price of a whole fit.
    schema
        What is publicly known of the table: a :class:`Schema`. Its tests are "number < edge" and "category == value",
        with at most 4096 of them.
    budget
        Who pays. A clone shares it, a pickle of a fitted table drops it.
    expected_records
        Roughly how many records there are, from public knowledge; one digit is enough. Without it, a fiftieth of
        epsilon buys a noisy number.
    adjacency
        ``ADD_REMOVE`` (what ``None`` means), or ``REPLACE``, under which everything runs at epsilon / 2.

    >>> import dampen
    >>> from dampen.learn import PrivateClassifier, Schema
    >>> schema = Schema({"rain": dampen.Category("no", "yes")}, classes=["walk", "bus"])
    >>> table, way = {"rain": ["no", "yes"] * 400}, ["walk", "bus"] * 400
    >>> model = PrivateClassifier(epsilon=1, schema=schema, budget=dampen.Budget(epsilon=1), expected_records=800)
    >>> model.fit(table, way).predict({"rain": ["yes", "no"]}).tolist()
    ['bus', 'walk']
    """

    def __init__(
        self,
        epsilon: NumberLike,
        schema: Schema | None = None,
        budget: BudgetLike | None = None,
        expected_records: int | None = None,
        adjacency: Adjacency | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.schema = schema
        self.budget = budget
        self.expected_records = expected_records
        self.adjacency = adjacency

    @property
    def tests_(self) -> tuple[str, ...]:
        """The tests of the fitted table, in words."""
        self._require_fitted()
        return views.names_of_tests(self.model_, self.schema_)

    def export_text(self) -> str:
        """The table as text: a row for each cell that a record can be in, with released counts and its class."""
        self._require_fitted()
        return views.table_text(self.model_, self.schema_)

    def plot_table(self, ax: Any = None) -> Any:
        """The table as a picture: a row for each cell, coloured by its class shares. Needs matplotlib."""
        self._require_fitted()
        return views.plot_table(self.model_, self.schema_, ax)

    def _check(self, schema: Schema, rows: int) -> None:
        if self.expected_records is not None:
            whole(expected_records=self.expected_records, least=1)
        count = len(binary_tests(schema))
        if count > MOST_TESTS:
            raise ParameterError(f"schema must make at most {MOST_TESTS} tests: lower bins, merge values; got {count}")
        if count * count * len(schema.classes) > MOST_JOINT:
            raise ParameterError(f"schema must make fewer tests for {len(schema.classes)} classes; got {count}")
        if rows > MOST_RECORDS:
            raise DataError("table must not have more than 2^31 - 1 records")

    def _grow(self, table: TrainingTable, epsilon: Fraction, source: Entropy) -> DecisionTable:
        return grow_table(table, epsilon=epsilon, expected=self.expected_records, source=source)

    def _shares(self, model: DecisionTable, records: Records) -> Floats:
        return np.asarray(class_shares(model)[cells_of(model.tests, records)])

    def _as_plain(self, model: DecisionTable) -> dict[str, Any]:
        tests = [
            {"attribute": test.attribute} | ({"code": test.code} if test.edge is None else {"edge": test.edge})
            for test in model.tests
        ]
        counts = [list(row) for row in model.counts]
        return {"tests": tests, "counts": counts, "epsilon": str(model.epsilon), "records": model.records}

    def _from_plain(self, plain: dict[str, Any]) -> DecisionTable:
        tests = tuple(BinaryTest(**test) for test in plain["tests"])
        counts = tuple(map(whole_numbers, plain["counts"]))
        if len(counts) != 1 << len(tests):
            raise ParameterError(
                f"counts must be one row for each of {1 << len(tests)} cells; got {render(len(counts))}"
            )
        found, classes = list(self.schema.attributes.values()), len(self.schema.classes)
        fits = all(len(row) == classes for row in counts) and all(_fits(test, found) for test in tests)
        if not fits:
            raise ParameterError("a saved table must have the classes and the tests of its schema")
        return DecisionTable(tests, counts, rate(plain["epsilon"]), whole_number(plain["records"]))


def _fits(test: BinaryTest, found: list[Attribute]) -> bool:
    if type(test.attribute) is not int or not 0 <= test.attribute < len(found):
        return False
    attribute = found[test.attribute]
    if not isinstance(attribute, Number):
        return test.edge is None and test.code in range(len(attribute.labels))
    return test.edge is not None and type(test.edge) in (int, float) and isfinite(test.edge)
