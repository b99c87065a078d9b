"""How many people each group has whose name nobody listed: counted where the data lies. None of this is private."""

from typing import Any

from dampen.tables.columns import as_missing
from dampen.tables.engines import Reading, Source, open_engine
from dampen.tables.engines.names import NamedPeople, NamesAsk


def named_people(data: Any, ask: NamesAsk, *, missing: str = "drop") -> NamedPeople:
    """How many people each name of a column has; without persons, how many rows. Not private.

    ``missing``: rows without a person are left out, ``"drop"``, or refused, ``"refuse"``. Rows without a name are in no
    group. What the columns must hold is looked at in all rows first.

    >>> visits = {"patient": ["ann", "bob", "ann", "ann"], "ill": ["flu", "flu", "flu", "gout"]}
    >>> found = named_people(visits, NamesAsk("ill", "patient", most=2))
    >>> sorted(zip(found.names, found.people.tolist()))
    [('flu', 2), ('gout', 1)]
    """
    said = data.readings if isinstance(data, Source) else {}
    readings = {ask.column: Reading(name=True, missing=True), **said}
    if ask.person is not None:
        readings[ask.person] = Reading(person=True, missing=as_missing(missing) == "drop")
    with open_engine(Source(data, readings=readings)) as engine:
        return engine.named_people(ask)
