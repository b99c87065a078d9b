"""The array types that every room speaks of, and how a caller's numbers become one of them."""

import numbers
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Vector = Floats | Integers
Sizes = NDArray[Any]
"""How many members each group has: 64-bit integers, or Python's where one of them is larger."""
NumberArray = TypeVar("NumberArray", Floats, Integers)

LARGEST_WHOLE = 2**62 - 1
"""Whole numbers stay within this size, so that their differences fit in 64 bits."""


def as_vector(values: Any, name: str, *, mixed: bool = False) -> Vector:
    """Copy numbers into a read-only vector of 64-bit integers or floats; never round, never guess.

    The type of the numbers decides: integers (and booleans) stay integers, everything else becomes floats. The type is
    treated as public (see ``SelectionProblem.integral``), so it must not depend on the data: a mixture of Python's own
    integers and floats is refused unless ``mixed`` allows it.
    """
    array = _plain_array(values, name, mixed)
    if array.ndim != 1:
        raise DataError(f"{name} must be a one-dimensional sequence of numbers")
    if array.dtype.kind not in "biuf":
        raise DataError(f"{name} must be numbers")
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):  # what is beyond all floats becomes infinite, and is refused
            floats: Floats = array.astype(np.float64)
        _require_finite(floats, name)
        return _freeze(floats)
    if array.size and not (int(array.min()) >= -LARGEST_WHOLE and int(array.max()) <= LARGEST_WHOLE):
        raise DataError(f"{name} must be whole numbers below 2**62 in size, or floats")
    integers: Integers = array.astype(np.int64)
    return _freeze(integers)


def _plain_array(values: Any, name: str, mixed: bool) -> NDArray[Any]:
    """An array of a number type; Python's own numbers are looked at one by one, since numpy would round large ones."""
    try:
        array = np.asarray(values)
        if array.ndim != 1 or not (array.dtype == object or isinstance(values, list | tuple)):
            return array
        return _array_of_items(list(values), name, mixed)
    except DataError:
        raise
    except Exception:  # objects of the caller's own may raise anything
        raise DataError(f"{name} must be numbers, none beyond all floats") from None


def _array_of_items(items: list[Any], name: str, mixed: bool) -> NDArray[Any]:
    if not all(isinstance(item, numbers.Real | np.bool_) for item in items):
        raise DataError(f"{name} must be numbers")
    whole = [isinstance(item, numbers.Integral | np.bool_) for item in items]
    if any(whole) and not all(whole) and not mixed:
        raise DataError(f"{name} must be all whole numbers or all floats: their type must not depend on the data")
    if not any(whole) or not all(whole):
        return np.array([float(item) for item in items], dtype=np.float64)
    if any(abs(int(item)) > LARGEST_WHOLE for item in items):
        raise DataError(f"{name} must be whole numbers below 2**62 in size, or floats")
    return np.array([int(item) for item in items], dtype=np.int64)


def _require_finite(array: Floats, name: str) -> None:
    if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        raise DataError(f"{name} must be finite: no NaN, no infinity")


def _freeze(array: NumberArray) -> NumberArray:
    array.flags.writeable = False
    return array
