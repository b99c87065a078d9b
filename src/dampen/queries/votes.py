"""Votes in place of rows: a person's weight is spread over the own rows, on a lattice. Proofs: docs/proofs/people.md.

A person has weights at the places of a grid or of labels: whole numbers of at least 0 whose sum is at most ``each``, a
public number, and a function of the own rows alone. Summed over people they are counts, of which one person moves all
together by at most ``each``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen._validate import Number, share_of
from dampen.errors import DataError
from dampen.privacy import Adjacency, record_adjacency
from dampen.problem import CountsFrame, Frame, SelectionProblem
from dampen.queries.order.percentile_on_grid import excesses, find_stretches, rank_sensitivity
from dampen.tables.grid import Grid
from dampen.vectors import LARGEST_WHOLE, Integers


@dataclass(frozen=True, eq=False, repr=False)
class Votes:
    """Private: the sum of all people's weights at ``places``, increasing; none of them is 0.

    ``each``: what one person has at most, in all. Public.
    """

    places: Integers
    weights: Integers
    each: int

    def at_all(self, size: int) -> Integers:
        """The weight of every place."""
        found = np.zeros(size, dtype=np.int64)
        found[self.places] = self.weights
        return found


def votes_of(places: Any, weights: Any, each: int) -> Votes:
    """Votes from places in order and exact weights, which must fit 64 bits together."""
    listed = [int(weight) for weight in weights]
    if sum(listed) >= LARGEST_WHOLE:
        raise DataError("rows must be so few that all weights together stay below 2**62")
    kept = np.array(listed, dtype=np.int64)
    return Votes(np.asarray(places, dtype=np.int64)[kept > 0], kept[kept > 0], each)


def vote_percentile_problem(
    votes: Votes, p: Number, *, grid: Grid, adjacency: Adjacency, unit: str = ""
) -> SelectionProblem:
    """Which value of the grid is the p-th percentile of the votes?

    With p / 100 = a / b in lowest terms, L(v) the weight below v, G(v) that up to it and W all of it, the utility of v
    is -max(0, b L(v) - a W, a W - b G(v) + 1), and for p = 100 -max(0, L(v) - W + 1, W - G(v)): 0 for the value that
    the unit floor(a W / b) of weight stands at, counted from 0. A person more or less moves it by at most ``each``
    max(a, b - a), one with other rows by ``each`` b.

    >>> import dampen
    >>> from dampen.tables.grid import as_grid
    >>> votes = votes_of([1, 3], [6, 2], each=4)
    >>> problem = vote_percentile_problem(votes, 50, grid=as_grid(range(5)), adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> np.asarray(problem.utilities).tolist(), problem.frame.bound
    ([-9, 0, -4, -4, -8], Fraction(4, 1))
    """
    share = share_of(p)
    if share.denominator * int(votes.weights.sum()) >= LARGEST_WHOLE:
        raise DataError("rows must be so few that their weights times the denominator of p / 100 stay below 2**62")
    bound = rank_sensitivity(share, record_adjacency(adjacency)) * votes.each
    groups = find_stretches(votes.places, votes.weights, len(grid))
    frame = Frame(grid, bound=bound, adjacency=adjacency, unit=unit)
    u, w = excesses(groups, share)
    errors = np.maximum(u + 1, w) if share == 1 else np.maximum(u, w + 1)
    return SelectionProblem(frame, groups.runs(np.asarray(-np.maximum(errors, 0), dtype=np.int64)))


def vote_frame(labels: Sequence[Any], each: int, adjacency: Adjacency, unit: str = "") -> Frame:
    """What is known of votes for labels: one person moves all of them in one direction, a replaced one does not."""
    monotone = record_adjacency(adjacency) is Adjacency.ADD_REMOVE
    return Frame(labels, bound=each, adjacency=adjacency, monotone=monotone, unit=unit)


def vote_counts_frame(
    size: int, each: int, adjacency: Adjacency, unit: str = "", *, signed: bool = False
) -> CountsFrame:
    """What is known of votes as counts: a person more or less moves all by ``each`` in sum, a replaced one by twice.

    ``signed``: votes may be negative, so that a replaced person may move one count by twice as much too.
    """
    steps = 2 if record_adjacency(adjacency) is Adjacency.REPLACE else 1
    return CountsFrame(size, steps * each, adjacency, largest=steps * each if signed else each, unit=unit)
