"""What every mechanism of caps must do: its price, what it refuses, what it tells, and that nothing else leaves."""

import inspect
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget
from dampen.errors import BudgetError, BudgetExceeded, NotPublic, ParameterError, ReleaseFailed
from dampen.front.memory import read_release, write_release
from dampen.mechanisms import CapMechanism, CapRace, CapScan, EdgeRace, LimitRace, SignedCapRace, SignedCapScan
from dampen.privacy import NumericRelease
from dampen.problem import CapFrame, CapProblem, SignedCapProblem
from dampen.problem.caps import SPREADS
from dampen.questions.record import Single
from tests.every_caps import EVERY

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
each_kind = pytest.mark.parametrize("kind", EVERY.values(), ids=EVERY)
SIGNED = (SignedCapRace, SignedCapScan)
SECRET = 98765432


def frame_of(kind: Any, adjacency: Adjacency = ADD_REMOVE, **public: Any) -> CapFrame:
    spread = SPREADS[adjacency] if kind is EdgeRace else 1
    return CapFrame(adjacency, **{"caps": 64, "spread": spread} | public)


def posed(kind: Any, adjacency: Adjacency = ADD_REMOVE, *, people: int = 1000, **public: Any) -> Any:
    """People with a total of 3 each."""
    frame = frame_of(kind, adjacency, **public)
    above = [people * (cap < 3) for cap in frame.caps]
    problem = CapProblem(frame, above, [people * min(3, cap) for cap in frame.caps])
    if kind in SIGNED:
        return SignedCapProblem(problem, CapProblem(frame, [0] * len(above), [0] * len(above)))
    return problem


# The price


@each_kind
@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
def test_the_price_is_that_of_a_frame_and_per_person(kind: type[CapMechanism], adjacency: Adjacency) -> None:
    loss = kind("1/3").privacy(frame_of(kind, adjacency, unit="patient"))
    assert (loss.epsilon, loss.delta, loss.adjacency, loss.unit) == (Fraction(1, 3), Fraction(0), adjacency, "patient")
    assert loss.bounded_range is None
    assert list(inspect.signature(kind(1).privacy).parameters) == ["frame"]


@each_kind
def test_one_that_cannot_pay_draws_nothing(kind: type[CapMechanism], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kind, "draw", lambda *_: pytest.fail("nothing may be drawn"))
    with pytest.raises(BudgetExceeded):
        kind(2).release(posed(kind), budget=Budget(epsilon=1))
    rows = Budget(epsilon=10, unit="row")
    with pytest.raises(BudgetError, match="counts in units of 'row'"):
        kind(1).release(posed(kind), budget=rows)
    assert rows.spent.epsilon == 0


@each_kind
def test_what_fails_after_payment_says_nothing(kind: type[CapMechanism], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise ValueError(SECRET)

    monkeypatch.setattr(kind, "draw_cap", fail)
    budget = Budget(epsilon=1)
    with pytest.raises(ReleaseFailed) as failed:
        kind(1).release(posed(kind), budget=budget)
    assert str(SECRET) not in repr(failed.value)
    assert failed.value.__context__ is None
    assert budget.spent.epsilon == 1


def test_a_replace_budget_pays_no_factor_for_a_race_that_knows_it() -> None:
    budget = Budget(epsilon=1, adjacency=REPLACE, unit="person")
    CapRace(1).release(posed(CapRace, REPLACE), budget=budget)
    assert budget.remaining.epsilon == 0


# What is refused


@each_kind
def test_a_problem_of_another_kind_or_without_sums_is_refused(kind: type[CapMechanism]) -> None:
    budget = Budget(epsilon=9)
    other = posed(CapRace if kind in SIGNED else SignedCapRace)
    with pytest.raises(ParameterError, match="problem must be a"):
        kind(1).release(other, budget=budget)
    if kind not in SIGNED:
        with pytest.raises(ParameterError, match="problem must have sums"):
            kind(1).release(CapProblem(frame_of(kind), [0] * 7), budget=budget)
    assert budget.spent.epsilon == 0


@pytest.mark.parametrize("kind", [CapScan, *SIGNED])
def test_other_scores_than_people_above_are_refused(kind: type[CapMechanism]) -> None:
    with pytest.raises(ParameterError, match="needs a frame of spread 1"):
        kind(1).privacy(CapFrame(ADD_REMOVE, spread=2))


def test_an_edge_race_needs_the_spread_of_its_adjacency() -> None:
    with pytest.raises(ParameterError, match="spread 6 under REPLACE"):
        EdgeRace(1).privacy(CapFrame(REPLACE, spread=3))
    assert EdgeRace(1).privacy(CapFrame(REPLACE, spread=6)).epsilon == 1


@pytest.mark.parametrize(
    "wrong",
    [{"epsilon": 0}, {"epsilon": 1, "share": 0}, {"epsilon": 1, "share": 1}, {"epsilon": 1, "kappa": 0},
     {"epsilon": 1, "threshold": -1}, {"epsilon": 1, "threshold": 1.5}],
    ids=str,
)  # fmt: skip
def test_parameters_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=f"{list(wrong)[-1]} must"):
        CapRace(**wrong)


def test_defaults_are_those_of_the_proofs() -> None:
    assert repr(CapRace(1)) == "CapRace(epsilon=1, share=0.25, kappa=1.5, threshold=0)"
    assert repr(EdgeRace(1)) == "EdgeRace(epsilon=1, share=0.4, kappa=1, threshold=0)"
    assert repr(CapScan("0.7")) == "CapScan(epsilon=0.7, threshold=18)"
    assert CapScan("1/3").threshold == 36


# What is told


