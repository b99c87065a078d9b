"""What losses cost in rho, measured: the charges of all kinds of selection hold, and smaller ones break."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.accounting.composition import rho_of
from dampen.audit import AuditReport, audit_selection
from dampen.concentrated import rho_of_pure
from dampen.mechanisms import (
    Exponential,
    LaplaceTopK,
    PairwiseDampening,
    PermuteAndFlip,
    ReportNoisyMax,
    SelectionMechanism,
    TopK,
)
from dampen.privacy import PrivacyLoss
from tests.audit.universes.counts import counts_add_remove, counts_replace

MECHANISMS: list[SelectionMechanism] = [
    Exponential(1),
    PermuteAndFlip(1),
    ReportNoisyMax(1, "gumbel"),
    ReportNoisyMax(1, "exponential"),
    ReportNoisyMax(1, "laplace"),
    PairwiseDampening(1),
    PairwiseDampening(1, law=Exponential),
    PairwiseDampening(1, "clipped", Exponential),
    TopK(2, Exponential("1/2")),
    TopK(2, PermuteAndFlip("1/2")),
    TopK(2, PermuteAndFlip("1/2"), peeled=True),
    LaplaceTopK(2, 1),
]


def claim_rho(mechanism: SelectionMechanism, rho: Fraction | None = None, **claims: Any) -> SelectionMechanism:
    """The mechanism with a claim of rho: what it is charged, or another."""

    class Claiming(type(mechanism)):  # type: ignore[misc]
        def privacy(self, frame: Frame) -> PrivacyLoss:
            told: PrivacyLoss = super().privacy(frame)
            return replace(told, rho=rho_of(told) if rho is None else rho, **claims)

    made: SelectionMechanism = object.__new__(Claiming)
    for name, value in vars(mechanism).items():
        object.__setattr__(made, name, value)
    return made


def audit_pair(
    mechanism: SelectionMechanism, one: Sequence[float], other: Sequence[float], *, monotone: bool = False
) -> AuditReport:
    def problem_of(x: tuple[int]) -> SelectionProblem:
        frame = Frame(tuple(range(len(one))), 1, Adjacency.ADD_REMOVE, monotone=monotone)
        return SelectionProblem(frame, [float(u) for u in (one, other)[x[0]]])

    return audit_selection(mechanism, problem_of, [(0,)], lambda x: [(1 - x[0],)])


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_what_is_charged_in_rho_holds(mechanism: SelectionMechanism) -> None:
    for universe in (counts_add_remove(largest=5), counts_replace(largest=5)):
        report = universe.audit(claim_rho(mechanism))
        assert report.passed, str(report)
        assert report.worst_rho is not None
        assert report.worst_rho > 0


def test_permute_and_flip_charged_as_if_its_range_were_bounded() -> None:
    pair = (0, -0.8438), (-1, 0.1562)
    broken = audit_pair(claim_rho(PermuteAndFlip(1), Fraction(1, 8)), *pair)
    assert broken.breaches == ("rho",)
    assert broken.worst_rho == pytest.approx(0.32966, rel=2e-4)
    assert audit_pair(claim_rho(PermuteAndFlip(1)), *pair).passed
    assert rho_of(PermuteAndFlip(1).privacy(Frame((0, 1), 1, Adjacency.ADD_REMOVE))) == rho_of_pure(Fraction(1))


def test_exponential_noise_in_one_shot_charged_as_if_it_were_k_picks() -> None:
    top, pair = TopK(2, PermuteAndFlip("1/10")), ((-0.61, 0, -0.61), (0.39, 0, 0.39))
    broken = audit_pair(claim_rho(top, 2 * Fraction(1, 200)), *pair, monotone=True)
    assert broken.breaches == ("rho",)
    assert broken.worst_rho == pytest.approx(0.0101015, rel=1e-5)
    assert audit_pair(claim_rho(top), *pair, monotone=True).passed
    frame = Frame((0, 1, 2), 1, Adjacency.ADD_REMOVE, monotone=True)
    assert top.privacy(frame).rho is None
    assert rho_of(top.privacy(frame)) == rho_of_pure(Fraction(1, 5))


def test_picks_with_gumbel_noise_have_k_times_the_rho_and_no_range() -> None:
    top, pair = TopK(2, Exponential(1)), ((8, -8, 8, -8), (8, -8, 9, -7))
    assert top.privacy(Frame(range(4), 1, Adjacency.ADD_REMOVE, monotone=True)).rho == 2 * Fraction(1, 8)
    assert audit_pair(top, *pair, monotone=True).passed
    broken = audit_pair(claim_rho(top, bounded_range=2), *pair, monotone=True)
    assert broken.breaches == ("bounded_range",)
    assert broken.worst_range == pytest.approx(3, abs=1e-4)


def test_peeled_flips_are_k_picks() -> None:
    frame = Frame((0, 1, 2), 1, Adjacency.ADD_REMOVE, monotone=True)
    assert TopK(2, PermuteAndFlip("1/10"), peeled=True).privacy(frame).rho == 2 * rho_of_pure(Fraction(1, 10))
