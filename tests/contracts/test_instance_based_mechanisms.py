"""What every mechanism that reads a sensitivity function must do beyond ``test_rules.py``, run over each of them."""

import copy
import doctest
import inspect
import math
import pickle
import re
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from dampen import Adjacency, Budget, Frame, PrivacyLoss, Release, Runs, SelectionProblem, entropy
from dampen._validate import Number
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.concentrated import rho_of_pure
from dampen.errors import ParameterError
from dampen.mechanisms import (
    Exponential,
    LaplaceTopK,
    LocalDampening,
    PairwiseDampening,
    ParetoNoisyMax,
    PermuteAndFlip,
    SelectionMechanism,
    SmoothExponential,
    StableArgmax,
    TopK,
    laws,
)
from dampen.mechanisms.selection.pairwise_dampening import clipped_rate
from dampen.sampling import exact, tables
from dampen.sensitivity import RungTable, SensitivityFunction, Step
from dampen.vectors import Floats
from tests.conftest import Refused
from tests.every_selection import BY_SENSITIVITY, Make

CLASSES = sorted({type(make(1)) for make in BY_SENSITIVITY.values()}, key=lambda kind: kind.__name__)

ADD_REMOVE = Adjacency.ADD_REMOVE
SECRETS = ("98765432", "98765431")

each_mechanism = pytest.mark.parametrize("make", BY_SENSITIVITY.values(), ids=BY_SENSITIVITY.keys())
each_name = pytest.mark.parametrize("name", BY_SENSITIVITY)
each_class = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
examples = settings(max_examples=25)
winners = st.integers(2, 6).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))


class Unbounded(SensitivityFunction):
    """Rungs 1, 2, 3, ... without end."""

    def __init__(self, size: int) -> None:
        super().__init__(size=size, bound=None, floor=1)

    def at(self, t: int) -> Floats:
        return np.full(self.size, float(t + 1))


def indicator(size: int = 3, winner: int = 0, *, t0: int = 1, real: bool = False) -> SelectionProblem:
    """A 0/1 problem, which every mechanism can read."""
    utilities = np.array([int(r == winner) for r in range(size)], dtype=float if real else int)
    return SelectionProblem(Frame(range(size), 1, ADD_REMOVE), utilities, Step([t0] * size, 1, floor="1/4"))


def rich() -> Budget:
    return Budget(epsilon=10**6, delta="1/2")


def log_law(mechanism: SelectionMechanism, problem: SelectionProblem) -> Floats:
    return np.asarray(mechanism.log_probabilities(problem), dtype=np.float64)


# The law


@each_mechanism
@examples
@given(shape=winners, t0=st.integers(0, 6), epsilon=st.sampled_from(["1/100", "1", "5"]), real=st.booleans())
def test_probabilities_sum_to_one_over_the_outcomes(
    make: Make, shape: tuple[int, int], t0: int, epsilon: str, real: bool
) -> None:
    problem = indicator(*shape, t0=t0, real=real and not isinstance(make(1), LaplaceTopK))
    law = log_law(make(epsilon), problem)
    assert law.shape == (len(make(epsilon).outcomes(problem.frame)),)
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-10)


@each_mechanism
def test_the_winner_is_most_likely_and_more_so_where_it_is_stable(make: Make) -> None:
    """Of the first place, where several are named."""

    def chance(t0: int) -> float:
        law = np.exp(log_law(make(1), indicator(4, t0=t0)))
        return float(law.reshape(4, -1).sum(axis=1)[0])

    assert chance(0) > 0.25
    assert chance(6) >= chance(0) - 1e-9


@each_mechanism
@pytest.mark.parametrize("utilities", [[1e308, -1e308, 0.0], [1e300, 0.0, -1.0]], ids=["overflowing", "huge"])
def test_huge_utilities_have_a_finite_law_and_are_released_without_a_warning(
    make: Make, utilities: list[float]
) -> None:
    mechanism = make(1)
    if isinstance(mechanism, StableArgmax):
        pytest.skip("reads 0 and 1 only")
    if isinstance(mechanism, LaplaceTopK):
        pytest.skip("takes whole utilities")
    frame = Frame(range(3), 1, ADD_REMOVE)
    problem = SelectionProblem(frame, utilities, RungTable([[0.5, 0.25, 1.0]], bound=1))
    assert mechanism.release(problem, budget=rich()).value in mechanism.outcomes(frame)
    if isinstance(mechanism, TopK):
        return  # deep laws of ordered picks: test_laws_heavy.py
    law = log_law(mechanism, problem)
    assert np.isfinite(law).all()
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-9)


