"""ibis expressions for numbers, places on a grid, places of declared values and nodes of a tree."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, inf
from typing import Any

import ibis

from dampen.tables.engines import digits
from dampen.tables.engines.base import NOT_HERE, Bins, Bits, Coding, Labels, Way
from dampen.tables.engines.labels import Places
from dampen.tables.engines.ranges import float_at_least
from dampen.tables.grid import EvenGrid, Grid
from dampen.tables.reading import DIGITS, LARGEST, MISSING, OTHER, SMALLEST

WHOLE_TEXT = r"\A[+-]?[0-9]{1,19}\z"
REAL_TEXT = r"\A[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\z"
ENDLESS_TEXT = r"\A{}[iI][nN][fF]([iI][nN][iI][tT][yY])?\z"
BLANK_TEXT = r"\A[ \t\n\r\x0b\f]*(nan)?[ \t\n\r\x0b\f]*\z"
TRIMMED = r"\A[ \t]+|[ \t]+\z"
"""What may stand around a number. ``$`` would match before a line's end in some databases, so the end is ``\\z``."""
FARTHEST = 2**62
FEW = 24
"""So many labels are told apart by cases; more are looked up by halves."""


def real(number: float) -> Any:
    """A float that no database rounds."""
    return ibis.literal(repr(float(number))).cast("float64")


def whole(number: int) -> Any:
    """A 64-bit whole number."""
    return ibis.literal(int(number), type="int64")


def is_absent(value: Any) -> Any:
    """Whether a value is null, NaN or a blank text."""
    kind = value.type()
    if kind.is_floating():
        return value.isnull() | value.isnan().fill_null(False)
    if kind.is_string():
        return value.isnull() | value.lower().re_search(BLANK_TEXT).fill_null(False)
    return value.isnull()


def as_written(value: Any) -> Any:
    """A UUID as the text that it prints; anything else as it is."""
    return value.cast("string") if value.type().is_uuid() else value


def exportable(value: Any) -> Any:
    """A value as it may leave. Durations, which Arrow cannot always hold, and times of day stand for no label.

    Bytes do not either, and leave in their place.
    """
    nothing = value.type().is_interval() or value.type().is_time()
    return ibis.cases((value.isnull(), None), else_=ibis.literal(b"-")) if nothing else value


def text_whole(text: Any) -> Any:
    """The whole number of 64 bits that a text reads as, null where it is none."""
    plain = text.re_replace(TRIMMED, "")
    return ibis.cases((plain.re_search(WHOLE_TEXT), plain), else_=None).try_cast("int64")


def text_real(text: Any) -> Any:
    """The float that a text reads as: databases read ``1d``, ``1_0`` or hexadecimal too, if they are let."""
    plain = text.re_replace(TRIMMED, "")
    signs = {"[+]?": real(inf), "-": real(-inf)}
    endless = ibis.cases(*((plain.re_search(ENDLESS_TEXT.format(sign)), end) for sign, end in signs.items()))
    return ibis.cases((plain.re_search(REAL_TEXT), plain), else_=None).try_cast("float64").fill_null(endless)


def text_truth(text: Any) -> Any:
    """The truth value that a text reads as."""
    plain = text.re_replace(TRIMMED, "").lower()
    return ibis.cases((plain == "true", True), (plain == "false", False))


def decimal_parts(value: Any) -> tuple[Any, Any, Any]:
    """A decimal as a whole number of 64 bits if it is one, as the nearest float, and whether it is whole.

    Without digits behind the point every one is whole; DuckDB's widest whole numbers come as such, and its floors of
    those are floats.
    """
    small = (value >= ibis.literal(SMALLEST)) & (value <= ibis.literal(LARGEST))
    cut = value if value.type().scale == 0 else value.floor()
    is_whole = value.notnull() if value.type().scale == 0 else value == cut
    whole_part = ibis.cases((small & is_whole, cut), else_=None).cast("int64")
    return whole_part, value.cast("string").cast("float64"), is_whole


