"""What is known of a table before it is seen: the values that each attribute and the class may have.

A schema is public. It is written by hand, read from JSON, or taken from a sample that is public itself; never from the
training data, whose smallest value or rarest category may be one person's. (:meth:`Schema.any` takes classes from it
where somebody says that they are public.)
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dampen._validate import Number, exact, flag, render, whole
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import raw_values
from dampen.tables.counts import as_categories
from dampen.vectors import Floats

FEWEST_BINS, MOST_BINS, ALL_BINS = 16, 64, 384
"""A numeric attribute without ``bins`` has ALL_BINS / (number of numeric attributes) of them, within these limits."""
MOST_DECLARED = 2**16
"""A numeric attribute has at most so many bins, declared or not."""


@dataclass(frozen=True, init=False)
class Categorical:
    """An attribute with a few declared values. What is none of them counts as ``other``, if that is declared."""

    values: tuple[Any, ...]
    other: Any = None

    def __init__(self, values: Sequence[Any], other: Any = None) -> None:
        labels = as_categories(values)
        other = other.item() if isinstance(other, np.generic) else other
        if other is not None and other not in labels:
            raise ParameterError(f"other must be one of the declared values; got {render(other)}")
        object.__setattr__(self, "values", labels)
        object.__setattr__(self, "other", other)


@dataclass(frozen=True, init=False)
class Numeric:
    """A number, clamped to [lo, hi]. ``bins``: into how many intervals of equal width it is cut.

    ``whole``: the values are whole numbers, so that two edges with none between them are one.
    """

    lo: float
    hi: float
    bins: int | None = None
    whole: bool = False

    def __init__(self, lo: Number, hi: Number, bins: int | None = None, whole: bool = False) -> None:
        ends = float(exact(lo=lo)), float(exact(hi=hi))
        if not ends[0] < ends[1]:
            raise ParameterError(f"lo must be below hi; got {render(lo)} and {render(hi)}")
        object.__setattr__(self, "lo", ends[0])
        object.__setattr__(self, "hi", ends[1])
        object.__setattr__(self, "bins", None if bins is None else _require_bins(bins))
        object.__setattr__(self, "whole", flag(whole=whole))

    def edges(self, bins: int) -> Floats:
        """The inner edges of so many intervals, or of ``self.bins`` where given: value < edge is a test."""
        return _inner_edges(self.lo, self.hi, bins if self.bins is None else self.bins, self.whole)


@lru_cache
def _inner_edges(lo: float, hi: float, bins: int, whole: bool) -> Floats:
    inner = np.linspace(lo, hi, bins + 1)[1:-1]
    edges = np.unique(np.ceil(inner)) if whole else inner
    edges.flags.writeable = False
    return edges


Attribute = Categorical | Numeric


@dataclass(frozen=True, init=False)
class Schema:
    """The attributes of a table by name, in order, and the classes to tell apart.

    >>> schema = Schema({"age": Numeric(17, 91, bins=20), "sex": Categorical(["F", "M"])}, classes=["no", "yes"])
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    attributes: dict[str, Attribute]
    classes: tuple[Any, ...]
    every: Numeric | None = field(default=None)
    """What every column is, where the columns are not named."""

    def __init__(self, attributes: Mapping[str, Attribute], classes: Sequence[Any]) -> None:
        if not isinstance(attributes, Mapping) or not attributes:
            raise ParameterError(f"attributes must map names to Categorical or Numeric; got {render(attributes)}")
        for name, attribute in attributes.items():
            if not isinstance(name, str) or not isinstance(attribute, Categorical | Numeric):
                raise ParameterError(f"attributes must map names to Categorical or Numeric; got {render(attribute)}")
        object.__setattr__(self, "attributes", dict(attributes))
        object.__setattr__(self, "classes", as_categories(classes))
        object.__setattr__(self, "every", None)

    @classmethod
    def any(cls, lo: Number, hi: Number, bins: int, classes: Sequence[Any] | Literal["public"]) -> "Schema":
        """Any number of numeric columns with the same bounds.

        ``classes`` are labels, declared as everywhere. ``classes="public"`` says instead that everybody knows which
        classes occur in the training data: they are taken from it and shown as they are. If a class may have a single
        record, that is not so, and its class would show with certainty whether this record is there.
        """
        labels = () if isinstance(classes, str) else as_categories(classes)
        every = Numeric(lo, hi, bins)
        if isinstance(classes, str) and classes != "public":
            raise ParameterError(f"classes must be labels or 'public'; got {render(classes)}")
        return cls._of({}, labels, every)

    @classmethod
    def _of(cls, attributes: dict[str, Attribute], classes: tuple[Any, ...], every: Numeric | None = None) -> "Schema":
        """A schema of what is known to be in order."""
        schema = cls.__new__(cls)
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
        return self._of(self.attributes, as_categories(classes or (0,)), self.every)

    def edges(self) -> dict[str, Floats]:
        """For each numeric attribute the inner edges of its intervals. They follow from the schema alone."""
        numeric = sum(isinstance(attribute, Numeric) for attribute in self.attributes.values())
        bins = min(MOST_BINS, max(FEWEST_BINS, ALL_BINS // max(numeric, 1)))
        return {name: found.edges(bins) for name, found in self.attributes.items() if isinstance(found, Numeric)}

    def to_json(self) -> str:
        """The schema as JSON."""
        if self.every is not None:
            raise ParameterError("a schema of unnamed columns cannot be written as JSON; name its attributes")
        listed = [a.values for a in self.attributes.values() if isinstance(a, Categorical)]
        if not all(isinstance(label, str | int | float) for labels in [self.classes, *listed] for label in labels):
            raise ParameterError("only texts, numbers and truth values can be written as JSON; a label is none of them")
        plain = {name: _as_plain(attribute) for name, attribute in self.attributes.items()}
        return json.dumps({"attributes": plain, "classes": list(self.classes)}, indent=2)

    @classmethod
    def from_json(cls, source: str | Path) -> "Schema":
        """From JSON, or from a file of it."""
        try:
            given = read_json(source)
            return cls({name: _from_plain(entry) for name, entry in given["attributes"].items()}, given["classes"])
        except ParameterError:
            raise
        except OSError:
            raise ParameterError(f"schema must be JSON or a file that can be read; got {render(str(source))}") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ParameterError('schema must be JSON: {"attributes": {name: {...}}, "classes": [...]}') from None

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


def _require_bins(bins: int) -> int:
    if whole(bins=bins, least=1) > MOST_DECLARED:
        raise ParameterError(f"bins must be at most {MOST_DECLARED}; got {render(bins)}")
    return bins


def _as_plain(attribute: Attribute) -> dict[str, Any]:
    if isinstance(attribute, Categorical):
        other = {} if attribute.other is None else {"other": attribute.other}
        return {"values": list(attribute.values), **other}
    bins = {} if attribute.bins is None else {"bins": attribute.bins}
    return {"lo": attribute.lo, "hi": attribute.hi, **bins, **({"whole": True} if attribute.whole else {})}


def _from_plain(entry: dict[str, Any]) -> Attribute:
    return Categorical(**entry) if "values" in entry else Numeric(**entry)


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
        return Categorical(sorted(set(items), key=str))
    return Numeric(min(items), max(items), bins, all(float(item).is_integer() for item in items))
