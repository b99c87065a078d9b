"""The sum of numbers without bounds: two ends, and the sum of the values moved between them."""

from fractions import Fraction
from math import floor
from typing import Any

from dampen._validate import Number, flag, positive, render
from dampen.describe.columns import PRIVATE
from dampen.errors import ParameterError
from dampen.mechanisms import SignedCapRace, SignedCapScan
from dampen.privacy import Adjacency, NumericRelease
from dampen.queries.sizes import sizes_frame, sizes_problem
from dampen.questions.record import Posed, Single
from dampen.tables.engines.unit_sizes import POWERS
from dampen.tables.unit_counts import count_sizes
from dampen.tables.unit_reading import Units

CAPS = POWERS
"""63 doublings, for either sign: up to 2**62 units."""
BEYOND = 4
"""BEYOND / epsilon rows beyond an end cost its race nothing: so few add less than the noise of a higher end would."""


def is_private(bounds: object) -> bool:
    """Whether bounds are to be found privately."""
    if isinstance(bounds, str) and bounds != PRIVATE:
        raise ParameterError(f"bounds must be two numbers (lo, hi), or 'private'; got {render(bounds)}")
    return isinstance(bounds, str)


def private_units(unit: Number | None, name: str = "unit") -> Units:
    """What values are read to, which must be said where bounds are private. ``name``: what the caller calls it."""
    if unit is None:
        rule = f"{name} must be said where bounds are private: values are read to it"
        raise ParameterError(f"{rule}; for example {name}=0.01")
    return Units(unit)


def refuse_unless_private(**options: Any) -> None:
    """Refuse what is said of private bounds alone."""
    for name, option in options.items():
        if option is not None:
            raise ParameterError(f"{name} must be left out where bounds are known; got {render(option)}")


def sum_race(epsilon: Fraction) -> SignedCapRace:
    """The race for the ends of a sum of rows."""
    return SignedCapRace(epsilon, threshold=floor(BEYOND / epsilon))


def pose_private_sum(
    values: Any, unit: Number | None, *, few: bool, epsilon: Number, adjacency: Adjacency
) -> Posed[NumericRelease]:
    """The sum between two ends that are chosen by a race, or by a scan where there are ``few`` values."""
    units = private_units(unit)
    mechanism = SignedCapScan(epsilon) if flag(few=few) else sum_race(positive(epsilon=epsilon))
    frame = sizes_frame(CAPS, units.unit, adjacency)
    mechanism.privacy(frame)  # tried before any data is read
    return Single(mechanism, sizes_problem(frame, count_sizes(values, units)))