def _round_down(near: Any, value: Any) -> Any:
    """The largest float not above a whole decimal beyond 64 bits, from the nearest one.

    The next float below a positive x is x - x 2^-53, rounded. Below a negative one it is x + x 2^-53 (1 + 2^-52): the
    last factor breaks the tie at powers of 2.
    """
    below = ibis.cases((near > 0, near - near * real(2.0**-53)), else_=near + near * real(2.0**-53 * (1 + 2.0**-52)))
    same, exact = _exact_decimal(near), value.try_cast(f"decimal({DIGITS}, 0)")
    return ibis.cases(((same > exact).fill_null(False), below), (same.isnull() & (near > 0), below), else_=near)


def _exact_decimal(number: Any) -> Any:
    """A whole float beyond 64 bits as a decimal, in three parts of 64 bits and less; null where it has too many digits.

    Spark would cast it by the digits that it prints, of which there are at most 17.
    """
    kind = f"decimal({DIGITS}, 0)"
    total, left = whole(0).cast(kind), ibis.cases((number.abs() <= real(10.0**DIGITS), number), else_=None)
    for power in (64, 32, 0):
        part = (left * real(2.0**-power)).floor()
        left = left - part * real(2.0**power)
        total = (total + (part.cast("int64").cast(kind) * ibis.literal(str(2**power)).cast(kind)).cast(kind)).cast(kind)
    return total


def number_parts(column: Any) -> tuple[Any, Any, Any]:
    """The number that a value is, whole or as a float, the first that is not null; and whether it is missing."""
    value = as_written(column)
    kind = value.type()
    wholes, reals = ibis.null("int64"), ibis.null("float64")
    absent = is_absent(value)
    if kind.is_string():
        wholes, reals = text_whole(value), text_real(value)
    elif kind.is_integer():
        wide = kind.is_unsigned_integer() and kind.nbytes == 8
        wholes, reals = (_fit_64_bits(value), _beyond_64_bits(value)) if wide else (value.cast("int64"), reals)
    elif kind.is_decimal():
        wholes, near, is_whole = decimal_parts(value)
        reals = ibis.cases((is_whole, _round_down(near, value)), else_=near)
    elif kind.is_floating():
        reals = ibis.cases((absent, None), else_=value.cast("float64"))
    return wholes, reals, absent


def numbers(table: Any, column: Any, **beside: Any) -> Any:
    """Rows ``(whole, real, status)``: at most one of the first two is a number, and the last says why neither is.

    ``beside``: columns that go along.
    """
    wholes, reals, absent = number_parts(column)
    rows = table.select(whole=wholes, near=reals, absent=absent, **beside)
    rows = rows.select(
        "whole", "absent", *beside, real=ibis.cases((rows.whole.isnull(), rows.near), else_=None).cast("float64")
    )
    none = rows.whole.isnull() & rows.real.isnull()
    status = ibis.cases((rows.absent, MISSING), (none, OTHER)).cast("int64")
    return rows.select("whole", "real", *beside, status=status)


def _fit_64_bits(value: Any) -> Any:
    return ibis.cases((value <= ibis.literal(2**63 - 1, type="uint64"), value), else_=None).cast("int64")


def _beyond_64_bits(value: Any) -> Any:
    """The largest float not above a whole number from 2**63 on: floats are 2**11 apart there."""
    beyond = value > ibis.literal(2**63 - 1, type="uint64")
    return ibis.cases((beyond, value - value % 2**11), else_=None).cast("float64")


def grid_places(rows: Any, grid: Grid, chunk: int, *beside: str) -> Iterator[Any]:
    """Tables ``(place)`` of the rows of :func:`numbers`; of a listed grid one for each part of so many points.

    ``beside``: columns that go along.
    """
    if isinstance(grid, EvenGrid):
        place = _even_whole(rows, grid) if grid.whole else _even_real(rows, grid)
        yield rows.select(*beside, place=rows.status.fill_null(place))
        return
    points = grid.points().tolist()
    # A whole number is compared with whole numbers and a float with floats, each with the smallest of its kind that is
    # not below a point: databases differ in how they compare the two kinds. No whole number reaches 2**63.
    at_wholes = [min(max(ceil(point), -FARTHEST * 2), FARTHEST * 2 - 1) for point in points]
    reached = [point < 2**63 for point in points]
    at_reals = [float_at_least(point) for point in points]
    for first in range(0, len(points), chunk):
        last = min(first + chunk, len(points))
        spots = [spot for spot in range(first, last) if reached[spot]]
        by_whole = _among(rows.whole, [whole(at_wholes[spot]) for spot in spots[1:]], first)
        by_real = _among(rows.real, [real(point) for point in at_reals[first + 1 : last]], first)
        place = ibis.cases((rows.whole.notnull(), by_whole), else_=by_real)
        part = rows.select("status", "whole", "real", *beside, place=rows.status.fill_null(place))
        here = ibis.literal(True)
        if first:
            here &= _at_least(part, at_wholes[first], at_reals[first], reached[first])
        if last < len(points):
            here &= ~_at_least(part, at_wholes[last], at_reals[last], reached[last])
        faulty = part.status.notnull()
        kept = ~faulty & here if first else faulty | here
        yield part.filter(kept.fill_null(False)).select("place", *beside)


