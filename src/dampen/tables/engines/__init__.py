"""Where the counting runs: arrays here, files and DuckDB relations in DuckDB, ibis tables and Spark where they lie.

>>> from dampen.tables.engines import open_engine
>>> with open_engine({"drink": ["tea", "milk", "tea"]}) as engine:
...     engine.name, engine.label_counts("drink", ["tea", "milk"])
('arrays', {0: 2, 1: 1})
"""

from dampen.tables.engines.base import Bins, Bits, CodedTable, Engine, Labels, Reading, Route
from dampen.tables.engines.sources import Source, asked_column, is_outside, open_engine

__all__ = [
    "Bins",
    "Bits",
    "CodedTable",
    "Engine",
    "Labels",
    "Reading",
    "Route",
    "Source",
    "asked_column",
    "is_outside",
    "open_engine",
]
