"""The one obvious choice: a private decision table, or a joint model on top of one, planned by itself."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from dampen._validate import Number as NumberLike
from dampen._validate import one_of, render, whole
from dampen.describe.columns import Number
from dampen.entropy import Entropy
from dampen.errors import DataError, ParameterError
from dampen.learn import views
from dampen.learn.decision_table import BinaryTest, DecisionTable, binary_tests, cells_of, class_shares
from dampen.learn.estimator import PaidClassifier
from dampen.learn.joint_model import (
    THRESHOLD,
    JointLayout,
    JointModel,
    can_count_votes,
    grow_joint,
    joint_is_better,
    joint_shares,
    require_few_coefficients,
    require_votes,
    schema_noise_share,
)
from dampen.learn.joint_views import joint_text, plot_joint
from dampen.learn.records import Records
from dampen.learn.saved import rate, whole_number, whole_numbers
from dampen.learn.schema import Attribute, Schema
from dampen.learn.scorecard_model import MOST_SCORED, points_of
from dampen.learn.table_growth import MOST_JOINT, MOST_RECORDS, MOST_TESTS, draw_size, grow_table
from dampen.learn.training_table import TrainingTable
from dampen.privacy import Adjacency, BudgetLike
from dampen.vectors import Floats

Model = DecisionTable | JointModel
TABLE, JOINT = KINDS = ("table", "joint")
WHY = {
    TABLE: "counts of few cells are told best where noise is large",
    JOINT: "there are enough records for points of every value",
}
"""Why a kind is taken."""
MOST_SAVED = 16
"""So many tests a joint model has at most."""


class PrivateClassifier(PaidClassifier):
    """A private decision table, or, where there is enough to learn from, a joint model on top of one.

    A decision table asks a few tests of every record, and has class counts for each pattern of answers. A joint model
    asks them too, and has points for each pattern, for each answer and for each value of each attribute, which are
    added up. Which of the two, how many tests are asked, and which share of epsilon each choice gets, follows from
    ``epsilon``, ``schema`` and ``expected_records`` alone: ``kind_`` and ``why_`` tell. Guarantee: epsilon-differential
    privacy (docs/proofs/decision_table.md, docs/proofs/objective_perturbation.md).

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
    kind
        ``"table"`` or ``"joint"``, for who wants one of them. ``None``: joint for two classes where the public number
        rho is at most 0.02.

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
        kind: str | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.schema = schema
        self.budget = budget
        self.expected_records = expected_records
        self.adjacency = adjacency
        self.kind = kind

    @property
    def kind_(self) -> str:
        """What was taken: ``"table"`` or ``"joint"``. Public."""
        self._require_fitted()
        return JOINT if isinstance(self.model_, JointModel) else TABLE

    @property
    def why_(self) -> str:
        """Why it was taken, in a sentence of public and released numbers."""
        self._require_fitted()
        if self.terms_["parameters"].get("kind") is not None:
            return f"kind={self.kind_!r} was asked for"
        if len(self.schema_.classes) > 2:
            return "there are more than two classes: a joint model is not reliably better there"
        share = schema_noise_share(self.schema_, self._rate_paid(), self.model_.records)
        small, reason = share <= THRESHOLD, WHY[self.kind_]
        if small and self.kind_ == TABLE:
            reason = "but a joint model of so many records or values would not fit"
            if "unit" in self.terms_ and not can_count_votes(self.schema_):
                reason = "but a joint model counts the votes of persons by all values at once, which are too many"
        side = "at most" if small else "above"
        return f"the noise share rho is {_write_share(share)}, {side} {float(THRESHOLD)}: {reason}"

    @property
    def tests_(self) -> tuple[str, ...]:
        """The tests of the fitted table, in words."""
        self._require_fitted()
        return views.names_of_tests(self.model_, self.schema_)

    def export_text(self) -> str:
        """The table as text: a row for each cell that a record can be in, with released counts and its class.

        Of a joint model: the points of all values, answers and cells.
        """
        self._require_fitted()
        if isinstance(self.model_, JointModel):
            return joint_text(self.model_, self.schema_)
        return views.table_text(self.model_, self.schema_)

    def plot_table(self, ax: Any = None) -> Any:
        """The table as a picture: a row for each cell, coloured by its class shares. Needs matplotlib.

        Of a joint model: a bar for the points of each value, answer and cell.
        """
        self._require_fitted()
        if isinstance(self.model_, JointModel):
            return plot_joint(self.model_, self.schema_, ax)
        return views.plot_table(self.model_, self.schema_, ax)

    def _check(self, schema: Schema, rows: int) -> None:
        if self.expected_records is not None:
            whole(expected_records=self.expected_records, least=1)
        if self.kind is not None:
            one_of(KINDS, kind=self.kind)
        if self.kind == JOINT:
            require_few_coefficients(schema)
        count = len(binary_tests(schema))
        if count > MOST_TESTS:
            raise ParameterError(f"schema must make at most {MOST_TESTS} tests: lower bins, merge values; got {count}")
        if count * count * len(schema.classes) > MOST_JOINT:
            raise ParameterError(f"schema must make fewer tests for {len(schema.classes)} classes; got {count}")
        if rows > MOST_RECORDS:
            raise DataError("table must not have more than 2^31 - 1 records")
        if rows > MOST_SCORED and self._takes_joint(schema, self._rate(), self.expected_records or MOST_RECORDS):
            raise DataError(f"table must have at most {MOST_SCORED:,} records for a joint model: try kind='table'")

    def _takes_joint(self, schema: Schema, epsilon: Fraction, records: int, *, votes: bool = False) -> bool:
        return self.kind == JOINT or (self.kind is None and joint_is_better(schema, epsilon, records, votes=votes))

    def _prepare(self, table: TrainingTable) -> TrainingTable:
        if self.kind == JOINT and table.person is not None:
            require_votes(table.schema)
        return table.count_votes()

    def _grow(self, table: TrainingTable, epsilon: Fraction, source: Entropy) -> Model:
        records, rest = draw_size(table, epsilon, self.expected_records, source)
        joint = self._takes_joint(table.schema, epsilon, records, votes=table.person is not None)
        grow = grow_joint if joint else grow_table
        return grow(table, epsilon=rest, records=records, source=source)

    def _shares(self, model: Model, records: Records) -> Floats:
        if isinstance(model, JointModel):
            return joint_shares(model, records, self.schema_)
        return np.asarray(class_shares(model)[cells_of(model.tests, records)])

    def _as_plain(self, model: Model) -> dict[str, Any]:
        tests = [
            {"attribute": test.attribute} | ({"code": test.code} if test.edge is None else {"edge": test.edge})
            for test in model.tests
        ]
        rest = {"epsilon": str(model.epsilon), "records": model.records}
        if isinstance(model, JointModel):
            return {"tests": tests, "points": list(model.points), **rest}
        return {"tests": tests, "counts": [list(row) for row in model.counts], **rest}

    def _from_plain(self, plain: dict[str, Any]) -> Model:
        tests = tuple(BinaryTest(**test) for test in plain["tests"])
        if "points" in plain:
            return self._joint_from_plain(plain, tests)
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

    def _joint_from_plain(self, plain: dict[str, Any], tests: tuple[BinaryTest, ...]) -> JointModel:
        found, points = list(self.schema.attributes.values()), plain["points"]
        if len(tests) > MOST_SAVED or not all(_fits(test, found) for test in tests):
            raise ParameterError("a saved joint model must have the tests of its schema")
        kept = points_of(points, JointLayout.of(self.schema, tests).frame().size)
        return JointModel(tests, kept, rate(plain["epsilon"]), whole_number(plain["records"]))


def _write_share(share: Fraction) -> str:
    """As many digits as tell on which side of the threshold it is, two at least."""
    digits = 2
    while True:
        with localcontext(prec=digits):
            written = Decimal(share.numerator) / Decimal(share.denominator)
        if (Fraction(written) <= THRESHOLD) == (share <= THRESHOLD):
            return f"{written:g}"
        digits += 1


def _fits(test: BinaryTest, found: list[Attribute]) -> bool:
    if type(test.attribute) is not int or not 0 <= test.attribute < len(found):
        return False
    attribute = found[test.attribute]
    if not isinstance(attribute, Number):
        return test.edge is None and test.code in range(len(attribute.labels))
    return test.edge is not None and type(test.edge) in (int, float) and isfinite(test.edge)
