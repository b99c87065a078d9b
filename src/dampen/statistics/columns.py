"""One column of a caller's data in memory: numbers with nothing rounded, guessed or silently dropped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf, nextafter
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import one_of, shown
from dampen.errors import DataError, ParameterError
from dampen.vectors import Floats, Integers

if TYPE_CHECKING:
    import narwhals as nw

FORMS = "a list, an array, a column of a data frame, or a file with column="


@dataclass(frozen=True, eq=False, repr=False)
class Numbers:
    """The whole numbers of a column, its floats (infinities among them, NaN not), and how many values are missing.

    A whole number beyond 64 bits stands among the floats as the largest float not above it: no grid point lies between
    the two.
    """

    wholes: Integers
    reals: Floats
    missing: int


def refuse_missing(found: int, missing: str, column: str | None, where: str = "") -> None:
    """Refuse missing values unless they are to be dropped."""
    if found and missing == "refuse":
        raise DataError(
            f"{titled(column)} must have no missing values; leave them out with missing='drop' (--drop-missing){where}"
        )


def titled(column: str | None) -> str:
    """How a message names the data."""
    return "values" if column is None else f"column {column[:60]!r}"


def as_missing(missing: str) -> str:
    """What to do with missing values."""
    return one_of(("refuse", "drop"), missing=missing)


def as_numbers(values: Any, column: str | None = None) -> Numbers:
    """Read numbers from a list, an array, or a Series or data frame of any library that narwhals knows."""
    return numbers_of(in_memory(values, column), titled(column))


def numbers_of(found: Any, title: str) -> Numbers:
    """Read numbers from a list, an array or a Series of narwhals."""
    if isinstance(found, list):
        return _from_items(found, title)
    if isinstance(found, np.ndarray):
        return _from_array(found, title)
    return _from_series(found, title)


def in_memory(values: Any, column: str | None) -> "list[Any] | NDArray[Any] | nw.Series[Any]":
    """The values themselves, out of the data frame or mapping that holds them."""
    if not isinstance(column, str | None):
        raise ParameterError(f"column must be the name of a column, a text; got {shown(column)}")
    if isinstance(values, Mapping):
        return in_memory(_of_mapping(values, column), None)
    if isinstance(values, np.ndarray):
        found: Any = values
    elif isinstance(values, list | tuple | range):
        found = list(values)
    else:
        return _of_frame(values, column)
    if column is not None:
        raise ParameterError(f"column must be left out for {type(values).__name__}, which has no columns")
    if getattr(found, "ndim", 1) != 1:
        raise DataError("values must be one-dimensional")
    return found  # type: ignore[no-any-return]


def _of_mapping(values: Mapping[Any, Any], column: str | None) -> Any:
    if column is None or column not in values:
        raise ParameterError(f"column must be one of the columns of the data; got {column!r:.60}")
    return values[column]


def _of_frame(values: Any, column: str | None) -> "list[Any] | nw.Series[Any]":
    import narwhals as nw

    if type(values).__module__.partition(".")[0] == "pyarrow" and hasattr(values, "to_pylist"):
        values = _chunked(values)
    native = nw.from_native(values, allow_series=True, pass_through=True)
    if isinstance(native, nw.Series):
        if column is not None:
            raise ParameterError("column must be left out for a Series, which is one column already")
        return native
    if isinstance(native, nw.DataFrame | nw.LazyFrame):
        if column is None or native.collect_schema().names().count(column) != 1:
            raise ParameterError(f"column must be one of the columns of the data frame; got {column!r:.60}")
        chosen = native.select(column)
        return (chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen)[column]
    if isinstance(values, Sequence) and not isinstance(values, str | bytes) and column is None:
        return list(values)
    raise ParameterError(f"values must be {FORMS}; got {type(values).__name__}")


def _chunked(values: Any) -> Any:
    """A pyarrow array as the chunked array that narwhals knows."""
    import pyarrow as pa

    return pa.chunked_array([values]) if isinstance(values, pa.Array) else values


def _from_series(series: "nw.Series[Any]", title: str) -> Numbers:
    import narwhals as nw

    kind = series.dtype
    if kind in (nw.Decimal, nw.Object, nw.Unknown, nw.Int128, nw.UInt128):
        return _from_items(series.to_list(), title)
    present = series.drop_nulls()
    if not len(present):
        return Numbers(np.empty(0, dtype=np.int64), _NO_REALS, len(series))
    if not (kind.is_integer() or kind.is_float()):
        raise DataError(f"{title} must hold numbers")
    numbers = _from_array(present.to_numpy(), title)
    return Numbers(numbers.wholes, numbers.reals, numbers.missing + len(series) - len(present))


def _from_array(array: NDArray[Any], title: str) -> Numbers:
    if isinstance(array, np.ma.MaskedArray):
        numbers = _from_array(array.compressed(), title)
        return Numbers(numbers.wholes, numbers.reals, numbers.missing + len(array) - array.count())
    if array.dtype == object:
        return _from_items(array.tolist(), title)
    if array.dtype.kind == "f":
        reals = array.astype(np.float64, copy=False)
        absent = np.isnan(reals)
        missing = int(np.count_nonzero(absent))
        return Numbers(_NO_WHOLES, reals[~absent] if missing else reals, missing)
    if array.dtype.kind == "u":
        beyond = array > np.iinfo(np.int64).max
        large = [_rounded_down(value) for value in array[beyond].tolist()]
        return Numbers(array[~beyond].astype(np.int64), np.array(large, dtype=np.float64), 0)
    if array.dtype.kind != "i":
        raise DataError(f"{title} must hold numbers")
    return Numbers(array.astype(np.int64, copy=False), _NO_REALS, 0)


def _from_items(items: list[Any], title: str) -> Numbers:
    kinds = set(map(type, items))
    if kinds <= {float}:
        return _from_array(np.array(items, dtype=np.float64), title)
    if kinds == {int}:
        try:
            return Numbers(np.array(items, dtype=np.int64), _NO_REALS, 0)
        except OverflowError:
            pass
    wholes, reals, missing = [], [], 0
    for item in items:
        number = _number(item, title)
        if number is None:
            missing += 1
        elif isinstance(number, int) and -(2**63) <= number < 2**63:
            wholes.append(number)
        else:
            reals.append(_rounded_down(number) if isinstance(number, int) else number)
    return Numbers(np.array(wholes, dtype=np.int64), np.array(reals, dtype=np.float64), missing)


def _number(item: Any, title: str) -> int | float | None:
    """An item as Python's own number; ``None`` if it is a missing value."""
    if item is None or type(item).__name__ == "NAType":
        return None
    if isinstance(item, Integral) and not isinstance(item, bool):
        return int(item)
    if isinstance(item, Decimal):
        return None if item.is_nan() else float(item)
    if isinstance(item, Real) and not isinstance(item, bool):
        real = _nearest(item)
        return None if real != real else real
    raise DataError(f"{title} must hold numbers")


def _nearest(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def _rounded_down(number: int) -> float:
    """The largest float not above a whole number."""
    try:
        near = float(number)
    except OverflowError:
        return nextafter(inf, 0) if number > 0 else -inf
    return nextafter(near, -inf) if near > number else near


_NO_WHOLES: Integers = np.empty(0, dtype=np.int64)
_NO_REALS: Floats = np.empty(0, dtype=np.float64)
