"""Mechanisms of one's own: a sound one passes, and every planted fault is found and named in one sentence."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, Frame, PrivacyLoss, SelectionProblem, entropy
from dampen.audit import add_remove_neighbours, check_mechanism, multisets
from dampen.audit.contract import RULES
from dampen.entropy import system_entropy
from dampen.errors import BudgetExceeded, ContractBroken, ParameterError, ReleaseFailed
from dampen.mechanisms import Exponential, Laplace, LaplaceCounts, PermuteAndFlip, StableArgmax, laws
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.privacy import PrivateAccuracy, release_of
from dampen.sampling import exact
from dampen.sampling.buckets import BucketSampler
from tests.conftest import LONGEST_MESSAGE


class HalfBlind(UtilityMechanism):
    """Exponential or uniform, by a fair coin: sound."""

    def _log_law(self, x: Any, sizes: Any) -> Any:
        return np.log((np.exp(laws.softmax(x, sizes)) + 1 / sizes.sum()) / 2)

    def _draw(self, exponents: Any, source: Any) -> tuple[int, int]:
        if source.bits(1):
            return BucketSampler(exponents).draw(source)
        sizes = np.ones(len(exponents), dtype=np.int64) if exponents.sizes is None else exponents.sizes
        ends = np.cumsum(sizes)
        place = exact.uniform_below(int(ends[-1]), source)
        group = int(np.searchsorted(ends, place, side="right"))
        return group, place - int(ends[group] - sizes[group])


def test_a_sound_one_passes_and_the_report_tells_every_rule() -> None:
    report = check_mechanism(HalfBlind)
    assert report.kept == tuple(RULES)
    assert (report.mechanism, report.left_out) == ("HalfBlind(epsilon=0.5)", {})
    assert report.cases == ("votes", "votes, replaced", "quarter votes", "winner", "matches")
    assert report.pairs == 105 + 60 + 105 + 105 + 140
    assert "keeps        pays first" in str(report)


def test_the_page_names_every_rule() -> None:
    page = (Path(__file__).parents[3] / "docs" / "write_a_mechanism.md").read_text()
    assert re.findall(r"^\| (.*?) \|", page.split("| rule |")[1].split("\n\n")[0], flags=re.MULTILINE) == [*RULES]


def test_a_mechanism_that_is_given_is_tried_as_it_is() -> None:
    report = check_mechanism(LaplaceCounts("1/2"))
    assert report.mechanism == "LaplaceCounts(epsilon=0.5)"
    assert report.left_out["refuses what is no epsilon"] == "a mechanism was given, not how to make one"
    assert "left out     reads runs as what they stand for: it chooses no candidates" in str(report)
    assert report.cases == ("histogram", "histogram, replaced")


class HalfThePrice(HalfBlind):
    """Half of what a law that reads the bound alone loses is claimed."""

    def privacy(self, frame: Frame) -> PrivacyLoss:
        return replace(super().privacy(frame), epsilon=self.epsilon / 4)


class AnotherDraw(HalfBlind):
    def _draw(self, exponents: Any, source: Any) -> tuple[int, int]:
        return BucketSampler(exponents).draw(source)


class NoLaw(HalfBlind):
    def _log_law(self, x: Any, sizes: Any) -> Any:
        return super()._log_law(x, sizes) - 0.01


class OneMemberOfARun(HalfBlind):
    def _draw(self, exponents: Any, source: Any) -> tuple[int, int]:
        return super()._draw(exponents, source)[0], 0


class AbsoluteUtilities(Exponential):
    """Utilities end at 4: scores that are not moved alike."""

    def exponents(self, problem: SelectionProblem) -> Any:
        cut = np.minimum(np.asarray(problem.utilities), 4)
        return super().exponents(SelectionProblem(problem.frame, cut))


class PaysAfterwards(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        value = self.answer(problem.frame, self.draw(problem, system_entropy()))
        loss = self.privacy(problem.frame)
        with budget.reserve(loss, note=note):
            return release_of(value, loss, repr(self), note, self.accuracy(problem.frame))


class OpensEntropyFirst(HalfBlind):
    """It draws nothing, but would have: bits are read before they are paid for."""

    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        system_entropy().bits(8)
        return super().release(problem, budget=budget, note=note)


class Free(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        return super().release(problem, budget=Budget(epsilon=1), note=note)


class PaysForSuccess(HalfBlind):
    """It looks whether there is enough, and pays once it has an answer: what fails in between is free."""

    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        self.require(problem)
        loss = self.privacy(problem.frame)
        if budget.remaining.epsilon < loss.epsilon:
            raise BudgetExceeded("too little is left")
        told = super().release(problem, budget=Budget(epsilon=1), note=note)
        with budget.reserve(loss, note=note):
            return told


class Seeded(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "", seed: int = 0) -> Any:
        return super().release(problem, budget=budget, note=note)


class ShowsWhy(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        self.require(problem)
        with budget.reserve(self.privacy(problem.frame), note=note):
            value = self.answer(problem.frame, self.draw(problem, entropy.system_entropy()))
        return release_of(value, self.privacy(problem.frame), repr(self), note, self.accuracy(problem.frame))


class ReleasesAnother(HalfBlind):
    """Each time the next candidate: one by chance might be what was drawn, and nobody would see it."""

    turns = count()

    def answer(self, frame: Frame, drawn: int) -> Any:
        return super().answer(frame, (drawn + next(self.turns)) % len(frame.candidates))


class TellsTheBest(HalfBlind):
    """How good the best candidate is stands in the accuracy, which is told."""

    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        told = super().release(problem, budget=budget, note=note)
        return replace(told, accuracy=PrivateAccuracy(f"the best has {np.asarray(problem.utilities).max()}"))


class Charges(HalfBlind):
    """Twice."""

    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        with budget.reserve(replace(self.privacy(problem.frame), epsilon=self.epsilon / 2), note=note):
            pass
        return super().release(problem, budget=Budget(epsilon=9), note=note)


class Remembers(HalfBlind):
    def draw(self, problem: SelectionProblem, source: Any) -> int:
        object.__setattr__(self, "last", problem)
        return super().draw(problem, source)


class Loud(HalfBlind):
    def draw(self, problem: SelectionProblem, source: Any) -> int:
        logging.getLogger(__name__).debug("utilities %s", problem.utilities)
        print(problem.utilities)
        return super().draw(problem, source)


class TakesAnyEpsilon(HalfBlind):
    def __init__(self, epsilon: Any) -> None:
        super().__init__(1 if epsilon is None else epsilon)


class FailsOddly(HalfBlind):
    def __init__(self, epsilon: Any) -> None:
        if epsilon == "abc":
            raise TypeError
        super().__init__(epsilon)


class EqualsAll(HalfBlind):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class PricesAProblem(HalfBlind):
    def privacy(self, frame: Any) -> PrivacyLoss:
        return super().privacy(getattr(frame, "frame", frame))


class TakesDataForItsPrice(HalfBlind):
    def privacy(self, frame: Any, problem: Any = None) -> PrivacyLoss:
        return super().privacy(frame)


class ForgetsTheAdjacency(HalfBlind):
    def privacy(self, frame: Frame) -> PrivacyLoss:
        return PrivacyLoss(self.epsilon, adjacency=Adjacency.ADD_REMOVE, unit=frame.unit)


class TakesAnything(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        return super().release(problem, budget=budget, note=note) if hasattr(problem, "frame") else None


class ShowsWhatItRefuses(HalfBlind):
    def require(self, problem: Any) -> None:
        if not isinstance(problem, SelectionProblem):
            raise ParameterError(f"problem must be a SelectionProblem; got {problem}")


class RefusesSome(HalfBlind):
    def require(self, problem: SelectionProblem) -> None:
        super().require(problem)
        if np.asarray(problem.utilities).max() > 3:
            raise ParameterError("utilities must be at most 3")


class SimulatesAnything(HalfBlind):
    def simulate(self, problem: Any, rng: Any, size: int) -> Any:
        return super().simulate(problem.as_public(), rng, size)


class SimulatesAnotherLaw(HalfBlind):
    def simulate(self, problem: Any, rng: Any, size: int) -> Any:
        return Exponential(self.epsilon).simulate(problem, rng, size)


class PaysBeforeItLooks(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        if not isinstance(problem, SelectionProblem):
            with budget.reserve(PrivacyLoss(self.epsilon, adjacency=Adjacency.ADD_REMOVE), note=note):
                pass
        return super().release(problem, budget=budget, note=note)


class PaysByHalves(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        self.require(problem)
        loss = self.privacy(problem.frame)
        for _ in range(2):
            with budget.reserve(replace(loss, epsilon=self.epsilon / 2), note=note):
                pass
        return super().release(problem, budget=Budget(epsilon=1), note=note)


class ReturnsTheValue(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        return super().release(problem, budget=budget, note=note).value


class TellsWhyItFailed(HalfBlind):
    def release(self, problem: Any, *, budget: Any, note: str = "") -> Any:
        self.require(problem)
        with budget.reserve(self.privacy(problem.frame), note=note):
            try:
                value = self.answer(problem.frame, self.draw(problem, entropy.system_entropy()))
            except Exception as error:
                raise ReleaseFailed(f"the draw failed: {error}") from None
        return release_of(value, self.privacy(problem.frame), repr(self), note, self.accuracy(problem.frame))


class NotItsCopy(HalfBlind):
    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return 0


class PricedByANumber(HalfBlind):
    def privacy(self, frame: Frame) -> Any:
        return super().privacy(frame).epsilon


class FirstComeFirstServed(Exponential):
    def _log_law(self, x: Any, sizes: Any) -> Any:
        return super()._log_law(x + np.arange(len(x)) / 10, sizes)


class ForgetsSizes(Exponential):
    def _log_law(self, x: Any, sizes: Any) -> Any:
        return super()._log_law(x, np.ones(len(x))) - np.log(sizes)


class SomewhatLessNoise(Laplace):
    def privacy(self, frame: Any) -> PrivacyLoss:
        return replace(super().privacy(frame), epsilon=self.epsilon * 9 / 10)


class OneStepAside(Laplace):
    def draw(self, problem: Any, source: Any) -> int:
        return super().draw(problem, source) + 1


class CountsCheaper(LaplaceCounts):
    def privacy(self, frame: Any) -> PrivacyLoss:
        return replace(super().privacy(frame), epsilon=self.epsilon / 2)


PLANTED: dict[type[Any], str] = {
    HalfThePrice: "must not lose more than its price, epsilon 0.125",
    AnotherDraw: "must draw from the law that it states",
    NoLaw: "must state a law: log_probabilities must be those of a law, which sum to 1",
    OneMemberOfARun: "must draw from the law that it states, but on 'runs'",
    AbsoluteUtilities: "must not change its law when all utilities are raised by one number",
    PaysAfterwards: "must pay before it draws, and draws what the budget then refuses to pay for",
    OpensEntropyFirst: "must pay before it draws",
    Free: "must pay before it releases, and does not",
    PaysForSuccess: "must keep the charge of a draw that failed",
    Seeded: "there is no seed",
    ShowsWhy: "must turn a failed draw into ReleaseFailed; it raises OSError",
    ReleasesAnother: "must release what was drawn",
    TellsTheBest: "must tell nothing in a release but its value that depends on the data",
    Charges: "must pay before it releases, and does not",
    Remembers: "must keep nothing of what it released",
    Loud: "must be silent: a release prints and logs",
    TakesAnyEpsilon: "must refuse None as epsilon, and does not",
    FailsOddly: "must refuse 'abc' as epsilon with ParameterError; it raises TypeError",
    EqualsAll: "must equal, and print as, another one of the same parameters and of no others",
    PricesAProblem: "must not price a problem",
    TakesDataForItsPrice: "must have a privacy(frame) that takes a frame alone",
    ForgetsTheAdjacency: "must tell the adjacency and the unit of the frame",
    TakesAnything: "must refuse what is no problem, and does not",
    ShowsWhatItRefuses: "must not show data in a refusal",
    RefusesSome: "must take all data sets of a frame or none, but refuses some of 'votes'",
    SimulatesAnything: "must refuse to simulate a problem that is not marked public, and does not",
    SimulatesAnotherLaw: "must simulate the law that it states",
    PaysBeforeItLooks: "must refuse what is no problem before it pays",
    PaysByHalves: "must not charge what it does not release",
    ReturnsTheValue: "must release a Release; it returns a str",
    TellsWhyItFailed: "must not show why a draw failed",
    NotItsCopy: "must equal its copy",
    PricedByANumber: "must return a PrivacyLoss from privacy(frame)",
    FirstComeFirstServed: "must give every candidate its chance wherever it stands",
    ForgetsSizes: "must read a run as the equal candidates it stands for; their laws differ",
    SomewhatLessNoise: "must not lose more than its price",
    OneStepAside: "must draw from the law that it states",
    CountsCheaper: "must not lose more than its price",
}


@contextmanager
def broken(sentence: str) -> Iterator[None]:
    with pytest.raises(ContractBroken) as caught:
        yield
    message = str(caught.value)
    assert sentence in message
    assert message.splitlines() == [message]
    assert len(message) < LONGEST_MESSAGE
    assert caught.value.__cause__ is None


SLOW = (OneMemberOfARun, ForgetsSizes, OneStepAside, CountsCheaper)
"""Found by the rules that are tried last."""


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.long] if kind in SLOW else []) for kind in PLANTED],
    ids=lambda kind: kind.__name__,
)
def test_a_planted_fault_is_named(kind: type[Any]) -> None:
    with broken(f"{kind.__name__} {PLANTED[kind]}" if PLANTED[kind].startswith("must") else PLANTED[kind]):
        check_mechanism(kind)


def test_entropy_is_as_it_was_after_a_check() -> None:
    before = [vars(entropy.SystemEntropy)[name] for name in ("__init__", "bits", "words")]
    with pytest.raises(ContractBroken):
        check_mechanism(OpensEntropyFirst)
    assert [vars(entropy.SystemEntropy)[name] for name in ("__init__", "bits", "words")] == before


def won(x: tuple[str, ...]) -> SelectionProblem:
    """Whether there are more of a than of b."""
    ahead = int(x.count("a") > x.count("b"))
    return SelectionProblem(Frame(("a", "b"), bound=1, adjacency=Adjacency.ADD_REMOVE), [ahead, 1 - ahead])


def test_data_sets_of_ones_own_take_the_place_of_ours() -> None:
    own: dict[str, Any] = {"problem_of": won, "universe": multisets("ab", largest=4)}
    own["neighbours"] = add_remove_neighbours("ab")
    report = check_mechanism(StableArgmax, **own)
    assert report.cases == ("yours",)
    assert report.pairs == 30
    with broken("must take all data sets of a frame or none"):
        check_mechanism(StableArgmax)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mechanism": "Laplace"}, "mechanism must be, or make of an epsilon, a SelectionMechanism"),
        ({"mechanism": lambda epsilon: epsilon}, "mechanism must be, or make of an epsilon, a SelectionMechanism"),
        ({"problem_of": won}, "must be given together"),
        ({"problem_of": won, "universe": [], "neighbours": list}, "universe must hold at least one data set"),
        ({"problem_of": 3, "universe": [()], "neighbours": list}, "problem_of must be a function"),
    ],
)
def test_wrong_arguments_are_one_sentence(arguments: dict[str, Any], message: str, refused: Any) -> None:
    with refused(ParameterError, message):
        check_mechanism(**{"mechanism": PermuteAndFlip, **arguments})


class ForLargeFrames(HalfBlind):
    def privacy(self, frame: Frame) -> PrivacyLoss:
        if len(frame.candidates) < 100:
            raise ParameterError("frame must have at least 100 candidates")
        return super().privacy(frame)


def test_where_no_case_fits_the_refusal_is_told(refused: Any) -> None:
    with refused(ParameterError, "problem_of, universe and neighbours must be given", "at least 100 candidates"):
        check_mechanism(ForLargeFrames)
