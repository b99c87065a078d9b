"""Does the data keep to its description? For the curator alone: what is told here is not private."""

from dampen.describe.columns import Text
from dampen.describe.description import Description
from dampen.describe.reading import FileReading
from dampen.front.checking_links import check_links
from dampen.front.faults import clamped, faults, without_person
from dampen.tables.described import reading_of
from dampen.tables.engines import Source, open_engine


def check(found: Description) -> list[str]:
    """Which columns break which rule of their description, a sentence each; none where all is well.

    Sentences name a column and a rule. They hold no count, no value and no bound of the data.
    """
    if found.links is not None:
        return check_links(found)
    source = Source(found.locate_data(), engine=found.engine, reading=FileReading(**found.reading))
    asked = {name: column for name, column in found.columns.items() if not isinstance(column, Text)}
    whose = (found.person,) if found.person is not None else found.persons or ()
    with open_engine(source, *asked, *whose) as engine:
        for name in (*found.columns, *whose):
            engine.require(name)
        faulty = engine.faulty({name: reading_of(column) for name, column in asked.items()})
        broken = [
            sentence
            for name, column in asked.items()
            for sentence in faults(name, column, name in faulty.other, name in faulty.missing)
        ]
        if found.person_missing == "refuse":
            broken += without_person(engine, whose)
        return [*broken, *(sentence for name, column in asked.items() for sentence in clamped(engine, name, column))]

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
    if found.person is not None and found.person_missing == "refuse":
        anyone = Reading(labels=(found.person,), missing=True, other=True)
        if found.person in engine.faulty({found.person: anyone}).missing:
            yield f'{title_of(found.person)} must have no missing values, or person_missing = "drop"'


def _clamped(engine: Engine, name: str, column: Column) -> Iterator[str]:
    """Whether a column has values, and none of them between its bounds: these are probably in another unit then.

    No question tells this: under a filter of the asker's choice it would be an exact answer about one person.
    """
    if isinstance(column, Date) or (isinstance(column, Number) and column.bounded):
        days = isinstance(column, Date)
        low, high = map(Fraction, column.days) if isinstance(column, Date) else column.bounds
        inside, anywhere = Between(name, low, high, days), Between(name, None, None, days)
        if engine.part(anywhere).row_count() and not engine.part(inside).row_count():
            yield f"{title_of(name)} must have values between its bounds: all lie outside; is its unit another one?"
