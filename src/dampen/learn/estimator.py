"""What every private classifier shares: it reads a table through a schema, pays once, then draws its model.

A class fills in :meth:`PaidClassifier._grow` (from a table to a released model), :meth:`PaidClassifier._shares` (from a
released model to the class shares of records), the two that write a model as JSON, and, where it has parameters of its
own, :meth:`PaidClassifier._check`. The model holds released numbers only; neither the table nor anything unreleased of
it stays with the estimator.
"""

import inspect
import json
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dampen._validate import only_own_errors, positive, render
from dampen.accounting import composed
from dampen.describe.person import Person
from dampen.entropy import Entropy
from dampen.errors import DampenError, DataError, MissingExtra, ParameterError
from dampen.front.table import Table
from dampen.learn.private_cuts import UncutNumbers, share_for_cuts
from dampen.learn.records import Records, as_records, as_table, readings_of, records_from_rows
from dampen.learn.saved import fraction
from dampen.learn.schema import Schema, read_json
from dampen.learn.training_table import TrainingTable, labels_with_rest, require_all_rows, require_labels
from dampen.privacy import Adjacency, PrivacyLoss, as_adjacency, as_budget, paid
from dampen.tables.columns import column_of_values, items_of, raw_values
from dampen.tables.engines import Reading, Source, is_outside, open_engine
from dampen.tables.reading import is_missing
from dampen.tables.rows import read_batches
from dampen.vectors import Floats, Integers

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtra("private classifiers need scikit-learn: pip install 'dampen[learn]'") from None

SHARED = ("epsilon", "schema", "budget", "adjacency")
"""Parameters that every classifier has."""


class PaidClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """A classifier whose fit is one charge. Subclasses store ``epsilon``, ``schema``, ``budget`` and ``adjacency``."""

    epsilon: Any
    schema: Any
    budget: Any
    adjacency: Any
    classes_: NDArray[Any]
    schema_: Schema
    model_: Any
    terms_: dict[str, Any]

    @abstractmethod
    def _grow(self, table: Any, epsilon: Fraction, source: Entropy) -> Any:
        """Draw the model from what :meth:`_prepare` returned.

        It must cost at most ``epsilon`` under ``ADD_REMOVE``; nobody else pays for it.
        """

    @abstractmethod
    def _shares(self, model: Any, records: Records) -> Floats:
        """One row per record, one column per class, each row adding up to 1: from released numbers only."""

    @abstractmethod
    def _as_plain(self, model: Any) -> dict[str, Any]:
        """The model as JSON takes it."""

    @abstractmethod
    def _from_plain(self, plain: dict[str, Any]) -> Any:
        """The model out of what :meth:`_as_plain` wrote."""

    def _check(self, schema: Schema, rows: int) -> None:
        """Refuse parameters that do not fit, before anything is paid. ``rows`` is private: never show it."""

    def _with_bins(self, schema: Schema) -> Schema:
        """The schema with as many bins as the model has for numbers that are declared with none."""
        return schema

    def _require_data(self, X: Any) -> None:
        """Refuse a kind of table that the model cannot be drawn from."""

    def _require_votes(self) -> None:
        """Refuse parameters for which nothing is proved where persons have several rows."""

    def _count_steps(self, schema: Schema) -> int:
        """Into how many releases in a row, of the same price, a fit can be taken apart: rhos add up over them."""
        return 1

    def _prepare(self, table: TrainingTable) -> Any:
        """What the model is drawn from; whatever must be read before anything is paid is read here."""
        return table.count_votes()

    def _prepare_again(self, prepared: Any, table: TrainingTable) -> Any:
        """The same, after the cuts of numbers without bounds were drawn: what can be refused was refused before."""
        return self._prepare(table)

    def fit(self, X: Any, y: Any = None, **refused: Any) -> Self:
        """Pay epsilon once and learn from a table.

        ``X`` is an array with one column per attribute of the schema, a data frame or mapping with columns of their
        names (others are ignored), a path or pattern of CSV or Parquet files, a DuckDB relation, an ibis table or a
        Spark data frame. ``y`` holds the classes, or is the name of their column in ``X``. Sample weights are refused:
        a record with weight 2 would need twice the noise.

        Of a :class:`dampen.Table`, ``y`` is the name of a column; schema, budget and adjacency come from the table.
        Where it has a person, everybody has one vote, spread over the own rows, and the loss is one per person.
        """
        if refused:
            raise ParameterError(
                f"fit takes a table and its classes, and no sample weights; got {', '.join(refused)[:60]}"
            )
        if isinstance(X, Table):
            return self._fit_described(X, y)
        return self._learn(X, y)

    def _learn(self, X: Any, y: Any, whose: Person | None = None) -> Self:
        """A fit to rows, or to the votes of persons, each of whom may have many."""
        epsilon, adjacency = positive(epsilon=self.epsilon), self._adjacency()
        if not isinstance(self.schema, Schema):
            raise ParameterError(f"schema must be a dampen.learn.Schema; got {type(self.schema).__name__}")
        budget, rate = as_budget(self.budget), self._rate()
        share = share_for_cuts(self.schema)
        for_cuts = _rate_at(epsilon, adjacency) * share
        with self._open(X, y, whose) as table:
            uncut = UncutNumbers.count(table)
            widest = table.read_by(uncut.widest)
            prepared = self._prepare(widest)
            if self.schema.every is None:
                self._name_features(widest.schema)
            self._check(widest.schema, widest.rows)
            loss = self._loss(widest.schema, "" if whose is None else whose.column)

            def draw(source: Entropy) -> tuple[Schema, Any]:
                if not share:
                    return table.schema, self._grow(prepared, rate, source)
                cut = table.read_by(uncut.draw(for_cuts, source))
                return cut.schema, self._grow(self._prepare_again(prepared, cut), rate, source)

            self.schema_, self.model_ = paid(draw, loss, budget=budget, note=type(self).__name__)
        self.classes_ = _as_array(self.schema_.classes)
        self.terms_ = self._terms(None if whose is None else whose.column, epsilon * share)
        return self

    def _loss(self, schema: Schema, unit: str) -> PrivacyLoss:
        """What a fit loses: one release after another, of cuts, number by number, and of the steps of a model."""
        epsilon, adjacency, share = positive(epsilon=self.epsilon), self._adjacency(), share_for_cuts(self.schema)
        cut, steps = len(self.schema.uncut), self._count_steps(schema)
        prices = [epsilon * share / max(cut, 1)] * cut + [epsilon * (1 - share) / steps] * steps
        return composed([PrivacyLoss(price, adjacency=adjacency, unit=unit) for price in prices])

    def _fit_described(self, table: Table, target: Any) -> Self:
        """A fit whose schema and budget are the table's. The parameters stay as they were given."""
        for name in ("schema", "budget", "adjacency"):
            if getattr(self, name) is not None:
                raise ParameterError(f"{name} must be left out for a dampen.Table, which has its own")
        if not isinstance(target, str):
            raise ParameterError(f"y must be the name of the column of classes; got {type(target).__name__}")
        whose = table.view.person
        if whose is not None:
            self._require_votes()
        described = {name: column for name, column in table.columns.items() if name != table.person}
        own = {"schema": Schema.from_description(described, target), "budget": table.budget}
        fitted = type(self)(**{**self.get_params(deep=False), **own, "adjacency": table.adjacency})
        fitted._learn(table.view.source(None) if whose is None else table.view.person_source(), target, whose)
        for name, value in vars(fitted).items():
            if name.endswith("_"):
                setattr(self, name, value)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """For each record the share of each class, in the order of ``classes_``, from released numbers only."""
        self._require_fitted()
        if self.schema is not None and self.schema.every is not None:
            X = _validate(self, X)
        return self._shares(self.model_, as_records(X, self.schema_))

    def predict(self, X: Any) -> NDArray[Any]:
        """For each record the class with the largest share, the first of equals.

        ``X`` is a table of any kind that :meth:`fit` takes. Its attributes are read here, row by row, in the order in
        which they come: Spark promises one only for a data frame that is sorted.
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def predict_batches(self, X: Any) -> Iterator[NDArray[Any]]:
        """The same, piece by piece, for files that need not fit in memory."""
        self._require_fitted()
        with only_own_errors():
            table = as_table(X, self.schema_)
        for rows in read_batches(table, readings_of(self.schema_)):
            yield np.asarray(self.classes_[self.predict_places(records_from_rows(rows, self.schema_))])

    def predict_places(self, records: Records) -> Integers:
        """For each record the place of its class among ``classes_``."""
        return np.asarray(self._shares(self.model_, records).argmax(axis=1))

    def to_json(self) -> str:
        """The fitted model with its public schema and parameters: released numbers only."""
        self._require_fitted()
        written = {
            "model": type(self).__name__,
            **self.terms_,
            "schema": json.loads(self.schema_.to_json()),
            "released": self._as_plain(self.model_),
        }
        return json.dumps(written)

    @classmethod
    def from_json(cls, source: str | Path) -> Self:
        """A fitted classifier, without a budget, out of what :meth:`to_json` wrote or out of a file of it."""
        try:
            given = read_json(source)
            if given["model"] != cls.__name__:
                raise ParameterError(f"the JSON must be of a {cls.__name__}; got {render(given['model'])}")
            schema = Schema.from_json(json.dumps(given["schema"]))
            made = cls(
                epsilon=given["epsilon"], adjacency=Adjacency(given["adjacency"]), schema=schema, budget=None,
                **given["parameters"],
            )  # fmt: skip
            for_cuts = fraction(given.get("for_cuts", "0"))
            if schema.uncut or not 0 <= for_cuts < positive(epsilon=made.epsilon):
                raise ValueError
            made._rate()
            made._check(schema, 0)
            made.model_ = made._from_plain(given["released"])
        except ParameterError:
            raise
        except (OSError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            raise ParameterError(f"the JSON must be what to_json of a {cls.__name__} wrote") from None
        made.schema_, made.classes_ = schema, _as_array(schema.classes)
        made._name_features(schema)
        made.terms_ = made._terms(given.get("unit"), for_cuts)
        return made

    def _terms(self, unit: str | None = None, for_cuts: Fraction = Fraction(0)) -> dict[str, Any]:
        """What a fit was paid for, as JSON takes it: parameters that change afterwards do not change it.

        ``unit``: the person's column, where the loss is one per person. ``for_cuts``: what of epsilon paid for the cuts
        of numbers without bounds.
        """
        own = [name for name in inspect.signature(type(self)).parameters if name not in SHARED]
        return {
            "epsilon": str(positive(epsilon=self.epsilon)),
            "adjacency": self._adjacency().value,
            **({} if unit is None else {"unit": str(unit)}),
            **({"for_cuts": str(for_cuts)} if for_cuts else {}),
            "parameters": {name: getattr(self, name) for name in own},
        }

    def _name_features(self, schema: Schema) -> None:
        self.n_features_in_ = len(schema.attributes)
        self.feature_names_in_ = np.array(list(schema.attributes), dtype=object)

    def _rate(self) -> Fraction:
        """At which epsilon the model is drawn: a replaced record is one taken and one added, each at half of it.

        What finds the cuts of numbers without bounds has its share already.
        """
        rest = positive(epsilon=self.epsilon) * (1 - share_for_cuts(self.schema))
        return _rate_at(rest, self._adjacency())

    def _rate_paid(self) -> Fraction:
        """At which epsilon the fitted model was drawn."""
        rest = Fraction(self.terms_["epsilon"]) - Fraction(self.terms_.get("for_cuts", 0))
        return _rate_at(rest, Adjacency(self.terms_["adjacency"]))

    def _require_fitted(self) -> None:
        check_is_fitted(self, "model_")

    def _adjacency(self) -> Adjacency:
        """The adjacency; scikit-learn allows only plain defaults, so ``None`` stands for ``ADD_REMOVE``."""
        adjacency = Adjacency.ADD_REMOVE if self.adjacency is None else as_adjacency(self.adjacency)
        if adjacency is Adjacency.EDGE:
            raise ParameterError("adjacency must be ADD_REMOVE or REPLACE: a table has rows, not edges")
        return adjacency

    @contextmanager
    def _open(self, X: Any, y: Any, whose: Person | None) -> Iterator[TrainingTable]:
        """The table, found to keep the schema, with everything named."""
        self._require_data(X)
        read = self._named_table if self.schema.every is None else self._unnamed_table
        data, target, declared = read(X, y)
        schema = self._with_bins(declared)
        require_all_rows(data, schema, target)
        require_labels(data, labels_with_rest(schema.attributes))
        if whose is not None:
            data = Source(data, readings={whose.column: Reading(person=True, missing=whose.missing == "drop")})
        with open_engine(data, *schema.attributes, target) as engine:
            yield TrainingTable.scan(engine, schema, target, None if whose is None else whose.column)

    def _named_table(self, X: Any, y: Any) -> tuple[Any, str, Schema]:
        """A table that an engine takes, the name of its target, and the schema."""
        if y is None:
            raise ParameterError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if isinstance(y, str) and y in self.schema.attributes:
            raise ParameterError(f"the target must not be an attribute of the schema; got {render(y)}")
        if isinstance(X, Source) or is_outside(X):
            if not isinstance(y, str):
                raise ParameterError("y must be the name of the column of classes for a file or a table elsewhere")
            return X, y, self.schema
        target = y if isinstance(y, str) else _free_name(self.schema)
        with only_own_errors():
            classes = raw_values(X, y) if isinstance(y, str) else raw_values(y, None)
            return {**as_table(X, self.schema), target: classes}, target, self.schema

    def _unnamed_table(self, X: Any, y: Any) -> tuple[Any, str, Schema]:
        """The same for columns without names: numbers of 64 bits, checked as scikit-learn does."""
        if isinstance(X, Source) or is_outside(X):
            raise ParameterError("schema must name its attributes for a file or a table elsewhere; got Schema.any")
        table, target = _validate(self, X, y)
        schema = self.schema.for_columns(table.shape[1])
        with only_own_errors():
            if not self.schema.classes:
                schema = schema.with_classes(_classes_in(target))
            return {**as_table(table, schema), _free_name(schema): target}, _free_name(schema), schema

    def __sklearn_tags__(self) -> Any:
        """A fit is random, and there is no seed."""
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        return tags

    def __sklearn_clone__(self) -> Self:
        """The same parameters, unfitted; the budget is shared, never copied."""
        return type(self)(**self.get_params(deep=False))

    def __getstate__(self) -> dict[str, Any]:
        """A fitted classifier leaves its budget behind: whoever gets the pickle may predict, not spend."""
        state: dict[str, Any] = dict(super().__getstate__())
        return {**state, "budget": None} if "model_" in state else state


def _validate(estimator: PaidClassifier, X: Any, y: Any = "no_validation") -> Any:
    """The checks of scikit-learn for a numeric table; a message never shows a value, or how many rows there are.

    Numbers become floats of 64 bits, each by itself. Classes are looked at and returned as they came: an array of all
    of them would read each in the light of the others. An empty table is a table.
    """
    if np.ma.isMaskedArray(X) or np.ma.isMaskedArray(y):
        raise DataError("table and target must not be masked: fill in what is missing, or leave its rows out")
    fitting = not isinstance(y, str)
    rows = np.empty((0, 0)) if isinstance(X, list | tuple) and not X else X
    least = {"ensure_min_samples": 0, "ensure_min_features": 0 if rows is not X else 1}
    try:
        with np.errstate(all="ignore"):
            found = validate_data(estimator, rows, y, reset=fitting, dtype=np.float64, **least)
        if not fitting:
            return found
        if found[1].dtype.kind in "iufb" and not estimator.schema.classes:
            _require_classes(found[1])
        _refuse_infinite(y)
        listed = isinstance(y, list | tuple) or (isinstance(y, np.ndarray) and y.ndim == 1)
        return found[0], raw_values(y, None) if listed else _classes_as_given(y, found[1])
    except Exception as error:
        failure = error if isinstance(error, DampenError) else _without_data(error)
    # Raised here, so that scikit-learn's own error, which may quote data, is not its context.
    raise failure


def _refuse_infinite(target: Any) -> None:
    """An infinite class is refused wherever it stands: scikit-learn overlooks it among texts."""
    listed = isinstance(target, list | tuple) or getattr(target, "dtype", None) is np.dtype(object)
    if listed and any(isinstance(item, float | np.floating) and np.isinf(item) for item in target):
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")


def _classes_as_given(target: Any, checked: NDArray[Any]) -> Any:
    """The classes of a Series as they are; those of anything else as scikit-learn reads them."""
    try:
        return raw_values(target, None)
    except DampenError:
        return checked


class _NoNumber(DataError, TypeError):
    """What scikit-learn wants raised for an object that is no number."""


def _without_data(error: Exception) -> DampenError:
    """What scikit-learn says, less the values and numbers of rows that it shows; names of columns are public."""
    message = str(error)
    first = message.partition("\n")[0]
    if message.startswith("The feature names"):
        return DataError(message)
    if "float() argument" in first:
        return _NoNumber("table must hold numbers: every argument must be a string or a real number")
    if "could not convert" in first or not isinstance(error, ValueError | TypeError):
        return DataError("table must hold numbers")
    if "inconsistent numbers of samples" in first:
        return DataError("table and target must have equally many rows")
    if first.startswith("Expected 2D array"):
        rule = "Expected 2D array. Reshape your data: one row for each record, one column for each attribute"
        return DataError(rule)
    return DataError(re.sub(r"\(\d+,", "(,", first))


def _require_classes(target: Any) -> None:
    """Refuse numbers that are no classes; how many classes there are beside the rows is not warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check_classification_targets(target)