def _at_least(rows: Any, at_whole: int, at_real: float, reached: bool) -> Any:
    by_whole = rows.whole >= whole(at_whole) if reached else ibis.literal(False)
    return ibis.cases((rows.whole.notnull(), by_whole), else_=rows.real >= real(at_real)).fill_null(False)


def _among(number: Any, points: Sequence[Any], first: int) -> Any:
    """How many of the increasing points are not above a number, plus ``first``: binary search as nested cases."""
    if not points:
        return whole(first)
    middle = len(points) // 2
    below = _among(number, points[:middle], first)
    above = _among(number, points[middle + 1 :], first + middle + 1)
    return ibis.cases((number < points[middle], below), else_=above)


def _even_whole(rows: Any, grid: EvenGrid) -> Any:
    """Floats are rounded down; then whole numbers are divided without rounding."""
    start, step, _ = grid.terms
    inner = ibis.cases((rows.real < real(-FARTHEST), real(-FARTHEST)), (rows.real > real(FARTHEST), real(FARTHEST)),
                       else_=rows.real)  # fmt: skip
    number = ibis.cases((rows.whole.notnull(), rows.whole), else_=inner.floor().cast("int64"))
    low, high = whole(int(grid[0])), whole(int(grid[-1]))
    off = ibis.cases((number < low, low), (number > high, high), else_=number) - whole(start)
    return off if step == 1 else divide(off, step, len(grid))


def divide(off: Any, step: int, size: int) -> Any:
    """off // step for off >= 0: a quotient of floats is off by little, and what it leaves is divided once more."""
    near = (off.cast("float64") / real(step)).floor().cast("int64")
    if size >= 2**50:
        near = near + ((off - near * step).cast("float64") / real(step)).floor().cast("int64")
    left = off - near * step
    return near + ibis.cases((left < 0, -1), (left >= step, 1), else_=0)


def _even_real(rows: Any, grid: EvenGrid) -> Any:
    """The steps of :class:`EvenGrid`; whole numbers beyond 2**53 are beyond all points of a real grid."""
    start, step, divisor = grid.terms
    most = whole(2**53)
    inner = ibis.cases((rows.whole > most, most), (rows.whole < -most, -most), else_=rows.whole).cast("float64")
    number = ibis.cases((rows.whole.notnull(), inner), else_=rows.real)
    low, high = real(float(grid[0])), real(float(grid[-1]))
    key = ibis.cases((number < low, low), (number > high, high), else_=number)
    steps = (key * real(divisor) - real(start)) / real(step)
    near = (steps + real(0.5)).floor().cast("int64")
    near = ibis.cases((near < 0, 0), (near > len(grid) - 1, whole(len(grid) - 1)), else_=near)
    point = (near.cast("float64") * real(step) + real(start)) / real(divisor)
    return near - ibis.cases((key < point, 1), else_=0)


