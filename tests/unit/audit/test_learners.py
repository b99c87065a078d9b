"""Guesses of the likelihood ratio: each finds what it is for, and says which outputs are meant."""

import numpy as np
import pytest

from dampen.audit.features import AT_LEAST, AT_MOST, Feature, column_feature, label_features
from dampen.audit.learners import (
    by_all_histograms,
    by_histogram,
    by_label,
    by_neighbours,
    by_regression,
    by_value,
    log_ratios,
)
from dampen.audit.outputs import Outputs
from dampen.vectors import Floats

SIZE = 2_000
THE_OUTPUT = column_feature("the output")


def normal(shift: float, width: int, seed: int) -> Outputs:
    return Outputs(np.random.default_rng(seed).normal(shift, 1, size=(SIZE, width)))


def columns(outputs: Outputs) -> list[Feature]:
    return [column_feature(name) for name in outputs.names]


def share_told_right(on_x: Floats, on_y: Floats) -> float:
    return float(((on_x > 0).mean() + (on_y < 0).mean()) / 2)


@pytest.mark.parametrize("learner", [by_neighbours, by_regression, by_all_histograms])
def test_five_small_shifts_add_up(learner) -> None:  # type: ignore[no-untyped-def]
    """The best test of five shifts of 1 is right with probability 0.87, that of one shift with 0.69."""
    rng = () if learner is by_all_histograms else (np.random.default_rng(0),)
    x, y = normal(1, 5, seed=1), normal(0, 5, seed=2)
    ratio = learner(columns(x), x, y, *rng)
    assert share_told_right(ratio.values(normal(1, 5, seed=3)), ratio.values(normal(0, 5, seed=4))) > 0.82


def test_neighbours_see_what_no_single_entry_shows() -> None:
    """On x both entries have the same sign, on y opposite ones."""

    def draws(sign: int, seed: int) -> Outputs:
        first = np.random.default_rng(seed).normal(size=(SIZE, 2))
        return Outputs(np.column_stack([first[:, 0], sign * np.sign(first[:, 0]) * np.abs(first[:, 1])]))

    x, y = draws(1, seed=1), draws(-1, seed=2)
    ratio = by_neighbours(columns(x), x, y, np.random.default_rng(0))
    assert share_told_right(ratio.values(draws(1, seed=3)), ratio.values(draws(-1, seed=4))) > 0.9


def test_a_histogram_finds_ranges_and_names_them() -> None:
    rng = np.random.default_rng(0)
    x, y = Outputs(rng.uniform(0, 1, SIZE)), Outputs(np.where(rng.random(SIZE) < 0.5, 0.25, 0.75))
    ratio = by_histogram(THE_OUTPUT, x, y)
    values = ratio.values(Outputs([0.25, 0.75, 0.5, 0.1]))
    assert values[0] < -3
    assert values[1] < -3
    assert values[2] > 1
    assert values[3] > 1
    assert ratio.tell(AT_MOST, -3).startswith("the output lies in [0.25, 0.25")
    assert " or [0.75, 0.75" in ratio.tell(AT_MOST, -3)


def test_missing_numbers_have_a_bar_of_their_own_if_there_are_any() -> None:
    some, none = Outputs([1.0, 2.0, "x", "x"]), Outputs([1.0, 2.0, 1.0, 2.0])
    ratio = by_histogram(THE_OUTPUT, some, none.on(some.layout))
    assert ratio.values(some)[2] > 0
    assert ratio.tell(AT_LEAST, 1.0) == "the output is missing or lies in no range"
    assert np.isnan(by_histogram(THE_OUTPUT, none, none).values(some)[2])


def test_values_and_labels_that_were_not_seen_are_in_no_event() -> None:
    x, y = Outputs([1, 1, 2]), Outputs([2, 2, 2])
    ratio = by_value(THE_OUTPUT, x, y)
    assert np.isnan(ratio.values(Outputs([3, -1]))).all()
    assert ratio.values(Outputs([1]))[0] > 0
    x, y = Outputs(["a", "a", "b"]), Outputs(["b", "b", "b"])
    [_, label] = label_features(x, y)
    ratio = by_label(label, x, y)
    assert np.isnan(ratio.values(Outputs(["c"]))).all()
    assert ratio.tell(AT_LEAST, 0.5) == "the output is 'a'"


def test_nothing_is_impossible() -> None:
    assert np.isfinite(log_ratios([0, 5], [7, 0])).all()
    assert log_ratios([0, 5], [7, 0])[0] < 0 < log_ratios([0, 5], [7, 0])[1]
