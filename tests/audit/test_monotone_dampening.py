"""Local dampening of utilities that all move in one direction: how far below epsilon / 2 its rate need not be.

Proof: docs/proofs/local_dampening.md, "How much monotone helps".
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import audit_admissibility
from dampen.mechanisms import Exponential, LocalDampening, PermuteAndFlip
from dampen.mechanisms.selection.score import Law
from dampen.queries import information_gain_problem
from dampen.queries.splits.attribute import information_gain_bound
from dampen.sensitivity import RungTable
from tests.audit.universes.base import Universe
from tests.audit.universes.database_graphs import database_graphs
from tests.audit.universes.information_gain import information_gain

LAWS = pytest.mark.parametrize("law", [Exponential, PermuteAndFlip])


@dataclass(frozen=True, init=False, repr=False)
class OverWidth(LocalDampening):
    """Exponents epsilon * D / ``width``: scores are claimed to move within an interval of that width."""

    width: Fraction

    def __init__(self, epsilon: Any, law: Law, width: Any, shift: Any = 0) -> None:
        super().__init__(epsilon, law, shift)
        object.__setattr__(self, "width", Fraction(width))

    def _rate(self, frame: Frame) -> Fraction:
        return self.epsilon / self.width


def loss_over_epsilon(mechanism: LocalDampening, universe: Universe) -> float:
    return universe.audit(mechanism).worst_log_ratio / float(mechanism.epsilon)


# The page's example


def of_the_page(x: int) -> SelectionProblem:
    """Two candidates: one rises evenly, the other's rungs grow."""
    frame = Frame(("one", "two"), bound=1000, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    rows = [[1, 1 if x == 0 else 1000], *[[1, 1000]] * 20]
    return SelectionProblem(frame, [x - 10, (1, 2, 1002)[x]], RungTable(rows, bound=1000))


PAGE = Universe("the page", of_the_page, [0, 1, 2], lambda x: [y for y in (x - 1, x + 1) if 0 <= y <= 2], horizon=10)


def test_the_example_of_the_page_loses_nearly_twice_epsilon_at_the_monotone_rate() -> None:
    assert PAGE.audit_admissibility().passed
    scores = [np.asarray(LocalDampening(1).scores(of_the_page(x))) for x in range(3)]
    assert np.array(scores) == pytest.approx(np.array([[-10, 1], [-9, 0.002], [-8, 1.002]]))
    assert loss_over_epsilon(OverWidth(1, Exponential, 1), PAGE) == pytest.approx(1.9979, abs=1e-4)
    assert loss_over_epsilon(LocalDampening(1, Exponential), PAGE) == pytest.approx(0.9920, abs=1e-4)


# The width 2 - least / bound


GRAPHS = database_graphs(seeds=range(60), nodes=12, size=3, monotone=True)


def raised(part: Fraction) -> Universe:
    """The same data sets, where no rung is below this part of the bound: a public floor."""

    def problem_of(x: Any) -> SelectionProblem:
        given = GRAPHS.problem_of(x)
        rows = given.sensitivity.ladder(5)
        bound = given.frame.bound
        assert bound is not None
        return SelectionProblem(given.frame, given.utilities, RungTable(rows, bound=bound, floor=bound * part))

    return Universe(GRAPHS.name, problem_of, GRAPHS.data_sets, GRAPHS.neighbours, horizon=5)


@pytest.mark.parametrize("part", ["1/100", "1/8", "1/2", "1"])
def test_scores_move_within_an_interval_of_that_width(part: str) -> None:
    """Of all candidates together, at three levels; with a floor as high as the bound all move in one direction."""
    universe, width, widest = raised(Fraction(part)), 2 - Fraction(part), 0.0
    for shift in (-3, 0, 2):
        scores = {
            x: np.asarray(LocalDampening(1, shift=shift).scores(universe.problem_of(x))) for x in GRAPHS.data_sets
        }
        for x in universe.data_sets:
            for y in universe.neighbours(x):
                moved = scores[y] - scores[x]
                widest = max(widest, float(moved.max() - moved.min()))
    assert 0.9 < widest <= float(width) * (1 + 1e-9)


@LAWS
@pytest.mark.parametrize("part", ["1/100", "1/8", "1/2", "1"])
def test_the_rate_of_that_width_keeps_epsilon(part: str, law: Law) -> None:
    universe = raised(Fraction(part))
    assert loss_over_epsilon(OverWidth(1, law, 2 - Fraction(part)), universe) <= 1 + 1e-6


def tight(least: int, bound: int, behind: int) -> Universe:
    """Nothing moves but one candidate far behind, by one rung; the rungs of the leader lose their first one."""

    def problem_of(x: int) -> SelectionProblem:
        frame = Frame(("leader", "last"), bound=bound, adjacency=Adjacency.REPLACE, monotone=True)
        first = [least if x == 0 else bound, least]
        rows = [first, *[[bound, least]] * (2 * behind)]
        table = RungTable(rows, bound=bound, floor=least)
        return SelectionProblem(frame, [bound, least * (x - behind)], table)

    return Universe("a tight pair", problem_of, [0], lambda x: [1 - x], horizon=2 * behind - 1)


@LAWS
@pytest.mark.parametrize("bound", [2, 8, 1000])
def test_no_smaller_width_will_do(bound: int, law: Law) -> None:
    """The pair loses all of epsilon at that width, up to exp(-20), and more at any smaller one."""
    universe, width = tight(1, bound, 40), 2 - Fraction(1, bound)
    assert audit_admissibility(universe.problem_of, [0, 1], lambda x: [1 - x], 20).passed
    assert loss_over_epsilon(OverWidth(1, law, width), universe) == pytest.approx(1, abs=1e-5)
    assert loss_over_epsilon(OverWidth(1, law, width * Fraction(99, 100)), universe) > 1.009


# Information gain


def gains(half: int) -> Universe:
    """``half`` records of each class in one value of the first attribute, which the second tells apart; one more.

    The record more has a value of its own in the first attribute, and the wrong one in the second.
    """

    def problem_of(x: int) -> SelectionProblem:
        first, second = [[x, 0], [half, half]], [[x, half], [half, 0]]
        return information_gain_problem([first, second], adjacency=Adjacency.ADD_REMOVE, max_records=2 * half + 1)

    return Universe(f"{2 * half} records and one more", problem_of, [0], lambda x: [1 - x])


@pytest.mark.parametrize(
    ("half", "epsilon", "loss"),
    [(3, "1", 1.496), (10, "1", 1.753), (100, "1", 1.850), (5_000, "1", 1.912), (500_000, "1/100", 1.942)],
)
def test_information_gain_needs_nearly_the_factor_two(half: int, epsilon: str, loss: float) -> None:
    """From 6 records to a million, at the monotone rate; never above 2 - 1 / f(N - 1)."""
    found = loss_over_epsilon(OverWidth(epsilon, PermuteAndFlip, 1), gains(half))
    assert found == pytest.approx(loss, abs=1e-3)
    assert found <= 2 - 1 / float(information_gain_bound(2 * half + 1))


def test_the_first_rung_of_every_table_with_a_record_is_a_bit() -> None:
    """Of two and of three classes; the least is that of two classes of equal size, and tends to 1."""
    least = 9.0
    for classes in (2, 3):
        for row in combinations_with_replacement(range(7), classes):
            for other in product((0, 3), repeat=classes):
                if sum(row) + sum(other):
                    problem = information_gain_problem([[row, other]] * 2, adjacency=Adjacency.ADD_REMOVE)
                    least = min(least, float(problem.sensitivity.at(0)[0]))
    assert least == pytest.approx(1.0657, abs=1e-4)
    halves = information_gain_problem([[[10**6] * 2]] * 2, adjacency=Adjacency.ADD_REMOVE)
    assert 1 <= halves.sensitivity.at(0)[0] < 1 + 1e-6


@LAWS
@pytest.mark.parametrize("largest", [5, pytest.param(8, marks=pytest.mark.long)])
def test_with_a_public_number_of_records_information_gain_may_have_the_rate_of_its_width(
    largest: int, law: Law
) -> None:
    universe, bound = information_gain(attributes=2, largest=largest, bounded=True), information_gain_bound(largest)
    found = loss_over_epsilon(OverWidth(1, law, 2 - 1 / bound), universe)
    print(f"{found:.6f}")
    assert found <= 1
