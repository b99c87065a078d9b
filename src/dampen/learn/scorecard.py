"""A private scorecard: points for every value of every attribute, added up."""

from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number as NumberLike
from dampen._validate import whole
from dampen.entropy import Entropy
from dampen.errors import DataError, ParameterError
from dampen.learn import scorecard_views
from dampen.learn.estimator import PaidClassifier
from dampen.learn.records import Records
from dampen.learn.saved import rate
from dampen.learn.schema import Schema
from dampen.learn.scorecard_model import (
    MOST_SCORED,
    Attributes,
    Scorecard,
    add_points,
    noise_share,
    places_of,
    points_of,
    shares_of,
    whole_points,
    with_bins,
)
from dampen.learn.training_table import TrainingTable
from dampen.mechanisms import ObjectivePerturbation
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import LogisticProblem
from dampen.problem.logistic import MOST_COEFFICIENTS
from dampen.vectors import Floats


class PrivateScorecard(PaidClassifier):
    """A private scorecard: every value of every attribute has points, and the class follows from their sum.

    It is logistic regression on one indicator for each value, with noise fitted to indicators. For tables in which
    effects add up; where a rule of few tests tells everything, :class:`PrivateClassifier` is better. Guarantee:
    epsilon-differential privacy (docs/proofs/objective_perturbation.md).

    Parameters
    ----------
    epsilon
        The price of a whole fit.
    schema
        What is publicly known of the table: a :class:`Schema`. Numbers without ``bins`` are cut into 20 intervals of
        equal width, or 8 where there are more than four classes.
    budget
        Who pays. A clone shares it, a pickle of a fitted scorecard drops it.
    expected_records
        Roughly how many records there are, from public knowledge: for ``noise_share_`` alone.
    adjacency
        ``ADD_REMOVE`` (what ``None`` means), or ``REPLACE``, under which everything runs at epsilon / 2.

    >>> import dampen
    >>> from dampen.learn import PrivateScorecard, Schema
    >>> schema = Schema({"rain": dampen.Category("no", "yes")}, classes=["walk", "bus"])
    >>> table, way = {"rain": ["no", "yes"] * 400}, ["walk", "bus"] * 400
    >>> model = PrivateScorecard(epsilon=1, schema=schema, budget=dampen.Budget(epsilon=1))
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
    def points_(self) -> dict[str, Floats]:
        """For every attribute a row for each value, in the order of its labels or bins, with its points.

        One column for two classes: those for the second. Else one for each class. A hundred points are one unit of
        the score of a logistic model.
        """
        self._require_fitted()
        tables, _ = self._points(self.model_)
        return dict(zip(self.schema_.attributes, tables, strict=True))

    @property
    def base_points_(self) -> Floats:
        """The points that everybody has."""
        self._require_fitted()
        return self._points(self.model_)[1]

    @property
    def noise_share_(self) -> float:
        """The noise of one coefficient beside the records behind it, from public numbers: rho, small is good.

        A scorecard is worth a try where it is at most 0.05, and seven or more attributes add up.
        """
        self._require_fitted()
        if self.expected_records is None:
            raise ParameterError("expected_records must be given: roughly how many records there are, if public")
        records = whole(expected_records=self.expected_records, least=1)
        return float(noise_share(Attributes.of(self.schema_), len(self.schema_.classes), self._rate_paid(), records))

    def export_text(self) -> str:
        """The scorecard as text: whole points for each value, and how to read their sum."""
        self._require_fitted()
        return scorecard_views.scorecard_text(self.schema_, *self._points(self.model_))

    def plot(self, ax: Any = None) -> Any:
        """The scorecard as a picture: a bar for each value. Needs matplotlib."""
        self._require_fitted()
        return scorecard_views.plot_scorecard(self.schema_, *self._points(self.model_), ax)

    def _with_bins(self, schema: Schema) -> Schema:
        return with_bins(schema)

    def _check(self, schema: Schema, rows: int) -> None:
        if self.expected_records is not None:
            whole(expected_records=self.expected_records, least=1)
        require_few_coefficients(schema)
        if rows > MOST_SCORED:
            raise DataError(f"table must not have more than {MOST_SCORED:,} records for a scorecard")

    def _prepare(self, table: TrainingTable) -> LogisticProblem:
        require_few_coefficients(table.schema)
        counted = table.count_votes()
        return scorecard_problem(counted)

    def _grow(self, table: LogisticProblem, epsilon: Fraction, source: Entropy) -> Scorecard:
        return draw_scorecard(table, epsilon, source)

    def _points(self, model: Scorecard) -> tuple[list[Floats], Floats]:
        attributes = Attributes.of(self.schema_)
        scores = attributes.frame(len(self.schema_.classes)).scores
        return attributes.by_value(np.array(model.points, dtype=np.float64).reshape(-1, scores))

    def _shares(self, model: Scorecard, records: Records) -> Floats:
        found = add_points(*self._points(model), places_of(records, self.schema_), records.rows)
        return shares_of(found, len(self.schema_.classes))

    def _as_plain(self, model: Scorecard) -> dict[str, Any]:
        return {"points": list(model.points), "epsilon": str(model.epsilon)}

    def _from_plain(self, plain: dict[str, Any]) -> Scorecard:
        points = points_of(plain["points"], Attributes.of(self.schema).frame(len(self.schema.classes)).size)
        return Scorecard(points, rate(plain["epsilon"]))


def require_few_coefficients(schema: Schema) -> None:
    """Refuse a schema that makes too many coefficients."""
    attributes, kinds = Attributes.of(schema), len(schema.classes)
    size = (sum(attributes.sizes[place] for place in attributes.groups) + len(attributes.columns) + 1) * kinds
    if size > MOST_COEFFICIENTS:
        raise ParameterError("schema must make at most 2**20 coefficients: lower bins, merge values or classes")


def scorecard_problem(table: TrainingTable) -> LogisticProblem:
    """The records, or votes, of a table as a mechanism takes them. Not private."""
    attributes, person = Attributes.of(table.schema), table.person
    frame = attributes.frame(len(table.schema.classes), unit=person or "", spread=person is not None)
    places, weights = table.places()
    return LogisticProblem(frame, attributes.codes(places), places[:, -1], weights, table.vote)


def draw_scorecard(problem: LogisticProblem, epsilon: Fraction, source: Entropy) -> Scorecard:
    """A scorecard whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    mechanism = ObjectivePerturbation(epsilon)
    drawn = mechanism.answer(problem.frame, mechanism.draw(problem, source))
    return Scorecard(whole_points(drawn, problem.frame), epsilon)
