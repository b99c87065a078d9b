"""Which value of a public grid is the percentile? Scored by how far its rank is off."""

from fractions import Fraction
from typing import Any, Literal

import numpy as np

from dampen._validate import Number, one_of, shown
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.order.distances import excesses
from dampen.queries.order.percent import share_of
from dampen.queries.order.stretches import Stretches, stretches
from dampen.tables.counts import count_on_grid
from dampen.tables.filters import record_adjacency, require_public_number
from dampen.tables.grid import as_grid
from dampen.vectors import LARGEST_WHOLE, Integers

LARGEST_DENOMINATOR = 2**20
"""Of p: rank errors are whole multiples of 1 / (100 denominators)."""

Ties = Literal["aware", "plain"]


def percentile_rank_problem(
    values: Any,
    p: Number,
    *,
    grid: Any,
    adjacency: Adjacency,
    ties: Ties = "aware",
    column: str | None = None,
    missing: str = "refuse",
) -> SelectionProblem:
    """Which value of the grid has p percent of the values below it?

    With p / 100 = a / b in lowest terms, ``lt`` values below v, ``le`` at or below it and n in all, the utility of v is
    -max(0, b lt - a n, a n - b le) where ties are ``"aware"``: 0 wherever the target rank lies within the values equal
    to v. With ``"plain"`` it is -abs((b - a) lt - a (n - le)), the score of other libraries, which under ties may
    prefer another value than the percentile however much is spent. Whole numbers. Sensitivity max(a, b - a) under
    ``ADD_REMOVE`` and b under ``REPLACE`` (docs/proofs/percentile.md).

    >>> import dampen
    >>> from dampen.queries import percentile_rank_problem
    >>> problem = percentile_rank_problem([1, 3, 3, 3, 4], 50, grid=range(6), adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> np.asarray(problem.utilities).tolist()
    [-5, -3, -3, 0, -3, -5]
    """
    share, rule = share_of(p), one_of(("aware", "plain"), ties=ties)
    if exact_denominator(share) > LARGEST_DENOMINATOR:
        raise ParameterError(f"p must have a denominator of at most 2**20 for rank errors; got {shown(p)}")
    bound = rank_sensitivity(share, record_adjacency(adjacency))
    require_public_number(values, adjacency, missing)
    counted = count_on_grid(values, as_grid(grid), column=column, missing=missing)
    groups = stretches(counted.places, counted.counts, len(counted.grid))
    if share.denominator * groups.n > LARGEST_WHOLE:
        raise DataError("values must be so few that their number times the denominator of p / 100 stays below 2**62")
    utilities = aware_rank_errors(groups, share) if rule == "aware" else plain_rank_errors(groups, share)
    return SelectionProblem(Frame(counted.grid, bound=bound, adjacency=adjacency), groups.runs(utilities))


def exact_denominator(share: Fraction) -> int:
    """The denominator of p itself."""
    return (share * 100).denominator


def rank_sensitivity(share: Fraction, adjacency: Adjacency) -> int:
    """max(a, b - a) under ``ADD_REMOVE``, b under ``REPLACE``."""
    a, b = share.numerator, share.denominator
    return b if adjacency is Adjacency.REPLACE else max(a, b - a)


def aware_rank_errors(groups: Stretches, share: Fraction) -> Integers:
    """-max(0, U, W) for each group."""
    u, w = excesses(groups, share)
    return np.asarray(-np.maximum(np.maximum(u, w), 0), dtype=np.int64)


def plain_rank_errors(groups: Stretches, share: Fraction) -> Integers:
    """-abs(U + a e) for each group, e the values equal to it."""
    u, _ = excesses(groups, share)
    return np.asarray(-np.abs(u + share.numerator * groups.here), dtype=np.int64)
