"""Ordered top-k with one Laplace noise: price, law, draws, refusals."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen import Adjacency, Budget, Frame, Runs, SelectionProblem, entropy
from dampen.audit import ScriptedEntropy, law_by_enumeration
from dampen.errors import BudgetExceeded, NotPublic, ParameterError
from dampen.mechanisms import LaplaceTopK, ReportNoisyMax
from dampen.mechanisms.laws import ordered_laplace
from dampen.sampling import exact, tables
from tests.conftest import Refused

EDGE = Adjacency.EDGE
FRAME = Frame(("a", "b", "c", "d"), 1, EDGE, monotone=True)
PROBLEM = SelectionProblem(FRAME, [3, 1, 0, 2])


def laws_of(mechanism: LaplaceTopK, problem: SelectionProblem) -> dict[tuple[str, ...], float]:
    law = np.exp(mechanism.log_probabilities(problem)).tolist()
    return dict(zip(mechanism.outcomes(problem.frame), law, strict=True))


@pytest.mark.parametrize(
    ("k", "movers", "drift", "monotone", "width"),
    [
        (1, 2, 0, True, 1),
        (1, 2, 0, False, 2),
        (2, 2, 0, True, 2),
        (4, 2, 0, True, 2),
        (4, 2, 0, False, 2),
        (4, 2, "1/2", False, 4),
        (4, 3, "1/2", False, 5),
        (2, 3, 5, False, 4),
        (2, 3, 5, True, 2),
    ],
)
def test_the_width(k: int, movers: int, drift: str | int, monotone: bool, width: int) -> None:
    for bound in (1, 7):
        frame = Frame(range(4), bound, EDGE, monotone)
        mechanism = LaplaceTopK(k, 1, movers, Fraction(drift) * bound)
        assert mechanism.width(frame) == width * bound


@pytest.mark.parametrize(
    ("k", "movers", "l1", "width"), [(4, None, 3, "3"), (4, None, "7/2", "7/2"), (4, 2, 3, "2"), (1, None, 3, "2")]
)
def test_the_width_by_what_moves_together(k: int, movers: int | None, l1: str | int, width: str) -> None:
    """Every promise holds, so the least width does: by l1, by movers, and by the bound alone."""
    assert LaplaceTopK(k, 1, movers, l1=l1).width(Frame(range(4), 1, EDGE)) == Fraction(width)


def test_what_moves_together_is_what_is_lost() -> None:
    """All four utilities move, by 4 in sum; with noise for 4 the list loses less than epsilon, and for 2 more."""
    frame = Frame(range(4), 1, Adjacency.REPLACE)
    x, y = (SelectionProblem(frame, utilities) for utilities in ([9, 6, 3, 0], [8, 7, 2, 1]))

    def loss(l1: int) -> float:
        mechanism = LaplaceTopK(3, 1, l1=l1)
        return float(np.abs(mechanism.log_probabilities(x) - mechanism.log_probabilities(y)).max())

    assert 0.6 < loss(4) <= 1 < loss(2)


def test_one_place_is_report_noisy_max() -> None:
    law = LaplaceTopK(1, "1/2").log_probabilities(PROBLEM)
    assert law == pytest.approx(np.asarray(ReportNoisyMax("1/2").log_probabilities(PROBLEM)), abs=1e-11)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_law_sums_to_one_and_prefers_the_true_order(k: int) -> None:
    law = laws_of(LaplaceTopK(k, 1), PROBLEM)
    assert list(law) == list(permutations("abcd", k))
    assert sum(law.values()) == pytest.approx(1, abs=1e-12)
    assert max(law, key=lambda order: law[order]) == ("a", "d", "b", "c")[:k]


def test_the_law_forgets_the_last_places() -> None:
    """Summed over what comes third, the law of three is the law of two."""
    three, two = laws_of(LaplaceTopK(3, 1, 2), PROBLEM), laws_of(LaplaceTopK(2, 1, 2), PROBLEM)
    for pair, chance in two.items():
        assert sum(p for order, p in three.items() if order[:2] == pair) == pytest.approx(chance, rel=1e-10)


def test_the_law_of_two_in_closed_form() -> None:
    """P[Z1 - Z2 > -g] for standard Laplace noises: 1 - exp(-g) (2 + g) / 4."""
    for gap in (0.0, 0.3, 2.0, 40.0, 200.0):
        law = ordered_laplace(np.array([0.0, gap]), 2)
        behind = np.log((2 + gap) / 4) - gap
        assert law == pytest.approx([np.log1p(-np.exp(behind)), behind], abs=1e-11)


def test_far_candidates_keep_their_exponents() -> None:
    """No level is raised: what is 5000 behind stays 5000 behind."""
    frame = Frame(range(3), 1, EDGE, monotone=True)
    problem = SelectionProblem(frame, [5000, 4999, 0])
    assert LaplaceTopK(1, 1).exponents(problem).approximate().tolist() == [0, 1, 5000]


def test_draws_follow_the_law_path_by_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "WIDTH", 2)
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    problem = SelectionProblem(Frame(("a", "b", "c"), 1, EDGE), [2, 1, 0])
    mechanism = LaplaceTopK(2, 1, movers=2)

    def released(source: ScriptedEntropy) -> tuple[str, ...]:
        monkeypatch.setattr(entropy, "system_entropy", lambda: source)
        chosen: tuple[str, ...] = mechanism.release(problem, budget=Budget(epsilon=1)).value
        return chosen

    drawn, undecided = law_by_enumeration(released, depth=12)
    assert undecided < 0.4
    for outcome, share in laws_of(mechanism, problem).items():
        low = float(drawn.get(outcome, Fraction(0)))
        assert low - 1e-12 <= share <= low + float(undecided) + 1e-12


def test_releases_and_simulations_fit_the_law_and_reject_a_wrong_one() -> None:
    mechanism, budget = LaplaceTopK(2, 1), Budget(epsilon=5000)
    law = laws_of(mechanism, PROBLEM)
    wrong = laws_of(LaplaceTopK(2, "1.5"), PROBLEM)
    seen = [mechanism.release(PROBLEM, budget=budget).value for _ in range(2000)]
    rows = mechanism.simulate(PROBLEM.as_public(), np.random.default_rng(0), 20_000)
    simulated = [tuple("abcd"[place] for place in row) for row in rows]
    for sample in (seen, simulated):
        counts = [sample.count(outcome) for outcome in law]
        assert chisquare(counts, np.array(list(law.values())) * len(sample)).pvalue > 1e-6
        assert chisquare(counts, np.array(list(wrong.values())) * len(sample)).pvalue < 1e-6


def test_the_budget_pays_epsilon_once_whatever_k() -> None:
    budget = Budget(epsilon=1)
    release = LaplaceTopK(4, 1).release(PROBLEM, budget=budget)
    assert sorted(release.value) == ["a", "b", "c", "d"]
    assert budget.remaining.epsilon == 0
    assert repr(LaplaceTopK(4, 1)) in release.mechanism
    with pytest.raises(BudgetExceeded):
        LaplaceTopK(4, 1).release(PROBLEM, budget=budget)


def test_refusals_before_payment(refused: Refused, untouched: Budget) -> None:
    frame = Frame(range(2), 1, EDGE)
    with refused(ParameterError, "without runs"):
        LaplaceTopK(1, 1).release(SelectionProblem(frame, Runs([1], [2])), budget=untouched)
    with refused(ParameterError, "whole utilities"):
        LaplaceTopK(1, 1).release(SelectionProblem(frame, [0.5, 1.0]), budget=untouched)
    with refused(ParameterError, "k must not exceed", "2", "3"):
        LaplaceTopK(3, 1).release(SelectionProblem(frame, [0, 1]), budget=untouched)
    with refused(ParameterError, "problem", "str"):
        LaplaceTopK(1, 1).release("tea", budget=untouched)  # type: ignore[arg-type]
    for arguments, name in (
        ((0, 1), "k"),
        ((1, 0), "epsilon"),
        ((1, 1, 0), "movers"),
        ((1, 1, 2, -1), "drift"),
        ((1, 1, 2, 0, 0), "l1"),
    ):
        with refused(ParameterError, name):
            LaplaceTopK(*arguments)
    with pytest.raises(NotPublic):
        LaplaceTopK(1, 1).simulate(PROBLEM, np.random.default_rng(0), 1)
    with refused(ParameterError, "not written out"):
        LaplaceTopK(3, 1).outcomes(Frame(range(100), 1, EDGE))
    with refused(ParameterError, "finite bound"):
        LaplaceTopK(1, 1).privacy(Frame(range(2), None, EDGE))


def test_nothing_is_promised_by_default() -> None:
    """Where all utilities move, two movers would be a false promise: 1.5 epsilon and more on this pair."""
    frame = Frame(range(4), 1, Adjacency.REPLACE)
    x, y = (SelectionProblem(frame, utilities) for utilities in ([3, 0, 3, 0], [2, 1, 2, 1]))

    def loss(mechanism: LaplaceTopK) -> float:
        return float(np.abs(mechanism.log_probabilities(x) - mechanism.log_probabilities(y)).max())

    assert LaplaceTopK(3, 1).width(frame) == 6
    assert loss(LaplaceTopK(3, 1)) <= 1
    assert loss(LaplaceTopK(3, 1, movers=2)) > 1


def test_whole_utilities_beyond_the_floats_are_not_rounded() -> None:
    far = 2**60
    frame = Frame(range(3), 1, EDGE, monotone=True)
    exponents = LaplaceTopK(1, 1).exponents(SelectionProblem(frame, [far, far - 1, -far]))
    assert [exponents.exact(group) for group in range(3)] == [0, 1, 2 * far]
