"""Edges in files: two columns of a table, or a plain edge list. No label leaves the database, only places of nodes."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import numpy as np

from dampen._validate import render
from dampen.errors import DataError, ParameterError
from dampen.graphs.building import Pairs
from dampen.graphs.input import Nodes
from dampen.tables.columns import Strange
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.aside import open_aside
from dampen.tables.engines.base import RowForm
from dampen.tables.engines.duck_sql import edge_query
from dampen.tables.engines.duck_stream import Unfetched, stream_pairs
from dampen.tables.file_formats import known_format
from dampen.tables.files import TEXT, connect_files, existing_files, literal
from dampen.tables.reading import is_missing


def from_file(path: Any, nodes: Nodes, src: str | None, dst: str | None) -> Pairs:
    """The edges of files: of two named columns, or else of plain edge lists."""
    source = path if isinstance(path, Source) else Source(path)
    files = existing_files(source.data)
    if _is_table(files[0], src, dst):
        return from_engine(source, nodes, *_columns(files[0], src, dst))
    _require_plain(source)
    with connect_files(*files) as (connection, names):
        try:
            connection.execute(_edge_list(files[0], names))
            malformed = connection.sql("select count(*) from data where src is null or dst is null").fetchone()
            tables, query = edge_query(nodes, TEXT, TEXT)
            for name, columns in tables.items():
                connection.register(name, dict(columns))
            found = _stream_or_fetch(connection, f"with ends as (select * from data) {query}")
        except duckdb_error():
            raise _no_edge_list(files[0]) from None
    if malformed != (0,):
        raise _no_edge_list(files[0])
    return nodes.check(found, "the first field of each line", "the second field")


def _stream_or_fetch(connection: Any, query: str) -> Pairs:
    """Both ends of all edges: in a stream, which holds them once, unless DuckDB has none for this query."""
    with open_aside(connection.interrupt) as aside:
        streamed = stream_pairs(nullcontext(Unfetched(connection.sql(query), aside)))
    if streamed is not None:
        return streamed
    rows = connection.sql(query).fetchnumpy()
    return [(np.asarray(rows["src"]), np.asarray(rows["dst"]))]


def _require_plain(source: Source) -> None:
    """An edge list has two fields and no columns, and is read by DuckDB."""
    if source.where:
        raise ParameterError(
            "where is for tables of edges, with src= and dst=; an edge list has no columns to filter by"
        )
    if source.reading is not None:
        raise ParameterError("reading is for tables of edges, with src= and dst=; an edge list needs none")
    if source.engine == "spark":
        raise ParameterError(
            "engine must be 'duckdb' or 'arrays' for an edge list; Spark reads tables, with src= and dst="
        )


def from_engine(data: Any, nodes: Nodes, src: str, dst: str) -> Pairs:
    """The edges of two columns of anything that an engine reads; only places of nodes leave it."""
    with open_engine(data, src, dst) as engine:
        found = engine.edges(src, dst, nodes)
    return nodes.check(found, f"column {src[:60]!r}", f"column {dst[:60]!r}")


def duckdb_error() -> Any:
    """What DuckDB raises; imported only where it is used."""
    import duckdb

    return duckdb.Error


def labels_of_edges(path: Any, src: str | None = None, dst: str | None = None) -> tuple[str, ...]:
    """Every label that occurs in the edges of files, as text, sorted. Not private: it tells who has an edge."""
    source = path if isinstance(path, Source) else Source(path)
    files = existing_files(source.data)
    query = "select cast(src as varchar) as label from ends union select cast(dst as varchar) from ends"
    if _is_table(files[0], src, dst):
        labels = _labels_of_columns(source, _columns(files[0], src, dst))
    else:
        _require_plain(source)
        with connect_files(*files) as (connection, spots):
            try:
                connection.execute(_edge_list(files[0], spots))
                labels = connection.execute(f"with ends as (select * from data) {query}").fetchnumpy()["label"].tolist()
            except duckdb_error():
                raise _no_edge_list(files[0]) from None
    known = [label for label in labels if label is not None]
    if len(known) < len(labels) or not labels:
        raise _no_edge_list(files[0])
    return tuple(sorted(known, key=lambda label: (not label.isdecimal(), len(label) * label.isdecimal(), label)))


def _labels_of_columns(source: Source, columns: tuple[str, str]) -> list[str | None]:
    with open_engine(source, *columns) as engine:
        for column in columns:
            engine.require(column)
        found = engine.rows(dict.fromkeys(columns, RowForm.AS_IT_IS))
    ends = {end for column in found.values() for end in column.tolist()}
    return [None if is_missing(end) or isinstance(end, Strange) else str(end) for end in ends]


def _is_table(file: Path, src: str | None, dst: str | None) -> bool:
    return src is not None or dst is not None or known_format(file) is not None


def _columns(file: Path, src: str | None, dst: str | None) -> tuple[str, str]:
    for name, column in {"src": src, "dst": dst}.items():
        if not isinstance(column, str):
            raise ParameterError(f"{name} must name a column of {file.name[-60:]}; got {render(column)}")
    if src == dst:
        raise ParameterError(f"src and dst must be two columns; got {render(src)} twice")
    return cast(str, src), cast(str, dst)


def _edge_list(file: Path, names: Sequence[str]) -> str:
    """SQL: a plain edge list as the view ``data (src, dst)``.

    Two fields per line between blanks; lines that start with # (SNAP) or % (KONECT) are comments.
    """
    listed = ", ".join(map(literal, names))
    compression = "gzip" if file.suffix.lower() == ".gz" else "none"
    return f"""
        create temp view data as
        select nullif(ends.src, '') as src, nullif(ends.dst, '') as dst from (
            select regexp_extract(line, '^\\s*(\\S+)\\s+(\\S+)\\s*$', ['src', 'dst']) as ends
            from read_csv([{listed}], auto_detect=false, header=false, columns={{'line': 'VARCHAR'}},
                          delim='\x01', quote='', escape='', compression='{compression}', strict_mode=false)
            where regexp_matches(line, '^\\s*[^\\s#%]')
        )
        """


def _no_edge_list(file: Path) -> DataError:
    return DataError(
        f"{file.name[-60:]} must be an edge list, two nodes per line, blanks between; for a table give src= and dst="
    )
