"""Joint counts of classes with attributes, node by node: one pass over the rows for a whole level of a tree.

``codes`` holds one column for each attribute, ``nodes`` the place of each row's node (negative: the row has left the
tree), ``classes`` its class. All counts of a level are one vector; :class:`Layout` tells where each attribute's lie.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dampen.vectors import Integers

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Layout:
    """Where the counts of each attribute stand: ``sizes`` values each, times ``classes``."""

    sizes: tuple[int, ...]
    classes: int

    @property
    def starts(self) -> Integers:
        """The place at which each attribute begins, and the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def width(self) -> int:
        """How many values all attributes have together."""
        return int(sum(self.sizes))


def count_level(codes: Sequence[Codes], classes: Codes, nodes: Codes, layout: Layout, count: int) -> Integers:
    """Counts of shape (count, layout.width, layout.classes): node, value of an attribute, class."""
    inside = nodes >= 0
    kept, labels = (nodes, classes) if inside.all() else (nodes[inside], classes[inside])
    counts = np.zeros((count, layout.width, layout.classes), dtype=np.int64)
    for place, start, size in zip(codes, layout.starts, layout.sizes, strict=False):
        values = place if inside.all() else place[inside]
        keys = (kept.astype(np.int64) * size + values) * layout.classes + labels
        found = np.bincount(keys, minlength=count * size * layout.classes)
        counts[:, start : start + size] = found.reshape(count, size, layout.classes)
    return counts


def count_classes(classes: Codes, nodes: Codes, count: int, kinds: int) -> Integers:
    """Counts of shape (count, kinds): node, class."""
    inside = nodes >= 0
    keys = nodes[inside].astype(np.int64) * kinds + classes[inside]
    return np.bincount(keys, minlength=count * kinds).reshape(count, kinds)
