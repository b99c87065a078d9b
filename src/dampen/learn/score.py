"""How often is a classifier right? Its accuracy on private rows, privately. Proof: docs/proofs/private_score.md."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import Number, no_warnings, only_own_errors, positive, render
from dampen.errors import DampenError, DataError, ParameterError
from dampen.front.table import Table
from dampen.learn.records import readings_of, records_from_rows
from dampen.learn.schema import Schema
from dampen.learn.training_table import label_readings, require_all_rows, require_labels
from dampen.mechanisms import Laplace, LaplaceCounts
from dampen.mechanisms.numeric.noises import Geometric
from dampen.privacy import (
    CONFIDENCE,
    Accuracy,
    Adjacency,
    BudgetLike,
    NumericRelease,
    as_budget,
    miss_chance,
    record_adjacency,
)
from dampen.problem import NumericProblem
from dampen.queries.sums import mean_problem
from dampen.queries.votes import vote_counts_frame
from dampen.questions.histograms import pose_counts
from dampen.questions.people.votes import BITS
from dampen.questions.record import Price
from dampen.tables.columns import Column, column_of_values, items_of
from dampen.tables.counts import require_public_number
from dampen.tables.engines import Reading, Source, is_outside, open_engine
from dampen.tables.engines.array_codes import label_places
from dampen.tables.engines.base import RowForm
from dampen.tables.engines.labels import Places
from dampen.tables.reading import is_missing
from dampen.tables.row_owners import Owners, owners_of
from dampen.tables.rows import read_batches
from dampen.vectors import Integers

Right = NDArray[np.bool_]
"""Row by row: whether the model is right."""


@dataclass(frozen=True)
class ShareAccuracy(Accuracy):
    """A share, made of two released counts: of what is meant, and of all else."""

    right: int
    wrong: int
    noise: Geometric

    @property
    def value(self) -> float:
        """The share of the released counts; one half where both are 0 or less."""
        return float(_share(self.right, self.wrong, neither=Fraction(1, 2)))

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        """The distance to the further end, where both counts are as far off as their noise is likely to be."""
        reach = self.noise.size_exceeded_with(miss_chance(confidence) / 2)
        lowest = _share(self.right - reach, self.wrong + reach, neither=0)
        highest = _share(self.right + reach, self.wrong - reach, neither=1)
        return float(max(self.value - lowest, highest - self.value))


def private_score(
    model: Any,
    X: Any,
    y: Any,
    *,
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency | None = None,
    note: str = "private_score",
) -> NumericRelease:
    """The share of rows whose class a fitted model gets right, privately; ``model.score`` gives it away exactly.

    Under ``REPLACE`` the number of rows is public, and the answer is the noisy number of right answers divided by it.
    Under ``ADD_REMOVE`` the right and the wrong answers are counted, each with noise: a row is one or the other, so
    both counts together cost epsilon once.

    Parameters
    ----------
    model
        A fitted classifier of :mod:`dampen.learn`, or any object whose ``predict`` takes ``X``. It must answer row by
        row, and the rows scored may have entered it only through a private release that was paid for. A model that was
        fitted to these rows in any other way is not covered: one row less, and it might answer differently for all.
    X, y
        A table and its classes, as the classifiers take them; a :class:`dampen.Table` too, with the name of its column
        of classes. For a model that is none of dampen's they are rows in
        memory and the classes themselves. A class that is none of the model's counts as a wrong answer; of a table,
        whose description says which there are, it is refused. Where the table has a person, everybody has one vote,
        spread over the own rows, and the answer is the share of votes.
    adjacency
        ``ADD_REMOVE`` (what ``None`` means) or ``REPLACE``.
    note
        What the answer is for; a ledger remembers it.

    The release is a number and knows its error: ``float(release)``, ``release.error(0.95)``.

    >>> import dampen
    >>> from dampen.learn import PrivateClassifier, Schema, private_score
    >>> schema = Schema({"rain": dampen.Category("no", "yes")}, classes=["walk", "bus"])
    >>> table, way, budget = {"rain": ["no", "yes"] * 400}, ["walk", "bus"] * 400, dampen.Budget(epsilon=2)
    >>> model = PrivateClassifier(epsilon=1, schema=schema, budget=budget, expected_records=800).fit(table, way)
    >>> release = private_score(model, table, way, epsilon=1, budget=budget)
    >>> bool(abs(float(release) - 1) < 0.1), release.error(0.95) < 0.1
    (True, True)
    """
    price, payer = positive(epsilon=epsilon), as_budget(budget)
    if isinstance(X, Table):
        if adjacency is not None:
            raise ParameterError("adjacency must be left out for a dampen.Table, which has its own")
        if X.persons is not None:
            rule = "private_score takes no table whose rows have two persons: such are counted alone"
            raise ParameterError(f"{rule}; got person={render(X.unit)}")
        _require_described(model, X, y)
        if X.person is not None:
            return _score_persons(model, X, y, price, payer, note)
        X, adjacency = X.view.source(None), X.adjacency
    meant = record_adjacency(Adjacency.ADD_REMOVE if adjacency is None else adjacency)
    require_public_number(X, meant)
    right = right_answers(model, X, y)
    if meant is Adjacency.REPLACE:
        return Laplace(price).release(accuracy_problem(right), budget=payer, note=note)
    counted = np.array([np.count_nonzero(right), np.count_nonzero(~right)])
    counts = pose_counts(counted, (True, False), price=Price(price), adjacency=meant).release(payer, note)
    told = ShareAccuracy(counts.value[True], counts.value[False], Geometric(price))
    return NumericRelease(told.value, counts.loss, counts.mechanism, note, told, receipt=counts.receipt)


def _require_described(model: Any, table: Table, y: Any) -> None:
    """Refuse a table in which a label that the model reads, or a class, is not as the table's description says."""
    if not isinstance(y, str):
        raise ParameterError(f"y must be the name of the column of classes; got {type(y).__name__}")
    read = _require_target(model, y).attributes
    columns = {name: column for name, column in table.columns.items() if name in read}
    classes = label_readings({name: column for name, column in table.columns.items() if name == y})
    strict = {name: replace(reading, missing=False, other=False) for name, reading in classes.items()}
    require_labels(table.view.data, {**label_readings(columns), **strict})


