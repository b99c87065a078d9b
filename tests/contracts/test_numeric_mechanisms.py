"""What every numeric mechanism must do beyond the rules of ``test_rules.py``, run over each of them."""

import copy
import doctest
import inspect
import logging
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from dampen import Adjacency, Budget, GrowthLaw, NumericFrame, NumericProblem, Release, entropy
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.errors import NotPublic, ParameterError
from dampen.mechanisms import Gaussian, NoisyLocalSensitivity, NumericMechanism
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.sampling import exact
from tests.conftest import Refused
from tests.every_numeric import EVERY, PUBLIC, Make, ladder

DELTA = "1e-6"
SECRETS = ("98765432", "9876.5432", "24691358", "24691")
"""Marks of a value and of rungs; twice a rung too."""
each_mechanism = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
each_class = pytest.mark.parametrize("kind", PUBLIC.values(), ids=PUBLIC)
examples = settings(max_examples=8)
ladders = st.lists(st.integers(0, 12), min_size=1, max_size=5).map(sorted)


def posed(value: object = 100, rungs: tuple[float, ...] = (2, 3, 5), **frame: Any) -> NumericProblem:
    bound = frame.pop("bound", 12)
    frame_of = NumericFrame(bound, Adjacency.EDGE, growth=GrowthLaw(3, 1), **frame)
    return NumericProblem(frame_of, value, ladder(rungs, bound))  # type: ignore[arg-type]


def secret() -> NumericProblem:
    """A value and rungs that would be recognised wherever they showed up."""
    return posed(98765432, (24691358, 24691358), bound=98765432)


def rich() -> Budget:
    return Budget(epsilon=10**6, delta="1/2")


def payer(mechanism: NumericMechanism, price: int) -> Budget:
    """One that pays for this kind of loss, so much in all."""
    if mechanism.epsilon is None:
        return Budget(rho=price)
    return Budget(epsilon=price, delta="1e-5", composition="basic")


def hides(*texts: str) -> bool:
    return not any(mark in text for text in texts for mark in SECRETS)


# The law


@each_mechanism
@examples
@given(rungs=ladders, epsilon=st.sampled_from(["1/2", "1", "5"]))
def test_probabilities_and_tails_add_up(make: Make, rungs: list[int], epsilon: str) -> None:
    mechanism, problem = make(epsilon, DELTA), posed(7, tuple(rungs))
    near = 2000
    law = np.exp(mechanism.log_probabilities(problem, 7 + np.arange(1 - near, near)))
    assert law.sum() + float(np.exp(mechanism.log_tail(problem, near))) == pytest.approx(1, abs=1e-9)
    for distance in (1, 2, 17):
        inside = law[near - distance : near + distance - 1].sum()
        assert float(np.exp(mechanism.log_tail(problem, distance))) == pytest.approx(1 - inside, abs=1e-9)
    assert law == pytest.approx(law[::-1], rel=1e-9)
    assert (np.diff(law[near - 1 :]) <= 1e-15).all()


@each_mechanism
def test_only_the_value_moves_the_law(make: Make) -> None:
    mechanism, steps = make(1, DELTA), np.arange(-50, 50)
    one, other = (mechanism.log_probabilities(posed(value), value + steps) for value in (0, 10**6))
    assert one.tolist() == other.tolist()
    tails = [mechanism.log_tail(posed(value), [1, 5, 1000]).tolist() for value in (0, 10**6)]
    assert tails[0] == tails[1]


@each_mechanism
def test_the_mean_distance_is_that_of_the_law(make: Make) -> None:
    mechanism, problem = make(3, DELTA), posed(0, resolution="1/4").as_public()
    sizes = np.unique(np.concatenate([np.arange(1, 10_000), np.rint(2 ** np.arange(13.3, 60, 2**-10))]))
    tails = np.exp(mechanism.log_tail(problem, sizes))
    found, expected = mechanism.expected_absolute_noise(problem), (np.diff(sizes, prepend=0) * tails).sum() / 4
    if np.isinf(found):
        assert sizes[-1] * tails[-1] > 1e-3, "only a tail as heavy as 1 / k has no mean"
    else:
        assert found == pytest.approx(expected, rel=1e-2)


@each_mechanism
def test_a_lower_ladder_never_costs_accuracy(make: Make) -> None:
    low, high = (posed(0, rungs).as_public() for rungs in ((0, 1, 2), (6, 9, 12)))
    mechanism = make(1, DELTA)
    assert mechanism.expected_absolute_noise(low) <= mechanism.expected_absolute_noise(high) * (1 + 1e-9)


# The price


