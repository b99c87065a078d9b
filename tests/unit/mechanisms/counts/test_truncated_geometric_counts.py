"""Groups that nobody listed: the problem, the noise that ends, the price, the release."""

import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, UnknownGroupsFrame, UnknownGroupsProblem, entropy
from dampen.errors import BudgetExceeded, DataError, NotPublic, ParameterError
from dampen.mechanisms import TruncatedGeometricCounts
from dampen.mechanisms.counts.truncated_geometric import TruncatedGeometric, least_last, whole_delta
from dampen.sampling.discrete_laplace import truncated_laplace_batch

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
FRAME = UnknownGroupsFrame(ADD_REMOVE, most=3, unit="patient")
PROBLEM = UnknownGroupsProblem(FRAME, ["flu", "gout", "Ague"], [500, 1, 900])

# The problem


@pytest.mark.parametrize(
    ("names", "people", "rule"),
    [
        (["a", "a"], [1, 2], "different texts"),
        (["a", 1], [1, 2], "different texts"),
        (["a"], [1, 2], "one count for each name"),
        (["a", "b"], [[1], [2]], "one count for each name"),
        (["a", "b"], [[1], [2, 3]], "one count for each name"),
        (["a", "b"], [1.0, 2.0], "whole numbers from 0"),
        (["a", "b"], [1, -1], "whole numbers from 0"),
        (["a", "b"], [1, 2**62], "whole numbers from 0"),
    ],
)
def test_groups_that_are_none(names: list[str], people: object, rule: str) -> None:
    with pytest.raises(DataError, match=rule):
        UnknownGroupsProblem(FRAME, names, people)


def test_frames_that_are_none() -> None:
    for wrong in ({"most": 0}, {"most": 2**21}, {"at_least": 0}, {"at_least": 2**62}, {"most": 1.5}):
        with pytest.raises(ParameterError):
            UnknownGroupsFrame(ADD_REMOVE, **wrong)
    with pytest.raises(ParameterError):
        UnknownGroupsFrame(Adjacency.EDGE)
    with pytest.raises(ParameterError, match="frame must be an UnknownGroupsFrame; got int"):
        UnknownGroupsProblem(3, [], [])  # type: ignore[arg-type]


def test_a_problem_shows_its_frame_alone() -> None:
    assert repr(PROBLEM) == f"UnknownGroupsProblem({FRAME!r})"
    assert "flu" not in repr(PROBLEM)
    assert "500" not in repr(PROBLEM)
    assert pickle.loads(pickle.dumps(PROBLEM)).names == PROBLEM.names
    with pytest.raises(ValueError, match="read-only"):
        PROBLEM.people[0] = 5
    empty = UnknownGroupsProblem(FRAME, [], [])
    assert empty.beyond.tolist() == []


def test_people_beyond_the_least() -> None:
    frame = UnknownGroupsFrame(REPLACE, most=2, at_least=5)
    assert UnknownGroupsProblem(frame, "abcd", [0, 4, 5, 9]).beyond.tolist() == [0, 0, 1, 5]
    assert (frame.moved, FRAME.moved) == (4, 3)


# The noise


@pytest.mark.parametrize(("ratio", "last"), [*product((Fraction(11, 10), Fraction(2), Fraction(5)), (1, 2, 7))])
def test_closed_forms_are_sums_over_the_law(ratio: Fraction, last: int) -> None:
    noise, sizes = TruncatedGeometric(ratio, last), range(-last, last + 1)
    law = dict(zip(sizes, noise.probabilities(), strict=True))
    assert sum(law.values()) == 1
    assert {law[z] / law[0] * ratio ** abs(z) for z in sizes} == {1}
    assert law[last] == law[-last] == noise.delta
    assert noise.mean_size() == sum(abs(z) * p for z, p in law.items())
    for size in range(last + 2):
        assert noise.tail(size) == sum(p for z, p in law.items() if abs(z) > size)
    for people in range(2 * last + 4):
        assert noise.chance(people) == sum(p for z, p in law.items() if people + z > last)


@pytest.mark.parametrize("moved", [1, 4, 1000])
@pytest.mark.parametrize("delta", ["1e-5", "1e-30", "1/2", "1e-150"])
@pytest.mark.parametrize("rate", ["3", "1/10", "1/100000"])
def test_the_end_of_the_noise_is_the_least_that_keeps_delta(rate: str, delta: str, moved: int) -> None:
    import flint

    last = least_last(Fraction(rate), moved, Fraction(delta))
    with flint.ctx.workprec(2000):
        ratio = (flint.arb(Fraction(rate).numerator) / Fraction(rate).denominator).exp()
        allowed = flint.arb(Fraction(delta).numerator) / Fraction(delta).denominator
        assert whole_delta(TruncatedGeometric(ratio, last).delta, moved) <= allowed
        if last > 1:
            assert whole_delta(TruncatedGeometric(ratio, last - 1).delta, moved) > allowed


def test_noise_without_an_end_in_sight_is_refused() -> None:
    with pytest.raises(ParameterError, match="no group of fewer than 2\\*\\*40 people would be shown"):
        TruncatedGeometricCounts("1e-12", "1e-20").last(FRAME)


def test_noise_never_leaves_its_range_and_reaches_its_ends() -> None:
    drawn = truncated_laplace_batch(Fraction(1, 10), 2, 20_000, entropy.system_entropy())
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [-2, -1, 0, 1, 2]
    law = TruncatedGeometric(np.exp(0.1), 2).probabilities()
    assert counts / 20_000 == pytest.approx(np.array(law), abs=0.03)
    assert truncated_laplace_batch(Fraction(1), 3, 0, entropy.system_entropy()).tolist() == []


