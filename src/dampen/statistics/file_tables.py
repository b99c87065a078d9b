"""Several columns of a table at once, row by row: for the few questions that need rows and not counts."""

import warnings
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.statistics.engines import Engine, Source, opened
from dampen.statistics.engines.array_codes import as_plain
from dampen.statistics.engines.arrays import ArrayEngine
from dampen.statistics.engines.duckdb import DuckEngine
from dampen.statistics.engines.loaded import LoadedEngine
from dampen.statistics.files import existing_files

Columns = dict[str, NDArray[Any]]
WIDEST = "HUGEINT"
"""What DuckDB calls whole numbers of 128 bits, such as sums."""
PRINTED = (WIDEST, "TIME", "INTERVAL", "UUID", "ENUM")
"""Types, or how their names begin, that NumPy would round or change: they are read as DuckDB prints them."""
BATCH = 2**16
"""So many rows are read at a time, where files are read piece by piece."""


def read_columns(data: Any, names: Sequence[str]) -> Columns:
    """The named columns of a table of any kind; files in the order of their names and rows.

    The fields of a CSV file are text, nothing is guessed from rows.
    """
    with opened(data, *names) as engine:
        return _columns(engine, names)


def read_batches(data: Any, names: Sequence[str]) -> Iterator[Columns]:
    """The same, in the same order, so many rows at a time: files need not fit in memory.

    Arrays come at once, and Spark hands out file after file: read together, it would return them in an order of its
    own.
    """
    with opened(data, *names) as engine:
        if isinstance(engine, DuckEngine) and engine.connection is not None:
            yield from _batches(engine, names)
            return
        source = data if isinstance(data, Source) else Source(data)
        if source.engine != "spark":
            yield _columns(engine, names)
            return
    for file in existing_files(source.data):
        yield read_columns(Source(Source(file, engine="spark"), source.where or None), names)


def _batches(engine: DuckEngine, names: Sequence[str]) -> Iterator[Columns]:
    assert engine.connection is not None
    kept = f" where {' and '.join(engine.filters)}" if engine.filters else ""
    engine.connection.execute(f"with data as (select * from {engine.source}{kept}) {_wanted(engine, names)}")
    while rows := engine.connection.fetchmany(BATCH):
        columns = (_items(list(column)) for column in zip(*rows, strict=True))
        yield {name: _native(column, engine.kind(name)) for name, column in zip(names, columns, strict=True)}


def _columns(engine: Engine, names: Sequence[str]) -> Columns:
    inner = engine.files if isinstance(engine, LoadedEngine) else engine
    if isinstance(inner, DuckEngine):
        rows = inner.fetch(_wanted(inner, names))
        return {name: _native(rows[f"f{place}"], inner.kind(name)) for place, name in enumerate(names)}
    if isinstance(inner, ArrayEngine):
        return {name: as_plain(inner.column(name)) for name in names}
    return _from_ibis(inner, names)


def _wanted(engine: DuckEngine, names: Sequence[str]) -> str:
    """SQL: the named columns."""
    fields = [
        f"cast({engine.field(name)} as varchar)" if engine.kind(name).startswith(PRINTED) else engine.field(name)
        for name in names
    ]
    return f"select {', '.join(f'{field} as f{place}' for place, field in enumerate(fields))} from data"


def _native(column: NDArray[Any], kind: str) -> NDArray[Any]:
    """A column that DuckDB returned: NumPy has neither its days nor its widest whole numbers."""
    if kind == "DATE":
        return column.astype("datetime64[D]")
    if kind != WIDEST:
        return column
    texts = column.astype(object).tolist()
    return _items([None if text is None else int(text) for text in texts])


def _from_ibis(engine: Any, names: Sequence[str]) -> Columns:
    """Errors of a backend quote the data, so they are replaced."""
    from dampen.statistics.engines.base import column_of
    from dampen.statistics.engines.ibis import failed

    known = list(engine.table.columns)
    chosen = engine.table.select(**{f"f{spot}": column_of(known, name, engine) for spot, name in enumerate(names)})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = chosen.to_pyarrow()
    except KeyboardInterrupt:
        raise
    except Exception as error:
        raise failed(error, engine) from None
    return {name: _items(found.column(f"f{spot}").to_pylist()) for spot, name in enumerate(names)}


def _items(items: list[Any]) -> NDArray[Any]:
    """Items as they are, in an array; decimals are read as the nearest float, as everywhere."""
    array = np.empty(len(items), dtype=object)
    array[:] = [float(item) if isinstance(item, Decimal) else item for item in items]
    return array
