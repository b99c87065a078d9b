"""Percent of records, as a caller names a percentile."""

from fractions import Fraction

from dampen._validate import exact, shown
from dampen.errors import ParameterError


def share_of(p: object) -> Fraction:
    """p / 100, exactly; p lies between 0 and 100."""
    percent = exact(p=p)
    if not 0 <= percent <= 100:
        raise ParameterError(f"p must lie between 0 and 100; got {shown(p)}")
    return percent / 100
