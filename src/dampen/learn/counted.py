"""Tables that are counted where they lie: a schema becomes codings, and an engine counts levels, pairs and cells.

Rows never leave the engine; what does is the counts that the models are drawn from. A table in memory is counted by the
same calls.
"""

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from dampen._validate import render
from dampen.errors import DataError, ParameterError
from dampen.learn.decision_table import Question, possible, questions_of
from dampen.learn.schema import Attribute, Numeric, Schema
from dampen.privacy import Adjacency
from dampen.problem import SelectionProblem
from dampen.queries.splits.table_split import table_split_problem
from dampen.tables.engines import Bits, Coded, Edges, Engine, Labels
from dampen.tables.engines.base import Coding, Levels, inside
from dampen.tables.pair_counts import Block
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, eq=False, repr=False)
class CountedTable:
    """A table on an engine that keeps its schema, and the counts of its classes, from the scan that saw to it."""

    engine: Engine
    schema: Schema
    coded: Coded
    classes: Integers

    @classmethod
    def checked(cls, engine: Engine, schema: Schema, target: str) -> "CountedTable":
        """Look through all rows once; a table that breaks its schema is refused before anything is paid."""
        if target in schema.attributes:
            raise ParameterError(f"the target must not be an attribute of the schema; got {render(target)}")
        edges = schema.edges()
        codings = {name: _coding(found, edges.get(name)) for name, found in schema.attributes.items()}
        coded = Coded(codings, target, Labels(schema.classes))
        found = engine.faults(coded)
        for name in found.columns:
            if name == target:
                raise DataError(f"target must hold only the declared classes{inside(engine)}")
            numeric = isinstance(schema.attributes[name], Numeric)
            rule = "finite numbers, and no missing values (NaN)" if numeric else "only the declared values"
            more = "" if numeric else "; declare other=... for the rest"
            raise DataError(f"column {name[:60]!r} must hold {rule}{more}{inside(engine)}")
        return cls(engine, schema, coded, found.classes)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.classes.sum())

    def levels(self) -> Levels:
        """Who counts the levels of a tree."""
        return self.engine.levels(self.coded)


class PairCounts:
    """Counts for a decision table: joint counts of all pairs of tests, then those of its cells."""

    def __init__(self, table: CountedTable) -> None:
        tests = questions_of(table.schema)
        self._table, self._kinds = table, len(table.schema.classes)
        self._blocks, slots, start = list[Block](), list[int](), 0
        asked = {place: list(group) for place, group in groupby(tests, key=lambda test: test.attribute)}
        for place, size in enumerate(table.coded.sizes):
            own = asked.get(place, [])
            slots += _slots(own, size, start)
            if own:
                self._blocks.append(Block(start, start + len(own), nested=own[0].edge is not None))
            start += len(own)
        self._slots = np.array(slots, dtype=np.int64)

    def size(self) -> int:
        """How many records there are."""
        return self._table.rows

    def problem(self, taken: tuple[Question, ...], free: Integers) -> SelectionProblem:
        """Which pair of free tests to append. Cells that no record can be in are not looked at."""
        fits, routed = possible(taken), self._routed(taken)
        groups = ((np.cumsum(fits) - 1)[:, None] * self._kinds + np.arange(self._kinds)).ravel()
        totals = self._table.engine.class_counts(routed)[fits]
        joints = self._table.engine.joints(routed, self._slots, tuple(self._blocks), groups)
        return table_split_problem(totals, joints, free, adjacency=Adjacency.ADD_REMOVE)

    def cell_counts(self, tests: tuple[Question, ...]) -> Integers:
        """Counts by cell and class."""
        return self._table.engine.class_counts(self._routed(tests)).ravel()

    def _routed(self, tests: tuple[Question, ...]) -> Coded:
        codings = list(self._table.coded.attributes.values())
        bits = Bits(tuple((test.attribute, _passing(test, codings[test.attribute])) for test in tests))
        return self._table.coded.routed(bits, 1 << len(tests))


def _coding(attribute: Attribute, edges: Floats | None) -> Coding:
    if isinstance(attribute, Numeric):
        return Edges(attribute.lo, attribute.hi, () if edges is None else tuple(edges.tolist()))
    other = None if attribute.other is None else attribute.values.index(attribute.other)
    return Labels(attribute.values, other)


def _slots(tests: list[Question], size: int, start: int) -> list[int]:
    """The slot of every place of an attribute: the first of its tests that the place passes, or -1."""
    if not tests:
        return [-1] * size
    first = 0 if tests[0].edge is not None else tests[0].code
    return [start + place - first if 0 <= place - first < len(tests) else -1 for place in range(size)]


def _passing(test: Question, coding: Coding) -> tuple[int, ...]:
    """The places that pass a test."""
    if isinstance(coding, Labels) or test.edge is None:
        return (test.code,)
    return tuple(range(coding.edges.index(test.edge) + 1))
