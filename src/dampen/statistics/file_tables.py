"""Several columns of a file at once, row by row in the order of the file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dampen.statistics.files import connected, csv_source, existing, header_of, is_parquet, literal, place_of, quoted


def read_columns(path: str | Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """The named columns of a CSV or Parquet file; the fields of a CSV file are text, nothing is guessed from rows."""
    file = existing(path)
    if is_parquet(file):
        with connected(file) as (connection, [name]):
            table = connection.read_parquet(name)
            for column in names:
                place_of(list(table.columns), file, column=column)
            wanted = ", ".join(map(quoted, names))
            return connection.execute(f"select {wanted} from read_parquet({literal(name)})").fetchnumpy()
    header, delimiter = header_of(file, names[0])
    places = [place_of(header, file, column=column) for column in names]
    with connected(file) as (connection, [name]):
        wanted = ", ".join(f"c{place} as {quoted(column)}" for place, column in zip(places, names, strict=True))
        return connection.execute(f"select {wanted} from {csv_source([name], len(header), delimiter)}").fetchnumpy()
