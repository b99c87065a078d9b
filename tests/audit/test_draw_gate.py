"""The gate of draws: every mechanism in the wheel draws from the law it states.

Bit by bit with short words (the table at 2 bits, 1 bit more at a time) where that decides nearly everything, else by a
sample with the words of a release; in full runs all of them by samples too, on larger problems.
"""

from collections.abc import Callable
from itertools import product
from math import exp

import numpy as np
import pytest

import dampen.mechanisms
from dampen import Adjacency, Budget, Frame, GrowthLaw, NumericFrame, NumericProblem, SelectionProblem
from dampen.audit import DrawReport, audit_draw
from dampen.audit.draws import compare_places
from dampen.entropy import Entropy
from dampen.mechanisms import (
    CapMechanism,
    CapRace,
    CapScan,
    EdgeRace,
    LimitRace,
    NumericMechanism,
    ObjectivePerturbation,
    SelectionMechanism,
    TruncatedGeometricCounts,
)
from dampen.mechanisms.base import Mechanism
from dampen.mechanisms.grouping.base import GroupMechanism, SetMechanism
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.problem import CapFrame, CapProblem, SignedCapProblem
from dampen.questions.members_by_group import METHODS
from dampen.sampling import exact, tables
from dampen.sensitivity import Step
from dampen.vectors import Floats
from tests.audit.test_gate import GATED
from tests.audit.universes.subgraphs import remembering
from tests.every_caps import EVERY as CAPS
from tests.every_counts import EVERY as COUNTS
from tests.every_mechanism import find_mechanisms
from tests.every_numeric import EVERY, ladder

DEPTH = 10
SAMPLED = (
    *("Exponential", "SmoothExponential", "ReportNoisyMax, gumbel", "TopK", "LaplaceTopK"),
    *("Gaussian", "Laplace", "LaplaceLogNormal", "NoisyLocalSensitivity", "PiecewiseLaplace", "Staircase"),
)
"""Draws that may go on for ever, or draw several times: a short walk decides too little of what begins so."""
IN_FULL_RUNS = (
    *("SmoothExponential, indicator", "LaplaceTopK", "LaplaceTopK, level scores", "TopK, PermuteAndFlip, peeled"),
    *("TopK, LocalDampening, exponential", "TopK, PairwiseDampening"),
    *(name for name in GATED if name.endswith(", exponential") and not name.startswith("ReportNoisyMax")),
)
"""Slow ones, of which the default run has the same draw under another name."""
SELECTIONS = [pytest.param(name, marks=[pytest.mark.long] if name in IN_FULL_RUNS else []) for name in GATED]


