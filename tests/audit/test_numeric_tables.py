"""Counts, sums, means, variances and order statistics of all small tables, missing values among them."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import floor
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Number, NumericProblem
from dampen.audit import AuditReport, add_remove_neighbours, audit_numeric, multisets, replace_neighbours
from dampen.mechanisms import ExactPairLaplace, Laplace, NumericMechanism, PolyPlace
from dampen.queries import mean_part_problems, mean_problem, order_statistic_problem, row_count_problem, sum_problem
from dampen.queries.sums import variance_part_problems
from dampen.tables.engines import Source
from tests.audit.joint import Audit

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
BOTH = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
BOUNDS = ((0, 5), (3, 5), (-4, -1))
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


def variance_parts(bounds: tuple[int, int], adjacency: Adjacency, missing: str) -> dict[str, Pose]:
    """The numbers that a variance is made of, read to different units: one that fits the bounds, and others."""

    def part(x: Table, place: int, unit: str) -> NumericProblem:
        values = Source({"a": list(x)}, column="a", missing=missing)
        return variance_part_problems(values, bounds=bounds, unit=unit, adjacency=adjacency)[0][place]

    names = ("centred", "squares", "number")[: 2 if adjacency is REPLACE else 3]
    return {
        f"variance: {name}, unit {unit}": partial(part, place=place, unit=unit)
        for unit in ("1", "0.7", "2")
        for place, name in enumerate(names)
    }


CASES = [
    (name, bounds, adjacency)
    for adjacency in (ADD_REMOVE, REPLACE)
    for bounds in BOUNDS
    for name in posed(bounds, adjacency)
]


def judged(mechanism: NumericMechanism, pose: Pose, adjacency: Adjacency, domain: Table = DOMAIN) -> AuditReport:
    smallest = 1 if adjacency is REPLACE else 0
    return audit_numeric(mechanism, pose, tables(2, smallest, domain), neighbours(adjacency, domain))


MECHANISMS = (Laplace(1), PolyPlace(1), ExactPairLaplace(1, "1e-3"))
DRIVEN = [
    pytest.param(mechanism, *case, marks=() if (place + turn) % len(MECHANISMS) == 0 else pytest.mark.long)
    for place, case in enumerate(CASES)
    for turn, mechanism in enumerate(MECHANISMS)
]
"""Every case with every mechanism; in short runs every case with one of them, in turn."""


@pytest.mark.parametrize(("mechanism", "name", "bounds", "adjacency"), DRIVEN, ids=str)
def test_claims_hold_on_all_small_tables(
    mechanism: NumericMechanism, name: str, bounds: tuple[int, int], adjacency: Adjacency
) -> None:
    report = judged(mechanism, posed(bounds, adjacency)[name], adjacency)
    assert report.passed, str(report)
    assert report.pairs >= 10


def test_means_of_a_public_number_of_records_keep_their_claim() -> None:
    domain = tuple(value for value in DOMAIN if value is not None)
    report = judged(Laplace(1), lambda x: mean_problem(list(x), bounds=(3, 5), resolution="0.01"), REPLACE, domain)
    assert report.passed, str(report)
    assert report.worst_log_ratio > 0.9


@BOTH
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_the_numbers_of_a_variance_keep_their_claims(bounds: tuple[int, int], adjacency: Adjacency) -> None:
    """Under ``REPLACE`` the number of values is public, so no value may be missing."""
    domain = tuple(value for value in DOMAIN if value is not None or adjacency is ADD_REMOVE)
    worst = {}
    for name, pose in variance_parts(bounds, adjacency, "refuse" if adjacency is REPLACE else "drop").items():
        report = judged(Laplace(1), pose, adjacency, domain)
        assert report.passed, f"{name}: {report}"
        worst[name] = report.worst_log_ratio
    assert worst["variance: centred, unit 1"] == pytest.approx(1)
    assert max(worst.values()) <= 1 + 1e-9


def values_in_bounds(bounds: tuple[int, int], unit: str) -> list[Fraction]:
    """What values are rounded to."""
    (low, high), step = bounds, Fraction(unit)
    return [low + place * step for place in range(floor((high - low) / step) + 1)]


@pytest.mark.parametrize("unit", ["1", "0.7", "2"])
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@BOTH
def test_the_numbers_of_a_variance_are_what_its_proof_says(
    adjacency: Adjacency, bounds: tuple[int, int], unit: str
) -> None:
    """Values, bounds and resolutions, written out with fractions: every value clipped and rounded by itself."""
    low, high = map(Fraction, bounds)
    middle, wide, points = (low + high) / 2, high - low, values_in_bounds(bounds, unit)
    for x in tables(3, 1, (-7, 2, 3.5, "3.35", 20)):
        exact = [min(max(Fraction(value), low), high) for value in x]
        nearest = [max(min(points, key=lambda point: (abs(point - v), -point)), points[0]) for v in exact]
        away = [value - middle for value in nearest]
        sums = sum(away), sum(d * d - wide * wide / 8 for d in away)
        parts, number = variance_part_problems(list(x), bounds=bounds, unit=unit, adjacency=adjacency)
        moved = 2 if adjacency is REPLACE else 1
        assert [part.frame.bound for part in parts[:2]] == [moved * wide / 2, moved * wide * wide / 8]
        for part, value in zip(parts[:2], sums, strict=True):
            assert abs(part.value - value) <= part.frame.resolution / 2
            assert part.frame.resolution * 1024 == part.frame.bound
        assert number == (len(x) if adjacency is REPLACE else None)
        assert [part.value for part in parts[2:]] == ([] if adjacency is REPLACE else [len(x)])


@BOTH
def test_a_variance_of_shares_is_not_that_of_zeros_and_ones(adjacency: Adjacency) -> None:
    """Without a unit narrow bounds are cut finely, and whole numbers stay what they are."""
    for bounds, values in (((0, 1), [0.125, 0.25, 0.375]), ((3, 5), [3, 4, 5]), ((0, 120), [30, 40, 50])):
        (first, second, *_), _ = variance_part_problems(values, bounds=bounds, adjacency=adjacency)
        away = [Fraction(value) - Fraction(sum(bounds), 2) for value in values]
        shift = Fraction(bounds[1] - bounds[0]) ** 2 / 8
        assert abs(first.value - sum(away)) <= first.frame.resolution
        assert abs(second.value - sum(d * d - shift for d in away)) <= second.frame.resolution


@BOTH
def test_squares_that_are_not_centred_are_caught(adjacency: Adjacency) -> None:
    """Without the shift by w^2 / 8 one record more moves the squares by w^2 / 4; a replaced one moves them no more."""

    def plain_squares(x: Table) -> NumericProblem:
        frame = variance_part_problems([0], bounds=(0, 4), adjacency=adjacency)[0][1].frame
        return NumericProblem(frame, sum((min(max(Fraction(value), Fraction(0)), Fraction(4)) - 2) ** 2 for value in x))

    report = judged(Laplace(1), plain_squares, adjacency, (0, 2, 4))
    assert report.passed is (adjacency is REPLACE)
    assert report.worst_log_ratio == pytest.approx(2 if adjacency is ADD_REMOVE else 1)


WHOLE = {"v": Number(0, 8)}
KINDS = [(0,), (3,), (4,), (8,)]


def ask_variance(table: dampen.Table) -> dampen.Release:
    return table.variance("v", epsilon=1)


def test_a_variance_loses_epsilon_in_all() -> None:
    """A record at an end of the bounds moves each of the three numbers as far as it may."""
    audit = Audit(ask_variance, ("v",), WHOLE, ADD_REMOVE)
    assert audit.worst(multisets(KINDS, largest=2), add_remove_neighbours(KINDS)) == pytest.approx(1)
    assert len(audit.hear(()).draws) == 3


def test_a_replaced_record_cannot_move_both_sums_of_a_variance_as_far_as_they_may() -> None:
    """From u = 1/2 to u' in widths off the middle they move by |u - u'| and 4 |u^2 - u'^2|: 5/8 and 15/16 at most."""
    audit = Audit(ask_variance, ("v",), WHOLE, REPLACE)
    worst = audit.worst(multisets(KINDS, largest=2, smallest=1), replace_neighbours(KINDS))
    assert worst == pytest.approx((5 / 8 + 15 / 16) / 2)
    assert len(audit.hear(((8,),)).draws) == 2


def test_a_vanishing_record_at_the_width_of_the_bounds_is_caught() -> None:
    """A replaced record may become missing: then the sum falls by the record, not by hi - lo."""

    def as_if_refused(x: Table) -> NumericProblem:
        frame = sum_problem([3], bounds=(100, 110), adjacency=REPLACE).frame
        value = sum_problem(list(x), bounds=(100, 110), adjacency=REPLACE, missing="drop").value
        return NumericProblem(frame, value)

    report = judged(Laplace(1), as_if_refused, REPLACE)
    assert not report.passed
    assert report.worst_log_ratio > 10
