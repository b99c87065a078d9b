"""What is wrong with a column, in sentences for the curator: a column and a rule, no count, no value, no bound."""

from collections.abc import Iterable, Iterator
from fractions import Fraction

from dampen.describe.columns import Column, Date, Number
from dampen.describe.conditions import Between
from dampen.tables.columns import title_of
from dampen.tables.described import reading_of
from dampen.tables.engines import Engine, Reading


def faults(name: str, column: Column, other: bool, missing: bool) -> Iterator[str]:
    """Which rules a column breaks that has values which are no value of it, or missing ones."""
    reading, rules = reading_of(column), {"number": "numbers", "date": "days"}
    if other and not reading.other:
        yield f"{title_of(name)} must hold only {rules.get(column.kind, 'the declared values')}"
    if missing and not reading.missing:
        yield f'{title_of(name)} must have no missing values, or missing = "drop" in its description'


def without_person(engine: Engine, persons: Iterable[str]) -> Iterator[str]:
    """Whether rows have no person, where each must have one."""
    readings = {name: Reading(labels=(name,), missing=True, other=True) for name in persons}
    for name in sorted(engine.faulty(readings).missing):
        yield f'{title_of(name)} must have no missing values, or person_missing = "drop"'


def clamped(engine: Engine, name: str, column: Column) -> Iterator[str]:
    """Whether a column has values, and none of them between its bounds: these are probably in another unit then.

    No question tells this: under a filter of the asker's choice it would be an exact answer about one person.
    """
    if isinstance(column, Date) or (isinstance(column, Number) and column.bounded):
        days = isinstance(column, Date)
        low, high = map(Fraction, column.days) if isinstance(column, Date) else column.bounds
        inside, anywhere = Between(name, low, high, days), Between(name, None, None, days)
        if engine.part(anywhere).row_count() and not engine.part(inside).row_count():
            yield f"{title_of(name)} must have values between its bounds: all lie outside; is its unit another one?"
