"""Containers: the same records as a list, an array, a frame of any library, a file, a table elsewhere."""

import atexit
import csv
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from tests.audit.reading.check import Record
from tests.audit.reading.columns import (
    ARROW,
    CSV,
    DICTIONARIES,
    DUCK,
    JSON,
    NUMPY,
    PANDAS,
    POLARS,
    PYTHON,
    XLSX,
    Kind,
    as_text,
    objects,
)
from tests.audit.reading.oracle import sort

Columns = Mapping[str, tuple[Kind, list[Any]]]
"""Values by the name of their column, with its type."""
NUMBERS = count()
OBJECT = object()
"""Something that equals no label."""


@dataclass(frozen=True, eq=False)
class Held:
    """Records in a container. ``table`` is one object that holds all columns; without it the columns stand alone."""

    columns: Mapping[str, Any] = field(default_factory=dict)
    table: Any = None

    @property
    def bare(self) -> bool:
        """Whether there are only columns."""
        return self.table is None

    def named(self, name: str) -> tuple[Any, str | None]:
        """What a question about one column is asked of, and the name of the column."""
        return (self.columns[name], None) if self.bare else (self.table, name)


@dataclass(frozen=True, eq=False)
class Form:
    """A container: which types of columns it has, and how it is filled. ``family``: what it costs to do so.

    ``nonempty``: without a record it does not tell its columns.
    """

    name: str
    family: str
    kinds: tuple[Kind, ...]
    fill: Callable[[Columns], Held]
    nonempty: bool = False

    def hold(self, names: Sequence[str], kinds: Sequence[Kind], records: Sequence[Record]) -> Held:
        """The records in this container."""
        each = zip(names, kinds, strict=True)
        return self.fill({name: (kind, [row[spot] for row in records]) for spot, (name, kind) in enumerate(each)})

    def held(self, kind: Kind, value: Any) -> Any:
        """What a column holds of a value here. Objects that are neither text, number nor time equal a label in memory
        alone.
        """
        held = kind.held(value)
        strange = sort(held)[0] == "else" and not isinstance(held, datetime | np.datetime64)
        return OBJECT if strange and self.family in ("elsewhere", "spark") else held

    def __repr__(self) -> str:
        return self.name


@cache
def _folder() -> TemporaryDirectory[str]:
    folder = TemporaryDirectory(prefix="reading")
    atexit.register(folder.cleanup)
    return folder


def new_path(ending: str) -> Path:
    """A file of its own: some readers remember what they have read under a name."""
    return Path(_folder().name) / f"rows{next(NUMBERS)}.{ending}"


@cache
def _duckdb() -> Any:
    connection = duckdb.connect()
    connection.execute("set enable_progress_bar = false; set timezone = 'Asia/Tokyo'")
    return connection


@cache
def _ibis() -> Any:
    import ibis

    backend = ibis.duckdb.connect()
    backend.con.execute("set enable_progress_bar = false; set timezone = 'Asia/Tokyo'")
    return backend


def _made(columns: Columns) -> dict[str, Any]:
    return {name: kind.make(values) for name, (kind, values) in columns.items()}


def _pandas(columns: Columns) -> Held:
    made = {
        name: column if isinstance(column, pd.Series) else pd.Series(column) for name, column in _made(columns).items()
    }
    return Held(table=pd.DataFrame(made))


def _pandas_arrow(columns: Columns) -> Held:
    made = {
        name: pd.Series(pd.array(column, dtype=pd.ArrowDtype(column.type))) for name, column in _made(columns).items()
    }
    return Held(table=pd.DataFrame(made))


def _polars(columns: Columns) -> Held:
    return Held(table=pl.DataFrame(_made(columns)))


def arrow_table(columns: Columns) -> Any:
    """The columns as a table of Arrow; those of DuckDB's own types as text."""
    arrays = {
        name: pa.array([as_text(value) for value in values], type=pa.string()) if kind.sql else kind.make(values)
        for name, (kind, values) in columns.items()
    }
    return pa.table(arrays)