# The price


@each_name
@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("monotone", [False, True])
def test_the_price_is_what_the_table_says(name: str, adjacency: Adjacency, monotone: bool) -> None:
    frame = Frame(("a", "b", "c"), 1, adjacency, monotone, unit="patient")
    third, mechanism = Fraction(1, 3), BY_SENSITIVITY[name]("1/3")
    claimed = third if getattr(mechanism, "law", None) is Exponential else None
    if name == "PairwiseDampening, clipped, exponential":
        claimed = 2 * clipped_rate(third, 3, flip=False)
    epsilon = 2 * third if isinstance(mechanism, TopK) else third
    delta = Fraction(1, 10**6) if isinstance(mechanism, SmoothExponential) else 0
    rho = {"TopK, Exponential": third**2 / 4, "TopK, PermuteAndFlip, peeled": 2 * rho_of_pure(third)}.get(name)
    expected = PrivacyLoss(epsilon, delta, adjacency=adjacency, unit="patient", bounded_range=claimed, rho=rho)
    assert mechanism.privacy(frame) == expected


@each_name
def test_a_frame_without_a_bound_works_or_is_refused_in_one_sentence(
    name: str, untouched: Budget, refused: Refused
) -> None:
    frame = Frame(("a", "b"), None, ADD_REMOVE)
    problem = SelectionProblem(frame, [1, 0], Unbounded(2)).as_public()
    mechanism = BY_SENSITIVITY[name](1)
    if isinstance(mechanism, LocalDampening | PairwiseDampening):
        assert np.exp(log_law(mechanism, problem)).sum() == pytest.approx(1)
        assert mechanism.release(problem, budget=Budget(epsilon=1)).value in ("a", "b")
        return
    uses: list[Callable[[], object]] = [
        lambda: mechanism.privacy(frame),
        lambda: mechanism.scores(problem),
        lambda: mechanism.log_probabilities(problem),
        lambda: mechanism.simulate(problem, np.random.default_rng(0), 1),
        lambda: mechanism.release(problem, budget=untouched),
    ]
    for use in uses:
        with refused(ParameterError, "bound", hidden=SECRETS):
            use()


@each_mechanism
@pytest.mark.parametrize("real", [False, True])
def test_a_release_pays_its_price_and_returns_an_outcome(make: Make, real: bool) -> None:
    budget, mechanism, problem = Budget(epsilon=1, delta="1e-5"), make("1/3"), indicator(real=real)
    if real and isinstance(mechanism, LaplaceTopK):
        pytest.skip("takes whole utilities")
    release = mechanism.release(problem, budget=budget, note="drinks")
    assert isinstance(release, Release)
    assert release.value in mechanism.outcomes(problem.frame)
    assert release.loss == mechanism.privacy(problem.frame)
    assert (release.mechanism, release.note) == (repr(mechanism), "drinks")
    assert (budget.spent.epsilon, budget.spent.delta) == (release.loss.epsilon, release.loss.delta)


# Simulation


@each_mechanism
def test_simulation_follows_the_law_and_not_a_law_30_percent_off(make: Make) -> None:
    draws, mechanism, problem = 20_000, make(1), indicator(4, t0=2).as_public()
    outcomes = list(mechanism.outcomes(problem.frame))
    picks = mechanism.simulate(problem, np.random.default_rng(20240229), draws).tolist()
    places = [outcomes.index(tuple(pick) if isinstance(pick, list) else pick) for pick in picks]
    counts = np.bincount(places, minlength=len(outcomes))
    expected = np.exp(log_law(mechanism, problem))
    wrong = expected * np.where(np.arange(len(outcomes)) == 0, 0.7, 1.0)
    assert chisquare(counts, expected * draws / expected.sum()).pvalue > 1e-6
    assert chisquare(counts, wrong * draws / wrong.sum()).pvalue < 1e-6


