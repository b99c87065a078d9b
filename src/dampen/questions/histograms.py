"""How many values stand at each point of a grid, or in each category?"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from dampen._validate import Number
from dampen.errors import ParameterError
from dampen.mechanisms.counts.laplace_counts import LaplaceCounts
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.privacy import Adjacency, BudgetLike, GroupRelease, PrivacyLoss, record_adjacency
from dampen.problem import CountsFrame, CountsProblem
from dampen.questions.one_percentile import Bounds, grid_of
from dampen.questions.record import Composite, Posed, question, zeros
from dampen.tables.counts import count_on_grid
from dampen.vectors import Integers

MOST_BARS = 2**20
"""Finer histograms would tell noise alone, and take long to draw."""


@question(zeros, proof="laplace_counts")
def histogram(
    values: Any,
    *,
    bounds: Bounds,
    step: Number | None = None,
    epsilon: Number,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    note: str = "histogram",
) -> Posed[GroupRelease]:
    """How many values stand at each point of a public grid, privately: all counts for one ``epsilon``.

    Parameters
    ----------
    values
        Numbers in a list, array or Series. Tables are asked by :class:`dampen.Table`.
    bounds, step
        The grid: lo, lo + step, ... up to hi; public. Values are rounded down to it, so the bar at a point holds the
        values from there up to the next, the first and last bar also what lies outside.
    adjacency
        ``ADD_REMOVE``: one record more or less moves one count by 1. ``REPLACE``: a record with another value moves
        two, so the noise is twice as wide.
    note
        What the answer is for; a ledger remembers it.

    The release is a mapping from the points to releases of counts, each of which tells its error.

    >>> import dampen
    >>> bars = dampen.histogram([3, 14, 15, 92], bounds=(0, 90), step=10, epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> list(bars)[:3], isinstance(bars[10].value, int)
    ([0, 10, 20], True)
    """
    grid = grid_of(bounds, step)
    if len(grid) > MOST_BARS:
        raise ParameterError(f"bounds and step must make at most {MOST_BARS} bars; got {len(grid)}")
    mechanism = LaplaceCounts(epsilon)
    frame = frame_of_counts(len(grid), adjacency)
    loss = mechanism.privacy(frame)
    counted = count_on_grid(values, grid)
    counts = np.zeros(len(grid), dtype=np.int64)
    counts[counted.places] = counted.counts
    return pose_counts(mechanism, frame, counts, [grid[place] for place in range(len(grid))], loss)


def frame_of_counts(size: int, adjacency: Adjacency) -> CountsFrame:
    """So many counts of records, each record in one of them at most: a replaced record moves two."""
    return CountsFrame(size, 2 if record_adjacency(adjacency) is Adjacency.REPLACE else 1, adjacency, largest=1)


def pose_counts(
    mechanism: LaplaceCounts, frame: CountsFrame, counts: Integers, labels: Sequence[Any], loss: PrivacyLoss
) -> Posed[GroupRelease]:
    """Noisy counts by their labels, each with its error."""
    problem, known = CountsProblem(frame, counts), NoiseAccuracy(mechanism.noise(frame))

    def build(noisy: Sequence[int], loss: PrivacyLoss, note: str) -> GroupRelease:
        value = dict(zip(labels, noisy, strict=True))
        return GroupRelease(value, loss, f"{mechanism!r} of {len(labels)} counts", note, known)

    return Composite(frame, loss, lambda source: mechanism.draw(problem, source).tolist(), build)
