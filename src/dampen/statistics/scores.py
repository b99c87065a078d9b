"""Scores and labels from files."""

from pathlib import Path

from dampen.errors import DataError, ParameterError


def read_labels(path: str | Path) -> tuple[str, ...]:
    """One label per line; blank lines are skipped."""
    lines = (line.strip() for line in _existing(path).read_text(encoding="utf-8").splitlines())
    return tuple(line for line in lines if line)


def read_scores(path: str | Path, *, label: str, score: str, real: bool = False) -> dict[str, int] | dict[str, float]:
    """Label -> score from two columns of a CSV or Parquet file.

    Scores are whole numbers unless ``real`` declares that they need not be: the type is public, so it is declared
    rather than guessed from the data.
    """
    import duckdb

    source = "read_parquet" if str(path).endswith(".parquet") else "read_csv"
    options = "" if source == "read_parquet" else ", header=true, all_varchar=true"
    with duckdb.connect() as connection:
        try:
            table = connection.execute(f"select * from {source}(?{options}) limit 0", [str(_existing(path))])
        except duckdb.Error:
            raise DataError(f"{Path(path).name} must be a CSV file with a header line, or a Parquet file") from None
        columns = [column[0] for column in table.description or ()]
        for name, value in (("label", label), ("score", score)):
            if value not in columns:
                raise ParameterError(f"{name} must be a column of {Path(path).name}; got {value!r}")
        quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (label, score)]
        query = f"select cast({quoted[0]} as varchar), cast({quoted[1]} as varchar) from {source}(?{options})"
        rows = connection.execute(query, [str(path)]).fetchall()
    if any(name is None or text is None for name, text in rows):
        raise DataError(f"columns {label!r} and {score!r} must have no missing values")
    if len({name for name, _ in rows}) < len(rows):
        raise DataError(f"column {label!r} must name each label once")
    return _reals(rows, score) if real else _wholes(rows, score)


def _wholes(rows: list[tuple[str, str]], score: str) -> dict[str, int]:
    try:
        return {name: int(text) for name, text in rows}
    except ValueError:
        raise DataError(f"column {score!r} must hold whole numbers; declare other numbers with real (--real)") from None


def _reals(rows: list[tuple[str, str]], score: str) -> dict[str, float]:
    try:
        return {name: float(text) for name, text in rows}
    except ValueError:
        raise DataError(f"column {score!r} must hold numbers") from None


def _existing(path: str | Path) -> Path:
    file = Path(path)
    if not file.is_file():
        raise ParameterError(f"file must exist; got {str(path)[-200:]!r}")
    return file
