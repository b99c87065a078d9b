"""Counts, sums, means and order statistics of all small tables, missing values among them."""

from collections.abc import Callable
from typing import Any

import pytest

from dampen import Adjacency, NumericProblem
from dampen.audit import AuditReport, audit_numeric
from dampen.mechanisms import ExactPairLaplace, Laplace, NumericMechanism, PolyPlace
from dampen.queries import mean_part_problems, mean_problem, order_statistic_problem, row_count_problem, sum_problem

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
DOMAIN = (-7, 2, 3.5, 20, None)
"""Below, inside and above the bounds, and missing."""
Table = tuple[Any, ...]
Pose = Callable[[Table], NumericProblem]


def tables(largest: int, smallest: int = 0, domain: Table = DOMAIN) -> list[Table]:
    found: list[Table] = [()]
    for _ in range(largest):
        found += [(*x, value) for x in found for value in domain if not x or domain.index(value) >= domain.index(x[-1])]
    return sorted({x for x in found if len(x) >= smallest}, key=lambda x: (len(x), str(x)))


def neighbours(adjacency: Adjacency, domain: Table = DOMAIN) -> Callable[[Table], list[Table]]:
    def sort(x: list[Any]) -> Table:
        return tuple(sorted(x, key=domain.index))

    def of(x: Table) -> list[Table]:
        less = [x[:place] + x[place + 1 :] for place in range(len(x))]
        if adjacency is REPLACE:
            return [sort([*rest, value]) for rest in less for value in domain]
        return [sort([*x, value]) for value in domain] + less

    return of


def posed(bounds: tuple[int, int], adjacency: Adjacency) -> dict[str, Pose]:
    words: dict[str, Any] = {"bounds": bounds, "missing": "drop"}
    found: dict[str, Pose] = {
        "sum": lambda x: sum_problem(list(x), **words, adjacency=adjacency),
        "count": lambda x: row_count_problem({"a": list(x)}, where={"a": 2}, adjacency=adjacency),
        "median": lambda x: order_statistic_problem(list(x), 50, **words, adjacency=adjacency),
        "fine sum": lambda x: sum_problem(list(x), **words, adjacency=adjacency, resolution="0.3"),
    }
    if adjacency is ADD_REMOVE:
        found["centred sum"] = lambda x: mean_part_problems(list(x), **words)[0]
        found["number"] = lambda x: mean_part_problems(list(x), **words)[1]
    return found


CASES = [
    (name, bounds, adjacency)
    for adjacency in (ADD_REMOVE, REPLACE)
    for bounds in ((0, 5), (3, 5), (-4, -1))
    for name in posed(bounds, adjacency)
]


def judged(mechanism: NumericMechanism, pose: Pose, adjacency: Adjacency, domain: Table = DOMAIN) -> AuditReport:
    smallest = 1 if adjacency is REPLACE else 0
    return audit_numeric(mechanism, pose, tables(2, smallest, domain), neighbours(adjacency, domain))


@pytest.mark.parametrize(("name", "bounds", "adjacency"), CASES, ids=str)
def test_claims_hold_on_all_small_tables(name: str, bounds: tuple[int, int], adjacency: Adjacency) -> None:
    for mechanism in (Laplace(1), PolyPlace(1), ExactPairLaplace(1, "1e-3")):
        report = judged(mechanism, posed(bounds, adjacency)[name], adjacency)
        assert report.passed, str(report)
        assert report.pairs >= 10


def test_means_of_a_public_number_of_records_keep_their_claim() -> None:
    domain = tuple(value for value in DOMAIN if value is not None)
    report = judged(Laplace(1), lambda x: mean_problem(list(x), bounds=(3, 5), resolution="0.01"), REPLACE, domain)
    assert report.passed, str(report)
    assert report.worst_log_ratio > 0.9


def test_a_vanishing_record_at_the_width_of_the_bounds_is_caught() -> None:
    """A replaced record may become missing: then the sum falls by the record, not by hi - lo."""

    def as_if_refused(x: Table) -> NumericProblem:
        frame = sum_problem([3], bounds=(100, 110), adjacency=REPLACE).frame
        value = sum_problem(list(x), bounds=(100, 110), adjacency=REPLACE, missing="drop").value
        return NumericProblem(frame, value)

    report = judged(Laplace(1), as_if_refused, REPLACE)
    assert not report.passed
    assert report.worst_log_ratio > 10
