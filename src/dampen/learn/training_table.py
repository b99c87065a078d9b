"""The table that a model is fitted to, on the engine that counts it where it lies.

Rows never leave the engine; what does is the counts that models are drawn from. A table in memory is counted by the
same calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dampen._validate import render
from dampen.describe.columns import Category, Number
from dampen.errors import DataError, ParameterError
from dampen.learn.schema import Attribute, Schema, other_place
from dampen.tables.engines import Bins, CodedTable, Engine, Labels, Source, open_engine
from dampen.tables.engines.base import Coding, Levels, location_note
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, eq=False, repr=False)
class TrainingTable:
    """A table that keeps its schema, and the true counts of its classes, both from one scan."""

    engine: Engine
    schema: Schema
    coded: CodedTable
    classes: Integers

    @classmethod
    def scan(cls, engine: Engine, schema: Schema, target: str) -> "TrainingTable":
        """Look through all rows once; a table that breaks its schema is refused before anything is paid."""
        coded = _code_table(schema, target)
        found = engine.faults(coded)
        _refuse_faults(found.columns, schema, target, location_note(engine))
        return cls(engine, schema, coded, found.classes)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.classes.sum())

    def levels(self) -> Levels:
        """Who counts the levels of a tree."""
        return self.engine.levels(self.coded)


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
        return Bins(*attribute.float_bounds, () if edges is None else tuple(edges.tolist()))
    return Labels(attribute.labels, other_place(attribute))
