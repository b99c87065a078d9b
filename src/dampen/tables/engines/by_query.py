"""What engines share of which every count is a query: rows stay where they are, so the way to every node of a tree is
part of the question, and counts come back as sparse rows.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dampen.errors import DataError
from dampen.tables.engines.base import NOT_HERE, Cells, CodedTable, Levels, Route
from dampen.vectors import Integers

if TYPE_CHECKING:
    from dampen.tables.engines.arrays import ArrayEngine
    from dampen.tables.pair_counts import Block, Joint
    from dampen.tables.vote_cells import VoteCells


class CountsByQuery(ABC):
    """What engines share of which every count is a query."""

    @abstractmethod
    def contingency(self, table: CodedTable) -> Integers:
        """Counts by node, place of an attribute (all attributes side by side) and class."""

    @abstractmethod
    def pair_counts(self, table: CodedTable) -> Integers:
        """Rows (node times classes plus class, place, place, count) for every two attributes and every one with itself.

        Places of all attributes are numbered side by side; the first attribute is not behind the second.
        """

    def levels(self, table: CodedTable) -> Levels:
        """A query for each level."""
        return QueryLevels(self, table)

    def joints(
        self, table: CodedTable, slot_of: Integers, blocks: "tuple[Block, ...]", groups: Integers
    ) -> "Iterator[Joint]":
        """Joint counts of every two attributes, put together here."""
        from dampen.tables.pair_counts import joints_of

        rows = self.pair_counts(table)
        moved = np.column_stack([groups[rows[:, 0]], rows[:, 1:]])
        return joints_of(moved, slot_of, blocks, int(groups.max()) + 1)


class QueryLevels:
    """One grouped query for each level, which sends every row down the tree anew."""

    def __init__(self, engine: "CountsByQuery | ArrayEngine | VoteCells", table: CodedTable) -> None:
        self._engine, self._table = engine, table
        self._route: Route | int = 0

    def tables(self, asked: Integers) -> Integers:
        """Joint counts at these nodes."""
        part = _lead_on(self._route, dict(zip(asked.tolist(), range(len(asked)), strict=True)))
        return np.asarray(self._engine.contingency(self._table.with_route(part, len(asked))))

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """Every node that goes on becomes its test."""
        sizes = self._table.sizes
        self._route = _lead_on(
            self._route,
            {
                node: Route(place, tuple(range(first, first + sizes[place])))
                for node, (place, first) in enumerate(zip(attributes.tolist(), firsts.tolist(), strict=True))
                if place >= 0
            },
        )


def _lead_on(route: Route | int, ways: Mapping[int, Route | int]) -> Route | int:
    """Every node becomes what stands for it, and those for which nothing stands are left out."""
    if isinstance(route, int):
        return ways.get(route, NOT_HERE)
    branches = tuple(_lead_on(branch, ways) for branch in route.branches)
    return NOT_HERE if all(branch == NOT_HERE for branch in branches) else Route(route.attribute, branches)


def packs_of(sizes: Sequence[int], fixed: int, most: int) -> list[list[int]]:
    """Attributes put together, in order, so that the joint counts of each group stay below ``most`` cells.

    >>> packs_of([4, 8, 100, 2], fixed=2, most=200)
    [[0, 1], [2], [3]]
    """
    packs: list[list[int]] = []
    cells = most
    for place, size in enumerate(sizes):
        if not packs or cells * size > most:
            packs.append([])
            cells = fixed
        packs[-1].append(place)
        cells *= size
    return packs


def as_places(column: Any) -> Integers:
    """Places that a query returned. A row without one breaks the schema, which the scan before has seen to."""
    if np.ma.is_masked(column):
        raise DataError("the data must not change while it is counted: a row breaks the schema now")
    return np.asarray(column, dtype=np.int64)


def as_cells(rows: Mapping[str, Any], names: Sequence[str]) -> Cells:
    """Rows of places, and their counts, out of what a query returned."""
    places = np.column_stack([as_places(rows[name]) for name in names])
    return places, np.asarray(rows["count"], dtype=np.int64)


def as_level(rows: Mapping[str, Any], table: CodedTable) -> Integers:
    """The counts of a level out of sparse rows: node, place, class, count."""
    counts = np.zeros((table.nodes, sum(table.sizes), table.classes.size), dtype=np.int64)
    places = tuple(as_places(rows[name]) for name in ("node", "place", "class"))
    counts[places] = np.asarray(rows["count"], dtype=np.int64)
    return counts


def as_classes(rows: Mapping[str, Any], table: CodedTable) -> Integers:
    """The counts of nodes and classes out of sparse rows."""
    counts = np.zeros((table.nodes, table.classes.size), dtype=np.int64)
    places = tuple(as_places(rows[name]) for name in ("node", "class"))
    counts[places] = np.asarray(rows["count"], dtype=np.int64)
    return counts
