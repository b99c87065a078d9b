"""Where the counting runs: arrays here, files and DuckDB relations in DuckDB, ibis tables and Spark where they lie.

>>> from dampen.tables.engines import opened
>>> with opened({"drink": ["tea", "milk", "tea"]}) as engine:
...     engine.name, engine.group_counts("drink", ["tea", "milk"])
('arrays', {0: 2, 1: 1})
"""

from dampen.tables.engines.base import Bits, Coded, Edges, Engine, Labels, Route
from dampen.tables.engines.sources import NAMES, Source, filtered, opened, stays

__all__ = ["NAMES", "Bits", "Coded", "Edges", "Engine", "Labels", "Route", "Source", "filtered", "opened", "stays"]
