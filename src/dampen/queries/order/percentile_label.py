"""Which label holds the percentile? The utility of the dampening paper, for public labels.

Notation
--------
n records, one per public label, are whole numbers in [0, L]. a = x_r is the value of label r and
w_1 <= ... <= w_(n-1) are the *other* values, with w_j = 0 for j <= 0 and w_j = L for j >= n. Then
abs(x_(k) - x_r) is the distance of a from the interval [w_(k-1), w_k], and its local sensitivity LS(x, t, r) is the
largest of nine terms (docs/proofs/percentile.md): four that push the percentile up, their mirror images, and one at
t = 1.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, share_of, whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import LARGEST_WHOLE, Floats, Integers, as_vector

BLOCK = 1 << 15
"""How many distances are summed at once."""


def percentile_label_problem(
    values: Any, p: Number, *, bound: int, labels: Sequence[Any] | None = None
) -> SelectionProblem:
    """Which label's value is nearest to the p-th percentile of the values?

    One whole number per label; labels, and so their number n, are public, and one step replaces one value
    (``REPLACE``). Values are clipped to [0, ``bound``]. The utility of label r is -abs(x_(k) - x_r), where
    k = max(1, min(n, ceil(p (n + 1) / 100))) counts from 1: the rule of the dampening paper. Its sensitivity function
    is the exact local sensitivity of each label at each distance (docs/proofs/percentile.md).

    Kept to reproduce the paper. One replaced value makes any label exact, so no private law can err much less than a
    uniform choice; :func:`percentile_value_problem` answers the question users mean.

    >>> import dampen
    >>> from dampen.queries import percentile_label_problem
    >>> problem = percentile_label_problem([3, 9, 4], 50, bound=10, labels=("Ann", "Bob", "Cid"))
    >>> problem.utilities.tolist(), problem.sensitivity.at(0).tolist()
    ([-1, -5, 0], [5.0, 5.0, 5.0])
    """
    share, limit = share_of(p), whole(bound=bound, least=1)
    numbers = as_vector(values, "values")
    if not len(numbers):
        raise DataError("values must not be empty: the answer is the label of one of them")
    names = range(len(numbers)) if labels is None else labels
    frame = Frame(names, bound=limit, adjacency=Adjacency.REPLACE)
    if len(names) != len(numbers):
        raise DataError("values must be exactly one for each label")
    if numbers.dtype.kind != "i":
        raise DataError("values must be whole numbers")
    if 8 * (len(numbers) + 2) * limit > LARGEST_WHOLE:
        raise ParameterError(f"bound must be below 2**59 divided by the number of labels; got {limit}")
    clipped: Integers = np.clip(numbers.astype(np.int64), 0, limit)
    k = label_rank(len(numbers), share)
    utilities = -np.abs(np.sort(clipped)[k - 1] - clipped)
    return SelectionProblem(frame, utilities, LabelRungs(clipped, k, limit))


def label_rank(n: int, share: Fraction) -> int:
    """The 1-based rank max(1, min(n, ceil(share (n + 1))))."""
    return max(1, min(n, -(-share.numerator * (n + 1) // share.denominator)))


class LabelRungs(SensitivityFunction):
    """LS(x, t, r) of all labels r at once: O(n) for one t, and O(n log n) for the sum over all t."""

    def __init__(self, values: Integers, rank: int, bound: int, *, floor: Number | None = None) -> None:
        super().__init__(size=len(values), bound=bound, floor=floor)
        order = np.argsort(values, kind="stable")
        self._limit, self._k = bound, rank
        self._sorted: Integers = values[order]
        self._ranks = np.empty(len(values), dtype=np.int64)
        self._ranks[order] = np.arange(1, len(values) + 1)

    @property
    def saturation(self) -> int | None:
        """min(k + 1 if k < n, n - k + 2 if k > 1); one record alone never moves its utility."""
        ends = [self._k + 1] if self._k < self.size else []
        ends += [self.size - self._k + 2] if self._k > 1 else []
        return min(ends, default=None)

    def at(self, t: int) -> Floats:
        """The largest of the nine terms."""
        t = whole(t=t, least=0)
        if self.size == 1:
            return np.zeros(1)
        ranks = np.arange(1, self.size + 1)
        a, best = self._sorted, np.zeros(self.size, dtype=np.int64)
        for term in self._terms(t, a, lambda j: self._others(j, ranks)):
            np.maximum(best, term, out=best)
        return np.asarray(best[self._ranks - 1], dtype=np.float64)

    def _others(self, j: Any, ranks: Any) -> Integers:
        """w_j for labels of the given ranks: x_(j), or x_(j + 1) from the label's own rank on."""
        # Without label r itself, everything from its rank on moves one place down.
        place = np.clip(j + (ranks <= j), 1, self.size) - 1
        return np.where(j <= 0, 0, np.where(j >= self.size, self._limit, self._sorted[place]))

    def _terms(self, t: int, a: Integers, w: Any) -> list[Integers]:
        k, top, terms = self._k, self._limit, list[Integers]()
        if k >= 2:
            one, two = w(k - 1 + t), w(k + t)
            terms += [one - a, np.minimum(np.minimum(a, one), one + two - a), two - np.maximum(w(k - 1), a)]
            terms += [w(k - 2 + t)] if t >= 1 else []
        if k <= self.size - 1:
            one, two, b = top - w(k - t), top - w(k - 1 - t), top - a
            terms += [one - b, np.minimum(np.minimum(b, one), one + two - b), two - np.maximum(top - w(k), b)]
            terms += [top - w(k - t + 1)] if t >= 1 else []
        return [*terms, w(k) - w(k - 1)] if t == 1 else terms

    def cumulative(self, t: int) -> Floats:
        """The sum of the first t rungs, all labels at once.

        For a fixed distance the ranks fall into at most nine regimes in which every w_j is one number and every term
        one line in a, of slope -1, 0 or 1. Their largest is three pieces, found by two searches; pieces are added to
        ranges of ranks by differences. Whole numbers until the end.
        """
        steps = whole(t=t, least=0)
        if self.size == 1:
            return np.zeros(1)
        inside = min(steps, self.saturation or 0)
        constants, slopes = np.zeros(self.size + 1, dtype=np.int64), np.zeros(self.size + 1, dtype=np.int64)
        for start in range(0, inside, BLOCK):
            self._add(np.arange(start, min(start + BLOCK, inside)), constants, slopes)
        sums = np.cumsum(constants)[:-1] + np.cumsum(slopes)[:-1] * self._sorted + (steps - inside) * self._limit
        return np.asarray(sums[self._ranks - 1], dtype=np.float64)

    def _add(self, t: Integers, constants: Integers, slopes: Integers) -> None:
        k, n = self._k, self.size
        ends = np.stack([k - 1 - t, k - t, k - t + 1, 0 * t + k - 1, 0 * t + k, k - 2 + t, k - 1 + t, k + t, 0 * t + n])
        last = np.sort(np.clip(ends, 0, n), axis=0)
        first = np.concatenate([np.ones_like(last[:1]), last[:-1] + 1])
        falling, level, rising = self._lines(t, first)
        # Falling and rising lines cross at (falling - rising) / 2; the level line cuts off what lies below it.
        middle = -((rising - falling) // 2)
        left = np.searchsorted(self._sorted, np.minimum(falling - level, middle)) + 1
        right = np.searchsorted(self._sorted, np.maximum(level - rising + 1, middle)) + 1
        left = np.clip(left, first, last + 1)
        right = np.clip(right, left, last + 1)
        for begin, end, constant, slope in (
            (first, left, falling, -1),
            (left, right, level, 0),
            (right, last + 1, rising, 1),
        ):
            some = end > begin
            for edge, sign in ((begin, 1), (end, -1)):
                np.add.at(constants, edge[some] - 1, sign * constant[some])
                np.add.at(slopes, edge[some] - 1, sign * slope)

    def _lines(self, t: Integers, first: Integers) -> tuple[Integers, Integers, Integers]:
        """The terms as falling - a, level and rising + a, the highest of each kind, for labels of rank ``first``."""
        k, top = self._k, self._limit
        never = np.full(first.shape, -4 * (top + 1))  # a term that does not exist lies below all that do
        falling, level, rising = never, np.zeros_like(never), never

        def w(j: Any) -> Integers:
            return self._others(np.broadcast_to(j, first.shape), first)

        if k >= 2:
            one, two, under_one, under_two = w(k - 1 + t), w(k + t), first <= k - 1 + t, first <= k + t
            falling = np.maximum(one, np.where(under_two, never, one + two))
            falling = np.maximum(falling, np.where(first <= k - 1, never, two))
            rising = np.where(under_one, 0, never)
            level = np.maximum(level, np.where(under_one | ~under_two, 0, one))
            level = np.maximum(level, np.where(first <= k - 1, two - w(k - 1), 0))
            level = np.maximum(level, np.where(t >= 1, w(k - 2 + t), 0))
        if k <= self.size - 1:
            one, two, over_one, over_two = w(k - t), w(k - 1 - t), first > k - t, first > k - 1 - t
            rising = np.maximum(rising, -one)
            rising = np.maximum(rising, np.where(over_two, never, top - one - two))
            rising = np.maximum(rising, np.where(first <= k, -two, never))
            falling = np.maximum(falling, np.where(over_one, top, never))
            level = np.maximum(level, np.where(over_one | ~over_two, 0, top - one))
            level = np.maximum(level, np.where(first <= k, 0, w(k) - two))
            level = np.maximum(level, np.where(t >= 1, top - w(k - t + 1), 0))
        return falling, np.maximum(level, np.where(t == 1, w(k) - w(k - 1), 0)), rising

    def __repr__(self) -> str:
        return f"LabelRungs(size={self.size}, bound={self._limit})"
