"""Whole numbers with a geometric law, one-sided and two-sided, exactly."""

from fractions import Fraction

from dampen.entropy import Entropy
from dampen.sampling import exact


def geometric(rate: Fraction, entropy: Entropy) -> int:
    """A whole number n >= 0 with probability proportional to exp(-rate * n).

    With rate = s / t: a uniform u < t kept with probability exp(-u / t), plus t for every head of coins exp(-1), is
    geometric with ratio exp(-1 / t); the quotient by s has ratio exp(-rate) (Canonne, Kamath and Steinke, The discrete
    Gaussian for differential privacy, 2020). Few coins, whatever the rate.
    """
    s, t = rate.numerator, rate.denominator
    low = exact.uniform_below(t, entropy)
    while not exact.coin(Fraction(low, t), entropy):
        low = exact.uniform_below(t, entropy)
    turns = 0
    while exact.coin(Fraction(1), entropy):
        turns += 1
    return (low + t * turns) // s


def discrete_laplace(rate: Fraction, entropy: Entropy) -> int:
    """A whole number z with probability proportional to exp(-rate * abs(z)).

    A geometric size with a fair bit for its sign, where -0 is drawn again.
    """
    while True:
        size, negative = geometric(rate, entropy), entropy.bits(1) == 1
        if size or not negative:
            return -size if negative else size
