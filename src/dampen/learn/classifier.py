"""The one obvious choice: a private decision table, planned by itself."""

from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from dampen._validate import Number, render, whole
from dampen.entropy import Entropy
from dampen.errors import DataError, MissingExtra, ParameterError
from dampen.learn.counted import CountedTable, PairCounts
from dampen.learn.decision_table import (
    MOST_JOINT,
    MOST_RECORDS,
    MOST_TESTS,
    DecisionTable,
    Question,
    cells_of,
    class_shares,
    grow,
    patterns,
    possible,
    questions_of,
)
from dampen.learn.estimator import PaidClassifier
from dampen.learn.records import Records
from dampen.learn.schema import Attribute, Categorical, Schema
from dampen.privacy import Adjacency, BudgetLike
from dampen.vectors import Floats

MOST_DRAWN = 256
"""So many rows of a table fit on a picture."""


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
    >>> from dampen.learn import Categorical, PrivateClassifier, Schema
    >>> schema = Schema({"rain": Categorical(["no", "yes"])}, classes=["walk", "bus"])
    >>> table, way = {"rain": ["no", "yes"] * 400}, ["walk", "bus"] * 400
    >>> model = PrivateClassifier(epsilon=1, schema=schema, budget=dampen.Budget(epsilon=1), expected_records=800)
    >>> model.fit(table, way).predict({"rain": ["yes", "no"]}).tolist()
    ['bus', 'walk']
    """

    def __init__(
        self,
        epsilon: Number,
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
        return tuple(_in_words(test, self.schema_) for test in self._released().tests)

    def export_text(self) -> str:
        """The table as text: a row for each cell that a record can be in, with released counts and its class."""
        titles, rows = self._cells()
        written = [titles, *rows]
        widths = [max(len(row[place]) for row in written) for place in range(len(titles))]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in written)

    def plot_table(self, ax: Any = None) -> Any:
        """The table as a picture: a row for each cell, coloured by its class shares. Needs matplotlib."""
        try:
            from dampen.learn.table_picture import draw_table
        except ImportError:
            raise MissingExtra("plot_table needs matplotlib: pip install 'dampen[plots]'") from None
        titles, rows = self._cells()
        if len(rows) > MOST_DRAWN:
            raise ParameterError(
                f"plot_table draws at most {MOST_DRAWN} cells; this table has {len(rows)}: export_text()"
            )
        kept = np.flatnonzero(possible(self.model_.tests))
        return draw_table(titles, rows, class_shares(self.model_)[kept], len(self.model_.tests), ax)

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Titles and rows in words: answers, released counts, class."""
        model, labels = self._released(), [str(label) for label in self.schema_.classes]
        shares, asked = class_shares(model), patterns(len(model.tests))
        rows = []
        for place in np.flatnonzero(possible(model.tests)):
            said = ["yes" if answer else "no" for answer in asked[place]]
            rows.append([*said, *map(str, model.counts[place]), labels[int(shares[place].argmax())]])
        return [*self.tests_, *labels, "class"], rows

    def _released(self) -> DecisionTable:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self, "model_")
        model: DecisionTable = self.model_
        return model

    def _check(self, schema: Schema, rows: int) -> None:
        if self.expected_records is not None:
            whole(expected_records=self.expected_records, least=1)
        count = len(questions_of(schema))
        if count > MOST_TESTS:
            raise ParameterError(f"schema must make at most {MOST_TESTS} tests: lower bins, merge values; got {count}")
        if count * count * len(schema.classes) > MOST_JOINT:
            raise ParameterError(f"schema must make fewer tests for {len(schema.classes)} classes; got {count}")
        if rows > MOST_RECORDS:
            raise DataError("table must not have more than 2^31 - 1 records")

    def _grow(self, table: CountedTable, epsilon: Fraction, source: Entropy) -> DecisionTable:
        return grow(PairCounts(table), table.schema, epsilon=epsilon, expected=self.expected_records, source=source)

    def _shares(self, model: DecisionTable, records: Records) -> Floats:
        return np.asarray(class_shares(model)[cells_of(model.tests, records)])

    def _as_plain(self, model: DecisionTable) -> dict[str, Any]:
        tests = [{"attribute": test.attribute} | _asked(test) for test in model.tests]
        counts = [list(row) for row in model.counts]
        return {"tests": tests, "counts": counts, "epsilon": str(model.epsilon), "records": model.records}

    def _from_plain(self, plain: dict[str, Any]) -> DecisionTable:
        tests = tuple(Question(**test) for test in plain["tests"])
        counts = tuple(tuple(map(int, row)) for row in plain["counts"])
        if len(counts) != 1 << len(tests):
            raise ParameterError(
                f"counts must be one row for each of {1 << len(tests)} cells; got {render(len(counts))}"
            )
        found, classes, epsilon = list(self.schema.attributes.values()), len(self.schema.classes), plain["epsilon"]
        fits = all(len(row) == classes for row in counts) and all(_fits(test, found) for test in tests)
        if not fits or Fraction(epsilon) <= 0:
            raise ParameterError("a saved table must have the classes and the tests of its schema")
        return DecisionTable(tests, counts, Fraction(epsilon), int(plain["records"]))

    def _public_parameters(self) -> dict[str, Any]:
        return {"expected_records": self.expected_records}


def _fits(test: Question, found: list[Attribute]) -> bool:
    if type(test.attribute) is not int or not 0 <= test.attribute < len(found):
        return False
    attribute = found[test.attribute]
    if isinstance(attribute, Categorical):
        return test.edge is None and test.code in range(len(attribute.values))
    return isinstance(test.edge, int | float) and isfinite(test.edge)


def _asked(test: Question) -> dict[str, Any]:
    return {"code": test.code} if test.edge is None else {"edge": test.edge}


def _in_words(test: Question, schema: Schema) -> str:
    name, attribute = list(schema.attributes.items())[test.attribute]
    if isinstance(attribute, Categorical):
        return f"{name} = {attribute.values[test.code]}"
    return f"{name} < {test.edge:g}"
