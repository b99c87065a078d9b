"""The last objects that see data: a public frame and, inside it, the private numbers of one data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import ceil, floor
from typing import Any

import numpy as np

from dampen._validate import Number, exact, flag, pair, plain, positive, shown
from dampen.errors import DataError, NotPublic, ParameterError
from dampen.privacy import Adjacency, as_adjacency, default_unit
from dampen.runs import Runs
from dampen.sensitivity import Constant, SensitivityFunction
from dampen.vectors import Sizes, Vector, as_vector

LARGEST_CHECKED = 10**7
"""Up to so many candidates are checked to be distinct; longer sequences are trusted."""


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Frame:
    """What is known before the data is seen.

    ``candidates``: any sequence, e.g. a tuple or a range. ``bound``: how far one step moves any utility at most, or
    ``None`` when no finite bound exists. ``monotone``: whether one step moves all utilities in the same direction,
    which is true of counts under ``ADD_REMOVE`` and false of counts under ``REPLACE``.
    """

    candidates: Sequence[Any]
    bound: Fraction | None
    adjacency: Adjacency
    monotone: bool
    unit: str

    def __init__(
        self,
        candidates: Sequence[Any],
        bound: Number | None,
        adjacency: Adjacency,
        monotone: bool = False,
        unit: str = "",
    ) -> None:
        fields = {
            "candidates": _distinct(candidates),
            "bound": None if bound is None else positive(bound=bound),
            "adjacency": as_adjacency(adjacency),
            "monotone": flag(monotone=monotone),
            "unit": unit or default_unit(adjacency),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return (
            f"Frame({count_candidates(self.candidates)} candidates, bound={_shown(self.bound)}, {self.adjacency!r}, "
            f"monotone={self.monotone}, unit={self.unit!r})"
        )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class SelectionProblem:
    """Which candidate is best? The utilities of one data set inside their public frame.

    ``utilities`` is one number per candidate, or :class:`~dampen.runs.Runs`; ``sensitivity`` speaks for the same
    candidates (or groups) and defaults to the frame's bound. Printing a problem shows its frame alone.
    """

    frame: Frame
    utilities: Vector | Runs
    sensitivity: SensitivityFunction
    public: bool

    def __init__(self, frame: Frame, utilities: Any, sensitivity: SensitivityFunction | None = None) -> None:
        if not isinstance(frame, Frame):
            raise ParameterError(f"frame must be a Frame; got {type(frame).__name__}")
        runs = utilities if isinstance(utilities, Runs) else None
        if runs is None:  # what is wrong with a public argument is told first, whatever the data
            size = count_candidates(frame.candidates)
            matching_sensitivity(sensitivity, frame.bound, size=size, candidates=size)
        utilities = as_vector(utilities, "utilities") if runs is None else runs
        groups = utilities if runs is None else runs.values
        entries, expected = (len(groups) if runs is None else runs.total), count_candidates(frame.candidates)
        if entries != expected:
            raise DataError(f"utilities must be exactly one per candidate: {expected} are needed")
        fields = {
            "frame": frame,
            "utilities": utilities,
            "sensitivity": matching_sensitivity(sensitivity, frame.bound, size=len(groups), candidates=expected),
            "public": False,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def groups(self) -> Vector:
        """One utility per group of equal candidates; without runs, per candidate."""
        return self.utilities.values if isinstance(self.utilities, Runs) else self.utilities

    @property
    def sizes(self) -> Sizes | None:
        """How many candidates each group holds; ``None`` when every group is one candidate."""
        return self.utilities.sizes if isinstance(self.utilities, Runs) else None

    @property
    def integral(self) -> bool:
        """Whether utilities are whole numbers *by type*. Public: the same for all data sets of one query."""
        return self.groups.dtype.kind == "i"

    def index(self, group: int, member: int) -> int:
        """The index among all candidates of one member of one group."""
        return self.utilities.unrank(group, member) if isinstance(self.utilities, Runs) else group

    def per_candidate(self, values: Vector) -> Vector | Runs:
        """Numbers that belong to the groups, in the shape of the utilities."""
        return self.utilities.with_values(values) if isinstance(self.utilities, Runs) else values

    def as_public(self) -> "SelectionProblem":
        """A copy marked public: its data may be shown, simulated and plotted."""
        marked = SelectionProblem(self.frame, self.utilities, self.sensitivity)
        object.__setattr__(marked, "public", True)
        return marked

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        _require_public(self.public, what)

    def __repr__(self) -> str:
        return f"SelectionProblem({self.frame!r}{', public' if self.public else ''})"


@dataclass(frozen=True, init=False, repr=False)
class NumericFrame:
    """What is known of a number before the data is seen.

    ``bound``: how far one step moves the value at most. ``resolution``: the grid of the answers, 1 for counts; values
    are rounded to it. ``range``: answers are clamped to this public interval, if it is given.
    """

    bound: Fraction
    adjacency: Adjacency
    resolution: Fraction
    range: tuple[Fraction, Fraction] | None
    unit: str

    def __init__(
        self,
        bound: Number,
        adjacency: Adjacency,
        resolution: Number = 1,
        range: tuple[Number, Number] | None = None,
        unit: str = "",
    ) -> None:
        fields = {
            "bound": positive(bound=bound),
            "adjacency": as_adjacency(adjacency),
            "resolution": positive(resolution=resolution),
            "range": None if range is None else _interval(range),
            "unit": unit or default_unit(adjacency),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def reach(self) -> int:
        """How many grid steps one step of the data moves a rounded value at most: the bound, rounded up."""
        return ceil(self.bound / self.resolution)

    def __repr__(self) -> str:
        ends = "" if self.range is None else f", range=({plain(self.range[0])}, {plain(self.range[1])})"
        return (
            f"NumericFrame(bound={plain(self.bound)}, {self.adjacency!r}, resolution={plain(self.resolution)}{ends}, "
            f"unit={self.unit!r})"
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
            "value": _value(value),
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
        frame, (top, bottom) = self.frame, self.frame.resolution.as_integer_ratio()
        reach, most = frame.reach, float(frame.bound)

        def steps(rung: int | float | Fraction) -> int:
            size, part = rung.as_integer_ratio()
            at_the_bound = isinstance(rung, float) and rung >= most
            return reach if at_the_bound else min(-(-size * bottom // (part * top)), reach)

        return tuple(accumulate(map(steps, self.sensitivity.exact_ladder(count)), max))

    def as_public(self) -> "NumericProblem":
        """A copy marked public: its data may be shown, simulated and plotted."""
        marked = NumericProblem(self.frame, self.value, self.sensitivity)
        object.__setattr__(marked, "public", True)
        return marked

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        _require_public(self.public, what)

    def __repr__(self) -> str:
        return f"NumericProblem({self.frame!r}{', public' if self.public else ''})"


def _require_public(public: bool, what: str) -> None:
    if not public:
        raise NotPublic(f"{what} shows the data itself: mark public data with problem.as_public() first")


def _interval(ends: Any) -> tuple[Fraction, Fraction]:
    low, high = pair(range=ends)
    if low >= high:
        raise ParameterError(f"range must be two increasing numbers; got {shown(ends)}")
    return low, high


def _value(value: Any) -> Fraction:
    try:
        return exact(value=value.item() if isinstance(value, np.generic) else value)
    except ParameterError:
        raise DataError("value must be one finite number") from None


def _distinct(candidates: Sequence[Any]) -> Sequence[Any]:
    sized = hasattr(candidates, "__getitem__") and hasattr(candidates, "__len__")
    if not sized or isinstance(candidates, str | bytes | Mapping) or getattr(candidates, "ndim", 1) == 0:
        raise ParameterError(f"candidates must be a sequence; got {type(candidates).__name__}")
    if count_candidates(candidates) == 0:
        raise ParameterError("candidates must not be empty")
    if isinstance(candidates, np.ndarray):
        candidates = candidates.copy()
        candidates.flags.writeable = False
    elif isinstance(candidates, list) or not (isinstance(candidates, Sequence) or hasattr(candidates, "total")):
        candidates = tuple(candidates)
    known = isinstance(candidates, range) or getattr(candidates, "distinct", False) is True
    if not known and count_candidates(candidates) <= LARGEST_CHECKED and _repeats(candidates):
        raise ParameterError("candidates must be distinct; a label is given twice")
    return candidates


def _repeats(candidates: Sequence[Any]) -> bool:
    if isinstance(candidates, np.ndarray) and candidates.dtype != object:
        return len(np.unique(candidates, axis=0)) < len(candidates)
    labels = list(candidates)
    try:
        return len(set(labels)) < len(labels)
    except TypeError:
        return any(np.array_equal(label, other) for place, label in enumerate(labels) for other in labels[:place])


def matching_sensitivity(
    sensitivity: SensitivityFunction | None, bound: Fraction | None, *, size: int, candidates: int
) -> SensitivityFunction:
    """The sensitivity function of a problem, where it fits the public frame; without one, that of the bound."""
    if sensitivity is None and bound is not None:
        return Constant(bound, size=size)
    if not isinstance(sensitivity, SensitivityFunction):
        raise ParameterError(f"sensitivity must be a SensitivityFunction; got {type(sensitivity).__name__}")
    sizes = {sensitivity.size} if sensitivity.pairs is None else {sensitivity.size, sensitivity.pairs.size}
    if sizes != {size} and size != candidates:
        raise DataError("sensitivity must speak for exactly the groups of the runs")
    if sizes != {size}:
        raise ParameterError(f"sensitivity must speak for {size} candidates; it speaks for {max(sizes - {size})}")
    if sensitivity.bound != bound:
        raise ParameterError(
            f"sensitivity and frame must have the same bound; got {_shown(sensitivity.bound)} and {_shown(bound)}"
        )
    return sensitivity


def count_candidates(candidates: Sequence[Any]) -> int:
    """How many candidates there are, also where the number exceeds what ``len`` may return."""
    if isinstance(candidates, range):
        return max(0, -((candidates.start - candidates.stop) // candidates.step))
    return int(getattr(candidates, "total", 0)) or len(candidates)


def _shown(bound: Fraction | None) -> str:
    return "None" if bound is None else plain(bound)