def write_csv(path: Path, columns: Columns) -> Path:
    """Every field in quotes, so that an empty one is a text."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(values for _, values in columns.values()), strict=True))
    return path


def _csv(columns: Columns) -> Held:
    return Held(table=write_csv(new_path("csv"), columns))


def _json_lines(columns: Columns) -> Held:
    """A record for each line; what is missing in a row of odd number is not even named."""
    path = new_path("jsonl")
    rows = zip(*(values for _, values in columns.values()), strict=True)
    records = [dict(zip(columns, row, strict=True)) for row in rows]
    for record in records[1::2]:
        for name in [name for name, value in record.items() if value is None]:
            del record[name]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return Held(table=path)


def _arrow_file(columns: Columns) -> Held:
    table, path = arrow_table(columns), new_path("arrow")
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return Held(table=path)


def _xlsx(columns: Columns) -> Held:
    """With one column more: a row without any cell is none."""
    book, path = Workbook(write_only=True), new_path("xlsx")
    sheet = book.create_sheet()
    sheet.append(["filled", *columns])
    for row in zip(*(values for _, values in columns.values()), strict=True):
        sheet.append([1, *(_text_cell(sheet, value) if isinstance(value, str) else value for value in row)])
    book.save(path)
    return Held(table=path)


def _text_cell(sheet: Any, text: str) -> Any:
    """A cell that holds a text, also one that looks like a formula."""
    cell = WriteOnlyCell(sheet, text)
    cell.data_type = "s"
    return cell


def _parquet(columns: Columns) -> Held:
    path = new_path("parquet")
    pq.write_table(arrow_table(columns), path)
    return Held(table=path)


def _loaded(fill: Callable[[Columns], Held]) -> Callable[[Columns], Held]:
    from dampen.tables.engines import Source

    return lambda columns: Held(table=Source(fill(columns).table, engine="arrays"))


def _fields(columns: Columns) -> str:
    typed = {name: kind.sql for name, (kind, _) in columns.items()}
    return ", ".join(f'cast("{name}" as {sql}) as "{name}"' if sql else f'"{name}"' for name, sql in typed.items())


def _relation(columns: Columns) -> Held:
    held, name = arrow_table(columns), f"t{next(NUMBERS)}"
    _duckdb().register("held", held)
    _duckdb().execute(f"create temp table {name} as select {_fields(columns)} from held")
    return Held(table=_duckdb().table(name))


def _ibis_table(columns: Columns) -> Held:
    held, name = arrow_table(columns), f"t{next(NUMBERS)}"
    _ibis().con.register("held", held)
    _ibis().con.execute(f"create table {name} as select {_fields(columns)} from held")
    return Held(table=_ibis().table(name))


def _spark_frame(columns: Columns) -> Held:
    from tests.contracts.engines import spark_session

    path = new_path("parquet")
    pq.write_table(arrow_table(columns), path)
    return Held(table=spark_session().read.parquet(str(path)))


def _spark_csv(columns: Columns) -> Held:
    from dampen.tables.engines import Source
    from tests.contracts.engines import spark_session

    spark_session()
    return Held(table=Source(_csv(columns).table, engine="spark"))


def _rows(columns: Columns) -> Held:
    """A list of rows, their classes beside them."""
    made = {name: values for name, (_, values) in columns.items()}
    classes = made.pop("y")
    return Held({"y": classes}, [list(row) for row in zip(*made.values(), strict=True)])


def _matrix(dtype: Any) -> Callable[[Columns], Held]:
    def fill(columns: Columns) -> Held:
        made = {name: values for name, (_, values) in columns.items()}
        classes = made.pop("y")
        table = np.empty((len(classes), len(made)), dtype=dtype)
        for spot, values in enumerate(made.values()):
            for place, value in enumerate(values):
                table[place, spot] = value
        return Held({"y": objects(classes)}, table)

    return fill


ANY_COLUMN = (*PYTHON, *NUMPY, *PANDAS, *ARROW, *DICTIONARIES, *POLARS)
FLOAT = next(kind for kind in NUMPY if kind.name == "array of float64")
IN_FILES = tuple(kind for kind in ARROW if kind.name != "arrow duration[us]")
"""A Parquet file holds the numbers of a duration, not what they are."""
SPARK_KINDS = tuple(kind for kind in IN_FILES if kind.name != "arrow timestamp[ns]")
"""Spark has no nanoseconds."""
FORMS: tuple[Form, ...] = (
    Form("columns", "memory", (*PYTHON, *NUMPY), lambda columns: Held(_made(columns))),
    Form("mapping", "memory", (*PYTHON, *NUMPY), lambda columns: Held(table=_made(columns))),
    Form("learn from rows", "memory", PYTHON[:1], _rows, nonempty=True),
    Form("learn from objects", "memory", PYTHON[:1], _matrix(object)),
    Form("learn from floats", "memory", (FLOAT,), _matrix(np.float64)),
    Form("series", "frames", (*PANDAS, *ARROW, *DICTIONARIES, *POLARS), lambda columns: Held(_made(columns))),
    Form("mapping of any", "frames", ANY_COLUMN, lambda columns: Held(table=_made(columns))),
    Form("pandas", "frames", PANDAS, _pandas),
    Form("pandas of arrow", "frames", (*ARROW, *DICTIONARIES), _pandas_arrow),
    Form("polars", "frames", POLARS, _polars),
    Form("lazy polars", "frames", POLARS, lambda columns: Held(table=_polars(columns).table.lazy())),
    Form("pyarrow", "frames", (*ARROW, *DICTIONARIES), lambda columns: Held(table=arrow_table(columns))),
    Form("csv", "elsewhere", (CSV,), _csv),
    Form("loaded csv", "elsewhere", (CSV,), _loaded(_csv)),
    Form("parquet", "elsewhere", (*IN_FILES, *DICTIONARIES), _parquet),
    Form("loaded parquet", "elsewhere", IN_FILES, _loaded(_parquet)),
    Form("json", "elsewhere", (JSON,), _json_lines),
    Form("loaded json", "elsewhere", (JSON,), _loaded(_json_lines)),
    Form("arrow file", "elsewhere", (*ARROW, *DICTIONARIES), _arrow_file),
    Form("loaded arrow file", "elsewhere", (*ARROW, *DICTIONARIES), _loaded(_arrow_file)),
    Form("xlsx", "elsewhere", (XLSX,), _xlsx),
    Form("relation", "elsewhere", (*ARROW, *DICTIONARIES, *DUCK), _relation),
    Form("ibis", "elsewhere", (*ARROW, *DICTIONARIES, *DUCK), _ibis_table),
    Form("spark", "spark", SPARK_KINDS, _spark_frame),
    Form("spark csv", "spark", (CSV,), _spark_csv),
)
"""Everything that is accepted as data."""


def forms_of(family: str) -> tuple[Form, ...]:
    """The containers of one family."""
    return tuple(form for form in FORMS if form.family == family)
