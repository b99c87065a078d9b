"""Which attribute tells the classes apart best? The choice at a node of a decision tree.

``counts`` holds one table for each attribute: rows are its public values, columns the classes. With tau_jc the records
of class c that have value j, and tau_j all records that have it, an attribute is worth

- *max operator*: the sum over j of the largest tau_jc, how many records a majority vote at its children gets right;
- *information gain*: the sum of F(tau_jc) less the sum of F(tau_j), F(x) = x log2 x; N times the information gained, up
  to what is the same for all attributes.

One record more moves all attributes in one direction: up by at most 1, or down by at most f(tau_j). Proofs:
docs/proofs/split.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, fsum, log2
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.categories import winner_steps
from dampen.sensitivity import SensitivityFunction, Step
from dampen.sensitivity.base import gaps_to
from dampen.vectors import Floats, Integers, Vector

FLOOR = Fraction(1, 2**16)
"""Bits below which no rung of the information gain is read."""
BLOCK, LARGEST_BLOCK = 64, 512
"""How many rungs are computed at a time: at first, and at most."""
LARGEST_TABLE = 2**20
"""So many values of f are kept at most."""
ZERO = Fraction(0)


def max_operator_problem(
    counts: Sequence[Any], *, adjacency: Adjacency, names: Sequence[Any] | None = None
) -> SelectionProblem:
    """Which attribute classifies the most records by majority? Bound 1, monotone under ``ADD_REMOVE``.

    >>> from dampen import Adjacency
    >>> problem = max_operator_problem([[[4, 0], [1, 5]], [[3, 3], [2, 2]]], adjacency=Adjacency.ADD_REMOVE)
    >>> problem.utilities.tolist()
    [9, 5]
    """
    tables = _tables(counts)
    frame = Frame(_labels(names, tables), 1, adjacency, monotone=_monotone(adjacency))
    return SelectionProblem(frame, majority_records(tables))


def max_operator_winner_problem(
    counts: Sequence[Any], *, adjacency: Adjacency, names: Sequence[Any] | None = None
) -> SelectionProblem:
    """The same with utility 1 for the best attribute, the first of equals, and 0 for the others.

    The differences of two max operators move by at most 1 with one record, by 2 with a replaced one, so the winner
    stands at least as many steps as with counts of categories.
    """
    tables = _tables(counts)
    utilities, starts = winner_steps(majority_records(tables), adjacency)
    frame = Frame(_labels(names, tables), 1, adjacency)
    return SelectionProblem(frame, utilities, Step(np.maximum(starts, 0), bound=1))


def information_gain_problem(
    counts: Sequence[Any],
    *,
    adjacency: Adjacency,
    max_records: int | None = None,
    names: Sequence[Any] | None = None,
) -> SelectionProblem:
    """Which attribute gains the most information? In bits times records; under ``ADD_REMOVE`` monotone.

    ``max_records`` is a public bound of the number of records of any table. Without it no finite bound exists, and only
    mechanisms that need none (dampening) can answer.

    >>> from dampen import Adjacency
    >>> problem = information_gain_problem([[[4, 0], [0, 4]], [[2, 2], [2, 2]]], adjacency=Adjacency.ADD_REMOVE)
    >>> problem.utilities.tolist(), problem.sensitivity.at(0).round(3).tolist()
    ([0.0, -8.0], [3.61, 1.245])
    """
    tables = _tables(counts)
    bound = None if max_records is None else information_gain_bound(max_records)
    if max_records is not None and max(int(table.sum()) for table in tables) > max_records:
        raise DataError("a table must not have more than max_records records")
    steps = 2 if adjacency is Adjacency.REPLACE else 1
    rungs = InformationGainRungs(tables, bound, steps)
    frame = Frame(_labels(names, tables), bound, adjacency, monotone=_monotone(adjacency))
    return SelectionProblem(frame, information_gains(tables), rungs)


def information_gain_bound(max_records: int) -> Fraction:
    """f(N - 1) = log2 N + (N - 1) log2(1 + 1 / (N - 1)), rounded up: the most that one record moves any gain."""
    n = whole(max_records=max_records, least=2)
    return Fraction(ceil((log2(n) + (n - 1) * np.log1p(1 / (n - 1)) / np.log(2)) * 2**32) + 1, 2**32)


def majority_records(tables: Sequence[Integers]) -> Integers:
    """For each attribute the sum over its values of the largest class."""
    return np.array([int(table.max(axis=1).sum()) for table in tables], dtype=np.int64)


def information_gains(tables: Sequence[Integers]) -> Floats:
    """For each attribute the sum of F over its table less that over its row totals; never positive.

    It is minus the sum of tau_jc log2(tau_j / tau_jc): nothing large cancels, so the error is of the size of the gain's
    last bits and not of those of N log2 N.
    """
    return np.array([0.0 - fsum(_spread(table).ravel().tolist()) for table in tables])


class InformationGainRungs(SensitivityFunction):
    """LS(t) of information gain: the largest M_j(t) over the values of an attribute, never above the bound.

    With a records of a value and b in its rarest class, (p, e) = (a, 0) if b = 0 else (a - 1, b - 1), and f(x) =
    F(x + 1) - F(x), one more record moves the gain most after t others left the rarest class (t < e: f(p - t) -
    f(e - t)), or it is empty but for one and the others grow (f(p - 2 e + t)). A replaced record is two steps: rung t
    is then M(2 t + 1).
    """

    def __init__(self, tables: Sequence[Integers], bound: Fraction | None, steps: int = 1) -> None:
        super().__init__(size=len(tables), bound=bound, floor=FLOOR)
        kept = [_largest_moves(table) for table in tables]
        self._p, self._e = np.concatenate(kept, axis=1)
        self._starts = np.cumsum([0, *(pairs.shape[1] for pairs in kept[:-1])])
        self._single = np.array([table.shape[1] == 1 for table in tables])
        self._steps, self._blocks = steps, list[Floats]()

    @cached_property
    def saturation(self) -> int | None:
        """Where every rung has met the bound, which the rungs, growing without limit, all do."""
        if self.bound is None or self._single.any():
            return None
        t = 0
        while (self.at(t) < float(self.bound)).any():
            t = 2 * t + 1
        return t

    def at(self, t: int) -> Floats:
        """The largest M_j(t) over the values of each attribute."""
        # Whoever walks the rungs asks for one after the other, so they are computed a block at a time and kept.
        block, place = divmod(whole(t=t, least=0), BLOCK)
        if block > len(self._blocks):
            return np.asarray(self._rungs(np.array([t]))[0])
        if block == len(self._blocks):
            self._blocks.append(self._rungs(np.arange(block * BLOCK, (block + 1) * BLOCK)))
        return np.array(self._blocks[block][place])

    def inverse(self, u: Vector, level: Fraction = ZERO) -> Floats:
        """The same as the loop over all rungs, block by block: sums along a block tell where each score ends in it."""
        rest, steps = np.abs(gaps_to(u, level)), np.zeros(self.size)
        t, last, floor = 0, self.last_read, float(self.floor)
        while t < last and rest.any():
            rungs = np.maximum(self._rungs(np.arange(t, min(2 * t + BLOCK, t + LARGEST_BLOCK, last))), floor)
            sums = np.cumsum(rungs, axis=0)
            ends = np.count_nonzero(sums < rest, axis=0)
            beyond, columns = ends == len(rungs), np.arange(self.size)
            covered = np.where(ends > 0, sums[ends - 1, columns], 0.0)
            within = (rest - covered) / rungs[np.minimum(ends, len(rungs) - 1), columns]
            steps += np.where(beyond, ends, ends + within)
            rest = np.where(beyond, rest - covered, 0.0)
            t += len(rungs)
        if self.bound is not None:
            steps += rest / float(self.bound)
        return self._signed_scores(steps, u, level)

    def _rungs(self, t: Integers) -> Floats:
        moved = (t if self._steps == 1 else 2 * t + 1)[:, None]
        p, e = self._p, self._e
        f = _increments(int(p.max() + moved.max()) + 1)
        early = f(np.maximum(p - moved, 0)) - f(np.maximum(e - moved, 0))
        reach = np.where(moved < e, early, f(np.maximum(p - 2 * e + moved, 0)))
        rungs = np.maximum.reduceat(reach, self._starts, axis=1)
        rungs[:, self._single] = 0.0
        return rungs if self.bound is None else np.minimum(rungs, float(self.bound))

    def __repr__(self) -> str:
        return f"InformationGainRungs(size={self.size})"


def _spread(table: Integers) -> Floats:
    """tau_jc log2(tau_j / tau_jc), and 0 where nobody is."""
    counts = table.astype(np.float64)
    ratios = np.ones_like(counts)
    np.divide(counts.sum(axis=1, keepdims=True), counts, out=ratios, where=counts > 0)
    return np.asarray(counts * np.log2(ratios))


def _increment(x: Floats) -> Floats:
    """f(x) = F(x + 1) - F(x) = log2(x + 1) + x log2(1 + 1 / x), and 0 at 0: increasing and concave."""
    safe = np.maximum(x, 1.0)
    return np.where(x > 0, np.log2(safe + 1) + safe * np.log1p(1 / safe) / np.log(2), 0.0)


def _largest_moves(table: Integers) -> Integers:
    """The pairs (p, e) of an attribute's values, less those that another has with p no smaller and e no larger.

    M grows with p and falls with e, so the others never hold the largest.
    """
    totals, rarest = table.sum(axis=1), table.min(axis=1)
    p, e = totals - (rarest > 0), np.maximum(rarest - 1, 0)
    order = np.lexsort((e, -p))
    lowest = np.minimum.accumulate(e[order])
    first = np.concatenate([[True], lowest[1:] < lowest[:-1]])
    return np.array([p[order][first], e[order][first]])


def _increments(end: int) -> Callable[[Integers], Floats]:
    """f on whole numbers below ``end``: from a table, unless that would be large."""
    if end > LARGEST_TABLE:
        return lambda x: _increment(x.astype(np.float64))
    table = _increment_table(1 << max(end - 1, 1).bit_length())
    return lambda x: np.asarray(table[x])


@lru_cache
def _increment_table(size: int) -> Floats:
    return _increment(np.arange(size, dtype=np.float64))


def _tables(counts: Sequence[Any]) -> list[Integers]:
    tables = [np.asarray(table, dtype=np.int64) for table in counts]
    if not tables or any(table.ndim != 2 or table.size == 0 or table.min() < 0 for table in tables):
        raise DataError("counts must be one table per attribute: values by classes, whole and not negative")
    return tables


def _labels(names: Sequence[Any] | None, tables: Sequence[Integers]) -> Sequence[Any]:
    if names is None:
        return range(len(tables))
    if len(names) != len(tables):
        raise ParameterError(f"names must be one per attribute: {len(tables)} are needed; got {len(names)}")
    return names


def _monotone(adjacency: Adjacency) -> bool:
    return adjacency is Adjacency.ADD_REMOVE
