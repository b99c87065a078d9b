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
