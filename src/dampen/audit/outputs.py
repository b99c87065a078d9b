"""What a draw gave, many times: the numbers in columns, everything else as labels.

Every column is a function of each output by itself, whatever else was drawn: an event that is found among some outputs
means the same among others.
"""

import pickle
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from collections.abc import Set as AnySet
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.audit.leaves import (
    EXACT,
    Path,
    Raised,
    as_float,
    as_label,
    form_of,
    is_holder,
    is_number,
    leaves,
    nan_text,
    path_name,
)
from dampen.operators import value_of
from dampen.privacy import Release
from dampen.vectors import Floats

PLAIN_NUMBERS = {float, int, bool}


@dataclass(frozen=True)
class Layout:
    """Where outputs have numbers, and where labels: the columns in which events are told."""

    paths: tuple[Path, ...]
    entries: tuple[str, ...]

    @classmethod
    def of_both(cls, x: "Outputs", y: "Outputs") -> "Layout":
        """All columns that outputs of the one or of the other have."""
        paths = sorted({*x.layout.paths, *y.layout.paths}, key=_order)
        return cls(tuple(paths), tuple(dict.fromkeys([*x.layout.entries, *y.layout.entries])))


class Outputs:
    """Outputs of one draw on one data set, in the order in which they were drawn."""

    def __init__(self, drawn: Sequence[Any] | NDArray[Any]) -> None:
        self.drawn = drawn
        paths, self.matrix, self.entries = _columns(drawn)
        self.layout = Layout(tuple(paths), tuple(self.entries))
        self._other: Outputs | None = None

    def __len__(self) -> int:
        return len(self.drawn)

    def on(self, layout: Layout) -> "Outputs":
        """The same outputs in other columns: what is missing is empty, what is not asked for is left out."""
        if layout == self.layout:
            return self
        if self._other is None or self._other.layout != layout:
            self._other = self._rearranged(layout)
        return self._other

    def _rearranged(self, layout: Layout) -> "Outputs":
        known = {path: place for place, path in enumerate(self.layout.paths)}
        matrix = np.full((len(self), len(layout.paths)), np.nan)
        for place, path in enumerate(layout.paths):
            if path in known:
                matrix[:, place] = self.matrix[:, known[path]]
        return self._with(self.drawn, matrix, {name: self.labels(name) for name in layout.entries}, layout)

    def part(self, start: int, stop: int, step: int = 1) -> "Outputs":
        """Some of the outputs."""
        some = slice(start, stop, step)
        entries = {name: labels[some] for name, labels in self.entries.items()}
        return self._with(self.drawn[some], self.matrix[some], entries, self.layout)

    def _with(
        self, drawn: Sequence[Any] | NDArray[Any], matrix: Floats, entries: dict[str, list[Hashable]], layout: Layout
    ) -> "Outputs":
        other = object.__new__(Outputs)
        other.drawn, other.matrix, other.entries, other.layout, other._other = drawn, matrix, entries, layout, None
        return other

    @cached_property
    def names(self) -> dict[str, int]:
        """The columns of numbers by name."""
        return {path_name(path): place for place, path in enumerate(self.layout.paths)}

    def column(self, name: str) -> Floats:
        """The numbers of one name; NaN where an output has none."""
        return self.matrix[:, self.names[name]]

    def labels(self, name: str) -> list[Hashable]:
        """What is no number at one place of the outputs; None where an output has nothing there."""
        return self.entries.get(name) or [None] * len(self)

    @cached_property
    def types(self) -> list[str]:
        """The type of each output; of an exception, that it was raised."""
        if isinstance(self.drawn, np.ndarray):
            return [self.drawn.dtype.type.__name__ if self.drawn.ndim == 1 else "ndarray"] * len(self)
        return [
            f"an exception ({each.kind})" if isinstance(each, Raised) else type(value_of(each)).__name__
            for each in self.drawn
        ]

    @cached_property
    def forms(self) -> list[Hashable]:
        """The types of all entries and the order of keys; None where an output is no container: its type says all."""
        if isinstance(self.drawn, np.ndarray):
            return [None] * len(self)
        return [form_of(each) if is_holder(each) else None for each in self.drawn]

    @cached_property
    def lengths(self) -> Floats:
        """How many entries each output has; NaN where it has none."""
        if isinstance(self.drawn, np.ndarray):
            return np.full(len(self), np.nan if self.drawn.ndim == 1 else float(self.drawn[0].size))
        return np.array([_length(value_of(each)) for each in self.drawn], dtype=np.float64)

    @cached_property
    def rows(self) -> list[Hashable]:
        """Each output as a whole: all its numbers and labels."""
        rows: list[Any] = self.matrix.tolist()
        if np.isnan(self.matrix).any():
            rows = [[None if each != each else each for each in row] for row in rows]
        labels = zip(*self.entries.values(), strict=True) if self.entries else iter([()] * len(self))
        return [(*row, *more) for row, more in zip(rows, labels, strict=True)]


