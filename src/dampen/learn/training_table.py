"""The table that a model is fitted to, on the engine that counts it where it lies.

Rows never leave the engine; what does is the counts that models are drawn from. A table in memory is counted by the
same calls.
"""

from dataclasses import dataclass

from dampen._validate import render
from dampen.errors import DataError, ParameterError
from dampen.learn.schema import Attribute, Numeric, Schema
from dampen.tables.engines import Bins, CodedTable, Engine, Labels
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
        if target in schema.attributes:
            raise ParameterError(f"the target must not be an attribute of the schema; got {render(target)}")
        edges = schema.edges()
        codings = {name: _coding(found, edges.get(name)) for name, found in schema.attributes.items()}
        coded = CodedTable(codings, target, Labels(schema.classes))
        found = engine.faults(coded)
        for name in found.columns:
            if name == target:
                raise DataError(f"target must hold only the declared classes{location_note(engine)}")
            numeric = isinstance(schema.attributes[name], Numeric)
            rule = "finite numbers, and no missing values (NaN)" if numeric else "only the declared values"
            more = "" if numeric else "; declare other=... for the rest"
            raise DataError(f"column {name[:60]!r} must hold {rule}{more}{location_note(engine)}")
        return cls(engine, schema, coded, found.classes)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.classes.sum())

    def levels(self) -> Levels:
        """Who counts the levels of a tree."""
        return self.engine.levels(self.coded)


def _coding(attribute: Attribute, edges: Floats | None) -> Coding:
    if isinstance(attribute, Numeric):
        return Bins(attribute.lo, attribute.hi, () if edges is None else tuple(edges.tolist()))
    other = None if attribute.other is None else attribute.values.index(attribute.other)
    return Labels(attribute.values, other)
