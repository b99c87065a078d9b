"""Graphs of the atlas with every score of their nodes: ego betweenness, its range score, degrees, the level score."""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from dampen import SelectionProblem
from dampen.audit import edge_neighbours, graphs
from dampen.audit.neighbours import Graph
from dampen.graphs.node_scores import distance_two_sums
from dampen.queries import degree_problem, ego_betweenness_problem, ego_betweenness_range_problem, level_problem
from dampen.queries.graph.level import LevelPlan, pair_weights
from tests.audit.universes.atlas import neighbours_up_to_names
from tests.audit.universes.base import Universe
from tests.unit.queries.graph import judges as judge


def ego_betweenness(*, largest: int, smallest: int = 2, tight: bool) -> Universe:
    """With the published sensitivity, or the one by co-degrees: up to seven nodes they are the same, min(d + t, G)."""
    name, problem_of = _by_sensitivity(tight)
    return _on_the_atlas(name, problem_of, largest, smallest)


def ego_betweenness_beyond_the_atlas(*, tight: bool) -> Universe:
    """Ten nodes, where q(m) > m and the two sensitivities differ: two and three centres, a clique, random graphs."""
    name, problem_of = _by_sensitivity(tight)
    return Universe(f"{name}, graphs of ten nodes", problem_of, ten_nodes(), edge_neighbours, horizon=9)


def ten_nodes() -> list[Graph]:
    pairs = list(combinations(range(10), 2))
    rng = np.random.default_rng(0)
    centres = [frozenset((a, b) for a in range(c) for b in range(c, 10)) for c in (2, 3)]
    clique = frozenset((a, b) for a, b in pairs if b < 8)
    drawn = [frozenset(pair for pair in pairs if rng.random() < share) for share in (0.3, 0.6, 0.85)]
    return [(10, edges) for edges in (*centres, clique, *drawn)]


def _by_sensitivity(tight: bool) -> tuple[str, Callable[[Graph], SelectionProblem]]:
    def problem_of(x: Graph) -> SelectionProblem:
        values = [float(value) for value in judge.ego_betweenness(x)]
        return ego_betweenness_problem(values, judge.degrees(x), codegrees=judge.codegrees(x) if tight else None)

    return f"ego betweenness by {'co-degrees' if tight else 'degrees'}", problem_of


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
