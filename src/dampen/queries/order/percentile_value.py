"""Which value of a public grid is the percentile? Scored by how many people must change."""

from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, flag
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.order.distances import lengths, stability
from dampen.queries.order.percent import share_of
from dampen.queries.order.stretches import Stretches, stretches
from dampen.tables.counts import count_on_grid
from dampen.tables.filters import record_adjacency, require_public_number
from dampen.tables.grid import as_grid
from dampen.vectors import Integers


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

    The percentile is the 0-based element min(n - 1, floor(p n / 100)) of the sorted values, each counted at its grid
    point; p = 0 is the minimum and p = 100 the maximum. The utility of any other value is -len, len the least number
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
    groups = stretches(counted.places, counted.counts, len(counted.grid))
    frame = Frame(counted.grid, bound=1, adjacency=adjacency)
    utilities = value_utilities(groups, share, adjacency, stable=stable)
    return SelectionProblem(frame, groups.runs(utilities))


def value_utilities(groups: Stretches, share: Fraction, adjacency: Adjacency, *, stable: bool) -> Integers:
    """-len for each group, and D - 1 at the percentile where ``stable``."""
    utilities = -lengths(groups, share, adjacency)
    if stable and groups.n:
        place = int(np.argmax(utilities))
        utilities[place] = stability(groups, place, share, adjacency) - 1
    return utilities
