"""ibis expressions for numbers, places on a grid, places of declared values and nodes of a tree."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, inf, nextafter
from typing import Any

import ibis

from dampen.errors import DataError
from dampen.statistics.columns import titled
from dampen.statistics.engines import digits
from dampen.statistics.engines.base import (
    MISSING,
    NOT_HERE,
    OTHER,
    Bits,
    Coding,
    Edges,
    Engine,
    Labels,
    Way,
    inside,
    written,
)
from dampen.statistics.engines.labels import (
    gathered,
    is_float,
    native_days,
    native_numbers,
    native_truths,
    text_numbers,
)
from dampen.statistics.grid import EvenGrid, Grid

WHOLE_TEXT = "^[+-]?[0-9]{1,19}$"
REAL_TEXT = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?$"
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
    """Whether a value is null, NaN or an empty text."""
    if value.type().is_floating():
        return value.isnull() | value.isnan().fill_null(False)
    if value.type().is_string():
        return value.isnull() | value.strip().lower().isin(["", "nan"]).fill_null(False)
    return value.isnull()


def numbers(table: Any, value: Any) -> Any:
    """Rows ``(whole, real, status)``: at most one of the first two is a number, and the last says why neither is."""
    kind = value.type()
    none_whole, none_real = ibis.null("int64"), ibis.null("float64")
    absent = is_absent(value)
    if kind.is_string():
        text = value.strip()
        is_whole, is_real = text.re_search(WHOLE_TEXT), text.lower().re_search(REAL_TEXT)
        endless = ibis.cases(
            (text.lower().isin(["inf", "+inf", "infinity", "+infinity"]), real(inf)),
            (text.lower().isin(["-inf", "-infinity"]), real(-inf)),
        )
        wholes = ibis.cases((is_whole, text), else_=None).try_cast("int64")
        reals = ibis.cases((wholes.notnull(), None), (is_real, text), else_=None).try_cast("float64").fill_null(endless)
    elif kind.is_integer():
        wide = kind.is_unsigned_integer() and kind.nbytes == 8
        wholes, reals = (_in_64_bits(value), _beyond(value)) if wide else (value.cast("int64"), none_real)
    elif kind.is_decimal():
        wholes, reals = none_whole, value.cast("string").cast("float64")
    else:
        wholes, reals = none_whole, ibis.cases((absent, None), else_=value.cast("float64"))
    rows = table.select(whole=wholes, real=reals, absent=absent)
    none = rows.whole.isnull() & rows.real.isnull()
    status = ibis.cases((rows.absent, MISSING), (none, OTHER)).cast("int64")
    return rows.select("whole", "real", status=status)


def _in_64_bits(value: Any) -> Any:
    return ibis.cases((value <= ibis.literal(2**63 - 1, type="uint64"), value), else_=None).cast("int64")


def _beyond(value: Any) -> Any:
    """The largest float not above a whole number from 2**63 on: floats are 2**11 apart there."""
    beyond = value > ibis.literal(2**63 - 1, type="uint64")
    return ibis.cases((beyond, value - value % 2**11), else_=None).cast("float64")


def on_grid(rows: Any, grid: Grid, chunk: int) -> Iterator[Any]:
    """Tables ``(place)`` of the rows of :func:`numbers`; of a listed grid one for each part of so many points."""
    if isinstance(grid, EvenGrid):
        place = _even_whole(rows, grid) if grid.whole else _even_real(rows, grid)
        yield rows.select(place=rows.status.fill_null(place))
        return
    points = grid.points().tolist()
    at_wholes = [min(max(ceil(point), -FARTHEST * 2), FARTHEST * 2 - 1) for point in points]
    reached = [point < 2**63 for point in points]
    at_reals = [_float_at_least(point) for point in points]
    for first in range(0, len(points), chunk):
        last = min(first + chunk, len(points))
        spots = [spot for spot in range(first, last) if reached[spot]]
        by_whole = _among(rows.whole, [whole(at_wholes[spot]) for spot in spots[1:]], first)
        by_real = _among(rows.real, [real(point) for point in at_reals[first + 1 : last]], first)
        place = ibis.cases((rows.whole.notnull(), by_whole), else_=by_real)
        part = rows.select("status", "whole", "real", place=rows.status.fill_null(place))
        here = ibis.literal(True)
        if first:
            here &= _at_least(part, at_wholes[first], at_reals[first], reached[first])
        if last < len(points):
            here &= ~_at_least(part, at_wholes[last], at_reals[last], reached[last])
        faulty = part.status.notnull()
        kept = ~faulty & here if first else faulty | here
        yield part.filter(kept.fill_null(False)).select("place")


def _at_least(rows: Any, at_whole: int, at_real: float, reached: bool) -> Any:
    by_whole = rows.whole >= whole(at_whole) if reached else ibis.literal(False)
    return ibis.cases((rows.whole.notnull(), by_whole), else_=rows.real >= real(at_real)).fill_null(False)


def _float_at_least(point: float) -> float:
    """The smallest float not below a grid point."""
    near = float(point)
    return near if near >= point else nextafter(near, inf)


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
    return off if step == 1 else _divided(off, step, len(grid))


def _divided(off: Any, step: int, size: int) -> Any:
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


def digit_sums(rows: Any, ends: tuple[Fraction, Fraction], wanted: range) -> Any:
    """One row: the sums of these digits, and in the first scan everything else (:mod:`digits`)."""
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
    rows = rows.select("side", "status", r=number.abs(), sign=ibis.cases((number < 0, -1), else_=1).cast("int64"),
                       size=held_whole.abs(), turn=ibis.cases((held_whole < 0, -1), else_=1).cast("int64"))  # fmt: skip
    raised = 0
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
    return rows.aggregate(**sums)


def place_of(value: Any, labels: Sequence[Any], column: str | None, engine: Engine) -> Any:
    """The place of the label that a value stands for (:mod:`labels`), ``MISSING`` or ``OTHER``."""
    kind = _told_apart(value, column, engine)
    if not kind.is_string():
        found = looked_up(plain(value), natives(kind, labels))
        return ibis.cases((is_absent(value), MISSING), else_=found.fill_null(OTHER)).cast("int64")
    as_text = looked_up(value, gathered(labels, written))
    as_number = looked_up(read_real(value), text_numbers(labels))
    rest = ibis.cases((is_absent(value), MISSING), else_=as_number.fill_null(OTHER))
    return as_text.fill_null(rest).cast("int64")


def _told_apart(value: Any, column: str | None, engine: Engine) -> Any:
    kind = value.type()
    if not (kind.is_string() or kind.is_numeric() or kind.is_boolean() or kind.is_date()):
        raise DataError(f"{titled(column)} must hold texts, numbers, booleans or dates{inside(engine)}")
    return kind


def plain(value: Any) -> Any:
    """A decimal as the nearest float, by way of text; anything else as it is."""
    return value.cast("string").cast("float64") if value.type().is_decimal() else value


def read_real(value: Any) -> Any:
    """The number that a text reads as, null where it is none: databases read ``1d`` or ``1_0`` too, if they are let."""
    text = value.strip()
    return ibis.cases((text.lower().re_search(REAL_TEXT), text), else_=None).try_cast("float64")


def natives(kind: Any, labels: Sequence[Any]) -> dict[Any, int]:
    """Which values of a column's own type equal which label."""
    if kind.is_string():
        return gathered(labels, written)
    if kind.is_boolean():
        return gathered(labels, native_truths)
    if kind.is_date():
        return gathered(labels, native_days)
    numbers = gathered(labels, native_numbers)
    if kind.is_integer():
        return {n: place for n, place in numbers.items() if isinstance(n, int) and -(2**63) <= n < 2**63}
    return {float(n): place for n, place in numbers.items() if is_float(n)}


