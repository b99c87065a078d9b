"""Scores and labels from files."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from dampen.errors import DataError, ParameterError

DELIMITERS = ",;\t|"
WHOLE = re.compile(r"[+-]?[0-9]{1,30}")


def read_labels(path: str | Path) -> tuple[str, ...]:
    """One label per line; blank lines are skipped."""
    file = _existing(path)
    text = _text(file, f"{file.name[-60:]} must be a text file in UTF-8 with one label per line")
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line)


def read_scores(path: str | Path, *, label: str, score: str, real: bool = False) -> dict[str, int] | dict[str, float]:
    """Label -> score from two columns of a CSV or Parquet file.

    Scores are whole numbers unless ``real`` declares that they need not be: the type is public, so it is declared
    rather than guessed from the data. A CSV file has double quotes and a header line, which alone tells whether fields
    end in a comma, semicolon, tab or bar.
    """
    file = _existing(path)
    read = _parquet_rows if file.suffix.lower() == ".parquet" else _csv_rows
    rows = list(read(file, label, score))
    if any(not name or not text for name, text in rows):
        raise DataError(f"columns {label!r} and {score!r} must have no missing values")
    if len({name for name, _ in rows}) < len(rows):
        raise DataError(f"column {label!r} must name each label once")
    return _reals(rows, score) if real else _wholes(rows, score)


def _csv_rows(file: Path, label: str, score: str) -> Iterator[tuple[str, str]]:
    text = _text(file, f"{file.name[-60:]} must be a CSV file in UTF-8 with a header line, or a Parquet file")
    try:
        lines, header = _opened(text.splitlines(keepends=True), {label, score})
        places = [_place(header, file, label=label), _place(header, file, score=score)]
        for row in lines:
            if row:
                if len(row) != len(header):
                    raise DataError(f"{file.name} must have as many fields in every line as in its header")
                yield row[places[0]], row[places[1]]
    except csv.Error:
        raise DataError(f"{file.name} must be a CSV file with a header line, or a Parquet file") from None


def _opened(lines: list[str], wanted: set[str]) -> tuple[Iterator[list[str]], list[str]]:
    """The rows after the header, and the header, by the first delimiter under which it holds the wanted columns."""
    for delimiter in (*DELIMITERS, ","):
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        header = next(rows, [])
        if wanted <= set(header):
            break
    return rows, header


def _parquet_rows(file: Path, label: str, score: str) -> list[tuple[str, str]]:
    import duckdb

    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        plain_name = Path(folder) / "scores.parquet"
        plain_name.symlink_to(file.resolve())
        try:
            table = connection.read_parquet(str(plain_name))
            columns = list(table.columns)
            places = [_place(columns, file, label=label), _place(columns, file, score=score)]
            quoted = ['"' + columns[place].replace('"', '""') + '"' for place in places]
            return table.project(", ".join(f"cast({name} as varchar)" for name in quoted)).fetchall()
        except duckdb.Error:
            raise DataError(f"{file.name} must be a CSV file with a header line, or a Parquet file") from None


def _place(columns: list[str], file: Path, **named: str) -> int:
    [(argument, column)] = named.items()
    if columns.count(column) != 1:
        raise ParameterError(f"{argument} must be a column of {file.name[-60:]}; got {column[:60]!r}")
    return columns.index(column)


def _wholes(rows: list[tuple[str, str]], score: str) -> dict[str, int]:
    if not all(WHOLE.fullmatch(text.strip()) for _, text in rows):
        raise DataError(f"column {score!r} must hold whole numbers; declare other numbers with real (--real)")
    return {name: int(text) for name, text in rows}


def _reals(rows: list[tuple[str, str]], score: str) -> dict[str, float]:
    try:
        return {name: float(text.replace("_", "x")) for name, text in rows}
    except ValueError:
        raise DataError(f"column {score!r} must hold numbers") from None


def _text(file: Path, rule: str) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError):
        raise DataError(rule) from None


def _existing(path: str | Path) -> Path:
    file = Path(path)
    if not file.is_file():
        raise ParameterError(f"file must exist; got {str(path)[-200:]!r}")
    return file
