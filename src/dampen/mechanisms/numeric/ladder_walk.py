"""Noise that walks up the ladder by an exponential number of steps: pure differential privacy."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, factorial, fsum, log
from typing import Any

import numpy as np

from dampen._validate import Number
from dampen.certified import PRECISION, arithmetic, ball
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.heavy_noises import SUMMED
from dampen.mechanisms.numeric.noises import RoundedNoise
from dampen.mechanisms.numeric.roots import fits_floats, roots_less
from dampen.mechanisms.numeric.rungs import check_epsilon
from dampen.privacy import PrivacyLoss
from dampen.problem import GrowthLaw, NumericFrame, NumericProblem
from dampen.vectors import Floats

GRID = 20
"""Levels are whole multiples of 2^-20, rounded up."""
RUNGS_AT_ONCE = 2**20
"""So many rungs are read before interrupts are heard."""


@dataclass(frozen=True, repr=False)
class RoundedWalk(RoundedNoise):
    """P(|Z| > z) = exp(-rate ((1 + z)^(1 / power) - 1)): a walk of exponential length up a curve of this power.

    From a place m on the curve R(m) = alpha m^power / power the walk goes on to R(m + phi), phi exponential of rate
    epsilon. Its length is R(m) Z, with the scale R(m) and the rate epsilon m.
    """

    power: int
    rate: Fraction

    def survival(self, flint: Any, z: Any) -> Any:
        """exp(-rate ((1 + z)^(1 / power) - 1))."""
        return (ball(flint, self.rate) * (1 - (1 + z).root(self.power))).exp()

    def log_survival(self, z: Floats) -> Floats:
        """-rate ((1 + z)^(1 / power) - 1)."""
        return np.asarray(-float(self.rate) * np.expm1(np.log1p(z) / self.power))

    def log_cell(self, z: Floats, width: float) -> Floats:
        """The survival of z times what is lost on the way to z + width."""
        climbed = np.exp(np.log1p(z) / self.power) * np.expm1(np.log1p(width / (1 + z)) / self.power)
        return np.asarray(np.log(-np.expm1(-float(self.rate) * climbed)) + self.log_survival(z))

    def quantile(self, tail: Floats) -> Floats:
        """(1 - ln(tail) / rate)^power - 1."""
        return np.asarray(np.expm1(self.power * np.log1p(-np.log(tail) / float(self.rate))))

    def mean_length(self) -> Fraction:
        """E |Z| times the scale, before rounding."""
        mean: Fraction = self.scale * mean_climb(self.power, self.rate)
        return mean

    def mean_size(self) -> float:
        """The sum of S((k - 1/2) / scale); from N on the integral of S and a correction (Euler and Maclaurin).

        What is left of a walk that has come so far is a walk from there: S times its own mean.
        """
        scale, rate = float(self.scale), float(self.rate)
        end = np.array([SUMMED / scale])
        height = float(np.exp(np.log1p(end) / self.power)[0])
        left = float(np.exp(self.log_survival(end))[0])
        beyond = scale * height**self.power * float(mean_climb(self.power, rate * height))
        slope = -rate * height / (self.power * (scale + SUMMED))
        middles: Floats = (np.arange(SUMMED, 0, -1, dtype=np.float64) - 0.5) / scale
        return float(np.exp(self.log_survival(middles)).sum() + left * (beyond + slope / 24))


@dataclass(frozen=True, init=False, repr=False)
class LadderWalk(AdditiveMechanism):
    """The value plus pure noise that walks up the ladder: hardly more than the first rung asks for, if that is large.

    Definition
    ----------
    The frame's :class:`~dampen.GrowthLaw` says a power d and an alpha. The level of a data set with rungs L_0, L_1, ...
    is l = the largest (L_t / alpha)^(1 / (d - 1)) - t. With b = max((d - 1) / epsilon, 2 / epsilon - 1), m = l + b and
    phi exponential of rate epsilon,

        value +- (alpha / d) ((m + phi)^d - m^d)

    rounded to the frame's grid, with a fair sign. m ends where the bound needs no more. Problems without a growth law
    are refused. Of triangles (d = 2, alpha = 1) l is L_0, and for epsilon <= 1 the mean noise is (L_0 + 3 / epsilon -
    1) / epsilon. As L_0 grows it tends to L_0 / epsilon, as if the first rung were the bound of all data sets.

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/ladder_walk.md), on every ladder and with every growth law, which is
    public: it must not be chosen from the data. All moments are finite. The level is private and is never shown.

    Differs from the paper
    ----------------------
    There is no paper on this noise. :class:`PolyPlace` is the same walk up an exponential curve, Laplace noise up a
    straight line.

    Numerics
    --------
    Levels are rounded up to multiples of 2^-20 in whole numbers, which keeps all that the proof needs; m and the scale
    are fractions, and the noise is drawn exactly.

    Cost
    ----
    O(T), T = (reach / alpha)^(1 / (d - 1)) rungs at most and no more than ``most_rungs`` of the ladder, some
    nanoseconds each; one where it is known of a ladder that d = 2 and no rung exceeds the one before by more than
    alpha.

    Example
    -------
    >>> import numpy as np, dampen
    >>> growth = dampen.GrowthLaw(power=2, alpha=1)
    >>> frame = dampen.NumericFrame(bound=998, adjacency=dampen.Adjacency.EDGE, growth=growth)
    >>> ladder = dampen.sensitivity.RungTable([[50 + t] for t in range(949)], bound=998)
    >>> problem = dampen.NumericProblem(frame, 100, ladder).as_public()
    >>> round(LadderWalk(epsilon=1).expected_absolute_noise(problem), 1)
    52.0
    >>> drawn = LadderWalk(epsilon=1).simulate(problem, np.random.default_rng(0), size=10_000)
    >>> bool(abs(np.median(drawn) - 100) < 3)
    True

    References
    ----------
    Zhang, Cormode, Procopiuc, Srivastava and Xiao, Private release of graph statistics using ladder functions, SIGMOD
    2015 (ladders).
    """

    def __init__(self, epsilon: Number) -> None:
        super().__init__(epsilon)
        check_epsilon(self.epsilon)

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def require(self, problem: NumericProblem) -> None:
        """Refuse a frame without a growth law, before anything is spent."""
        super().require(problem)
        growth_in_steps(problem.frame)

    def scale_step(self, frame: NumericFrame) -> float | None:
        """Ln of the mean length from b + 1 over that from b: m moves by at most 1, and this falls with m."""
        if frame.growth is None:
            return None
        power, start = frame.growth.power, self.least_place(frame.growth.power)
        low, high = (place**power * mean_climb(power, self.epsilon * place) for place in (start, start + 1))
        return log(high / low)

    def noise(self, problem: NumericProblem) -> RoundedWalk:
        """Not private. The walk from the level of this data set."""
        growth = growth_in_steps(problem.frame)
        place = level(problem, growth) + self.least_place(growth.power)
        return self.walk_from(min(place, largest_place(self.epsilon, growth, problem.frame.reach)), growth)

    def least_place(self, power: int) -> Fraction:
        """b: where walks start at level 0."""
        return max((power - 1) / self.epsilon, 2 / self.epsilon - 1)

    def walk_from(self, place: Fraction, growth: GrowthLaw) -> RoundedWalk:
        """The noise at this m."""
        return RoundedWalk(growth.alpha * place**growth.power / growth.power, growth.power, self.epsilon * place)

    def least_mean_length(self, frame: NumericFrame) -> Fraction:
        """Public: the mean size of the noise, before rounding and in grid steps, at level 0. It is never less."""
        growth = growth_in_steps(frame)
        return self.walk_from(self.least_place(growth.power), growth).mean_length()


def growth_in_steps(frame: NumericFrame) -> GrowthLaw:
    """The frame's growth law for numbers of grid steps; a frame without one is refused."""
    if frame.growth is None:
        raise ParameterError("problem must have a frame with a growth law for LadderWalk; this one has none")
    return GrowthLaw(frame.growth.power, frame.growth.alpha / frame.resolution)


