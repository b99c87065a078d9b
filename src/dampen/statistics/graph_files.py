"""Edges in files: two columns of a table, or a plain edge list. No label leaves the database, only places of nodes."""

from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from dampen._validate import shown
from dampen.errors import DataError, ParameterError
from dampen.statistics.files import connected, csv_source, existing, header_of, is_parquet, literal, place_of, quoted
from dampen.statistics.graph_input import NOWHERE, Nodes, Pairs
from dampen.vectors import Integers

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TABLES = (".csv", ".tsv", ".parquet")
WHOLE_TYPES = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
MALFORMED = -2
"""In place of a node: the line is not one of an edge list."""


def from_file(path: str | Path, nodes: Nodes, src: str | None, dst: str | None) -> Pairs:
    """The edges of a file: of two named columns, or else of a plain edge list."""
    import duckdb

    file = existing(path)
    if not _is_table(file, src, dst):
        with connected(file) as (connection, name):
            try:
                connection.execute(_edge_list(file, name))
                found = _places(connection, nodes, False, False, absent=MALFORMED)
            except duckdb.Error:
                raise _no_edge_list(file) from None
        if any((places == MALFORMED).any() for places in found):
            raise _no_edge_list(file)
        return nodes.checked(found[0], "the first field of each line"), nodes.checked(found[1], "the second field")
    columns = _columns(file, src, dst)
    with connected(file) as (connection, name):
        view, whole = _table(connection, file, name, *columns)
        connection.execute(view)
        found = _places(connection, nodes, *whole)
    titles = [f"column {column[:60]!r}" for column in columns]
    return nodes.checked(found[0], titles[0]), nodes.checked(found[1], titles[1])


def labels_of_edges(path: str | Path, src: str | None = None, dst: str | None = None) -> tuple[str, ...]:
    """Every label that occurs in the edges of a file, as text, sorted. Not private: it tells who has an edge."""
    import duckdb

    file = existing(path)
    with connected(file) as (connection, name):
        try:
            table = _is_table(file, src, dst)
            view = _table(connection, file, name, *_columns(file, src, dst))[0] if table else _edge_list(file, name)
            connection.execute(view)
            query = "select cast(src as varchar) from data union select cast(dst as varchar) from data"
            labels = [label for [label] in connection.execute(query).fetchall()]
        except duckdb.Error:
            raise _no_edge_list(file) from None
    if None in labels or not labels:
        raise _no_edge_list(file)
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


def _table(
    connection: "DuckDBPyConnection", file: Path, name: str, src: str, dst: str
) -> tuple[str, tuple[bool, bool]]:
    """SQL: two columns of a table as the view ``data (src, dst)``; and which of them hold whole numbers by type."""
    parquet = is_parquet(file)
    if parquet:
        table = connection.read_parquet(name)
        header, source = list(table.columns), f"read_parquet({literal(name)})"
    else:
        header, delimiter = header_of(file, src)
        source = csv_source(name, len(header), delimiter)
    places = place_of(header, file, src=src), place_of(header, file, dst=dst)
    ends = [quoted(header[place]) if parquet else f"c{place}" for place in places]
    first, second = (parquet and str(table.types[place]) in WHOLE_TYPES for place in places)
    return f"create temp view data as select {ends[0]} as src, {ends[1]} as dst from {source}", (first, second)


def _edge_list(file: Path, name: str) -> str:
    """SQL: a plain edge list as the view ``data (src, dst)``.

    Two fields per line between blanks; lines that start with # (SNAP) or % (KONECT) are comments.
    """
    compression = "gzip" if file.suffix.lower() == ".gz" else "none"
    return f"""
        create temp view data as
        select nullif(ends.src, '') as src, nullif(ends.dst, '') as dst from (
            select regexp_extract(line, '^\\s*(\\S+)\\s+(\\S+)\\s*$', ['src', 'dst']) as ends
            from read_csv({literal(name)}, auto_detect=false, header=false, columns={{'line': 'VARCHAR'}},
                          delim='\x01', quote='', escape='', compression='{compression}', strict_mode=false)
            where regexp_matches(line, '^\\s*[^\\s#%]')
        )
        """


def _no_edge_list(file: Path) -> DataError:
    return DataError(
        f"{file.name[-60:]} must be an edge list, two nodes per line, blanks between; for a table give src= and dst="
    )


def _places(
    connection: "DuckDBPyConnection", nodes: Nodes, src_whole: bool, dst_whole: bool, absent: int = NOWHERE
) -> Pairs:
    """Where the two ends of every edge stand among the nodes."""
    if nodes.numbered:
        query = (
            f"select {_number('src', src_whole, absent)} as src, {_number('dst', dst_whole, absent)} as dst from data"
        )
    else:
        texts = _texts(nodes)
        connection.register(
            "labels", {"text": np.array([*texts], dtype=object), "place": np.array([*texts.values()], dtype=np.int64)}
        )
        query = f"""
            select {_labelled("src", "a", absent)} as src, {_labelled("dst", "b", absent)} as dst from data
            left join labels a on cast(src as varchar) = a.text left join labels b on cast(dst as varchar) = b.text
        """
    rows = connection.execute(query).fetchnumpy()
    return _integers(rows["src"]), _integers(rows["dst"])


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
