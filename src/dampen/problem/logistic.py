"""Which points tell the class? Records of a few coded attributes, each with its class, inside a public frame."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, plain, positive, whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, default_unit, record_adjacency
from dampen.problem.rules import require_public
from dampen.vectors import Integers

COLUMN_WEIGHT = Fraction(11, 50)
"""What one column weighs beside a group, where nobody says otherwise."""
MOST_COEFFICIENTS = 2**20
LARGEST_WEIGHT = 2**43
"""All weights together are at most this, so that sums of weights and slopes stay exact in 64 bits."""
NONE = -1
"""In place of a code: the record has none of the group's values."""


@dataclass(frozen=True, init=False, repr=False)
class LogisticFrame:
    """What is known before the data is seen: how records are laid out as features, and how their noise is shared.

    A *group* has one indicator for each of its values, of which a record has at most one. A *column* is +1/2 or -1/2;
    the last one is a constant +1/2, so there is always one. Two classes have one score, the log odds of the second;
    more classes have one score each.

    ``groups``: how many values each group has. ``columns``: how many columns there are, the constant included.
    ``weights``: what each group weighs, and ``column_weight`` all columns together: who weighs more gets less noise.
    ``spread``: one person's weight of 1 may be spread over several records.
    """

    groups: tuple[int, ...]
    columns: int
    classes: int
    weights: tuple[Fraction, ...]
    column_weight: Fraction
    adjacency: Adjacency
    unit: str
    spread: bool

    def __init__(
        self,
        groups: Any,
        columns: int,
        classes: int,
        adjacency: Adjacency,
        *,
        weights: Any = None,
        column_weight: Number | None = None,
        unit: str = "",
        spread: bool = False,
    ) -> None:
        sizes = tuple(whole(groups=size, least=1) for size in _listed(groups, "groups"))
        each = (1,) * len(sizes) if weights is None else _listed(weights, "weights")
        if len(each) != len(sizes):
            raise ParameterError(f"weights must be one for each of {len(sizes)} groups; got {len(each)}")
        count = whole(columns=columns, least=1)
        fields = {
            "groups": sizes,
            "columns": count,
            "classes": whole(classes=classes, least=2),
            "weights": tuple(positive(weights=weight) for weight in each),
            "column_weight": COLUMN_WEIGHT * count if column_weight is None else positive(column_weight=column_weight),
            "adjacency": record_adjacency(adjacency),
            "unit": unit or default_unit(adjacency),
            "spread": bool(spread),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        if self.size > MOST_COEFFICIENTS:
            raise ParameterError(f"a frame must have at most {MOST_COEFFICIENTS} coefficients; got {self.size}")

    @property
    def scores(self) -> int:
        """How many scores a record has: one for two classes, else one for each class."""
        return 1 if self.classes == 2 else self.classes

    @property
    def features(self) -> int:
        """How many features there are: indicators of all groups, then columns."""
        return sum(self.groups) + self.columns

    @property
    def size(self) -> int:
        """How many coefficients there are: features times scores, the scores of one feature side by side."""
        return self.features * self.scores

    @property
    def reach(self) -> Fraction:
        """How large the slopes of a record's loss in its scores are together, at most: u."""
        return Fraction(1, 2) if self.classes == 2 else Fraction(1)

    @property
    def total_weight(self) -> Fraction:
        """All weights together: W."""
        return sum(self.weights, self.column_weight)

    def __repr__(self) -> str:
        weights = ", ".join(map(plain, self.weights))
        return (
            f"LogisticFrame({list(self.groups)}, columns={self.columns}, classes={self.classes}, {self.adjacency!r}, "
            f"weights=[{weights}], column_weight={plain(self.column_weight)}, unit={self.unit!r}, spread={self.spread})"
        )


@dataclass(frozen=True, init=False, repr=False, eq=False)
class LogisticProblem:
    """Records and their classes inside a public frame. Printing it shows its frame alone.

    ``codes``: a row for each record: the place of its value in each group (``NONE``: in none), then 0 or 1 (-1/2 or
    +1/2) for each column but the constant. ``targets``: the place of its class. ``weights``: whole numbers, of which
    ``vote`` make one; all are 1 where nothing is given. Those of one person add up to at most one vote, which is the
    caller's to keep.
    """

    frame: LogisticFrame
    codes: Integers
    targets: Integers
    weights: Integers
    vote: int
    public: bool

    def __init__(self, frame: LogisticFrame, codes: Any, targets: Any, weights: Any = None, vote: int = 1) -> None:
        if not isinstance(frame, LogisticFrame):
            raise ParameterError(f"frame must be a LogisticFrame; got {type(frame).__name__}")
        classes = _whole_numbers(targets, "targets", 1)
        places = _whole_numbers(codes, "codes", 2)
        counted = np.ones(len(classes), dtype=np.int64) if weights is None else _whole_numbers(weights, "weights", 1)
        if not len(places) == len(classes) == len(counted) or places.shape[1] != len(frame.groups) + frame.columns - 1:
            raise DataError("codes, targets and weights must be equally many, with one code for each group and column")
        _require_within(frame, places, classes)
        if counted.size and (counted.min() < 0 or sum(counted.tolist()) > LARGEST_WEIGHT):
            raise DataError("weights must not be negative, and at most 2**43 together")
        units = whole(vote=vote, least=1)
        if units > LARGEST_WEIGHT:
            raise ParameterError("vote must be at most 2**43")
        fields = {"frame": frame, "codes": places, "targets": classes, "weights": counted}
        for name, value in {**fields, "vote": units, "public": False}.items():
            object.__setattr__(self, name, value)

    def as_public(self) -> "LogisticProblem":
        """A copy marked public: its data may be shown, simulated and plotted."""
        marked = LogisticProblem(self.frame, self.codes, self.targets, self.weights, self.vote)
        object.__setattr__(marked, "public", True)
        return marked

    def require_public(self, what: str) -> None:
        """Refuse ``what`` unless this problem is marked public."""
        require_public(self.public, what)

    def __repr__(self) -> str:
        return f"LogisticProblem({self.frame!r}{', public' if self.public else ''})"


def _listed(given: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(given, list | tuple):
        raise ParameterError(f"{name} must be a list or a tuple; got {type(given).__name__}")
    return tuple(given)


def _whole_numbers(given: Any, name: str, dimensions: int) -> Integers:
    try:
        found = np.array(given)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.ndim == 1 and not found.size and dimensions == 1:
        found = found.astype(np.int64)
    if found.ndim != dimensions or found.dtype.kind not in "iu" or found.dtype == np.uint64:
        raise DataError(f"{name} must be whole numbers of at most 63 bits in {dimensions} dimensions")
    kept: Integers = found
    kept.flags.writeable = False
    return kept


def _require_within(frame: LogisticFrame, codes: Integers, targets: Integers) -> None:
    if targets.size and not 0 <= targets.min() <= targets.max() < frame.classes:
        raise DataError("targets must be places of the frame's classes")
    for place, size in enumerate((*frame.groups, *(2,) * (frame.columns - 1))):
        least = NONE if place < len(frame.groups) else 0
        if len(codes) and not least <= codes[:, place].min() <= codes[:, place].max() < size:
            raise DataError("codes must be places of the frame's groups, and 0 or 1 of its columns")
