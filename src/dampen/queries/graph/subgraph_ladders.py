"""How far one edge can move the number of subgraphs of a kind, t edges from here. Proofs: docs/proofs/ladders.md.

Neighbours differ in one edge, the n nodes are public. For a pair ij of nodes a_ij is the number of common neighbours,
x_ij is 1 where the pair has an edge, and d_i is a degree.
"""

from math import comb
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.errors import DataError
from dampen.queries.whole_ladders import ROOM, WholeLadder, Wholes, binomials
from dampen.sensitivity import SecondOrder
from dampen.vectors import Integers, as_vector

_MORE = {(3, 2): 1, (4, 2): 2, (5, 3): 1}
"""By (k, a), how much larger 4 C(a, k - 2) is than 3 C(a, k - 1) + a C(a, k - 2), where it is."""


def triangle_bound(nodes: int) -> int:
    """An edge stands in at most n - 2 triangles."""
    return max(nodes - 2, 0)


def star_bound(nodes: int, k: int) -> int:
    """An edge stands in C(D_i, k - 1) + C(D_j, k - 1) stars, D being the other edges at its ends."""
    return 2 * comb(max(nodes - 2, 0), k - 1)


def clique_bound(nodes: int, k: int) -> int:
    """An edge and any k - 2 other nodes."""
    return comb(max(nodes - 2, 0), k - 2)


def k_triangle_bound(nodes: int, k: int) -> int:
    """C(n - 2, k) on the edge itself, and 2 (n - 2) C(n - 3, k - 1) on edges that share a node with it."""
    return comb(max(nodes - 2, 0), k) + 2 * max(nodes - 2, 0) * comb(max(nodes - 3, 0), k - 1)


