"""Laplace noise rung by rung, on a ladder that is smoothed as little as its normaliser needs: pure privacy."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, exact, render
from dampen.certified import arithmetic, ball
from dampen.errors import ParameterError
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.piecewise_noise import PiecewiseNoise
from dampen.mechanisms.numeric.rungs import MOST_RUNGS, check_epsilon, count_to_forget
from dampen.privacy import PrivacyLoss
from dampen.problem import NumericFrame, NumericProblem

FIXED = 64
"""Sums of weights are whole multiples of 2^-64, rounded up."""
LARGEST_SHARE = Fraction(1, 2)
"""With half of epsilon the normaliser may follow any ladder; more would be wasted."""


@dataclass(frozen=True, init=False, repr=False)
class PiecewiseLaplace(AdditiveMechanism):
    """The value plus Laplace noise whose scale is the rung on which it lands: for ladders that are nearly flat.

    Definition
    ----------
    With kappa = ``share`` * epsilon, eta = epsilon - kappa, q = exp(-eta) and c(l) = coth(eta / (2 l)), the rungs
    L_0, L_1, ... of the data set, in grid steps, are raised to whole l_t, from the last one read down:

        l_t = the least l >= L_t with c(l) >= (exp(-kappa) - q) W_(t+1),    W_t = c(l_t) + q W_(t+1).

    The answer is value + K, P(K = k) proportional to exp(-eta phi(|k|)): phi is 0 at 0 and rises by 1 over the next l_0
    distances, by 1 over the l_1 after these, and so on. Rungs beyond a public number of them are the frame's reach.

    Where the ladder is flat this is Laplace noise with a mean of 1 / (1 - ``share``) times that of :class:`Laplace`,
    and where it is nearly flat hardly more, for the first rung in place of the bound. A ``share`` of 0 is
    :class:`Laplace` for the bound; a share of 1/2 raises no rung.

    Guarantee
    ---------
    epsilon-differential privacy (docs/proofs/piecewise_laplace.md). ``share``, between 0 and 1/2, is public: it must
    not be chosen from the data. All moments are finite. The rungs are private and are never shown.

    Differs from the paper
    ----------------------
    The published noise is that of share 1/2. Here the normaliser is smoothed: it pays for how much it may move with a
    tenth of epsilon in place of half. Answers are whole numbers of grid steps.

    Numerics
    --------
    Rungs are raised in whole numbers, by comparisons that certified arithmetic decides, and sums of weights are rounded
    up, which keeps all that the proof needs. The weights of rungs are compared with random bits in certified
    arithmetic, places on a rung are drawn with coins of probability exp(-x). The law is the exact one.

    Cost
    ----
    O(T), T = (ln(reach) + 16) / (share * epsilon) rungs and at most 65536; some microseconds each.

    Example
    -------
    >>> import numpy as np, dampen
    >>> frame = dampen.NumericFrame(bound=5000, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> ladder = dampen.sensitivity.RungTable([[100 + t] for t in range(4900)], bound=5000)
    >>> problem = dampen.NumericProblem(frame, 7000, ladder).as_public()
    >>> round(PiecewiseLaplace(epsilon=1).expected_absolute_noise(problem))
    113
    >>> drawn = PiecewiseLaplace(epsilon=1).simulate(problem, np.random.default_rng(0), size=10_000)
    >>> bool(abs(np.median(drawn) - 7000) < 5)
    True

    References
    ----------
    Durfee, Unifying Laplace mechanism with instance optimality in differential privacy, 2025 (the noise).
    """

    share: Fraction

    def __init__(self, epsilon: Number, share: Number = Fraction(1, 10)) -> None:
        super().__init__(epsilon)
        check_epsilon(self.epsilon)
        part = exact(share=share)
        if not 0 <= part <= LARGEST_SHARE:
            raise ParameterError(f"share must lie between 0 and 1/2; got {render(share)}")
        object.__setattr__(self, "share", part)

    @property
    def rate(self) -> Fraction:
        """eta: how far the logarithm of the law falls on one rung."""
        return self.epsilon - self.smoothing

    @property
    def smoothing(self) -> Fraction:
        """kappa: how far the logarithm of the normaliser may move in one step."""
        return self.epsilon * self.share

    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """Epsilon."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def scale_step(self, frame: NumericFrame) -> float | None:
        """Kappa: the scale is half of the normaliser, as of Laplace noise."""
        return float(self.smoothing) or None

    def rungs_read(self, frame: NumericFrame) -> int:
        """Public: how many rungs are read before every rung is taken to be the reach."""
        if not self.share:
            return 0
        forgotten = count_to_forget(float(self.smoothing), frame)
        return min(MOST_RUNGS, max(forgotten, 2 * count_to_forget(float(self.rate), frame)))

    def noise(self, problem: NumericProblem) -> PiecewiseNoise:
        """Not private. The noise on the raised rungs of this data set."""
        frame = problem.frame
        raised = raise_rungs(problem.rungs(self.rungs_read(frame)), frame.reach, self.rate, self.smoothing)
        return PiecewiseNoise(raised, frame.reach, self.rate)


def raise_rungs(rungs: Sequence[int], reach: int, rate: Fraction, smoothing: Fraction) -> tuple[int, ...]:
    """The rungs, raised where sums of weights would move by more than a factor exp(smoothing); none above the reach.

    Every rounding is to the next whole multiple above, which certified arithmetic finds exactly. So each l_t and each
    rounded sum is a monotone function of the rung and of the sum after it, whatever the precision was.
    """
    if smoothing == rate:
        return tuple(rungs)
    precision = 2 * FIXED + reach.bit_length() + 2 * rate.denominator.bit_length()
    while True:
        with arithmetic(precision) as flint:
            try:
                return _Raising(flint, reach, rate, smoothing).raise_all(rungs)
            except _Undecided:
                precision *= 2


class _Undecided(Exception):
    """More precision is needed to round a number up."""


class _Raising:
    """One pass over a ladder at one working precision. Sums and weights are whole multiples of 2^-FIXED."""

    def __init__(self, flint: Any, reach: int, rate: Fraction, smoothing: Fraction) -> None:
        self._flint, self._reach, self._rate = flint, reach, ball(flint, rate)
        fall = (-self._rate).exp()
        self._fall = self._fixed(fall)
        self._needed = self._fixed((-ball(flint, smoothing)).exp() - fall)
        self._weights: dict[int, int] = {0: 1 << FIXED}
        self._beyond = self._fixed(self._coth(reach) / (1 - fall))

    def raise_all(self, rungs: Sequence[int]) -> tuple[int, ...]:
        """From the last rung down."""
        raised, total = [], self._beyond
        for rung in reversed(rungs):
            least = self._needed * total
            length = rung
            # The weight is rounded up, so only a whole multiple less is certainly reached.
            if (self._weight(rung) - 1) << FIXED < least:
                length = min(max(rung, self._length(least)), self._reach)
            raised.append(length)
            total = self._weight(length) - (-(self._fall * total) >> FIXED)
        return tuple(reversed(raised))

    def _weight(self, length: int) -> int:
        """c(l), rounded up."""
        if length not in self._weights:
            self._weights[length] = self._fixed(self._coth(length))
        return self._weights[length]

    def _length(self, least: int) -> int:
        """The least l with c(l) >= least / 2^(2 FIXED): eta / ln((w + 1) / (w - 1)) for a weight w above 1."""
        one = 1 << 2 * FIXED
        if least <= one:
            return 0
        return self._ceil(self._rate / self._flint.arb(self._flint.fmpq(2 * one, least - one)).log1p())

    def _coth(self, length: int) -> Any:
        return (self._rate / (2 * length)).coth()

    def _fixed(self, number: Any) -> int:
        return self._ceil(number * 2**FIXED)

    def _ceil(self, number: Any) -> int:
        found = number.ceil().unique_fmpz()
        if found is None:
            raise _Undecided
        return int(found)