def _classes_in(target: Any) -> list[Any]:
    """The classes that occur, where they are declared to be public."""
    column = column_of_values(target, None)
    if any(is_missing(item) for item in items_of(column)):
        raise DataError("target must have no missing values")
    found = {*items_of(column)}
    try:
        return sorted(found)
    except TypeError:
        return sorted(found, key=lambda label: (type(label).__name__, str(label)))


def load_classifier(path: str | Path) -> PaidClassifier:
    """The fitted classifier of any kind that :meth:`PaidClassifier.to_json` wrote to a file; it has no budget."""
    from dampen import learn

    try:
        text = Path(path).read_text()
        name = json.loads(text)["model"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        raise ParameterError(f"the model must be a JSON file that to_json wrote; got {render(str(path))}") from None
    kind = getattr(learn, name) if isinstance(name, str) and name in learn.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, PaidClassifier)):
        raise ParameterError(f"the model must be of a classifier of dampen.learn; got {render(name)}")
    return kind.from_json(text)


def _free_name(schema: Schema) -> str:
    """A name for the target that no attribute has."""
    name = "target"
    while name in schema.attributes:
        name += "_"
    return name


def _rate_at(epsilon: Fraction, adjacency: Adjacency) -> Fraction:
    return epsilon / 2 if adjacency is Adjacency.REPLACE else epsilon


def _as_array(labels: tuple[Any, ...]) -> NDArray[Any]:
    """Labels as an array of their own type; of objects where they have several."""
    kinds = {type(label) for label in labels}
    cut = any(isinstance(label, str) and label.endswith("\0") for label in labels)
    if len(kinds) == 1 and kinds <= {str, int, float, bool} and not cut:
        return np.array(labels)
    mixed = np.empty(len(labels), dtype=object)
    mixed[:] = labels
    return mixed
