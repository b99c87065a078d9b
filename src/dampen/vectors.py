"""The array types that every room speaks of, and how a caller's numbers become one of them."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dampen.errors import DataError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Vector = Floats | Integers
NumberArray = TypeVar("NumberArray", Floats, Integers)

LARGEST_WHOLE = 2**62 - 1
"""Whole numbers stay within this size, so that their differences fit in 64 bits."""


def as_vector(values: Any, name: str) -> Vector:
    """Turn numbers into a read-only vector of 64-bit integers or floats; never round, never guess.

    The type of the numbers decides: integers (and booleans) stay integers, everything else becomes floats. The type is
    treated as public (see ``SelectionProblem.integral``), so it must not depend on the data.
    """
    try:
        array = np.asarray(values)
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{name} must be numbers") from None
    if array.ndim != 1:
        raise DataError(f"{name} must be one-dimensional")
    if array.dtype.kind not in "biuf":
        raise DataError(f"{name} must be numbers")
    if array.dtype.kind == "f":
        floats: Floats = array.astype(np.float64, copy=False)
        _require_finite(floats, name)
        return _frozen(floats)
    if array.size and not (int(array.min()) >= -LARGEST_WHOLE and int(array.max()) <= LARGEST_WHOLE):
        raise DataError(f"{name} must be whole numbers below 2**62 in size, or floats")
    integers: Integers = array.astype(np.int64, copy=False)
    return _frozen(integers)


def _require_finite(array: Floats, name: str) -> None:
    if array.size and not (np.isfinite(array.min()) and np.isfinite(array.max())):
        raise DataError(f"{name} must be finite: no NaN, no infinity")


def _frozen(array: NumberArray) -> NumberArray:
    view = array.view()
    view.flags.writeable = False
    return view
