"""What every sensitivity function can tell, and what some ladders can tell beyond that."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dampen._validate import Number, brief, exact, positive, render, whole
from dampen.errors import ParameterError
from dampen.vectors import Floats, Vector

ZERO = Fraction(0)
DEFAULT_FLOOR = Fraction(1, 2**20)
"""The default floor, as a share of the bound."""
LARGEST_DAMPENED = 2.0**28
"""Dampened scores are clipped to this size, which keeps their sensitivity of 1."""
LONGEST_LOOP = 2**16
"""Loops read so many rungs; beyond them every rung is taken to be the bound or, without one, scores are clipped."""
LARGEST_GAP = 1e300
"""Gaps between utilities end here, so that no sum of them overflows."""
DAMPENED_ERROR = 2.0**-25
"""How far a dampened score may be from the exact one; where floats cannot promise it, fractions compute it."""


class PairFunction(ABC):
    """A query's own sensitivity function of the differences u_q - u_r, tighter than the sum of the two.

    ``triangle``: whether s_ab <= s_ac + s_cb is proved for all candidates, which lets the clipped score of pairwise
    dampening use its better rate. Public.
    """

    triangle: bool = False
    size: int
    """For how many candidates (or groups) it speaks."""

    @abstractmethod
    def deficits(self, u: Vector) -> Floats:
        """For every candidate r the largest dampened difference u_q - u_r over q != r."""


class SensitivityFunction(ABC):
    """s(x, t, r) of one data set x, vectorised over the candidates r (or over the groups of a problem with runs).

    Admissible means: s(x, 0, r) is at least how much u(x, r) can change in one step, and s(x, t+1, r) >= s(y, t, r)
    for every y within one step of x. What is public, the same for all data sets: ``bound``, ``floor`` and ``horizon``.

    It is read through one of three lenses: ``cumulative`` (shifted dampening, ladders), its ``inverse`` (dampening) and
    ``smooth`` (smooth sensitivity). The last two never read a rung below the floor.
    """

    pairs: PairFunction | None = None
    """The query's own function of differences of utilities, where it has one."""
    largest_rise: int | None = None
    """By how much a rung exceeds the one before at most, where that is known of every data set. Public."""
    most_rungs: int = 2**20
    """So many rungs are read for one answer at most; those that are quick to compute allow more. Public."""

    def __init__(
        self, *, size: int, bound: Number | None, floor: Number | None = None, horizon: int | None = None
    ) -> None:
        if bound is None and floor is None:
            raise ParameterError("floor must be given where bound is None")
        self.size = whole(size=size, least=1)
        """For how many candidates (or groups) it speaks."""
        self.bound = None if bound is None else positive(bound=bound)
        """The public global bound: no step ever moves any utility further. ``None``: there is no finite one."""
        self.floor = positive(floor=exact(bound=bound) * DEFAULT_FLOOR if floor is None else floor)
        """A public positive number below which no rung is read."""
        if self.bound is not None and self.floor > self.bound:
            raise ParameterError(f"floor must not exceed the bound {brief(self.bound)}; got {render(floor)}")
        self.horizon = horizon
        """The public number of rows of a table; ``None`` for closed forms."""

    @abstractmethod
    def at(self, t: int) -> Floats:
        """s(t) for every candidate; non-decreasing in t, never above the bound."""

    @property
    def saturation(self) -> int | None:
        """A t from which on every rung is the bound; ``None`` where none is known. Not public."""
        return None

    def ladder(self, count: int) -> Floats:
        """s(0), s(1), ..., s(count - 1): one row for each t, one column for each candidate."""
        rows = [self.at(t) for t in range(whole(count=count, least=0))]
        return np.array(rows, dtype=np.float64).reshape(count, self.size)

    def exact_ladder(self, count: int) -> Sequence[int | float | Fraction]:
        """The ladder of a function of size 1; those that know their rungs better than floats can say override this."""
        rungs: list[float] = self.ladder(count)[:, 0].tolist()
        return rungs

    def stretch(self, first: int, last: int) -> Floats:
        """s(first), ..., s(last - 1) of a function of size 1; closed forms compute no others."""
        return self.ladder(last)[first:, 0]

    def exact_rungs(self, places: Sequence[int]) -> Sequence[int | float | Fraction]:
        """Those of :meth:`exact_ladder` at some places."""
        rungs = self.exact_ladder(max(places, default=-1) + 1)
        return [rungs[t] for t in places]

    def cumulative(self, t: int) -> Floats:
        """The sum of s(j) over j < t, compensated for rounding; closed forms override this loop."""
        total, lost = np.zeros(self.size), np.zeros(self.size)
        for step in range(whole(t=t, least=0)):
            term = self.at(step) - lost
            larger = total + term
            lost = (larger - total) - term
            total = larger
        return total

    def rung(self, t: int) -> Floats:
        """s(t), raised to the floor."""
        return np.maximum(self.at(t), float(self.floor))

    def inverse(self, u: Vector, level: Fraction = ZERO) -> Floats:
        """The dampened score D: how many steps it takes to move u to the level.

        With B(k) the integral of the rungs over [0, k], D is the k with B(k) = abs(u - level), with the sign of
        u - level; odd, and 0 at the level. Neighbouring data sets have dampened scores at most 1 apart. Within
        ``DAMPENED_ERROR`` of exact, and clipped to ``LARGEST_DAMPENED``.
        """
        rest, steps = np.abs(gaps_to(u, level)), np.zeros(self.size)
        t, last = 0, self.last_read
        while t < last and rest.any():
            rung = self.rung(t)
            covered = np.minimum(rest, rung)
            rest -= covered
            steps += np.divide(covered, rung, out=covered)
            t += 1
        if self.bound is not None:
            steps += rest / float(self.bound)
        return self._signed_scores(steps, u, level)

    def _slopes(self, steps: Floats) -> Floats:
        """The rung on which each score ends, or a smaller one; the bound beyond what loops read."""
        ends = np.minimum(steps, self.last_read).astype(np.int64)
        slopes = self.rung(0)
        for t in np.unique(ends):
            if t == self.last_read and self.bound is not None:
                slopes[ends == t] = float(self.bound)
            elif t > 0:
                slopes[ends == t] = self.rung(int(t) - 1)[ends == t]
        return slopes

    @property
    def last_read(self) -> int:
        """How many rungs loops read before they take the bound. Beyond ``LONGEST_LOOP`` that is a public choice."""
        return LONGEST_LOOP if self.saturation is None else min(self.saturation, LONGEST_LOOP)

    def _signed_scores(self, steps: Floats, u: Vector, level: Fraction, slopes: Floats | None = None) -> Floats:
        """Scores with their sign, clipped, and computed anew in fractions where floats may be too far off.

        Sums of k rungs within a gap g are off by less than g (k + 8) 2^-52, the gap itself by 2^-52 of its terms, and a
        score by that divided by the rung at which it ends.
        """
        gaps = gaps_to(u, level)
        read = np.minimum(steps, self.last_read)
        with np.errstate(over="ignore"):
            doubt = (np.abs(gaps) * (read + 8) + abs(float(level))) * 2.0**-52
        if slopes is None:
            first = self.rung(0)
            slopes = first if (doubt <= DAMPENED_ERROR * first).all() else self._slopes(steps)
        scores = np.copysign(np.minimum(steps, LARGEST_DAMPENED), gaps) * (gaps != 0)
        for place in np.flatnonzero((doubt > DAMPENED_ERROR * slopes) & (steps < 2 * LARGEST_DAMPENED)):
            scores[place] = self._exact_inverse(int(place), as_fraction(u[place]) - level)
        return np.asarray(np.clip(scores, -LARGEST_DAMPENED, LARGEST_DAMPENED))

    def _exact_inverse(self, place: int, gap: Fraction) -> float:
        """One dampened score in fractions, reading the rungs as the floats they are."""
        rest, steps = abs(gap), Fraction(0)
        for t in range(self.last_read):
            rung = max(Fraction(float(self.at(t)[place])), self.floor)
            steps, rest = steps + min(rest / rung, Fraction(1)), max(rest - rung, Fraction(0))
            if rest == 0:
                break
        steps += rest / self.bound if self.bound is not None else 0
        return float(min(steps, Fraction(LARGEST_DAMPENED))) * (1 if gap >= 0 else -1)

    def smooth(self, beta: Number) -> Floats:
        """The smooth sensitivity: the largest exp(-beta t) s(t), and at least the floor.

        The loop ends where even the bound could not add anything.
        """
        rate, best = float(positive(beta=beta)), np.full(self.size, float(self.floor))
        if self.bound is None:
            raise ParameterError("smooth needs a sensitivity function with a finite bound")
        t, last = 0, self.saturation
        while np.exp(-rate * t) * float(self.bound) > best.min():
            np.maximum(best, np.exp(-rate * t) * self.at(t), out=best)
            if last is not None and t >= last:
                break
            t += 1
        return best


