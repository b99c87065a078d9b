"""One column of a caller's data in memory, each value as it is: nothing is rounded, guessed or silently dropped.

A column is *typed* if its container declares that all its values are whole numbers, floats or truth values, and the
values lie in an array; otherwise it is a list of items, each read by itself (:mod:`dampen.tables.reading`). Nothing
is ever inferred from the values of a column: one odd value would change how all others are read.

As numbers, a whole number beyond 64 bits stands among the floats as the largest float not above it: no grid point, and
no end of a range, lies between the two.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf, nextafter
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from dampen._validate import one_of, render
from dampen.errors import DataError, ParameterError
from dampen.tables.day_grid import DayGrid
from dampen.tables.grid import Grid, count_places
from dampen.tables.reading import LARGEST, MISSING, OTHER, SMALLEST, is_blank, is_missing, read_day, read_number
from dampen.tables.relative_grid import NearestGrid
from dampen.vectors import Floats, Integers, Vector

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


def refuse_missing(found: int, missing: str, column: str | None, where: str = "", *, option: str = "missing") -> None:
    """Refuse missing values unless they are to be dropped, which ``option`` would say."""
    if found and missing == "refuse":
        typed = f"--{option.replace('_', '-')}"
        rule = f"must have no missing values; leave them out with {option}='drop' ({typed} drop)"
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
    if type(values).__module__.partition(".")[0] == "networkx":
        raise ParameterError("values must be a table; a networkx graph is read by dampen.Graph.from_networkx(graph)")
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


Rows = Integers | slice
"""Rows by their places, or all of them."""


@dataclass(frozen=True, eq=False, repr=False)
class Numbers:
    """The whole numbers of a column, its floats (infinities among them, NaN not), and how many are missing or none."""

    wholes: Integers
    reals: Floats
    missing: int
    other: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class RowNumbers:
    """The numbers of a column of so many rows, in parts of one type each, with their rows; all other rows have none.

    A part has as few bits as the column had: a wider copy of many rows costs more than to add them up.
    """

    size: int
    parts: tuple[tuple[Rows, NDArray[Any]], ...]
    missing: Integers
    other: Integers

    def spread(self, dtype: Any, of: Callable[[Vector], NDArray[Any]]) -> NDArray[Any]:
        """Something for each row: what is made of its number, ``MISSING`` or ``OTHER``."""
        found = np.empty(self.size, dtype=dtype)
        for rows, numbers in self.parts:
            found[rows] = of(widen(numbers))
        found[self.missing] = MISSING
        found[self.other] = OTHER
        return found


def place_counts(column: Column, grid: Grid) -> tuple[Integers, Integers]:
    """Occupied places of a grid and how many values stand there; first those that are no number, or missing.

    On a grid of days values are days.
    """
    numbers = numbers_of(column, days=isinstance(grid, DayGrid))
    places, counts = count_places([numbers.wholes, numbers.reals], counted_on(grid))
    faults = {place: count for place, count in ((OTHER, numbers.other), (MISSING, numbers.missing)) if count}
    if not faults:
        return places, counts
    return np.append([*faults], places).astype(np.int64), np.append([*faults.values()], counts).astype(np.int64)


def counted_on(grid: Grid) -> Grid:
    """The grid of numbers that values are placed on: of days their numbers, of values the ends between them."""
    return grid.numbers if isinstance(grid, DayGrid | NearestGrid) else grid


def numbers_of(column: Column, *, days: bool = False) -> Numbers:
    """The numbers of a column, or those of its days."""
    found = row_numbers(column, days=days)
    parts = (widen(numbers) for _, numbers in found.parts)
    held = {"i": _NO_WHOLES, "f": _NO_REALS} | {numbers.dtype.kind: numbers for numbers in parts}
    return Numbers(cast(Integers, held["i"]), cast(Floats, held["f"]), len(found.missing), len(found.other))


def row_numbers(column: Column, *, days: bool = False) -> RowNumbers:
    """The number of each row, or that of its day."""
    if isinstance(column, Items):
        return _days_of_items(column.items) if days else _numbers_of_items(column.items)
    array, absent = column.array, column.absent
    gone = np.isnan(array) if array.dtype.kind == "f" else np.zeros(0, dtype=np.bool_)
    if absent is not None:
        gone = gone | absent if len(gone) else absent
    lost = bool(gone.any())
    missing: Integers = np.flatnonzero(gone) if lost else _NO_WHOLES
    held: Rows = np.flatnonzero(~gone) if lost else slice(None)
    if days or array.dtype.kind == "b":
        return RowNumbers(len(array), (), missing, held if isinstance(held, np.ndarray) else np.arange(len(array)))
    return RowNumbers(len(array), tuple(_typed_parts(array[held], held)), missing, _NO_WHOLES)


def widen(numbers: NDArray[Any]) -> Vector:
    """Numbers in 64 bits: whole numbers with a sign, or floats."""
    if numbers.dtype.kind == "f":
        return numbers.astype(np.float64, copy=False)
    return numbers.astype(np.int64, copy=False)


def _typed_parts(array: NDArray[Any], rows: Rows) -> list[tuple[Rows, NDArray[Any]]]:
    if array.dtype != np.uint64 or not (beyond := array > LARGEST).any():
        return [(rows, array)]
    places = np.arange(len(array)) if isinstance(rows, slice) else rows
    large = np.array([_round_down(value) for value in array[beyond].tolist()], dtype=np.float64)
    return [(places[~beyond], array[~beyond].astype(np.int64)), (places[beyond], large)]


def _numbers_of_items(items: list[Any]) -> RowNumbers:
    wholes, reals, missing, other = _Part(), _Part(), list[int](), list[int]()
    for row, item in enumerate(items):
        if is_missing(item) or (isinstance(item, str) and is_blank(item)):
            missing.append(row)
        elif (number := read_number(item)) is None:
            other.append(row)
        elif isinstance(number, float):
            reals.add(row, number)
        elif SMALLEST <= number <= LARGEST:
            wholes.add(row, number)
        else:
            reals.add(row, _round_down(number))
    parts = (wholes.made(np.int64), reals.made(np.float64))
    return RowNumbers(len(items), parts, _places(missing), _places(other))


def _days_of_items(items: list[Any]) -> RowNumbers:
    days, missing, other = _Part(), list[int](), list[int]()
    for row, item in enumerate(items):
        if is_missing(item) or (isinstance(item, str) and is_blank(item)):
            missing.append(row)
        elif (day := read_day(item)) is None:
            other.append(row)
        else:
            days.add(row, day)
    return RowNumbers(len(items), (days.made(np.int64),), _places(missing), _places(other))


class _Part:
    """Numbers of one type, and the rows in which they stand."""

    def __init__(self) -> None:
        self._rows, self._numbers = list[int](), list[int | float]()

    def add(self, row: int, number: int | float) -> None:
        self._rows.append(row)
        self._numbers.append(number)

    def made(self, dtype: Any) -> tuple[Rows, Vector]:
        return _places(self._rows), np.array(self._numbers, dtype=dtype)


def _places(rows: list[int]) -> Integers:
    return np.array(rows, dtype=np.int64)


def _round_down(number: int) -> float:
    """The largest float not above a whole number."""
    try:
        near = float(number)
    except OverflowError:
        return nextafter(inf, 0) if number > 0 else -inf
    return nextafter(near, -inf) if near > number else near


_NO_WHOLES: Integers = np.empty(0, dtype=np.int64)
_NO_REALS: Floats = np.empty(0, dtype=np.float64)
