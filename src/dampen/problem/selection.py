"""Which candidate is best? Utilities inside a public frame."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dampen._validate import Number, flag, positive
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, as_adjacency, default_unit
from dampen.problem.rules import as_text, matching_sensitivity, require_public
from dampen.sensitivity import SensitivityFunction
from dampen.sensitivity.base import DEFAULT_FLOOR
from dampen.vectors import Runs, Sizes, Vector, as_vector

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
            "candidates": _as_candidates(candidates),
            "bound": None if bound is None else positive(bound=bound),
            "adjacency": as_adjacency(adjacency),
            "monotone": flag(monotone=monotone),
            "unit": unit or default_unit(adjacency),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return (
            f"Frame({count_candidates(self.candidates)} candidates, bound={as_text(self.bound)}, {self.adjacency!r}, "
            f"monotone={self.monotone}, unit={self.unit!r})"
        )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class SelectionProblem:
    """Which candidate is best? The utilities of one data set inside their public frame.

    ``utilities`` is one number per candidate, or :class:`~dampen.vectors.Runs`; ``sensitivity`` speaks for the same
    candidates (or groups) and defaults to the frame's bound. Printing a problem shows its frame alone.
    """

    frame: Frame
    utilities: Vector | Runs
    own_sensitivity: SensitivityFunction | None
    public: bool

    def __init__(self, frame: Frame, utilities: Any, sensitivity: SensitivityFunction | None = None) -> None:
        if not isinstance(frame, Frame):
            raise ParameterError(f"frame must be a Frame; got {type(frame).__name__}")
        runs = utilities if isinstance(utilities, Runs) else None
        size = count_candidates(frame.candidates)
        # What is wrong with a public argument is said first, whatever the data.
        if sensitivity is None and frame.bound is not None:
            positive(floor=frame.bound * DEFAULT_FLOOR)  # that of the bound, which is built only if somebody reads it
        elif runs is None:
            matching_sensitivity(sensitivity, frame.bound, size=size, candidates=size)
        utilities = as_vector(utilities, "utilities") if runs is None else runs
        groups = utilities if runs is None else runs.values
        if (len(groups) if runs is None else runs.total) != size:
            raise DataError(f"utilities must be exactly one per candidate: {size} are needed")
        if runs is not None and (sensitivity is not None or frame.bound is None):
            matching_sensitivity(sensitivity, frame.bound, size=len(groups), candidates=size)
        fields = {"frame": frame, "utilities": utilities, "own_sensitivity": sensitivity, "public": False}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @cached_property
    def sensitivity(self) -> SensitivityFunction:
        """The sensitivity function that was given, or that of the frame's bound."""
        size, everyone = len(self.groups), count_candidates(self.frame.candidates)
        return matching_sensitivity(self.own_sensitivity, self.frame.bound, size=size, candidates=everyone)

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
        marked = SelectionProblem(self.frame, self.utilities, self.own_sensitivity)
        object.__setattr__(marked, "public", True)
        return marked

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        require_public(self.public, what)

    def __repr__(self) -> str:
        return f"SelectionProblem({self.frame!r}{', public' if self.public else ''})"


def _as_candidates(candidates: Sequence[Any]) -> Sequence[Any]:
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
    if not known and count_candidates(candidates) <= LARGEST_CHECKED and _has_repeats(candidates):
        raise ParameterError("candidates must be distinct; a label is given twice")
    return candidates


def _has_repeats(candidates: Sequence[Any]) -> bool:
    if isinstance(candidates, np.ndarray) and candidates.dtype != object:
        return len(np.unique(candidates, axis=0)) < len(candidates)
    labels = list(candidates)
    try:
        return len(set(labels)) < len(labels)
    except TypeError:
        return any(np.array_equal(label, other) for place, label in enumerate(labels) for other in labels[:place])


def count_candidates(candidates: Sequence[Any]) -> int:
    """How many candidates there are, also where the number exceeds what ``len`` may return."""
    if isinstance(candidates, range):
        return max(0, -((candidates.start - candidates.stop) // candidates.step))
    return int(getattr(candidates, "total", 0)) or len(candidates)
