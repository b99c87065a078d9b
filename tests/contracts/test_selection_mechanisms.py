"""What every mechanism that scores by the utility itself must do beyond ``test_rules.py``, run over each of them."""

import copy
import doctest
import inspect
import pickle
import re
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from dampen import Adjacency, Budget, Frame, PrivacyLoss, Release, Runs, SelectionProblem
from dampen._validate import Number
from dampen.errors import ParameterError
from dampen.mechanisms.selection.base import UtilityMechanism
from dampen.sensitivity import Constant, RungTable, SensitivityFunction
from dampen.vectors import Floats
from tests.every_selection import BY_UTILITY

if TYPE_CHECKING:
    from tests.conftest import Refused

Make = Callable[[Number], UtilityMechanism]

RANGED = {"Exponential", "ReportNoisyMax, gumbel"}
"""Those that claim a bounded range."""
CLASSES = sorted({type(make(1)) for make in BY_UTILITY.values()}, key=lambda kind: kind.__name__)

ADD_REMOVE = Adjacency.ADD_REMOVE
HUGE = 10**6
"""An epsilon at which any answer but the best has a probability of exp(-1024)."""
SECRETS = ("98765432", "98765431", "98765400")

each_mechanism = pytest.mark.parametrize("make", BY_UTILITY.values(), ids=BY_UTILITY.keys())
each_class = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
examples = settings(max_examples=40)
utilities_lists = st.lists(st.integers(-30, 30), min_size=1, max_size=8)
epsilons = st.sampled_from(["1/100", "1/3", "1", "5"])


class Unbounded(SensitivityFunction):
    """A sensitivity function without a finite bound."""

    def __init__(self, size: int) -> None:
        super().__init__(size=size, bound=None, floor=1)

    def at(self, t: int) -> Floats:
        return np.full(self.size, float(t))


def posed(utilities: Any, *, bound: Number = 1, monotone: bool = False) -> SelectionProblem:
    """A problem whose candidates are the indices of its utilities."""
    total = utilities.total if isinstance(utilities, Runs) else len(utilities)
    return SelectionProblem(Frame(range(total), bound, ADD_REMOVE, monotone), utilities)


def log_law(mechanism: UtilityMechanism, problem: SelectionProblem) -> Floats:
    return np.asarray(mechanism.log_probabilities(problem), dtype=np.float64)


# The law


@each_mechanism
@examples
@given(utilities=utilities_lists, epsilon=epsilons, monotone=st.booleans(), real=st.booleans())
def test_probabilities_sum_to_one(make: Make, utilities: list[int], epsilon: str, monotone: bool, real: bool) -> None:
    law = log_law(make(epsilon), posed(np.array(utilities, dtype=float if real else int), monotone=monotone))
    assert law.shape == (len(utilities),)
    assert np.exp(law).sum() == pytest.approx(1, abs=1e-11)


@each_mechanism
@examples
@given(utilities=utilities_lists, epsilon=epsilons)
def test_only_the_bound_of_the_frame_matters_whatever_the_sensitivity(
    make: Make, utilities: list[int], epsilon: str
) -> None:
    size = len(utilities)
    frame = Frame(range(size), 10, ADD_REMOVE)
    functions = [
        Constant(10, size=size),
        RungTable([[1] * size, [2] * size], bound=10),
        RungTable([[0] * size], bound=10),
    ]
    laws = [log_law(make(epsilon), SelectionProblem(frame, utilities, function)).tolist() for function in functions]
    assert laws[0] == laws[1] == laws[2]


@each_mechanism
def test_the_bound_of_the_frame_does_matter(make: Make) -> None:
    wide, narrow = (log_law(make(1), posed([3, 1, 0], bound=bound)) for bound in (10, 1))
    assert narrow[0] > wide[0] + 0.1
    assert log_law(make(10), posed([3, 1, 0], bound=10)).tolist() == narrow.tolist()


@each_mechanism
@examples
@given(utilities=utilities_lists, epsilon=epsilons)
def test_a_monotone_frame_doubles_the_rate(make: Make, utilities: list[int], epsilon: str) -> None:
    monotone = log_law(make(epsilon), posed(utilities, monotone=True))
    general = log_law(make(2 * Fraction(epsilon)), posed(utilities))
    assert monotone.tolist() == general.tolist()


