"""Whole numbers with a two-sided geometric law, exactly."""

from fractions import Fraction

from dampen.sampling import exact
from dampen.sampling.entropy import Entropy


def discrete_laplace(rate: Fraction, entropy: Entropy) -> int:
    """A whole number z with probability proportional to exp(-rate * abs(z)).

    With rate = s / t: a uniform u < t kept with probability exp(-u / t), plus t for every head of coins exp(-1), is
    geometric with ratio exp(-1 / t); the quotient by s has ratio exp(-rate). A fair bit is the sign, and -0 is drawn
    again (Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020). Few coins, whatever the
    rate.
    """
    s, t = rate.numerator, rate.denominator
    while True:
        low = exact.uniform_below(t, entropy)
        if not exact.coin(Fraction(low, t), entropy):
            continue
        turns = 0
        while exact.coin(Fraction(1), entropy):
            turns += 1
        size, negative = (low + t * turns) // s, entropy.bits(1) == 1
        if size or not negative:
            return -size if negative else size
