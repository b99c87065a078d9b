"""Where the tables of a database lie: in a DuckDB file, in a folder of files, or in a mapping by name."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dampen._validate import render
from dampen.describe.nearest import unknown
from dampen.errors import EngineError, ParameterError
from dampen.tables.engines.joined import StoredTable
from dampen.tables.file_formats import known_format

RULE = "data must be a DuckDB file, a folder with a file for each table, or tables by name"


def find_tables(data: Any, names: Iterable[str]) -> dict[str, Any]:
    """The data of each table. A DuckDB file is opened, to be read only; nothing else is touched."""
    if isinstance(data, str | Path):
        return _tables_at(Path(data), [*names])
    try:
        held = dict(data.items()) if isinstance(data, Mapping) else None
    except Exception:  # a mapping of the caller's own may raise anything
        held = None
    if held is None:
        raise ParameterError(f"{RULE}; got {render(data)}")
    for name in names:
        if name not in held:
            raise ParameterError(f"data must hold every declared table, and lacks {render(name)}")
    return {name: held[name] for name in names}


def _tables_at(place: Path, names: list[str]) -> dict[str, Any]:
    try:
        folder, file = place.is_dir(), place.is_file()
    except (OSError, ValueError):
        folder = file = False
    if folder:
        return {name: _file_of(place, name) for name in names}
    if not file:
        raise ParameterError(f"{RULE}; there is no {render(str(place), longest=150)}")
    connection = _connect(place)
    listed = "select table_name from information_schema.tables where table_schema = 'main'"
    known = [name for (name,) in connection.execute(listed).fetchall()]
    for name in names:
        if known.count(name) != 1:
            connection.close()
            raise ParameterError(f"data must hold every declared table once, not {unknown(name, known, 'There are')}")
    return {name: StoredTable(connection, name) for name in names}


def _file_of(folder: Path, table: str) -> Path | str:
    """The one file of a table, or all files of the folder with its name."""
    inner = folder / table
    if inner.is_dir():
        endings = {"".join(file.suffixes) for file in inner.iterdir() if known_format(file) is not None}
        if len(endings) == 1:
            return str(inner / f"*{endings.pop()}")
    found = [file for file in folder.iterdir() if file.name.partition(".")[0] == table and known_format(file)]
    if len(found) != 1 or inner.is_dir():
        rule = f"data must be a folder with one file for each table, or a folder of files of one kind; for {table!r}"
        raise ParameterError(f"{rule} there is {'none' if not found else 'more than one'}")
    return found[0]


def _connect(place: Path) -> Any:
    import duckdb

    shown = render(place.name, longest=60)
    try:
        return duckdb.connect(str(place), read_only=True)
    except duckdb.ConnectionException:
        rule = "this program has it open already, and may change it; hand over the relations of that connection"
        raise EngineError(f"duckdb could not open {shown} to read it: {rule}") from None
    except duckdb.Error as error:
        if "lock" in str(error):
            raise EngineError(f"duckdb could not open {shown} to read it: another program has it open") from None
        raise ParameterError(f"{RULE}; {shown} is no DuckDB file") from None