def use_short_words(name: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the draw is walked, with words so short that this is possible."""
    if any(name == begins or name.startswith(f"{begins},") for begins in SAMPLED) or name in IN_FULL_RUNS:
        return False
    monkeypatch.setattr(tables, "WIDTH", 2)
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    return True


def require_passed(report: DrawReport) -> None:
    print(report)
    assert report.passed, str(report)


# Selection


def indicator(mechanism: SelectionMechanism) -> SelectionProblem:
    """The smallest 0/1 problem, which every mechanism can read."""
    size = max(2, mechanism.k if isinstance(mechanism, OrderedMechanism) else 1)
    frame = Frame(range(size), 1, Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, [1] + [0] * (size - 1), Step([1] * size, 1, floor="1/4")).as_public()


def widest_law(name: str) -> tuple[SelectionMechanism, SelectionProblem]:
    """Of the first data sets of the last universe, the one whose most likely outcome is the least likely."""
    mechanism, universe = GATED[name].make("1"), GATED[name].universes[-1]
    problems = [universe.problem_of(x) for x in universe.data_sets[-50:]]
    largest = [float(np.max(np.asarray(mechanism.log_probabilities(problem)))) for problem in problems]
    return mechanism, problems[int(np.argmin(largest))].as_public()


@pytest.mark.parametrize("name", SELECTIONS)
def test_selections_follow_their_law(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, walked = GATED[name].make("1"), use_short_words(name, monkeypatch)
    report = audit_draw(mechanism, indicator(mechanism), depth=DEPTH)
    require_passed(report)
    assert (report.draws == 0) == walked


@pytest.mark.long
@pytest.mark.parametrize("name", GATED)
def test_selections_follow_their_law_with_the_words_of_a_release(name: str) -> None:
    require_passed(audit_draw(*widest_law(name)))


@pytest.mark.parametrize("name", GATED)
def test_a_release_names_what_was_drawn(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is audited is what is released: nothing lies between them."""
    mechanism = GATED[name].make("1")
    problem = indicator(mechanism)
    drawn = tuple(range(mechanism.k))[::-1] if isinstance(mechanism, OrderedMechanism) else 1
    monkeypatch.setattr(type(mechanism), "draw", lambda self, problem, source: drawn)
    assert mechanism.release(problem, budget=Budget(epsilon=10, delta="1/2")).value == drawn


# Numbers


def number(resolution: str = "1") -> NumericProblem:
    frame = NumericFrame(2, Adjacency.EDGE, resolution=resolution, growth=GrowthLaw(2, 1))
    return NumericProblem(frame, 3, ladder((0, 1), 2)).as_public()


def quick(mechanism: NumericMechanism) -> NumericMechanism:
    """Its noise is fitted to the problem once, not for every draw."""
    return remembering(mechanism) if isinstance(mechanism, AdditiveMechanism) else mechanism


@pytest.mark.parametrize("name", EVERY)
def test_numbers_follow_their_law(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    walked = use_short_words(name, monkeypatch)
    report = audit_draw(quick(EVERY[name](4, "1/10")), number(), depth=DEPTH)
    require_passed(report)
    assert (report.draws == 0) == walked


@pytest.mark.long
@pytest.mark.parametrize("name", EVERY)
def test_numbers_follow_their_law_with_the_words_of_a_release(name: str) -> None:
    require_passed(audit_draw(quick(EVERY[name](1, "1e-6")), number("1/4")))


# Groups: their laws are of sets of people, or of everybody's category

MEMBERS = np.array([True, False])
PLACES = np.array([0, 2])
ALL_TOLD = list(product(range(3), repeat=2))


def group_draw(mechanism: GroupMechanism) -> tuple[Callable[[Entropy], int], Floats]:
    """A draw of the number of an answer, and the law of all of them."""
    if isinstance(mechanism, RandomisedResponse):
        law = [exp(mechanism.log_probability(PLACES, np.array(told), 3)) for told in ALL_TOLD]
        return lambda source: ALL_TOLD.index(tuple(mechanism.draw_places(PLACES, 3, source).tolist())), np.array(law)
    assert isinstance(mechanism, SetMechanism)
    shared = np.array([0, 1])
    numbers = 1 << np.arange(len(MEMBERS))
    return lambda source: int(mechanism.draw_set(MEMBERS, shared, source) @ numbers), np.exp(
        mechanism.set_law(MEMBERS, shared)
    )


@pytest.mark.parametrize("method", METHODS)
def test_groups_follow_their_law(method: str) -> None:
    draw, law = group_draw(METHODS[method](4))
    assert law.sum() == pytest.approx(1, abs=1e-9)
    require_passed(compare_places(draw, law))


@pytest.mark.parametrize("method", ["randomised_response", "triode"])
def test_groups_of_another_epsilon_are_found(method: str) -> None:
    (draw, _), (_, law) = group_draw(METHODS[method](16)), group_draw(METHODS[method](4))
    assert compare_places(draw, law).breaches == ("sample",)


# Caps: a cap and the total under it


def totals(mechanism: CapMechanism | LimitRace) -> CapProblem | SignedCapProblem:
    """Few people, so that every cap is likely."""
    frame = CapFrame(Adjacency.REPLACE, caps=2, spread=6 if isinstance(mechanism, EdgeRace) else 1)
    few = CapProblem(frame, [1, 0], [3, 4])
    return SignedCapProblem(few, few).as_public() if mechanism.takes is SignedCapProblem else few.as_public()


@pytest.mark.parametrize("kind", [*CAPS.values(), LimitRace], ids=[*CAPS, "LimitRace"])
def test_caps_and_totals_follow_their_law(kind: type[CapMechanism]) -> None:
    require_passed(audit_draw(kind(3), totals(kind(3))))


class FurtherRace(LimitRace):
    def draw(self, problem: CapProblem, source: Entropy) -> int:
        return LimitRace(self.epsilon, kappa="1/2").draw(problem, source)


class FurtherCapRace(CapRace):
    def draw_cap(self, problem: CapProblem, source: Entropy) -> int:
        return FurtherRace(self.epsilon * self.share).draw(problem, source)


class Smoother(CapScan):
    def draw(self, problem: CapProblem, source: Entropy) -> tuple[int, int]:
        cap, steps = super().draw(problem, source)
        return cap, steps + source.bits(1)


@pytest.mark.parametrize(
    "wrong", [FurtherRace(3), FurtherCapRace(3), Smoother(3)], ids=lambda each: type(each).__name__
)
def test_caps_and_totals_of_another_law_are_found(wrong: CapMechanism) -> None:
    assert audit_draw(wrong, totals(wrong)).breaches != ()


# Every mechanism


def test_every_mechanism_in_the_wheel_is_driven() -> None:
    driven: set[type] = {type(gated.make("1")) for name, gated in GATED.items() if name not in IN_FULL_RUNS}
    driven |= {type(make(1, "1e-6")) for make in EVERY.values()}
    driven |= {type(make(1)) for make in METHODS.values()} | {*COUNTS.values(), *CAPS.values(), LimitRace}
    driven.add(TruncatedGeometricCounts)
    driven.add(ObjectivePerturbation)  # by test_objective_perturbation.py: its answers have a density and no list
    assert len(driven) > 20
    assert {*find_mechanisms(dampen.mechanisms, Mechanism).values()} == driven  # type: ignore[type-abstract]
