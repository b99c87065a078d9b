"""How much one edge more or less can move the ego betweenness of a node, t edges from here: closed forms.

With q(m) = m (m - 1) / 4, d the degree of a node and w the largest number of neighbours it shares with any other node,
the rung at t is max(q(w + t), d + t), cut at the public bound (docs/proofs/centrality.md). With w = d it is the
published function, max(q(d + t), d + t).
"""

from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.errors import DataError
from dampen.sensitivity import SensitivityFunction
from dampen.sensitivity.base import ZERO, gaps_to
from dampen.vectors import Floats, Integers, Vector, as_vector

Some = Integers | slice
ALL = slice(None)


def quarter_pairs(m: int) -> Fraction:
    """q(m) = m (m - 1) / 4: what an edge between two nodes with m common neighbours can take from either."""
    return Fraction(m * (m - 1), 4)


def ego_betweenness_bound(max_degree: int) -> Fraction:
    """The exact global sensitivity where no degree exceeds ``max_degree`` = K: max(q(K - 1), K - 1), and at least 1."""
    before = max_degree - 1
    return max(quarter_pairs(before), Fraction(before), Fraction(1))


class EgoBetweennessRungs(SensitivityFunction):
    """s(t) = min(bound, max(q(w + t), d + t)) for nodes of degree d and co-degree w <= d; the floor is 1.

    Three pieces in t: d + t, then q(w + t), then the bound. Sums are differences of cubes, and the inverse
    starts from their roots.
    """

    def __init__(self, degrees: Any, codegrees: Any, *, max_degree: int) -> None:
        d, w = _whole_numbers(degrees, "degrees"), _whole_numbers(codegrees, "codegrees")
        if len(d) != len(w) or (w > d).any():
            raise DataError("codegrees must be one per node and not exceed the degrees")
        if d.max() > whole(max_degree=max_degree, least=0):
            raise DataError("degrees must not exceed max_degree")
        height = ego_betweenness_bound(max_degree)
        super().__init__(size=len(d), bound=height, floor=1)
        self._d, self._w, self._height = d, w, float(height)
        crossing = _least_root(25 + 16 * (d - w)) - w
        # The first m with q(m) >= the bound; the root is rounded down, so a step or two may be missing.
        full = (1 + isqrt(int(16 * height))) // 2
        while quarter_pairs(full) < height:
            full += 1
        self._end: Integers = np.maximum(np.minimum(full - w, -int(-height // 1) - d), 0)
        self._crossing: Integers = np.clip(crossing, 0, self._end)
        self._under = _cubes(self._w + self._crossing)

    @property
    def saturation(self) -> int:
        """The largest t at which some node reaches the bound."""
        return int(self._end.max())

    def at(self, t: int) -> Floats:
        """The largest of the two pieces, at most the bound."""
        steps = np.full(self.size, whole(t=t, least=0), dtype=np.int64)
        return self._rungs(steps)

    def cumulative(self, t: int) -> Floats:
        """A sum of whole numbers, a difference of cubes and a multiple of the bound."""
        return self._sums(np.full(self.size, whole(t=t, least=0), dtype=np.int64))

    def inverse(self, u: Vector, level: Fraction = ZERO) -> Floats:
        """Find the last t whose sum does not exceed the gap; the rest is a share of the next rung."""
        gaps = np.abs(gaps_to(u, level))
        low, sums = self._last_reached(gaps)
        rung = np.maximum(self._rungs(low), 1.0)
        steps = low + (gaps - sums) / rung
        return self._signed_scores(steps, u, level, rung / (1 + self._under / np.maximum(gaps, 1.0)))

    def _rungs(self, t: Integers) -> Floats:
        m = (self._w + t).astype(np.float64)
        return np.asarray(np.minimum(np.maximum(m * (m - 1) / 4, self._d + t), self._height))

    def _last_reached(self, gaps: Floats) -> tuple[Integers, Floats]:
        """For every node the last t up to its end whose sum does not exceed its gap, and that sum.

        The roots of the pieces tell where to look; the sums themselves decide. They grow with t in floats too, so the
        answer does not depend on the guess, which is hardly ever off by more than one.
        """
        t = self._roots(gaps)
        sums = self._floored_sums(t)
        some: Integers = np.flatnonzero(sums > gaps)
        while len(some):
            t[some] -= 1
            sums[some] = self._floored_sums(t[some], some)
            some = some[sums[some] > gaps[some]]
        some = np.flatnonzero(t < self._end)
        while len(some):
            further = self._floored_sums(t[some] + 1, some)
            reached = further <= gaps[some]
            some = some[reached]
            t[some] += 1
            sums[some] = further[reached]
            some = some[t[some] < self._end[some]]
        return t, sums

    def _roots(self, gaps: Floats) -> Integers:
        """About where the sums meet the gaps: d t + t (t - 1) / 2 in the first piece, a cube less its root after it."""
        twice = 2.0 * self._d - 1
        first = (np.sqrt(twice * twice + 8 * gaps) - twice) / 2
        crossing = self._crossing.astype(np.float64)
        start = np.minimum(first, crossing)
        after = gaps - crossing * (twice + crossing) / 2
        some = np.flatnonzero(after > 0)
        root = np.cbrt(12 * (after[some] + self._under[some]))
        start[some] = np.maximum(root + 1 / (3 * root) + 1 - self._w[some], crossing[some])
        return np.asarray(np.minimum(start, self._end), dtype=np.int64)

    def _sums(self, t: Integers, some: Some = ALL) -> Floats:
        """The sum of the rungs before t, for a t of each node's own; of some nodes only, if said."""
        crossing, end = self._crossing[some], self._end[some]
        linear = np.minimum(t, crossing).astype(np.float64)
        above = _cubes(self._w[some] + np.clip(t, crossing, end)) - self._under[some]
        return np.asarray(
            linear * self._d[some] + linear * (linear - 1) / 2 + above + np.maximum(t - end, 0) * self._height
        )

    def _floored_sums(self, t: Integers, some: Some = ALL) -> Floats:
        """The same with rungs of at least 1: only the first rung of a node without edges is smaller."""
        return np.asarray(self._sums(t, some) + ((self._d[some] == 0) & (self._end[some] > 0) & (t > 0)))

    def __repr__(self) -> str:
        return f"EgoBetweennessRungs(size={self.size}, bound={self._height!r})"


def _whole_numbers(values: Any, name: str) -> Integers:
    numbers = as_vector(values, name)
    if numbers.dtype.kind != "i" or numbers.size == 0 or numbers.min() < 0:
        raise DataError(f"{name} must be whole numbers, not negative, one per node")
    return np.asarray(numbers, dtype=np.int64)


def _least_root(discriminant: Integers) -> Integers:
    """The least whole m >= (5 + sqrt(discriminant)) / 2, exactly: from there on q(m) >= m + (d - w)."""
    root = np.sqrt(discriminant.astype(np.float64)).astype(np.int64)
    root -= root * root > discriminant
    root += (root + 1) * (root + 1) <= discriminant
    above = root + (root * root < discriminant)
    return np.asarray((5 + above + 1) // 2, dtype=np.int64)


def _cubes(m: Integers) -> Floats:
    """The sum of q(j) over j < m: m (m - 1) (m - 2) / 12."""
    x = m.astype(np.float64)
    return np.asarray(x * (x - 1) * (x - 2) / 12)
