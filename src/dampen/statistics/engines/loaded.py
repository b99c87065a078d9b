"""Files read into arrays: for tables that fit in memory and are asked many times within one call."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dampen.errors import DataError
from dampen.statistics.engines.array_grid import count_places
from dampen.statistics.engines.array_sums import sum_of_reals, sum_of_wholes
from dampen.statistics.engines.arrays import ArrayEngine
from dampen.statistics.engines.base import MISSING, OTHER, Placed, Sums
from dampen.statistics.engines.duck_sql import printed, rounded_down, sort_of
from dampen.statistics.engines.duckdb import DuckEngine, opened_files
from dampen.statistics.engines.labels import is_blank, read_number, sql_keys
from dampen.statistics.files import TEXT
from dampen.statistics.grid import Grid
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, eq=False, repr=False)
class LoadedEngine(ArrayEngine):
    """Columns are read by DuckDB when they are asked for, then counted as arrays."""

    files: DuckEngine = None  # type: ignore[assignment]

    @property
    def place(self) -> str:  # type: ignore[override]
        """The name of the file."""
        return self.files.place

    def column(self, column: str | None) -> Any:
        """All values of a column."""
        name = self.files.field(column)
        return self.files.fetch(f"select {name} as value from data")["value"]

    def where(self, column: str, value: Any) -> "LoadedEngine":
        """Only the rows with this value are read."""
        return LoadedEngine(None, files=self.files.where(column, value))

    def row_count(self, column: str | None = None) -> int:
        """How many rows there are."""
        return self.files.row_count(column)

    def histogram(self, column: str | None, grid: Grid) -> Placed:
        """How many values stand at each place of a grid."""
        wholes, reals, missing, other = self._numbers(column)
        places, counts = count_places([wholes, reals], grid)
        faults = {place: count for place, count in ((OTHER, other), (MISSING, missing)) if count}
        return np.append([*faults], places).astype(np.int64), np.append([*faults.values()], counts).astype(np.int64)

    def sums(self, column: str | None, ends: tuple[Fraction, Fraction]) -> Sums:
        """The exact sum of a column."""
        wholes, reals, missing, other = self._numbers(column)
        return Sums(len(wholes) + len(reals), sum_of_wholes(wholes, ends) + sum_of_reals(reals, ends), missing, other)

    def group_counts(self, column: str | None, labels: Sequence[Any]) -> dict[int, int]:
        """How many values read as each label."""
        kind = self.files.kind(column)
        found = self.files.fetch(f"select {printed(self.files.field(column), kind)[0]} as value from data")["value"]
        texts, numbers = sql_keys(tuple(labels), sort_of(kind))
        counted: Counter[int] = Counter()
        for text, count in Counter(found.tolist()).items():
            counted[_place(text, texts, numbers, kind)] += count
        return dict(counted)

    def edges(self, src: str, dst: str, nodes: Any) -> tuple[Integers, Integers]:
        """Where the two ends of every edge stand among the nodes."""
        return self.files.edges(src, dst, nodes)

    def _numbers(self, column: str | None) -> tuple[Integers, Floats, int, int]:
        """Whole numbers of 64 bits, and floats, larger ones rounded down among them; how many are missing or none."""
        fits = f"whole between {-(2**63)} and {2**63 - 1}"
        near = f"case when {fits} then cast(whole as bigint) end"
        real = f"case when whole is null then real when not ({fits}) then {rounded_down()} end"
        fields = f"{near} as near, {real} as real, coalesce(status, 0) as status"
        rows = self.files.fetch(f"select {fields} from ({self.files.numbers(column)})")
        wholes, reals = np.ma.masked_array(rows["near"]), np.ma.masked_array(rows["real"])
        missing, other = (int(np.count_nonzero(rows["status"] == fault)) for fault in (MISSING, OTHER))
        return wholes.compressed().astype(np.int64), reals.compressed().astype(np.float64), missing, other


def _place(text: str | None, texts: dict[str, int], numbers: dict[float, int], kind: str) -> int:
    if text is None:
        return MISSING
    if text in texts:
        return texts[text]
    if is_blank(text):
        return MISSING
    number = read_number(text) if kind == TEXT else float(text) if numbers else None
    return OTHER if number is None else numbers.get(number, OTHER)


@contextmanager
def loaded_files(pattern: str | Path, columns: Sequence[str]) -> Iterator[LoadedEngine]:
    """CSV or Parquet files whose columns are read into memory."""
    with opened_files(pattern, columns) as files:
        try:
            yield LoadedEngine(None, files=files)
        except MemoryError:
            raise DataError(f"{files.place[-60:]} must fit in memory for engine='arrays'; try 'duckdb'") from None
