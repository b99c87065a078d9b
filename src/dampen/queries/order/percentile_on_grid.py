"""Which value of a public grid is the percentile? Scored by people who must change, by yes or no, or by its rank."""

from fractions import Fraction
from typing import Any, Literal

import numpy as np

from dampen._validate import Number, flag, one_of, render, share_of
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.order.stretches import Stretches, excesses, find_stretches, steps_to_leave, steps_to_percentile
from dampen.sensitivity import Step
from dampen.tables.counts import count_on_grid
from dampen.tables.filters import record_adjacency, require_public_number
from dampen.tables.grid import as_grid
from dampen.vectors import LARGEST_WHOLE, Integers

LARGEST_DENOMINATOR = 2**20
"""Of p: rank errors are whole multiples of 1 / (100 denominators)."""
Ties = Literal["aware", "plain"]


def percentile_value_problem(
    values: Any,
    p: Number,
    *,
    grid: Any,
    adjacency: Adjacency,
    column: str | None = None,
    missing: str = "refuse",
    stable: bool = True,
) -> SelectionProblem:
    """Which value of the grid is the p-th percentile of the values?

    The percentile is the 0-based element min(n - 1, floor(p n / 100)) of the sorted values, rounded down to the
    grid; p = 0 is the minimum and p = 100 the maximum. The utility of any other value is -len, len the least number
    of people who must change before it is the percentile. The utility of the percentile itself is D - 1, D the least
    number of people who must change before it is not. Whole numbers, of sensitivity 1 under either adjacency, and no
    score that is at least 0 at the percentile and at most -1 elsewhere tells them further apart
    (docs/proofs/percentile.md). ``stable=False`` gives the classical utility: 0 in place of D - 1.

    ``grid`` is a range, a tuple or an array of increasing numbers. A huge grid costs no more than its distinct values.

    >>> import dampen
    >>> from dampen.queries import percentile_value_problem
    >>> add_remove = dampen.Adjacency.ADD_REMOVE
    >>> problem = percentile_value_problem([1, 3, 3, 3, 4], 50, grid=range(6), adjacency=add_remove)
    >>> np.asarray(problem.utilities).tolist()
    [-6, -4, -4, 2, -3, -5]
    """
    share, adjacency, stable = share_of(p), record_adjacency(adjacency), flag(stable=stable)
    require_public_number(values, adjacency, missing)
    counted = count_on_grid(values, as_grid(grid), column=column, missing=missing)
    groups = find_stretches(counted.places, counted.counts, len(counted.grid))
    frame = Frame(counted.grid, bound=1, adjacency=adjacency)
    utilities = value_utilities(groups, share, adjacency, stable=stable)
    return SelectionProblem(frame, groups.runs(utilities))


def value_utilities(groups: Stretches, share: Fraction, adjacency: Adjacency, *, stable: bool) -> Integers:
    """-len for each group, and D - 1 at the percentile where ``stable``."""
    utilities = -steps_to_percentile(groups, share, adjacency)
    if stable and groups.n:
        place = int(np.argmax(utilities))
        utilities[place] = steps_to_leave(groups, place, share, adjacency) - 1
    return utilities


def percentile_hit_problem(
    values: Any,
    p: Number,
    *,
    grid: Any,
    adjacency: Adjacency,
    column: str | None = None,
    missing: str = "refuse",
) -> SelectionProblem:
    """Which value of the grid is the p-th percentile, told only as yes or no?

    Utility 1 for the percentile, as defined in :func:`percentile_value_problem`, and 0 for every other value; without
    records all are 0. The sensitivity of a value steps from 0 to 1 one step before the nearest data set on which its
    utility is another one. That is the utility of the thesis with its exact local sensitivity, for ``StableArgmax``,
    dampening and Pareto noise; :func:`percentile_value_problem` errs far less.

    >>> import dampen
    >>> from dampen.queries import percentile_hit_problem
    >>> problem = percentile_hit_problem([1, 3, 3, 3, 4], 50, grid=range(6), adjacency=dampen.Adjacency.REPLACE)
    >>> np.asarray(problem.utilities).tolist(), problem.sensitivity.at(0).tolist()
    ([0, 0, 0, 1, 0, 0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    """
    share, adjacency = share_of(p), record_adjacency(adjacency)
    require_public_number(values, adjacency, missing)
    counted = count_on_grid(values, as_grid(grid), column=column, missing=missing)
    groups = find_stretches(counted.places, counted.counts, len(counted.grid))
    frame = Frame(counted.grid, bound=1, adjacency=adjacency)
    utilities, starts = hit_utilities(groups, share, adjacency)
    return SelectionProblem(frame, groups.runs(utilities), Step(starts, bound=1))


def hit_utilities(groups: Stretches, share: Fraction, adjacency: Adjacency) -> tuple[Integers, Integers]:
    """For each group its utility, and the distance at which its sensitivity becomes 1."""
    steps = steps_to_percentile(groups, share, adjacency)
    utilities = (steps == 0).astype(np.int64)
    for place in np.flatnonzero(utilities):
        steps[place] = steps_to_leave(groups, int(place), share, adjacency)
    return utilities, steps - 1


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
        raise ParameterError(f"p must have a denominator of at most 2**20 for rank errors; got {render(p)}")
    bound = rank_sensitivity(share, record_adjacency(adjacency))
    require_public_number(values, adjacency, missing)
    counted = count_on_grid(values, as_grid(grid), column=column, missing=missing)
    groups = find_stretches(counted.places, counted.counts, len(counted.grid))
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
