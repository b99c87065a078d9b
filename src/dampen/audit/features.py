"""Numbers and labels that are read off outputs, in which an audit looks for events.

Low bits are here too: which power of 2 a float is a multiple of, how its significand ends, how many decimals it has.
Noise in floats has gaps, and where they lie tells what the noise was added to (Mironov 2012).
"""

import reprlib
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from dampen.audit.leaves import EXACT, THE_OUTPUT
from dampen.audit.outputs import Outputs
from dampen.operators import value_of
from dampen.vectors import Floats

SUM = "the sum of the entries"
MOST_COLUMNS = 24
"""Of wider outputs, those columns are looked at whose means differ most."""
MOST_COMPARED = 8
"""So many columns are compared with one another, and looked at bit by bit."""
WIDEST = 100
"""Outputs of more entries are not compared as a whole: hardly two of them are the same, and they fill the memory."""
LONGEST_ORDER = 6
"""Up to so many numbers their order is a label: there are 720 of six."""
LONGEST_FORM = 160
"""So many characters of a form are told."""
MOST_SCREENED, FIRST_DRAWS = 1_000, 1_000
"""So many columns are compared by the lowest bits of so many draws, to choose those that are looked at bit by bit."""
DIRECTIONS = 4
MULTIPLE_OF_ALL = 1100.0
"""Zero is a multiple of every power of 2 that a float can be."""
MOST_DECIMALS = 9
SLIGHT = 1e-12
"""Added to variances, so that none is zero."""
AT_MOST, AT_LEAST, EXACTLY = "at most", "at least", "exactly"
Tell = Callable[[str, float], str]
"""From one of these three words and a number to a sentence."""


@dataclass(frozen=True)
class Feature:
    """A number that outputs have; NaN for those that have none."""

    name: str
    values: Callable[[Outputs], Floats]
    tell: Tell
    """What it means to lie at most, at least or exactly there, in words."""


def feature(name: str, values: Callable[[Outputs], Floats]) -> Feature:
    """A feature that is told by its name."""
    return Feature(name, values, lambda relation, value: f"{name} is {relation} {short(value)}")


def short(value: float) -> str:
    """A number as people write it; whole ones without a point."""
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))


@dataclass(frozen=True)
class LabelFeature:
    """A label that outputs have; None for those that have none. ``text`` writes one down, on one short line."""

    name: str
    labels: Callable[[Outputs], list[Hashable]]
    text: Callable[[Hashable], str] = reprlib.repr


def numeric_features(x: Outputs, y: Outputs) -> Iterator[Feature]:
    """Numbers to look at in outputs such as these; those of one column each come first."""
    names = names_worth_a_look(x, y)
    yield from map(column_feature, names)
    yield feature("the number of entries", lambda outputs: outputs.lengths)
    if len(names) > 1:
        yield from _features_of_rows()
        for one, other in combinations(names[:MOST_COMPARED], 2):
            yield feature(f"{one} minus {other}", partial(_difference, one, other))
        yield from bit_features(feature(SUM, _sum_of_rows))
        yield from _best_direction(names, x, y)
    yield from (each for name in names[:MOST_COMPARED] for each in _remainders(name, x, y))
    yield from (each for name in _names_by_bits(x, y) for each in bit_features(column_feature(name)))


def label_features(x: Outputs, y: Outputs) -> Iterator[LabelFeature]:
    """Labels to look at in outputs such as these; their type comes first."""
    yield LabelFeature("the type of the output", lambda outputs: [*outputs.types], str)
    if any(form is not None for outputs in (x, y) for form in outputs.forms):
        yield LabelFeature("the form of the output", lambda outputs: outputs.forms, _show_form)
    for name in x.layout.entries[:MOST_COLUMNS]:
        yield LabelFeature(name, partial(_labels_at, name))
    if 1 < len(x.layout.paths) + len(x.layout.entries) <= WIDEST:
        yield LabelFeature(THE_OUTPUT, lambda outputs: outputs.rows, partial(_show_row, x, y))
    if 1 < len(x.layout.paths) <= LONGEST_ORDER:
        yield LabelFeature("the order of the entries, from the smallest on,", _orders)
    for name in names_worth_a_look(x, y)[:MOST_COMPARED]:
        if any(_negative_zeros(outputs.column(name)).any() for outputs in (x, y)):
            yield LabelFeature(name, partial(_zeros_with_sign, name), str)


def _show_form(form: Hashable) -> str:
    text = str(form)
    return text if len(text) <= LONGEST_FORM else f"{text[:LONGEST_FORM]} ..."


def _show_row(x: Outputs, y: Outputs, row: Hashable) -> str:
    """An output with such a row, as it prints."""
    outputs = next(each for each in (x, y) if row in each.rows)
    return reprlib.repr(value_of(outputs.drawn[outputs.rows.index(row)]))


def column_feature(name: str) -> Feature:
    """The numbers of one column."""
    return feature(name, lambda outputs: outputs.column(name))