class SecondOrder(SensitivityFunction):
    """A ladder of one number f whose local sensitivity LS changes by an amount that a whole number a governs.

    For graphs a is the largest number of common neighbours of two nodes. What must hold, for all neighbours x and y:

    - ``abs(f(x) - f(y)) <= first_order(x)``: it is the local sensitivity, or a bound of it for which the rest holds;
    - ``abs(common(x) - common(y)) <= 1``, and ``0 <= common <= common_bound``, which is public;
    - ``abs(first_order(x) - first_order(y)) <= second_order(common(x))``;
    - ``second_order`` is a public function, the same for all data sets, that does not decrease in a.
    """

    @property
    @abstractmethod
    def first_order(self) -> Number:
        """Not private. How far one step can move the number."""

    @property
    @abstractmethod
    def common(self) -> int:
        """Not private. The whole number a."""

    @property
    @abstractmethod
    def common_bound(self) -> int:
        """The public largest a."""

    @abstractmethod
    def second_order(self, a: int) -> Number:
        """How far one step can move ``first_order`` where ``common`` is at most a, for 0 <= a <= ``common_bound``."""


def gaps_to(u: Vector, level: Fraction) -> Floats:
    """u - level in floats; whole numbers are subtracted as whole numbers."""
    if u.dtype.kind == "i" and level.denominator == 1 and abs(level) < 2**62:
        return np.asarray(u - int(level), dtype=np.float64)
    with np.errstate(over="ignore"):
        gaps = np.asarray(u - float(level) if level else u, dtype=np.float64)
    return np.clip(gaps, -LARGEST_GAP, LARGEST_GAP)


def as_fraction(number: np.int64 | np.float64) -> Fraction:
    """A number of a vector, exactly."""
    return Fraction(number.item())
