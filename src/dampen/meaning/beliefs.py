"""What somebody may believe, or guess, of one person after a release: exact, and rounded to the safe side.

All follow from r = exp(-epsilon), which is rounded down once, to a multiple of 2^-80: every bound below only grows
wider by that. docs/explain.md says where the formulas come from.
"""

from fractions import Fraction
from functools import lru_cache
from math import inf, nextafter
from typing import NamedTuple

from dampen.certified import ball, round_down

ONE = Fraction(1)
LARGEST = 60
"""Beyond this epsilon exp(-epsilon) is below 2^-80: nothing is promised that anybody could notice."""


class Belief(NamedTuple):
    """A belief before a release, and between which two it lies after it."""

    before: Fraction
    least: Fraction
    most: Fraction


@lru_cache(maxsize=256)
def ratio(epsilon: Fraction) -> Fraction:
    """exp(-epsilon), rounded down."""
    return Fraction(0) if epsilon > LARGEST else round_down(lambda flint: (-ball(flint, epsilon)).exp())


def belief_after(before: Fraction, epsilon: Fraction) -> Belief:
    """Bayes' rule where no output is more than exp(epsilon) times as likely in one case as in the other.

    At most p / (p + (1 - p) r), which is p e^epsilon / (1 - p + p e^epsilon); at least p r / (p r + 1 - p).
    """
    if before in (0, 1):
        return Belief(before, before, before)
    r = ratio(epsilon)
    return Belief(before, before * r / (before * r + 1 - before), before / (before + (1 - before) * r))


def float_above(number: Fraction) -> float:
    """The number as a float, never less than it is."""
    near = float(number)
    return near if Fraction(near) >= number else nextafter(near, inf)


def float_below(number: Fraction) -> float:
    """The number as a float, never more than it is."""
    return -float_above(-number)


def odds_factor(epsilon: Fraction) -> Fraction | None:
    """exp(epsilon), rounded up; ``None`` where it is too large to mean anything."""
    r = ratio(epsilon)
    return 1 / r if r else None


def right_guess(epsilon: Fraction, delta: Fraction) -> Fraction:
    """How often a guess between two equally likely cases is right at most: (e^epsilon + delta) / (e^epsilon + 1)."""
    r = ratio(epsilon)
    return min(ONE, (1 + delta * r) / (1 + r))


def detection(false_alarm: Fraction, epsilon: Fraction, delta: Fraction) -> Fraction:
    """How often a test finds somebody at most who is there, if it is wrong about those who are not so often.

    The least of e^epsilon a + delta and 1 - e^-epsilon (1 - delta - a), for a false alarm with probability a.
    """
    r = ratio(epsilon)
    first = false_alarm / r + delta if r else ONE
    return min(ONE, first, 1 - r * (1 - delta - false_alarm))
