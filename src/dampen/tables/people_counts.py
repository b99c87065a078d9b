"""What the persons of a table bring, each with all rows: counted where the data lies. None of this is private.

What columns must hold is looked at in all rows first; then rows without a person, a cell or an amount are left out. See
:class:`~dampen.tables.engines.base.PersonAsk` for what is counted.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from dampen._validate import one_of, render
from dampen.errors import ParameterError
from dampen.tables.columns import as_missing
from dampen.tables.day_grid import DayGrid
from dampen.tables.engines import Engine, Reading, Source, open_engine
from dampen.tables.engines.base import Amount, CellColumn, PersonAsk, PersonShares, PlaceCounts
from dampen.tables.grid import Grid

COLUMN = "column "
OF_PERSONS = ("count", "sum", "mean", "min", "max")
"""What may be made of a person's rows: one whole number."""


def person_shares(data: Any, ask: PersonAsk, *, missing: str = "drop") -> PersonShares:
    """What persons bring to each cell, for each cap. Not private.

    ``missing``: rows without a person are left out, ``"drop"``, or refused, ``"refuse"``. Columns of which a source
    does not say what they must hold have no missing values, unless a cell takes them, and nothing else that is left
    out.

    >>> visits = {"patient": ["ann", "bob", "ann", "ann"], "ward": ["a", "a", "a", "b"]}
    >>> found = person_shares(visits, PersonAsk("patient", caps=(1, 2, 4)))
    >>> found.people, found.above, found.totals
    (2, (1, 1, 0), (2, 3, 4))
    >>> wards = (CellColumn("ward", ("a", "b", "c")),)
    >>> found = person_shares(visits, PersonAsk("patient", wards, caps=(1,), bits=2))
    >>> found.cells.tolist(), found.weights.tolist()
    ([[0], [1]], [[6], [2]])
    """
    columns: list[CellColumn | Amount] = [*ask.cells, *([] if ask.amount is None else [ask.amount])]
    readings = {each.column: _reading_of(each) for each in columns}
    with open_persons(data, (ask.person,), readings, missing) as engine:
        return engine.person_shares(ask)


def person_values(
    data: Any, person: str, amount: Amount | None = None, *, how: str, missing: str = "drop"
) -> PlaceCounts:
    """One whole number for each person, increasing, and how many persons have it. Not private.

    ``how``: the ``"count"`` of a person's rows; of their amounts the ``"sum"``, the ``"mean"`` rounded down, ``"min"``
    or ``"max"``. ``missing``: as for :func:`person_shares`.

    >>> values, people = person_values({"patient": ["ann", "bob", "ann"]}, "patient", how="count")
    >>> values.tolist(), people.tolist()
    ([1, 2], [1, 1])
    """
    one_of(OF_PERSONS, how=how)
    if amount is None and how != "count":
        raise ParameterError(f"how must be 'count' without amounts; got {how!r}")
    readings = {} if amount is None else {amount.column: _reading_of(amount)}
    with open_persons(data, (person,), readings, missing) as engine:
        return engine.person_values(person, amount, how)


def _reading_of(column: CellColumn | Amount) -> Reading:
    values = column.values if isinstance(column, CellColumn) else column.grid
    if isinstance(values, Grid):
        return Reading(days=isinstance(values, DayGrid))
    assert isinstance(column, CellColumn)
    return Reading(labels=values, missing=column.keeps_missing, other=column.rest is not None)


@contextmanager
def open_persons(data: Any, persons: Sequence[str], readings: Mapping[str, Reading], missing: str) -> Iterator[Engine]:
    """The engine, after all columns were looked at in all rows: none is counted in a scan that would see to that."""
    said = data.readings if isinstance(data, Source) else {}
    held = dict.fromkeys(persons, Reading(person=True, missing=as_missing(missing) == "drop"))
    try:
        with open_engine(Source(data, readings={**readings, **said, **held})) as engine:
            yield engine
    except ParameterError as error:
        raise _error_of_persons(error, persons) from None


def _error_of_persons(error: ParameterError, persons: Sequence[str]) -> ParameterError:
    """An error about a column, as one about the argument that named it: engines know columns alone."""
    said = str(error)
    if said.startswith(COLUMN) and any(f"got {render(name)}" in said for name in persons):
        return ParameterError(f"{'person' if len(persons) == 1 else 'each of persons'} {said.removeprefix(COLUMN)}")
    return error
