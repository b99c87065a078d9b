"""Several columns of files at once, row by row in the order of the files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dampen.statistics.engines.duckdb import opened_files


def read_columns(path: str | Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The named columns of CSV or Parquet files; the fields of a CSV file are text, nothing is guessed from rows."""
    with opened_files(path, names[:1]) as engine:
        wanted = ", ".join(f"{engine.field(name)} as f{place}" for place, name in enumerate(names))
        rows = engine.fetch(f"select {wanted} from data")
    return {name: rows[f"f{place}"] for place, name in enumerate(names)}