# Runs


@each_mechanism
def test_runs_and_the_same_problem_written_out_have_the_same_law(make: Make) -> None:
    mechanism = make("1/2")
    if isinstance(mechanism, TopK | LaplaceTopK):
        pytest.skip("refuses runs: see test_top_k.py")
    frame = Frame(range(6), 1, ADD_REMOVE)
    runs, starts, sizes = Runs([0, 1, 0], [2, 1, 3]), [1, 2, 3], [2, 1, 3]
    together = mechanism.log_probabilities(SelectionProblem(frame, runs, Step(starts, 1, floor="1/4")))
    assert isinstance(together, Runs)
    written_out = Step(np.repeat(starts, sizes), 1, floor="1/4")
    apart = log_law(mechanism, SelectionProblem(frame, np.asarray(runs), written_out))
    assert np.asarray(together) == pytest.approx(apart, abs=1e-10)


# The object


@each_mechanism
@pytest.mark.parametrize("name", ["epsilon", "law", "nu", "k", "utilities"])
def test_a_mechanism_is_immutable(make: Make, name: str) -> None:
    mechanism = make(1)
    with pytest.raises(FrozenInstanceError):
        setattr(mechanism, name, Fraction(2))
    with pytest.raises(FrozenInstanceError):
        delattr(mechanism, "epsilon")
    assert mechanism == make(1)


@each_mechanism
def test_mechanisms_are_equal_by_their_parameters(make: Make) -> None:
    assert make(0.1) == make("1/10") == make(Fraction(1, 10))
    assert hash(make(0.1)) == hash(make("1/10"))
    assert make(0.1) != make(0.2)
    assert len({make(1) for make in BY_SENSITIVITY.values()}) == len(BY_SENSITIVITY)
    assert len({repr(make(1)) for make in BY_SENSITIVITY.values()}) == len(BY_SENSITIVITY)


@each_mechanism
@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_mechanisms_are_copied_and_pickled_whole(make: Make, clone: Any) -> None:
    other = clone(make("1/3"))
    assert other == make("1/3")
    assert repr(other) == repr(make("1/3"))
    assert log_law(other, indicator()).tolist() == log_law(make("1/3"), indicator()).tolist()


@each_mechanism
@pytest.mark.parametrize("epsilon", [0, -1, "abc", float("nan"), float("inf"), True, None], ids=repr)
def test_epsilon_is_positive(make: Make, epsilon: Any, refused: Refused) -> None:
    with refused(ParameterError, "epsilon", repr(epsilon)):
        make(epsilon)


# Bit by bit

DEPTH, FULL_DEPTH = 11, 13
PEELED = TopK(2, PermuteAndFlip(1), peeled=True)
"""It takes more bits than the others, and is always walked to the full depth."""
TINY: list[tuple[SelectionMechanism, float]] = [
    (StableArgmax(1), 0.05),
    (ParetoNoisyMax(1), 0.2),
    (ParetoNoisyMax(1, nu=2), 0.2),
    (TopK(2, PermuteAndFlip(1)), 0.3),
    (TopK(1, PermuteAndFlip(1)), 0.3),
    (TopK(1, Exponential(1)), 0.35),
    (TopK(2, Exponential(1)), 0.75),
    (LocalDampening(1), 0.1),
    (PairwiseDampening(1), 0.1),
]
"""Mechanisms, and how much may be undecided after so many bits."""
WALKS = [
    pytest.param(mechanism, share, depth, marks=[pytest.mark.long] if depth == FULL_DEPTH else [])
    for mechanism, share in TINY
    for depth in (DEPTH, FULL_DEPTH)
]