@each_kind
@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
def test_a_release_is_a_number_with_its_cap(kind: type[CapMechanism], adjacency: Adjacency) -> None:
    mechanism = kind(3)
    release = mechanism.release(posed(kind, adjacency), budget=Budget(epsilon=3), note="rows")
    assert isinstance(release, NumericRelease)
    assert isinstance(release, NumericRelease)
    assert release.cap in mechanism.outcomes(frame_of(kind, adjacency))
    assert isinstance(release.value, int)
    assert 2 * release == 2 * release.value
    assert release.accuracy == mechanism.capped_accuracy(frame_of(kind, adjacency), release.cap)
    assert (release.mechanism, release.note) == (repr(mechanism), "rows")
    assert release.error(0.95) == release.accuracy.bound(0.95)
    assert str(release.error(0.9)).count("90 %") == 1
    assert "cap" in release._repr_html_()


@each_kind
def test_a_question_tells_what_a_release_tells(kind: type[CapMechanism]) -> None:
    answer = Single[NumericRelease](kind(3), posed(kind)).release(Budget(epsilon=3), "asked")
    assert isinstance(answer, NumericRelease)
    assert answer.note == "asked"


@each_kind
def test_caps_and_answers_are_told_in_the_units_of_the_data(kind: type[CapMechanism]) -> None:
    problem = posed(kind, resolution="1/100")
    release = kind(3).release(problem, budget=Budget(epsilon=3))
    caps = release.cap if isinstance(release.cap, tuple) else (release.cap,)
    assert all((100 * abs(end)) in problem.frame.caps for end in caps)
    assert float(100 * release.value).is_integer()
    whole = kind(3).capped_accuracy(frame_of(kind), kind(3).outcomes(frame_of(kind))[-1])
    fine = kind(3).capped_accuracy(problem.frame, kind(3).outcomes(problem.frame)[-1])
    assert fine.bound() == pytest.approx(whole.bound() / 100)


@each_kind
def test_a_release_is_remembered_with_its_cap(kind: type[CapMechanism]) -> None:
    release = kind(3).release(posed(kind), budget=Budget(epsilon=3))
    written = write_release(release)
    assert written is not None
    read = read_release(written)
    assert isinstance(read, NumericRelease)
    assert (read.value, read.cap, read.at_stake, read.doubtful) == (
        release.value, release.cap, release.at_stake, release.doubtful,
    )  # fmt: skip
    assert str(read.error()) == str(release.error())
    assert pickle.loads(pickle.dumps(release)).cap == release.cap
    told = release.as_dict()
    assert told["cap"] == (list(release.cap) if isinstance(release.cap, tuple) else release.cap)
    assert told["doubtful"] is release.doubtful


@each_kind
def test_before_the_cap_is_known_no_error_is_told(kind: type[CapMechanism]) -> None:
    with pytest.raises(ParameterError, match="follows the cap, and is told with it"):
        kind(1).accuracy(frame_of(kind)).bound()


@each_kind
def test_simulations_are_of_public_problems_and_follow_the_law(kind: type[CapMechanism]) -> None:
    problem, mechanism = posed(kind, people=30), kind(1)
    with pytest.raises(NotPublic):
        mechanism.simulate(problem, np.random.default_rng(0), 10)
    places, answers = mechanism.simulate(problem.as_public(), np.random.default_rng(0), 20_000)
    law = np.exp(mechanism.log_cap_probabilities(problem))
    assert law.sum() == pytest.approx(1)
    assert np.bincount(places, minlength=len(law)) / 20_000 == pytest.approx(law, abs=0.02)
    best = int(law.argmax())
    cap = mechanism.outcomes(problem.frame)[best]
    noise = mechanism.noise(problem.frame, cap)
    off = np.abs(answers[places == best] - mechanism.total(problem, cap))
    assert (off > noise.size_exceeded_with(Fraction(1, 10))).mean() <= 0.12
    steps = mechanism.total(problem, cap) + np.arange(-3, 4)
    assert mechanism.log_probabilities(problem, cap, steps) == pytest.approx(
        np.log(law[best]) + noise.log_probabilities(np.arange(-3, 4))
    )


# A limit alone


def test_a_limit_alone_is_a_number() -> None:
    problem = posed(LimitRace)
    release = LimitRace(3).release(problem, budget=Budget(epsilon=3))
    assert type(release) is NumericRelease
    assert release.value in problem.frame.caps
    assert LimitRace(1).privacy(CapFrame(REPLACE, unit="ship")).unit == "ship"
    alone = CapProblem(problem.frame, problem.above)
    assert LimitRace(3).release(alone, budget=Budget(epsilon=3)).value in problem.frame.caps
    assert LimitRace(3).log_probabilities(alone).tolist() == LimitRace(3).log_probabilities(problem).tolist()
    fine = LimitRace(3).release(posed(LimitRace, resolution="1/4"), budget=Budget(epsilon=3))
    assert 4 * fine.value in problem.frame.caps


def test_the_limit_of_a_cap_race_is_that_of_a_limit_race() -> None:
    problem = posed(CapRace, people=20)
    assert CapRace(4, threshold=2).log_cap_probabilities(problem) == pytest.approx(
        LimitRace(1, threshold=2).log_probabilities(problem)
    )
    picks = LimitRace(1).simulate(problem.as_public(), np.random.default_rng(0), 1000)
    assert set(picks.tolist()) <= set(range(7))


def test_a_limit_says_how_many_people_may_have_more() -> None:
    release = LimitRace(100).release(posed(LimitRace), budget=Budget(epsilon=100))
    assert release.value in (4, 8, 16, 32, 64)  # each larger one with a fifth of the chance of the one before
    assert str(release.error()) == "at most 0 people lie between the limit and 64, with probability 95 %"
    with pytest.raises(ParameterError, match="follows the limit"):
        LimitRace(1).accuracy(CapFrame(ADD_REMOVE)).bound()
