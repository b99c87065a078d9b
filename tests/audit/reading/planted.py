"""Old faults, planted again in counting functions of a few lines each: the gate must find every one of them.

Each reads a whole column at once where the rule reads value by value. They stand here, not in patches of dampen, so
that they outlive its insides.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from dampen.errors import DataError
from tests.audit.reading.check import Answer, Question, Record
from tests.audit.reading.columns import objects
from tests.audit.reading.entries import Entry, Public, counts
from tests.audit.reading.forms import Form, Held
from tests.audit.reading.oracle import MISSING, OTHER

Count = Callable[[Public, list[Any]], list[int]]
"""The places of the values of a column."""


def sound(public: Public, values: list[Any]) -> list[int]:
    """No fault: every value by itself."""
    return [public.rule.place(value) for value in values]


def counter_over_values(public: Public, values: list[Any]) -> list[int]:
    """Equal values are one key, and the first of them is read for all: 1, 1.0 and True."""
    try:
        met = Counter(values)
    except TypeError:
        return sound(public, values)
    return [place for value, count in met.items() for place in [public.rule.place(value)] * count]


def array_of_a_list(public: Public, values: list[Any]) -> list[int]:
    """NumPy makes one type of all numbers and texts: one text makes every number a text."""
    plain = [place for place, value in enumerate(values) if type(value) in (bool, int, float, str)]
    read = objects(values)
    read[plain] = objects(np.asarray([values[place] for place in plain]).tolist())
    return sound(public, list(read))


def floats_of_a_nullable_column(public: Public, values: list[Any]) -> list[int]:
    """One missing value makes every whole number a float."""
    wide = None in values
    return sound(public, [float(value) if wide and type(value) is int else value for value in values])


def set_of_the_wanted(public: Public, values: list[Any]) -> list[int]:
    """What a label stands for is collected first, and then looked up by equality: True is among {1}."""
    try:
        wanted = {value: public.rule.place(value) for value in values}
    except TypeError:
        return sound(public, values)
    return [wanted.get(value, OTHER) for value in values]


def nulls_of_a_dictionary(public: Public, values: list[Any]) -> list[int]:
    """The code of a null is -1, and the last category stands there."""
    if not all(value is None or isinstance(value, str) for value in values):
        return sound(public, values)
    column = pa.array(values, type=pa.string()).dictionary_encode()
    known = objects(column.dictionary.to_pylist())
    codes = [-1 if code is None else code for code in column.indices.to_pylist()]
    return [public.rule.place(value) for value in known[codes]] if len(known) else [MISSING] * len(codes)


def refusal_by_type(public: Public, values: list[Any]) -> list[int]:
    """A column of truth values is refused, even where it is empty."""
    if np.array(values, dtype=object).ndim == 1 and {*map(type, values)} <= {bool}:
        raise DataError("values must hold labels")
    return sound(public, values)


FAULTS: tuple[Count, ...] = (
    counter_over_values,
    array_of_a_list,
    floats_of_a_nullable_column,
    set_of_the_wanted,
    nulls_of_a_dictionary,
    refusal_by_type,
)


def planted(count: Count, *, oracle: bool = True) -> Entry:
    """An entry whose question has a fault."""

    def pose(public: Public) -> Question:
        def ask(held: Held) -> Answer:
            return counts(count(public, list(held.columns["v"])))

        def expect(records: Sequence[Record]) -> Any:
            return counts(sound(public, [value for (value,) in records])) if oracle else ...

        return Question("", ask, expect)

    return Entry(count.__name__, {"v": "label"}, pose, takes=_in_lists)


def _in_lists(form: Form) -> bool:
    return form.name == "columns"
