"""What a caller declares, read once: labels as Python's own, exact bounds, mappings of names."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import pair, render
from dampen.errors import ParameterError
from dampen.privacy import Ends
from dampen.vectors import LARGEST_WHOLE


def as_categories(categories: Any, title: str = "categories") -> tuple[Any, ...]:
    """The caller's categories as Python's own labels. ``title``: how a message names them."""
    rule = f"{title} must be an ordered sequence of distinct hashable labels, none of them missing"
    try:
        if isinstance(categories, str | bytes | set | frozenset | dict):
            raise TypeError
        labels = tuple(map(_plain, categories))
        fit = len(set(labels)) == len(labels) and not any(map(is_missing, labels))
    except Exception:  # a collection or a label of the caller's own may raise anything
        raise ParameterError(f"{rule}; got {render(categories)}") from None
    if not labels:
        raise ParameterError(f"{title} must not be empty")
    if not fit:
        raise ParameterError(f"{rule}; got {render(categories)}")
    return labels


def _plain(label: Any) -> Any:
    """A label of NumPy's as Python's own; its times would become bare numbers. A text must be valid Unicode."""
    if isinstance(label, str):
        label.encode()
    return label.item() if isinstance(label, np.generic) and not isinstance(label, np.datetime64) else label


def as_named(mapping: Any) -> dict[str, Any] | None:
    """A caller's mapping of names; ``None`` if it is none, or has other keys than texts."""
    try:
        items = dict(mapping.items()) if isinstance(mapping, Mapping) else None
        return items if items is not None and all(isinstance(name, str) for name in items) else None
    except Exception:  # a mapping of the caller's own may raise anything
        return None


def as_bounds(bounds: Any) -> tuple[Fraction, Fraction]:
    """Two public numbers lo < hi, or ends of values that were released."""
    if isinstance(bounds, Ends) and bounds.whose != "row":
        raise ParameterError(f"bounds must be ends of values: those of totals per {bounds.whose} serve totals alone")
    low, high = pair(bounds=bounds)
    if low >= high:
        raise ParameterError(f"bounds must be increasing: (lo, hi) with lo < hi; got {render(bounds)}")
    if max(-low, high) > LARGEST_WHOLE:
        raise ParameterError(f"bounds must be below 2**62 in size; got {render(bounds)}")
    return low, high


def is_missing(value: Any) -> bool:
    """Whether a value is missing; a text never is, even where it is blank."""
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, float | np.floating):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, np.datetime64 | np.timedelta64) and bool(np.isnat(value))
