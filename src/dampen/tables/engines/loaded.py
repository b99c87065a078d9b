"""Files read into arrays: for tables that fit in memory and are asked many times within one call."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dampen.errors import DataError
from dampen.tables.columns import Column
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.engines.duckdb import DuckEngine, opened_files
from dampen.vectors import Integers


@dataclass(frozen=True, eq=False, repr=False)
class LoadedEngine(ArrayEngine):
    """Columns are read by DuckDB when they are asked for, then counted as arrays."""

    files: DuckEngine = None  # type: ignore[assignment]

    @property
    def place(self) -> str:  # type: ignore[override]
        """The name of the file."""
        return self.files.place

    def column(self, column: str | None) -> Column:
        """All values of a column; not kept, since its places are."""
        return self.files.column(column)

    def require(self, column: str) -> None:
        """Refuse a column that is not there."""
        self.files.require(column)

    def part(self, column: str, labels: Sequence[Any], place: int) -> "LoadedEngine":
        """Only the rows whose value stands for a label are read."""
        return LoadedEngine(None, files=self.files.part(column, labels, place))

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        return self.files.row_count(column)

    def edges(self, src: str, dst: str, nodes: Any) -> tuple[Integers, Integers]:
        """Where the two ends of every edge stand among the nodes."""
        return self.files.edges(src, dst, nodes)


@contextmanager
def loaded_files(pattern: str | Path, columns: Sequence[str]) -> Iterator[LoadedEngine]:
    """CSV or Parquet files whose columns are read into memory."""
    with opened_files(pattern, columns) as files:
        try:
            yield LoadedEngine(None, files=files)
        except MemoryError:
            raise DataError(f"{files.place[-60:]} must fit in memory for engine='arrays'; try 'duckdb'") from None
