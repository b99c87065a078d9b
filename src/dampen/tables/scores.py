"""Scores and labels from files."""

import re
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import DataError
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.base import RowForm
from dampen.tables.file_formats import PARQUET, FileFormat
from dampen.tables.files import (
    column_place,
    connect_files,
    csv_source,
    existing_file,
    header_of,
    quote,
    table_files,
)
from dampen.tables.reading import is_missing, is_truth, read_text_number

WHOLE = re.compile(r"[+-]?[0-9]{1,30}")


def read_labels(path: str | Path) -> tuple[str, ...]:
    """One label per line; blank lines are skipped."""
    file = existing_file(path)
    text = _text(file, f"{file.name[-60:]} must be a text file in UTF-8 with one label per line")
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line)


def read_scores(path: Any, *, label: str, score: str, real: bool = False) -> dict[str, int] | dict[str, float]:
    """Label -> score from two columns of a file, or of all files that a pattern names.

    Scores are whole numbers unless ``real`` declares that they need not be: the type is public, so it is declared
    rather than guessed from the data. A CSV file has double quotes and a header line, which alone tells whether fields
    end in a comma, semicolon, tab or bar.
    """
    source = path if isinstance(path, Source) else Source(path)
    reading = source.reading or PLAIN
    files, form = table_files(source.data, reading)
    rows: list[tuple[str | None, ...]]
    if source.engine == "spark":
        from dampen.tables.engines.spark import read_two_columns

        rows = [*read_two_columns(source.data, label, score, reading)]
    elif form == PARQUET:
        rows = [row for file in files for row in _parquet_rows(file, label, score)]
    elif form.has_lines:
        rows = [row for file in files for row in _csv_rows(file, label, score, form, reading)]
    else:
        rows = _engine_rows(source, label, score)
    pairs = [(name, text) for name, text in rows if name and text]
    if len(pairs) < len(rows):
        raise DataError(f"columns {label!r} and {score!r} must have no missing values")
    if len({name for name, _ in pairs}) < len(pairs):
        raise DataError(f"column {label!r} must name each label once")
    return _reals(pairs, score) if real else _wholes(pairs, score)


def _csv_rows(
    file: Path, label: str, score: str, form: FileFormat, reading: FileReading
) -> list[tuple[str | None, ...]]:
    """By the same strict scan as every other question: malformed lines are refused."""
    header, mark = header_of(file, label, score, reading=reading)
    places = [column_place(header, file, label=label), column_place(header, file, score=score)]
    with connect_files(file, reading=replace(reading, delimiter=mark)) as (connection, names):
        fields = ", ".join(f"c{place}" for place in places)
        source = csv_source(names, len(header), mark, reading, form.packing)
        return connection.sql(f"select {fields} from {source}").fetchall()


def _parquet_rows(file: Path, label: str, score: str) -> list[tuple[str | None, ...]]:
    with connect_files(file) as (connection, [name]):
        table = connection.read_parquet(name)
        columns = list(table.columns)
        places = [column_place(columns, file, label=label), column_place(columns, file, score=score)]
        return table.project(", ".join(f"cast({quote(columns[place])} as varchar)" for place in places)).fetchall()


def _engine_rows(source: Source, label: str, score: str) -> list[tuple[str | None, ...]]:
    """As texts, from files whose values have types of their own."""
    with open_engine(source, label, score) as engine:
        engine.require(label)
        engine.require(score)
        found = engine.rows({label: RowForm.AS_IT_IS, score: RowForm.AS_IT_IS})
    return [tuple(map(_print, row)) for row in zip(found[label].tolist(), found[score].tolist(), strict=True)]


def _print(value: Any) -> str | None:
    if is_missing(value):
        return None
    if is_truth(value):
        return str(value).lower()
    if not isinstance(value, str | int | float | Decimal | date):
        raise DataError("columns of labels and scores must hold texts, numbers or dates")
    return str(value)


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