# The table of what is needed: (epsilon, delta, groups of a person) -> people for .5 and .95, mean size of the noise

NEEDED = {
    (".1", "1e-5", 1): (87, 110, 10.0),
    (".1", "1e-8", 1): (156, 179, 10.0),
    ("1", "1e-5", 1): (12, 14, 0.85),
    ("1", "1e-8", 1): (19, 21, 0.85),
    ("3", "1e-5", 1): (5, 5, 0.1),
    (".1", "1e-5", 4): (342, 434, 39.9),
    ("1", "1e-5", 4): (45, 54, 4.0),
    ("1", "1e-8", 4): (72, 81, 4.0),
    ("3", "1e-5", 4): (17, 20, 1.2),
}


@pytest.mark.parametrize("asked", NEEDED)
def test_how_many_people_a_group_needs(asked: tuple[str, str, int]) -> None:
    epsilon, delta, most = asked
    mechanism, frame = TruncatedGeometricCounts(epsilon, delta), UnknownGroupsFrame(ADD_REMOVE, most=most)
    half, nearly, size = NEEDED[asked]
    for people, chance in ((half, 0.5), (nearly, 0.95)):
        assert mechanism.chance_shown(frame, people - 1) < chance <= mechanism.chance_shown(frame, people)
    assert mechanism.expected_absolute_noise(frame) == pytest.approx(size, abs=0.05)
    later = UnknownGroupsFrame(ADD_REMOVE, most=most, at_least=10)
    assert mechanism.chance_shown(later, half + 9) == mechanism.chance_shown(frame, half)
    assert mechanism.chance_shown(later, 9) == mechanism.chance_shown(frame, 0) == 0


# The release


def test_a_release_is_sorted_by_name_and_charges_delta() -> None:
    budget = Budget(epsilon=2, delta="1e-5")
    release = TruncatedGeometricCounts(1, "1e-6").release(PROBLEM, budget=budget, note="ills")
    assert list(release) == ["Ague", "flu"]
    last = TruncatedGeometricCounts(1, "1e-6").last(FRAME)
    assert all(abs(release.value[name] - count) <= last for name, count in (("flu", 500), ("Ague", 900)))
    assert isinstance(release["flu"].value, int)
    assert (release.loss.epsilon, release.loss.delta, release.loss.unit) == (Fraction(1), Fraction(1, 10**6), "patient")
    assert (budget.spent.epsilon, budget.spent.delta) == (Fraction(1), Fraction(1, 10**6))
    assert release.mechanism == "TruncatedGeometricCounts(epsilon=1, delta=1e-06)"


def test_delta_is_charged_where_nothing_is_shown() -> None:
    budget = Budget(epsilon=2, delta="1e-5")
    empty = UnknownGroupsProblem(FRAME, [], [])
    release = TruncatedGeometricCounts(1, "1e-6").release(empty, budget=budget)
    assert release.value == {}
    assert (budget.spent.epsilon, budget.spent.delta) == (Fraction(1), Fraction(1, 10**6))
    assert release.as_dict()["value"] == []
    assert release.error() == TruncatedGeometricCounts(1, "1e-6").accuracy(FRAME).bound()


def test_a_release_pays_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entropy, "system_entropy", lambda: pytest.fail("drawn before it was paid"))
    with pytest.raises(BudgetExceeded):
        TruncatedGeometricCounts(1, "1e-6").release(PROBLEM, budget=Budget(epsilon=2))
    with pytest.raises(ParameterError, match="problem must be a UnknownGroupsProblem; got list"):
        TruncatedGeometricCounts(1, "1e-6").release([1], budget=Budget(epsilon=2))  # type: ignore[arg-type]


@pytest.mark.parametrize("delta", [0, 1, -1, "2"])
def test_deltas_that_are_none(delta: object) -> None:
    with pytest.raises(ParameterError, match="delta must be"):
        TruncatedGeometricCounts(1, delta)  # type: ignore[arg-type]


def test_the_error_is_that_of_the_noise_and_its_end_is_told() -> None:
    mechanism = TruncatedGeometricCounts(1, "1e-6")
    known, last = mechanism.accuracy(FRAME), mechanism.last(FRAME)
    noise = TruncatedGeometric(np.exp(1 / 3), last)
    for confidence in ("0.5", "0.95", "0.999"):
        bound = int(known.bound(confidence))
        assert noise.tail(bound) <= 1 - float(confidence) < noise.tail(bound - 1)
    assert known.bound("0.999999999999") == last
    words = known.statement()
    assert words.startswith("shown with a count off by more than 9 people with probability at most 5 %")
    assert f"never by more than {last}; counts near {mechanism.least_told(FRAME)} are too high" in words


def test_simulation_follows_the_law_and_needs_public_groups() -> None:
    mechanism = TruncatedGeometricCounts(1, "1e-3")
    with pytest.raises(NotPublic):
        mechanism.simulate(PROBLEM, np.random.default_rng(0), 2)
    frame = UnknownGroupsFrame(ADD_REMOVE, at_least=3)
    people = mechanism.last(frame) + 3
    problem = UnknownGroupsProblem(frame, ["a", "b"], [people, 2]).as_public()
    rows = mechanism.simulate(problem, np.random.default_rng(0), 20_000)
    assert rows.shape == (20_000, 2)
    assert not rows[:, 1].any()
    assert (rows[:, 0] > 0).mean() == pytest.approx(mechanism.chance_shown(frame, people), abs=0.02)
    assert rows[rows > 0].min() == mechanism.least_told(frame)
    assert dampen.UnknownGroupsFrame is UnknownGroupsFrame
