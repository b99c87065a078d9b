"""The table that a model is fitted to, on the engine that counts it where it lies.

Rows never leave the engine; what does is the counts that models are drawn from. (Scorecards and joint models are drawn
from the counts of whole rows of places, so there are about as many of these as rows.) A table in memory is counted by
the same calls. Where persons have several rows, what is counted is their votes: one each, spread over the own rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from dampen._validate import render
from dampen.describe.columns import Category, Column, Flag, Number
from dampen.entropy import Entropy
from dampen.errors import DataError, ParameterError
from dampen.learn import noise
from dampen.learn.schema import Attribute, Schema, ends_of, other_place
from dampen.tables.columns import title_of
from dampen.tables.engines import Bins, CodedTable, Engine, Labels, Reading, Source, open_engine
from dampen.tables.engines.base import Cells, Coding, Levels, label_error, location_note
from dampen.tables.vote_cells import VoteCells, count_votes
from dampen.vectors import LARGEST_WHOLE, Floats, Integers

BITS = 12
"""A vote is 2**BITS units: so few that sums of squares of many votes still fit 64 bits in most tables."""


@dataclass(frozen=True, eq=False, repr=False)
class TrainingTable:
    """A table that keeps its schema, and the true counts of its classes.

    ``person``: the column that tells whose a row is, where persons have several. After :meth:`count_votes` all counts
    are of weights, of which ``vote`` units make one vote, by ``cells``; before, a row is a vote of one unit.
    """

    engine: Engine
    schema: Schema
    coded: CodedTable
    classes: Integers
    person: str | None = None
    vote: int = 1
    cells: VoteCells | None = None

    @classmethod
    def scan(cls, engine: Engine, schema: Schema, target: str, person: str | None = None) -> "TrainingTable":
        """Look through all rows once; a table that breaks its schema is refused before anything is paid."""
        coded = _code_table(schema, target)
        found = engine.faults(coded)
        _refuse_faults(found.columns, schema, target, location_note(engine))
        return cls(engine, schema, coded, found.classes, person)

    def read_by(self, schema: Schema) -> "TrainingTable":
        """The same table, read by another schema of the same columns; its votes are to be counted anew."""
        return replace(self, schema=schema, coded=_code_table(schema, self.coded.target))

    def read_with(self, edges: Mapping[str, Floats]) -> "TrainingTable":
        """The same table, numbers cut at these edges instead, its votes counted anew."""
        codings = {name: _coding(found, edges.get(name)) for name, found in self.schema.attributes.items()}
        return replace(self, coded=replace(self.coded, attributes=codings), vote=1, cells=None).count_votes()

    def count_votes(self) -> "TrainingTable":
        """The same table, the votes of persons counted in place of rows, where it has a person."""
        if self.person is None:
            return self
        _require_few_cells(self.coded)
        cells = count_votes(self.engine, self.person, self.coded, BITS)
        classes = cells.class_counts(self.coded)[0]
        return replace(self, classes=classes, vote=1 << BITS, cells=cells)

    @property
    def counter(self) -> Engine | VoteCells:
        """Who counts: rows where they lie, or votes."""
        return self.engine if self.cells is None else self.cells

    @property
    def rows(self) -> int:
        """How many rows there are, or persons who have any: everybody's weights add up to one vote."""
        return int(self.classes.sum()) // self.vote

    def noisy(self, counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
        """Counts of disjoint cells with noise, in whole rows or votes. Nobody has paid for it here."""
        return noise.noisy_votes(counts, self.vote, epsilon, source)

    def places(self) -> Cells:
        """Rows of places of all attributes and of the class, and how many rows, or units of votes, have them."""
        if self.cells is None:
            return self.engine.cells(self.coded)
        return np.column_stack([*self.cells.codes, self.cells.classes]), self.cells.weights

    def levels(self) -> Levels:
        """Who counts the levels of a tree."""
        return self.counter.levels(self.coded)


def require_all_rows(data: Any, schema: Schema, target: str, *, scored: bool = False) -> None:
    """Refuse a table of which any row breaks the schema, where a filter leaves only some.

    Else whether a fit is refused would tell, for a filter of the asker's choice, whose value is missing. ``scored``:
    the rows are scored, where only numbers can break the schema: a class that is none counts as a wrong answer.
    """
    if not isinstance(data, Source) or not data.where:
        return
    with open_engine(data.unfiltered(), *schema.attributes, target) as engine:
        found = engine.faults(_code_table(schema, target)).columns
        if scored:
            found = tuple(name for name in found if isinstance(schema.attributes.get(name), Number))
        _refuse_faults(found, schema, target, location_note(engine))


def label_readings(columns: Mapping[str, Column]) -> dict[str, Reading]:
    """What labels must be in all rows: a classifier leaves no row out, so a missing one needs a label that takes it."""
    return {
        name: Reading(labels=each.labels, missing=each.missing == "other", other=_takes_rest(each))
        for name, each in columns.items()
        if isinstance(each, Category | Flag)
    }


def labels_with_rest(columns: Mapping[str, Column]) -> dict[str, Reading]:
    """The same of categories whose ``other`` takes what is no label, but no missing value: a fit looks at all else."""
    found = {name: each for name, each in columns.items() if _takes_rest(each)}
    return {name: reading for name, reading in label_readings(found).items() if not reading.missing}


def _takes_rest(column: Column) -> bool:
    return isinstance(column, Category) and column.other is not None


def require_labels(data: Any, readings: Mapping[str, Reading]) -> None:
    """Refuse a table in which a label is none, or missing where nothing takes it: in any row, whatever the filter."""
    if not readings:
        return
    with open_engine(Source(data).unfiltered(), *readings) as engine:
        found, where = engine.faulty(readings), location_note(engine)
    for name, reading in readings.items():
        if name in found.other and not reading.other:
            raise label_error(title_of(name), where)
        if name in found.missing and not reading.missing:
            rule = "must have no missing values: a classifier leaves no row out; missing='other' counts them as other="
            raise DataError(f"{title_of(name)} {rule}{where}")


def are_few_cells(sizes: Iterable[int]) -> bool:
    """Whether columns of so many values each make few enough cells for votes: a cell is one whole number of 64 bits."""
    return prod(sizes) <= LARGEST_WHOLE


def _require_few_cells(coded: CodedTable) -> None:
    if not are_few_cells([*coded.sizes, coded.classes.size]):
        rule = "schema must make fewer than 2**62 cells for a table with a person"
        raise ParameterError(f"{rule}: lower bins, merge values or leave columns out")


def _code_table(schema: Schema, target: str) -> CodedTable:
    if target in schema.attributes:
        raise ParameterError(f"the target must not be an attribute of the schema; got {render(target)}")
    edges = schema.edges()
    codings = {name: _coding(found, edges.get(name)) for name, found in schema.attributes.items()}
    return CodedTable(codings, target, Labels(schema.classes))


def _refuse_faults(columns: Sequence[str], schema: Schema, target: str, where: str) -> None:
    for name in columns:
        if name == target:
            raise DataError(f"target must hold only the declared classes{where}")
        attribute = schema.attributes[name]
        numeric = isinstance(attribute, Number)
        rule = "finite numbers, and no missing values (NaN)" if numeric else "only the declared values"
        more = "; declare other=... for the rest" if isinstance(attribute, Category) else ""
        raise DataError(f"column {name[:60]!r} must hold {rule}{more}{where}")


def _coding(attribute: Attribute, edges: Floats | None) -> Coding:
    if isinstance(attribute, Number):
        return Bins(*ends_of(attribute), () if edges is None else tuple(edges.tolist()))
    return Labels(attribute.labels, other_place(attribute))
