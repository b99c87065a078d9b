"""What every private classifier shares: it reads a table through a schema, pays once, then draws its model.

A class fills in :meth:`PaidClassifier._grow` (records to a released model), :meth:`PaidClassifier._shares` (a released
model's class shares for records), the two that write a model as JSON, and, where it has parameters of its own,
:meth:`PaidClassifier._check`. The model holds released numbers only; neither the table nor anything unreleased of it
stays with the estimator.
"""

import json
import re
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dampen._validate import positive, shown
from dampen.applications.composite import paid
from dampen.errors import DataError, MissingExtra, ParameterError
from dampen.learn.counted import CountedTable
from dampen.learn.records import Records, as_classes, as_records, target_of
from dampen.learn.schema import Schema
from dampen.privacy import Adjacency, PrivacyLoss, as_adjacency, as_budget
from dampen.sampling import entropy
from dampen.sampling.entropy import Entropy
from dampen.statistics.engines import Source, opened, stays
from dampen.vectors import Floats, Integers

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingExtra("private classifiers need scikit-learn: pip install 'dampen[learn]'") from None


Grow = Callable[[Fraction, Entropy], Any]


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
    def _grow(self, records: Records, classes: Integers, schema: Schema, epsilon: Fraction, source: Entropy) -> Any:
        """Draw the model. It must cost at most ``epsilon`` under ``ADD_REMOVE``; nobody else pays for it."""

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

    def _public_parameters(self) -> dict[str, Any]:
        """Parameters that JSON keeps, besides epsilon, schema and adjacency."""
        return {}

    def fit(self, X: Any, y: Any = None, **refused: Any) -> Self:
        """Pay epsilon once and learn from a table.

        ``X`` is an array with one column per attribute of the schema, a data frame or mapping with columns of their
        names (others are ignored), a path or pattern of CSV or Parquet files, a DuckDB relation, an ibis table or a
        Spark data frame. ``y`` holds the classes, or is the name of their column in ``X``. Sample weights are refused:
        a record with weight 2 would need twice the noise.
        """
        if refused:
            raise ParameterError(f"fit takes a table and its classes, and no sample weights; got {shown([*refused])}")
        epsilon, adjacency = positive(epsilon=self.epsilon), self._adjacent()
        if not isinstance(self.schema, Schema):
            raise ParameterError(f"schema must be a dampen.learn.Schema; got {type(self.schema).__name__}")
        budget, rate = as_budget(self.budget), self._rate()
        loss = PrivacyLoss(epsilon, adjacency=adjacency)
        with self._opened(X, y) as (rows, schema, grow):
            self._check(schema, rows)

            def draw() -> Any:
                with np.errstate(all="ignore"):
                    return grow(rate, entropy.system_entropy())

            self.model_ = paid(draw, loss, budget=budget, note=type(self).__name__)
        self.schema_, self.classes_ = schema, _as_array(schema.classes)
        self.terms_ = self._terms()
        return self

    def predict_proba(self, X: Any) -> Floats:
        """For each record the share of each class, in the order of ``classes_``, from released numbers only."""
        self._require_fitted()
        if self.schema is not None and self.schema.every is not None:
            X = _checked(self, X)
        return self._shares(self.model_, as_records(X, self.schema_, training=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """For each record the class with the largest share, the first of equals.

        ``X`` is a table of any kind that :meth:`fit` takes. Its attributes are read here, row by row, in the order in
        which they come: Spark promises one only for a data frame that is sorted.
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

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
        written = str(source).lstrip().startswith("{")
        try:
            given = json.loads(str(source) if written else Path(source).read_text())
            if given["model"] != cls.__name__:
                raise ParameterError(f"the JSON must be of a {cls.__name__}; got {shown(given['model'])}")
            schema = Schema.from_json(json.dumps(given["schema"]))
            made = cls(
                epsilon=given["epsilon"], adjacency=Adjacency(given["adjacency"]), schema=schema, budget=None,
                **given["parameters"],
            )  # fmt: skip
            made._rate()
            made._check(schema, 0)
            made.model_ = made._from_plain(given["released"])
        except ParameterError:
            raise
        except (OSError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
            raise ParameterError(f"the JSON must be what to_json of a {cls.__name__} wrote") from None
        made.schema_, made.classes_ = schema, _as_array(schema.classes)
        made._name_features(schema)
        made.terms_ = made._terms()
        return made

    def _terms(self) -> dict[str, Any]:
        """What a fit was paid for, as JSON takes it: parameters that change afterwards do not change it."""
        return {
            "epsilon": str(positive(epsilon=self.epsilon)),
            "adjacency": self._adjacent().value,
            "parameters": self._public_parameters(),
        }

    def _name_features(self, schema: Schema) -> None:
        self.n_features_in_ = len(schema.attributes)
        self.feature_names_in_ = np.array(list(schema.attributes), dtype=object)

    def _rate(self) -> Fraction:
        """At which epsilon the model is drawn: a replaced record is one taken and one added, each at half of it."""
        return _halved(positive(epsilon=self.epsilon), self._adjacent())

    def _rate_paid(self) -> Fraction:
        """At which epsilon the fitted model was drawn."""
        return _halved(Fraction(self.terms_["epsilon"]), Adjacency(self.terms_["adjacency"]))

    def _require_fitted(self) -> None:
        check_is_fitted(self, "model_")

    def _adjacent(self) -> Adjacency:
        """The adjacency; scikit-learn allows only plain defaults, so ``None`` stands for ``ADD_REMOVE``."""
        adjacency = Adjacency.ADD_REMOVE if self.adjacency is None else as_adjacency(self.adjacency)
        if adjacency is Adjacency.EDGE:
            raise ParameterError("adjacency must be ADD_REMOVE or REPLACE: a table has rows, not edges")
        return adjacency

    @contextmanager
    def _opened(self, X: Any, y: Any) -> Iterator[tuple[int, Schema, Grow]]:
        """The number of rows, the schema with everything named, and what draws the model once it is paid for."""
        if not (isinstance(X, Source) or stays(X)) or not self._counts_on_engines(X):
            records, classes, schema = self._read(X, y)
            yield records.rows, schema, lambda rate, source: self._grow(records, classes, schema, rate, source)
            return
        if self.schema.every is not None:
            raise ParameterError("schema must name its attributes for a file or a table elsewhere; got Schema.any")
        if not isinstance(y, str):
            raise ParameterError("y must be the name of the column of classes for a file or a table elsewhere")
        with opened(X, *self.schema.attributes, y) as engine:
            table = CountedTable.checked(engine, self.schema, y)
            self.n_features_in_ = len(self.schema.attributes)
            yield table.rows, self.schema, lambda rate, source: self._grow_on(table, rate, source)

    def _counts_on_engines(self, X: Any) -> bool:
        """Whether the model needs nothing but counts; otherwise rows are read from files alone."""
        return True

    def _grow_on(self, table: CountedTable, epsilon: Fraction, source: Entropy) -> Any:
        """Draw the model from counts that are made where the table lies; asked of no model that needs rows."""
        raise NotImplementedError

    def _read(self, X: Any, y: Any) -> tuple[Records, Integers, Schema]:
        """The table as the schema reads it, the places of the classes, and the schema with everything named."""
        if self.schema.every is not None:
            return self._read_unnamed(X, y)
        if isinstance(y, str) and y in self.schema.attributes:
            raise ParameterError(f"the target must not be an attribute of the schema; got {shown(y)}")
        target = target_of(X, y) if isinstance(y, str) else y
        if target is None:
            raise ParameterError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        records = as_records(X, self.schema, training=True)
        classes = as_classes(target, self.schema.classes)
        if len(classes) != records.rows:
            raise DataError("table and target must have equally many rows")
        self._name_features(self.schema)
        return records, classes, self.schema

    def _read_unnamed(self, X: Any, y: Any) -> tuple[Records, Integers, Schema]:
        table, target = _checked(self, X, y)
        _require_classes(target)
        schema = self.schema.for_columns(table.shape[1])
        if not self.schema.classes:
            public, classes = np.unique(target, return_inverse=True)
            schema = Schema(schema.attributes, public.tolist())
        else:
            classes = as_classes(target, schema.classes)
        return as_records(table, schema, training=True), classes.astype(np.int64), schema

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


def _checked(estimator: PaidClassifier, X: Any, y: Any = "no_validation") -> Any:
    """The checks of scikit-learn for a numeric table; a message never shows a value, or how many rows there are."""
    if np.ma.isMaskedArray(X) or np.ma.isMaskedArray(y):
        raise DataError("table and target must not be masked: fill in what is missing, or leave its rows out")
    try:
        return validate_data(estimator, X, y, reset=not isinstance(y, str), dtype=np.float64)
    except ValueError as error:
        told = _without_data(str(error))
    raise DataError(told)


def _without_data(message: str) -> str:
    """What scikit-learn says, less the values and numbers of rows that it shows; names of columns are public."""
    if message.startswith("The feature names"):
        return message
    first = message.partition("\n")[0]
    if "could not convert" in first:
        return "table must hold numbers"
    if "inconsistent numbers of samples" in first:
        return "table and target must have equally many rows"
    if first.startswith("Expected 2D array"):
        return "Expected 2D array. Reshape your data: one row for each record, one column for each attribute"
    return re.sub(r"\(\d+,", "(,", first)


def _require_classes(target: Any) -> None:
    """Refuse numbers that are no classes; how many classes there are beside the rows is not warned of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check_classification_targets(target)


def _halved(epsilon: Fraction, adjacency: Adjacency) -> Fraction:
    return epsilon / 2 if adjacency is Adjacency.REPLACE else epsilon


def _as_array(labels: tuple[Any, ...]) -> NDArray[Any]:
    """Labels as an array of their own type; of objects where they have several."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {str, int, float, bool}:
        return np.array(labels)
    mixed = np.empty(len(labels), dtype=object)
    mixed[:] = labels
    return mixed
