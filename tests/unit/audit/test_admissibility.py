"""The audit of admissibility on universes small enough to check by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import audit_admissibility
from dampen.errors import FrameLeak, ParameterError
from dampen.sensitivity import Constant, RungTable, SensitivityFunction
from tests.conftest import Refused

PATH = {0: 0.0, 1: 0.0, 2: 1.0, 3: 4.0}
"""Four databases in a row and the utility of the only candidate that moves."""
BOUND = 3
HORIZON = 4


def neighbours(x: int) -> list[int]:
    return [y for y in (x - 1, x + 1) if y in PATH]


def local(x: int) -> float:
    return max(abs(PATH[x] - PATH[y]) for y in neighbours(x))


def at_distance(x: int, t: int) -> float:
    """The largest local sensitivity within t steps."""
    return max(local(y) for y in PATH if abs(x - y) <= t)


def posed(x: int, rows: list[float], *, bound: int = BOUND) -> SelectionProblem:
    frame = Frame(("still", "moving"), bound, Adjacency.ADD_REMOVE)
    rungs: SensitivityFunction = RungTable([[0.0, row] for row in rows], bound=bound)
    return SelectionProblem(frame, [0.0, PATH[x]], rungs)


def audit(rows_of: Callable[[int], list[float]], horizon: int = HORIZON) -> Any:
    return audit_admissibility(lambda x: posed(x, rows_of(x)), PATH, neighbours, horizon)


def test_the_local_sensitivity_at_distance_t_is_admissible() -> None:
    report = audit(lambda x: [at_distance(x, t) for t in range(4)])
    assert report
    assert report.passed
    assert (report.pairs, report.horizon) == (3, HORIZON)
    assert report.worst_shortfall <= 0
    assert report.pairs_with_different_rungs > 0
    assert "holds" in str(report)


def test_the_printed_condition_is_caught() -> None:
    """LS(x, 0) at every t does not fall along one database; between neighbours it does."""
    report = audit(lambda x: [local(x)] * 4)
    assert not report
    assert report.worst_condition == "next rung"
    assert report.worst_shortfall == 2
    assert report.worst_pair in {(1, 2), (0, 1)}
    assert report.worst_candidate == "moving"
    assert "BROKEN: next rung" in str(report)


def test_a_first_rung_below_the_change_is_caught() -> None:
    report = audit(lambda x: [at_distance(x, t) / 2 for t in range(4)])
    assert not report
    assert report.worst_condition == "first rung"
    assert report.worst_shortfall == 1.5
    assert set(report.worst_pair) == {2, 3}


def test_one_row_too_few_is_seen_only_as_far_as_the_horizon_reaches() -> None:
    """A function that lags behind at t = 2 alone: unseen up to t = 0, caught from there on."""

    def lagging(x: int) -> list[float]:
        return [at_distance(x, 0), at_distance(x, 1), at_distance(x, 1)]

    assert audit(lagging, horizon=0)
    assert not audit(lagging, horizon=2)


class _Falling(SensitivityFunction):
    def __init__(self) -> None:
        super().__init__(size=2, bound=5)

    def at(self, t: int) -> Any:
        return Constant(5, size=2).at(t) - min(t, 2)


def test_rungs_that_fall_along_one_database_are_caught() -> None:
    frame = Frame(("still", "moving"), 5, Adjacency.ADD_REMOVE)
    report = audit_admissibility(
        lambda x: SelectionProblem(frame, [0.0, PATH[x]], _Falling()), PATH, neighbours, HORIZON
    )
    assert not report
    assert (report.worst_condition, report.worst_shortfall) == ("next rung", 1)


class _TooHigh(_Falling):
    def at(self, t: int) -> Any:
        return Constant(5, size=2).at(t) + 0.5 * t


def test_rungs_above_the_bound_are_caught() -> None:
    frame = Frame(("still", "moving"), 5, Adjacency.ADD_REMOVE)
    report = audit_admissibility(
        lambda x: SelectionProblem(frame, [0.0, PATH[x]], _TooHigh()), PATH, neighbours, HORIZON
    )
    assert not report
    assert report.worst_condition == "bound"


def test_a_public_fact_that_depends_on_the_data_is_a_leak(refused: Refused) -> None:
    with refused(FrameLeak, "must be public"):
        audit_admissibility(lambda x: posed(x, [3.0] * (1 + x)), PATH, neighbours, HORIZON)


def test_a_universe_without_neighbours_proves_nothing(refused: Refused) -> None:
    with refused(ParameterError, "universe"):
        audit_admissibility(lambda x: posed(x, [3.0]), [0], lambda x: [], HORIZON)


@pytest.mark.parametrize("horizon", [-1, 1.5, None])
def test_the_horizon_is_a_whole_number(horizon: Any, refused: Refused) -> None:
    with refused(ParameterError, "horizon"):
        audit_admissibility(lambda x: posed(x, [3.0]), PATH, neighbours, horizon)
