"""Several columns of a table at once, row by row: for the few questions that need rows and not counts."""

from collections.abc import Iterator, Mapping
from typing import Any

from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.array_codes import row_values
from dampen.tables.engines.base import RowReading, Rows
from dampen.tables.engines.duckdb import DuckEngine
from dampen.tables.files import existing_files

BATCH = 2**16
"""So many rows are read at a time, where files are read piece by piece."""


def read_rows(data: Any, readings: Mapping[str, RowReading]) -> Rows:
    """The named columns of a table of any kind, each as it is to be read; files in the order of their names and rows.

    The fields of a CSV file are text, nothing is guessed from rows.
    """
    with open_engine(data, *readings) as engine:
        return engine.rows(readings)


def read_batches(data: Any, readings: Mapping[str, RowReading]) -> Iterator[Rows]:
    """The same, in the same order, so many rows at a time: files need not fit in memory.

    Arrays come at once, and Spark hands out file after file: read together, it would return them in an order of its
    own.
    """
    with open_engine(data, *readings) as engine:
        if isinstance(engine, DuckEngine) and engine.connection is not None:
            for columns in engine.batches([*readings], BATCH):
                yield {name: row_values(column, readings[name]) for name, column in columns.items()}
            return
        source = data if isinstance(data, Source) else Source(data)
        if source.engine != "spark":
            yield engine.rows(readings)
            return
    for file in existing_files(source.data):
        part = Source(file, engine="spark", reading=source.reading)
        yield read_rows(Source(part, source.where or None), readings)