def _score_persons(
    model: Any, table: Table, y: str, epsilon: Fraction, budget: BudgetLike, note: str
) -> NumericRelease:
    """The same for persons with several rows: everybody has one vote, spread over the own rows."""
    whose, schema = table.view.person, _require_target(model, y)
    assert whose is not None
    if whose.column in (*schema.attributes, y):
        raise ParameterError(f"the model must not read the person's column; got {render(whose.column)}")
    rows = table.view.person_source()
    somebody = Reading(person=True, missing=whose.missing == "drop")
    with open_engine(Source(rows.unfiltered(), readings={whose.column: somebody})):
        pass  # a look at all rows: persons who are missing, or cannot be told apart, are refused here
    require_all_rows(rows, schema, y, scored=True)
    right, persons = list[Right](), list[Any]()
    for batch in read_batches(rows, {**readings_of(schema), y: schema.classes, whose.column: RowForm.AS_IT_IS}):
        right.append(model.predict_places(records_from_rows(batch, schema)) == batch[y])
        persons += batch[whose.column].tolist()
    units = _votes(np.concatenate([np.zeros(0, dtype=np.bool_), *right]), owners_of(persons))
    frame = vote_counts_frame(2, 1 << BITS, table.adjacency, whose.column)
    posed = pose_counts(units, (True, False), price=Price(epsilon), adjacency=table.adjacency, frame=frame)
    counts = posed.release(budget, note)
    told = ShareAccuracy(counts.value[True], counts.value[False], LaplaceCounts(epsilon).noise(frame))
    return NumericRelease(told.value, counts.loss, counts.mechanism, note, told, receipt=counts.receipt)


