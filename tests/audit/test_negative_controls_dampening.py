"""Planted faults of instance-based selection. Each has been made, in print or in code; all must be caught."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from dampen import Adjacency, Frame, Runs, SelectionProblem
from dampen.audit import (
    AuditReport,
    add_remove_neighbours,
    audit_admissibility,
    audit_selection,
    edge_neighbours,
    multisets,
)
from dampen.audit.neighbours import Graph
from dampen.mechanisms import (
    Exponential,
    LocalDampening,
    PairwiseDampening,
    ParetoNoisyMax,
    PermuteAndFlip,
    ShiftedLocalDampening,
    SmoothExponential,
    StableArgmax,
    TopK,
)
from dampen.mechanisms.selection.pairwise_dampening import clipped_rate
from dampen.privacy import PrivacyLoss
from dampen.queries import ego_betweenness_problem
from dampen.sensitivity import RungTable, SensitivityFunction, Step
from dampen.vectors import Floats
from tests.audit.universes.base import Universe
from tests.audit.universes.counts import counts_add_remove
from tests.audit.universes.database_graphs import database_graphs, leader_and_followers
from tests.audit.universes.ego_betweenness import ten_nodes
from tests.audit.universes.information_gain import information_gain
from tests.audit.universes.winners import records_to_lead, winner_problem, winners
from tests.unit.queries.graph import judges as judge

EPSILONS = ("0.1", "1", "3")


class FirstRungForEver(SensitivityFunction):
    """s(x, t) = LS(x, 0): does not decrease along one data set, which is all that the printed definition asks."""

    def __init__(self, first: Floats, bound: float) -> None:
        super().__init__(size=len(first), bound=bound, floor=bound / 256)
        self._first = first

    def at(self, t: int) -> Floats:
        return self._first


def with_first_rungs(universe: Universe) -> Universe:
    """The same utilities, with the first rung for ever."""

    def problem_of(x: object) -> SelectionProblem:
        problem = universe.problem_of(x)
        assert problem.frame.bound is not None
        rungs = FirstRungForEver(problem.sensitivity.at(0), float(problem.frame.bound))
        return SelectionProblem(problem.frame, problem.utilities, rungs)

    return Universe(universe.name, problem_of, universe.data_sets, universe.neighbours, horizon=universe.horizon)


def pair_universe(problem_of: Callable[[int], SelectionProblem]) -> Universe:
    """Two databases, 0 and 1."""
    return Universe("two databases", problem_of, [0], lambda x: [1 - x])


def loss_over_epsilon(report: AuditReport) -> float:
    assert report.breaches == ("epsilon",), str(report)
    return report.worst_log_ratio / float(report.claim.epsilon or 0)


GRAPHS = database_graphs(seeds=range(40), nodes=12, size=3, monotone=False)


def test_the_printed_admissibility() -> None:
    report = with_first_rungs(GRAPHS).audit_admissibility()
    assert not report.passed
    assert report.worst_condition == "next rung"


def test_a_function_that_is_right_at_first_and_too_low_later() -> None:
    """Row 1 repeats row 0 although a neighbour's row 0 is higher."""

    def problem_of(x: int) -> SelectionProblem:
        frame = Frame(("r",), bound=3, adjacency=Adjacency.REPLACE)
        rungs = [[1], [1], [3]] if x == 0 else [[3], [3], [3]]
        return SelectionProblem(frame, [x * (x + 1) // 2], RungTable(rungs, bound=3))

    path = [0, 1, 2]
    report = audit_admissibility(problem_of, path, lambda x: [y for y in path if abs(x - y) == 1], horizon=2)
    assert not report.passed
    assert (report.worst_condition, report.worst_pair, report.worst_shortfall) == ("next rung", (0, 1), 2)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("law", [Exponential, PermuteAndFlip])
def test_dampening_on_the_first_rung_only(law: type[Exponential] | type[PermuteAndFlip], epsilon: str) -> None:
    report = with_first_rungs(GRAPHS).audit(LocalDampening(epsilon, law))
    assert "epsilon" in report.breaches
    assert report.worst_log_ratio > 5 * float(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("direction", ["up", "down"])
def test_shifted_dampening_with_a_bound_below_the_largest_row(direction: str, epsilon: str) -> None:
    class Overflowing(SensitivityFunction):
        """Rows that pass the bound, which a table would refuse."""

        def __init__(self, of: SensitivityFunction, bound: float) -> None:
            super().__init__(size=of.size, bound=bound)
            self._of = of

        def at(self, t: int) -> Floats:
            return self._of.at(t)

    def problem_of(x: object) -> SelectionProblem:
        problem = GRAPHS.problem_of(x)
        assert problem.frame.bound is not None
        low = float(problem.frame.bound) / 2
        frame = Frame(problem.frame.candidates, bound=low, adjacency=problem.frame.adjacency)
        return SelectionProblem(frame, problem.utilities, Overflowing(problem.sensitivity, low))

    lying = Universe("bound too low", problem_of, GRAPHS.data_sets, GRAPHS.neighbours, horizon=4)
    mechanism = ShiftedLocalDampening(epsilon, 3, "up" if direction == "up" else "down")
    assert loss_over_epsilon(lying.audit(mechanism)) > 1.5
    report = lying.audit_admissibility()
    assert not report.passed
    assert report.worst_condition == "bound"


class AtTheMonotoneRate(LocalDampening):
    def _rate(self, frame: Frame) -> Fraction:
        return self.epsilon


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_local_dampening_of_information_gain_at_the_monotone_rate(epsilon: str) -> None:
    universe = information_gain(attributes=2, largest=5, bounded=False)
    assert loss_over_epsilon(universe.audit(AtTheMonotoneRate(epsilon))) > 1.05


@pytest.mark.long
def test_local_dampening_of_information_gain_at_the_monotone_rate_in_full() -> None:
    """Worse than the 1.27 epsilon once found on other small tables; 1.327 with the exponential law."""
    universe = information_gain(attributes=2, largest=8, bounded=False)
    assert loss_over_epsilon(universe.audit(AtTheMonotoneRate(1))) == pytest.approx(1.4960, abs=1e-3)
    assert universe.audit(AtTheMonotoneRate(1, Exponential)).worst_log_ratio == pytest.approx(1.3270, abs=1e-3)


def test_permute_and_flip_on_the_distance_of_the_winner_at_the_full_rate() -> None:
    """The score k * 1[winner] has sensitivity 1 but is not monotone: both coordinates move at a swap."""

    def problem_of(x: tuple[int, ...]) -> SelectionProblem:
        counts = [x.count(0), x.count(1)]
        distance = max(records_to_lead(counts, label, strict=False) for label in (0, 1))
        frame = Frame((0, 1), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True)
        return SelectionProblem(frame, distance * winner_problem(x, 2).groups)

    report = audit_selection(PermuteAndFlip(1), problem_of, multisets((0, 1), largest=6), add_remove_neighbours((0, 1)))
    assert loss_over_epsilon(report) == pytest.approx(2 + log(1 - (1 - exp(-1)) ** 2), abs=1e-12)
    assert round(report.worst_log_ratio, 2) == 1.49


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_stable_argmax_with_a_distance_one_too_large(epsilon: str) -> None:
    def problem_of(x: tuple[int, ...]) -> SelectionProblem:
        honest = winner_problem(x, 3)
        first = next(t for t in range(len(x) + 2) if honest.sensitivity.at(t).max() == 1)
        return SelectionProblem(honest.frame, honest.utilities, Step([first + 1] * 3, bound=1))

    truth = winners(labels=3, largest=6)
    lying = Universe("one too large", problem_of, truth.data_sets, truth.neighbours, horizon=8)
    assert loss_over_epsilon(lying.audit(StableArgmax(epsilon))) > 1.2
    report = lying.audit_admissibility()
    assert not report.passed
    assert report.worst_condition == "first rung"


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_calibration_of_indicators_on_general_utilities(epsilon: str) -> None:
    """With 0 and 1 a swap keeps the normaliser; two utilities that meet from 2 apart do not."""

    def problem_of(x: int) -> SelectionProblem:
        frame = Frame(("a", "b"), bound=1, adjacency=Adjacency.REPLACE)
        return SelectionProblem(frame, [float(x), 2.0 - x], RungTable([[1.0, 1.0]], bound=1))

    universe = pair_universe(problem_of)
    report = universe.audit(SmoothExponential(epsilon, "1e-6", indicator=True))
    assert report.breaches == ("delta",)
    assert report.worst_delta > 1e-3
    assert universe.audit(SmoothExponential(epsilon, "1e-6")).passed


@pytest.mark.parametrize(
    ("nu", "epsilon", "behind", "far_behind"),
    [
        (1, "0.1", 0.04, 1e5),
        (1, "1", 0.41, 1.07e5),
        (1, "3", 3.36, 1.35e5),
        (2, "0.1", 0.042, 666),
        (2, "1", 0.25, 693),
        (2, "3", 1.12, 780),
    ],
)
def test_the_pareto_calibration_of_indicators_on_general_utilities(
    nu: int, epsilon: str, behind: float, far_behind: float
) -> None:
    """One rival slides past while a million others, far behind, gain by the dilation: both terms are needed.

    It takes that many: up to a thousand candidates no pair was found that loses 1.1 epsilon.
    """
    mechanism, size = ParetoNoisyMax(epsilon, nu, indicator=True), 10**6 + 2
    frame = Frame(range(size), bound=1, adjacency=Adjacency.REPLACE)
    first = exp(-float(mechanism.beta(frame)))
    scale = 2 * first / float(mechanism.alpha(frame))

    def problem_of(x: int) -> SelectionProblem:
        """Utilities move by the first rung at most, and the smooth sensitivity rises from there to 1."""
        utilities = Runs([-first * x, -behind * scale + first * x, -far_behind * scale], [1, 1, 10**6])
        return SelectionProblem(frame, utilities, RungTable([[1.0 if x else first] * 3], bound=1))

    universe = pair_universe(problem_of)
    assert universe.audit_admissibility().passed
    assert loss_over_epsilon(universe.audit(mechanism)) > 1.2
    assert universe.audit(ParetoNoisyMax(epsilon, nu)).passed


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("law", [Exponential, PermuteAndFlip])
def test_top_k_at_the_price_of_one_pick(law: type[Exponential] | type[PermuteAndFlip], epsilon: str) -> None:
    class OnePick(TopK):
        def privacy(self, frame: Frame) -> PrivacyLoss:
            return self.base.privacy(frame)

    report = counts_add_remove().audit(OnePick(2, law(epsilon)))
    assert "epsilon" in report.breaches
    assert report.worst_log_ratio > 1.2 * float(epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_pairwise_dampening_against_the_winner_only(epsilon: str) -> None:
    """A leader of large sensitivity and one of small sensitivity swap: deficits of 100/51 and of 50."""

    class AgainstTheWinner(PairwiseDampening):
        def _group_scores(self, problem: SelectionProblem) -> Floats:
            u, rungs = problem.groups, problem.sensitivity.rung(0)
            best = int(np.argmax(u))
            return np.asarray((u - u[best]) / (rungs + rungs[best]))

    def problem_of(x: int) -> SelectionProblem:
        frame = Frame(("w", "w'", "r"), bound=50, adjacency=Adjacency.REPLACE)
        utilities = [100.01 - 0.02 * x, 100.0, 0.0]
        return SelectionProblem(frame, utilities, RungTable([[50.0, 1.0, 1.0]] * 60, bound=50))

    universe = pair_universe(problem_of)
    assert universe.audit_admissibility().passed
    assert loss_over_epsilon(universe.audit(AgainstTheWinner(epsilon))) > 13.3
    assert universe.audit(PairwiseDampening(epsilon)).passed


@pytest.mark.parametrize(("rivals", "small", "one"), [(1, 1.465, 1.275), (3, 1.734, 1.552), (10, 1.904, 1.831)])
def test_clipped_permute_and_flip_at_full_epsilon(rivals: int, small: float, one: float) -> None:
    """Right for two candidates, wrong for three and more; the losses are those of the theory, to three digits."""

    class AtFullEpsilon(PairwiseDampening):
        def _rate_at(self, epsilon: Fraction, frame: Frame) -> Fraction:
            return epsilon

    universe = leader_and_followers(2 + rivals)
    for epsilon, expected in (("0.1", small), ("1", one)):
        report = universe.audit(AtFullEpsilon(epsilon, "clipped"))
        assert loss_over_epsilon(report) == pytest.approx(expected, abs=6e-4)
    assert universe.audit(PairwiseDampening(1, "clipped")).passed


def test_rounded_up_scores_at_the_pairwise_rate() -> None:
    """Whole people: a sound score of sensitivity 1, but not pairwise dampening, so its rate is another."""

    class RoundedUp(PairwiseDampening):
        def _group_scores(self, problem: SelectionProblem) -> Floats:
            return np.asarray(np.floor(super()._group_scores(problem)))

    def problem_of(x: int) -> SelectionProblem:
        frame = Frame(("a", "b"), bound=1, adjacency=Adjacency.REPLACE)
        return SelectionProblem(frame, [float(x), 1.0 - x], RungTable([[1.0, 1.0]], bound=1))

    epsilon = Fraction(3, 10)
    report = pair_universe(problem_of).audit(RoundedUp(epsilon, "clipped"))
    rate = float(clipped_rate(epsilon, 2, flip=True))
    assert report.worst_log_ratio == pytest.approx(2 * rate + log(1 - (1 - exp(-rate)) ** 2), abs=1e-5)
    assert loss_over_epsilon(report) == pytest.approx(1.768, abs=5e-4)
    assert pair_universe(problem_of).audit(PairwiseDampening(epsilon, "clipped")).passed


def test_one_common_neighbour_too_few() -> None:
    """Co-degrees without one of the nodes: an edge between the centres of K_{2,8} costs more than that allows."""

    def problem_of(x: Graph) -> SelectionProblem:
        counted = [max(0, shared - 1) for shared in judge.codegrees(x)]
        values = [float(value) for value in judge.ego_betweenness(x)]
        return ego_betweenness_problem(values, judge.degrees(x), codegrees=counted)

    report = audit_admissibility(problem_of, ten_nodes()[:1], edge_neighbours, 3)
    assert not report.passed
    assert report.worst_condition == "first rung"
