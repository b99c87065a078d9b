"""Tables that are counted where they lie: a schema becomes codings, and every level of a model one grouped query.

Rows never leave the engine; what does is the counts that the models are drawn from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from dampen.errors import DataError, ParameterError
from dampen.learn.decision_table import Question, possible, questions_of
from dampen.learn.schema import Numeric, Schema
from dampen.privacy import Adjacency
from dampen.problem import SelectionProblem
from dampen.queries.table_split import counted_split_problem
from dampen.statistics.engines import Bits, Coded, Edges, Engine, Labels, Route
from dampen.statistics.engines.base import NOT_HERE, Coding, inside
from dampen.statistics.pair_counts import Block, joints_of
from dampen.vectors import Integers


@dataclass(frozen=True, eq=False, repr=False)
class CountedTable:
    """A table on an engine that keeps its schema, and the counts of its classes, from the scan that saw to it."""

    engine: Engine
    schema: Schema
    target: str
    classes: Integers

    @classmethod
    def checked(cls, engine: Engine, schema: Schema, target: str) -> "CountedTable":
        """Look through all rows once; a table that breaks its schema is refused before anything is paid."""
        if target in schema.attributes:
            raise ParameterError(f"the target must not be an attribute of the schema; got {target[:60]!r}")
        coded = _coded(schema, target, {name: _coding(schema, name, ()) for name in schema.attributes})
        found = engine.faults(coded)
        for name in found.columns:
            if name == target:
                raise DataError(f"target must hold only the declared classes{inside(engine)}")
            numeric = isinstance(schema.attributes[name], Numeric)
            rule = "finite numbers, and no missing values (NaN)" if numeric else "only the declared values"
            more = "" if numeric else "; declare other=... for the rest"
            raise DataError(f"column {name[:60]!r} must hold {rule}{more}{inside(engine)}")
        return cls(engine, schema, target, found.classes)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.classes.sum())


class LevelsOnEngine:
    """Counts of the levels of a tree: one grouped query each."""

    def __init__(self, table: CountedTable) -> None:
        codings = {name: _coding(table.schema, name, _edges_of(table.schema, name)) for name in table.schema.attributes}
        self._engine, self._coded = table.engine, _coded(table.schema, table.target, codings)
        self._classes = table.classes
        self._route: Route | int = 0

    def root(self) -> Integers:
        """The classes of all records."""
        return self._classes

    def tables(self, asked: Integers) -> Integers:
        """Joint counts at these nodes: one grouped query."""
        part = _sent(self._route, dict(zip(asked.tolist(), range(len(asked)), strict=True)))
        return np.asarray(self._engine.contingency(self._coded.routed(part, len(asked))))

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """Every node that goes on becomes its test."""
        sizes = self._coded.sizes
        self._route = _sent(
            self._route,
            {
                node: Route(place, tuple(range(first, first + sizes[place])))
                for node, (place, first) in enumerate(zip(attributes.tolist(), firsts.tolist(), strict=True))
                if place >= 0
            },
        )


class PairsOnEngine:
    """Counts for a decision table: joint counts of all pairs of tests in one query, then those of its cells."""

    def __init__(self, table: CountedTable) -> None:
        tests = questions_of(table.schema)
        self._rows, self._kinds = table.rows, len(table.schema.classes)
        codings, self._blocks, slots = {}, list[Block](), list[int]()
        asked = {place: list(group) for place, group in groupby(tests, key=lambda test: test.attribute)}
        start = 0
        for place, name in enumerate(table.schema.attributes):
            own = asked.get(place, [])
            codings[name] = _coding(table.schema, name, tuple(test.edge for test in own if test.edge is not None))
            slots += _slots(own, codings[name].size, start)
            if own:
                self._blocks.append(Block(start, start + len(own), nested=own[0].edge is not None))
            start += len(own)
        self._slots = np.array(slots, dtype=np.int64)
        self._engine, self._coded = table.engine, _coded(table.schema, table.target, codings)

    def size(self) -> int:
        """How many records there are."""
        return self._rows

    def posed(self, taken: tuple[Question, ...], free: Integers) -> SelectionProblem:
        """Which pair of free tests to append."""
        fits, cells = possible(taken), 1 << len(taken)
        routed = self._coded.routed(self._bits(taken), cells)
        rows = self._engine.pair_counts(routed)
        rows[:, 0] = (np.cumsum(fits) - 1)[rows[:, 0] // self._kinds] * self._kinds + rows[:, 0] % self._kinds
        totals = self._engine.class_counts(routed)[fits]
        joints = joints_of(rows, self._slots, tuple(self._blocks), totals.size)
        return counted_split_problem(totals, joints, free, adjacency=Adjacency.ADD_REMOVE)

    def cell_counts(self, tests: tuple[Question, ...]) -> Integers:
        """Counts by cell and class."""
        return self._engine.class_counts(self._coded.routed(self._bits(tests), 1 << len(tests))).ravel()

    def _bits(self, tests: tuple[Question, ...]) -> Bits:
        codings = list(self._coded.attributes.values())
        return Bits(tuple((test.attribute, _passing(test, codings[test.attribute])) for test in tests))


def _coded(schema: Schema, target: str, codings: dict[str, Coding]) -> Coded:
    return Coded(codings, target, Labels(schema.classes))


def _coding(schema: Schema, name: str, edges: tuple[float, ...]) -> Coding:
    attribute = schema.attributes[name]
    if isinstance(attribute, Numeric):
        return Edges(attribute.lo, attribute.hi, edges)
    other = None if attribute.other is None else attribute.values.index(attribute.other)
    return Labels(attribute.values, other)


def _edges_of(schema: Schema, name: str) -> tuple[float, ...]:
    return tuple(schema.edges()[name].tolist()) if name in schema.edges() else ()


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


def _sent(route: Route | int, ways: Mapping[int, Route | int]) -> Route | int:
    """Every node becomes what stands for it, and those for which nothing stands are left out."""
    if isinstance(route, int):
        return ways.get(route, NOT_HERE)
    branches = tuple(_sent(branch, ways) for branch in route.branches)
    return NOT_HERE if all(branch == NOT_HERE for branch in branches) else Route(route.attribute, branches)
