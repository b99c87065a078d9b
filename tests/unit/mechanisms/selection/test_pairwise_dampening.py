"""Pairwise dampening: scores, the right winner, and the better rate of the clipped score."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, Frame, Runs, SelectionProblem
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential, PairwiseDampening, PermuteAndFlip
from dampen.mechanisms.selection.pairwise_dampening import clipped_rate
from dampen.mechanisms.selection.score import Law
from dampen.sensitivity import Constant, PairTable, RungTable, SensitivityFunction
from dampen.sensitivity.base import LARGEST_DAMPENED
from tests.conftest import Refused
from tests.unit.sensitivity.definitions import Listed, random_world

LAWS: list[Law] = [Exponential, PermuteAndFlip]
each_law = pytest.mark.parametrize("law", LAWS, ids=["exponential", "permute-and-flip"])


def posed(utilities: Any, rungs: SensitivityFunction, *, monotone: bool = False) -> SelectionProblem:
    total = utilities.total if isinstance(utilities, Runs) else len(utilities)
    return SelectionProblem(Frame(range(total), rungs.bound, Adjacency.ADD_REMOVE, monotone), utilities, rungs)


def scores(problem: SelectionProblem, score: Any = "margin") -> list[float]:
    return [float(value) for value in np.asarray(PairwiseDampening(1, score).scores(problem))]


def test_the_sum_in_general_and_the_larger_rung_where_utilities_move_one_way() -> None:
    rungs = RungTable([[1, 2, 3]] * 9, bound=10)
    assert scores(posed([6.0, 3.0, 0.0], rungs)) == pytest.approx([1.0, -1.0, -1.5])
    assert scores(posed([6.0, 3.0, 0.0], rungs, monotone=True)) == pytest.approx([1.5, -1.5, -2.0])
    assert scores(posed([6.0, 3.0, 0.0], rungs), "clipped") == pytest.approx([0.0, -1.0, -1.5])


@pytest.mark.parametrize("monotone", [False, True])
def test_clipped_is_zero_exactly_at_the_argmax_and_a_sole_winner_leads(monotone: bool) -> None:
    for seed in range(150):
        world = random_world(seed, monotone=monotone)
        for x, u in enumerate(world.utilities):
            table = RungTable(world.rows[x], bound=world.bound, floor=world.floor)
            problem = posed([float(value) for value in u], table, monotone=monotone)
            leaders = [r for r, value in enumerate(u) if value == max(u)]
            assert [r for r, value in enumerate(scores(problem, "clipped")) if value == 0] == leaders
            margin = scores(problem)
            assert (margin[leaders[0]] > 0) == (len(leaders) == 1)


@each_law
@given(u=st.lists(st.integers(-9, 9), min_size=2, max_size=5, unique=True))
def test_the_true_winner_is_most_likely_and_certain_in_the_limit(law: Law, u: list[int]) -> None:
    rows = [[1 + r % 3 for r in range(len(u))], [2 + r % 3 for r in range(len(u))]]
    problem = posed(u, RungTable(rows, bound=6))
    winner = u.index(max(u))
    for score, epsilon in product(("margin", "clipped"), (1, 10**4)):
        chances = np.exp(np.asarray(PairwiseDampening(epsilon, score, law=law).log_probabilities(problem)))  # type: ignore[arg-type]
        assert int(chances.argmax()) == winner
        assert epsilon == 1 or chances[winner] == pytest.approx(1, abs=1e-9)


def test_one_public_constant_clipped_is_the_exponential_mechanism_at_another_rate() -> None:
    u = [3.0, 1.5, -2.0]
    assert scores(posed(u, Constant(2, size=3)), "clipped") == [0.0, -0.375, -1.25]
    assert scores(posed(u, Constant(2, size=3), monotone=True), "clipped") == [0.0, -0.75, -2.5]


def test_a_query_s_own_pair_function_goes_first() -> None:
    rungs = RungTable([[1, 1]], bound=10)
    problem = posed([6.0, 3.0], rungs)
    before = scores(problem)
    rungs.pairs = PairTable([[[1.5, 1.5], [1.5, 1.5]]])
    assert scores(problem) == [2.0, -2.0] != before


def test_one_candidate_and_ties() -> None:
    assert scores(posed([5.0], Constant(1, size=1))) == [LARGEST_DAMPENED]
    assert scores(posed([5.0, 5.0, 5.0], Constant(1, size=3))) == [0.0, 0.0, 0.0]
    for size in (1, 3):
        problem = posed([5.0] * size, Constant(1, size=size))
        law = np.asarray(PairwiseDampening(1).log_probabilities(problem))
        assert law == pytest.approx(-np.log(size), abs=1e-12)


@pytest.mark.parametrize("score", ["margin", "clipped"])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("sizes", [[1, 3, 2], [2, 1, 1]], ids=["one leader", "two leaders"])
def test_runs_have_the_law_of_the_same_problem_written_out(score: Any, monotone: bool, sizes: list[int]) -> None:
    runs = Runs([5, 3, 0], sizes)
    rows = np.array([[1.0, 2.0, 0.5], [1.5, 2.0, 3.0]])
    mechanism = PairwiseDampening(1, score)
    together = mechanism.log_probabilities(posed(runs, RungTable(rows, bound=5), monotone=monotone))
    written_out = RungTable(np.repeat(rows, sizes, axis=1), bound=5)
    apart = mechanism.log_probabilities(posed(np.asarray(runs), written_out, monotone=monotone))
    assert np.asarray(together) == pytest.approx(np.asarray(apart), abs=1e-11)


def test_without_a_bound_it_works() -> None:
    rungs = Listed([[1, 2], [3, 4]], bound=None, floor=Fraction(1, 2))
    assert scores(posed([9.0, 0.0], rungs)) == pytest.approx([1 + 6 / 7, -1 - 6 / 7])


# The rate of the clipped score

RATES = [  # pairwise.md T5: R, epsilon, exponential, permute-and-flip, as shares of epsilon
    (3, "0.1", 0.670, 0.678),
    (3, "1", 0.708, 0.763),
    (3, "10", 0.931, 0.959),  # printed .960; c + ln(1.5 - q/2) = 10 has c = 10 - ln 1.5 + ... = 9.5946
    (8, "0.1", 0.539, 0.540),
    (8, "1", 0.550, 0.556),
    (8, "10", 0.806, 0.861),
    (100, "0.1", 0.503, 0.503),
    (100, "1", 0.503, 0.503),
    (100, "10", 0.569, 0.616),
]


def loss(c: Fraction, size: int, *, flip: bool) -> arb:
    """The exact loss at rate c, the integral of permute-and-flip by rigorous integration."""
    exponent = arb(c.numerator) / c.denominator
    q = (-exponent).exp()
    if not flip:
        return exponent + ((size - 1) / (1 + (size - 2) * q)).log()
    integral = acb.integral(lambda z, _: (1 - z) * (1 - acb(q) * z) ** (size - 2), 0, 1).real
    return exponent + (size * integral).log()


@pytest.mark.parametrize(("size", "epsilon", "exponential", "flip"), RATES)
def test_the_printed_rates(size: int, epsilon: str, exponential: float, flip: float) -> None:
    exact = Fraction(epsilon)
    assert float(clipped_rate(exact, size, flip=False) / exact) == pytest.approx(exponential, abs=0.00051)
    assert float(clipped_rate(exact, size, flip=True) / exact) == pytest.approx(flip, abs=0.00051)


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("size", [3, 4, 10, 1000])
@pytest.mark.parametrize("epsilon", ["1/1000", "1", "7", "40", "200"])
def test_the_rate_is_never_above_the_root_and_hardly_below(size: int, epsilon: str, flip: bool) -> None:
    exact = Fraction(epsilon)
    rate = clipped_rate(exact, size, flip=flip)
    target = arb(exact.numerator) / exact.denominator
    with ctx.workprec(900):
        assert loss(rate, size, flip=flip) <= target
        assert loss(rate + exact / 2**38, size, flip=flip) > target


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("size", [1, 2])
def test_one_or_two_candidates_have_the_whole_epsilon(size: int, flip: bool) -> None:
    assert clipped_rate(Fraction(1, 3), size, flip=flip) == Fraction(1, 3)


@each_law
def test_the_clipped_law_uses_the_better_rate_unless_a_pair_function_lacks_its_proof(law: Law) -> None:
    rungs = RungTable([[1, 1, 1]], bound=1)
    plain = np.asarray(PairwiseDampening(1, "clipped", law=law).exponents(posed([4.0, 2.0, 0.0], rungs)).approximate())
    better = float(clipped_rate(Fraction(1), 3, flip=law is PermuteAndFlip))
    assert plain == pytest.approx([0, better, 2 * better], abs=1e-5)
    for triangle, rate in ((False, 0.5), (True, better)):
        own = RungTable([[1, 1, 1]], bound=1)
        own.pairs = PairTable([[[2.0] * 3] * 3], triangle=triangle)
        problem = posed([4.0, 2.0, 0.0], own)
        found = PairwiseDampening(1, "clipped", law=law).exponents(problem).approximate()
        assert found == pytest.approx([0, rate, 2 * rate], abs=1e-5)


@pytest.mark.parametrize("score", ["Margin", "", None, 1], ids=repr)
def test_a_score_is_margin_or_clipped(score: Any, refused: Refused) -> None:
    with refused(ParameterError, "score", "'margin', 'clipped'", repr(score)):
        PairwiseDampening(1, score)


def test_it_prints_its_parameters() -> None:
    printed = repr(PairwiseDampening("1/2", "clipped", law=Exponential))
    assert printed == "PairwiseDampening(epsilon=0.5, law=Exponential, score='clipped')"