def mean_climb(power: int, rate: Any) -> Any:
    """E ((1 + X / rate)^power - 1) for a standard exponential X: the sum of power! / (power - j)! / rate^j."""
    terms = [factorial(power) // factorial(power - j) / rate**j for j in range(1, power + 1)]
    return fsum(terms) if isinstance(rate, float) else sum(terms)


def level(problem: NumericProblem, growth: GrowthLaw) -> Fraction:
    """Not private. The largest (L_t / alpha)^(1 / (power - 1)) - t, rounded up to the grid of levels.

    Terms of t >= T, where alpha T^(power - 1) is the reach at least, are not positive; those of t >= T - l are at most
    l. Beyond the rungs that are read every rung is taken to be the reach, which only makes the noise larger.
    """
    best = _root(problem.rungs(1)[0], growth)
    if _is_steady(problem, growth):
        return Fraction(best, 1 << GRID)
    limit = problem.sensitivity.most_rungs
    count = min(max(rungs_that_matter(problem.frame) - (best >> GRID), 1), limit)
    for first in range(0, count, RUNGS_AT_ONCE):
        places = _may_decide(problem, growth, range(first, min(first + RUNGS_AT_ONCE, count)), best)
        for t, rung in zip(places, problem.in_steps(problem.sensitivity.exact_rungs(places)), strict=True):
            best = max(best, _root(rung, growth) - (t << GRID))
    return Fraction(max(best, _root(problem.frame.reach, growth) - (limit << GRID)), 1 << GRID)


def _may_decide(problem: NumericProblem, growth: GrowthLaw, among: range, best: int) -> list[int]:
    """The t whose terms may exceed the best so far and be the largest: exact roots are taken of few rungs.

    Steep ladders have terms that are nearly equal at all t, so the terms of floats are told beyond their precision.
    """
    if not fits_floats(growth.alpha, problem.frame.reach):
        return list(among)
    rungs = problem.sensitivity.stretch(among.start, among.stop) / float(problem.frame.resolution)
    if problem.frame.resolution == 1 and problem.frame.reach < 2**53:
        least = most = np.minimum(np.ceil(rungs), problem.frame.reach)
    else:
        least, most = np.minimum(rungs, problem.frame.reach) * (1 - 2.0**-50), (rungs + 1) * (1 + 2.0**-50)
    places, order = np.arange(among.start, among.stop, dtype=np.float64), growth.power - 1
    lower = roots_less(least, growth.alpha, order, places)
    upper = lower if most is least else roots_less(most, growth.alpha, order, places)
    above = upper[0] + upper[1] >= max((lower[0] - lower[1]).max(), min(best, 1 << 64) / (1 << GRID))
    found: list[int] = (np.flatnonzero(above) + among.start).tolist()
    return found


def rungs_that_matter(frame: NumericFrame) -> int:
    """The least T with alpha T^(power - 1) >= reach: no rung from there on can decide a level. Public."""
    return -(-_root(frame.reach, growth_in_steps(frame)) >> GRID)


def can_walk(problem: NumericProblem) -> bool:
    """Public: whether there is a growth law, and all rungs that matter are read; of a power of 2 one may be enough."""
    growth, limit = problem.frame.growth, problem.sensitivity.most_rungs
    return growth is not None and (growth.power == 2 or rungs_that_matter(problem.frame) <= limit)


def _is_steady(problem: NumericProblem, growth: GrowthLaw) -> bool:
    """Whether the first rung alone decides the level, of every data set."""
    rise = problem.sensitivity.largest_rise
    return rise is not None and growth.power == 2 and ceil(rise / problem.frame.resolution) <= growth.alpha


def _root(rung: int, growth: GrowthLaw) -> int:
    """The least whole s with alpha (s / 2^GRID)^(power - 1) >= rung."""
    import flint

    order, (top, bottom) = growth.power - 1, growth.alpha.as_integer_ratio()
    target = -(-(rung * bottom << GRID * order) // top)
    return int(flint.fmpz(target - 1).root(order)) + 1 if target > 0 else 0


@lru_cache(maxsize=1024)
def largest_place(epsilon: Fraction, growth: GrowthLaw, reach: int) -> Fraction:
    """The least m, on the grid of levels, from which two equal walks may be the reach apart: public."""
    order, distance = growth.power - 1, growth.power * reach / growth.alpha
    low, high = 0, 1
    # a place is of the size of the distance or of 1 / epsilon at most, and what is compared is of the size of 1
    with arithmetic(PRECISION + int(distance + 1 / epsilon).bit_length()) as flint:
        most = ball(flint, epsilon)

        def allows(steps: int) -> bool:
            place = Fraction(steps, 1 << GRID)
            m, end = ball(flint, place), ball(flint, place**growth.power + distance).root(growth.power)
            return bool(most * (end - m) + order * (end / m).log() <= most)

        while not allows(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if allows(middle) else (middle, high)
    return Fraction(high, 1 << GRID)
