"""One-line guards for public arguments: ``epsilon = positive(epsilon=epsilon)``; and one around the reading of data.

A number that means privacy is read exactly. An ``int``, a ``Fraction`` and a ``Decimal`` are what they are, a string
is parsed (``"0.1"``, ``"1/100"``), and a float means *the decimal it prints as*, so that ten releases at 0.1 exhaust a
budget of 1.
"""

import numbers
import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any

from dampen.errors import DampenError, DataError, EngineError, ParameterError

Number = int | float | Fraction | Decimal | str
"""What may be handed over where privacy is meant."""

UNWRITABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that would end a line, control a terminal, or are none."""

ADDRESS = re.compile(r"postgres\w*:?/|pgsql:|://[^/\s]*@|\b(pass\w*|pwd)\s*=", re.IGNORECASE)

LARGEST, SMALLEST = Fraction(2) ** 512, Fraction(1, 2**512)
"""Magnitudes that mean privacy stay within SMALLEST and LARGEST, so that floats near them cannot overflow."""


def exact(**named: object) -> Fraction:
    """Read one named number exactly."""
    [(name, value)] = named.items()
    number = _parse(value)
    if number is None:
        raise ParameterError(f"{name} must be a finite number or a string such as '1/100'; got {render(value)}")
    if _beyond_reach(number):
        raise ParameterError(f"{name} must lie between 2**-512 and 2**512 in size; got {render(value)}")
    return number


def pair(**named: object) -> tuple[Fraction, Fraction]:
    """Read one named pair of numbers exactly, such as ``bounds=(0, 10)``. They are not shown: they may be data."""
    [(name, value)] = named.items()
    try:
        listed = list(value) if isinstance(value, list | tuple) or _is_vector(value) else []  # type: ignore[call-overload]
    except Exception:  # a list of the caller's own may raise anything
        listed = []
    numbers = [number for number in map(_parse, listed[:2]) if number is not None]
    if len(numbers) != 2 or len(listed) != 2:
        raise ParameterError(f"{name} must be two finite numbers (lo, hi); got {render(value)}")
    if any(map(_beyond_reach, numbers)):
        raise ParameterError(f"{name} must lie between 2**-512 and 2**512 in size; got {render(value)}")
    return numbers[0], numbers[1]


def positive(**named: object) -> Fraction:
    """Read one named number exactly and require it to be above zero."""
    number = exact(**named)
    if number.numerator <= 0:
        [(name, value)] = named.items()
        raise ParameterError(f"{name} must be positive; got {render(value)}")
    return number


def non_negative(**named: object) -> Fraction:
    """Read one named number exactly and require it not to be below zero."""
    number = exact(**named)
    if number.numerator < 0:
        [(name, value)] = named.items()
        raise ParameterError(f"{name} must not be negative; got {render(value)}")
    return number


def share_of(p: object) -> Fraction:
    """p / 100, exactly; p lies between 0 and 100."""
    percent = exact(p=p)
    if not 0 <= percent <= 100:
        raise ParameterError(f"p must lie between 0 and 100; got {render(p)}")
    return percent / 100


def probability(**named: object) -> Fraction:
    """Read one named number exactly and require 0 <= number < 1."""
    number = non_negative(**named)
    if number >= 1:
        [(name, value)] = named.items()
        raise ParameterError(f"{name} must be below 1; got {render(value)}")
    return number


def whole(*, least: int, **named: object) -> int:
    """Read one named whole number and require it to be at least ``least``."""
    [(name, value)] = named.items()
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or int(value) < least:
        raise ParameterError(f"{name} must be a whole number of at least {least}; got {render(value)}")
    return int(value)


def one_of(allowed: tuple[str, ...], **named: object) -> str:
    """Require one named string to be among those allowed."""
    [(name, value)] = named.items()
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(map(repr, allowed))
        room = min(LONGEST_SHOWN, max(20, 260 - len(choices)))
        raise ParameterError(f"{name} must be one of {choices}; got {render(value, longest=room)}")
    return value


def text(*, longest: int, **named: object) -> str:
    """Require one named value to be one line of text: valid Unicode without control characters."""
    [(name, value)] = named.items()
    if not isinstance(value, str) or len(value) > longest or UNWRITABLE.search(value):
        raise ParameterError(f"{name} must be one line of text of at most {longest} characters; got {render(value)}")
    return value


def flag(**named: object) -> bool:
    """Require one named value to be True or False; nothing else is read as either."""
    [(name, value)] = named.items()
    if value is not True and value is not False and type(value).__name__ != "bool":
        raise ParameterError(f"{name} must be True or False; got {render(value)}")
    return bool(value)


def plain(number: Fraction) -> str:
    """Write an exact number as a person would: a short decimal where that is exact, else ``p/q``."""
    if number.denominator == 1:
        return str(number.numerator)
    decimal = repr(float(number))
    return decimal if Fraction(decimal) == number else str(number)


LONGEST_WRITTEN = 24
"""So many characters of an exact number are read by people."""


def brief(number: Fraction) -> str:
    """As ``plain`` where that is short, else rounded and said to be."""
    short = number.numerator.bit_length() + number.denominator.bit_length() < 100
    written = plain(number) if short else ""
    return written if 0 < len(written) <= LONGEST_WRITTEN else f"about {float(number):.6g}"


def _parse(value: object) -> Fraction | None:
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, Fraction):
            return value
        if isinstance(value, numbers.Integral):
            return Fraction(int(value))
        if isinstance(value, numbers.Real):
            return Fraction(str(value))
        if isinstance(value, Decimal):
            return _within_reach(value)
        if isinstance(value, str) and len(value) <= 200:
            top, slash, bottom = value.partition("/")
            return _within_reach(Decimal(top)) / (_within_reach(Decimal(bottom)) if slash else 1)
    except Exception:  # a number of the caller's own may raise anything
        pass
    return None


def _is_vector(value: object) -> bool:
    """Whether it is an array of numpy of one dimension, told by name: numpy is not imported for it."""
    return "ndarray" in _base_names(type(value)) and getattr(value, "ndim", 0) == 1


def _beyond_reach(number: Fraction) -> bool:
    # the number is within a factor of 2 of 2**(difference of the lengths): most need no comparison of fractions
    if abs(number.numerator.bit_length() - number.denominator.bit_length()) < 500:
        return False
    return abs(number) > LARGEST or 0 < abs(number) < SMALLEST


def _within_reach(value: Decimal) -> Fraction:
    """Refuse exponents that would fill the memory before they could be compared with anything."""
    if not value.is_finite() or abs(value.adjusted()) > 1000:
        raise ValueError
    return Fraction(value)


LONGEST_SHOWN = 60
"""A longer text is cut."""

PLAIN: tuple[type, ...] = (
    type(None), bool, int, float, complex, Fraction, Decimal, str, bytes, datetime, date, time, timedelta, range,
)  # fmt: skip
"""What prints as itself: one value that a caller wrote down, or a range of whole numbers."""

MEASURED = {
    "numpy": ("ndarray", "MaskedArray"),
    "pandas": ("DataFrame",),
    "polars": ("DataFrame",),
    "pyarrow": ("Table", "RecordBatch"),
}
"""Containers that know their shape by heart. Others might count their rows for it, or run a query."""


def render(value: object, *, longest: int = LONGEST_SHOWN) -> str:
    """A caller's value on one short line: a plain value as it prints, everything else by its type.

    Someone may hand the data itself to a public argument, and a parameter error may be shown to anyone.
    """
    try:
        text = _plain_text(value)
        told = _type_text(value) if text is None else " ".join(text.split())
    except Exception:
        told = "a value that cannot be printed"
    return told if len(told) <= longest else told[: longest - 3] + "..."


def is_address(text: str) -> bool:
    """Whether a text looks like the address of a server, also a mistyped one: there may be a password in it."""
    return ADDRESS.search(text) is not None


def _plain_text(value: object) -> str | None:
    """How a plain value prints; ``None`` for anything that might hold data."""
    kind = type(value)
    if isinstance(value, str) and len(str.splitlines(value)) > 1:
        return "a text of several lines"  # no name, but perhaps what a file holds
    if isinstance(value, str) and is_address(value):
        return "the address of a server"
    if kind in PLAIN or (
        kind.__module__ == "numpy" and "generic" in _base_names(kind) and "void" not in _base_names(kind)
    ):
        return repr(value)  # a void of numpy is a row of a table
    if issubclass(kind, Enum):
        return f"{kind.__name__}.{getattr(value, 'name', None)}"
    if issubclass(kind, type):
        return type.__repr__(value)
    if kind.__name__ in ("NAType", "NaTType"):
        return kind.__name__.removesuffix("Type")
    if kind.__module__.startswith("dampen.mechanisms."):
        return repr(value)  # parameters, never data
    base: Any = next((base for base in PLAIN if issubclass(kind, base)), None)
    return None if base is None else str(base.__repr__(value))


def _base_names(kind: type) -> list[str]:
    """Told by name, so that no library is imported for it."""
    return [base.__name__ for base in kind.__mro__]


def _type_text(value: object) -> str:
    """A container by its type and the public part of its shape: how many rows it has may be a secret."""
    named = _type_name(type(value))
    for home, base in ((kind.__module__.partition(".")[0], kind.__name__) for kind in type(value).__mro__):
        if base in MEASURED.get(home, ()):
            shape: Any = getattr(value, "shape", ())
            if home == "numpy":
                return named if len(shape) == 1 else f"{named} of {len(shape)} dimensions"
            return f"{named} of {int(shape[1])} columns"
    return named


def _type_name(kind: type) -> str:
    """A type with its article, and with the library that people know it by."""
    home = kind.__module__.partition(".")[0].lstrip("_")
    known = f"{home} " if home in ("numpy", "pandas", "polars", "pyarrow", "duckdb", "ibis", "pyspark", "scipy") else ""
    name = f"{known}{'array' if kind.__name__ == 'ndarray' else kind.__name__}"
    return f"{'an' if name[:1] in 'aeioAEIO' else 'a'} {' '.join(name.split())[:40]}"


PANIC = "PanicException"
"""What polars raises where it fails; it is no ``Exception``."""


@contextmanager
def only_own_errors() -> Iterator[None]:
    """Whatever goes wrong inside leaves as an error of dampen's own, and no warning does.

    Columns may hold anything, and an object that is compared, counted or converted may raise anything, with the data
    in its message. The curator finds it in the ``__context__`` of the error that leaves, and no traceback prints it.
    """
    import numpy as np

    try:
        with np.errstate(all="ignore"), no_warnings():
            yield
    except DampenError as error:
        raise error from None
    except ImportError:
        raise
    except MemoryError:
        raise EngineError("there was not enough memory to read the data; leave it in files or in a database") from None
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != PANIC:
            raise
        rule = "values must be numbers, texts, truth values, dates or the labels that are declared, in plain columns"
        raise DataError(f"{rule}; reading them failed (why: see __context__ of this error)") from None


_silence = threading.Lock()
_inside = 0
_kept: "warnings.catch_warnings[None] | None" = None


@contextmanager
def no_warnings() -> Iterator[None]:
    """Warnings of other libraries quote what they met. The filters are the process's: threads share one silence."""
    global _inside, _kept
    with _silence:
        if not _inside:
            _kept = warnings.catch_warnings()
            _kept.__enter__()
            warnings.simplefilter("ignore")
        _inside += 1
    try:
        yield
    finally:
        with _silence:
            _inside -= 1
            if not _inside and _kept is not None:
                _kept.__exit__(None, None, None)
                _kept = None
