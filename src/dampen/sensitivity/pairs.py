"""How far each candidate is from leading: dampened differences of utilities, over all rivals at once.

For candidates r and q let s_rq be a sensitivity function of the difference u_q - u_r, and D_rq that difference,
dampened. The *deficit* of r is the largest D_rq over q != r: how many people must change before r could be level with
every rival. It is negative for a sole leader: minus the number of people before somebody could draw level with it.

Sum form, s_rq = s_r + s_q: D_rq is the k at which u_r + B_r(k) = u_q - B_q(k), so the deficit of r is where u_r + B_r
meets the envelope H(k) = max over q of u_q - B_q(k). Max form, s_rq = max(s_r, s_q), for utilities that move in one
direction: rivals are compared one by one, but only those that no other rival beats in both utility and sensitivity.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import flag
from dampen.errors import DataError
from dampen.sensitivity.base import (
    DAMPENED_ERROR,
    LARGEST_DAMPENED,
    LARGEST_GAP,
    PairFunction,
    SensitivityFunction,
    as_fraction,
)
from dampen.vectors import Floats, Vector

CLIP = Fraction(LARGEST_DAMPENED)


def deficits_by_sum(u: Vector, sensitivity: SensitivityFunction) -> Floats:
    """The deficit of every candidate under s_r + s_q."""
    behind = _gaps_to_best(u)
    deficits = _fill_in_leader(_deficits_of_losers(behind, sensitivity), behind, sensitivity, np.add)
    return _correct_in_fractions(deficits, u, sensitivity, np.add)


def deficits_by_max(u: Vector, sensitivity: SensitivityFunction) -> Floats:
    """The deficit of every candidate under max(s_r, s_q)."""
    utilities = _gaps_to_best(u)
    rows = _rows(utilities, sensitivity)
    beyond = None if sensitivity.bound is None else float(sensitivity.bound)
    deficits = np.zeros(len(utilities))
    for rival in _references(utilities, rows):
        gaps = np.maximum(utilities[rival] - utilities, 0.0)
        np.maximum(deficits, _steps_to_cover(gaps, np.maximum(rows, rows[:, rival, None]), beyond), out=deficits)
    deficits = _fill_in_leader(deficits, utilities, sensitivity, np.maximum)
    return _correct_in_fractions(deficits, u, sensitivity, np.maximum)


def _gaps_to_best(u: Vector) -> Floats:
    """How far each utility lies from the best; whole numbers are subtracted as whole numbers."""
    with np.errstate(over="ignore"):
        return np.maximum(np.asarray(u - u.max(), dtype=np.float64), -LARGEST_GAP)


def _fill_in_leader(deficits: Floats, u: Floats, sensitivity: SensitivityFunction, pair: np.ufunc) -> Floats:
    """Fill in a sole leader: minus the least number of people before somebody draws level with it."""
    leaders = np.flatnonzero(u == u.max())
    if len(leaders) == 1:
        deficits[leaders[0]] = -_lead(u, sensitivity, int(leaders[0]), pair)
    return np.clip(deficits, -LARGEST_DAMPENED, LARGEST_DAMPENED)


def _lead(u: Floats, sensitivity: SensitivityFunction, leader: int, pair: np.ufunc) -> float:
    """The least k at which the summed pair rungs of the leader and a rival cover their gap."""
    others = np.arange(len(u)) != leader
    gaps, t = u[leader] - u[others], 0
    if not gaps.size:
        return LARGEST_DAMPENED
    while True:
        rung = _rung(sensitivity, t)
        pairs = pair(rung[leader], rung[others])
        steps = float((gaps / pairs).min())
        if steps <= 1 or t >= sensitivity.last_read:
            return t + steps
        gaps, t = gaps - pairs, t + 1


def _deficits_of_losers(u: Floats, sensitivity: SensitivityFunction) -> Floats:
    """Where u_r + B_r(k) meets the envelope, for everyone who is not level with the best."""
    deficits, low, high = np.zeros(len(u)), u.copy(), u.copy()
    behind = np.flatnonzero(u < u.max())
    t = 0
    while behind.size and t < sensitivity.last_read:
        rung = sensitivity.rung(t)
        # The envelope only falls and u_r + B_r only rises, so each loser meets it within exactly one rung.
        envelope_next = (low - rung).max()
        meets = high[behind] + rung[behind] >= envelope_next
        arrived = behind[meets]
        deficits[arrived] = t + _meeting_points(high[arrived], rung[arrived], low, rung)
        behind, low, high, t = behind[~meets], low - rung, high + rung, t + 1
    if behind.size:
        rung = _rung(sensitivity, t)
        deficits[behind] = t + (low.max() - high[behind]) / (2 * rung[behind])
    return deficits


def _meeting_points(start: Floats, slope: Floats, low: Floats, fall: Floats) -> Floats:
    """For lines start + slope * k, the k in [0, 1] at which each meets the envelope max(low - fall * k)."""
    hull_low, hull_fall = _upper_hull(low, fall)
    if len(hull_low) == 1:
        return np.asarray((hull_low[0] - start) / (hull_fall[0] + slope))
    corners = (hull_low[:-1] - hull_low[1:]) / (hull_fall[:-1] - hull_fall[1:])
    heights = hull_low[:-1] - hull_fall[:-1] * corners
    first, last = np.zeros(len(start), dtype=np.intp), np.full(len(start), len(corners), dtype=np.intp)
    while (first < last).any():
        middle = (first + last) // 2
        inside = np.minimum(middle, len(corners) - 1)
        passed = (start + slope * corners[inside] < heights[inside]) & (first < last)
        first, last = np.where(passed, middle + 1, first), np.where(passed, last, np.minimum(middle, last))
    return np.asarray((hull_low[first] - start) / (hull_fall[first] + slope))


def _upper_hull(low: Floats, fall: Floats) -> tuple[Floats, Floats]:
    """The lines low - fall * k that are largest somewhere on [0, 1], in the order in which they are."""
    reach = (low - fall).max()
    relevant = np.flatnonzero(low >= reach)
    # A line that starts below where the envelope ends is never the largest; the rest are swept from the highest.
    order = relevant[np.lexsort((fall[relevant], -low[relevant]))]
    kept: list[tuple[float, float]] = []
    for line_low, line_fall in zip(low[order].tolist(), fall[order].tolist(), strict=True):
        if kept and line_fall >= kept[-1][1]:
            continue
        while len(kept) > 1 and _is_covered(kept[-2], kept[-1], (line_low, line_fall)):
            kept.pop()
        kept.append((line_low, line_fall))
    lines = np.array(kept)
    return lines[:, 0], lines[:, 1]


def _is_covered(left: tuple[float, float], middle: tuple[float, float], right: tuple[float, float]) -> bool:
    """Whether the middle line is nowhere above both others."""
    return (left[0] - right[0]) * (left[1] - middle[1]) <= (left[0] - middle[0]) * (left[1] - right[1])


def _correct_in_fractions(deficits: Floats, u: Vector, sensitivity: SensitivityFunction, pair: np.ufunc) -> Floats:
    """Where rounding may have moved a deficit by more than ``DAMPENED_ERROR``, compute it anew in fractions.

    Sums of k rungs within a gap g are off by less than g (k + 8) 2^-52, and a deficit by that divided by the rung at
    which it ends.
    """
    behind, last = _gaps_to_best(u), sensitivity.last_read
    gaps = np.where(deficits < 0, -behind.min(), -behind)
    steps = np.abs(deficits)
    with np.errstate(over="ignore"):
        doubt = gaps * (np.minimum(steps, last) + 8) * 2.0**-52
    for r in np.flatnonzero((doubt > DAMPENED_ERROR * sensitivity.rung(0)) & (steps < LARGEST_DAMPENED)):
        if doubt[r] > DAMPENED_ERROR * _rung(sensitivity, min(int(steps[r]), last))[r]:
            exact = _exact_deficit(u, sensitivity, int(r), pair)
            deficits[r] = float(max(-CLIP, min(exact, CLIP)))
    return deficits


def _exact_deficit(u: Vector, sensitivity: SensitivityFunction, r: int, pair: np.ufunc) -> Fraction:
    """One deficit by its definition; rungs are the fractions that their floats are."""
    rests = {q: as_fraction(u[q]) - as_fraction(u[r]) for q in range(len(u)) if q != r}
    signs = {q: 1 if rest >= 0 else -1 for q, rest in rests.items()}
    best, t = Fraction(-int(LARGEST_DAMPENED)), 0
    rests = {q: abs(rest) for q, rest in rests.items()}
    while rests:
        rungs = [Fraction(float(value)) for value in _rung(sensitivity, t)]
        for q in list(rests):
            rung = rungs[r] + rungs[q] if pair is np.add else max(rungs[r], rungs[q])
            if rests[q] <= rung or t >= sensitivity.last_read:
                best = max(best, signs[q] * (t + rests.pop(q) / rung))
            else:
                rests[q] -= rung
        t += 1
    return best


def _rung(sensitivity: SensitivityFunction, t: int) -> Floats:
    """Rung t as loops read it: the bound (or, without one, the rung itself) from ``last_read`` on."""
    if t >= sensitivity.last_read and sensitivity.bound is not None:
        return np.full(sensitivity.size, float(sensitivity.bound))
    return sensitivity.rung(t)


def _rows(u: Floats, sensitivity: SensitivityFunction) -> Floats:
    """The rungs as a table, as far as the widest gap reaches or loops read."""
    spread, covered = float(u.max() - u.min()), 0.0
    rows: list[Floats] = []
    while not rows or (covered < spread and len(rows) < sensitivity.last_read):
        rows.append(_rung(sensitivity, len(rows)))
        covered += float(rows[-1].min())
    return np.array(rows)


def _references(u: Floats, rows: Floats) -> list[int]:
    """The rivals that nobody beats in both utility and sensitivity: the only ones that can set a positive deficit."""
    kept: list[int] = []
    # From the best utility down, whoever is kept beats all later ones in utility: rungs alone remain to compare.
    for q in np.lexsort((rows.sum(axis=0), -u)):
        if not (rows[:, kept] <= rows[:, q, None]).all(axis=0).any():
            kept.append(int(q))
    return kept


def _steps_to_cover(gaps: Floats, rows: Floats, beyond: float | None) -> Floats:
    """Steps that cover the gaps, which are not negative; beyond the rows a rung is ``beyond``, or the last row."""
    rest, steps = gaps.copy(), np.zeros(len(gaps))
    for row in rows:
        covered = np.minimum(rest, row)
        steps += covered / row
        rest -= covered
    return np.asarray(steps + rest / (rows[-1] if beyond is None else beyond))


class PairTable(PairFunction):
    """Rungs s_rq(t) written out: rows of t = 0, 1, ... of a square for r and q; the last row holds for ever."""

    def __init__(self, rows: Any, *, triangle: bool = False) -> None:
        try:
            given = np.asarray(rows)
            table = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            given, table = np.array(""), np.empty(0)
        if given.dtype.kind not in "biuf" or table.ndim != 3 or table.shape[1] != table.shape[2] or table.size == 0:
            raise DataError("rows of a pair table must be squares of numbers, one per t")
        if not np.isfinite(table).all() or table.min() <= 0 or (np.diff(table, axis=0) < 0).any():
            raise DataError(
                "rows of a pair table must be positive, finite and must not decrease from one t to the next"
            )
        self._rows, self.size, self.triangle = table, table.shape[1], flag(triangle=triangle)

    def deficits(self, u: Vector) -> Floats:
        """By the definition, in fractions: the rows are squares, so there are never many candidates."""
        deficits = [max((self._dampen(u, r, q) for q in range(len(u)) if q != r), default=None) for r in range(len(u))]
        floats = [-LARGEST_DAMPENED if deficit is None else float(deficit) for deficit in deficits]
        return np.asarray(np.clip(np.array(floats), -LARGEST_DAMPENED, LARGEST_DAMPENED))

    def _dampen(self, u: Vector, r: int, q: int) -> Fraction:
        gap = as_fraction(u[q]) - as_fraction(u[r])
        rest, rungs = abs(gap), [Fraction(value) for value in self._rows[:, r, q].tolist()]
        for t, rung in enumerate(rungs):
            if rest <= rung or t == len(rungs) - 1:
                return (t + rest / rung) * (1 if gap >= 0 else -1)
            rest -= rung
        raise AssertionError("unreachable: the last rung holds for ever")
