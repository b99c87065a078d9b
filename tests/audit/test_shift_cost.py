"""What it costs to shift the noise of Laplace top-k from one graph to its neighbour: never more than the width."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.graphs.node_scores import distance_two_sums
from dampen.queries.graph.level import LevelPlan, pair_weights, plan_with_step, score_units
from dampen.vectors import Floats
from tests.audit.universes.atlas import neighbours_up_to_names
from tests.unit.queries.graph import judges as judge

SETTINGS = [
    ("1/2", "1", "1"),
    ("1/2", "1", "6"),
    ("1/2", "2", "2"),
    ("1/2", "4", "3.3"),
    ("3/16", "2", "2"),
    ("0", "1", "3.3"),
]
"""Step of the weights, floor and level."""
TOPS = (1, 2, 3)


def changes(plan: LevelPlan) -> Floats:
    """Of all scores, in units of the width's grid, for every pair of graphs up to names."""
    weights = pair_weights(plan.step, plan.bits, plan.n + 1)

    def scores(x: Graph) -> Floats:
        return np.asarray(score_units(distance_two_sums(*judge.csr(x), weights), np.array(judge.degrees(x)), plan))

    rows = []
    for x in graphs(largest=plan.n, smallest=plan.n):
        before = scores(x)
        rows += [scores(y) - before for y in neighbours_up_to_names(x)]
    return np.array(rows, dtype=np.float64)


def dearest(moved: Floats, lifts: Floats, k: int) -> Floats:
    """For each row the dearest set of k winners, at its cheapest lift c: winners end c above, losers at most c.

    Only who wins counts, not in which order. The cost is piecewise linear and convex in the lift, so where any lift may
    be had the changes themselves will do.
    """
    size = moved.shape[1]
    wins = np.array([[place in who for place in range(size)] for who in combinations(range(size), k)], dtype=np.float64)
    above = moved[:, None, :] - lifts[:, :, None]
    costs = np.abs(above) @ wins.T + np.maximum(above, 0) @ (1 - wins).T
    return np.asarray(costs.min(axis=1).max(axis=1))


def require_promise(moved: Floats, plan: LevelPlan) -> None:
    """When an edge is added at most two move more than the drift, down, and they by at most the bound."""
    few = (moved < -plan.drift) | (moved > 2)
    assert few.sum(axis=1).max() <= 2
    assert np.abs(moved).max() <= plan.bound


def shares_of_the_width(plan: LevelPlan) -> tuple[float, float]:
    """The largest cost by the width for k = 1, 2, 3: at the best lift, and at those of the proof.

    These are 0 where an edge is added and the drift where one is removed.
    """
    rows = changes(plan)
    require_promise(rows, plan)
    widths = [2 * plan.bound + k * plan.drift for k in TOPS]
    best = [max(dearest(part, part, k).max() for part in (rows, -rows)) for k in TOPS]
    zero, lifted = np.zeros((len(rows), 1)), np.full((len(rows), 1), float(plan.drift))
    proof = [max(dearest(rows, zero, k).max(), dearest(-rows, lifted, k).max()) for k in TOPS]
    return max(np.divide(best, widths)), max(np.divide(proof, widths))


@pytest.mark.parametrize(
    ("step", "floor", "level"),
    [pytest.param(*setting, marks=[pytest.mark.long] if place % 2 else []) for place, setting in enumerate(SETTINGS)],
)
def test_a_shift_costs_at_most_the_width_on_all_graphs_of_six_nodes(step: str, floor: str, level: str) -> None:
    best, proof = shares_of_the_width(plan_with_step(6, Fraction(step), Fraction(floor), Fraction(level)))
    assert 0.3 < best <= proof <= 1


@pytest.mark.long
@pytest.mark.parametrize("step", ["1/2", "3/16", "0"])
@pytest.mark.parametrize("floor", ["1", "2", "4"])
@pytest.mark.parametrize("level", ["0.5", "1", "2", "3.3", "6", "20"])
def test_a_shift_costs_at_most_the_width_on_all_graphs_of_seven_nodes(step: str, floor: str, level: str) -> None:
    best, proof = shares_of_the_width(plan_with_step(7, Fraction(step), Fraction(floor), Fraction(level)))
    assert best <= proof <= 1


def test_the_cost_by_hand() -> None:
    """Both ends rise and one wins with a third: lift that one. An end rises, the other falls, and both win: 2."""
    moved = np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    assert dearest(moved, moved, 1).tolist() == [1.0, 2.0]
    assert dearest(moved, moved, 2).tolist() == [1.0, 2.0]
    assert dearest(moved, np.zeros((2, 1)), 2).tolist() == [2.0, 2.0]
