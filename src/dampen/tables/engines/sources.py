"""Which engine counts which data: by what the data is, or by the name that the caller gives."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dampen._validate import one_of, only_own_errors, render
from dampen.errors import ParameterError
from dampen.tables.engines.base import Engine
from dampen.tables.engines.registry import ENGINES, engine_of, file_engines
from dampen.tables.reading import is_missing


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Source:
    """Data of any kind, a public filter of its rows, and for files the engine that reads them.

    ``column``: the one that is asked about, so that a source can stand where values do; ``missing``: what happens to
    its missing values.
    """

    data: Any
    where: Mapping[str, Any]
    engine: str | None
    column: str | None
    missing: str | None

    def __init__(
        self,
        data: Any,
        where: Mapping[str, Any] | None = None,
        engine: str | None = None,
        *,
        column: str | None = None,
        missing: str | None = None,
    ) -> None:
        inner = data if isinstance(data, Source) else None
        object.__setattr__(self, "column", column if inner is None else column or inner.column)
        object.__setattr__(self, "missing", missing if inner is None else missing or inner.missing)
        object.__setattr__(self, "data", data if inner is None else inner.data)
        chosen = {} if where is None else as_where(where)
        object.__setattr__(self, "where", chosen if inner is None else {**inner.where, **chosen})
        named = None if engine is None else one_of(file_engines(), engine=engine)
        object.__setattr__(self, "engine", named if inner is None else named or inner.engine)
        if self.engine is not None and not isinstance(self.data, str | Path):
            raise ParameterError(f"engine is for files; got {type(self.data).__name__}, which has its own")

    def __repr__(self) -> str:
        return "Source()"


def asked_column(values: Any, column: str | None, missing: str) -> tuple[str | None, str]:
    """The column that is asked about, and what happens to missing values: as given, or as the source says itself."""
    if not isinstance(values, Source) or values.column is None:
        return column, missing
    return values.column, values.missing or missing


def is_outside(data: Any) -> bool:
    """Whether data is counted where it lies: a file, a relation of DuckDB, an ibis table, a Spark data frame."""
    source = data if isinstance(data, Source) else Source(data)
    return source.engine != "arrays" and (isinstance(source.data, str | Path) or engine_of(source.data) != "arrays")


@contextmanager
def open_engine(data: Any, *columns: str | None) -> Iterator[Engine]:
    """The engine that counts the data, its rows filtered. ``columns`` help to read the header of a CSV file.

    Whatever goes wrong with the data leaves as an error of dampen's: those of other libraries quote what they met.
    """
    source = data if isinstance(data, Source) else Source(data)
    with only_own_errors(), _open(source, columns) as engine:
        for name, value in source.where.items():
            engine = engine.part(name, (value,), 0)
        yield engine


def _open(source: Source, columns: tuple[str | None, ...]) -> AbstractContextManager[Engine]:
    if not isinstance(source.data, str | Path):
        return ENGINES[engine_of(source.data)].open(source.data)
    read = ENGINES[source.engine or "duckdb"].open_files
    assert read is not None  # a source takes the names of engines that read files, and no others
    return read(source.data, [*source.where, *(column for column in columns if isinstance(column, str))])


def as_where(where: Any) -> dict[str, Any]:
    """A public filter: columns and one value each, at least one."""
    if not isinstance(where, Mapping) or not where or not all(isinstance(name, str) for name in where):
        raise ParameterError(f"where must be columns and a value each, {{column: value}}; got {render(where)}")
    for value in where.values():
        if not _plain(value) or is_missing(value):
            raise ParameterError(f"where must give one value that is not missing; got {render(value)}")
    return dict(where)


def _plain(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return not isinstance(value, tuple | frozenset)