def names_worth_a_look(x: Outputs, y: Outputs) -> list[str]:
    """Columns whose means differ most come first: a few may be compared and looked at bit by bit."""
    names = list(x.names)
    if len(names) <= 1:
        return names
    found = {name: _distance(x.column(name), y.column(name)) for name in names}
    return sorted(names, key=lambda name: -found[name])[:MOST_COLUMNS]


def _names_by_bits(x: Outputs, y: Outputs) -> list[str]:
    """Columns whose lowest bits differ most, by the first draws."""
    names = list(x.names)[:MOST_SCREENED]
    if len(names) <= MOST_COMPARED:
        return names
    found = {
        name: _distance(*(lowest_power(outputs.column(name)[:FIRST_DRAWS]) for outputs in (x, y))) for name in names
    }
    return sorted(names, key=lambda name: -found[name])[:MOST_COMPARED]


def _distance(one: Floats, other: Floats) -> float:
    """How far apart two columns are, in standard deviations; a column that one side alone has is furthest apart."""
    a, b = one[np.isfinite(one)], other[np.isfinite(other)]
    if len(a) == 0 or len(b) == 0:
        return np.inf if len(a) + len(b) else 0.0
    apart, spread = abs(float(a.mean()) - float(b.mean())), float(a.std() + b.std())
    return apart / spread if spread > 0 else (np.inf if apart > 0 else 0.0)


def _labels_at(name: str, outputs: Outputs) -> list[Hashable]:
    return outputs.labels(name)


def _difference(one: str, other: str, outputs: Outputs) -> Floats:
    with np.errstate(invalid="ignore"):
        return outputs.column(one) - outputs.column(other)


# Outputs of several numbers


def random_directions(x: Outputs, y: Outputs, rng: np.random.Generator) -> Iterator[Feature]:
    """Sums of the entries, each with a weight of its own."""
    names = names_worth_a_look(x, y)
    for place in range(DIRECTIONS if len(names) > 1 else 0):
        weights = np.round(rng.normal(size=len(names)), 2)
        yield feature(f"a sum with random weights (no. {place + 1})", partial(_weigh, names, weights))


def _weigh(names: list[str], weights: Floats, outputs: Outputs) -> Floats:
    with np.errstate(all="ignore"):
        total: Floats = np.nan_to_num(np.stack([outputs.column(name) for name in names], axis=1)) @ weights
    return total


def _best_direction(names: list[str], x: Outputs, y: Outputs) -> Iterator[Feature]:
    """The weighted sum whose means differ most, measured by how it varies (Fisher 1936).

    Entries that share their noise have a sum in which it cancels, and this is that sum.
    """
    points = [np.stack([outputs.column(name) for name in names], axis=1) for outputs in (x, y)]
    points = [some[np.isfinite(some).all(axis=1)] for some in points]
    if min(map(len, points)) <= len(names):
        return
    scale = np.concatenate(points).std(axis=0)
    scale = np.where((scale > 0) & np.isfinite(scale), scale, 1.0)
    spread = sum(np.cov(some / scale, rowvar=False) for some in points) + SLIGHT * np.eye(len(names))
    apart = (points[0].mean(axis=0) - points[1].mean(axis=0)) / scale
    if np.isfinite(spread).all() and np.isfinite(apart).all():
        weights = np.linalg.lstsq(spread, apart, rcond=0)[0] / scale
        yield feature("the weighted sum of entries that differs most", partial(_weigh, names, weights))


def _features_of_rows() -> Iterator[Feature]:
    yield feature(SUM, _sum_of_rows)
    others: dict[str, Callable[[Floats], Floats]] = {
        "the largest entry": lambda rows: np.nanmax(rows, axis=1),
        "the smallest entry": lambda rows: np.nanmin(rows, axis=1),
        "the sum of squares": lambda rows: np.nansum(rows**2, axis=1),
        "the number of entries that are 0": lambda rows: (rows == 0).sum(axis=1),
        "the number of equal neighbours in the order of the entries": _count_ties,
        "the place of the largest entry": lambda rows: np.nanargmax(rows, axis=1),
        "the place of the smallest entry": lambda rows: np.nanargmin(rows, axis=1),
        "the place of the first entry that is not 0": _first_not_zero,
    }
    for name, of_rows in others.items():
        yield feature(name, partial(_of_rows, of_rows))


def _sum_of_rows(outputs: Outputs) -> Floats:
    return _of_rows(lambda rows: np.nansum(rows, axis=1), outputs)


def _of_rows(of_rows: Callable[[Floats], Floats], outputs: Outputs) -> Floats:
    """A function of the rows that have a number at all."""
    some = ~np.isnan(outputs.matrix).all(axis=1) if outputs.layout.paths else np.zeros(len(outputs), dtype=bool)
    result = np.full(len(outputs), np.nan)
    if some.any():
        with np.errstate(all="ignore"):
            result[some] = of_rows(outputs.matrix[some])
    return result


def _count_ties(rows: Floats) -> Floats:
    ordered = np.sort(rows, axis=1)
    ties: Floats = (ordered[:, 1:] == ordered[:, :-1]).sum(axis=1).astype(np.float64)
    return ties


def _first_not_zero(rows: Floats) -> Floats:
    other = (rows != 0) & ~np.isnan(rows)
    return np.where(other.any(axis=1), other.argmax(axis=1), np.nan)


