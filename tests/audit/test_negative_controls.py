"""Planted faults. Each is a mistake that has been made; the auditor must catch every one of them."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import add_remove_neighbours, audit_selection, multisets, replace_neighbours
from dampen.errors import FrameLeak
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, SelectionMechanism
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.privacy import PrivacyLoss
from dampen.sensitivity import RungTable
from tests.audit.universes.counts import LABELS, counts_add_remove, counts_problem, counts_replace

ALL: list[type[UtilityMechanism]] = [Exponential, PermuteAndFlip, ReportNoisyMax]


@pytest.mark.parametrize("mechanism", ALL)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_the_monotone_rate_on_counts_under_replace(mechanism: type[UtilityMechanism], epsilon: str) -> None:
    report = audit_selection(
        mechanism(epsilon),
        lambda x: counts_problem(x, Adjacency.REPLACE, monotone=True),
        multisets(LABELS, largest=8, smallest=1),
        replace_neighbours(LABELS),
    )
    assert report.breaches[0] == "epsilon"
    assert report.worst_log_ratio > 1.2 * float(epsilon)


def test_a_grid_from_the_datas_own_minimum_and_maximum() -> None:
    def problem_of(x: tuple[int, ...]) -> SelectionProblem:
        grid = range(min(x), max(x) + 1)
        frame = Frame(grid, bound=1, adjacency=Adjacency.ADD_REMOVE)
        return SelectionProblem(frame, [-abs(sum(v <= g for v in x) - sum(v > g for v in x)) for g in grid])

    def neighbours(x: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [y for y in add_remove_neighbours(range(4))(x) if y]

    with pytest.raises(FrameLeak, match="candidates must be public"):
        audit_selection(PermuteAndFlip(1), problem_of, multisets(range(4), largest=3, smallest=1), neighbours)


def test_a_horizon_that_depends_on_the_data() -> None:
    def problem_of(x: tuple[str, ...]) -> SelectionProblem:
        frame = Frame(LABELS, bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
        counts = [x.count(label) for label in LABELS]
        return SelectionProblem(frame, counts, RungTable([[1, 1, 1]] * (1 + len(x)), bound=1))

    with pytest.raises(FrameLeak, match="horizon must be public"):
        audit_selection(Exponential(1), problem_of, multisets(LABELS, largest=2), add_remove_neighbours(LABELS))


def test_a_bound_that_depends_on_the_data() -> None:
    def problem_of(x: tuple[str, ...]) -> SelectionProblem:
        frame = Frame(LABELS, bound=max(1, len(x)), adjacency=Adjacency.ADD_REMOVE)
        return SelectionProblem(frame, [x.count(label) for label in LABELS])

    with pytest.raises(FrameLeak, match="bound must be public"):
        audit_selection(Exponential(1), problem_of, multisets(LABELS, largest=3), add_remove_neighbours(LABELS))


def test_a_number_type_that_depends_on_the_data() -> None:
    def problem_of(x: tuple[str, ...]) -> SelectionProblem:
        frame = Frame(LABELS, bound=1, adjacency=Adjacency.ADD_REMOVE)
        counts = np.array([x.count(label) for label in LABELS])
        return SelectionProblem(frame, counts if len(x) % 2 else counts / 2)

    with pytest.raises(FrameLeak, match="type of the utilities must be public"):
        audit_selection(Exponential(1), problem_of, multisets(LABELS, largest=3), add_remove_neighbours(LABELS))


@pytest.mark.parametrize("mechanism", ALL)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
def test_half_the_noise(mechanism: type[UtilityMechanism], epsilon: str) -> None:
    class HalfTheNoise(mechanism):  # type: ignore[valid-type, misc]
        def _rate(self, frame: Frame) -> Fraction:
            rate: Fraction = super()._rate(frame)
            return 2 * rate

    for universe in (counts_add_remove(largest=8), counts_replace(largest=8)):
        report = universe.audit(HalfTheNoise(epsilon))
        assert "epsilon" in report.breaches, str(report)
        assert report.worst_log_ratio > 1.2 * float(epsilon)


@pytest.mark.parametrize("mechanism", [PermuteAndFlip(1), ReportNoisyMax(1, "exponential")])
def test_exponential_noise_claimed_as_bounded_range(mechanism: SelectionMechanism) -> None:
    class Boastful(type(mechanism)):  # type: ignore[misc]
        def privacy(self, frame: Frame) -> PrivacyLoss:
            claim: PrivacyLoss = super().privacy(frame)
            return replace(claim, bounded_range=self.epsilon)

    boastful = Boastful(1) if isinstance(mechanism, PermuteAndFlip) else Boastful(1, "exponential")

    def two_labels(x: tuple[str, ...]) -> SelectionProblem:
        frame = Frame(("a", "b"), bound=1, adjacency=Adjacency.REPLACE)
        return SelectionProblem(frame, [x.count("a"), x.count("b")])

    report = audit_selection(boastful, two_labels, multisets("ab", largest=9, smallest=1), replace_neighbours("ab"))
    assert report.breaches == ("bounded_range",)
    assert report.worst_range == pytest.approx(2 * log(2 * exp(0.5) - 1), abs=1e-12)
    assert round(report.worst_range, 4) == 1.6636


def test_a_price_that_depends_on_the_frame_of_one_neighbour() -> None:
    """Everything public agrees, so only a claim that looks elsewhere can differ; none of ours can."""

    class Fickle(Exponential):
        calls = 0

        def privacy(self, frame: Frame) -> PrivacyLoss:
            type(self).calls += 1
            return PrivacyLoss(1 + type(self).calls, adjacency=frame.adjacency)

    with pytest.raises(FrameLeak, match="claimed loss must be public"):
        counts_add_remove().audit(Fickle(1))


def test_too_small_a_delta() -> None:
    class HalfEpsilon(Exponential):
        promised = Fraction(1, 100)

        def privacy(self, frame: Frame) -> PrivacyLoss:
            return PrivacyLoss(self.epsilon / 2, self.promised, adjacency=frame.adjacency)

    class HalfEpsilonHonest(HalfEpsilon):
        promised = Fraction(1, 4)

    universe = counts_add_remove()
    broken, honest = universe.audit(HalfEpsilon(1)), universe.audit(HalfEpsilonHonest(1))
    assert broken.breaches == ("delta",)
    assert honest.passed
    largest_for_bounded_range = (exp(1 / 2) - exp(1 / 4)) ** 2 / (exp(1) - 1)
    assert 0.99 * largest_for_bounded_range < broken.worst_delta <= largest_for_bounded_range
