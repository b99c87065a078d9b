"""Expected errors and tails from exact laws, against direct sums and simulation."""

from fractions import Fraction
from functools import partial
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Frame, NumericFrame, NumericProblem, Runs, SelectionProblem
from dampen.accuracy import error_bound, expected_error, tail_bound
from dampen.errors import NotPublic, ParameterError
from dampen.mechanisms import (
    Exponential,
    LadderWalk,
    LaplaceTopK,
    LocalDampening,
    PairwiseDampening,
    PermuteAndFlip,
    ReportNoisyMax,
    SelectionMechanism,
    TopK,
)
from dampen.sensitivity import RungTable
from dampen.vectors import Floats
from tests.conftest import Refused

FRAME = Frame(range(4), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
PROBLEM = SelectionProblem(FRAME, [5, 4, 2, 2]).as_public()


def test_the_expected_error_is_the_mean_gap() -> None:
    weights = np.exp([5.0, 4, 2, 2])
    assert expected_error(Exponential(1), PROBLEM) == pytest.approx(weights @ [0, 1, 3, 3] / weights.sum())
    assert expected_error(PermuteAndFlip(1), PROBLEM) < expected_error(Exponential(1), PROBLEM)


def test_the_tail_is_the_share_of_large_errors() -> None:
    weights = np.exp([5.0, 4, 2, 2])
    assert tail_bound(Exponential(1), PROBLEM, 0) == pytest.approx(1)
    assert tail_bound(Exponential(1), PROBLEM, 1) == pytest.approx(weights[1:].sum() / weights.sum())
    assert tail_bound(Exponential(1), PROBLEM, "1.5") == pytest.approx(weights[2:].sum() / weights.sum())
    assert tail_bound(Exponential(1), PROBLEM, 4) == 0


def test_runs_count_with_their_sizes() -> None:
    runs = SelectionProblem(FRAME, Runs([5, 4, 2], [1, 1, 2])).as_public()
    assert expected_error(PermuteAndFlip(1), runs) == pytest.approx(expected_error(PermuteAndFlip(1), PROBLEM))


@pytest.mark.parametrize("base", [Exponential(1), PermuteAndFlip(1)])
def test_top_k_falls_short_place_by_place(base: Exponential | PermuteAndFlip) -> None:
    top = TopK(2, base)
    picks = top.simulate(PROBLEM, np.random.default_rng(0), size=200_000)
    utilities = np.asarray(PROBLEM.utilities)
    simulated = (np.array([5, 4]) - utilities[picks]).mean()
    assert expected_error(top, PROBLEM) == pytest.approx(simulated, abs=0.01)


# The error that is exceeded with a given chance


def law_by_permutations(exponents: Floats) -> Floats:
    """Permute-and-flip by its definition: in a random order, each is taken with probability exp(its exponent)."""
    law = np.zeros(len(exponents))
    heads = np.exp(exponents - exponents.max())
    for order in permutations(range(len(exponents))):
        left = 1 / factorial(len(exponents))
        for place in order:
            law[place] += left * heads[place]
            left *= 1 - heads[place]
    return np.asarray(law / law.sum())


def law_by_weights(exponents: Floats) -> Floats:
    weights = np.exp(exponents - exponents.max())
    return np.asarray(weights / weights.sum())


LAWS = {Exponential: law_by_weights, PermuteAndFlip: law_by_permutations}


@pytest.mark.parametrize("failure", ["1/2", "1/20", "1/1000"])
@pytest.mark.parametrize("kind", LAWS)
def test_no_smaller_error_is_exceeded_so_rarely(kind: type[Exponential | PermuteAndFlip], failure: str) -> None:
    """On small problems, whose laws are computed anew from their definitions; no chance there is close to a failure."""
    rng, chance, inner = np.random.default_rng(4), float(Fraction(failure)), 0
    frame = Frame(range(6), bound=1, adjacency=Adjacency.ADD_REMOVE)
    for _ in range(60):
        utilities = rng.integers(0, 12, size=6)
        epsilon = float(10 ** rng.uniform(-1, 1))
        law, errors = LAWS[kind](np.asarray(epsilon / 2 * utilities, dtype=np.float64)), utilities.max() - utilities
        bound = error_bound(kind(epsilon), SelectionProblem(frame, utilities).as_public(), failure)
        assert bound in errors
        assert law[errors > bound].sum() <= chance
        for smaller in errors[errors < bound]:
            assert law[errors > smaller].sum() > chance
        inner += 0 < bound < errors.max()
    assert inner >= 5


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip, LocalDampening, PairwiseDampening])
@pytest.mark.parametrize("failure", ["1/2", "1/20", "1/1000"])
def test_the_error_bound_is_exceeded_as_rarely_as_it_says(kind: type[SelectionMechanism], failure: str) -> None:
    rng, chance = np.random.default_rng(3), float(Fraction(failure))
    frame = Frame(range(40), bound=8, adjacency=Adjacency.ADD_REMOVE)
    rungs = RungTable(np.sort(rng.uniform(0.5, 8, size=(5, 40)), axis=0), bound=8)
    problem = SelectionProblem(frame, rng.normal(size=40) * 60, rungs).as_public()
    for epsilon in ("1/10", "1", "5"):
        bound = error_bound(kind(epsilon), problem, failure)
        assert tail_bound(kind(epsilon), problem, bound + 1e-9) <= chance
        assert bound == 0 or tail_bound(kind(epsilon), problem, bound) > chance