def _orders(outputs: Outputs) -> list[Hashable]:
    """The places of the entries from the smallest to the largest, equal ones from left to right."""
    places = np.argsort(outputs.matrix, axis=1, kind="stable")
    return [tuple(row) for row in places.tolist()]


# Low bits


def bit_features(of: Feature) -> Iterator[Feature]:
    """What the digits of a number tell, binary and decimal."""
    yield Feature(f"the lowest bit of {of.name}", partial(_apply, lowest_power, of), partial(_tell_power, of.name))
    for count, counted, function in (
        (f"the significand of {of.name} ends in", "zero bits", trailing_zeros),
        (f"{of.name} has", "decimals", decimals),
    ):
        yield Feature(f"{counted} of {of.name}", partial(_apply, function, of), partial(_tell_count, count, counted))
    yield feature(f"the fractional part of {of.name}", partial(_apply, _fraction, of))
    yield feature(f"the remainder of {of.name} by 2", partial(_apply, _parity, of))


def _remainders(name: str, x: Outputs, y: Outputs) -> Iterator[Feature]:
    """Whole numbers that always lie the same step apart: where these steps start tells what was added."""
    steps = {_step(outputs.column(name)) for outputs in (x, y)} - {0, 1, 2}
    for step in sorted(steps):
        yield feature(
            f"the remainder of {name} by {step}", partial(_apply, partial(_remainder, step), column_feature(name))
        )


def _step(values: Floats) -> int:
    """The largest number that all differences are multiples of; 0 where values are not whole, or all the same."""
    known = values[np.isfinite(values)]
    if len(known) == 0 or (known != np.floor(known)).any() or np.abs(known).max() >= EXACT / 2:
        return 0
    return int(np.gcd.reduce((known - known[0]).astype(np.int64)))


def _remainder(step: int, values: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.mod(values, step)


def _apply(function: Callable[[Floats], Floats], of: Feature, outputs: Outputs) -> Floats:
    return function(of.values(outputs))


def binary_form(of: Feature) -> Feature:
    """Sign, size and lowest bit of a number in one: which floats near a value are possible tells what was added."""
    return feature(f"a code of sign, size and lowest bit of {of.name}", partial(_apply, _form, of))


def _form(values: Floats) -> Floats:
    sizes = np.frexp(np.where(np.isfinite(values), values, 0.0))[1]
    return np.sign(values) * 2.0**24 + sizes * 2.0**12 + lowest_power(values)


def _tell_power(name: str, relation: str, value: float) -> str:
    if value == MULTIPLE_OF_ALL:
        return f"{name} is a number" if relation == AT_MOST else f"{name} is 0"
    if relation == AT_LEAST:
        return f"{name} is a multiple of {_power_text(value)}"
    if relation == AT_MOST:
        return f"{name} is no multiple of {_power_text(value + 1)}"
    return f"{name} is an odd multiple of {_power_text(value)}"


def _power_text(power: float) -> str:
    return str(2 ** int(power)) if 0 <= power <= 20 else f"2**{int(power)}"


def _tell_count(start: str, counted: str, relation: str, value: float) -> str:
    return f"{start} {relation} {short(value)} {counted}"


def _significands(values: Floats) -> tuple[Floats, Floats]:
    """Each finite number as a whole significand of 53 bits times a power of 2: how many zero bits, which power."""
    finite = np.isfinite(values)
    parts, powers = np.frexp(np.where(finite, values, 0.0))
    whole = np.abs(np.ldexp(parts, 53)).astype(np.int64)
    zeros = np.log2(np.maximum(whole & -whole, 1).astype(np.float64))
    return np.where(finite & (whole > 0), zeros, np.nan), powers.astype(np.float64) - 53


def lowest_power(values: Floats) -> Floats:
    """The largest k such that a number is a multiple of 2**k."""
    zeros, powers = _significands(values)
    return np.where(values == 0, MULTIPLE_OF_ALL, zeros + powers)


def trailing_zeros(values: Floats) -> Floats:
    """How many of the 53 bits of a significand are zeros at its end."""
    return _significands(values)[0]


def decimals(values: Floats) -> Floats:
    """How many decimals a number has when it is written down; those with many have ``MOST_DECIMALS``."""
    result = np.where(np.isfinite(values), float(MOST_DECIMALS), np.nan)
    with np.errstate(all="ignore"):
        for digits in reversed(range(MOST_DECIMALS)):
            result[np.round(values, digits) == values] = digits
    return np.where(np.isfinite(values), result, np.nan)


def _fraction(values: Floats) -> Floats:
    """What is left above the next whole number below, to twelve digits: additions round."""
    with np.errstate(invalid="ignore"):
        return np.round(values - np.floor(values), 12)


def _parity(values: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.where(values == np.floor(values), np.mod(values, 2), np.nan)


def _negative_zeros(values: Floats) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = (values == 0) & np.signbit(values)
    return found


def _zeros_with_sign(name: str, outputs: Outputs) -> list[Hashable]:
    return ["-0.0" if each else None for each in _negative_zeros(outputs.column(name))]
