"""A percentile as a number: the value at one rank of the sorted records, with the ladder of its gaps."""

from fractions import Fraction
from math import ceil, exp, log
from typing import Any

import numpy as np

from dampen._validate import Number, exact, positive, render, share_of, whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, record_adjacency
from dampen.problem import NumericFrame, NumericProblem
from dampen.sensitivity import SensitivityFunction
from dampen.tables.counts import count_on_grid, require_public_number
from dampen.tables.grid import Grid, as_grid
from dampen.vectors import Floats, Integers

FIRST_READ = 256
"""So many gaps on each side are looked at first."""

LARGEST_RATE = 300.0
"""What is smooth at this rate is smooth at every larger one."""

LONGEST = 2**14
"""So many rungs are computed; beyond them the rung is the bound. Public, so that it is a ladder."""


def order_statistic_problem(
    values: Any,
    p: Number,
    *,
    bounds: tuple[Number, Number],
    resolution: Number = 1,
    adjacency: Adjacency,
    column: str | None = None,
    missing: str = "refuse",
) -> NumericProblem:
    """What is the p-th percentile of the values, as a number?

    It is the record of ``percentile_value_problem``, number min(n, floor(p n / 100) + 1) from below. ``bounds`` = (lo,
    hi) and ``resolution`` are public: a value outside is moved to the nearer bound, and values are rounded down to the
    grid lo, lo + resolution, ... Without any record the answer is lo.

    The ladder of the data: with x_i the sorted records, x_i = lo for i < 1 and hi for i > n, and m the rank, rung t is
    the largest x_j - x_i with i <= m <= j and j - i = t + 1. Exact under ``REPLACE``, a ladder under ``ADD_REMOVE``
    (docs/proofs/ladders.md).

    >>> import dampen
    >>> from dampen.queries import order_statistic_problem
    >>> problem = order_statistic_problem([3, 5, 6, 7, 20], 50, bounds=(0, 100),
    ...                                   adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> int(problem.value), problem.rungs(5)
    (6, (1, 14, 94, 95, 97))
    """
    share, adjacency, step = share_of(p), record_adjacency(adjacency), positive(resolution=resolution)
    grid = _grid(bounds, step)
    require_public_number(values, adjacency)
    counted = count_on_grid(values, grid, column=column, missing=missing)
    rank = min(counted.n, int(share * counted.n) + 1)
    ladder = OrderStatisticLadder(counted.places, counted.counts, rank=rank, last=len(grid) - 1, step=step)
    low, width = exact(bounds=bounds[0]), (len(grid) - 1) * step
    frame = NumericFrame(width, adjacency, step, range=(low, low + width))
    return NumericProblem(frame, low + ladder.place * step, ladder)


