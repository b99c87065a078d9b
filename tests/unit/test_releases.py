"""A release is its value wherever one is expected, and says what it cost and how far it may be off."""

import json
import math
import operator
import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dampen import Adjacency, PrivacyLoss, Release
from dampen._validate import Number
from dampen.errors import ParameterError
from dampen.privacy import (
    CONFIDENCE,
    Accuracy,
    GroupAccuracy,
    GroupRelease,
    ListRelease,
    NumericRelease,
    PrivateAccuracy,
    miss_chance,
    release_of,
)
from dampen.writing import Error

if TYPE_CHECKING:
    from tests.conftest import Refused

LOSS = PrivacyLoss("1/3", "1e-6", adjacency=Adjacency.ADD_REMOVE)


@dataclass(frozen=True)
class Within(Accuracy):
    """Off by at most so much, more for more confidence."""

    most: float
    unit: str = ""

    def bound(self, confidence: Number = CONFIDENCE) -> float:
        return self.most / float(20 * miss_chance(confidence))


def numeric(value: Any, most: float = 3.0) -> NumericRelease:
    release = release_of(value, LOSS, "Toy(epsilon=1/3)", "a note", Within(most, "rows"))
    assert isinstance(release, NumericRelease)
    return release


# As its value

ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow),
    *(divmod, operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
)


@pytest.mark.parametrize("operate", ARITHMETIC, ids=lambda operate: operate.__name__)
@pytest.mark.parametrize(("one", "other"), [(7, 2), (7.5, 2), (3, 3), (Fraction(7, 2), 2), (np.float64(2.5), 2)])
def test_a_number_is_calculated_with_and_compared_as_its_value(operate: Any, one: Any, other: Any) -> None:
    expected = operate(one, other)
    for left, right in ((numeric(one), other), (one, numeric(other)), (numeric(one), numeric(other))):
        found = operate(left, right)
        assert found == expected
        assert not isinstance(found, Release)


def test_unary_operations_rounding_and_conversions_are_those_of_the_value() -> None:
    release = numeric(-2.567)
    assert (-release, +release, abs(release)) == (2.567, -2.567, 2.567)
    assert (round(release), round(release, 1), int(release), float(release)) == (-3, -2.6, -2, -2.567)
    assert (math.floor(release), math.ceil(release), math.trunc(release)) == (-3, -2, -2)
    assert type(round(release)) is int


def test_whole_numbers_count_and_others_do_not() -> None:
    assert list(range(numeric(3))) == [0, 1, 2]
    assert "abc"[numeric(1)] == "b"
    with pytest.raises(TypeError):
        operator.index(numeric(1.5))


def test_numpy_takes_it_for_a_number() -> None:
    release = numeric(3)
    assert np.asarray(release).dtype == np.int64
    assert np.asarray(release, dtype=np.float32).dtype == np.float32
    assert (np.array([1, 2]) * release).tolist() == (release * np.array([1, 2])).tolist() == [3, 6]
    assert np.float64(2) * release == 6
    assert np.mean([numeric(1), numeric(2)]) == 1.5
    assert sum([numeric(1), numeric(2.5)]) == 3.5
    assert max(numeric(1), numeric(4), 2) == 4


def test_truth_hash_and_format_are_those_of_the_value() -> None:
    assert not numeric(0)
    assert numeric(0.1)
    assert {3: "three"}[numeric(3)] == "three"  # type: ignore[index]
    assert f"{numeric(1234.5):,.2f} {numeric(7)}" == "1,234.50 7"
    with pytest.raises(TypeError):
        hash(release_of({"a": 1}, LOSS, ""))


def test_labels_and_dates_are_compared_and_moved_as_themselves() -> None:
    tea, hired = release_of("tea", LOSS, ""), release_of(date(2020, 2, 1), LOSS, "")
    assert type(tea) is type(hired) is Release
    assert tea == "tea"
    assert tea < "water"
    assert tea != "coffee"
    assert min(tea, release_of("milk", LOSS, "")) == "milk"
    assert hired - date(2020, 1, 1) == timedelta(31)
    assert date(2021, 2, 1) - hired == timedelta(366)
    assert hired + timedelta(1) == date(2020, 2, 2)
    with pytest.raises(TypeError):
        tea < 3  # noqa: B015


