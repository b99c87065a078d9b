"""Scores and labels from files."""

import re
from pathlib import Path
from typing import Any

from dampen.errors import DataError
from dampen.tables.engines import Source
from dampen.tables.files import (
    column_place,
    connect_files,
    csv_source,
    existing_file,
    existing_files,
    header_of,
    is_parquet,
    quote,
)
from dampen.tables.reading import read_text_number

WHOLE = re.compile(r"[+-]?[0-9]{1,30}")


def read_labels(path: str | Path) -> tuple[str, ...]:
    """One label per line; blank lines are skipped."""
    file = existing_file(path)
    text = _text(file, f"{file.name[-60:]} must be a text file in UTF-8 with one label per line")
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line)


def read_scores(path: Any, *, label: str, score: str, real: bool = False) -> dict[str, int] | dict[str, float]:
    """Label -> score from two columns of a CSV or Parquet file, or of all files that a pattern names.

    Scores are whole numbers unless ``real`` declares that they need not be: the type is public, so it is declared
    rather than guessed from the data. A CSV file has double quotes and a header line, which alone tells whether fields
    end in a comma, semicolon, tab or bar.
    """
    source = path if isinstance(path, Source) else Source(path)
    files = existing_files(source.data)
    read = _parquet_rows if is_parquet(files[0]) else _csv_rows
    if source.engine == "spark":
        from dampen.tables.engines.spark import read_two_columns

        rows = read_two_columns(source.data, label, score)
    else:
        rows = [row for file in files for row in read(file, label, score)]
    if any(not name or not text for name, text in rows):
        raise DataError(f"columns {label!r} and {score!r} must have no missing values")
    if len({name for name, _ in rows}) < len(rows):
        raise DataError(f"column {label!r} must name each label once")
    return _reals(rows, score) if real else _wholes(rows, score)


def _csv_rows(file: Path, label: str, score: str) -> list[tuple[str, str]]:
    """By the same strict scan as every other question: malformed lines are refused."""
    header, mark = header_of(file, label, score)
    places = [column_place(header, file, label=label), column_place(header, file, score=score)]
    with connect_files(file) as (connection, names):
        fields = ", ".join(f"c{place}" for place in places)
        return connection.sql(f"select {fields} from {csv_source(names, len(header), mark)}").fetchall()


def _parquet_rows(file: Path, label: str, score: str) -> list[tuple[str, str]]:
    with connect_files(file) as (connection, [name]):
        table = connection.read_parquet(name)
        columns = list(table.columns)
        places = [column_place(columns, file, label=label), column_place(columns, file, score=score)]
        return table.project(", ".join(f"cast({quote(columns[place])} as varchar)" for place in places)).fetchall()


def _wholes(rows: list[tuple[str, str]], score: str) -> dict[str, int]:
    if not all(WHOLE.fullmatch(text.strip()) for _, text in rows):
        raise DataError(f"column {score!r} must hold whole numbers; declare other numbers with real (--real)")
    return {name: int(text) for name, text in rows}


def _reals(rows: list[tuple[str, str]], score: str) -> dict[str, float]:
    numbers = [read_text_number(text) for _, text in rows]
    if any(number is None for number in numbers):
        raise DataError(f"column {score!r} must hold numbers")
    return {name: float(number) for (name, _), number in zip(rows, numbers, strict=True) if number is not None}


def _text(file: Path, rule: str) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError):
        raise DataError(rule) from None
