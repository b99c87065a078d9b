"""Levels of a tree over rows in memory: every row remembers its node, and one pass counts all attributes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.tables.contingency import Layout, as_slots, count_level, descend
from dampen.tables.engines.base import Coded
from dampen.vectors import Integers

Codes = NDArray[Any]


class SlotLevels:
    """``codes``: the places of each attribute, all of them declared."""

    def __init__(self, codes: Sequence[Codes], classes: Codes, table: Coded) -> None:
        self._layout = Layout(table.sizes, table.classes.size)
        held = np.empty((len(codes), len(classes)), dtype=np.int32)
        for place, column in enumerate(codes):
            held[place] = column
        self._slots = as_slots(held, self._layout.starts)
        self._classes, self._nodes = classes.astype(np.int32), np.zeros(len(classes), dtype=np.int32)

    def tables(self, asked: Integers) -> Integers:
        """Joint counts at these nodes, in one pass."""
        return count_level(self._slots, self._classes, self._nodes, self._layout, asked)

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """The node of every row one level down."""
        self._nodes = descend(self._slots, self._nodes, attributes, firsts - self._layout.starts[attributes])
