"""What is the number? A value inside a public frame."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor
from typing import Any

import numpy as np

from dampen._validate import Number, exact, pair, plain, positive, render, whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, as_adjacency, default_unit
from dampen.problem.rules import matching_sensitivity, require_public
from dampen.sensitivity import SensitivityFunction

LARGEST_POWER = 64
"""No growth law is steeper."""


@dataclass(frozen=True, init=False)
class GrowthLaw:
    """Publicly known: about how fast one step can matter more and more, t steps from any data set.

    How far one step moves the value is about ``alpha`` l^(``power`` - 1), with a level l that rises by no more than 1
    from step to step. It is a choice, not a promise: noise that reads it is private whatever it says, and small where
    it is true.

    >>> GrowthLaw(3, "1/2")
    GrowthLaw(power=3, alpha=0.5)
    """

    power: int
    alpha: Fraction

    def __init__(self, power: int, alpha: Number) -> None:
        if whole(power=power, least=2) > LARGEST_POWER:
            raise ParameterError(f"power must be at most {LARGEST_POWER}; got {render(power)}")
        object.__setattr__(self, "power", int(power))
        object.__setattr__(self, "alpha", positive(alpha=alpha))

    def __repr__(self) -> str:
        return f"GrowthLaw(power={self.power}, alpha={plain(self.alpha)})"


@dataclass(frozen=True, init=False, repr=False)
class NumericFrame:
    """What is known of a number before the data is seen.

    ``bound``: how far one step moves the value at most. ``resolution``: the grid of the answers, 1 for counts; values
    are rounded to it. ``range``: answers are clamped to this public interval, if it is given. ``growth``: how fast one
    step can matter more and more, where such a law is known.
    """

    bound: Fraction
    adjacency: Adjacency
    resolution: Fraction
    range: tuple[Fraction, Fraction] | None
    unit: str
    growth: GrowthLaw | None

    def __init__(
        self,
        bound: Number,
        adjacency: Adjacency,
        resolution: Number = 1,
        range: tuple[Number, Number] | None = None,
        unit: str = "",
        growth: GrowthLaw | None = None,
    ) -> None:
        if growth is not None and not isinstance(growth, GrowthLaw):
            raise ParameterError(f"growth must be a GrowthLaw or left out; got {render(growth)}")
        fields = {
            "bound": positive(bound=bound),
            "adjacency": as_adjacency(adjacency),
            "resolution": positive(resolution=resolution),
            "range": None if range is None else _as_interval(range),
            "unit": unit or default_unit(adjacency),
            "growth": growth,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def reach(self) -> int:
        """How many grid steps one step of the data moves a rounded value at most: the bound, rounded up."""
        return ceil(self.bound / self.resolution)

    def __repr__(self) -> str:
        ends = "" if self.range is None else f", range=({plain(self.range[0])}, {plain(self.range[1])})"
        growth = "" if self.growth is None else f", growth={self.growth!r}"
        return (
            f"NumericFrame(bound={plain(self.bound)}, {self.adjacency!r}, resolution={plain(self.resolution)}{ends}, "
            f"unit={self.unit!r}{growth})"
        )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class NumericProblem:
    """What is the number? The value of one data set inside its public frame.

    ``sensitivity`` is a ladder: a sensitivity function of size 1 whose rung t bounds how far one step can move the
    value of any data set within t steps. It defaults to the frame's bound. A mechanism sees whole numbers only: the
    value in grid steps, rounded to the nearest, and rungs in grid steps, rounded up, because two rounded values are no
    more than the rounded-up difference apart. Printing a problem shows its frame alone.
    """

    frame: NumericFrame
    value: Fraction
    sensitivity: SensitivityFunction
    public: bool

    def __init__(self, frame: NumericFrame, value: Number, sensitivity: SensitivityFunction | None = None) -> None:
        if not isinstance(frame, NumericFrame):
            raise ParameterError(f"frame must be a NumericFrame; got {type(frame).__name__}")
        fields = {
            "frame": frame,
            "value": _as_value(value),
            "sensitivity": matching_sensitivity(sensitivity, frame.bound, size=1, candidates=1),
            "public": False,
        }
        for name, field in fields.items():
            object.__setattr__(self, name, field)

    @property
    def steps(self) -> int:
        """Not private. The value in grid steps."""
        return floor(self.value / self.frame.resolution + Fraction(1, 2))

    def rungs(self, count: int) -> tuple[int, ...]:
        """Not private. The first rungs in grid steps, rounded up; none above the frame's reach."""
        return tuple(accumulate(self.in_steps(self.sensitivity.exact_ladder(count)), max))

    def in_steps(self, rungs: Iterable[int | float | Fraction]) -> Iterator[int]:
        """Not private. Each of some rungs in grid steps, rounded up; none above the frame's reach."""
        frame, (top, bottom) = self.frame, self.frame.resolution.as_integer_ratio()
        reach, most = frame.reach, float(frame.bound)
        for rung in rungs:
            size, part = rung.as_integer_ratio()
            at_the_bound = isinstance(rung, float) and rung >= most
            yield reach if at_the_bound else min(-(-size * bottom // (part * top)), reach)

    def as_public(self) -> "NumericProblem":
        """A copy marked public: its data may be shown, simulated and plotted."""
        marked = NumericProblem(self.frame, self.value, self.sensitivity)
        object.__setattr__(marked, "public", True)
        return marked

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        require_public(self.public, what)

    def __repr__(self) -> str:
        return f"NumericProblem({self.frame!r}{', public' if self.public else ''})"


def _as_interval(ends: Any) -> tuple[Fraction, Fraction]:
    low, high = pair(range=ends)
    if low >= high:
        raise ParameterError(f"range must be two increasing numbers; got {render(ends)}")
    return low, high


def _as_value(value: Any) -> Fraction:
    try:
        return exact(value=value.item() if isinstance(value, np.generic) else value)
    except ParameterError:
        raise DataError("value must be one finite number") from None
