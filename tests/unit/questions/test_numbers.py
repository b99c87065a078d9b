"""Counts, sums, means and variances, as a user asks for them."""

from collections.abc import Callable
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dampen
from dampen import Adjacency, Budget, Category, Number, Table
from dampen.errors import BudgetExceeded, DataError, ParameterError
from dampen.privacy import NumericRelease
from tests.conftest import Refused

SURE = 10**6
"""An epsilon at which noise of a whole-number law is 0 but for a chance of exp(-1000)."""
TABLE = {"drink": ["tea", "tea", "milk", None], "price": [2, 3, 1, 10]}


def budget() -> Budget:
    return Budget(epsilon=10 * SURE, delta="0.5")


@pytest.mark.parametrize("form", [dict, pd.DataFrame, pl.DataFrame, lambda table: pl.DataFrame(table).lazy()])
def test_rows_are_counted_in_every_kind_of_table(form: Callable[[Any], Any]) -> None:
    data = form(TABLE)
    assert dampen.count(data, epsilon=SURE, budget=budget()).value == 4
    described = Table(data, columns={"drink": Category("tea", "milk", "rum", missing="drop")}, budget=budget())
    assert described.count(epsilon=SURE) == 4
    assert described.where(drink="tea").count(epsilon=SURE) == 2
    assert described.where(drink="rum").count(epsilon=SURE) == 0


def test_files_are_counted(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "drinks.csv"
    path.write_text("drink,price\ntea,2\ntea,3\nmilk,1\n")
    columns: dict[str, Any] = {"drink": Category("tea", "milk"), "price": Number(0, 10)}
    described = Table(path, columns=columns, budget=budget())
    assert described.where(drink="tea").count(epsilon=SURE) == 2
    assert described.sum("price", epsilon=SURE) == 6
    assert dampen.count(path, epsilon=SURE, budget=budget()).value == 3
    path.write_text("a;b,c;d\n1;2;3\n")
    assert dampen.count(path, epsilon=SURE, budget=budget()).value == 1
    path.write_text("")
    with refused(DataError, "empty"):
        dampen.count(path, epsilon=1, budget=budget())
    with refused(DataError, "equally many"):
        dampen.count({"a": [1], "b": [1, 2]}, epsilon=1, budget=budget())


def test_counts_and_sums_tell_their_error_and_their_price() -> None:
    release = dampen.count([1, 2, 3], epsilon="0.5", budget=Budget(epsilon=1), note="rows")
    assert isinstance(release, NumericRelease)
    assert release.error("0.95") == 6.0
    assert (release.loss.epsilon, release.note) == (dampen.PrivacyLoss("0.5", adjacency=Adjacency.EDGE).epsilon, "rows")
    total = dampen.sum([1.5, 2.5], bounds=(0, 10), unit="0.5", epsilon=1, budget=Budget(epsilon=1))
    assert float(total.error("0.5")) == 7.25


def test_values_outside_the_bounds_count_as_the_nearer_bound() -> None:
    assert dampen.sum([-5, 3, 1000], bounds=(0, 10), epsilon=SURE, budget=budget()).value == 13
    mean = dampen.mean([-5, 3, 1000], bounds=(0, 10), epsilon=SURE, budget=budget(), adjacency=Adjacency.REPLACE)
    assert float(mean) == pytest.approx(13 / 3, abs=0.01)


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE])
def test_a_mean_is_one_reservation_of_the_whole_epsilon(adjacency: Adjacency) -> None:
    purse = Budget(epsilon=2 * SURE)
    release = dampen.mean([1, 2, 3, 6], bounds=(0, 12), epsilon=SURE, budget=purse, adjacency=adjacency)
    assert float(release) == pytest.approx(3, abs=0.02)
    assert purse.spent.epsilon == release.loss.epsilon == SURE


def test_a_mean_stays_between_its_bounds_and_survives_an_empty_table(refused: Refused) -> None:
    answers = [float(dampen.mean([], bounds=(2, 3), epsilon=1, budget=budget())) for _ in range(20)]
    assert min(answers) >= 2
    assert max(answers) <= 3
    with refused(DataError, "empty"):
        dampen.mean([], bounds=(2, 3), epsilon=1, budget=budget(), adjacency=Adjacency.REPLACE)


def test_means_of_many_records_have_little_noise() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 100, 10_000)
    release = dampen.mean(values, bounds=(0, 100), epsilon=1, budget=budget())
    assert float(release) == pytest.approx(values.mean(), abs=1)


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE])
@given(
    values=st.lists(st.integers(-2, 15), min_size=1, max_size=8),
    unit=st.sampled_from([1, 2, 5, "1/2"]),
)
def test_a_variance_at_a_huge_epsilon_is_that_of_the_rounded_values(
    adjacency: Adjacency, values: list[int], unit: Any
) -> None:
    purse = Budget(epsilon=SURE)
    release = dampen.variance(values, bounds=(0, 12), unit=unit, epsilon=SURE, budget=purse, adjacency=adjacency)
    step = Fraction(unit)
    rounded = [float(min(floor(min(max(v, 0), 12) / step + Fraction(1, 2)), int(12 / step)) * step) for v in values]
    assert float(release) == pytest.approx(np.var(rounded), abs=0.2)
    assert purse.spent.epsilon == release.loss.epsilon == SURE
    assert release.loss.adjacency is adjacency


def test_variances_of_many_records_have_little_noise_and_say_so() -> None:
    values = np.random.default_rng(0).integers(0, 100, 10_000)
    release = dampen.variance(values, bounds=(0, 100), epsilon=1, budget=budget())
    assert float(release) == pytest.approx(values.var(), abs=30)
    assert 0 < release.error() < 60


def test_a_variance_stays_between_0_and_a_quarter_and_survives_an_empty_table() -> None:
    for values in ([], [2], [2, 3]):
        answers = [float(dampen.variance(values, bounds=(2, 5), epsilon=1, budget=budget())) for _ in range(20)]
        assert min(answers) >= 0
        assert max(answers) <= 9 / 4


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"unit": 11}, "unit must not exceed the distance of the bounds"),
        ({"unit": 0}, "unit must be positive"),
        ({"bounds": (1, 1)}, "bounds"),
        ({"bounds": (1,)}, "bounds must be two"),
        ({"epsilon": -1}, "epsilon"),
        ({"adjacency": Adjacency.EDGE}, "adjacency"),
    ],
    ids=str,
)
def test_bad_parameters_are_one_sentence_before_any_spending(
    asked: dict[str, Any], shown: str, refused: Refused, untouched: Budget
) -> None:
    words: dict[str, Any] = {"bounds": (0, 10), "epsilon": 1} | asked
    with refused(ParameterError, shown):
        dampen.variance([1, 2], budget=untouched, **words)


def test_tables_have_no_edges(refused: Refused, untouched: Budget) -> None:
    for ask in (dampen.mean, dampen.sum, dampen.variance):
        with refused(ParameterError, "adjacency"):
            ask([1], bounds=(0, 1), epsilon=1, budget=untouched, adjacency=Adjacency.EDGE)


def test_a_purse_too_small_refuses_and_keeps_what_it_has() -> None:
    purse = Budget(epsilon=1)
    with pytest.raises(BudgetExceeded):
        dampen.mean([1], bounds=(0, 1), epsilon=2, budget=purse)
    assert purse.spent.epsilon == 0
