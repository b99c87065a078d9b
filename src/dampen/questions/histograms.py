"""How many values stand at each point of a grid? And counts by any labels, all for one price."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, flag
from dampen.errors import ParameterError
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.privacy import (
    Accuracy,
    Adjacency,
    BudgetLike,
    GroupRelease,
    PrivacyLoss,
    PrivateAccuracy,
    record_adjacency,
)
from dampen.problem import CountsFrame, CountsProblem
from dampen.questions.one_percentile import Bounds, grid_of
from dampen.questions.private_bounds.bars import as_bars, bars_between
from dampen.questions.private_bounds.ends import BetweenEnds
from dampen.questions.private_bounds.sums import is_private, private_units, refuse_unless_private
from dampen.questions.record import NO_BOUNDS, RECORD, Composite, Posed, Price, question, zeros
from dampen.tables.counts import count_on_grid
from dampen.tables.unit_reading import Units
from dampen.vectors import Integers

MOST_BARS = 2**20
"""Finer histograms would tell noise alone, and take long to draw."""
CHANGED = "counts that were made non-negative or consistent tell no error: ask for them as they were drawn"


@question(zeros, proof="laplace_counts")
def histogram(
    values: Any,
    *,
    bounds: Bounds,
    step: Number | None = None,
    bars: int | None = None,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    note: str = "histogram",
) -> Posed[GroupRelease]:
    """How many values stand at each point of a public grid, privately: all counts for one price.

    Parameters
    ----------
    values
        Numbers in a list, array or Series. Tables are asked by :class:`dampen.Table`.
    bounds, step
        The grid: lo, lo + step, ... up to hi; public. Values are rounded down to it, so the bar at a point holds the
        values from there up to the next, the first and last bar also what lies outside.
        ``bounds="private"``, where nobody knows any: values are read to the step, a quarter of epsilon finds two ends,
        which are told, ``release.ends``, and bars are a doubling of the step wide.
    bars
        With private bounds: how many there are at most; 64, if left out.
    adjacency
        ``ADD_REMOVE``: one record more or less moves one count by 1. ``REPLACE``: a record with another value moves
        two, so the noise is twice as wide.
    rho
        In place of epsilon: the noise is Gaussian, 1.4 times as wide under ``REPLACE``, and a budget pays that counts
        rho. Not with private bounds.
    note
        What the answer is for; a ledger remembers it.

    The release is a mapping from the points to releases of counts, each of which tells its error.

    >>> import dampen
    >>> bars = dampen.histogram([3, 14, 15, 92], bounds=(0, 90), step=10, epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> list(bars)[:3], isinstance(bars[10].value, int)
    ([0, 10, 20], True)
    """
    price = Price(epsilon, rho)
    if is_private(bounds):
        share, units = price.require_epsilon(NO_BOUNDS), private_units(step, "step")
        return _pose_between_ends(values, units, as_bars(bars), share, adjacency)
    refuse_unless_private(bars=bars)
    grid = grid_of(bounds, step)
    if len(grid) > MOST_BARS:
        raise ParameterError(f"bounds and step must make at most {MOST_BARS} bars; got {len(grid)}")
    price.counts_noise().privacy(frame_of_counts(len(grid), adjacency))  # tried before any data is read
    counted = count_on_grid(values, grid)
    counts = np.zeros(len(grid), dtype=np.int64)
    counts[counted.places] = counted.counts
    points = [grid[place] for place in range(len(grid))]
    return pose_counts(counts, points, price=price, adjacency=adjacency)


def _pose_between_ends(
    values: Any, units: Units, bars: int, epsilon: Number, adjacency: Adjacency
) -> Posed[GroupRelease]:
    def between(ends: tuple[Fraction, Fraction], share: Fraction) -> Posed[GroupRelease]:
        bounds, width = bars_between(ends, units.unit, bars)
        known: dict[str, Any] = {"bounds": bounds, "step": width, "adjacency": adjacency}
        return RECORD["histogram"].pose(values, epsilon=share, **known)

    return BetweenEnds(values, units, between, epsilon=epsilon, adjacency=adjacency)


def frame_of_counts(size: int, adjacency: Adjacency) -> CountsFrame:
    """So many counts of records, each record in one of them at most: a replaced record moves two."""
    return CountsFrame(size, 2 if record_adjacency(adjacency) is Adjacency.REPLACE else 1, adjacency, largest=1)


def pose_counts(
    counts: Integers,
    labels: Sequence[Any],
    *,
    price: Price,
    adjacency: Adjacency,
    non_negative: bool = False,
    consistent: bool = False,
    records: int | None = None,
    frame: CountsFrame | None = None,
    resolution: Fraction = Fraction(1),
) -> Posed[GroupRelease]:
    """How many records each label has: noisy counts, each with its error.

    ``frame``: how far one step moves the counts, where it is more than one record. ``resolution``: what one unit of a
    count stands for.

    ``non_negative``: counts below 0 become 0. ``consistent``: counts are at least 0 and add up: to ``records``, where
    their number is public, else to the sum of the noisy ones. Both tell no error: what they change depends on what was
    drawn.
    """
    mechanism = price.counts_noise()
    frame = frame_of_counts(len(labels), adjacency) if frame is None else frame
    above, adding_up = flag(non_negative=non_negative), flag(consistent=consistent)
    problem = CountsProblem(frame, counts)
    noise = NoiseAccuracy(mechanism.noise(frame), resolution)
    known: Accuracy = PrivateAccuracy(CHANGED) if above or adding_up else noise

    def build(noisy: Sequence[int], loss: PrivacyLoss, note: str) -> GroupRelease:
        told = nearest_with_sum(noisy, max(sum(noisy), 0) if records is None else records) if adding_up else noisy
        kept = ((max(count, 0) if above else count) * resolution for count in told)
        number = int if resolution.denominator == 1 else float
        value = {label: number(count) for label, count in zip(labels, kept, strict=True)}
        return GroupRelease(value, loss, f"{mechanism!r} of {len(labels)} counts", note, known)

    return Composite(frame, mechanism.privacy(frame), lambda source: mechanism.draw(problem, source).tolist(), build)


def nearest_with_sum(counts: Sequence[int], total: int) -> list[int]:
    """The whole numbers of at least 0 with this sum that are nearest to the counts, in squares.

    The nearest real numbers lower all counts by one number and end at 0. Rounded down they lack less than one each; the
    largest remainders are rounded up.
    """
    ordered = sorted(counts, reverse=True)
    sums = np.add.accumulate(np.array(ordered, dtype=object))
    most = max((k for k in range(1, len(ordered) + 1) if ordered[k - 1] * k > sums[k - 1] - total), default=1)
    shift = Fraction(int(sums[most - 1]) - total, most)
    near = [max(count - shift, Fraction(0)) for count in counts]
    whole = [int(number) for number in near]
    short = total - sum(whole)
    for place in sorted(range(len(near)), key=lambda i: (whole[i] - near[i], i))[:short]:
        whole[place] += 1
    return whole