@each_mechanism
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_the_price_is_that_of_a_frame(make: Make, adjacency: Adjacency) -> None:
    mechanism, frame = make("1/3", DELTA), NumericFrame(5, adjacency, unit="patient")
    loss = mechanism.privacy(frame)
    assert (loss.epsilon, loss.adjacency, loss.unit) == (mechanism.epsilon, adjacency, "patient")
    assert loss.delta == getattr(mechanism, "delta", 0)
    if loss.epsilon is None:
        assert loss.rho == Fraction(1, 3)
    assert list(inspect.signature(mechanism.privacy).parameters) == ["frame"]
    with pytest.raises(AttributeError):
        mechanism.privacy(posed())  # type: ignore[arg-type]


@each_mechanism
def test_a_release_pays_its_price_and_returns_a_number(make: Make) -> None:
    mechanism, problem = make("1/3", DELTA), posed()
    budget = payer(mechanism, 1)
    release = mechanism.release(problem, budget=budget, note="triangles")
    assert isinstance(release, Release)
    assert isinstance(release.value, int)
    assert release.loss == mechanism.privacy(problem.frame)
    assert (release.mechanism, release.note) == (repr(mechanism), "triangles")
    assert (budget.spent.epsilon, budget.spent.delta) == (release.loss.epsilon, release.loss.delta)
    assert budget.spent.epsilon is not None or budget.spent.rho == release.loss.rho


# What may not be seen


