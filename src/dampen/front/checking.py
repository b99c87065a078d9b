"""Does the data keep to its description? For the curator alone: what is told here is not private."""

from collections.abc import Iterator
from fractions import Fraction

from dampen.describe.columns import Column, Date, Number, Text
from dampen.describe.conditions import Between
from dampen.describe.description import Description
from dampen.describe.reading import FileReading
from dampen.errors import ParameterError
from dampen.tables.columns import title_of
from dampen.tables.described import reading_of
from dampen.tables.engines import Engine, Reading, Source, open_engine


def check(found: Description) -> list[str]:
    """Which columns break which rule of their description, a sentence each; none where all is well.

    Sentences name a column and a rule. They hold no count, no value and no bound of the data.
    """
    if found.links is not None:
        raise ParameterError("check reads descriptions of one table; of several, ask each: bad data are refused unpaid")
    source = Source(found.locate_data(), engine=found.engine, reading=FileReading(**found.reading))
    asked = {name: column for name, column in found.columns.items() if not isinstance(column, Text)}
    whose = _persons_of(found)
    with open_engine(source, *asked, *whose) as engine:
        for name in (*found.columns, *whose):
            engine.require(name)
        faulty = engine.faulty({name: reading_of(column) for name, column in asked.items()})
        broken = [
            sentence
            for name, column in asked.items()
            for sentence in _faults(name, column, name in faulty.other, name in faulty.missing)
        ]
        broken += _without_person(engine, found)
        return [*broken, *(sentence for name, column in asked.items() for sentence in _clamped(engine, name, column))]


def _faults(name: str, column: Column, other: bool, missing: bool) -> Iterator[str]:
    reading, rules = reading_of(column), {"number": "numbers", "date": "days"}
    if other and not reading.other:
        yield f"{title_of(name)} must hold only {rules.get(column.kind, 'the declared values')}"
    if missing and not reading.missing:
        yield f'{title_of(name)} must have no missing values, or missing = "drop" in its description'


def _without_person(engine: Engine, found: Description) -> Iterator[str]:
    """Whether rows have no person, where each must have one."""
    if found.person_missing == "refuse":
        readings = {name: Reading(labels=(name,), missing=True, other=True) for name in _persons_of(found)}
        for name in sorted(engine.faulty(readings).missing):
            yield f'{title_of(name)} must have no missing values, or person_missing = "drop"'


def _persons_of(found: Description) -> tuple[str, ...]:
    """The columns that tell whose rows are."""
    return (found.person,) if found.person is not None else found.persons or ()


def _clamped(engine: Engine, name: str, column: Column) -> Iterator[str]:
    """Whether a column has values, and none of them between its bounds: these are probably in another unit then.

    No question tells this: under a filter of the asker's choice it would be an exact answer about one person.
    """
    if isinstance(column, Number | Date):
        days = isinstance(column, Date)
        low, high = map(Fraction, column.days) if isinstance(column, Date) else column.bounds
        inside, anywhere = Between(name, low, high, days), Between(name, None, None, days)
        if engine.part(anywhere).row_count() and not engine.part(inside).row_count():
            yield f"{title_of(name)} must have values between its bounds: all lie outside; is its unit another one?"