def test_a_list_is_a_sequence_of_plain_values() -> None:
    release = release_of((5, 7, 9), LOSS, "", "", Within(1.0))
    assert isinstance(release, ListRelease)
    low, *others = release
    assert (low, others, len(release), release[-1], release[:2]) == (5, [7, 9], 3, 9, (5, 7))
    assert release == (5, 7, 9)
    assert 7 in release
    assert release.index(9) == 2
    assert np.asarray(release).tolist() == [5, 7, 9]


def test_the_kind_of_value_decides_about_the_kind_of_release() -> None:
    kinds = {1: NumericRelease, 1.5: NumericRelease, np.int64(1): NumericRelease, Fraction(1, 2): NumericRelease}
    for value, kind in {**kinds, "tea": Release, None: Release, (1, 2): ListRelease}.items():
        assert type(release_of(value, LOSS, "")) is kind
    assert type(release_of(True, LOSS, "")) is Release
    assert type(release_of([1], LOSS, "")) is ListRelease
    assert type(release_of({"a": 1}, LOSS, "")) is GroupRelease


@pytest.mark.parametrize("value", [3, 2.5, "tea", (1, 2), {"a": 1, ("b", True): 2}, date(2020, 1, 1)], ids=str)
def test_releases_are_frozen_pickled_and_replaced(value: Any) -> None:
    release = release_of(value, LOSS, "Toy", "a note", Within(2.0))
    again = pickle.loads(pickle.dumps(release))
    assert type(again) is type(release)
    assert vars(again) == vars(release)
    other = replace(release, note="another", accuracy=PrivateAccuracy("secret"))
    assert (type(other), other.value, other.note) == (type(release), value, "another")
    with pytest.raises(FrozenInstanceError):
        release.value = 4  # type: ignore[misc]


# Groups


def groups(accuracy: Accuracy | None) -> GroupRelease:
    release = release_of({"sales": 10, ("lab", True): 2.5}, LOSS, "Toy", "pay", accuracy)
    assert isinstance(release, GroupRelease)
    return release


def test_groups_are_a_mapping_of_releases_with_one_loss() -> None:
    release = groups(GroupAccuracy({"sales": Within(1.0, "euro"), ("lab", True): Within(4.0, "euro")}))
    assert list(release) == ["sales", ("lab", True)]
    assert release == {"sales": 10, ("lab", True): 2.5}
    assert release.value["sales"] == 10
    assert isinstance(release["sales"], NumericRelease)
    assert {each.loss for each in release.values()} == {LOSS}
    assert [each.error() for each in release.values()] == [1.0, 4.0]
    assert release["lab", True] + 1 == 3.5
    assert "board" not in release
    with pytest.raises(KeyError):
        release["board"]


def test_the_error_of_all_groups_is_the_largest_of_them() -> None:
    release = groups(GroupAccuracy({"sales": Within(1.0, "euro"), ("lab", True): Within(4.0, "euro")}))
    assert release.error() == 4.0
    assert str(release.error(0.99)) == "each off by at most 20 euro with probability 99 %"
    assert groups(Within(2.0))["sales"].error() == groups(Within(2.0)).error() == 2.0


# What it says


def test_an_error_is_a_number_that_prints_as_a_statement() -> None:
    error = numeric(7).error("0.99")
    assert (error, error.unit, error.confidence) == (15.0, "rows", Fraction(99, 100))
    assert str(error) == error.statement == "off by at most 15 rows with probability 99 %"
    assert (f"{error:.1f}", repr(error), error + 1) == ("15.0", "15.0", 16.0)
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, Error)
    assert (again, vars(again)) == (error, vars(error))


