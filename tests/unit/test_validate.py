"""Numbers that mean privacy are read exactly, and anything else is refused in one line."""

import time
import unicodedata
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen._validate import LARGEST, exact, non_negative, one_of, pair, plain, positive, probability, text, whole
from dampen.errors import ParameterError

if TYPE_CHECKING:
    from tests.conftest import Refused


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Fraction(3)),
        (-3, Fraction(-3)),
        (0, Fraction(0)),
        (0.1, Fraction(1, 10)),
        (1e-9, Fraction(1, 10**9)),
        (1e22, Fraction(10**22)),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("1E+3"), Fraction(1000)),
        ("0.1", Fraction(1, 10)),
        ("1/100", Fraction(1, 100)),
        ("1e-3", Fraction(1, 1000)),
        ("0.5/3", Fraction(1, 6)),
        ("12", Fraction(12)),
        (np.int64(7), Fraction(7)),
        (np.float64(0.1), Fraction(1, 10)),
        (LARGEST, LARGEST),
        (1 / LARGEST, 1 / LARGEST),
    ],
)
def test_numbers_are_read_exactly(value: object, expected: Fraction) -> None:
    number = exact(epsilon=value)
    assert type(number) is Fraction
    assert number == expected


@given(st.floats(min_value=1e-100, max_value=1e100))
def test_a_float_means_the_decimal_it_prints_as(value: float) -> None:
    assert exact(epsilon=value) == Fraction(str(value)) == exact(epsilon=str(value))


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        np.bool_(True),
        float("nan"),
        float("inf"),
        -float("inf"),
        np.float64("nan"),
        "abc",
        "",
        "/",
        "1/0",
        "0/0",
        "1/",
        "1/2/3",
        "nan",
        "inf",
        "1e999999999",
        "1e-999999999",
        "1/1e999999999",
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("Infinity"),
        Decimal("1e999999999"),
        Decimal("1e-999999999"),
        1j,
        None,
        b"1",
        object,
    ],
    ids=repr,
)
def test_what_is_no_finite_number_is_refused_quickly_by_name_and_value(value: object, refused: "Refused") -> None:
    start = time.perf_counter()
    with refused(ParameterError, "epsilon", repr(value)):
        exact(epsilon=value)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("value", [2 * LARGEST, 1 / (2 * LARGEST), -2 * LARGEST, "1e300", "1e-300", 10**200, 1e300])
def test_magnitudes_beyond_reach_are_refused(value: object, refused: "Refused") -> None:
    with refused(ParameterError, "epsilon", "2**512", repr(value)[:50]):
        exact(epsilon=value)


@pytest.mark.parametrize(
    "value",
    [10**5000, Fraction(1, 10**5000), "9" * 10_000, "1/" + "9" * 10_000],
    ids=["integer", "fraction", "text", "quotient"],
)
def test_numbers_of_thousands_of_digits_are_refused_in_one_short_line(value: object, refused: "Refused") -> None:
    with refused(ParameterError, "epsilon"):
        exact(epsilon=value)


@pytest.mark.parametrize("value", [np.array([[1], [2]]), "1\n2"], ids=["matrix", "two lines"])
def test_values_that_print_on_several_lines_are_refused_in_one(value: object, refused: "Refused") -> None:
    with refused(ParameterError, "epsilon"):
        exact(epsilon=value)


@pytest.mark.parametrize("value", [(0, 10), [0.0, "10"], np.array([0, 10]), (Decimal(0), Fraction(10))], ids=repr)
def test_a_pair_is_read_exactly(value: object) -> None:
    assert pair(bounds=value) == (Fraction(0), Fraction(10))


@pytest.mark.parametrize(
    "value",
    [
        (987654,),
        (0, 987654, 1),
        ("secret", 1),
        (987654, float("nan")),
        (0, 987654**100),
        np.array(987654),
        np.array([[987654, 1]]),
        np.array(["secret", "1"]),
        {987654: 1, 0: 1},
        {987654, 1},
        "10",
        None,
    ],
    ids=str,
)
def test_no_pair_is_shown_number_by_number(value: object, refused: "Refused") -> None:
    with refused(ParameterError, "bounds must", "got", hidden=("987654", "secret", "nan")):
        pair(bounds=value)


