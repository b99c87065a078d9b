"""Sensitivity functions written out row by row."""

from typing import Any

import numpy as np

from dampen._validate import Number, positive, whole
from dampen.errors import DataError
from dampen.sensitivity.base import SensitivityFunction
from dampen.vectors import Floats


class RungTable(SensitivityFunction):
    """Rows for t = 0, 1, ..., one entry per candidate, then the bound.

    The number of rows is public and must be the same for all data sets: pad by repeating a row.
    """

    def __init__(self, rows: Any, *, bound: Number, floor: Number | None = None) -> None:
        try:
            given = np.asarray(rows)
            table = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            given, table = np.array(""), np.empty(0)
        if given.dtype.kind not in "biufO":
            raise DataError("rows must be numbers, one per candidate and equally many in every row")
        if table.ndim != 2 or table.size == 0:
            raise DataError("rows must hold at least one row of one number per candidate")
        super().__init__(size=table.shape[1], bound=bound, floor=floor, horizon=table.shape[0])
        self._height = positive(bound=bound)
        self._rows = self._check_rows(table)

    def _check_rows(self, table: Floats) -> Floats:
        if not np.isfinite(table).all() or table.min() < 0:
            raise DataError("rows must be finite and not negative")
        if (np.diff(table, axis=0) < 0).any():
            raise DataError("rows must not decrease from one t to the next")
        if table.max() > float(self._height):
            raise DataError("rows must not exceed the bound")
        table.flags.writeable = False
        return table

    @property
    def saturation(self) -> int:
        """The number of rows."""
        return len(self._rows)

    def at(self, t: int) -> Floats:
        """Row t, or the bound beyond the last row."""
        if whole(t=t, least=0) < len(self._rows):
            return np.asarray(self._rows[t])
        return np.full(self.size, float(self._height))

    def ladder(self, count: int) -> Floats:
        """The first rows, then the bound."""
        beyond = max(0, whole(count=count, least=0) - len(self._rows))
        return np.concatenate([self._rows[:count], np.full((beyond, self.size), float(self._height))])

    def cumulative(self, t: int) -> Floats:
        """The rows before t added up, plus the bound for every step beyond them."""
        beyond = max(0, whole(t=t, least=0) - len(self._rows))
        added = np.ascontiguousarray(self._rows[:t].T).sum(axis=1)
        return np.asarray(added + float(self._height * beyond))

    def __repr__(self) -> str:
        return f"RungTable({self.horizon} rows, size={self.size}, bound={float(self._height)!r})"
