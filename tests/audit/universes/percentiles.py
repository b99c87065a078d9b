"""Percentiles of small tables on small grids, for several p at once: a data set is (p, records)."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from dampen import Adjacency, SelectionProblem
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.queries import (
    percentile_hit_problem,
    percentile_label_problem,
    percentile_rank_problem,
    percentile_value_problem,
)
from tests.audit.universes.base import Universe

PERCENTS = ("0", "10", "49.5", "50", "90", "100")
VALUES = (1, 2, 4)
GRID = range(6)
"""Of the six points three are never occupied: below, between and above the others."""
Case = tuple[str, tuple[int, ...]]


def _universe(
    name: str, problem_of: Callable[[Case], SelectionProblem], adjacency: Adjacency, largest: int, **kind: Any
) -> Universe:
    adds = adjacency is Adjacency.ADD_REMOVE
    around = add_remove_neighbours(VALUES) if adds else replace_neighbours(VALUES)
    tables = multisets(VALUES, largest=largest, smallest=0 if adds else 1)

    def neighbours(case: Case) -> Iterator[Case]:
        p, x = case
        return ((p, y) for y in around(x))

    cases = [(p, x) for p in PERCENTS for x in tables]
    return Universe(f"{name}, {adjacency.name}", problem_of, cases, neighbours, **kind)


def percentile_values(adjacency: Adjacency, *, largest: int = 5, stable: bool = True) -> Universe:
    def problem_of(case: Case) -> SelectionProblem:
        return percentile_value_problem(case[1], case[0], grid=GRID, adjacency=adjacency, stable=stable)

    name = "percentile on a grid" if stable else "percentile on a grid, the classical score"
    return _universe(name, problem_of, adjacency, largest)


def percentile_ranks(adjacency: Adjacency, *, plain: bool, largest: int = 4) -> Universe:
    ties: Any = "plain" if plain else "aware"

    def problem_of(case: Case) -> SelectionProblem:
        return percentile_rank_problem(case[1], case[0], grid=GRID, adjacency=adjacency, ties=ties)

    return _universe(f"rank errors, {ties}", problem_of, adjacency, largest)


def percentile_hits(adjacency: Adjacency, *, largest: int) -> Universe:
    def problem_of(case: Case) -> SelectionProblem:
        return percentile_hit_problem(case[1], case[0], grid=GRID, adjacency=adjacency)

    return _universe("the percentile, yes or no", problem_of, adjacency, largest, indicator=True, horizon=largest + 2)


def percentile_labels(*, labels: int, top: int, percents: Iterable[str]) -> Universe:
    """All tables of whole numbers up to ``top``, one for each public label."""

    def neighbours(case: Case) -> Iterator[Case]:
        p, x = case
        for place, value in product(range(labels), range(top + 1)):
            yield p, (*x[:place], value, *x[place + 1 :])

    return Universe(
        f"percentile among {labels} labels of values up to {top}",
        lambda case: percentile_label_problem(case[1], case[0], bound=top),
        [(p, x) for p in percents for x in product(range(top + 1), repeat=labels)],
        neighbours,
        horizon=labels + 1,
    )
