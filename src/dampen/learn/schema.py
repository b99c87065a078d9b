"""What is known of a table before it is seen: the values that each attribute and the class may have.

A schema is public. It is written by hand, read from JSON, or taken from a sample that is public itself; never from the
training data, whose smallest value or rarest category may be one person's. (:meth:`Schema.any` takes classes from it
where somebody says that they are public.)
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dampen._validate import Number as NumberLike
from dampen._validate import render
from dampen.describe.columns import Category, Column, Flag, Number
from dampen.describe.labels import as_categories
from dampen.describe.plain import column_as_plain, column_from_plain
from dampen.describe.where import find_column
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import raw_values
from dampen.vectors import Floats

FEWEST_BINS, MOST_BINS, ALL_BINS = 16, 64, 384
"""A number without ``bins`` has ALL_BINS / (how many numbers there are) of them, within these limits."""
UNBOUNDED_BINS = 16
"""A number without bounds and without ``bins`` has so many."""
MANY_CUTS = 2**16
FAR = 2.0**1000
"""Numbers without bounds that are larger in size count as this."""

Attribute = Number | Category | Flag
"""What a classifier reads: a number that is cut into bins, or one of a few labels."""


def ends_of(number: Number) -> tuple[float, float]:
    """Between which floats a number is read."""
    return number.float_bounds if number.bounded else (-FAR, FAR)


def inner_edges(number: Number, bins: int) -> Floats:
    """The inner edges of so many intervals, or of ``number.bins`` where given: value < edge is a test.

    Where the unit is a whole number, so are the values, and two edges with none between them are one.
    """
    whole = number.unit is not None and number.unit.denominator == 1
    return _inner_edges(*number.float_bounds, bins if number.bins is None else number.bins, whole)


def write_edge(edge: float) -> str:
    """An edge as it is shown: the shortest decimal that is read as the same float, so that nobody adds up by another.

    >>> [write_edge(edge) for edge in (25.0, 2345678.9, 0.1, -1e22, 5e-324)]
    ['25', '2345678.9', '0.1', '-1e+22', '5e-324']
    """
    written = repr(float(edge))
    return written.removesuffix(".0")


@lru_cache
def _inner_edges(lo: float, hi: float, bins: int, whole: bool) -> Floats:
    inner = np.linspace(lo, hi, bins + 1)[1:-1]
    edges = np.unique(np.ceil(inner)) if whole else inner
    edges.flags.writeable = False
    return edges


def other_place(attribute: Category | Flag) -> int | None:
    """The place of the label that undeclared values count as, if there is one."""
    other = attribute.other if isinstance(attribute, Category) else None
    return None if other is None else attribute.labels.index(other)


@dataclass(frozen=True, init=False)
class Schema:
    """The attributes of a table by name, in order, and the classes to tell apart.

    A classifier leaves no row out. Missing values are refused, whatever their descriptions say of them, except those of
    a category with ``missing="other"``, which count as its ``other``.

    ``cuts``: by name, where numbers without bounds are cut: increasing numbers that are public, such as those in
    ``schema_`` of a classifier that was fitted before. Without them a fit finds some privately, as a part of its price.

    >>> schema = Schema({"age": Number(17, 91, bins=20), "sex": Category("F", "M")}, classes=["no", "yes"])
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    attributes: dict[str, Attribute]
    classes: tuple[Any, ...]
    every: Number | None = field(default=None)
    """What every column is, where the columns are not named."""
    cuts: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def __init__(
        self,
        attributes: Mapping[str, Attribute],
        classes: Sequence[Any],
        cuts: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        if not isinstance(attributes, Mapping) or not attributes:
            raise ParameterError(f"attributes must map names to Number, Category or Flag; got {render(attributes)}")
        for name, attribute in attributes.items():
            if not isinstance(name, str) or not isinstance(attribute, Attribute):
                raise ParameterError(f"attributes must map names to Number, Category or Flag; got {render(attribute)}")
            if isinstance(attribute, Number) and ends_of(attribute)[0] == ends_of(attribute)[1]:
                raise ParameterError(f"attribute {name[:60]!r} must have bounds that differ as floats of 64 bits")
        object.__setattr__(self, "attributes", dict(attributes))
        object.__setattr__(self, "classes", as_categories(classes))
        object.__setattr__(self, "every", None)
        object.__setattr__(self, "cuts", _as_cuts({} if cuts is None else cuts, self.attributes))

    @classmethod
    def any(cls, lo: NumberLike, hi: NumberLike, bins: int, classes: Sequence[Any] | Literal["public"]) -> "Schema":
        """Any number of numeric columns with the same bounds.

        ``classes`` are labels, declared as everywhere. ``classes="public"`` says instead that everybody knows which
        classes occur in the training data: they are taken from it and shown as they are. If a class may have a single
        record, that is not so, and its class would show with certainty whether this record is there.
        """
        labels = () if isinstance(classes, str) else as_categories(classes)
        every = Number(lo, hi, bins=bins)
        if isinstance(classes, str) and classes != "public":
            raise ParameterError(f"classes must be labels or 'public'; got {render(classes)}")
        return cls._of({}, labels, every)

    @classmethod
    def _of(
        cls,
        attributes: dict[str, Attribute],
        classes: tuple[Any, ...],
        every: Number | None = None,
        cuts: dict[str, tuple[float, ...]] | None = None,
    ) -> "Schema":
        """A schema of what is known to be in order."""
        schema = cls.__new__(cls)
        object.__setattr__(schema, "cuts", cuts or {})
        object.__setattr__(schema, "attributes", attributes)
        object.__setattr__(schema, "classes", classes)
        object.__setattr__(schema, "every", every)
        return schema

    def for_columns(self, count: int) -> "Schema":
        """The same with an attribute for each of so many unnamed columns."""
        if self.every is None:
            return self
        return self._of({f"x{place}": self.every for place in range(count)}, self.classes or (0,))

    def with_classes(self, classes: Sequence[Any]) -> "Schema":
        """The same with other classes."""
        return self._of(self.attributes, as_categories(classes or (0,)), self.every, self.cuts)

    def with_attributes(self, attributes: Mapping[str, Attribute]) -> "Schema":
        """The same with other attributes of the same names; there may be none, where columns are not named."""
        return self._of(dict(attributes), self.classes, self.every, self.cuts)

    def with_cuts(self, cuts: Mapping[str, Sequence[float]]) -> "Schema":
        """The same, where these numbers without bounds are cut too."""
        return self._of(self.attributes, self.classes, self.every, {**self.cuts, **_as_cuts(cuts, self.attributes)})

    @property
    def uncut(self) -> dict[str, int]:
        """The numbers without bounds of which nobody knows yet where they are cut, and into how many intervals."""
        numbers = {name: found for name, found in self.attributes.items() if isinstance(found, Number)}
        bins = {name: UNBOUNDED_BINS if found.bins is None else found.bins for name, found in numbers.items()}
        return {
            name: bins[name]
            for name, found in numbers.items()
            if not found.bounded and name not in self.cuts and bins[name] > 1
        }

    def edges(self) -> dict[str, Floats]:
        """For each number the inner edges of its intervals: they follow from the schema alone. None where uncut."""
        numbers = {name: found for name, found in self.attributes.items() if isinstance(found, Number)}
        bins = min(MOST_BINS, max(FEWEST_BINS, ALL_BINS // max(len(numbers), 1)))
        return {
            name: inner_edges(found, bins) if found.bounded else np.array(self.cuts.get(name, ()), dtype=np.float64)
            for name, found in numbers.items()
        }

    def to_json(self) -> str:
        """The schema as JSON."""
        if self.every is not None:
            raise ParameterError("a schema of unnamed columns cannot be written as JSON; name its attributes")
        listed = [found.labels for found in self.attributes.values() if not isinstance(found, Number)]
        if not all(isinstance(label, str | int | float) for labels in [self.classes, *listed] for label in labels):
            raise ParameterError("only texts, numbers and truth values can be written as JSON; a label is none of them")
        plain = {name: column_as_plain(attribute) for name, attribute in self.attributes.items()}
        cuts = {"cuts": {name: list(edges) for name, edges in self.cuts.items()}} if self.cuts else {}
        return json.dumps({"attributes": plain, "classes": list(self.classes), **cuts}, indent=2)

    @classmethod
    def from_json(cls, source: str | Path) -> "Schema":
        """From JSON, or from a file of it."""
        try:
            given = read_json(source)
            attributes = {name: _attribute_from_plain(name, entry) for name, entry in given["attributes"].items()}
            return cls(attributes, given["classes"], given.get("cuts"))
        except ParameterError:
            raise
        except OSError:
            raise ParameterError(f"schema must be JSON or a file that can be read; got {render(str(source))}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ParameterError('schema must be JSON: {"attributes": {name: {...}}, "classes": [...]}') from None

    @classmethod
    def from_description(cls, columns: Mapping[str, Column], target: str) -> "Schema":
        """The schema of a described table: the labels of the target are the classes, other columns the attributes.

        The target is a category or a flag; its values must all be declared, whatever its ``other`` says. Texts are left
        out, for nothing is ever asked of them. Dates are left out too: a classifier reads numbers and labels, and
        neither the number of a day nor its month is what everybody means by a date. Who wants one of these has it as a
        column of its own.
        """
        classes = find_column(columns, target)
        if not isinstance(classes, Category | Flag):
            raise ParameterError(f"target must be a category or a flag; got column {target[:60]!r}, a {classes.kind}")
        others = {name: column for name, column in columns.items() if name != target}
        return cls({name: each for name, each in others.items() if isinstance(each, Attribute)}, classes.labels)

    @classmethod
    def from_public_sample(cls, table: Any, target: str, *, bins: int | None = None) -> "Schema":
        """Read off a table that is public itself: its texts are categories, its numbers span their bounds."""
        import narwhals as nw

        names = list(table) if isinstance(table, Mapping) else nw.from_native(table).columns
        attributes = {name: _attribute_of(_items(table, name), bins) for name in names if name != target}
        return cls(attributes, sorted(set(_items(table, target)), key=str))


def read_json(source: str | Path) -> Any:
    """What JSON says: the text itself, or a file of it."""
    written = str(source).lstrip().startswith("{")
    return json.loads(str(source) if written else Path(source).read_text())


def _as_cuts(cuts: Any, attributes: Mapping[str, Attribute]) -> dict[str, tuple[float, ...]]:
    """Increasing finite numbers for each of some numbers without bounds."""
    if not isinstance(cuts, Mapping):
        raise ParameterError(f"cuts must map names of numbers without bounds to numbers; got {render(cuts)}")
    for name, edges in cuts.items():
        found = attributes.get(name)
        if not isinstance(found, Number) or found.bounded:
            raise ParameterError(f"cuts must be of attributes that are numbers without bounds; got {render(name)}")
        plain = isinstance(edges, list | tuple) and all(type(edge) in (int, float) for edge in edges)
        if not plain or not 0 < len(edges) < MANY_CUTS or not all(-FAR < edge < FAR for edge in edges):
            raise ParameterError(f"cuts must be at least one and at most 65535 finite numbers; got {render(edges)}")
        if any(float(one) >= float(two) for one, two in pairwise(edges)):
            raise ParameterError(f"cuts must increase; got {render(edges)}")
    return {name: tuple(map(float, edges)) for name, edges in cuts.items()}


def _attribute_from_plain(name: str, entry: Any) -> Attribute:
    title = f"attribute {name[:40]!r}"
    found = column_from_plain(entry, title)
    if not isinstance(found, Attribute):
        raise ParameterError(f"{title} must be a number, a category or a flag; got a {found.kind}")
    return found


def _items(table: Any, name: str) -> list[Any]:
    found = raw_values(table, name)
    listed = getattr(found, "to_list", None) or getattr(found, "tolist", None)
    return list(found) if listed is None else list(listed())


def _attribute_of(items: list[Any], bins: int | None) -> Attribute:
    """The narrowest attribute that all these values have."""
    numbers = all(isinstance(item, int | float) and not isinstance(item, bool) for item in items)
    if not items or any(item is None or item != item for item in items):
        raise DataError("a public sample must have rows and no missing values")
    if not numbers or len(set(items)) < 2:
        return Category(sorted(set(items), key=str))
    whole = all(float(item).is_integer() for item in items)
    return Number(min(items), max(items), bins=bins, unit=1 if whole else None)
