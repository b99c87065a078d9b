"""Noise fitted to a noisy upper bound of the local sensitivity."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil
from typing import Any

import numpy as np

from dampen._validate import Number, exact, positive, probability
from dampen.certified import PRECISION, arithmetic, ball
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.noises import LARGEST_SIMULATED, Noise
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem
from dampen.sampling.discrete_laplace import discrete_laplace
from dampen.sensitivity import SecondOrder
from dampen.vectors import Floats, Integers

SUMMED_ONE_BY_ONE = 2**10
"""The law sums over every noisy sensitivity up to this one, and over blocks beyond it."""
BLOCKS_PER_DOUBLING = 256
"""Blocks are less than three thousandths of their size wide."""
LARGEST_BLOCK = 2**20
"""So many terms of a law are computed at once."""
NEGLIGIBLE = 1e-24
"""The law leaves out noisy a's less likely than this."""


@dataclass(frozen=True, repr=False)
class NestedNoise(Noise):
    """Discrete Laplace noise whose scale is a noisy local sensitivity, whose own scale comes from a noisy a.

    ``rate`` is that of each of the three noises, ``failure`` the chance that each of the two margins is not enough.
    """

    ladder: SecondOrder
    frame: NumericFrame
    rate: Fraction
    failure: Fraction

    def draw(self, entropy: Entropy) -> int:
        """Three draws from exact coins."""
        a = self._common(discrete_laplace(self.rate, entropy))
        second = self._second_order(a)
        first = self._first_order(second, discrete_laplace(self.rate / second, entropy))
        return discrete_laplace(self.rate / first, entropy)

    def _common(self, noise: int) -> int:
        """A bound of a that fails with probability ``failure``."""
        return min(max(self.ladder.common + margin(self.rate, self.failure) + noise, 0), self.ladder.common_bound)

    def _second_order(self, a: int) -> int:
        """The bound of how far one step moves the local sensitivity, in grid steps, and at least 1."""
        return max(1, self._steps(self.ladder.second_order(a)))

    def _first_order(self, second: int, noise: int) -> int:
        """A bound of the local sensitivity that fails with probability ``failure``, from 1 to the frame's reach."""
        return min(max(self._centre(second) + noise, 1), self.frame.reach)

    def _centre(self, second: int) -> int:
        first = min(self._steps(self.ladder.first_order), self.frame.reach)
        return first + margin(self.rate / second, self.failure)

    def _steps(self, distance: Number) -> int:
        return ceil(exact(distance=distance) / self.frame.resolution)

    @cached_property
    def _scales(self) -> tuple[Floats, Floats]:
        """Noisy local sensitivities and their probabilities: one by one, then in blocks told by their middle."""
        ends = _block_ends(self.frame.reach)
        lows, highs = np.append(-np.inf, ends[1:-1]), np.append(ends[1:-1], np.inf)
        bound, centre = self.ladder.common_bound, self.ladder.common + margin(self.rate, self.failure)
        a = np.arange(bound + 1, dtype=np.float64)
        starts, stops = np.append(-np.inf, a[1:]), np.append(a[1:], np.inf)
        likely = cell(float(self.rate), starts - centre, stops - centre)
        shares = np.zeros(len(lows))
        for place in np.flatnonzero(likely > NEGLIGIBLE):
            second = self._second_order(int(place))
            middle = float(self._centre(second))
            shares += likely[place] * cell(float(self.rate / second), lows - middle, highs - middle)
        return (ends[:-1] + ends[1:] - 1) / 2, shares

    def _mix_over_scales(self, terms: Any, k: Any) -> Floats:
        """Ln of the mean over scales of ``terms(rate, size)``, size by size."""
        scales, shares = self._scales
        rates, kept = float(self.rate) / scales[shares > 0], shares[shares > 0]
        sizes, places = np.unique(np.abs(np.asarray(k, dtype=np.float64)), return_inverse=True)
        rows = max(1, LARGEST_BLOCK // len(rates))
        parts = [terms(rates, sizes[start : start + rows, None]) @ kept for start in range(0, len(sizes), rows)]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.concatenate([*parts, np.empty(0)]))[places].reshape(np.shape(k)))

    def log_probabilities(self, k: Any) -> Floats:
        """The mean of tanh(rate / 2) exp(-rate |k|) over the rates."""
        return self._mix_over_scales(lambda rates, size: np.tanh(rates / 2) * np.exp(-rates * size), k)

    def log_tail(self, k: Any) -> Floats:
        """The mean of 2 exp(-rate k) / (1 + exp(-rate)) over the rates."""
        return self._mix_over_scales(lambda rates, size: 2 * np.exp(-rates * size) / (1 + np.exp(-rates)), k)

    def mean_size(self) -> float:
        """The mean of 1 / sinh(rate) over the rates."""
        scales, shares = self._scales
        return float(shares @ (1 / np.sinh(np.minimum(float(self.rate) / scales, 700.0))))

    def simulate(self, rng: np.random.Generator, size: int) -> Integers:
        """As the exact draw, in floats for the last noise."""
        drawn, noisy = np.empty(size), self._simulate_laplace(float(self.rate), rng, size)
        for noise, count in zip(*np.unique(noisy, return_counts=True), strict=True):
            second = self._second_order(self._common(int(noise)))
            first = self._centre(second) + self._simulate_laplace(float(self.rate / second), rng, count)
            scales = np.clip(first, 1, self.frame.reach)
            drawn[noisy == noise] = self._simulate_laplace(float(self.rate) / scales, rng, count)
        return np.asarray(np.clip(drawn, -LARGEST_SIMULATED, LARGEST_SIMULATED), dtype=np.int64)

    @staticmethod
    def _simulate_laplace(rate: Any, rng: np.random.Generator, size: int) -> Floats:
        one, other = rng.exponential(1, (2, size)) / rate
        return np.asarray(np.floor(one) - np.floor(other))