@each_mechanism
@examples
@given(utilities=utilities_lists, epsilon=epsilons, shift=st.sampled_from([-(2**50), -7, 1, 10**9]))
def test_a_shift_of_all_utilities_changes_nothing(make: Make, utilities: list[int], epsilon: str, shift: int) -> None:
    law = log_law(make(epsilon), posed(utilities))
    assert log_law(make(epsilon), posed([u + shift for u in utilities])).tolist() == law.tolist()
    floats = log_law(make(epsilon), posed([u / 2 for u in utilities]))
    assert log_law(make(epsilon), posed([(u + shift) / 2 for u in utilities])).tolist() == floats.tolist()


@each_mechanism
@examples
@given(utilities=utilities_lists, epsilon=epsilons, seed=st.randoms(use_true_random=False))
def test_permuted_candidates_have_permuted_laws(make: Make, utilities: list[int], epsilon: str, seed: Any) -> None:
    order = list(range(len(utilities)))
    seed.shuffle(order)
    law = log_law(make(epsilon), posed(utilities))
    permuted = log_law(make(epsilon), posed([utilities[place] for place in order]))
    assert permuted == pytest.approx(law[order], abs=1e-11)


@each_mechanism
@examples
@given(utilities=utilities_lists, epsilon=epsilons)
def test_a_better_candidate_is_never_less_likely(make: Make, utilities: list[int], epsilon: str) -> None:
    law = log_law(make(epsilon), posed(utilities))
    order = np.argsort(utilities, kind="stable")
    assert (np.diff(law[order]) >= -1e-11).all()
    for place in range(1, len(order)):
        worse, better = order[place - 1], order[place]
        if utilities[worse] < utilities[better]:
            assert law[worse] < law[better]
        else:
            assert law[worse] == pytest.approx(law[better], abs=1e-11)


@each_mechanism
@examples
@given(utilities=utilities_lists, epsilon=epsilons, monotone=st.booleans())
def test_floats_have_almost_the_exponents_of_whole_numbers(
    make: Make, utilities: list[int], epsilon: str, monotone: bool
) -> None:
    mechanism = make(epsilon)
    whole = mechanism.exponents(posed(utilities, monotone=monotone))
    real = mechanism.exponents(posed([float(u) for u in utilities], monotone=monotone))
    for group in range(len(utilities)):
        exponent = whole.exact(group)
        assert abs(real.exact(group) - exponent) <= exponent / 2**18


@each_mechanism
@pytest.mark.parametrize("utilities", [[10**9, 0], [1e9, 0.0], [1e308, -1e308]], ids=["whole", "real", "overflowing"])
def test_the_deepest_gap_has_a_finite_probability(make: Make, utilities: list[float]) -> None:
    law = log_law(make(1), posed(utilities))
    assert np.isfinite(law).all()
    assert law[0] == pytest.approx(0, abs=1e-12)
    assert -1030 < law[1] < -1010


# Runs


def interleaved(group: int, member: int) -> int:
    """Two groups of three: the even places and the odd ones."""
    return 2 * member + group


@each_mechanism
@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize(
    "runs",
    [
        Runs([3, 1, 4, 1], [2, 5, 1, 30]),
        Runs([5, 2], [3, 3], unrank=interleaved),
        Runs([0], [7]),
        Runs([2, 2, 2], [1, 1, 1]),
    ],
    ids=["in a row", "interleaved", "one group", "single members"],
)
def test_runs_and_the_same_problem_written_out_have_the_same_law(make: Make, runs: Runs, real: bool) -> None:
    if real:
        runs = runs.with_values(runs.values / 4)
    together = make("1/2").log_probabilities(posed(runs))
    assert isinstance(together, Runs)
    apart = log_law(make("1/2"), posed(np.asarray(runs)))
    assert np.asarray(together) == pytest.approx(apart, abs=1e-11)


@each_mechanism
@pytest.mark.parametrize("size", [10**6, 10**9, 2**60, 2**62 - 1], ids=["1e6", "1e9", "2^60", "2^62"])
def test_equal_candidates_share_equally_however_many(make: Make, size: int) -> None:
    law = make(1).log_probabilities(posed(Runs([3], [size])))
    assert isinstance(law, Runs)
    assert law.values[0] == pytest.approx(-np.log(float(size)), abs=1e-10)


