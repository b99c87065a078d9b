"""Several columns of a table at once, row by row: for the few questions that need rows and not counts."""

import warnings
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
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


def read_columns(data: Any, names: Sequence[str]) -> Columns:
    """The named columns of a table of any kind; files in the order of their names and rows.

    The fields of a CSV file are text, nothing is guessed from rows.
    """
    with opened(data, *names) as engine:
        return _columns(engine, names)


def each_file(data: Any) -> Iterator[Any]:
    """The files of a pattern one by one, in order: read together, Spark would return them in an order of its own."""
    source = data if isinstance(data, Source) else Source(data)
    if not isinstance(source.data, str | Path):
        yield source
        return
    for file in existing_files(source.data):
        yield Source(Source(file, engine=source.engine), source.where or None)


def _columns(engine: Engine, names: Sequence[str]) -> Columns:
    inner = engine.files if isinstance(engine, LoadedEngine) else engine
    if isinstance(inner, DuckEngine):
        wanted = ", ".join(f"{inner.field(name)} as f{place}" for place, name in enumerate(names))
        rows = inner.fetch(f"select {wanted} from data")
        return {name: rows[f"f{place}"] for place, name in enumerate(names)}
    if isinstance(inner, ArrayEngine):
        return {name: as_plain(inner.column(name)) for name in names}
    return _from_ibis(inner, names)


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