@pytest.mark.parametrize("value", [0, -1, "-1/2", 0.0, -0.5])
def test_positive_refuses_zero_and_below(value: object, refused: "Refused") -> None:
    with refused(ParameterError, "epsilon", "positive", repr(value)):
        positive(epsilon=value)


def test_positive_reads_what_is_above_zero() -> None:
    assert positive(epsilon="1/100") == Fraction(1, 100)


def test_non_negative_allows_zero_alone_at_the_border(refused: "Refused") -> None:
    assert non_negative(rho=0) == 0
    with refused(ParameterError, "rho", "negative", "-0.1"):
        non_negative(rho=-0.1)


@pytest.mark.parametrize("value", [1, 1.0, "3/2", -0.1])
def test_a_probability_lies_between_zero_and_below_one(value: object, refused: "Refused") -> None:
    assert probability(delta=0) == 0
    assert probability(delta="0.999") == Fraction(999, 1000)
    with refused(ParameterError, "delta", repr(value)):
        probability(delta=value)


@pytest.mark.parametrize("value", [-1, 1.0, "1", True, None, np.float64(1), Fraction(1)], ids=repr)
def test_whole_numbers_are_integers_of_at_least_the_least(value: object, refused: "Refused") -> None:
    assert whole(size=0, least=0) == 0
    assert type(whole(size=np.int64(3), least=0)) is int
    with refused(ParameterError, "size", "at least 0", repr(value)):
        whole(size=value, least=0)


@pytest.mark.parametrize("value", ["gauss", "", None, 1], ids=repr)
def test_one_of_names_the_choices(value: Any, refused: "Refused") -> None:
    assert one_of(("laplace", "gumbel"), noise="gumbel") == "gumbel"
    with refused(ParameterError, "noise", "'laplace', 'gumbel'", repr(value)):
        one_of(("laplace", "gumbel"), noise=value)


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(3), "3"),
        (Fraction(1, 4), "0.25"),
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-1, 2), "-0.5"),
        (Fraction(0), "0"),
    ],
)
def test_plain_writes_numbers_as_a_person_would(number: Fraction, text: str) -> None:
    assert plain(number) == text


@given(st.fractions(max_denominator=10**30))
def test_plain_loses_nothing(number: Fraction) -> None:
    assert Fraction(plain(number)) == number


@pytest.mark.parametrize(
    "value", ["", "why", "x" * 20, "für 数据 🎉", "[bold]x[/]", "a\\nb", "\u00a0", "\u200b", np.str_("x")]
)
def test_one_line_of_text_is_what_it_is(value: str) -> None:
    assert text(note=value, longest=20) is value


@pytest.mark.parametrize(
    "value",
    [
        *(chr(code) for code in (0, 7, 9, 10, 13, 27, 31, 127, 128, 133, 155, 159, 0x2028, 0x2029, 0xD800, 0xDFFF)),
        "x" * 21,
        None,
        5,
        True,
        b"x",
        ["x"],
    ],
    ids=ascii,
)
def test_anything_else_is_no_line_of_text(value: object, refused: "Refused") -> None:
    with refused(ParameterError, "note must be one line of text of at most 20 characters"):
        text(note=value, longest=20)
    if isinstance(value, str) and len(value) == 1:
        with refused(ParameterError, "note", hidden=(value,)):
            text(note=f"be{value}fore", longest=20)


@given(st.text(max_size=25))
def test_text_is_short_printable_on_one_line_and_valid(value: str) -> None:
    try:
        assert text(note=value, longest=20) == value
    except ParameterError:
        assert len(value) > 20 or any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in value)
        return
    assert len(value) <= 20
    assert value.splitlines() in ([], [value])
    assert value.encode().decode() == value