def looked_up(value: Any, places: Mapping[Any, int]) -> Any:
    """The place of a value, null where it has none. Many sorted labels are halved, so that cases stay shallow."""
    cast = _literal(value.type())
    if not places:
        return ibis.null("int64")
    if len(places) <= FEW:
        return ibis.cases(*((value == cast(native), whole(place)) for native, place in places.items())).cast("int64")
    ordered = sorted(places.items())
    middle = len(ordered) // 2
    below, above = looked_up(value, dict(ordered[:middle])), looked_up(value, dict(ordered[middle:]))
    return ibis.cases((value < cast(ordered[middle][0]), below), else_=above)


def _literal(kind: Any) -> Any:
    return real if kind.is_floating() or kind.is_decimal() else ibis.literal


def coded(value: Any, coding: Coding, column: str, engine: Engine) -> Any:
    """The place of a value, null where it has none."""
    if isinstance(coding, Labels):
        strict = [label for label in coding.values if not isinstance(label, str)]
        kind = _told_apart(value, column, engine)
        known = natives(kind, coding.values if kind.is_string() else strict)
        where = [coding.values.index(label) for label in (coding.values if kind.is_string() else strict)]
        code = looked_up(plain(value), {native: where[place] for native, place in known.items()})
        return code if coding.other is None else code.fill_null(coding.other).cast("int64")
    return _among_edges(value, coding, column, engine)


def _among_edges(value: Any, coding: Edges, column: str, engine: Engine) -> Any:
    kind = value.type()
    if kind.is_boolean() or not (kind.is_numeric() or kind.is_string()):
        raise DataError(f"{titled(column)} must hold numbers{inside(engine)}")
    number = read_real(value) if kind.is_string() else plain(value).cast("float64")
    finite = (number > real(-inf)) & (number < real(inf))
    clamped = ibis.cases((number < real(coding.low), real(coding.low)), (number > real(coding.high), real(coding.high)),
                         else_=number)  # fmt: skip
    code = _among(clamped, [real(edge) for edge in coding.edges], 0)
    return ibis.cases((finite.fill_null(False), code), else_=None).cast("int64")


def routed(route: Way, codes: Sequence[Any]) -> Any:
    """The node of a row, from the places of its attributes."""
    if isinstance(route, Bits):
        node = whole(0)
        for one, places in route.tests:
            node = node * 2 + ibis.cases((codes[one].isin([*places]), 1), else_=0)
        return node
    if isinstance(route, int):
        return whole(route)
    cases = [(codes[route.attribute] == place, routed(branch, codes)) for place, branch in enumerate(route.branches)
             if branch != NOT_HERE]  # fmt: skip
    return ibis.cases(*cases, else_=whole(NOT_HERE)) if cases else whole(NOT_HERE)


def node_places(value: Any, nodes: Any) -> Any:
    """Where a value stands among declared nodes, -1 where it does not."""
    if nodes.numbered:
        kind = value.type()
        if kind.is_integer():
            return value.cast("int64").fill_null(-1)
        number = read_real(value) if kind.is_string() else value.cast("float64")
        usable = ((number >= real(0)) & (number <= real(2**31))).fill_null(False)
        inner = ibis.cases((usable, number), else_=real(-1))
        return ibis.cases((inner == inner.floor().cast("float64"), inner.floor().cast("int64")), else_=whole(-1))
    places = natives(value.type(), nodes.labels)
    return looked_up(value, places).fill_null(-1).cast("int64")