class OrderStatisticLadder(SensitivityFunction):
    """The largest x_j - x_i with i <= m <= j and j - i = t + 1, for records at places of an even grid.

    ``counts[i]`` records stand at the increasing ``places[i]``; before the first there is place 0, after the last the
    place ``last``. ``step`` is the distance of two places. Beyond ``LONGEST`` rungs it is the bound. The floor is one
    step.
    """

    def __init__(self, places: Any, counts: Any, *, rank: int, last: int, step: Number = 1) -> None:
        self._last, self._step = whole(last=last, least=1), positive(step=step)
        super().__init__(size=1, bound=self._last * self._step, floor=self._step)
        self._places, self._ends = np.asarray(places, dtype=np.int64), np.cumsum(counts, dtype=np.int64)
        self._n = int(self._ends[-1]) if len(self._ends) else 0
        if not 0 <= rank <= self._n:
            raise DataError("rank must be that of a record, or 0")
        self._rank = rank

    @property
    def place(self) -> int:
        """Not private. Where the record of the rank stands; 0 without any record."""
        return int(self._at(np.array([self._rank]))[0])

    def steps(self, count: int) -> Integers:
        """Not private. The first rungs in steps of the grid: a (max, +) convolution of the gaps on both sides."""
        read = min(whole(count=count, least=0), LONGEST)
        below, above = self._gaps(read)
        rungs = np.full(count, self._last, dtype=np.int64)
        for t in range(read):
            rungs[t] = (below[: t + 2] + above[t + 1 :: -1]).max()
        return rungs

    def at(self, t: int) -> Floats:
        """One rung."""
        if whole(t=t, least=0) >= LONGEST:
            return np.array([self._up(self._last)])
        below, above = self._gaps(t + 1)
        return np.array([self._up(int((below + above[::-1]).max()))])

    def ladder(self, count: int) -> Floats:
        """All rungs up to one, rounded up."""
        return np.array([self._up(rung) for rung in self.steps(count).tolist()], dtype=np.float64).reshape(count, 1)

    def exact_ladder(self, count: int) -> list[Fraction]:
        """The same, not rounded."""
        return [rung * self._step for rung in self.steps(count).tolist()]

    def smooth(self, beta: Number) -> Floats:
        """The largest exp(-beta (j - i - 1)) (x_j - x_i) with i <= m <= j, and at least the floor.

        No pair further apart than ln(bound / best) / beta matters, for a best that looks to one side only. For a larger
        gap below, a longer way above is worth less: the best j does not fall when i rises, so that ever finer sets of i
        share their searches.
        """
        rate, best = min(float(positive(beta=beta)), LARGEST_RATE), 1.0
        for gaps in self._gaps(FIRST_READ):
            best = max(best, float((np.exp(-rate * np.arange(FIRST_READ)) * gaps[1:]).max()))
        reach = min(ceil(log(self._last / best) / rate) + 1, self._n + 1)
        return np.array([max(_best_discounted(*self._gaps(reach), rate), best) * float(self._step)])

    def _gaps(self, count: int) -> tuple[Integers, Integers]:
        """x_m - x_(m-u) and x_(m+u) - x_m for u = 0 to ``count``."""
        steps = np.arange(count + 1, dtype=np.int64)
        return self.place - self._at(self._rank - steps), self._at(self._rank + steps) - self.place

    def _at(self, ranks: Integers) -> Integers:
        """Where the records of these ranks stand."""
        found = np.searchsorted(self._ends, ranks, side="left")
        places = np.append(self._places, self._last)[found]
        places[ranks < 1] = 0
        return places

    def _up(self, steps: int) -> float:
        """Steps as a number, rounded up."""
        exact_rung = steps * self._step
        near = float(exact_rung)
        return near if near >= exact_rung else float(np.nextafter(near, np.inf))

    def __repr__(self) -> str:
        return f"OrderStatisticLadder(bound={self.bound})"


def _best_discounted(below: Integers, above: Integers, rate: float) -> float:
    """The largest (below[u] + above[v]) exp(-rate (u + v - 1)).

    From coarse to fine: the best v of each u lies between those of the u on both sides.
    """
    size, discounts = len(below), np.exp(-rate * np.arange(len(below)))
    start, end = np.zeros(1, dtype=np.int64), np.full(1, size - 1, dtype=np.int64)
    first, best = _best_in(start, start, end, below, above, discounts)
    chosen = np.concatenate([first, np.zeros(size - 1, dtype=np.int64)])
    step = 1 << (size - 1).bit_length()
    while step > 1:
        step //= 2
        rows = np.arange(step, size, 2 * step)
        low = np.where(rows + step < size, chosen[np.minimum(rows + step, size - 1)], 0)
        chosen[rows], worth = _best_in(rows, low, chosen[rows - step], below, above, discounts)
        best = max(best, worth)
    return best * exp(rate)


def _best_in(
    rows: Integers, low: Integers, high: Integers, below: Integers, above: Integers, discounts: Floats
) -> tuple[Integers, float]:
    """For each row u the best v from ``low`` to ``high``, and the best worth of all."""
    sizes = high - low + 1
    starts = np.cumsum(sizes) - sizes
    v = np.arange(int(sizes.sum())) + np.repeat(low - starts, sizes)
    worth = (np.repeat(below[rows], sizes) + above[v]) * discounts[v]
    most = np.maximum.reduceat(worth, starts)
    places = np.minimum.reduceat(np.where(worth == np.repeat(most, sizes), v, len(above)), starts)
    return places, float((most * discounts[rows]).max())


def _grid(bounds: Any, step: Fraction) -> Grid:
    grid = as_grid(bounds=bounds, step=step)
    if len(grid) < 2:
        raise ParameterError(f"bounds must be at least one resolution apart; got {render(bounds)}")
    return grid