@pytest.mark.parametrize(
    ("mechanism", "open_share", "depth"), [*WALKS, (PEELED, 0.1, FULL_DEPTH)], ids=lambda value: repr(value)
)
@pytest.mark.parametrize("winner", [0, 1])
def test_every_path_of_short_words_adds_up_to_the_law(
    mechanism: SelectionMechanism, open_share: float, depth: int, winner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "WIDTH", 2)
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    problem = indicator(2, winner, t0=1)

    def released(source: ScriptedEntropy) -> object:
        monkeypatch.setattr(entropy, "system_entropy", lambda: source)
        return mechanism.release(problem, budget=Budget(epsilon=2)).value

    drawn, undecided = law_by_enumeration(released, depth=depth)
    assert undecided < open_share
    assert sum(drawn.values()) + undecided == 1
    for outcome, share in zip(mechanism.outcomes(problem.frame), np.exp(log_law(mechanism, problem)), strict=True):
        low = drawn.get(outcome, Fraction(0))
        assert float(low) - 1e-12 <= share <= float(low + undecided) + 1e-12


# The trusted path

FORBIDDEN = (
    [(math, name) for name in ("exp", "expm1", "log", "log1p", "log2", "pow", "sqrt")]
    + [(np, name) for name in ("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "power", "sqrt", "cumsum")]
    + [(np.random, name) for name in ("default_rng", "random", "rand", "choice", "Generator", "PCG64")]
    + [
        (laws, name)
        for name in ("softmax", "permute_and_flip", "pareto_maximum", "picks_in_turn", "ordered_exponential")
    ]
)


class Smoothed(Step):
    """A step whose smooth sensitivity was computed beforehand.

    ``smooth`` lies above the seam and uses floats' exponentials, whose rounding the calibration pays for. What is
    checked here is all the rest: scores, exponents, calibration and the draw reach no forbidden function.
    """

    def smooth(self, beta: Number) -> Floats:
        return np.full(self.size, 0.5)


@each_mechanism
@pytest.mark.parametrize("real", [False, True])
def test_release_stays_on_integers_and_certified_arithmetic(
    make: Make, real: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reached(*args: object, **kwargs: object) -> None:
        raise AssertionError("a release reached a forbidden function")

    frame, utilities = Frame(range(3), 1, ADD_REMOVE), np.array([0, 1, 0], dtype=float if real else int)
    problem, mechanism, budget = SelectionProblem(frame, utilities, Smoothed([2, 2, 2], 1)), make(1), rich()
    outcomes = set(mechanism.outcomes(frame))
    if real and isinstance(mechanism, LaplaceTopK):
        pytest.skip("takes whole utilities")
    for module, name in FORBIDDEN:
        monkeypatch.setattr(module, name, reached)
    tables.log_table.cache_clear()
    tables.log_log_table.cache_clear()
    drawn = {mechanism.release(problem, budget=budget).value for _ in range(20)}
    with pytest.raises(AssertionError, match="forbidden"):
        np.exp(0.0)
    monkeypatch.undo()
    assert drawn <= outcomes


# The docstring

SECTIONS = ["Definition", "Guarantee", "Differs from the paper", "Numerics", "Cost", "Example", "References"]


@each_class
def test_the_docstring_has_its_sections_in_order(kind: type[SelectionMechanism]) -> None:
    text = inspect.getdoc(kind) or ""
    headings = re.findall(r"^(.+)\n(-+)$", text, flags=re.MULTILINE)
    assert [name for name, _ in headings] == SECTIONS
    assert all(len(line) == len(name) for name, line in headings)
    assert all(len(body.strip()) > 20 for body in re.split(r"^.+\n-+$", text, flags=re.MULTILINE))


@each_class
def test_what_is_not_private_says_so_first(kind: type[SelectionMechanism]) -> None:
    for name in ("scores", "log_probabilities", "exponents"):
        method = getattr(kind, name, None)
        assert method is None or (inspect.getdoc(method) or "").startswith("Not private.")


@each_class
def test_the_example_of_the_docstring_runs(kind: type[SelectionMechanism]) -> None:
    module = sys.modules[kind.__module__]
    [example] = doctest.DocTestFinder(recurse=False).find(kind, kind.__name__, module, dict(vars(module)))
    assert any("simulate" in line.source for line in example.examples)
    output: list[str] = []
    results = doctest.DocTestRunner().run(example, out=output.append)
    assert results.attempted == len(example.examples)
    assert results.failed == 0, "".join(output)
