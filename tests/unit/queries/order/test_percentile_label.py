"""Labels: the nine terms against the definition, the fast sums against the plain ones."""

from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

from dampen import Adjacency
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import LocalDampening, ShiftedLocalDampening
from dampen.queries import percentile_label_problem
from dampen.queries.order.percentile_label import LabelRungs, label_rank
from tests.conftest import Refused
from tests.unit.queries.order.judges import label_sensitivities, label_utilities

SHORT = [(1, 6), (2, 5), (4, 3), (7, 3)]
LONG = [(1, 7), (2, 6), (4, 5), (4, 4), (7, 4)]
"""The largest value, and the number of labels; every rank k."""


def rungs(x: tuple[int, ...], k: int, top: int) -> LabelRungs:
    return LabelRungs(np.array(x, dtype=np.int64), k, top)


def compare(top: int, n: int) -> int:
    cases = 0
    for k in range(1, n + 1):
        rows = label_sensitivities(top, n, k)
        for x in combinations_with_replacement(range(top + 1), n):
            shuffled = x[n // 2 :] + x[: n // 2]
            for one in {x, shuffled}:
                function = rungs(one, k, top)
                for t, row in enumerate(rows):
                    assert function.at(t).tolist() == row[one], (one, k, t)
                    cases += 1
                    if function.saturation is not None and t >= function.saturation:
                        assert set(row[one]) == {top}
                assert (function.at(0) >= np.abs(label_utilities(one, k))).all()
    return cases


@pytest.mark.parametrize(("top", "n"), SHORT)
def test_nine_terms_are_the_local_sensitivity(top: int, n: int) -> None:
    assert compare(top, n) > 100


@pytest.mark.long
@pytest.mark.parametrize(("top", "n"), LONG)
def test_nine_terms_are_the_local_sensitivity_of_more_labels(top: int, n: int) -> None:
    assert compare(top, n) > 100


def test_by_hand() -> None:
    """percentile.md, 1.2: the label of value 0 in (0, 0, 1), k = 2, at distance 1, where Algorithm 2 has 3."""
    assert rungs((0, 0, 1), 2, 4).at(1).tolist() == [4.0, 4.0, 4.0]
    assert rungs((3,), 1, 4).at(5).tolist() == [0.0]
    assert rungs((3,), 1, 4).cumulative(9).tolist() == [0.0]


def test_fast_sums_are_the_plain_sums() -> None:
    rng = np.random.default_rng(3)
    for _ in range(600):
        n, top = int(rng.integers(2, 30)), int(rng.integers(1, 50))
        function = LabelRungs(rng.integers(0, top + 1, n), int(rng.integers(1, n + 1)), top)
        t = int(rng.integers(0, n + 5))
        assert function.cumulative(t).tolist() == super(LabelRungs, function).cumulative(t).tolist()


def test_sums_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    function = LabelRungs(np.random.default_rng(4).integers(0, 100, 50), 25, 99)
    expected = function.cumulative(40).tolist()
    monkeypatch.setattr("dampen.queries.order.percentile_label.BLOCK", 7)
    assert function.cumulative(40).tolist() == expected


@pytest.mark.parametrize(
    ("n", "p", "k"), [(50, 99, 50), (4096, 50, 2049), (3, 0, 1), (1, 50, 1), (9, 50, 5), (9, "49.5", 5), (10, 100, 10)]
)
def test_the_rank_rule_of_the_paper(n: int, p: object, k: int) -> None:
    """Clamped: p = 99 and n = 50 would give 51."""
    assert label_rank(n, Fraction(str(p)) / 100) == k


def test_a_problem_keeps_the_order_of_its_labels() -> None:
    problem = percentile_label_problem([3, 9, 4], 50, bound=10, labels=("Ann", "Bob", "Cid"))
    assert problem.utilities.tolist() == [-1, -5, 0]  # type: ignore[union-attr]
    assert problem.frame.candidates == ("Ann", "Bob", "Cid")
    assert problem.frame.bound == 10
    assert problem.frame.adjacency is Adjacency.REPLACE
    assert not problem.frame.monotone
    for t in range(4):
        together = problem.sensitivity.at(t).tolist()
        turned = percentile_label_problem([4, 3, 9], 50, bound=10).sensitivity.at(t).tolist()
        assert turned == [together[2], together[0], together[1]]


def test_values_are_clipped_to_the_public_bound() -> None:
    problem = percentile_label_problem([-5, 99, 4], 50, bound=10)
    assert problem.utilities.tolist() == [-4, -6, 0]  # type: ignore[union-attr]


def test_dampened_scores_are_utilities_over_the_first_rung() -> None:
    problem = percentile_label_problem([0, 2, 3, 7, 7, 9], 50, bound=10).as_public()
    scores = np.asarray(LocalDampening(1).scores(problem))
    assert scores.tolist() == pytest.approx((problem.groups / problem.sensitivity.at(0)).tolist())
    shifted = np.asarray(ShiftedLocalDampening(1, 3).scores(problem))
    below = sum(problem.sensitivity.at(t) - 10 for t in range(3))
    assert shifted.tolist() == pytest.approx((problem.groups - problem.groups.max() + below).tolist())


def test_refusals(refused: Refused) -> None:
    with refused(ParameterError, "bound must be a whole number of at least 1; got 0"):
        percentile_label_problem([1], 50, bound=0)
    with refused(DataError, "values must be exactly one for each label"):
        percentile_label_problem([1, 2], 50, bound=9, labels=("a", "b", "c"))
    with refused(DataError, "values must be whole numbers", hidden=("1.5",)):
        percentile_label_problem([1.5, 2.5], 50, bound=9)
    with refused(DataError, "values must not be empty"):
        percentile_label_problem([], 50, bound=9)
    with refused(ParameterError, "bound must be below"):
        percentile_label_problem([1, 2], 50, bound=2**60)