@dataclass(frozen=True, init=False, repr=False)
class NoisyLocalSensitivity(AdditiveMechanism):
    """Discrete Laplace noise fitted to a noisy upper bound of the local sensitivity.

    Definition
    ----------
    With epsilon' = epsilon / 3, delta' = delta / 2 and a margin(rate) >= 0 below which discrete Laplace noise of that
    rate falls with probability delta' at most:

    - A = a + margin(epsilon') + noise of rate epsilon', clamped to [0, its public bound];
    - U = how far one step moves the local sensitivity where a <= A, at least 1;
    - L = LS + margin(epsilon' / U) + noise of rate epsilon' / U, clamped to [1, reach];
    - the answer: value + noise of rate epsilon' / L.

    a, LS and U come from a :class:`~dampen.sensitivity.SecondOrder` ladder, such as that of k-triangles. Others are
    refused.

    Guarantee
    ---------
    (epsilon, delta)-differential privacy, for every epsilon (docs/proofs/noisy_local_sensitivity.md).

    Differs from the paper
    ----------------------
    Whole numbers throughout. delta is split between the two margins, which makes the paper's limit on epsilon
    unnecessary. Clamping L costs nothing and never leaves more noise than the frame's bound asks for.

    Numerics
    --------
    All noise is drawn from exact coins with rational rates; margins are certified and rounded up. The law in floats
    sums over all A and L where the reach is at most 1024, and over blocks of L less than 0.3 % wide beyond that.

    Cost
    ----
    A release is O(1). The law is O(common_bound * min(reach, 1024 + 256 log2(reach / 1024))).

    Example
    -------
    >>> import numpy as np, dampen
    >>> class Squares(dampen.sensitivity.SecondOrder):
    ...     "a^2 for a public a up to 100: one step moves it by 2 a + 1, which one step moves by 2."
    ...     first_order, common, common_bound = 41, 20, 100
    ...     def second_order(self, a): return 2
    ...     def at(self, t): return np.array([min(2.0 * (20 + t) + 1, 201.0)])
    >>> frame = dampen.NumericFrame(bound=201, adjacency=dampen.Adjacency.EDGE)
    >>> problem = dampen.NumericProblem(frame, 400, Squares(size=1, bound=201)).as_public()
    >>> round(NoisyLocalSensitivity(1, "1e-6").expected_absolute_noise(problem))
    372
    >>> drawn = NoisyLocalSensitivity(1, "1e-6").simulate(problem, np.random.default_rng(0), size=10_000)
    >>> bool(abs(abs(drawn - 400).mean() - 372) < 20)
    True

    References
    ----------
    Karwa, Raskhodnikova, Smith and Yaroslavtsev, Private analysis of graph structure, VLDB 2011.
    """

    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        super().__init__(epsilon)
        object.__setattr__(self, "delta", probability(delta=positive(delta=delta)))

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon and delta."""
        return PrivacyLoss(self.epsilon, self.delta, adjacency=frame.adjacency, unit=frame.unit)

    def noise(self, problem: NumericProblem) -> NestedNoise:
        """Not private. The three noises of this data set in one."""
        return NestedNoise(second_order_of(problem), problem.frame, self.epsilon / 3, self.delta / 2)

    def require(self, problem: NumericProblem) -> None:
        """Refuse queries without a second-order bound too. Which kind of ladder a query has is public."""
        super().require(problem)
        second_order_of(problem)


def second_order_of(problem: NumericProblem) -> SecondOrder:
    """The problem's ladder, or a refusal."""
    if not isinstance(problem.sensitivity, SecondOrder):
        raise ParameterError(
            "problem must have a sensitivity.SecondOrder ladder for NoisyLocalSensitivity; "
            f"this one has {type(problem.sensitivity).__name__}"
        )
    return problem.sensitivity


@lru_cache(maxsize=2**14)
def margin(rate: Fraction, failure: Fraction) -> int:
    """The smallest c >= 0, or the next one, with P(K < -c) = q^(c+1) / (1 + q) <= failure, q = exp(-rate)."""
    with arithmetic(PRECISION) as flint:
        size = ball(flint, rate)
        needed = -(ball(flint, failure) * (1 + (-size).exp())).log() / size
        return max(0, int(needed.upper().ceil().unique_fmpz()) - 1)


def cell(rate: float, low: Floats, high: Floats) -> Floats:
    """P(low <= K < high) of discrete Laplace noise, for whole low < high, infinite ones too, without cancellation."""
    left, right = np.minimum(low, 0), np.maximum(high, 1)
    straddling = -np.expm1(-rate * right) - np.exp(-rate) * np.expm1(rate * left)
    near = np.where(low >= 1, low, np.where(high <= 0, 1 - high, 1))
    outside = np.exp(-rate * near) * -np.expm1(-rate * (high - low))
    return np.asarray(np.where((low >= 1) | (high <= 0), outside, straddling) / (1 + np.exp(-rate)))


def _block_ends(reach: int) -> Floats:
    """1, 2, ... up to SUMMED_ONE_BY_ONE, then geometric; the last is reach + 1."""
    near = np.arange(1, min(reach, SUMMED_ONE_BY_ONE) + 2, dtype=np.float64)
    if reach <= SUMMED_ONE_BY_ONE:
        return near
    doublings = np.log2((reach + 1) / near[-1])
    far = np.floor(near[-1] * 2 ** np.linspace(0, doublings, ceil(BLOCKS_PER_DOUBLING * doublings) + 1))
    return np.unique(np.concatenate([near, far[1:-1], [float(reach + 1)]]))
