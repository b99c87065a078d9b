"""What is read off outputs: bits, digits, sums, orders."""

import numpy as np
import pytest

from dampen.audit.features import (
    AT_LEAST,
    AT_MOST,
    EXACTLY,
    decimals,
    label_features,
    lowest_power,
    numeric_features,
    trailing_zeros,
)
from dampen.audit.outputs import Outputs
from dampen.vectors import Floats


@pytest.mark.parametrize(
    ("value", "power"), [(1.0, 0), (3.0, 0), (12.0, 2), (0.75, -2), (-0.1, -55), (2.0**-1074, -1074), (2.0**1000, 1000)]
)
def test_the_lowest_power_of_two(value: float, power: int) -> None:
    assert lowest_power(np.array([value])).tolist() == [power]


def test_zero_and_what_is_not_finite_have_no_bits() -> None:
    values = np.array([0.0, np.inf, np.nan])
    assert lowest_power(values)[0] > 1074
    assert np.isnan(lowest_power(values)[1:]).all()
    assert np.isnan(trailing_zeros(values)).all()


def test_ends_of_significands() -> None:
    assert trailing_zeros(np.array([1.0, 3.0, 1 + 2.0**-52])).tolist() == [52, 51, 0]


def test_decimals() -> None:
    assert decimals(np.array([3.0, 0.1, -2.25, 1 / 3])).tolist() == [0, 1, 2, 9]


def features_of(drawn: list[object]) -> dict[str, Floats]:
    outputs = Outputs(drawn)
    return {each.name: each.values(outputs) for each in numeric_features(outputs, outputs)}


def test_rows_of_numbers_are_summed_up_and_compared() -> None:
    found = features_of([(3, 0, 3), (1, 5, 0)])
    assert found["the sum of the entries"].tolist() == [6, 6]
    assert found["the largest entry"].tolist() == [3, 5]
    assert found["the place of the largest entry"].tolist() == [0, 1]
    assert found["the place of the first entry that is not 0"].tolist() == [0, 0]
    assert found["the number of entries that are 0"].tolist() == [1, 1]
    assert found["entry 0 minus entry 2"].tolist() == [0, 1]


def test_outputs_without_numbers_have_none_of_it() -> None:
    found = features_of([(1, 2), "x"])
    assert np.isnan(found["the sum of the entries"][1])
    assert np.isnan(found["the place of the largest entry"][1])


def test_orders_and_whole_outputs_are_labels() -> None:
    outputs = Outputs([(3, 1, 2), (1, 2, 3)])
    labels = {each.name: each for each in label_features(outputs, outputs)}
    assert labels["the order of the entries, from the smallest on,"].labels(outputs) == [(1, 2, 0), (0, 1, 2)]
    whole = labels["the output"]
    assert whole.text(whole.labels(outputs)[0]) == "(3, 1, 2)"


def test_negative_zeros_are_labels_where_there_are_any() -> None:
    for drawn, found in (([0.0, 1.0], []), ([-0.0, 1.0], ["the output"])):
        outputs = Outputs(drawn)
        assert [each.name for each in label_features(outputs, outputs)][1:] == found


def test_words() -> None:
    outputs = Outputs([0.5, 1.0])
    told = {each.name: each.tell for each in numeric_features(outputs, outputs)}
    assert told["the output"](AT_MOST, 3.0) == "the output is at most 3"
    assert told["the output"](EXACTLY, 0.1) == "the output is exactly 0.1"
    power = told["the lowest bit of the output"]
    assert power(AT_LEAST, -52) == "the output is a multiple of 2**-52"
    assert power(AT_MOST, 0) == "the output is no multiple of 2"
    assert power(EXACTLY, 1100) == "the output is 0"
    zeros = told["zero bits of the output"]
    assert zeros(AT_LEAST, 1) == "the significand of the output ends in at least 1 zero bits"
