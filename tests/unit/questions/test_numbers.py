"""Counts, sums, means and quantile numbers, as a user asks for them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import dampen
from dampen import Adjacency, Budget
from dampen.errors import BudgetExceeded, DataError, ParameterError
from dampen.mechanisms import ExactPairLaplace, PolyPlace, SmoothLaplace
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
    assert dampen.count(data, where={"drink": "tea"}, epsilon=SURE, budget=budget()).value == 2
    assert dampen.count(data, where={"drink": "rum"}, epsilon=SURE, budget=budget()).value == 0


def test_files_are_counted_by_one_of_their_columns(tmp_path: Path, refused: Refused) -> None:
    path = tmp_path / "drinks.csv"
    path.write_text("drink,price\ntea,2\ntea,3\nmilk,1\n")
    assert dampen.count(path, column="price", epsilon=SURE, budget=budget()).value == 3
    assert dampen.count(path, where={"drink": "tea"}, epsilon=SURE, budget=budget()).value == 2
    assert dampen.total(path, column="price", bounds=(0, 10), epsilon=SURE, budget=budget()).value == 6
    assert dampen.count(path, epsilon=SURE, budget=budget()).value == 3
    path.write_text("a;b,c;d\n1;2;3\n")
    assert dampen.count(path, epsilon=SURE, budget=budget()).value == 1
    path.write_text("")
    with refused(DataError, "CSV"):
        dampen.count(path, epsilon=1, budget=budget())
    with refused(DataError, "equally many"):
        dampen.count({"a": [1], "b": [1, 2]}, epsilon=1, budget=budget())


def test_counts_and_sums_tell_their_error_and_their_price() -> None:
    release = dampen.count([1, 2, 3], epsilon="0.5", budget=Budget(epsilon=1), note="rows")
    assert isinstance(release, NumericRelease)
    assert release.error("0.95") == 6
    assert (release.loss.epsilon, release.note) == (dampen.PrivacyLoss("0.5", adjacency=Adjacency.EDGE).epsilon, "rows")
    total = dampen.total([1.5, 2.5], bounds=(0, 10), resolution="0.5", epsilon=1, budget=Budget(epsilon=1))
    assert total.error("0.5") == pytest.approx(6.5, abs=0.5)


def test_values_outside_the_bounds_count_as_the_nearer_bound() -> None:
    assert dampen.total([-5, 3, 1000], bounds=(0, 10), epsilon=SURE, budget=budget()).value == 13
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


def test_quantile_numbers_follow_the_gaps() -> None:
    ages = list(range(20, 80)) * 50
    for delta in (0, "1e-6"):
        answer = dampen.quantile_number(ages, 50, bounds=(0, 120), epsilon=5, delta=delta, budget=budget())
        assert answer.value == pytest.approx(49.5, abs=10)
        assert not hasattr(answer, "error")
    named = dampen.quantile_number(
        ages, 50, bounds=(0, 120), epsilon=5, delta="1e-6", mechanism=SmoothLaplace(5, "1e-6"), budget=budget()
    )
    assert named.mechanism.startswith("SmoothLaplace")


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"mechanism": PolyPlace(2)}, "epsilon"),
        ({"mechanism": ExactPairLaplace(1, "1e-3")}, "delta"),
        ({"mechanism": "PolyPlace"}, "mechanism"),
        ({"delta": 2}, "delta"),
        ({"epsilon": 0}, "epsilon"),
        ({"bounds": (1, 0)}, "bounds"),
    ],
)
def test_bad_parameters_are_one_sentence_before_any_spending(
    asked: dict[str, Any], shown: str, refused: Refused, untouched: Budget
) -> None:
    words: dict[str, Any] = {"bounds": (0, 1), "epsilon": 1} | asked
    with refused(ParameterError, shown):
        dampen.quantile_number([1, 2], 50, budget=untouched, **words)


def test_tables_have_no_edges(refused: Refused, untouched: Budget) -> None:
    for ask in (dampen.mean, dampen.total):
        with refused(ParameterError, "adjacency"):
            ask([1], bounds=(0, 1), epsilon=1, budget=untouched, adjacency=Adjacency.EDGE)


def test_a_purse_too_small_refuses_and_keeps_what_it_has() -> None:
    purse = Budget(epsilon=1)
    with pytest.raises(BudgetExceeded):
        dampen.mean([1], bounds=(0, 1), epsilon=2, budget=purse)
    assert purse.spent.epsilon == 0
