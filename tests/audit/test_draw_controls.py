"""Planted draws that follow another law than the one they state. The auditor must find every one of them.

Where only a sample can tell, the planted fault is so large that it is missed less than once in a million runs.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Frame, NumericFrame, NumericProblem, Runs, SelectionProblem
from dampen.audit import DrawReport, audit_draw
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, Laplace, PermuteAndFlip, SelectionMechanism, TopK
from dampen.sampling import exact, tables
from dampen.vectors import Floats
from tests.conftest import Refused


def posed(utilities: Any) -> SelectionProblem:
    frame = Frame(range(len(utilities)), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    return SelectionProblem(frame, utilities).as_public()


TWO, THREE, RUNS = posed([1, 0]), posed([2, 1, 0]), posed(Runs([1, 0], [1, 3]))


class Stated(Exponential):
    """Any law, whatever the data; a subclass draws from it, or does not."""

    law: Floats

    def _group_law(self, problem: SelectionProblem) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.law))


def stating(law: list[float], draw: Callable[[Entropy], int]) -> SelectionMechanism:
    """A mechanism of this law and this draw."""

    class Planted(Stated):
        def _pick(self, problem: SelectionProblem, source: Entropy) -> tuple[int, int]:
            return draw(source), 0

    Planted.law = np.array(law)
    return Planted(1)


# Paths that end


def of_bits(count: int, below: int) -> Callable[[Entropy], int]:
    """0 with probability below / 2^count, else 1."""
    return lambda source: int(source.bits(count) >= below)


def test_a_finite_draw_that_follows_its_law() -> None:
    report = audit_draw(stating([5 / 8, 3 / 8], of_bits(3, 5)), TWO)
    assert report.passed
    assert (float(report.undecided), report.draws, report.p_value, report.power) == (0, 0, None, 1)
    assert (report.drawn, report.claimed) in ((5 / 8, 5 / 8), (3 / 8, 3 / 8))
    assert "follows its law" in str(report)


@pytest.mark.parametrize(("bits", "below"), [(1, 1), (3, 4), (3, 6), (12, 2561), (12, 2559)])
def test_a_finite_draw_of_another_law(bits: int, below: int) -> None:
    """However near: the law is 5/8, and one path in 4,096 is enough."""
    report = audit_draw(stating([5 / 8, 3 / 8], of_bits(bits, below)), TWO)
    assert report.breaches == ("paths",)
    assert not report
    assert (report.draws, float(report.undecided)) == (0, 0)
    assert report.worst_outcome == int(below / 2**bits < 5 / 8)
    assert report.drawn > report.claimed
    assert "DOES NOT FOLLOW" in str(report)


def test_a_draw_without_any_randomness() -> None:
    assert audit_draw(stating([1.0, 0.0], lambda source: 0), TWO, depth=0).passed
    assert audit_draw(stating([1.0, 0.0], lambda source: 1), TWO, depth=0).breaches == ("paths",)
    assert audit_draw(stating([0.9, 0.1], lambda source: 0), TWO, depth=0).breaches == ("paths",)


def test_a_draw_that_brings_its_own_randomness() -> None:
    """It asks for no bit, so its one path would have to be the only outcome."""
    rng = np.random.default_rng(0)
    assert audit_draw(stating([0.5, 0.5], lambda source: int(rng.integers(2))), TWO).breaches == ("paths",)


# Paths without an end, most of which are short


def thirds(source: Entropy) -> int:
    """One of three, by drawing again."""
    while (drawn := source.bits(2)) == 3:
        pass
    return drawn


def test_a_draw_that_may_go_on_for_ever_is_walked_as_far_as_it_matters() -> None:
    honest = audit_draw(stating([1 / 3, 1 / 3, 1 / 3], thirds), THREE)
    assert honest.passed
    assert (honest.undecided, honest.draws) == (Fraction(1, 4**6), 0)
    wrong = audit_draw(stating([1 / 3 - 0.01, 1 / 3 + 0.01, 1 / 3], thirds), THREE)
    assert (wrong.breaches, wrong.worst_outcome) == (("paths",), 0)


# Paths of long words, or too many: by a sample


def coin(chance: float) -> Callable[[Entropy], int]:
    return lambda source: int(source.bits(64) >= chance * 2**64)


def test_a_long_draw_that_follows_its_law() -> None:
    report = audit_draw(stating([0.25, 0.75], coin(0.25)), TWO)
    assert report.passed
    assert (float(report.undecided), report.draws, report.power) == (1, 2450, 0.999)
    assert report.p_value is not None
    assert report.p_value > 1e-6


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_a_long_draw_that_is_30_percent_wrong_is_found_nearly_always(factor: float) -> None:
    """At least 999 times in 1,000: 4 misses of 100 would be a chance of 4e-6."""
    audits = [audit_draw(stating([0.25, 0.75], coin(0.25 * factor)), TWO, depth=0) for _ in range(100)]
    assert sum(report.breaches == ("sample",) for report in audits) >= 97


def test_more_draws_find_less() -> None:
    """A law 10 % wrong needs ten times as many."""
    assert audit_draw(stating([0.25, 0.75], coin(0.275)), TWO, depth=0, draws=30_000).breaches == ("sample",)


@pytest.mark.parametrize("place", [2, -1, 7, 10**12], ids=str)
@pytest.mark.parametrize(("bits", "found"), [(8, "paths"), (64, "sample")])
def test_an_outcome_that_may_not_come_out(place: int, bits: int, found: str) -> None:
    """Impossible or not among the candidates: once is enough, here in one draw of 128 or so."""

    def draw(source: Entropy) -> int:
        drawn = source.bits(bits)
        return place if drawn >> (bits - 7) == 0 else drawn % 2

    report = audit_draw(stating([0.5, 0.5, 0.0], draw), THREE)
    assert report.breaches == (found,)
    if found == "paths":
        assert report.worst_outcome == (2 if place == 2 else "none of the outcomes")
        assert (report.drawn, report.claimed) == (1 / 128, 0)


# The wheel's own draws, mixed up


def borrowing(kind: type[Any], draws_like: Callable[[Any], Any]) -> type[Any]:
    """A mechanism that draws as another one does."""

    class Borrowed(kind):  # type: ignore[misc]
        def _pick(self, problem: SelectionProblem, source: Entropy) -> tuple[int, int]:
            other: tuple[int, int] = draws_like(self.epsilon)._pick(problem, source)
            return other

    return Borrowed


MIXED: dict[str, Callable[[Any], Any]] = {
    "another mechanism": PermuteAndFlip,
    "twice the epsilon": lambda epsilon: Exponential(2 * epsilon),
    "half the epsilon": lambda epsilon: Exponential(epsilon / 2),
}


@pytest.mark.parametrize("draws_like", MIXED.values(), ids=MIXED)
@pytest.mark.parametrize("short", [True, False], ids=["bit by bit", "full words"])
def test_the_draw_of_another_mechanism(
    draws_like: Callable[[Any], Any], short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if short:
        monkeypatch.setattr(tables, "WIDTH", 2)
        monkeypatch.setattr(exact, "MORE_BITS", 1)
    report = audit_draw(borrowing(Exponential, draws_like)(1), TWO)
    assert report.breaches in (("paths",), ("sample",))
    assert short or report.draws > 0


def test_every_member_of_a_group_may_come_out() -> None:
    class Hurried(PermuteAndFlip):
        def _pick(self, problem: SelectionProblem, source: Entropy) -> tuple[int, int]:
            group, member = super()._pick(problem, source)
            return group, min(member, 1)

    assert audit_draw(PermuteAndFlip(1), RUNS).passed
    assert audit_draw(Hurried(1), RUNS).breaches == ("sample",)


def test_the_order_of_a_list() -> None:
    class Backwards(TopK):
        def draw(self, problem: SelectionProblem, source: Entropy) -> tuple[int, ...]:
            return super().draw(problem, source)[::-1]

    assert audit_draw(TopK(2, PermuteAndFlip(1), peeled=True), THREE).passed
    assert audit_draw(Backwards(2, PermuteAndFlip(1), peeled=True), THREE).breaches == ("sample",)


# Numbers

NUMBER = NumericProblem(NumericFrame(5, Adjacency.EDGE), 12).as_public()


class Moved(Laplace):
    """A number whose draw is changed."""

    change: Callable[[int], int] = staticmethod(lambda noise: noise)

    def draw(self, problem: NumericProblem, source: Entropy) -> int:
        return problem.steps + self.change(super().draw(problem, source) - problem.steps)


CHANGES: dict[str, Callable[[int], int]] = {
    "one step too high": lambda noise: noise + 1,
    "one side only": abs,
    "none": lambda noise: 0,
    "a third wider": lambda noise: round(1.4 * noise),
    "far away": lambda noise: 10**9 if noise < 0 else noise,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_number_drawn_otherwise(change: Callable[[int], int]) -> None:
    wrong = type("Wrong", (Moved,), {"change": staticmethod(change)})
    assert audit_draw(wrong(2), NUMBER).breaches == ("sample",)


def test_a_number_drawn_as_it_should_be() -> None:
    report = audit_draw(Moved(2), NUMBER)
    assert report.passed
    assert 2450 <= report.draws <= 4000
    assert isinstance(report.worst_outcome, int)


def test_a_number_bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    narrow = NumericProblem(NumericFrame(1, Adjacency.EDGE), 3).as_public()
    wrong = type("Wrong", (Moved,), {"change": staticmethod(CHANGES["one step too high"])})
    report: DrawReport = audit_draw(wrong(4), narrow, depth=9)
    assert (report.breaches, report.draws, report.worst_outcome) == (("paths",), 0, 4)


def test_answers_are_shown_as_a_release_shows_them() -> None:
    quarter = NumericProblem(NumericFrame(1, Adjacency.EDGE, resolution="1/4"), 3).as_public()
    wrong = type("Wrong", (Moved,), {"change": staticmethod(lambda noise: 1)})
    assert audit_draw(wrong(4), quarter).worst_outcome == 3.25
    far = type("Wrong", (Moved,), {"change": staticmethod(lambda noise: 10**9)})
    assert audit_draw(far(4), quarter).worst_outcome == "anything more than 64 grid steps away"


def test_too_wide_a_noise_is_refused(refused: Refused) -> None:
    wide = NumericProblem(NumericFrame(10**9, Adjacency.EDGE), 0).as_public()
    with refused(ParameterError, "within 131072 grid steps", "coarser resolution"):
        audit_draw(Laplace(1), wide)