@pytest.mark.parametrize("confidence", [1, -0.1, "x", None, True, Fraction(2**600 - 1, 2**600)])
def test_a_confidence_is_a_probability_below_1(confidence: Any, refused: "Refused") -> None:
    with refused(ParameterError, "confidence"):
        numeric(7).error(confidence)


def test_a_private_error_is_refused_in_words_and_shown_in_words(refused: "Refused") -> None:
    release = release_of(7, LOSS, "Toy", "", PrivateAccuracy("the error follows the data"))
    with refused(ParameterError, "the error follows the data"):
        release.error()
    assert str(release) == "7 (the error follows the data; epsilon 1/3, delta 1e-06 per row (ADD_REMOVE))"
    assert release.as_dict()["error"] == {"statement": "the error follows the data"}


def test_without_an_accuracy_there_is_no_error_to_tell(refused: "Refused") -> None:
    release = Release(7, LOSS, "Toy")
    with refused(ParameterError, "without an accuracy"):
        release.error()
    assert str(release) == "7 (epsilon 1/3, delta 1e-06 per row (ADD_REMOVE))"
    assert release.as_dict()["error"] is None


def test_a_release_prints_value_error_and_loss() -> None:
    statement = "off by at most 3 rows with probability 95 %"
    assert str(numeric(7)) == f"7 ({statement}; epsilon 1/3, delta 1e-06 per row (ADD_REMOVE))"
    lines = str(groups(Within(0.12341))).splitlines()
    assert lines[0] == "sales: 10; off by at most 0.1235 with probability 95 %"
    assert lines[-1] == "(epsilon 1/3, delta 1e-06 per row (ADD_REMOVE))"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (7, 7),
        (2.5, 2.5),
        (np.int64(7), 7),
        (Fraction(1, 3), "1/3"),
        (date(2020, 2, 1), "2020-02-01"),
        ((1, "b"), [1, "b"]),
        (None, None),
    ],
    ids=str,
)
def test_a_dictionary_is_ready_for_json(value: Any, told: Any) -> None:
    statement = "off by at most 3 with probability 95 %"
    release = release_of(value, LOSS, "Toy(epsilon=1/3)", "a note", Within(3.0))
    assert json.loads(json.dumps(release.as_dict(), allow_nan=False)) == {
        "value": told,
        "error": {"bound": 3.0, "unit": "", "confidence": "0.95", "statement": statement},
        "loss": {"epsilon": "1/3", "delta": "1e-06", "adjacency": "add_remove", "unit": "row"},
        "mechanism": "Toy(epsilon=1/3)",
        "note": "a note",
    }


def test_an_error_without_end_is_null_in_json() -> None:
    error = numeric(7, math.inf).as_dict()["error"]
    assert error["bound"] is None
    assert error["statement"] == "off by at most any amount with probability 95 %"


def test_groups_are_ready_for_json_whatever_their_labels() -> None:
    told = json.loads(json.dumps(groups(Within(3.0)).as_dict()))
    assert [each["group"] for each in told["value"]] == ["sales", ["lab", True]]
    assert [each["value"] for each in told["value"]] == [10, 2.5]
    assert {each["error"]["bound"] for each in told["value"]} == {told["error"]["bound"]} == {3.0}


def test_html_is_a_plain_table_and_escaped() -> None:
    page = replace(release_of("<b>tea</b>", LOSS, "Toy", "a & b"), accuracy=PrivateAccuracy("1 < 2"))._repr_html_()
    assert page.startswith("<table><tr><th>value</th><td>&lt;b&gt;tea&lt;/b&gt;</td></tr>")
    assert "<tr><th>error</th><td>1 &lt; 2</td></tr>" in page
    assert "a &amp; b" in page
    rows = groups(Within(3.0))._repr_html_()
    assert "<tr><th>sales</th><td>10</td><td>off by at most 3 with probability 95 %</td></tr>" in rows
    assert rows.count("<tr>") == 5