@each_mechanism
@pytest.mark.parametrize("size", [10**6, 10**9, 2**60], ids=["1e6", "1e9", "2^60"])
def test_probabilities_of_large_runs_sum_to_one(make: Make, size: int) -> None:
    runs = Runs([40, 37, 0], [1, 10**4, size])
    law = make(1).log_probabilities(posed(runs))
    assert isinstance(law, Runs)
    total = sum(float(count) * float(np.exp(value)) for count, value in zip(law.sizes, law.values, strict=True))
    assert total == pytest.approx(1, abs=1e-9)


class AllIntegers:
    """Candidates 0, 1, 2, ... below a number beyond 64 bits."""

    def __init__(self, total: int) -> None:
        self.total = total

    def __len__(self) -> int:
        raise OverflowError

    def __getitem__(self, index: int) -> int:
        return index


@each_mechanism
def test_sizes_beyond_64_bits_have_a_law_and_are_released(make: Make) -> None:
    candidates: Any = AllIntegers(2**101)
    problem = SelectionProblem(Frame(candidates, 1, ADD_REMOVE), Runs([7, 0], [2**100, 2**100]))
    law = make(HUGE).log_probabilities(problem)
    assert isinstance(law, Runs)
    assert law.values[0] == pytest.approx(-100 * np.log(2), abs=1e-9)
    assert 0 <= make(HUGE).release(problem, budget=Budget(epsilon=HUGE)).value < 2**100


@each_mechanism
def test_a_grid_of_1e9_values_is_released_without_writing_it_out(make: Make) -> None:
    problem = posed(Runs([0, 50, 0], [10**8, 10, 9 * 10**8 - 10]))
    budget = Budget(epsilon=3 * HUGE)
    make(1).release(problem, budget=budget)
    tracemalloc.start()
    start = time.perf_counter()
    try:
        value = make(HUGE).release(problem, budget=budget).value
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - start < 10
    assert peak < 50e6
    assert 10**8 <= value < 10**8 + 10


@each_mechanism
def test_a_release_names_the_member_by_unrank(make: Make) -> None:
    problem = posed(Runs([5, 2], [3, 3], unrank=interleaved))
    seen = {make(HUGE).release(problem, budget=Budget(epsilon=HUGE)).value for _ in range(100)}
    assert seen == {0, 2, 4}


# The price


@pytest.mark.parametrize("name", BY_UTILITY)
@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize("monotone", [False, True])
def test_the_price_is_epsilon_and_a_range_only_where_it_is_one(name: str, adjacency: Adjacency, monotone: bool) -> None:
    frame = Frame(("a", "b"), "1/7", adjacency, monotone, unit="patient")
    loss = BY_UTILITY[name]("1/3").privacy(frame)
    claimed = Fraction(1, 3) if name in RANGED else None
    assert loss == PrivacyLoss("1/3", 0, adjacency=adjacency, unit="patient", bounded_range=claimed)
    assert (loss.delta, loss.rho) == (Fraction(0), None)


@each_mechanism
def test_a_frame_without_a_bound_is_refused_in_one_sentence(make: Make, untouched: Budget, refused: "Refused") -> None:
    frame = Frame(("a", "b"), None, ADD_REMOVE)
    problem = SelectionProblem(frame, [98765432, 0], Unbounded(2)).as_public()
    mechanism = make(1)
    uses: list[Callable[[], object]] = [
        lambda: mechanism.privacy(frame),
        lambda: mechanism.scores(problem),
        lambda: mechanism.log_probabilities(problem),
        lambda: mechanism.simulate(problem, np.random.default_rng(0), 1),
        lambda: mechanism.release(problem, budget=untouched),
    ]
    for use in uses:
        with refused(ParameterError, "finite bound", "bound=None", hidden=SECRETS):
            use()


@each_mechanism
@pytest.mark.parametrize(
    "utilities", [[3, 1, 0], [3.5, 1.0, 0.25], Runs([3, 1], [2, 1])], ids=["whole", "real", "runs"]
)
def test_a_release_pays_its_price_and_returns_a_candidate(make: Make, utilities: Any) -> None:
    frame = Frame(("a", "b", "c"), 1, ADD_REMOVE)
    budget, mechanism = Budget(epsilon=1), make("1/3")
    release = mechanism.release(SelectionProblem(frame, utilities), budget=budget, note="drinks")
    assert isinstance(release, Release)
    assert release.value in frame.candidates
    assert release.loss == mechanism.privacy(frame)
    assert (release.mechanism, release.note) == (repr(mechanism), "drinks")
    assert budget.spent.epsilon == Fraction(1, 3)
    assert budget.spent.delta == 0