def _votes(right: Right, owners: Owners) -> Integers:
    """What is right and what is wrong of everybody's vote, in units: rounded inside each vote, which is a whole one."""
    here = owners.codes >= 0
    rows = np.bincount(owners.codes[here], minlength=owners.people)
    good = np.bincount(owners.codes[here & right], minlength=owners.people)
    units = int(((good << BITS) // np.maximum(rows, 1)).sum())
    return np.array([units, (owners.people << BITS) - units], dtype=np.int64)


def accuracy_problem(right: Right) -> NumericProblem:
    """The share of right answers among publicly many: the mean of zeros and ones, in steps of one row."""
    return mean_problem(right.astype(np.int64), bounds=(0, 1), resolution=Fraction(1, max(len(right), 1)))


def right_answers(model: Any, X: Any, y: Any) -> Right:
    """Not private. Row by row whether the model is right; a row decides about itself alone."""
    if not callable(getattr(model, "predict", None)):
        raise ParameterError(f"model must have a method predict; got {type(model).__name__}")
    if y is None:
        raise ParameterError("y must hold the classes, or name their column; got None")
    if isinstance(X, Source) or is_outside(X):
        return _right_where_rows_lie(model, X, y)
    if isinstance(y, str):
        _require_target(model, y)
    with only_own_errors():
        true = column_of_values(X if isinstance(y, str) else y, y if isinstance(y, str) else None)
    return _compare(model, X, true)


def _right_where_rows_lie(model: Any, X: Any, y: Any) -> Right:
    """Attributes and classes come in one scan: two of them might see the rows in two orders."""
    if not isinstance(y, str):
        raise ParameterError("y must be the name of the column of classes for a file or a table elsewhere")
    schema = _require_target(model, y)
    if getattr(model.schema, "every", None) is not None:
        raise ParameterError("schema must name its attributes for a file or a table elsewhere; got Schema.any")
    require_all_rows(X, schema, y, scored=True)
    batches = read_batches(X, {**readings_of(schema), y: schema.classes})
    answers = (model.predict_places(records_from_rows(rows, schema)) == rows[y] for rows in batches)
    return np.concatenate([np.zeros(0, dtype=np.bool_), *answers])


def _require_target(model: Any, y: str) -> Schema:
    """Whose columns have names, and which of them is the class, only dampen's own classifiers know."""
    schema = getattr(model, "schema_", None)
    if not isinstance(schema, Schema):
        raise ParameterError("y must hold the classes themselves unless the model is a fitted one of dampen.learn")
    if y in schema.attributes:
        raise ParameterError(f"the target must not be an attribute of the schema; got {render(y)}")
    return schema


def _compare(model: Any, X: Any, true: Column) -> Right:
    predicted = _predict(model, X)
    if len(predicted) != len(true):
        raise DataError("table and target must have equally many rows")
    classes = _classes_of(model)
    if classes is None:
        return _compare_by_row(predicted, true)
    places = Places.of(classes)
    predictions, real = label_places(predicted, places), label_places(true, places)
    return np.asarray((predictions == real) & (real >= 0))


def _predict(model: Any, X: Any) -> Column:
    """What the model predicts; errors of others may quote the data, so they are replaced."""
    try:
        with no_warnings():
            return column_of_values(model.predict(X), None)
    except DampenError:
        raise
    except Exception as error:
        raise DataError(f"model.predict must answer for every row; it raised {type(error).__name__}") from None


def _classes_of(model: Any) -> tuple[Any, ...] | None:
    """The classes of a fitted model, if it says which."""
    schema, classes = getattr(model, "schema_", None), getattr(model, "classes_", None)
    if isinstance(schema, Schema):
        return schema.classes
    return None if classes is None else tuple(np.asarray(classes).tolist())


def _compare_by_row(predicted: Column, true: Column) -> Right:
    """For a model that does not say its classes: each row's prediction is the one label that its class may stand for.

    The predictions together are no list of classes: they depend on all rows, and one row would decide how another is
    read.
    """
    pairs = zip(items_of(predicted), items_of(true), strict=True)
    return np.fromiter((_is_right(label, real) for label, real in pairs), np.bool_, len(true))


def _is_right(label: Any, real: Any) -> bool:
    try:
        return not is_missing(label) and Places.of((label,)).place(real) == 0
    except TypeError:
        return False


def _share(some: int, others: int, *, neither: Number) -> Fraction:
    """The share of the first among two numbers, none of them below 0."""
    one, all_of_them = max(some, 0), max(some, 0) + max(others, 0)
    return Fraction(one, all_of_them) if all_of_them else Fraction(neither)