def digit_sums(rows: Any, ends: tuple[Fraction, Fraction], wanted: range, *groups: str) -> Any:
    """A row for each group: the sums of these digits, and in the first scan everything else (:mod:`digits`)."""
    low, high = digits.inner_ends(ends)
    first, last = whole(ceil(ends[0])), whole(floor(ends[1]))
    held, is_whole = rows.status.isnull(), rows.whole.notnull()
    below = held & ibis.cases((is_whole, rows.whole < first), else_=rows.real < real(low))
    above = held & ibis.cases((is_whole, rows.whole > last), else_=rows.real > real(high))
    side = ibis.cases((below, -1), (above, 1), (held, 0)).cast("int64")
    rows = rows.mutate(side=side)
    inner = rows.side == 0
    number = ibis.cases((inner & rows.whole.isnull(), rows.real), else_=real(0.0))
    held_whole = ibis.cases((inner & rows.whole.notnull(), rows.whole), else_=whole(0))
    sign, turn = (ibis.cases((each < 0, -1), else_=1).cast("int64") for each in (number, held_whole))
    rows = rows.select(*groups, "side", "status", r=number.abs(), sign=sign, size=held_whole.abs(), turn=turn)
    raised = 0
    # every digit is cut from what the one before left
    for digit in range(wanted.stop):
        if digit == digits.FINE.start:
            rows, raised = rows.mutate(r=rows.r * real(2.0**digits.RAISED)), digits.RAISED
        found = (rows.r * real(2.0 ** (-digits.power(digit) - raised))).floor().cast("int64")
        rows = rows.mutate(**{f"d{digit}": found})
        rows = rows.mutate(r=rows.r - rows[f"d{digit}"].cast("float64") * real(2.0 ** (digits.power(digit) + raised)))
    sums = {f"d{digit}": (rows[f"d{digit}"] * rows.sign).sum() for digit in wanted}
    if wanted is digits.COARSE:
        for part in range(3):
            cut = (rows.size >> (digits.PART * part)) & (2**digits.PART - 1)
            sums[f"w{part}"] = (cut * rows.turn).sum()
        rules = {"below": rows.side == -1, "above": rows.side == 1, "inside": rows.side == 0, "rest": rows.r > 0}
        rules |= {"missing": rows.status == MISSING, "other": rows.status == OTHER}
        sums |= {name: rule.fill_null(False).cast("int64").sum() for name, rule in rules.items()}
    sums = {name: total.fill_null(0).cast("int64") for name, total in sums.items()}
    return rows.group_by([*groups]).aggregate(**sums) if groups else rows.aggregate(**sums)


