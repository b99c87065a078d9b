"""Sums of weights between -1 and 1: utilities that are floats, moving in both directions, rounded to the lattice."""

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import add_remove_neighbours, multisets
from tests.audit.universes.base import Universe

WEIGHTS = {
    "p": (1.0, -1.0, 0.1),
    "q": (-0.7, 1.0, -1.0),
    "r": (1 / 3, 0.2, 1.0),
    "s": (-1.0, -0.05, np.pi - 3),
}


def weighted_sums() -> Universe:
    frame = Frame(("one", "two", "three"), bound=1, adjacency=Adjacency.ADD_REMOVE)

    def problem_of(x: tuple[str, ...]) -> SelectionProblem:
        return SelectionProblem(frame, np.array([WEIGHTS[record] for record in x] or [(0.0,) * 3]).sum(axis=0))

    return Universe("weighted sums", problem_of, multisets("pqrs", largest=8), add_remove_neighbours("pqrs"))