class TriangleLadder(WholeLadder):
    """min(a + t, floor((t + s) / 2), n - 2), the largest over pairs; exact for ``s`` = d_i + d_j - 2 x_ij.

    ``shared`` lists a_ij and ``sums`` s_ij for all pairs, or for those that no other pair reaches in both. Without
    ``sums`` it is min(a + t, n - 2), which is a ladder too, and the same as long as t is no more than d_i + d_j - 2
    x_ij - 2 a_ij at a pair with the largest a_ij.
    """

    largest_rise = 1

    def __init__(self, shared: Any, sums: Any = None, *, nodes: int) -> None:
        super().__init__(triangle_bound(whole(nodes=nodes, least=1)))
        self._shared = _counts(shared, "shared", nodes)
        self._sums = 2 * max(nodes, 1) + self._shared if sums is None else _counts(sums, "sums", 2 * nodes)
        if len(self._sums) != len(self._shared):
            raise DataError("sums must be one for each pair")

    def wholes(self, t: Integers) -> Wholes:
        """The largest over all pairs listed."""
        rungs = np.zeros_like(t)
        for shared, sums in zip(self._shared.tolist(), self._sums.tolist(), strict=True):
            np.maximum(rungs, np.minimum(shared + t, (sums + t) // 2), out=rungs)
        return np.minimum(rungs, self._height)


class StarLadder(WholeLadder):
    """C(D_i + t1, k - 1) + C(D_j + t2, k - 1), the largest over pairs; exact.

    D_i >= D_j are the degrees of a pair without an edge between them. The first t1 = min(t, n - 2 - D_i) edges go to i,
    the next t2 <= n - 2 - D_j to j.
    """

    def __init__(self, larger: Any, smaller: Any, *, k: int, nodes: int) -> None:
        self._k, self._most = whole(k=k, least=2), max(whole(nodes=nodes, least=1) - 2, 0)
        super().__init__(star_bound(nodes, self._k))
        self.largest_rise = 1 if self._k == 2 else None
        self._larger, self._smaller = _counts(larger, "larger", nodes), _counts(smaller, "smaller", nodes)
        if len(self._larger) != len(self._smaller) or (self._larger < self._smaller).any():
            raise DataError("smaller must be one for each pair and not exceed larger")

    def wholes(self, t: Integers) -> Wholes:
        """The largest over all pairs listed."""
        rungs = self._stars(np.zeros_like(t)) * 0
        for larger, smaller in zip(self._larger.tolist(), self._smaller.tolist(), strict=True):
            rest = np.maximum(t - (self._most - larger), 0)
            ends = np.minimum(larger + t, self._most), np.minimum(smaller + rest, self._most)
            rungs = np.maximum(rungs, self._stars(ends[0]) + self._stars(ends[1]))
        return rungs

    def _stars(self, degrees: Integers) -> Wholes:
        return binomials(degrees, self._k - 1, self._most)


class CliqueLadder(WholeLadder):
    """min(LS + C(a + t, k - 2) - C(a, k - 2), C(n - 2, k - 2)).

    a is the largest number of common neighbours of a pair, LS the largest number of cliques of k - 2 nodes among them.
    Without LS, C(a, k - 2) stands for it.
    """

    def __init__(self, shared: int, local: int | None = None, *, k: int, nodes: int) -> None:
        self._k, self._most = whole(k=k, least=3), max(whole(nodes=nodes, least=1) - 2, 0)
        super().__init__(clique_bound(nodes, self._k))
        self._shared = _count(shared, "shared", self._most)
        cap = comb(self._shared, self._k - 2)
        self._local = cap if local is None else _count(local, "local", cap)

    def wholes(self, t: Integers) -> Wholes:
        """The closed form. At 2 n the bound is long reached."""
        end = 2 * (self._most + 2)
        reached = np.minimum(self._shared + t, end)
        full = comb(self._shared, self._k - 2)
        return np.asarray(np.minimum(binomials(reached, self._k - 2, end) - full + self._local, self._height))


class KTriangleLadder(WholeLadder, SecondOrder):
    """min(LS + U(a) + ... + U(a + t - 1), GS), U(a) = max(3 C(a, k - 1) + a C(a, k - 2), 4 C(a, k - 2)).

    a is the largest number of common neighbours of a pair, ``local`` = LS the most k-triangles that one edge makes or
    breaks. 4 C(a, k - 2) is needed from a = 2 on only, and larger than the published first term at (k, a) = (3, 2), (4,
    2) and (5, 3) alone. Without LS the rungs are V(a + t), V(a) = C(a, k) + 2 a C(a, k - 1), and U is their difference.
    """

    def __init__(self, shared: int, local: int | None = None, *, k: int, nodes: int) -> None:
        self._k, self._most = whole(k=k, least=2), max(whole(nodes=nodes, least=1) - 2, 0)
        super().__init__(k_triangle_bound(nodes, self._k))
        self._shared, self._exact = _count(shared, "shared", self._most), local is not None
        cap = self._largest_change(self._shared)
        self._local = min(cap, self._height) if local is None else _count(local, "local", cap)

    @property
    def first_order(self) -> int:
        """Not private. How far one edge can move the count."""
        return self._local

    @property
    def common(self) -> int:
        """Not private. The largest number of common neighbours of a pair; one edge moves it by at most 1."""
        return self._shared

    @property
    def common_bound(self) -> int:
        """The public largest number of common neighbours."""
        return self._most

    def second_order(self, a: int) -> int:
        """U(a): how far one edge can move ``first_order`` where no pair has more than a common neighbours."""
        if not self._exact:
            return self._largest_change(a + 1) - self._largest_change(a)
        side = comb(a, self._k - 2)
        return max(3 * comb(a, self._k - 1) + a * side, 4 * side if a >= 2 else 0)

    def wholes(self, t: Integers) -> Wholes:
        """V itself, or LS and the sum of U: from a on as far as a rises, and at its end from then on."""
        k, most = self._k, self._most
        reached = np.minimum(self._shared + t, most)
        if not self._exact:
            own, below = binomials(reached, k, most), binomials(reached, k - 1, most)
            kind = np.int64 if self._largest_change(most) < ROOM else object
            return np.asarray(np.minimum(own + 2 * reached.astype(kind) * below, self._height))
        last = self.second_order(most)
        kind = np.int64 if (k + 3) * comb(most + 2, k) + int(t.max(initial=0)) * last < ROOM else object
        sums = self._summed(np.append(reached, self._shared)).astype(kind)
        beyond = np.maximum(t - (most - self._shared), 0).astype(kind)
        return np.asarray(np.minimum(self._local + sums[:-1] - sums[-1] + beyond * last, self._height))

    def _summed(self, shared: Integers) -> Wholes:
        """U(0) + ... + U(a - 1) for each a.

        The C(j, k - 1) below a add up to C(a, k), and j C(j, k - 2) = (k - 1) C(j + 1, k - 1) - C(j, k - 2).
        """
        k, most = self._k, self._most + 1
        sides = min(k - 1, most) * binomials(shared + 1, k, most) - binomials(shared, k - 1, most)
        more = [_MORE.get((k, a), 0) * (shared > a) for a in (2, 3)]
        return np.asarray(3 * binomials(shared, k, most) + sides + more[0] + more[1])

    def _largest_change(self, shared: int) -> int:
        """V: no pair makes or breaks more, given the largest number of common neighbours."""
        return comb(shared, self._k) + 2 * shared * comb(shared, self._k - 1)


def _counts(values: Any, name: str, most: int) -> Integers:
    numbers = as_vector(values, name)
    if numbers.size and (numbers.dtype.kind != "i" or numbers.min() < 0 or numbers.max() > most):
        raise DataError(f"{name} must be whole numbers, not negative, and possible with so many nodes")
    return np.asarray(numbers, dtype=np.int64)


def _count(value: Any, name: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value <= most:
        raise DataError(f"{name} must be a whole number, not negative, and possible with so many nodes")
    return int(value)
