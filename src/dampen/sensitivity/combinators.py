"""New sensitivity functions from given ones. Each keeps admissibility (docs/proofs/admissibility.md)."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dampen._validate import Number, positive, whole
from dampen.errors import ParameterError
from dampen.sensitivity.base import SensitivityFunction
from dampen.vectors import Floats


class Combined(SensitivityFunction):
    """A function of t made of others' values; ``saturation`` tells from where on it is the bound."""

    def __init__(
        self,
        values: Callable[[int], Floats],
        *,
        size: int,
        bound: Fraction | None,
        floor: Fraction,
        horizon: int | None,
        saturation: int | None,
    ) -> None:
        super().__init__(size=size, bound=bound, floor=floor, horizon=horizon)
        self._values, self._saturation = values, saturation

    @property
    def saturation(self) -> int | None:
        """A t from which on every rung is the bound."""
        return self._saturation

    def at(self, t: int) -> Floats:
        """The combined value."""
        return self._values(whole(t=t, least=0))

    def __repr__(self) -> str:
        return f"Combined(size={self.size})"


def capped(function: SensitivityFunction, bound: Number) -> SensitivityFunction:
    """min(s, bound) for a bound that is at least the global sensitivity."""
    cap = positive(bound=bound)
    lower = cap if function.bound is None else min(cap, function.bound)
    saturation = function.saturation if function.bound is not None else None
    return Combined(
        lambda t: np.minimum(function.at(t), float(lower)),
        size=function.size,
        bound=lower,
        floor=min(function.floor, lower),
        horizon=function.horizon,
        saturation=saturation,
    )


def floored(function: SensitivityFunction, floor: Number) -> SensitivityFunction:
    """max(s, floor) for a public floor, which becomes the floor that dampening reads."""
    least = positive(floor=floor)
    return Combined(
        lambda t: np.maximum(function.at(t), float(least)),
        size=function.size,
        bound=function.bound,
        floor=least,
        horizon=function.horizon,
        saturation=function.saturation,
    )


def running_max(function: SensitivityFunction) -> SensitivityFunction:
    """The largest s(j) over j <= t: non-decreasing in t whatever s is."""

    def largest(t: int) -> Floats:
        best = function.at(0)
        for step in range(1, t + 1):
            best = np.maximum(best, function.at(step))
        return best

    return Combined(
        largest,
        size=function.size,
        bound=function.bound,
        floor=function.floor,
        horizon=function.horizon,
        saturation=function.saturation,
    )


def max_over_candidates(function: SensitivityFunction) -> SensitivityFunction:
    """The largest s(t, r) over r, for every candidate: a flat function."""
    return Combined(
        lambda t: np.full(function.size, function.at(t).max()),
        size=function.size,
        bound=function.bound,
        floor=function.floor,
        horizon=function.horizon,
        saturation=function.saturation,
    )


def saturate_at(function: SensitivityFunction, t: int) -> SensitivityFunction:
    """s before the public distance ``t``, the bound from there on."""
    start, bound = whole(t=t, least=0), function.bound
    if bound is None:
        raise ParameterError("saturate_at needs a sensitivity function with a finite bound")
    return Combined(
        lambda step: function.at(step) if step < start else np.full(function.size, float(bound)),
        size=function.size,
        bound=bound,
        floor=function.floor,
        horizon=start if function.horizon is None else min(start, function.horizon),
        saturation=start if function.saturation is None else min(start, function.saturation),
    )


def sum_of(one: SensitivityFunction, other: SensitivityFunction) -> SensitivityFunction:
    """s + s', for the difference (or sum) of two utilities."""
    if one.size != other.size:
        raise ParameterError(f"sum_of needs functions of one size; got {one.size} and {other.size}")
    bound = None if one.bound is None or other.bound is None else one.bound + other.bound
    ends = (one.saturation, other.saturation)
    horizons = [horizon for horizon in (one.horizon, other.horizon) if horizon is not None]
    return Combined(
        lambda t: one.at(t) + other.at(t),
        size=one.size,
        bound=bound,
        floor=one.floor + other.floor,
        horizon=max(horizons, default=None),
        saturation=None if None in ends else max(end for end in ends if end is not None),
    )
