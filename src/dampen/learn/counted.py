"""Tables that are counted where they lie: a schema becomes codings, and every level of a model one grouped query.

Rows never leave the engine; what does is the counts that the models are drawn from.
"""

from dataclasses import dataclass
from itertools import groupby

import numpy as np

from dampen.errors import DataError, ParameterError
from dampen.learn.decision_table import Question, possible, questions_of
from dampen.learn.schema import Categorical, Numeric, Schema
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
    """Counts of the levels of a tree: the classes of children are read off the table of the test that made them."""

    def __init__(self, table: CountedTable, bins: int) -> None:
        codings = {
            name: _coding(table.schema, name, _edges_of(attribute, bins))
            for name, attribute in table.schema.attributes.items()
        }
        self._engine, self._coded = table.engine, _coded(table.schema, table.target, codings)
        self._starts = np.concatenate([[0], np.cumsum(self._coded.sizes)])
        self._classes = table.classes[None, :]
        self._route: Route | int = 0
        self._tables: list[Integers] = []

    def class_counts(self, count: int) -> Integers:
        """The classes at each node."""
        return self._classes

    def keep(self, places: list[int]) -> None:
        """Number the nodes anew."""
        self._route, self._tables = _renumbered(self._route, places), []

    def tables(self, first: int, count: int) -> Integers:
        """Joint counts at these nodes: one grouped query."""
        part = _shifted(self._route, first, count)
        self._tables.extend(found := self._engine.contingency(self._coded.routed(part, count)))
        return np.asarray(found)

    def descend(self, chosen: list[int], firsts: list[int]) -> None:
        """Send rows to the children."""
        spans = [slice(self._starts[place], self._starts[place + 1]) for place in chosen]
        self._classes = np.concatenate([table[span] for table, span in zip(self._tables, spans, strict=True)])
        sizes = self._coded.sizes
        tests = [
            Route(place, tuple(range(first, first + sizes[place]))) for place, first in zip(chosen, firsts, strict=True)
        ]
        self._route = _grown(self._route, tests)


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


def _edges_of(attribute: Categorical | Numeric, bins: int) -> tuple[float, ...]:
    return tuple(attribute.edges(bins).tolist()) if isinstance(attribute, Numeric) else ()


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


def _renumbered(route: Route | int, places: list[int]) -> Route | int:
    if isinstance(route, int):
        return places[route] if route >= 0 else NOT_HERE
    branches = tuple(_renumbered(branch, places) for branch in route.branches)
    return NOT_HERE if all(branch == NOT_HERE for branch in branches) else Route(route.attribute, branches)


def _shifted(route: Route | int, first: int, count: int) -> Route | int:
    """Only the nodes from ``first`` on, ``count`` of them."""
    if isinstance(route, int):
        return route - first if first <= route < first + count else NOT_HERE
    return Route(route.attribute, tuple(_shifted(branch, first, count) for branch in route.branches))


def _grown(route: Route | int, tests: list[Route]) -> Route | int:
    """Every node becomes its test."""
    if isinstance(route, int):
        return tests[route] if route >= 0 else NOT_HERE
    return Route(route.attribute, tuple(_grown(branch, tests) for branch in route.branches))