@each_mechanism
def test_with_a_huge_epsilon_the_best_is_released(make: Make) -> None:
    for utilities in ([1, 9, 5], [0.1, 0.9, 0.5]):
        budget = Budget(epsilon=HUGE)
        assert make(HUGE).release(posed(utilities), budget=budget).value == 1


@each_mechanism
def test_equal_candidates_are_all_released(make: Make) -> None:
    """Each of three is missed by 100 draws with probability 1e-17."""
    budget = Budget(epsilon=100)
    assert {make(1).release(posed([5, 5, 5]), budget=budget).value for _ in range(100)} == {0, 1, 2}


# Simulation


@each_mechanism
@pytest.mark.parametrize(
    "utilities", [[3, 1, 0, 2], Runs([3, 0], [1, 3]), [3.5, 1.0, 0.5, 0.25]], ids=["whole", "runs", "real"]
)
def test_simulation_follows_the_law_and_not_a_law_30_percent_off(make: Make, utilities: Any) -> None:
    draws = 20_000
    problem = posed(utilities).as_public()
    picks = make(1).simulate(problem, np.random.default_rng(20240229), draws)
    counts = np.bincount(picks, minlength=4)
    expected, wrong = (np.exp(log_law(make(epsilon), problem)) * draws for epsilon in (1, "1.3"))
    assert chisquare(counts, expected * draws / expected.sum()).pvalue > 1e-6
    assert chisquare(counts, wrong * draws / wrong.sum()).pvalue < 1e-6


# The object


@each_mechanism
@pytest.mark.parametrize("name", ["epsilon", "noise", "bound", "utilities"])
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
    assert len({make(1) for make in BY_UTILITY.values()}) == len(BY_UTILITY)


@each_mechanism
@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_mechanisms_are_copied_and_pickled_whole(make: Make, clone: Any) -> None:
    other = clone(make("1/3"))
    assert other == make("1/3")
    assert repr(other) == repr(make("1/3"))
    assert log_law(other, posed([2, 1])).tolist() == log_law(make("1/3"), posed([2, 1])).tolist()


@each_mechanism
@pytest.mark.parametrize("epsilon", [0, -1, "abc", float("nan"), float("inf"), True, None, "1e999999999"], ids=repr)
def test_epsilon_is_positive(make: Make, epsilon: Any, refused: "Refused") -> None:
    with refused(ParameterError, "epsilon", repr(epsilon)):
        make(epsilon)


@each_mechanism
def test_scores_are_the_utilities(make: Make) -> None:
    runs = Runs([3, 1], [2, 1])
    assert np.asarray(make(1).scores(posed([3, 1, 0]))).tolist() == [3, 1, 0]
    assert make(1).scores(posed(runs)) is runs


# The docstring

SECTIONS = ["Definition", "Guarantee", "Differs from the paper", "Numerics", "Cost", "Example", "References"]


@each_class
def test_the_docstring_has_its_sections_in_order(kind: type[UtilityMechanism]) -> None:
    text = inspect.getdoc(kind) or ""
    headings = [(name, line) for name, line in re.findall(r"^(.+)\n(-+)$", text, flags=re.MULTILINE)]
    assert [name for name, _ in headings] == SECTIONS
    assert all(len(line) == len(name) for name, line in headings)
    bodies = re.split(r"^.+\n-+$", text, flags=re.MULTILINE)
    assert all(len(body.strip()) > 20 for body in bodies)


@each_class
def test_what_is_not_private_says_so_first(kind: type[UtilityMechanism]) -> None:
    for method in (kind.scores, kind.log_probabilities, kind.exponents):
        assert (inspect.getdoc(method) or "").startswith("Not private.")


@each_class
def test_the_example_of_the_docstring_runs(kind: type[UtilityMechanism]) -> None:
    module = sys.modules[kind.__module__]
    [example] = doctest.DocTestFinder(recurse=False).find(kind, kind.__name__, module, dict(vars(module)))
    assert any("simulate" in line.source for line in example.examples)
    output: list[str] = []
    results = doctest.DocTestRunner().run(example, out=output.append)
    assert results.attempted == len(example.examples)
    assert results.failed == 0, "".join(output)
