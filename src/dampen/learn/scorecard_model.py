"""A released scorecard: points for every value of every attribute, which are added up.

Everything here reads released and public numbers alone, so nothing of it costs more. How coefficients are drawn stands
in :mod:`dampen.mechanisms.regression`. Proof: docs/proofs/objective_perturbation.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.special import expit, softmax

from dampen.describe.columns import Number
from dampen.errors import ParameterError
from dampen.learn.records import Column, Records
from dampen.learn.schema import Attribute, Schema
from dampen.privacy import Adjacency
from dampen.problem import LogisticFrame
from dampen.vectors import Floats, Integers

UNIT = 100
"""Points for one unit of a score."""
FARTHEST = 2**62
"""Points are at most so many, either way."""
MOST_SCORED = 50_000_000
"""Sums of slopes in floats have a bound of error that grows with the records. From some 10^8 of them on, or fewer where
there are very many values or classes, it is longer than a gradient may be: floats certify nothing there, and each fit
takes a pass, or several, in ball arithmetic, hours for so many different records."""
BINS, FEW_BINS, MANY_CLASSES = 20, 8, 4
"""A number without ``bins`` has so many; fewer where there are more classes than this."""


@dataclass(frozen=True)
class Attributes:
    """Which attributes are groups, of more than two values, and which are columns of two; others tell nothing."""

    sizes: tuple[int, ...]
    groups: tuple[int, ...]
    columns: tuple[int, ...]

    @classmethod
    def of(cls, schema: Schema) -> "Attributes":
        """Those of a schema whose numbers are all cut."""
        edges = schema.edges()
        sizes = [
            len(edges[name]) + 1 if isinstance(found, Number) else len(found.labels)
            for name, found in schema.attributes.items()
        ]
        groups = tuple(place for place, size in enumerate(sizes) if size > 2)
        return cls(tuple(sizes), groups, tuple(place for place, size in enumerate(sizes) if size == 2))

    def frame(self, classes: int, *, unit: str = "", spread: bool = False) -> LogisticFrame:
        """What is known of the coefficients before the data is seen."""
        return LogisticFrame(
            [self.sizes[place] for place in self.groups], len(self.columns) + 1, max(classes, 2),
            Adjacency.ADD_REMOVE, unit=unit, spread=spread,
        )  # fmt: skip

    def codes(self, places: Integers) -> Integers:
        """Codes as a frame lays them out, from the places of all attributes."""
        return np.ascontiguousarray(places[:, [*self.groups, *self.columns]])

    def by_value(self, points: Floats) -> tuple[list[Floats], Floats]:
        """For every attribute a row of points for each value, one column for each score; and those of everybody.

        ``points``: a row for each feature.
        """
        found = [np.zeros((size, points.shape[1])) for size in self.sizes]
        start = 0
        for place in self.groups:
            found[place] = points[start : start + self.sizes[place]]
            start += self.sizes[place]
        for offset, place in enumerate(self.columns):
            found[place] = np.array([-points[start + offset], points[start + offset]])
        return found, points[-1]


@dataclass(frozen=True)
class Scorecard:
    """The released numbers: whole points for every feature, the scores of one side by side, drawn at ``epsilon``.

    A value of a group has its points; of two values the second has those of its column, and the first as many less.
    Everybody has those of the last feature. So who adds up points by hand gets the same as the machine.
    """

    points: tuple[int, ...]
    epsilon: Fraction


def whole_points(coefficients: Sequence[float], frame: LogisticFrame) -> tuple[int, ...]:
    """Coefficients as whole points: a column is half of its coefficient away from 0 on either side."""
    scale = np.repeat([UNIT, UNIT / 2], [frame.features - frame.columns, frame.columns])
    found = np.array(coefficients).reshape(frame.features, frame.scores)
    if frame.scores > 1:
        # What all classes share tells nothing.
        found = found - found.mean(axis=1, keepdims=True)
    return tuple(int(each) for each in np.rint(found * scale[:, None]).ravel().tolist())


def points_of(given: Any, size: int) -> tuple[int, ...]:
    """Saved points, refused unless they are so many whole numbers."""
    fits = isinstance(given, list) and len(given) == size
    if not fits or not all(type(each) is int and abs(each) <= FARTHEST for each in given):
        raise ParameterError(f"a saved model must have {size} whole points, as its schema says")
    return tuple(given)


def with_bins(schema: Schema) -> Schema:
    """The same schema, where every number with bounds says into how many bins it is cut."""
    bins = FEW_BINS if len(schema.classes) > MANY_CLASSES else BINS
    return schema.with_attributes({name: _with_bins(found, bins) for name, found in schema.attributes.items()})


def _with_bins(attribute: Attribute, bins: int) -> Attribute:
    if not isinstance(attribute, Number) or not attribute.bounded or attribute.bins is not None:
        return attribute
    ends = attribute.lo, attribute.hi
    return Number(*ends, step=attribute.step, unit=attribute.unit, bins=bins, missing=attribute.missing)


def places_of(records: Records, schema: Schema) -> list[Integers]:
    """The place of every value of every attribute; negative where it is none of those declared."""
    edges = schema.edges()
    return [
        np.searchsorted(edges[name], column, side="right") if isinstance(found, Number) else column
        for (name, found), column in zip(schema.attributes.items(), records.columns, strict=True)
    ]


def add_points(points: Sequence[Floats], everybody: Floats, places: Sequence[Column], rows: int) -> Floats:
    """The points of records: those of their values, added up. A value that is not declared has none."""
    scores = np.tile(everybody, (rows, 1))
    for table, column in zip(points, places, strict=True):
        scores += np.where(column[:, None] >= 0, table[column], 0.0)
    return scores


def shares_of(points: Floats, classes: int) -> Floats:
    """The share of each class, of which the capped loss makes these points.

    With p the logistic probabilities and class probabilities q, the mean slope of the capped loss is 0 where q is
    proportional to p max(1, 2 (1 - p)): that of two classes is p / (3 p - 2 p^2) for p >= 1/2.
    """
    scores = points / UNIT
    both = np.column_stack([expit(-scores[:, 0]), expit(scores[:, 0])])
    found = softmax(scores, axis=1) if scores.shape[1] > 1 else both
    kept = (found * np.maximum(1.0, 2.0 * (1.0 - found)))[:, :classes]
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def noise_share(attributes: Attributes, classes: int, epsilon: Fraction, records: int) -> Fraction:
    """rho = u W K m / (epsilon N), m the mean number of values of an attribute; a column counts as two values.

    Groups weigh as they do in the noise.
    """
    frame = attributes.frame(classes)
    values = sum(weight * size for weight, size in zip(frame.weights, frame.groups, strict=True))
    mean = (values + 2 * frame.column_weight) / frame.total_weight
    return frame.reach * frame.total_weight * frame.classes * mean / (epsilon * records)
