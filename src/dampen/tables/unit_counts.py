"""Numbers without bounds, counted by sign and size. None of this is private."""

from typing import Any

from dampen.tables.columns import as_missing
from dampen.tables.counts import refuse_faults
from dampen.tables.engines import asked_column, open_engine
from dampen.tables.engines.base import location_note
from dampen.tables.engines.unit_sizes import UnitSizes
from dampen.tables.unit_reading import Units


def count_sizes(values: Any, units: Units, *, column: str | None = None, missing: str = "refuse") -> UnitSizes:
    """How many numbers have which sign and size, and what the sizes add up to: one scan.

    ``values``, ``column`` and ``missing`` are those of :func:`~dampen.tables.counts.count_on_grid`.

    >>> found = count_sizes([0, 1, -5, 700], Units(1))
    >>> found.above(1, [1, 4, 1024]), found.sums(1, [1, 4, 1024]), found.sums(-1, [4])
    ([1, 1, 0], [2, 5, 701], [4])
    """
    column, missing = asked_column(values, column, missing)
    mode = as_missing(missing)
    with open_engine(values, column) as engine:
        found = engine.unit_sizes(column, units)
        refuse_faults(values, found.other > 0, found.missing > 0, None, mode, column, location_note(engine))
    return found
