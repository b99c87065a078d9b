"""The ends of a range as numbers of the kinds that values have, so that every comparison is exact."""

from fractions import Fraction
from math import ceil, floor, inf, nextafter

from dampen.describe.conditions import Between


def float_at_least(number: Fraction | int | float) -> float:
    """The smallest float not below a number."""
    near = float(number)
    return near if near >= number else nextafter(near, inf)


def float_at_most(number: Fraction | int | float) -> float:
    """The largest float not above a number."""
    near = float(number)
    return near if near <= number else nextafter(near, -inf)


def whole_ends(condition: Between) -> tuple[int | None, int | None]:
    """The smallest and the largest whole number in a range; ``None`` where it is open."""
    low, high = condition.low, condition.high
    return None if low is None else ceil(low), None if high is None else floor(high)


def real_ends(condition: Between) -> tuple[float | None, float | None]:
    """The same of floats."""
    low, high = condition.low, condition.high
    return None if low is None else float_at_least(low), None if high is None else float_at_most(high)
