"""Majorities by the library's own queries: counts, approvals and the winner of all small tables."""

from itertools import combinations

from dampen import Adjacency
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.queries import approval_problem, count_problem, winner_problem
from tests.audit.universes.base import Universe

LABELS = ("a", "b", "c")
BALLOTS = tuple(chosen for size in range(len(LABELS) + 1) for chosen in combinations(LABELS, size))


def category_counts(adjacency: Adjacency, *, largest: int = 6) -> Universe:
    adds = adjacency is Adjacency.ADD_REMOVE
    return Universe(
        f"counts of categories, {adjacency.name}",
        lambda x: count_problem(list(x), categories=LABELS, adjacency=adjacency),
        multisets(LABELS, largest=largest, smallest=0 if adds else 1),
        (add_remove_neighbours if adds else replace_neighbours)(LABELS),
    )


def approvals(adjacency: Adjacency, *, largest: int = 3) -> Universe:
    adds = adjacency is Adjacency.ADD_REMOVE
    return Universe(
        f"approvals of categories, {adjacency.name}",
        lambda x: approval_problem(x, categories=LABELS, adjacency=adjacency),
        multisets(BALLOTS, largest=largest, smallest=0 if adds else 1),
        (add_remove_neighbours if adds else replace_neighbours)(BALLOTS),
    )


def category_winners(adjacency: Adjacency, *, largest: int) -> Universe:
    adds = adjacency is Adjacency.ADD_REMOVE
    return Universe(
        f"winner of the categories, {adjacency.name}",
        lambda x: winner_problem(list(x), categories=LABELS, adjacency=adjacency),
        multisets(LABELS, largest=largest, smallest=0 if adds else 1),
        (add_remove_neighbours if adds else replace_neighbours)(LABELS),
        indicator=True,
        horizon=largest + 2,
    )
