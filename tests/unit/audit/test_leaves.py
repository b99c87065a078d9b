"""What is read off one output: numbers, labels, what a float would round away, and the form that holds them."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen.audit.leaves import Raised, form_of, has_address, leaves, nan_text, path_name


@dataclass
class Answer:
    value: Any


def read(value: Any) -> dict[str, Any]:
    return {path_name(path): leaf for path, leaf in leaves(value)}


@pytest.mark.parametrize(
    ("value", "more"),
    [
        (1.5, {}),
        (7, {}),
        (2**60 + 1, {"the rest beyond a float of the output": 1.0}),
        (10**400, {}),
        (np.int64(2**60 - 1), {"the rest beyond a float of the output": -1.0}),
        (Fraction(1, 2), {"the denominator of the output": 2.0, "the rest beyond a float of the output": 0.0}),
        (Decimal("1.50"), {"the exponent of the output": -2.0, "the rest beyond a float of the output": 0.0}),
        (Decimal("Infinity"), {}),
        (1 + 2j, {"the real part of the output": 1.0, "the imaginary part of the output": 2.0}),
        (b"\x01\x02", {"byte 1 of the output": 1, "byte 2 of the output": 2}),
        (timedelta(minutes=1), {"the time of the output": 60.0}),
        (date(1, 1, 2), {"the time of the output": 2 * 86_400.0}),
        (datetime(1, 1, 1, 0, 1), {"the time of the output": 60.0}),
        ("no digits", {}),
        (
            "from -1.5 to 2e3",
            {
                "number 1 of the output": -1.5,
                "number 2 of the output": 2000.0,
                "the text without numbers of the output": "from # to #",
            },
        ),
    ],
)
def test_what_else_is_read_off_a_leaf(value: Any, more: dict[str, Any]) -> None:
    assert read(value) == {"the output": value} | more


def test_texts_within_an_output_have_a_length() -> None:
    assert read({"a": "x1"})["the length of entry 'a'"] == 2


def test_records_are_their_fields_and_objects_their_text() -> None:
    assert read(Answer([3, "b"])) == {"entry 'value', 0": 3, "entry 'value', 1": "b"}

    class Shown:
        def __repr__(self) -> str:
            return "<shown 4.5>"

    assert read(Shown())["number 1 of the output"] == 4.5


def test_exceptions_tell_what_they_were_raised_from() -> None:
    error = ValueError("no")
    error.__cause__ = KeyError(3)
    assert repr(Raised.by(error)) == "ValueError: no from KeyError: 3"
    assert read(Raised.by(error))["number 1 of the output"] == 3

    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert repr(Raised.by(Mute())) == "Mute: (no text)"


def test_every_nan_has_its_bits() -> None:
    assert nan_text(float("nan")) == "nan"
    assert nan_text(-float("nan")) == "nan with the bits 0xfff8000000000000"


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (3, "int"),
        ([1, 2, 3], "list(3 times int)"),
        ((1, 2.0, "x"), "tuple(int, float, str)"),
        ({"b": 1, "a": [True]}, "dict('b': int, 'a': list(bool))"),
        (np.zeros((2, 3), dtype=np.float32), "ndarray(float32, (2, 3))"),
        ({8, 0}, "set(8, 0)"),
        (Answer(None), "Answer(NoneType)"),
        ([1] * 1000, "list(100 times int)"),
    ],
)
def test_forms(value: Any, form: str) -> None:
    assert form_of(value) == form


def test_what_nobody_can_compare_is_told() -> None:
    assert has_address([1, {"model": object()}])
    assert has_address(iter([1]))
    assert not has_address([1, "<object at 0x7f00ab>", None, {"a": Answer(3)}, Raised("E", "0x7f00ab")])
