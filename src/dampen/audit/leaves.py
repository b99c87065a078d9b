"""The numbers and labels within one output, where they stand, and the form that holds them.

Everything that somebody who sees the output could read off it belongs here: the digits in a text, the bits of a NaN,
the order of keys, the type of an entry. What is left out cannot be found.
"""

import numbers
import re
import struct
from collections.abc import Hashable, Iterator, Mapping
from collections.abc import Set as AnySet
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dampen.operators import value_of

THE_OUTPUT = "the output"
ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
MOST_NUMBERS, LONGEST_TEXT, MOST_BYTES = 16, 2_000, 16
"""So many numbers of a text, so many of its characters and so many bytes are read by themselves."""
WIDEST_FORM = 100
"""Of longer lists, the form of so many entries is told."""
EXACT = 2**53
"""Whole numbers up to here are floats."""
PLAIN_NAN = 0x7FF8 << 48
PLAIN: dict[type, str] = {kind: kind.__name__ for kind in (int, float, bool, str, bytes, type(None))}
"""Types that hold nothing else, which is most of them: they are told at once."""
Path = tuple[Any, ...]


class Within(str):
    """What is read off an entry, as the last step of a path to a number."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Raised:
    """An exception is an output too: its type, its text without addresses in memory, and what it was raised from."""

    kind: str
    text: str

    @classmethod
    def by(cls, error: BaseException) -> "Raised":
        """What an exception tells."""
        texts, cause = [_text_of(error)], _cause_of(error)
        while cause is not None and len(texts) < MOST_NUMBERS:
            texts.append(f"from {type(cause).__name__}: {_text_of(cause)}")
            cause = _cause_of(cause)
        return cls(type(error).__name__, " ".join(texts))

    def __repr__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text else self.kind


def _text_of(error: BaseException) -> str:
    """Its text, its notes, and what a group of exceptions holds."""
    held = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    try:
        texts = [str(error), *getattr(error, "__notes__", ()), *(repr(Raised.by(each)) for each in held)]
    except Exception:  # an exception of the caller's own may fail even here
        return "(no text)"
    return ADDRESS.sub("0x", " ".join(texts))


def _cause_of(error: BaseException) -> BaseException | None:
    return error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def path_name(path: Path) -> str:
    """Where in an output a number stands, in words."""
    if path and isinstance(path[-1], Within):
        return f"{path[-1]} of {path_name(path[:-1])}"
    return THE_OUTPUT if path == () else f"entry {', '.join(map(repr, path))}"


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The numbers and labels within an output, and where they stand."""
    value = value_of(value)
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from leaves(each, (*path, key))
    elif isinstance(value, np.ndarray):
        for place, each in np.ndenumerate(value):
            yield from leaves(each, (*path, *place))
    elif isinstance(value, list | tuple):
        for number, each in enumerate(value):
            yield from leaves(each, (*path, number))
    elif isinstance(value, AnySet):
        for each in value:
            yield (*path, each), 1.0
    elif _is_record(value):
        for field in fields(value):
            yield from leaves(getattr(value, field.name), (*path, field.name))
    else:
        yield path, value
        for name, number in _parts_of(value, path):
            yield (*path, Within(name)), number


def _is_record(value: Any) -> bool:
    return is_dataclass(value) and not isinstance(value, type | Raised)


def is_holder(value: Any) -> bool:
    """Whether an output has entries."""
    value = value_of(value)
    return isinstance(value, Mapping | AnySet | list | tuple | np.ndarray) or _is_record(value)


def _parts_of(leaf: Any, path: Path) -> Iterator[tuple[str, Any]]:
    """What else can be read off a leaf: numbers in its text, what a float would round away."""
    if isinstance(leaf, np.generic):
        leaf = leaf.item()
    if isinstance(leaf, float | bool) or leaf is None:
        return
    if isinstance(leaf, int | Fraction | Decimal):
        yield from _beyond_a_float(leaf)
    elif isinstance(leaf, complex):
        yield from (("the real part", leaf.real), ("the imaginary part", leaf.imag))
    elif isinstance(leaf, bytes):
        yield from ((f"byte {place + 1}", byte) for place, byte in enumerate(leaf[:MOST_BYTES]))
    elif isinstance(leaf, date | timedelta):
        yield "the time", _seconds(leaf)
    else:
        yield from _parts_of_text(leaf if isinstance(leaf, str) else ADDRESS.sub("", repr(leaf)), nested=path != ())


