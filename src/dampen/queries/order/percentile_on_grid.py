"""Which value of a public grid is the percentile? Scored by people who must change, by yes or no, or by its rank.

The percentile of n records at the share q = p / 100 is the 0-based element min(n - 1, floor(q n)) of the sorted
records. With q = a / b, ``lt`` records below a value v and ``le`` at or below it, v is the percentile exactly if
U = b lt - a n <= 0 and W = a n - b le < 0 (q < 1). One record more or less moves U and W by at most M = max(a, b - a),
so distances are quotients by M; the proofs are in docs/proofs/percentile.md. Whole numbers only, never a float.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from dampen._validate import Number, flag, one_of, render, share_of
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, record_adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.sensitivity import Step
from dampen.tables.counts import count_on_grid, require_public_number
from dampen.tables.grid import as_grid
from dampen.vectors import LARGEST_WHOLE, Integers, Runs

LARGEST_DENOMINATOR = 2**20
"""Of p: rank errors are whole multiples of 1 / (100 denominators)."""
Ties = Literal["aware", "plain"]
LARGEST_PRODUCT = 2**61
"""Products that may exceed this are computed with Python's integers."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """At most 2 d + 1 groups of consecutive grid points, d the number of distinct values.

    An occupied point is a group of its own; the empty points between two of them are one group. ``below`` counts the
    records before the group, ``here`` those at each of its points.
    """

    sizes: Integers
    below: Integers
    here: Integers

    @property
    def up_to(self) -> Integers:
        """The records at or before the group."""
        return self.below + self.here

    @cached_property
    def n(self) -> int:
        """The number of records."""
        return int(self.here.sum())

    def runs(self, utilities: Integers) -> Runs:
        """One utility per group, as runs over the grid."""
        return Runs(utilities, self.sizes)


def find_stretches(places: Integers, counts: Integers, size: int) -> Stretches:
    """The groups of a grid of ``size`` points with ``counts`` records at the increasing ``places``."""
    gaps = np.diff(places, prepend=-1, append=size) - 1
    empty = np.flatnonzero(gaps)
    shifts = np.cumsum(gaps > 0)
    occupied = np.arange(len(places)) + shifts[:-1]
    sizes = np.ones(len(places) + len(empty), dtype=np.int64)
    here = np.zeros_like(sizes)
    # The gap before point i stands behind i points and all earlier gaps.
    sizes[empty + shifts[empty] - 1] = gaps[empty]
    here[occupied] = counts
    return Stretches(sizes, np.cumsum(here) - here, here)


def target_rank(n: int, share: Fraction) -> int:
    """The 0-based rank of the percentile among n >= 1 records."""
    return min(n - 1, share.numerator * n // share.denominator)


def steps_to_percentile(groups: Stretches, share: Fraction, adjacency: Adjacency) -> Integers:
    """For each group the least number of steps after which its values are the percentile; 0 for the percentile.

    Without records every value is one step away under ``ADD_REMOVE``, and by convention under ``REPLACE``.
    """
    if groups.n == 0:
        return np.ones(len(groups.sizes), dtype=np.int64)
    if adjacency is Adjacency.REPLACE:
        rank = target_rank(groups.n, share)
        return np.maximum(np.maximum(groups.below - rank, rank + 1 - groups.up_to), 0)
    if share == 1:
        return np.asarray(groups.n - groups.up_to + (groups.here == 0), dtype=np.int64)
    a, b = share.numerator, share.denominator
    largest, empty = max(a, b - a), groups.here == 0
    u, w = excesses(groups, share)
    # One step lowers U by b - a (a record below goes) or by a (one that is not below comes). An empty value needs a
    # record of its own as well, and that step lowers U by a alone. W is the mirror image.
    down = -(-u // largest)
    if a < b - a:
        down = np.where(empty, 1 + np.maximum(0, -((a - u) // (b - a))), down)
    up = w // largest + 1
    if a > b - a:
        up = np.where(empty, 1 + np.maximum(0, (w - (b - a)) // a + 1), up)
    return np.where(u > 0, down, np.where(w >= 0, up, 0)).astype(np.int64)


def excesses(groups: Stretches, share: Fraction) -> tuple[Any, Any]:
    """U and W of each group: 64-bit where they fit, else Python's integers."""
    a, b, n = share.numerator, share.denominator, groups.n
    kind: type = np.int64 if b * n < LARGEST_PRODUCT else object
    return b * groups.below.astype(kind) - a * n, a * n - b * groups.up_to.astype(kind)


def steps_to_leave(groups: Stretches, place: int, share: Fraction, adjacency: Adjacency) -> int:
    """The least number of steps after which the percentile, the value of group ``place``, is not that any more.

    To no records at all it is n steps. At either end of the grid nothing can push it further out.
    """
    n, lt, le = groups.n, int(groups.below[place]), int(groups.up_to[place])
    if adjacency is Adjacency.REPLACE:
        rank = target_rank(n, share)
        up, down = le - rank, rank - lt + 1
    elif share == 1:
        up, down = 1, le - lt
    else:
        a, b = share.numerator, share.denominator
        largest = max(a, b - a)
        up, down = -((a * n - b * le) // largest), (a * n - b * lt) // largest + 1
    ways = [n, *([up] if place + 1 < len(groups.sizes) else []), *([down] if place > 0 else [])]
    return min(ways)


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
