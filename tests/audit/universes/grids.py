"""Rank errors on a public grid, written as runs: one group for each stretch of equal utility."""

from itertools import groupby

from dampen import Adjacency, Frame, Runs, SelectionProblem
from dampen.audit import add_remove_neighbours, multisets
from tests.audit.universes.base import Universe

GRID = range(12)
VALUES = (1, 4, 5, 9)


def rank_errors_on_a_grid() -> Universe:
    """The utility of grid point g is -|#(x <= g) - #(x > g)|; one record moves it by exactly 1."""
    frame = Frame(GRID, bound=1, adjacency=Adjacency.ADD_REMOVE)

    def problem_of(x: tuple[int, ...]) -> SelectionProblem:
        errors = [-abs(sum(v <= g for v in x) - sum(v > g for v in x)) for g in GRID]
        groups = [(error, len(list(members))) for error, members in groupby(errors)]
        return SelectionProblem(frame, Runs([error for error, _ in groups], [size for _, size in groups]))

    return Universe("rank errors on a grid", problem_of, multisets(VALUES, largest=7), add_remove_neighbours(VALUES))
