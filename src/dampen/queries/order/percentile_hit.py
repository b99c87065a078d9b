"""Is this value the percentile? Utilities of 0 and 1, with the exact number of people who must change."""

from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.order.distances import lengths, stability
from dampen.queries.order.percent import share_of
from dampen.queries.order.stretches import Stretches, stretches
from dampen.sensitivity import Step
from dampen.tables.counts import count_on_grid
from dampen.tables.filters import record_adjacency, require_public_number
from dampen.tables.grid import as_grid
from dampen.vectors import Integers


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
    groups = stretches(counted.places, counted.counts, len(counted.grid))
    frame = Frame(counted.grid, bound=1, adjacency=adjacency)
    utilities, starts = hits(groups, share, adjacency)
    return SelectionProblem(frame, groups.runs(utilities), Step(starts, bound=1))


def hits(groups: Stretches, share: Fraction, adjacency: Adjacency) -> tuple[Integers, Integers]:
    """For each group its utility, and the distance at which its sensitivity becomes 1."""
    steps = lengths(groups, share, adjacency)
    utilities = (steps == 0).astype(np.int64)
    for place in np.flatnonzero(utilities):
        steps[place] = stability(groups, int(place), share, adjacency)
    return utilities, steps - 1