def _length(value: Any) -> float:
    if isinstance(value, np.ndarray):
        return float(value.size)
    return float(len(value)) if isinstance(value, str | bytes | Mapping | AnySet | list | tuple) else np.nan


Columns = tuple[list[Path], Floats, dict[str, list[Hashable]]]


def _columns(drawn: Sequence[Any] | NDArray[Any]) -> Columns:
    array = _as_array(drawn)
    if array is not None:
        paths: list[Path] = [tuple(map(int, place)) for place in np.ndindex(array.shape[1:])]
        matrix = array.reshape(len(array), -1).astype(np.float64)
        return paths, matrix, _entries_not_a_number(paths, matrix)
    distinct, places = _distinct(drawn)
    known, some, entries = _columns_of_leaves([dict(leaves(each)) for each in distinct])
    return known, some[places], {name: [labels[place] for place in places] for name, labels in entries.items()}


def _distinct(drawn: Sequence[Any] | NDArray[Any]) -> tuple[list[Any], list[int]]:
    """Outputs that come again are looked at once: one of each, and for every output which of them it is.

    They are compared as pickles, which tell 1, 1.0 and True apart, and 0.0 and -0.0.
    """
    places: dict[Hashable, int] = {}
    distinct: list[Any] = []
    found: list[int] = []
    for number, each in enumerate(drawn):
        place = places.setdefault(_pickled(each) or number, len(distinct))
        if place == len(distinct):
            distinct.append(each)
        found.append(place)
    return distinct, found


def _pickled(value: Any) -> bytes | None:
    try:
        return pickle.dumps(value)
    except Exception:  # not everything can be, and objects of the caller's own may raise anything
        return None


def _entries_not_a_number(paths: list[Path], matrix: Floats) -> dict[str, list[Hashable]]:
    """In a column of numbers NaN means that there is none: one that is an output is a label."""
    found = np.isnan(matrix)
    return {
        path_name(paths[place]): [
            nan_text(value) if each else None for value, each in zip(matrix[:, place], found[:, place], strict=True)
        ]
        for place in np.flatnonzero(found.any(axis=0))
    }


def _as_array(drawn: Sequence[Any] | NDArray[Any]) -> NDArray[Any] | None:
    """All outputs as one array of numbers, where they are numbers, or vectors of one shape."""
    if isinstance(drawn, np.ndarray):
        return drawn if drawn.dtype.kind in "bf" or _are_exact(drawn) else None
    kinds = set(map(type, drawn))
    numeric = all(kind in PLAIN_NUMBERS or issubclass(kind, np.number | np.bool_) for kind in kinds)
    if not numeric and not (len(kinds) == 1 and kinds & {tuple, list, np.ndarray}):
        return None
    if not numeric and any(isinstance(each, Release) for row in drawn[:1] for each in row):
        return None
    try:
        array = np.array(drawn)
    except ValueError:  # not of one shape
        return None
    if array.dtype.kind not in "biuf" or not array.size:
        return None
    return array if kinds == {float} or _are_exact(array) else None


def _are_exact(array: NDArray[Any]) -> bool:
    """Whether all are numbers, and so small that whole ones are floats without being rounded."""
    return array.dtype.kind in "biuf" and not bool((np.abs(array.astype(np.float64)) >= EXACT).any())


def _columns_of_leaves(rows: list[dict[Path, Any]]) -> Columns:
    paths = sorted({path for row in rows for path, leaf in row.items() if is_number(leaf)}, key=_order)
    places = {path: place for place, path in enumerate(paths)}
    matrix = np.full((len(rows), len(paths)), np.nan)
    entries: dict[Path, list[Hashable]] = defaultdict(lambda: [None] * len(rows))
    for place, row in enumerate(rows):
        for path, leaf in row.items():
            if is_number(leaf):
                matrix[place, places[path]] = as_float(leaf)
                if not np.isnan(matrix[place, places[path]]):
                    continue
            entries[path][place] = as_label(leaf)
    return paths, matrix, {path_name(path): labels for path, labels in entries.items()}


def _order(path: Path) -> list[tuple[bool, float, str]]:
    """Places by number, keys by how they print."""
    return [(False, each, "") if isinstance(each, int) else (True, 0.0, repr(each)) for each in path]
