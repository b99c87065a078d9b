"""Whole numbers whose probability falls in steps of one width, exactly."""

from fractions import Fraction
from typing import Any

from dampen.certified import ball
from dampen.entropy import Entropy
from dampen.sampling.discrete_laplace import geometric
from dampen.sampling.exact import draw_weighted, uniform_below


def staircase(rate: Fraction, step: int, plateau: int, entropy: Entropy) -> int:
    """A whole number z with probability proportional to exp(-rate * l(z)).

    l(z) = 0 for |z| < plateau, else 1 + floor((|z| - plateau) / step). The plateau weighs 2 plateau - 1, everything
    beyond it 2 step exp(-rate) / (1 - exp(-rate)), and their ratio is irrational: certified bounds decide between them.
    Beyond it the number of the step is geometric, and the place on it a fair die.
    """

    def weights(flint: Any) -> list[Any]:
        x = ball(flint, rate)
        return [flint.arb(2 * plateau - 1), -2 * step * (-x).exp() / (-x).expm1()]

    if draw_weighted(weights, entropy) == 0:
        return uniform_below(2 * plateau - 1, entropy) - plateau + 1
    before = plateau + step * geometric(rate, entropy)
    place, negative = divmod(uniform_below(2 * step, entropy), 2)
    return -(before + place) if negative else before + place