def readings(column: Any, places: Places) -> list[tuple[Any, Mapping[Any, int]]]:
    """What a value of the column's own type is found by, in order, and where each of it leads.

    The first is a text's own, which comes before it may be missing.
    """
    value = as_written(column)
    kind = value.type()
    if kind.is_string():
        number, inexact = text_whole(value), text_real(value)
        only = ibis.cases((number.isnull(), inexact), else_=None).cast("float64")
        told = (text_truth(value), places.truths)
        return [(value, places.texts), (number, places.wholes()), (only, places.reals()), told]
    if kind.is_boolean():
        return [(value, places.truths)]
    if kind.is_integer():
        least, most = (0, 2**64 - 1) if kind.is_unsigned_integer() else (SMALLEST, LARGEST)
        wholes = {int(n): place for n, place in places.numbers.items() if n == n // 1 and least <= n <= most}
        return [(value, wholes)]
    if kind.is_decimal():
        return _decimal_readings(value, places)
    if kind.is_floating():
        return [(value.cast("float64"), places.reals())]
    if kind.is_date():
        return [(value, places.days)]
    if kind.is_timestamp():
        return [(value, places.moments if kind.timezone is None else places.instants)]
    return []


def _decimal_readings(value: Any, places: Places) -> list[tuple[Any, Mapping[Any, int]]]:
    """A whole decimal is found by itself, beyond 64 bits as text; any other by the nearest float."""
    number, near, is_whole = decimal_parts(value)
    wholes = {int(n): place for n, place in places.numbers.items() if n == n // 1 and abs(n) < 10**DIGITS}
    large = {str(n): place for n, place in wholes.items() if not SMALLEST <= n <= LARGEST}
    beyond = ibis.cases((is_whole & number.isnull(), value.cast("string").re_replace(r"\.0*\z", "")), else_=None)
    only = ibis.cases((is_whole, None), else_=near).cast("float64")
    return [(number, places.wholes()), (beyond, large), (only, places.reals())]


def place_of(column: Any, places: Places) -> Any:
    """The place of the label that a value stands for (:mod:`labels`), ``MISSING`` or ``OTHER``."""
    found = [look_up(value, known) for value, known in readings(column, places)]
    absent = ibis.cases((is_absent(as_written(column)), whole(MISSING))).cast("int64")
    first = [found.pop(0)] if column.type().is_string() or column.type().is_uuid() else []
    return ibis.coalesce(*first, absent, *found, whole(OTHER)).cast("int64")


def look_up(value: Any, places: Mapping[Any, int]) -> Any:
    """The place of a value, null where it has none. Many sorted labels are halved, so that cases stay shallow."""
    cast = _literal(value.type())
    if not places:
        return ibis.null("int64")
    if value.type().is_string() and any("\0" in text for text in places):
        odd = [(value.re_search(_pattern(text)), whole(place)) for text, place in places.items() if "\0" in text]
        rest = look_up(value, {text: place for text, place in places.items() if "\0" not in text})
        return ibis.cases(*odd, else_=rest).cast("int64")
    if len(places) <= FEW:
        return ibis.cases(*((value == cast(native), whole(place)) for native, place in places.items())).cast("int64")
    ordered = sorted(places.items())
    middle = len(ordered) // 2
    below, above = look_up(value, dict(ordered[:middle])), look_up(value, dict(ordered[middle:]))
    return ibis.cases((value < cast(ordered[middle][0]), below), else_=above)


def _pattern(text: str) -> str:
    """A regular expression for this text alone: NUL may stand in no query."""
    return r"\A" + "".join(f"\\x{{{ord(letter):x}}}" for letter in text) + r"\z"


def _literal(kind: Any) -> Any:
    """How a constant is written that is compared with values of a type."""
    if kind.is_floating():
        return real
    if kind.is_unsigned_integer():
        return lambda number: ibis.literal(number, type="uint64")
    return ibis.literal


def encode(column: Any, coding: Coding) -> Any:
    """The place of a value, null where it has none."""
    if isinstance(coding, Labels):
        found = [look_up(value, known) for value, known in readings(column, Places.of(coding.values)) if known]
        place = ibis.coalesce(*found) if len(found) > 1 else found[0] if found else ibis.null("int64")
        return place if coding.other is None else place.fill_null(coding.other).cast("int64")
    return _bin_place(column, coding)


def _bin_place(column: Any, coding: Bins) -> Any:
    number = float_of(column)
    finite = (number > real(-inf)) & (number < real(inf))
    clamped = ibis.cases((number < real(coding.low), real(coding.low)), (number > real(coding.high), real(coding.high)),
                         else_=number)  # fmt: skip
    code = _among(clamped, [real(edge) for edge in coding.edges], 0)
    return ibis.cases((finite.fill_null(False), code), else_=None).cast("int64")


def float_of(column: Any) -> Any:
    """A value as the nearest float, null where it is no number."""
    value = as_written(column)
    kind = value.type()
    if kind.is_string():
        return text_real(value)
    if kind.is_decimal():
        return value.cast("string").cast("float64")
    return value.cast("float64") if kind.is_integer() or kind.is_floating() else ibis.null("float64")


def node_of(route: Way, codes: Sequence[Any]) -> Any:
    """The node of a row, from the places of its attributes."""
    if isinstance(route, Bits):
        node = whole(0)
        for one, places in route.tests:
            node = node * 2 + ibis.cases((codes[one].isin([*places]), 1), else_=0)
        return node
    if isinstance(route, int):
        return whole(route)
    cases = [(codes[route.attribute] == place, node_of(branch, codes)) for place, branch in enumerate(route.branches)
             if branch != NOT_HERE]  # fmt: skip
    return ibis.cases(*cases, else_=whole(NOT_HERE)) if cases else whole(NOT_HERE)


def node_places(column: Any, nodes: Any) -> Any:
    """Where a value stands among declared nodes, -1 where it does not."""
    if nodes.known is not None:
        return place_of(column, nodes.known)
    number = float_of(column)
    usable = ((number >= real(0)) & (number <= real(nodes.count))).fill_null(False)
    inner = ibis.cases((usable, number), else_=real(-1))
    return ibis.cases((inner == inner.floor().cast("float64"), inner.floor().cast("int64")), else_=whole(-1))
