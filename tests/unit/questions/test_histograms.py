"""``dampen.histogram``: all counts of a grid for one price."""

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import dampen
from dampen import Adjacency, Budget, PrivacyLoss
from dampen.audit import audit_counts
from dampen.errors import BudgetExceeded, DataError, ParameterError
from dampen.mechanisms import LaplaceCounts
from dampen.privacy import GroupRelease, NumericRelease
from dampen.problem import CountsProblem
from dampen.questions.histograms import MOST_BARS, frame_of_counts, nearest_with_sum
from dampen.tables.grid import as_grid

if TYPE_CHECKING:
    from tests.conftest import Refused

SURE = 10**6
ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
both = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)


def bars(values: Any, **asked: Any) -> GroupRelease:
    return dampen.histogram(values, **{"bounds": (0, 9), "epsilon": SURE, "budget": Budget(epsilon=SURE), **asked})


@both
@given(
    values=st.lists(st.one_of(st.integers(-3, 12), st.floats(-3, 12)), max_size=20),
    points=st.sampled_from([range(6), (-1.5, 0.0, 2.25, 7.0), (3,), range(-2, 8, 3)]),
)
def test_at_a_huge_epsilon_the_bars_are_the_counts(adjacency: Adjacency, values: list[float], points: Any) -> None:
    """Every value at the largest point not above it, or at the first."""
    told = bars(values, bounds=as_grid(points), adjacency=adjacency)
    counted = Counter(max((point for point in points if point <= value), default=points[0]) for value in values)
    assert told.value == {point: counted[point] for point in points}
    assert list(told) == list(points)


def test_the_forms_of_the_grid_and_of_the_values() -> None:
    assert list(bars([], bounds=range(3))) == [0, 1, 2]
    assert list(bars([], bounds=(0, 90), step=30)) == [0, 30, 60, 90]
    assert list(bars([], bounds=(0, 1), step="0.5")) == [0.0, 0.5, 1.0]
    assert list(bars([])) == list(range(10))
    for form in (list, np.array, pd.Series, tuple):
        assert bars(form([3, 3, 7]))[3] == 2


@both
def test_one_charge_for_all_bars(adjacency: Adjacency) -> None:
    budget = Budget(epsilon=1)
    told = bars([1, 2, 2], epsilon="1/3", budget=budget, adjacency=adjacency)
    assert told.loss == PrivacyLoss("1/3", adjacency=adjacency)
    assert budget.spent.epsilon == Fraction(1, 3)
    assert budget.adjacency is adjacency
    assert (told.note, told.mechanism) == ("histogram", "LaplaceCounts(epsilon=1/3) of 10 counts")
    assert bars([], epsilon="1/3", budget=budget, adjacency=adjacency, note="mine").note == "mine"
    with pytest.raises(BudgetExceeded):
        bars([], epsilon=1, budget=budget, adjacency=adjacency)
    assert budget.spent.epsilon == Fraction(2, 3)


def test_every_bar_is_a_release_with_its_error() -> None:
    told = bars([1, 2, 2], epsilon=1)
    assert isinstance(told[2], NumericRelease)
    assert type(told[2].value) is int
    assert float(told.error()) == float(told[2].error()) == 3
    assert float(bars([1], epsilon=1, adjacency=REPLACE).error()) == 6


@both
def test_the_frame_says_what_one_record_moves(adjacency: Adjacency) -> None:
    """All tables of up to two values on three points, and their neighbours: the counts, audited exactly."""
    frame = frame_of_counts(3, adjacency)
    assert [frame.size, frame.l1, frame.largest] == [3, 2 if adjacency is REPLACE else 1, 1]

    def problem_of(x: tuple[int, ...]) -> CountsProblem:
        return CountsProblem(frame, [x.count(point) for point in range(3)])

    if adjacency is REPLACE:
        universe: Any = dampen.audit.multisets(range(3), largest=2, smallest=1)
        near = dampen.audit.replace_neighbours(range(3))
    else:
        universe = dampen.audit.multisets(range(3), largest=2)
        near = dampen.audit.add_remove_neighbours(range(3))
    report = audit_counts(LaplaceCounts(1), problem_of, universe, near)
    assert report.passed, str(report)
    assert report.worst_log_ratio == pytest.approx(1)


@both
def test_the_noise_has_the_geometric_law(adjacency: Adjacency) -> None:
    number, rate = 20_000, 0.5 if adjacency is REPLACE else 1.0
    drawn = np.array(list(bars([], bounds=range(number), epsilon=1, adjacency=adjacency).value.values()))
    q, ends = np.exp(-rate), np.arange(-4, 5)
    law = (1 - q) / (1 + q) * q ** np.abs(ends).astype(float)
    law[[0, -1]] = q**4 / (1 + q)
    observed = np.bincount(np.clip(drawn, -4, 4) + 4, minlength=9)
    assert chisquare(observed, law * number).pvalue > 1e-6
    wrong = law * np.where(np.arange(9) % 2, 1.3, 0.7)
    assert chisquare(observed, wrong / wrong.sum() * number).pvalue < 1e-6


def test_the_nearest_counts_with_a_sum_by_brute_force() -> None:
    """All whole numbers of at least 0 with the sum: none is nearer."""
    for counts in product(range(-3, 5), repeat=3):
        for total in (0, 1, 4, 7):
            found = nearest_with_sum(counts, total)
            every = [c for c in product(range(total + 1), repeat=3) if sum(c) == total]
            nearest = min(sum((a - b) ** 2 for a, b in zip(c, counts, strict=True)) for c in every)
            assert sum(found) == total
            assert min(found) >= 0
            assert sum((a - b) ** 2 for a, b in zip(found, counts, strict=True)) == nearest


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"bounds": (0, MOST_BARS)}, ParameterError, f"at most {MOST_BARS} bars; got {MOST_BARS + 1}"),
        ({"bounds": (0, 1), "step": "1e-9"}, ParameterError, "bars"),
        ({"bounds": (9, 0)}, ParameterError, "bounds"),
        ({"bounds": range(9), "step": 1}, ParameterError, "step must be left out"),
        ({"step": 0}, ParameterError, "step"),
        ({"epsilon": 0}, ParameterError, "epsilon must be positive"),
        ({"adjacency": Adjacency.EDGE}, ParameterError, "adjacency"),
        ({"values": [1, None]}, DataError, "missing"),
        ({"values": [1, "secret"]}, DataError, "numbers"),
        ({"values": {"v": [1]}}, ParameterError, "column"),
    ],
    ids=str,
)
def test_refusals_come_before_payment(
    changed: dict[str, Any], error: Any, message: str, untouched: Budget, refused: "Refused"
) -> None:
    asked = {"values": [1, 2], "budget": untouched, "epsilon": 1, **changed}
    with refused(error, message, hidden=("secret",)):
        bars(asked.pop("values"), **asked)
