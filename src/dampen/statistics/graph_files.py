"""Edges in files: two columns of a table, or a plain edge list. No label leaves the database, only places of nodes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from dampen._validate import shown
from dampen.errors import DataError, ParameterError
from dampen.statistics.engines import Source, opened
from dampen.statistics.engines.duckdb import opened_files
from dampen.statistics.files import TEXT, connected, existing_files, literal
from dampen.statistics.graph_input import NOWHERE, Nodes, Pairs
from dampen.vectors import Integers

ENDS = ("src", "dst")
TABLES = (".csv", ".tsv", ".parquet")
WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
MALFORMED = -2
"""In place of a node: the line is not one of an edge list."""


def from_file(path: Any, nodes: Nodes, src: str | None, dst: str | None) -> Pairs:
    """The edges of files: of two named columns, or else of plain edge lists."""
    source = path if isinstance(path, Source) else Source(path)
    files = existing_files(source.data)
    if _is_table(files[0], src, dst):
        return from_engine(source, nodes, *_columns(files[0], src, dst))
    _require_plain(source)
    with connected(*files) as (connection, names):
        try:
            connection.execute(_edge_list(files[0], names))
            tables, query = edge_query(nodes, TEXT, TEXT, absent=MALFORMED)
            for name, columns in tables.items():
                connection.register(name, columns)
            rows = connection.execute(f"with ends as (select * from data) {query}").fetchnumpy()
        except duckdb_error():
            raise _no_edge_list(files[0]) from None
    found = _integers(rows["src"]), _integers(rows["dst"])
    if any((places == MALFORMED).any() for places in found):
        raise _no_edge_list(files[0])
    return nodes.checked(found[0], "the first field of each line"), nodes.checked(found[1], "the second field")


def _require_plain(source: Source) -> None:
    """An edge list has two fields and no columns, and is read by DuckDB."""
    if source.where:
        raise ParameterError(
            "where is for tables of edges, with src= and dst=; an edge list has no columns to filter by"
        )
    if source.engine == "spark":
        raise ParameterError(
            "engine must be 'duckdb' or 'arrays' for an edge list; Spark reads tables, with src= and dst="
        )


def from_engine(data: Any, nodes: Nodes, src: str, dst: str) -> Pairs:
    """The edges of two columns of anything that an engine reads; only places of nodes leave it."""
    with opened(data, src, dst) as engine:
        found = engine.edges(src, dst, nodes)
    return nodes.checked(found[0], f"column {src[:60]!r}"), nodes.checked(found[1], f"column {dst[:60]!r}")


def duckdb_error() -> Any:
    """What DuckDB raises; imported only where it is used."""
    import duckdb

    return duckdb.Error


def labels_of_edges(path: str | Path, src: str | None = None, dst: str | None = None) -> tuple[str, ...]:
    """Every label that occurs in the edges of files, as text, sorted. Not private: it tells who has an edge."""
    files = existing_files(path)
    query = "select cast(src as varchar) as label from ends union select cast(dst as varchar) from ends"
    if _is_table(files[0], src, dst):
        columns = _columns(files[0], src, dst)
        with opened_files(path, columns) as engine:
            names = [engine.field(column, end) for end, column in zip(ENDS, columns, strict=True)]
            rows = engine.fetch(f", ends as (select {names[0]} as src, {names[1]} as dst from data) {query}")
    else:
        with connected(*files) as (connection, spots):
            try:
                connection.execute(_edge_list(files[0], spots))
                rows = connection.execute(f"with ends as (select * from data) {query}").fetchnumpy()
            except duckdb_error():
                raise _no_edge_list(files[0]) from None
    labels = rows["label"].tolist()
    if None in labels or not labels:
        raise _no_edge_list(files[0])
    return tuple(sorted(labels, key=lambda label: (not label.isdecimal(), len(label) * label.isdecimal(), label)))


def _is_table(file: Path, src: str | None, dst: str | None) -> bool:
    return src is not None or dst is not None or file.name.lower().endswith(TABLES)


def _columns(file: Path, src: str | None, dst: str | None) -> tuple[str, str]:
    for name, column in {"src": src, "dst": dst}.items():
        if not isinstance(column, str):
            raise ParameterError(f"{name} must name a column of {file.name[-60:]}; got {shown(column)}")
    if src == dst:
        raise ParameterError(f"src and dst must be two columns; got {shown(src)} twice")
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


def edge_query(
    nodes: Nodes, src_type: str, dst_type: str, absent: int = NOWHERE
) -> tuple[dict[str, dict[str, NDArray[Any]]], str]:
    """SQL: where the two ends of every edge in ``ends`` stand among the nodes; and the tables that it needs."""
    if nodes.numbered:
        ends = [
            f"{_number(end, kind in WHOLE_TYPES, absent)} as {end}"
            for end, kind in zip(ENDS, (src_type, dst_type), strict=True)
        ]
        return {}, f"select {', '.join(ends)} from ends"
    texts = _texts(nodes)
    places = np.array([*texts.values()], dtype=np.int64)
    query = f"""
        select {_labelled("src", "a", absent)} as src, {_labelled("dst", "b", absent)} as dst from ends
        left join labels a on cast(src as varchar) = a.text left join labels b on cast(dst as varchar) = b.text
    """
    return {"labels": {"text": np.array([*texts], dtype=object), "place": places}}, query


def _number(end: str, whole: bool, absent: int) -> str:
    """SQL: a number of at most 18 digits, perhaps with .0 behind it."""
    if whole:
        return f"coalesce(try_cast({end} as bigint), {absent})"
    text = f"trim(cast({end} as varchar))"
    digits = f"split_part({text}, '.', 1)"
    return (
        f"case when {end} is null then {absent} when regexp_full_match({text}, '[0-9]{{1,18}}(\\.0*)?') "
        f"then cast({digits} as bigint) else {NOWHERE} end"
    )


def _labelled(end: str, table: str, absent: int) -> str:
    return f"case when {end} is null then {absent} else coalesce({table}.place, {NOWHERE}) end"


def _texts(nodes: Nodes) -> dict[str, int]:
    """How each label is written in a file."""
    texts = {str(label): place for place, label in enumerate(nodes.labels)}
    if len(texts) < nodes.count:
        raise ParameterError(f"nodes must differ as text to be found in a file; got {shown(nodes.labels)}")
    return texts


def _integers(column: Integers) -> Integers:
    return np.asarray(column, dtype=np.int64)
