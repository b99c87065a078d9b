"""Graphs of the atlas with every score of their nodes: ego betweenness, its range score, degrees, the level score."""

from collections.abc import Callable

from dampen import SelectionProblem
from dampen.audit import graphs
from dampen.audit.neighbours import Graph
from dampen.queries import degree_problem, ego_betweenness_problem, ego_betweenness_range_problem, level_problem
from dampen.queries.level import LevelPlan, pair_weights
from dampen.statistics.graph_levels import distance_two_sums
from tests.audit.universes.atlas import neighbours_up_to_names
from tests.audit.universes.base import Universe
from tests.unit.queries import graph_judges as judge


def ego_betweenness(*, largest: int, smallest: int = 2, tight: bool) -> Universe:
    """With the published sensitivity, or the one by co-degrees."""

    def problem_of(x: Graph) -> SelectionProblem:
        values = [float(value) for value in judge.ego_betweenness(x)]
        return ego_betweenness_problem(values, judge.degrees(x), codegrees=judge.codegrees(x) if tight else None)

    label = "co-degrees" if tight else "degrees"
    return _on_the_atlas(f"ego betweenness by {label}", problem_of, largest, smallest)


def ego_betweenness_range(*, largest: int, smallest: int = 2) -> Universe:
    def problem_of(x: Graph) -> SelectionProblem:
        return ego_betweenness_range_problem([float(v) for v in judge.ego_betweenness(x)], judge.degrees(x))

    return _on_the_atlas("range score of ego betweenness", problem_of, largest, smallest)


def node_degrees(*, largest: int, smallest: int) -> Universe:
    return _on_the_atlas("degrees by the query", lambda x: degree_problem(judge.degrees(x)), largest, smallest)


def level_universe(plan: LevelPlan) -> Universe:
    """All graphs of ``plan.n`` nodes, scored by one plan: what follows a released h."""

    def problem_of(x: Graph) -> SelectionProblem:
        weights = pair_weights(plan.step, plan.bits, plan.n + 1)
        return level_problem(distance_two_sums(*judge.csr(x), weights), judge.degrees(x), plan)

    return _on_the_atlas(f"level scores, {plan.step}, {float(plan.level):g}", problem_of, plan.n, plan.n)


def _on_the_atlas(name: str, problem_of: Callable[[Graph], SelectionProblem], largest: int, smallest: int) -> Universe:
    label = f"{name}, graphs of {smallest} to {largest} nodes"
    return Universe(label, problem_of, graphs(largest=largest, smallest=smallest), neighbours_up_to_names, horizon=5)