@each_mechanism
def test_nothing_about_a_release_but_its_value_depends_on_the_data(
    make: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The same draw from different data sets gives the same release, bit by bit, and the same silence."""
    mechanism = make(1, DELTA)
    monkeypatch.setattr(type(mechanism), "draw", lambda self, problem, source: 5)
    problems = [posed(98765432, rungs, bound=10**9) for rungs in ((24691358, 24691358), (0, 0), (1, 10**9))]
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings():
        warnings.simplefilter("error")
        releases = [mechanism.release(problem, budget=rich(), note="count") for problem in problems]
    assert len({pickle.dumps(release) for release in releases}) == 1
    assert len({str(release) for release in releases} | {repr(release) for release in releases}) <= 2
    assert hides(*map(str, releases), *map(repr, releases))
    assert caplog.records == []


@each_mechanism
def test_a_real_release_is_silent_and_leaves_no_trace(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    mechanism = make(1, DELTA)
    before = pickle.dumps(mechanism)
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings():
        warnings.simplefilter("error")
        for rungs in ((0,), (24691358,), (98765432,)):
            mechanism.release(posed(98765432, rungs, bound=98765432), budget=rich())
    assert caplog.records == []
    assert pickle.dumps(mechanism) == before
    assert hides(repr(mechanism), str(mechanism))


@each_mechanism
def test_noise_shows_no_scale(make: Make) -> None:
    mechanism = make(1, DELTA)
    if isinstance(mechanism, AdditiveMechanism):
        shown = {repr(mechanism.noise(posed(0, rungs, bound=10**9))) for rungs in ((1, 2), (24691358, 24691359))}
        assert len(shown) == 1
        assert hides(*shown)


@each_mechanism
@pytest.mark.parametrize("rung", [0, 2**-40, 1, 10**9], ids=str)
def test_no_ladder_makes_a_release_fail(make: Make, rung: float) -> None:
    release = make(1, DELTA).release(posed(10**9, (rung,) * 3, bound=10**9), budget=rich())
    assert isinstance(release.value, int)


# Simulation


@each_mechanism
def test_an_unmarked_problem_is_neither_simulated_nor_measured(make: Make, refused: Refused) -> None:
    with refused(NotPublic, "simulate", hidden=SECRETS):
        make(1, DELTA).simulate(secret(), np.random.default_rng(0), 1)
    with refused(NotPublic, "expected_absolute_noise", hidden=SECRETS):
        make(1, DELTA).expected_absolute_noise(secret())


@each_mechanism
def test_simulation_follows_the_law_and_not_a_law_30_percent_off(make: Make) -> None:
    draws, mechanism, problem = 20_000, make(2, DELTA), posed(100).as_public()
    answers = mechanism.simulate(problem, np.random.default_rng(20240229), draws)
    bins = np.arange(60, 141)
    expected = np.exp(mechanism.log_probabilities(problem, bins)) * draws
    kept = expected > 20
    counts = np.array([(answers == k).sum() for k in bins[kept]])
    counts, expected = np.append(counts, draws - counts.sum()), np.append(expected[kept], draws - expected[kept].sum())
    wrong = expected * np.where(np.arange(len(expected)) < len(expected) / 2, 0.7, 1.0)
    assert chisquare(counts, expected).pvalue > 1e-6
    assert chisquare(counts, wrong * draws / wrong.sum()).pvalue < 1e-6


# Bit by bit

DEPTH = 12


@each_mechanism
@pytest.mark.parametrize("rungs", [(0, 1), (2, 2)], ids=["zero first", "flat"])
def test_every_path_of_short_words_adds_up_to_the_law(
    make: Make, rungs: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    mechanism, problem = make(4, "1/10"), posed(3, rungs, bound=2)
    if isinstance(mechanism, NoisyLocalSensitivity | Gaussian):
        pytest.skip("draws several times, which takes more bits than can be walked: see its unit test")

    def released(source: ScriptedEntropy) -> int:
        monkeypatch.setattr(entropy, "system_entropy", lambda: source)
        return int(mechanism.release(problem, budget=rich()).value)

    drawn, undecided = law_by_enumeration(released, depth=DEPTH)
    assert sum(drawn.values()) + undecided == 1
    assert undecided < 0.6
    steps = np.array(sorted(drawn))
    for step, share in zip(steps, np.exp(mechanism.log_probabilities(problem, steps)), strict=True):
        low = drawn[int(step)]
        assert float(low) - 1e-12 <= share <= float(low + undecided) + 1e-12


# The object


@each_mechanism
@pytest.mark.parametrize("name", ["epsilon", "delta", "scale"])
def test_a_mechanism_is_immutable(make: Make, name: str) -> None:
    mechanism = make(1, DELTA)
    with pytest.raises(FrozenInstanceError):
        setattr(mechanism, name, Fraction(2))
    with pytest.raises(FrozenInstanceError):
        delattr(mechanism, "epsilon")
    assert mechanism == make(1, DELTA)


@each_mechanism
def test_mechanisms_are_equal_by_their_parameters(make: Make) -> None:
    assert make(0.1, DELTA) == make("1/10", 1e-6) == make(Fraction(1, 10), Fraction(1, 10**6))
    assert hash(make(0.1, DELTA)) == hash(make("1/10", DELTA))
    assert make(0.1, DELTA) != make(0.2, DELTA)
    assert len({make(1, DELTA) for make in EVERY.values()}) == len(EVERY)
    assert len({repr(make(1, DELTA)) for make in EVERY.values()}) == len(EVERY)


@each_mechanism
@pytest.mark.parametrize(
    "clone", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))], ids=["copy", "deep", "pickle"]
)
def test_mechanisms_are_copied_and_pickled_whole(make: Make, clone: Callable[[Any], Any]) -> None:
    other = clone(make("1/3", DELTA))
    assert other == make("1/3", DELTA)
    assert repr(other) == repr(make("1/3", DELTA))
    steps = range(80, 120)
    law, same = (mechanism.log_probabilities(posed(), steps).tolist() for mechanism in (make("1/3", DELTA), other))
    assert law == same


@each_mechanism
@pytest.mark.parametrize("epsilon", [0, -1, "abc", float("nan"), float("inf"), True, None], ids=repr)
def test_epsilon_is_positive(make: Make, epsilon: Any, refused: Refused) -> None:
    with refused(ParameterError, "rho" if make(1, DELTA).epsilon is None else "epsilon", repr(epsilon)):
        make(epsilon, DELTA)


@each_mechanism
@pytest.mark.parametrize("delta", [0, -1, 1, "abc", float("nan"), True, None], ids=repr)
def test_delta_is_a_probability_above_zero(make: Make, delta: Any, refused: Refused) -> None:
    if "delta" in inspect.signature(type(make(1, DELTA))).parameters:
        with refused(ParameterError, "delta"):
            make(1, delta)


# The docstring

SECTIONS = ["Definition", "Guarantee", "Differs from the paper", "Numerics", "Cost", "Example", "References"]


@each_class
def test_the_docstring_has_its_sections_in_order(kind: type[NumericMechanism]) -> None:
    text = inspect.getdoc(kind) or ""
    headings = re.findall(r"^(.+)\n(-+)$", text, flags=re.MULTILINE)
    assert [name for name, _ in headings] == SECTIONS
    assert all(len(line) == len(name) for name, line in headings)
    assert all(len(body.strip()) >= 5 for body in re.split(r"^.+\n-+$", text, flags=re.MULTILINE))


@each_class
def test_what_is_not_private_says_so_first(kind: type[NumericMechanism]) -> None:
    for name in ("log_probabilities", "log_tail"):
        assert (inspect.getdoc(getattr(kind, name)) or "").startswith("Not private.")


@each_class
def test_the_example_of_the_docstring_runs(kind: type[NumericMechanism]) -> None:
    module = sys.modules[kind.__module__]
    [example] = doctest.DocTestFinder(recurse=False).find(kind, kind.__name__, module, dict(vars(module)))
    assert any("simulate" in line.source for line in example.examples)
    output: list[str] = []
    results = doctest.DocTestRunner().run(example, out=output.append)
    assert results.attempted == len(example.examples)
    assert results.failed == 0, "".join(output)
