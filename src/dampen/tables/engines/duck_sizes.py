"""SQL for DuckDB: how large numbers are, by sign and by how many powers of 2 are below, in one grouped query."""

from abc import ABC, abstractmethod
from typing import Any

from dampen.tables.engines.base import Rows
from dampen.tables.engines.duck_people import among
from dampen.tables.engines.duck_sql import double
from dampen.tables.engines.unit_sizes import COLUMNS, POWERS, UnitSizes, as_sizes
from dampen.tables.unit_reading import FARTHEST, SMOOTH, Units


class SizesByQuery(ABC):
    """What DuckDB counts where no bounds are known."""

    @abstractmethod
    def numbers(self, column: str | None, beside: str = "", *, days: bool = False) -> str:
        """SQL: the numbers of a column."""

    @abstractmethod
    def fetch(self, query: str, **tables: Any) -> Rows:
        """What a query returns, column by column."""

    def unit_sizes(self, column: str | None, units: Units) -> UnitSizes:
        """Numbers in units by sign and size: a row for each leaves, sums as texts, for they have more than 64 bits."""
        found = self.fetch(_query(self.numbers(column), units))
        return as_sizes(*(found[name].tolist() for name in COLUMNS))


def _query(numbers: str, units: Units) -> str:
    """The steps of :class:`~dampen.tables.unit_reading.Units`, one select each."""
    inner = f"least(greatest(whole, '{-FARTHEST}'::bigint), '{FARTHEST}'::bigint)::bigint"
    whole = f"case when whole is not null then {inner} end"
    rows = f"select coalesce(status, 0) as status, {whole} as whole, {_clamp('real')} as real from ({numbers})"
    up, down = map(double, units.terms)
    number = "real" if units.unit == 1 else "coalesce(whole::double, real)"
    rows = f"select *, {_clamp(f'{number} * {up} / {down}')} as near from ({rows})"
    rounded = f"(case when abs(near) < {SMOOTH} then floor(near + {double(0.5)}) else near end)::bigint"
    read = f"coalesce(whole, {rounded})" if units.unit == 1 else rounded
    rows = f"select status, {read} - '{units.centre}'::bigint as read from ({rows})"
    rows = f"select status, sign(read)::bigint as side, abs(read) as size from ({rows})"
    # what is no number has neither side nor size
    told = f"coalesce(side, 0) as side, {among('coalesce(size, 0)', POWERS, 0)} as bucket"
    total = "cast(coalesce(sum(size), 0) as varchar)"
    return f"select status, {told}, count(*) as count, {total} as sum from ({rows}) group by 1, 2, 3"


def _clamp(number: str) -> str:
    """Null stays null, which least and greatest pass over."""
    far = double(FARTHEST)
    return f"case when {number} is not null then least(greatest({number}, -{far}), {far}) end"
