"""Counting rows that stay where they are: the way to every node of a tree is part of the question."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from dampen.tables.engines.base import NOT_HERE, Coded, Levels, Route
from dampen.vectors import Integers

if TYPE_CHECKING:
    from dampen.tables.engines.arrays import ArrayEngine
    from dampen.tables.pair_counts import Block, Joint


class CountsByQuery(ABC):
    """What engines share of which every count is a query."""

    @abstractmethod
    def contingency(self, table: Coded) -> Integers:
        """Counts by node, place of an attribute (all attributes side by side) and class."""

    @abstractmethod
    def pair_counts(self, table: Coded) -> Integers:
        """Rows (node times classes plus class, place, place, count) for every two attributes and every one with itself.

        Places of all attributes are numbered side by side; the first attribute is not behind the second.
        """

    def levels(self, table: Coded) -> Levels:
        """A query for each level."""
        return RoutedLevels(self, table)

    def joints(
        self, table: Coded, slot_of: Integers, blocks: "tuple[Block, ...]", groups: Integers
    ) -> "Iterator[Joint]":
        """Joint counts of every two attributes, put together here."""
        from dampen.tables.pair_counts import joints_of

        rows = self.pair_counts(table)
        moved = np.column_stack([groups[rows[:, 0]], rows[:, 1:]])
        return joints_of(moved, slot_of, blocks, int(groups.max()) + 1)


class RoutedLevels:
    """One grouped query for each level, which sends every row down the tree anew."""

    def __init__(self, engine: "CountsByQuery | ArrayEngine", table: Coded) -> None:
        self._engine, self._table = engine, table
        self._route: Route | int = 0

    def tables(self, asked: Integers) -> Integers:
        """Joint counts at these nodes."""
        part = _redirect(self._route, dict(zip(asked.tolist(), range(len(asked)), strict=True)))
        return np.asarray(self._engine.contingency(self._table.routed(part, len(asked))))

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """Every node that goes on becomes its test."""
        sizes = self._table.sizes
        self._route = _redirect(
            self._route,
            {
                node: Route(place, tuple(range(first, first + sizes[place])))
                for node, (place, first) in enumerate(zip(attributes.tolist(), firsts.tolist(), strict=True))
                if place >= 0
            },
        )


def _redirect(route: Route | int, ways: Mapping[int, Route | int]) -> Route | int:
    """Every node becomes what stands for it, and those for which nothing stands are left out."""
    if isinstance(route, int):
        return ways.get(route, NOT_HERE)
    branches = tuple(_redirect(branch, ways) for branch in route.branches)
    return NOT_HERE if all(branch == NOT_HERE for branch in branches) else Route(route.attribute, branches)