def test_the_error_bound_is_far_below_that_of_the_textbook() -> None:
    """ln(R / failure) / rate, by which a union bound covers all R candidates at once."""
    frame = Frame(range(1000), bound=1, adjacency=Adjacency.ADD_REMOVE)
    problem = SelectionProblem(frame, range(1000)).as_public()
    textbook = np.log(1000 / 0.05) / 0.5
    assert tail_bound(Exponential(1), problem, textbook) < 1e-4
    assert error_bound(Exponential(1), problem, "1/20") == 5


def test_the_error_bound_is_that_of_every_law_also_of_lists() -> None:
    top = TopK(2, Exponential(1))
    for mechanism in (ReportNoisyMax(1, "laplace"), top):
        bound = error_bound(mechanism, PROBLEM, "1/10")
        assert tail_bound(mechanism, PROBLEM, bound + 1e-9) <= 0.1 < tail_bound(mechanism, PROBLEM, bound)
    runs = SelectionProblem(FRAME, Runs([5, 4, 2], [1, 1, 2])).as_public()
    assert error_bound(PermuteAndFlip(1), runs, "1/10") == error_bound(PermuteAndFlip(1), PROBLEM, "1/10") == 1
    assert error_bound(PermuteAndFlip(1), PROBLEM, 1) == 0


def test_private_problems_and_negative_errors_are_refused(refused: Refused) -> None:
    with pytest.raises(NotPublic):
        expected_error(Exponential(1), SelectionProblem(FRAME, [5, 4, 2, 2]))
    with pytest.raises(NotPublic):
        error_bound(Exponential(1), SelectionProblem(FRAME, [5, 4, 2, 2]), "1/20")
    for failure in (0, "-1/20", "1.0001", 5):
        with refused(ParameterError, "failure must be", str(failure)):
            error_bound(Exponential(1), PROBLEM, failure)
    with pytest.raises(ParameterError):
        tail_bound(Exponential(1), PROBLEM, -1)


def test_what_chooses_no_candidate_is_refused(refused: Refused) -> None:
    number: Any = NumericProblem(NumericFrame(1, Adjacency.EDGE), 3).as_public()
    walk: Any = LadderWalk(1)
    judges: list[Any] = [expected_error, partial(tail_bound, error=1), partial(error_bound, failure="1/20")]
    for judge in judges:
        with refused(ParameterError, "mechanism must be one that chooses", "LadderWalk"):
            judge(walk, PROBLEM)
        with refused(ParameterError, "mechanism must be one that chooses", "got <class"):
            judge(Exponential, PROBLEM)
        with refused(ParameterError, "problem must be a SelectionProblem; got NumericProblem"):
            judge(Exponential(1), number)
        with refused(ParameterError, "problem must be a SelectionProblem; got list"):
            judge(Exponential(1), [1, 2, 3])


def test_an_ordered_laplace_list_errs_by_how_far_each_place_falls_short() -> None:
    frame = Frame(range(3), 1, Adjacency.EDGE, monotone=True)
    problem = SelectionProblem(frame, [5, 3, 0]).as_public()
    mechanism = LaplaceTopK(2, 1, movers=2)
    law = np.exp(mechanism.log_probabilities(problem))
    utilities = {0: 5, 1: 3, 2: 0}
    errors = [((5 - utilities[a]) + (3 - utilities[b])) / 2 for a, b in mechanism.outcomes(frame)]
    assert expected_error(mechanism, problem) == pytest.approx(float(law @ np.array(errors)))
