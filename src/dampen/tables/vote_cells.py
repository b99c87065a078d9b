"""Persons' votes by cell of a coded table: what a classifier counts in place of rows. None of this is private.

A cell is a place of every attribute and of the class. A person has one vote, 2**bits units, spread over the own rows as
:class:`~dampen.tables.engines.base.PersonAsk` says; the engine groups rows by person and cell, and what leaves it is
the sum of all persons' units in each cell that holds any. Every count below is a sum over these cells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dampen.tables.engines.array_codes import route_rows
from dampen.tables.engines.base import Bins, CellColumn, CodedTable, Coding, Engine, Labels, Levels, PersonAsk
from dampen.tables.engines.by_query import QueryLevels
from dampen.tables.grid import ListedGrid
from dampen.tables.pair_counts import Block, WideJoint, pair_weights, slots_of
from dampen.vectors import Integers


@dataclass(frozen=True, eq=False, repr=False)
class VoteCells:
    """Cells that hold votes: the place of every attribute, the class, and the units of weight, one number each."""

    codes: tuple[Integers, ...]
    classes: Integers
    weights: Integers

    def class_counts(self, table: CodedTable) -> Integers:
        """Units by node and class."""
        nodes, kinds = self._nodes(table), table.classes.size
        here = nodes >= 0
        keys = nodes[here] * kinds + self.classes[here]
        return _sums(keys, self.weights[here], table.nodes * kinds).reshape(table.nodes, kinds)

    def contingency(self, table: CodedTable) -> Integers:
        """Units by node, place of an attribute (all attributes side by side) and class."""
        nodes, kinds = self._nodes(table), table.classes.size
        here = nodes >= 0
        parts = [
            _sums(
                (nodes[here] * size + codes[here]) * kinds + self.classes[here],
                self.weights[here],
                table.nodes * size * kinds,
            ).reshape(table.nodes, size, kinds)
            for codes, size in zip(self.codes, table.sizes, strict=True)
        ]
        return np.concatenate(parts, axis=1)

    def levels(self, table: CodedTable) -> Levels:
        """Who counts the levels of a tree."""
        return QueryLevels(self, table)

    def joints(
        self, table: CodedTable, slot_of: Integers, blocks: tuple[Block, ...], groups: Integers
    ) -> Iterator[WideJoint]:
        """How many units pass both tests of every pair, group by group."""
        slots = slots_of(self.codes, table.sizes, slot_of)
        own = groups[self._nodes(table) * table.classes.size + self.classes]
        return pair_weights(slots, self.weights, blocks, own, int(groups.max()) + 1)

    def _nodes(self, table: CodedTable) -> Integers:
        return route_rows(table.route, self.codes, len(self.classes)).astype(np.int64)


def _sums(keys: Integers, weights: Integers, size: int) -> Integers:
    found = np.zeros(size, dtype=np.int64)
    np.add.at(found, keys, weights)
    return found


def count_votes(engine: Engine, person: str, table: CodedTable, bits: int) -> VoteCells:
    """The votes of all persons: one query, in which rows are grouped. A row without a person is left out.

    That columns hold what they must has been seen to.
    """
    cells = [*(_cell(name, coding) for name, coding in table.attributes.items()), _cell(table.target, table.classes)]
    found = engine.person_shares(PersonAsk(person, tuple(cells), caps=(1,), bits=bits))
    codings: Sequence[Coding] = [*table.attributes.values(), table.classes]
    places = [_codes(found.cells[:, spot], coding) for spot, coding in enumerate(codings)]
    return VoteCells(tuple(places[:-1]), places[-1], found.weights[:, 0].astype(np.int64))


def _cell(name: str, coding: Coding) -> CellColumn:
    if isinstance(coding, Labels):
        return CellColumn(name, coding.values, coding.other, keeps_missing=coding.other is not None)
    return CellColumn(name, ListedGrid(_points(coding)))


def _points(coding: Bins) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """Where bins begin; edges so close together that they are one float are one point."""
    return np.unique(np.array([coding.low, *coding.edges], dtype=np.float64))


def _codes(places: Integers, coding: Coding) -> Integers:
    """Places among points as how many of the edges are not above them."""
    if isinstance(coding, Labels):
        return places
    reached: Integers = np.searchsorted(np.array(coding.edges), _points(coding), side="right").astype(np.int64)
    return reached[places]
