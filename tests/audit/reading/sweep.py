"""Every value of every column in every container, read against many sets of labels: the differential half of the gate.

All values of a column are counted at once, which is quick. Where the counts differ from the oracle's, the values are
asked about one by one, so that a failure names those that are read by another rule.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dampen.errors import DampenError
from dampen.tables.engines import open_engine
from tests.audit.reading import engines, pool
from tests.audit.reading.check import Question, Record, ask, l1
from tests.audit.reading.columns import Kind
from tests.audit.reading.entries import BOUNDS, DAY_GRIDS, GRIDS, SPANS, Public
from tests.audit.reading.forms import Form
from tests.audit.reading.oracle import NOTHING, No, number, readings

LABEL_SETS: tuple[tuple[Any, ...], ...] = (
    (1,),
    ("1",),
    (True,),
    ("true",),
    (1, "1", "1.0", "true"),
    (True, "true", 0),
    ("True", "false", "0", "01"),
    (2**53, 2**53 + 1, "9007199254740993"),
    ("9007199254740992", 2**63, 2**64, 10**30),
    ("9223372036854775808", "inf", 2**63 - 1),
    (0.1, "2.5", 1e300, Fraction(1, 3)),
    (Decimal("0.1"), Decimal("2.50"), ".5", "-0"),
    ("", "x", "X", "other", "x\0"),
    (" ", "nan", "4", "NA"),
    ("4\n", 4, "é", "'", '"', "a,b", "l\nl", "\\"),
    (date(2024, 2, 29), pool.NOON, pool.NOON.replace(tzinfo=UTC)),
    ("2024-02-29", "2024-02-29 12:30:00", "2024-02-29T12:30:00+00:00"),
    (datetime(2024, 2, 29), "2024-02-29T12:30:00"),
    ("2024-02-29 00:00:00", datetime(2024, 2, 29, 13, 30, tzinfo=pool.BERLIN), date(1969, 12, 31)),
    (pool.Colour.RED, b"1", pool.LABELLED[3], str(pool.NAMES[0])),
)
MOST_TOLD = 12


def wrong_places(form: Form, kind: Kind) -> list[str]:
    """Which values of a column stand for other labels than they should."""
    sets = list(_telling(kind))
    found = _counted_at_once(form, kind, sets)
    told = []
    for labels, counts in zip(sets, found, strict=True):
        question = engines.label_counts(Public(labels))
        expected = question.expect([(form.held(kind, value),) for value in kind.values])
        told += _wrong(form, kind, question, labels) if counts is None or l1(counts, expected) else []
    return told


def _counted_at_once(form: Form, kind: Kind, sets: list[tuple[Any, ...]]) -> list[Any]:
    """The counts of all values for each set of labels, out of one container; nothing where that failed."""
    data, column = form.hold(["v"], [kind], [(value,) for value in kind.values]).named("v")
    try:
        with open_engine(data, column) as engine:
            return [engine.label_counts(column, labels) for labels in sets]
    except DampenError:
        return [None] * len(sets)


def wrong_numbers(form: Form, kind: Kind, few: bool) -> list[str]:
    """Which values of a column stand at other places of a grid, or are refused or counted where they should not be."""
    told = []
    is_number = [number(kind.held(value)) is not No.NUMBER for value in kind.values]
    fit = tuple(value for value, stays in zip(kind.values, is_number, strict=True) if stays)
    unfit = [value for value, stays in zip(kind.values, is_number, strict=True) if not stays]
    for grid in GRIDS[2:] if not few else GRIDS[3:]:
        told += _wrong(form, replace(kind, values=fit), engines.histogram(Public(grid=grid)), grid)
    question = engines.histogram(Public(grid=GRIDS[0]))
    for value in unfit[: 3 if few else None]:
        told += _wrong(form, replace(kind, values=(value,)), question, GRIDS[0])
    return told


def wrong_days(form: Form, kind: Kind, few: bool) -> list[str]:
    """Which values of a column lie in other days than they should."""
    told = []
    for grid in DAY_GRIDS[:1] if few else DAY_GRIDS:
        told += _wrong(form, kind, engines.on_days(Public(day_grid=grid)), grid)
    return told


def wrong_ranges(form: Form, kind: Kind, few: bool) -> list[str]:
    """Which values of a column are in ranges of numbers or days where they should not be, or the reverse."""
    told = []
    for ends in BOUNDS[1:2] if few else BOUNDS:
        told += _wrong(form, kind, engines.ranges(Public(bounds=ends)), ends)
    for span in SPANS[1:4:2] if few else SPANS:
        told += _wrong(form, kind, engines.spans(Public(span=span)), span)
    return told


def _telling(kind: Kind) -> Iterator[tuple[Any, ...]]:
    """Sets of labels that some value of a column could stand for, and a few others."""
    own = set().union({NOTHING}, *(readings(kind.held(value)) for value in kind.values))
    for spot, labels in enumerate(LABEL_SETS):
        if spot % 7 == 0 or any(readings(label) & own for label in labels):
            yield labels


def _wrong(form: Form, kind: Kind, question: Question, public: Any) -> list[str]:
    rows = [(value,) for value in kind.values]
    if _answer(form, kind, question, rows) == "":
        return []
    told = [said for row in rows if (said := _answer(form, kind, question, [row]))]
    told = told or [_answer(form, kind, question, rows)]
    return [f"{form}, {kind}, {public!r}: {said}" for said in told[:MOST_TOLD]]


def _answer(form: Form, kind: Kind, question: Question, rows: list[Record]) -> str:
    """What is wrong with an answer; nothing if it is right."""
    expected = question.expect([(form.held(kind, value),) for (value,) in rows])
    try:
        found = ask(question, form.hold(["v"], [kind], rows))
    except Exception as error:
        return f"{rows!r} raised {type(error).__name__}: {str(error)[:80]}"
    if (found is None) != (expected is None) or (found is not None and l1(found, expected)):
        return f"{rows!r} gave {found}, by the rule {dict(expected) if expected is not None else None}"
    return ""
