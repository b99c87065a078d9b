"""Two Laplace laws of different centres and scales: the exact delta between them, in closed form."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dampen._validate import Number, non_negative, positive
from dampen.certified import arithmetic, ball

FIRST_BITS = 128
"""The working precision of the first attempt; it doubles until the answer is certain."""
CERTAIN_BITS = 60
"""How many bits of an answer must be certain before it becomes a float."""


@dataclass(frozen=True)
class LaplacePair:
    """The exact delta of two laws P and Q at one epsilon, either way.

    ``forward`` is the largest P(S) - exp(epsilon) Q(S) over all events S, ``backward`` the same with P and Q swapped.
    """

    forward: float
    backward: float

    @property
    def delta(self) -> float:
        """The larger of the two: the smallest delta for which P and Q are as close as neighbours must be."""
        return max(self.forward, self.backward)


def laplace_pair(*, epsilon: Number, distance: Number, scale: Number, other_scale: Number) -> LaplacePair:
    """Compare Laplace noise of ``scale`` with noise of ``other_scale`` around a value ``distance`` away.

    Noise of scale b has the density exp(-|z| / b) / (2 b). Where scales follow the data, neighbours have different
    ones, and the wider law then needs a delta however large epsilon is. Computed in certified arithmetic.

    >>> laplace_pair(epsilon=1, distance=1, scale=1, other_scale=1)
    LaplacePair(forward=0.0, backward=0.0)
    >>> pair = laplace_pair(epsilon=1, distance=1, scale="3/2", other_scale=1)
    >>> round(pair.forward, 6), round(pair.backward, 6)
    (0.075431, 0.004299)
    """
    allowed, gap = non_negative(epsilon=epsilon), non_negative(distance=distance)
    one, other = positive(scale=scale), positive(other_scale=other_scale)
    return LaplacePair(_delta(allowed, gap, one, other), _delta(allowed, gap, other, one))


def _delta(epsilon: Fraction, distance: Fraction, scale: Fraction, other: Fraction) -> float:
    """From P of this scale to Q of the other one. Lengths are counted in units of Q's scale."""
    r, c = scale / other, distance / other
    if r == 1 and c <= epsilon:
        return 0.0
    formula = _delta_if_equally_wide if r == 1 else _delta_if_wider if r > 1 else _delta_if_narrower
    bits, found = FIRST_BITS, None
    while found is None or (found != 0 and found.rel_accuracy_bits() < CERTAIN_BITS):
        with arithmetic(bits) as flint:
            found = formula(ball(flint, epsilon), ball(flint, r), ball(flint, c))
        bits *= 2
    return float(found.mid())


def _delta_if_equally_wide(epsilon: Any, r: Any, c: Any) -> Any:
    """For r = 1 and c > epsilon: the loss is c on one side of both values, -c on the other, linear between."""
    return 1 - (-(c - epsilon) / 2).exp()


def _delta_if_wider(epsilon: Any, r: Any, c: Any) -> Any:
    """For r > 1: the loss grows without end on either side. ``None`` where the precision leaves a case open."""
    allowed, share = epsilon + r.log(), (1 - 1 / r) / 2
    right = share * (-(allowed + c) / (r - 1)).exp()
    if c <= allowed:
        return right + share * (-(allowed - c) / (r - 1)).exp()
    return right + 1 - (1 + 1 / r) / 2 * (-(c - allowed) / (1 + r)).exp() if c > allowed else None


def _delta_if_narrower(epsilon: Any, r: Any, c: Any) -> Any:
    """For r < 1: the loss exceeds epsilon around P's centre at most. ``None`` where a case is open."""
    largest, at_q = c - r.log() - epsilon, -r.log() - c / r - epsilon
    share = (1 / r - 1) / 2
    left = share * (-largest / (1 - r)).exp()
    if largest <= 0:
        return 0 * left
    if not largest > 0:
        return None
    if at_q <= 0:
        return 1 + left - (1 + 1 / r) / 2 * (-largest / (1 + r)).exp()
    return 1 - epsilon.exp() + left + share * (-(-r.log() - epsilon - c) / (1 - r)).exp() if at_q > 0 else None