def _beyond_a_float(number: int | Fraction | Decimal) -> Iterator[tuple[str, float]]:
    if isinstance(number, Decimal) and not number.is_finite():
        return
    if isinstance(number, Decimal):
        yield "the exponent", float(number.as_tuple().exponent)
    if isinstance(number, Fraction):
        yield "the denominator", as_float(number.denominator)
    near = as_float(number)
    if not (isinstance(number, int) and abs(number) <= EXACT) and np.isfinite(near):
        yield "the rest beyond a float", as_float(Fraction(number) - Fraction(near))


def _seconds(moment: date | timedelta) -> float:
    if isinstance(moment, timedelta):
        return moment.total_seconds()
    if isinstance(moment, datetime):
        return (moment.replace(tzinfo=None) - datetime.min).total_seconds()
    return moment.toordinal() * 86_400.0


def _parts_of_text(text: str, *, nested: bool) -> Iterator[tuple[str, Any]]:
    """Of a text with numbers in it: the numbers, the words around them, the length (an output as a whole has one)."""
    found = NUMBER.findall(text[:LONGEST_TEXT])
    yield from ((f"number {place}", float(each)) for place, each in enumerate(found[:MOST_NUMBERS], start=1))
    if found:
        yield "the text without numbers", NUMBER.sub("#", text[:LONGEST_TEXT])
        if nested:
            yield "the length", len(text)


# Leaves as columns hold them


def is_number(leaf: Any) -> bool:
    """Whether a leaf goes into a column of numbers."""
    return isinstance(leaf, numbers.Real | Decimal | np.bool_)


def as_float(leaf: Any) -> float:
    """The float next to a number; infinite where it is too large."""
    try:
        return float(leaf)
    except OverflowError:
        return np.inf if leaf > 0 else -np.inf
    except ValueError:
        return np.nan  # a Decimal that signals that it is none


def as_label(leaf: Any) -> Hashable:
    """What stands for something that is no number: itself, its text where nobody can compare it."""
    if leaf is None:
        return "None"  # None itself says that an output has no entry
    if is_number(leaf):
        return nan_text(as_float(leaf))  # it does not equal itself
    try:
        hash(leaf)
    except TypeError:
        return ADDRESS.sub("0x", repr(leaf))
    by_address: Any = object.__hash__
    return ADDRESS.sub("0x", repr(leaf)) if type(leaf).__hash__ is by_address else leaf


def nan_text(value: float) -> str:
    """A NaN by its bits, of which all but a few are free to carry something."""
    [bits] = struct.unpack("<Q", struct.pack("<d", value))
    return "nan" if bits == PLAIN_NAN else f"nan with the bits {bits:#x}"


def has_address(value: Any) -> bool:
    """Whether a leaf of an output is told by nothing but its type and its address, so that nobody can compare it."""
    return any(
        not is_number(leaf) and not isinstance(leaf, str | bytes | Raised) and ADDRESS.search(repr(leaf))
        for _, leaf in leaves(value)
    )


# The form


def form_of(value: Any) -> str:
    """The types of an output and of all its entries, and the order of its keys, without what they hold."""
    if type(value) in PLAIN:
        return PLAIN[type(value)]
    value = value_of(value)
    kind = type(value).__name__
    if isinstance(value, Mapping):
        return f"{kind}({', '.join(f'{key!r}: {form_of(each)}' for key, each in _first(value.items()))})"
    if isinstance(value, np.ndarray):
        return f"{kind}({value.dtype}, {value.shape})"
    if isinstance(value, list | tuple):
        return f"{kind}({_forms_in_short([form_of(each) for each in _first(value)])})"
    if isinstance(value, AnySet):
        return f"{kind}({', '.join(map(repr, _first(value)))})"
    if _is_record(value):
        return f"{kind}({', '.join(form_of(getattr(value, field.name)) for field in fields(value))})"
    return kind


def _first(values: Any) -> Iterator[Any]:
    return (each for each, _ in zip(values, range(WIDEST_FORM), strict=False))


def _forms_in_short(forms: list[str]) -> str:
    return f"{len(forms)} times {forms[0]}" if len(forms) > 1 and len({*forms}) == 1 else ", ".join(forms)
