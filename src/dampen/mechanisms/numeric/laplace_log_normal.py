"""Laplace noise of a log-normal scale, for smooth sensitivities under concentrated privacy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from dampen._validate import SMALLEST, Number, plain, positive, probability
from dampen.certified import ball
from dampen.concentrated import largest_rho
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import LARGEST_SIMULATED, Noise
from dampen.mechanisms.numeric.rungs import fraction_below, ratio_below, rungs_until_negligible, smooth_ladder
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem
from dampen.sampling.rounded import draw_rounded_function, normal_quantile
from dampen.vectors import Floats, Integers

SIGMA = Fraction(4472, 10000)
"""The standard deviation of the logarithm of the scale: 1 / sqrt(5), rounded."""
NODES = np.arange(-13, 13.0625, 1 / 8)
"""Where laws are summed, in standard deviations from the peak."""
LARGEST_BLOCK = 2**20
"""So many terms of a law are computed at once."""
PIECE, DEGREE = 1.0, 18
"""A long law is interpolated in ln z, by polynomials of this degree on pieces of this width."""
LARGEST_EPSILON = 10**6
"""Beyond this nobody asks."""


@dataclass(frozen=True, repr=False)
class LogNormalNoise(Noise):
    """scale * X exp(SIGMA * Y), rounded, for standard Laplace X and standard normal Y."""

    scale: Fraction

    def draw(self, entropy: Entropy) -> int:
        """By revealing one uniform number for abs(X) and one for Y until the rounding is certain."""

        def size(flint: Any, uniforms: Sequence[Any]) -> Any:
            factor = (ball(flint, SIGMA) * normal_quantile(flint, uniforms[1])).exp()
            return -uniforms[0].log() * factor * ball(flint, self.scale)

        drawn = draw_rounded_function(size, 2, entropy)
        return -drawn if drawn and entropy.bits(1) else drawn

    def log_probabilities(self, k: Any) -> Floats:
        """Half of the cell from |k| - 1/2 to |k| + 1/2, and for 0 the cell from 0 to 1/2."""
        size, width = np.abs(np.asarray(k, dtype=np.float64)), 1 / float(self.scale)
        cells = log_mean(np.maximum(size - 0.5, 0.5) * width, lambda w: -np.expm1(-width * w)) - np.log(2)
        zero = log_mean(np.zeros(1), lambda w: -np.expm1(-width * w / 2))[0]
        return np.asarray(np.where(size == 0, zero, cells))

    def log_tail(self, k: Any) -> Floats:
        """Ln E exp(-(k - 1/2) w / scale) with w = exp(-SIGMA Y)."""
        return log_mean((np.asarray(k, dtype=np.float64) - 0.5) / float(self.scale), np.ones_like)

    def mean_size(self) -> float:
        """The sum of tails: E 1 / (2 sinh(w / (2 scale)))."""
        halves = np.exp(-float(SIGMA) * NODES) / (2 * float(self.scale))
        terms = np.exp(-(NODES**2) / 2) / (2 * np.sinh(np.minimum(halves, 700.0)))
        return float(terms.sum() * (NODES[1] - NODES[0]) / np.sqrt(2 * np.pi))

    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """As it is defined, in floats."""
        real = rng.laplace(size=size) * np.exp(float(SIGMA) * rng.standard_normal(size)) * float(self.scale)
        return np.asarray(np.rint(np.clip(real, -LARGEST_SIMULATED, LARGEST_SIMULATED)), dtype=np.int64)


def log_mean(z: Any, factor: Callable[[Floats], Floats]) -> Floats:
    """Ln E[exp(-z w) factor(w)] with w = exp(-SIGMA Y) and standard normal Y, for z >= 0.

    Many values at once are interpolated in ln z, where the function is analytic. The error stays below 1e-14 of
    the logarithm, or of 1 where that is larger.
    """
    distinct, places = np.unique(np.asarray(z, dtype=np.float64), return_inverse=True)
    positive_from = int(np.searchsorted(distinct, 0, side="right"))
    logarithms = np.log(distinct[positive_from:])
    pieces = np.unique(np.floor(logarithms / PIECE))
    if len(logarithms) > 2 * (DEGREE + 1) * len(pieces):
        parts = [sum_log_mean(distinct[:positive_from], factor), _interpolate(logarithms, pieces, factor)]
        return np.asarray(np.concatenate(parts)[places].reshape(np.shape(z)))
    return np.asarray(sum_log_mean(distinct, factor)[places].reshape(np.shape(z)))


def _interpolate(logarithms: Floats, pieces: Floats, factor: Callable[[Floats], Floats]) -> Floats:
    """The same at exp(logarithms), which increase, by a Chebyshev polynomial for every piece that holds some."""
    nodes = np.cos(np.pi * (np.arange(DEGREE + 1) + 0.5) / (DEGREE + 1))
    starts = pieces * PIECE
    known = sum_log_mean(np.exp(starts[:, None] + PIECE * (nodes + 1) / 2).ravel(), factor)
    polynomials = chebyshev.chebvander(nodes, DEGREE).T @ known.reshape(len(pieces), -1, 1) * 2 / (DEGREE + 1)
    polynomials[:, 0] /= 2
    ends = np.append(np.searchsorted(logarithms, starts), len(logarithms))
    values = [
        chebyshev.chebval(2 * (logarithms[low:high] - start) / PIECE - 1, polynomial[:, 0])
        for low, high, start, polynomial in zip(ends[:-1], ends[1:], starts, polynomials, strict=True)
    ]
    return np.concatenate([*values, np.empty(0)])


def sum_log_mean(z: Floats, factor: Callable[[Floats], Floats]) -> Floats:
    """Value by value.

    The trapezoidal rule around the peak of -y^2 / 2 - z exp(-sigma y), in units of its width: the integrand is analytic
    and falls off at least as fast as a normal density near the peak, so the rule is exact to rounding.
    """
    rows = max(1, LARGEST_BLOCK // len(NODES))
    parts = [_log_mean(z[start : start + rows], factor) for start in range(0, len(z), rows)]
    return np.concatenate([*parts, np.empty(0)])


def _log_mean(z: Floats, factor: Callable[[Floats], Floats]) -> Floats:
    sigma = float(SIGMA)
    peak = np.log1p(z * sigma**2)
    for _ in range(8):
        peak -= (peak - z * sigma**2 * np.exp(-peak)) / (1 + peak)
    widths = 1 / np.sqrt(1 + peak)
    y = (peak / sigma)[:, None] + widths[:, None] * NODES
    w = np.exp(-sigma * y)
    exponents = -(y**2) / 2 - z[:, None] * w
    highest = exponents.max(axis=1)
    sums = (np.exp(exponents - highest[:, None]) * factor(w)).sum(axis=1)
    with np.errstate(divide="ignore"):
        return np.asarray(highest + np.log(sums * widths * (NODES[1] - NODES[0]) / np.sqrt(2 * np.pi)))


@dataclass(frozen=True, init=False, repr=False)
class LaplaceLogNormal(AdditiveMechanism):
    """Laplace noise of a log-normal scale times the smooth sensitivity, for budgets that add up concentrated losses.

    Definition
    ----------
    Let rho be the largest concentrated loss that implies (epsilon, delta), and e = sqrt(2 rho). With sigma = 0.4472,
    beta = e sigma / 2 and alpha = (e / 2) exp(-1.5 sigma^2), the noise is (S / alpha) X exp(sigma Y) rounded to the
    grid: X standard Laplace, Y standard normal, S the largest rung t times exp(-beta t).

    Guarantee
    ---------
    rho-concentrated differential privacy, and therefore (epsilon, delta)-differential privacy
    (docs/proofs/laplace_log_normal.md). The price carries rho, so that several releases may add up by it.

    Differs from the paper
    ----------------------
    Half of e goes to each of the two terms, which makes sigma = 1 / sqrt(5) the best one in standard deviation. The
    conversion from rho is the tight one. For a single release of (epsilon, delta) other mechanisms have less noise.

    Numerics
    --------
    Public parameters are certified and rounded to the safe side; the smooth sensitivity is a whole number of 2^-64
    steps that keeps its factor between neighbours exactly; the product is rounded from lazily revealed uniform numbers.

    Cost
    ----
    O(T) for T rungs, T about ln(10^6 reach) / beta and at most 2^16.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=30, adjacency=dampen.Adjacency.EDGE)
    >>> ladder = dampen.sensitivity.RungTable([[7], [15], [27], [30]], bound=30)
    >>> problem = dampen.NumericProblem(frame, 3, ladder).as_public()
    >>> mechanism = LaplaceLogNormal(5, "1/2000")
    >>> round(mechanism.expected_absolute_noise(problem))
    36
    >>> drawn = mechanism.simulate(problem, np.random.default_rng(0), size=10_000)
    >>> bool(abs(abs(drawn - 3).mean() - 36) < 3)
    True

    References
    ----------
    Bun and Steinke, Average-case averages: private algorithms for smooth sensitivity and mean estimation, NeurIPS 2019.
    Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020 (the conversion).
    """

    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "delta", probability(delta=positive(delta=delta)))
        if self.epsilon > LARGEST_EPSILON:
            raise ParameterError(
                f"epsilon must be at most {LARGEST_EPSILON} for LaplaceLogNormal; got {plain(self.epsilon)}"
            )

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon and delta, and the concentrated loss behind them."""
        rho = max(largest_rho(self.epsilon, self.delta), SMALLEST)
        return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency, unit=frame.unit, rho=rho)

    def noise(self, problem: NumericProblem) -> LogNormalNoise:
        """Not private. The scale is S / alpha."""
        (alpha, ratio), reach = calibrate(largest_rho(self.epsilon, self.delta)), problem.frame.reach
        rungs = problem.rungs(rungs_until_negligible(reach, ratio))
        return LogNormalNoise(smooth_ladder(rungs, reach, ratio) / alpha)


@lru_cache(maxsize=1024)
def calibrate(rho: Fraction) -> tuple[Fraction, Fraction]:
    """alpha and exp(beta) with beta / sigma + exp(1.5 sigma^2) alpha <= sqrt(2 rho), half each; rounded down."""

    def half(flint: Any) -> Any:
        return (2 * ball(flint, rho)).sqrt() / 2

    alpha = fraction_below(lambda flint: half(flint) * (-ball(flint, Fraction(3, 2) * SIGMA**2)).exp())
    return alpha, ratio_below(lambda flint: (half(flint) * ball(flint, SIGMA)).expm1())
