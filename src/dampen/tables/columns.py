"""One column of a caller's data in memory, each value as it is: nothing is rounded, guessed or silently dropped.

A column is *typed* if its container declares that all its values are whole numbers, floats or truth values, and the
values lie in an array; otherwise it is a list of items, each read by itself (:mod:`dampen.tables.reading`). Nothing
is ever inferred from the values of a column: one odd value would change how all others are read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import one_of, render
from dampen.errors import DataError, ParameterError
from dampen.tables.grid import Grid, count_places
from dampen.tables.reading import LARGEST, MISSING, OTHER, SMALLEST, is_blank, is_missing, read_number
from dampen.vectors import Floats, Integers

if TYPE_CHECKING:
    import narwhals as nw

FORMS = "a list, an array, a column of a data frame, or a file with column="
TYPED = "iufb"
"""Kinds of arrays whose values are numbers or truth values as they stand."""


@dataclass(frozen=True, eq=False, repr=False)
class Typed:
    """Whole numbers, floats or truth values; ``absent`` tells which are missing, NaN apart."""

    array: NDArray[Any]
    absent: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.array)

    def take(self, rows: NDArray[Any]) -> "Typed":
        """Some rows: those of a mask, or at places."""
        return Typed(self.array[rows], None if self.absent is None else self.absent[rows])


@dataclass(frozen=True, eq=False, repr=False)
class Items:
    """Values of any kind."""

    items: list[Any]

    def __len__(self) -> int:
        return len(self.items)

    def take(self, rows: NDArray[Any]) -> "Items":
        """Some rows: those of a mask, or at places."""
        places = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return Items([self.items[place] for place in places.tolist()])


Column = Typed | Items


@dataclass(frozen=True, eq=False, repr=False)
class Numbers:
    """The whole numbers of a column, its floats (infinities among them, NaN not), and how many are missing or none.

    A whole number beyond 64 bits stands among the floats as the largest float not above it: no grid point lies between
    the two.
    """

    wholes: Integers
    reals: Floats
    missing: int
    other: int = 0


def place_counts(column: Column, grid: Grid) -> tuple[Integers, Integers]:
    """Occupied places of a grid and how many values stand there; first those that are no number, or missing."""
    numbers = numbers_of(column)
    places, counts = count_places([numbers.wholes, numbers.reals], grid)
    faults = {place: count for place, count in ((OTHER, numbers.other), (MISSING, numbers.missing)) if count}
    if not faults:
        return places, counts
    return np.append([*faults], places).astype(np.int64), np.append([*faults.values()], counts).astype(np.int64)


def refuse_missing(found: int, missing: str, column: str | None, where: str = "") -> None:
    """Refuse missing values unless they are to be dropped."""
    if found and missing == "refuse":
        rule = "must have no missing values; leave them out with missing='drop' (--drop-missing)"
        raise DataError(f"{title_of(column)} {rule}{where}")


def title_of(column: str | None) -> str:
    """How a message names the data."""
    return "values" if column is None else f"column {column[:60]!r}"


def as_missing(missing: str) -> str:
    """What to do with missing values."""
    return one_of(("refuse", "drop"), missing=missing)


def column_of_values(values: Any, column: str | None) -> Column:
    """The values themselves, or the named column of the data frame or mapping that holds them."""
    return as_column(raw_values(values, column))


def as_column(found: Any) -> Column:
    """A list, an array or a Series of narwhals as a column."""
    if isinstance(found, Typed | Items):
        return found
    if isinstance(found, list):
        return _column_of_list(found)
    if isinstance(found, np.ndarray):
        return _column_of_array(found)
    return _column_of_series(found)


def items_of(column: Column) -> list[Any]:
    """The values of a column one by one; missing ones of a typed column are ``None``."""
    if isinstance(column, Items):
        return column.items
    if column.absent is None:
        return list(column.array.tolist())
    return [None if gone else item for gone, item in zip(column.absent.tolist(), column.array.tolist(), strict=True)]


def _column_of_list(items: list[Any]) -> Column:
    """Items of one plain type of Python are typed: they are read the same, only faster."""
    kinds = set(map(type, items))
    for kind, dtype in ((int, np.int64), (float, np.float64), (bool, np.bool_)):
        if kinds == {kind}:
            try:
                return Typed(np.array(items, dtype=dtype))
            except OverflowError:
                break
    return Items(items)


def _column_of_array(array: NDArray[Any]) -> Column:
    if array.dtype.kind in TYPED and array.dtype != np.longdouble:
        if isinstance(array, np.ma.MaskedArray):
            return Typed(array.data, np.ma.getmaskarray(array))
        return Typed(array)
    if isinstance(array, np.ma.MaskedArray):
        gone = np.ma.getmaskarray(array).tolist()
        return Items([None if lost else item for lost, item in zip(gone, _array_items(array.data), strict=True)])
    return Items(_array_items(array))


def _array_items(array: NDArray[Any]) -> list[Any]:
    """The items of an array; ``tolist`` would make bare numbers of its times, and round long doubles."""
    return list(array) if array.dtype.kind in "mMVf" else array.tolist()


def _column_of_series(series: "nw.Series[Any]") -> Column:
    import narwhals as nw

    kind = series.dtype
    if kind in (nw.Int128, nw.UInt128) or not (kind.is_integer() or kind.is_float() or kind == nw.Boolean):
        return Items(_items_of(series))
    absent = np.asarray(series.is_null().to_numpy(), dtype=np.bool_)
    some = bool(absent.any())
    array = (series.fill_null(False if kind == nw.Boolean else 0) if some else series).to_numpy()
    if array.dtype.kind not in TYPED:
        return Items(series.to_list())
    return Typed(array, absent if some else None)


def _items_of(series: "nw.Series[Any]") -> list[Any]:
    """The items of a Series that is no plain array of numbers."""
    import narwhals as nw

    native = series.to_native()
    codes = getattr(getattr(native, "cat", None), "codes", None) if series.dtype == nw.Categorical else None
    if codes is not None:
        # pandas would make floats of whole categories as soon as one entry is missing
        labels = [*native.cat.categories.tolist(), None]
        return [labels[code] for code in codes.to_numpy().tolist()]
    if isinstance(series.dtype, nw.Datetime) and series.dtype.time_unit == "ns" and not _keeps_nanoseconds(native):
        return _nanoseconds(series)
    try:
        return series.to_list()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return [_item(series, place) for place in range(len(series))]


class Strange:
    """A value of a kind that is neither a number nor ever a label."""


def _item(series: "nw.Series[Any]", place: int) -> Any:
    """One item; one that Python has no value for, such as a date in the year 12,000, stands for nothing."""
    try:
        return series.item(place)
    except BaseException as error:  # polars panics with one that is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return Strange()


def _keeps_nanoseconds(native: Any) -> bool:
    """Whether the items of a Series know their nanoseconds, as those of pandas do."""
    return type(native).__module__.partition(".")[0] == "pandas"


def _nanoseconds(series: "nw.Series[Any]") -> list[Any]:
    """Moments to the nanosecond; Python's own have microseconds, and libraries would cut them off."""
    start = datetime(1970, 1, 1, tzinfo=None if series.dtype.time_zone is None else UTC)  # type: ignore[attr-defined]
    return [
        None
        if count is None or count != count
        else np.datetime64(int(count), "ns")
        if int(count) % 1000
        else start + timedelta(microseconds=int(count) // 1000)
        for count in series.dt.timestamp("ns").to_list()
    ]


def raw_values(values: Any, column: str | None) -> "list[Any] | NDArray[Any] | nw.Series[Any]":
    """The values themselves, out of the data frame or mapping that holds them."""
    if not isinstance(column, str | None):
        raise ParameterError(f"column must be the name of a column, a text; got {render(column)}")
    if isinstance(values, Mapping):
        return raw_values(_entry_of(values, column), None)
    if isinstance(values, np.ndarray):
        found: Any = values
    elif isinstance(values, list | tuple | range):
        found = list(values)
    else:
        return _values_of_frame(values, column)
    if column is not None:
        raise ParameterError(f"column must be left out for {type(values).__name__}, which has no columns")
    if getattr(found, "ndim", 1) != 1:
        raise DataError("values must be one-dimensional")
    return found  # type: ignore[no-any-return]


def _entry_of(values: Mapping[Any, Any], column: str | None) -> Any:
    if column is None or column not in values:
        raise ParameterError(f"column must be one of the columns of the data; got {render(column)}")
    return values[column]


def _values_of_frame(values: Any, column: str | None) -> "list[Any] | nw.Series[Any]":
    import narwhals as nw

    if type(values).__module__.partition(".")[0] == "pyarrow" and hasattr(values, "to_pylist"):
        values = _as_chunked(values)
    native = nw.from_native(values, allow_series=True, pass_through=True)
    if isinstance(native, nw.Series):
        if column is not None:
            raise ParameterError("column must be left out for a Series, which is one column already")
        return native
    if isinstance(native, nw.DataFrame | nw.LazyFrame):
        if column is None or native.collect_schema().names().count(column) != 1:
            raise ParameterError(f"column must be one of the columns of the data frame; got {render(column)}")
        chosen = native.select(column)
        return (chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen)[column]
    if isinstance(values, Sequence) and not isinstance(values, str | bytes) and column is None:
        return list(values)
    raise ParameterError(f"values must be {FORMS}; got {type(values).__name__}")


def _as_chunked(values: Any) -> Any:
    """A pyarrow array as the chunked array that narwhals knows."""
    import pyarrow as pa

    return pa.chunked_array([values]) if isinstance(values, pa.Array) else values


def as_values(values: Any, title: str) -> Any:
    """One column in memory; ``title``: how a message names it."""
    try:
        return raw_values(values, None)
    except (ParameterError, DataError):
        rule = f"{title} must be a list, an array of one dimension or a column of a data frame"
        raise ParameterError(f"{rule}; got {type(values).__name__}") from None


def numbers_of(column: Column) -> Numbers:
    """The numbers of a column."""
    if isinstance(column, Items):
        return _numbers_of_items(column.items)
    missing = 0 if column.absent is None else int(np.count_nonzero(column.absent))
    array = column.array[~column.absent] if missing and column.absent is not None else column.array
    if array.dtype.kind == "f":
        reals = array.astype(np.float64, copy=False)
        absent = np.isnan(reals)
        none = int(np.count_nonzero(absent))
        return Numbers(_NO_WHOLES, reals[~absent] if none else reals, missing + none)
    if array.dtype.kind == "b":
        return Numbers(_NO_WHOLES, _NO_REALS, missing, len(array))
    if array.dtype == np.uint64:
        beyond = array > LARGEST
        large = [_round_down(value) for value in array[beyond].tolist()]
        return Numbers(array[~beyond].astype(np.int64), np.array(large, dtype=np.float64), missing)
    return Numbers(array.astype(np.int64, copy=False), _NO_REALS, missing)


def _numbers_of_items(items: list[Any]) -> Numbers:
    wholes, reals, missing, other = list[int](), list[float](), 0, 0
    for item in items:
        if is_missing(item) or (isinstance(item, str) and is_blank(item)):
            missing += 1
        elif (number := read_number(item)) is None:
            other += 1
        elif isinstance(number, float):
            reals.append(number)
        elif SMALLEST <= number <= LARGEST:
            wholes.append(number)
        else:
            reals.append(_round_down(number))
    return Numbers(np.array(wholes, dtype=np.int64), np.array(reals, dtype=np.float64), missing, other)


def floats_of(column: Column) -> Floats:
    """Every value as the nearest float; NaN where it is missing or no number. Truth values are none."""
    if isinstance(column, Items):
        return np.fromiter(map(_as_float, column.items), np.float64, len(column))
    if column.array.dtype.kind == "b":
        return np.full(len(column), np.nan)
    numbers = column.array.astype(np.float64, copy=False)
    return numbers if column.absent is None else np.where(column.absent, np.nan, numbers)


def _as_float(item: Any) -> float:
    number = None if is_missing(item) else read_number(item)
    try:
        return np.nan if number is None else float(number)
    except OverflowError:
        return inf if number is not None and number > 0 else -inf


def _round_down(number: int) -> float:
    """The largest float not above a whole number."""
    try:
        near = float(number)
    except OverflowError:
        return nextafter(inf, 0) if number > 0 else -inf
    return nextafter(near, -inf) if near > number else near


_NO_WHOLES: Integers = np.empty(0, dtype=np.int64)
_NO_REALS: Floats = np.empty(0, dtype=np.float64)
