"""What a saved model may say: whole numbers that a release can have drawn, and rates that a fit can have paid.

A file is written by others, so nothing of it is believed: whatever is not of the kind that ``to_json`` writes is
refused while it is read, rather than raised when somebody predicts.
"""

import re
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from dampen.errors import ParameterError
from dampen.vectors import Floats, Integers

LARGEST = 2**63
"""Released numbers are whole numbers of 64 bits: from minus this to below it."""
LEAST_RATE, LARGEST_RATE = Fraction(1, 10**300), Fraction(10**300)
"""Between them a rate and its inverse are floats."""
WRITTEN, LONGEST = re.compile(r"[0-9]+(/0*[1-9][0-9]*)?", re.ASCII), 4000
"""How exact numbers are written, and in how many characters at most."""


def whole_number(value: Any) -> int:
    """A whole number as JSON has it, or a refusal: 1.5, true and "7" were never released."""
    if type(value) is not int or not -LARGEST <= value < LARGEST:
        raise ParameterError("the numbers of a saved model must be whole numbers of at most 64 bits")
    return value


def whole_numbers(values: Any) -> tuple[int, ...]:
    """A row of them."""
    return tuple(map(whole_number, values))


def whole_array(rows: Any, shape: tuple[int, ...]) -> Integers:
    """Nested rows of them as an array of this shape; ``ValueError`` where they are not."""
    return np.array(whole_numbers(_flat(rows, shape)), dtype=np.int64).reshape(shape)


def finite_array(rows: Any, shape: tuple[int, ...]) -> Floats:
    """Nested rows of finite numbers as an array of this shape; ``ValueError`` where they are not."""
    values = _flat(rows, shape)
    if not all(type(value) in (int, float) and isfinite(value) for value in values):
        raise ValueError
    return np.array(values, dtype=np.float64).reshape(shape)


def fraction(written: Any) -> Fraction:
    """An exact number, out of the text that ``to_json`` wrote; ``ValueError`` where it is none.

    That is never one with an exponent: a few characters of such could ask for more digits than there is memory.
    """
    if not isinstance(written, str) or len(written) > LONGEST or not WRITTEN.fullmatch(written):
        raise ValueError
    return Fraction(written)


def rate(written: Any) -> Fraction:
    """The epsilon of a draw, out of the text that ``to_json`` wrote."""
    found = fraction(written)
    if not LEAST_RATE <= found <= LARGEST_RATE:
        raise ParameterError("the epsilon of a saved draw must be a positive number")
    return found


def _flat(rows: Any, shape: tuple[int, ...]) -> list[Any]:
    found = np.array(rows, dtype=object)
    if found.shape != shape:
        raise ValueError
    return list(found.ravel().tolist())
