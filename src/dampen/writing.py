"""How values are written for others to read: amounts in words, JSON, HTML."""

import html
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, time
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from dampen._validate import Number, brief, exact, plain
from dampen.errors import MissingExtra

LARGEST_WRITTEN_OUT = 10**15
"""A larger whole number is rounded up too."""
FOUR_DIGITS = Context(prec=4, rounding=ROUND_CEILING)
FOUR_DIGITS_DOWN = Context(prec=4, rounding=ROUND_FLOOR)
PAGE_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}"
    "table{border-collapse:collapse;display:block;overflow-x:auto}"
    "th,td{border:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top;overflow-wrap:break-word}"
    "figure{margin:1em 0}figcaption{font-style:italic}svg{max-width:100%;height:auto}"
)


def percent(share: Number) -> str:
    """A share in percent."""
    return f"{brief(100 * exact(share=share))} %"


def four_digits(number: Fraction, *, up: bool) -> str:
    """An exact number with four digits: never less than it is, or never more."""
    context = FOUR_DIGITS if up else FOUR_DIGITS_DOWN
    rounded = context.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize(context)
    return f"{rounded:,f}" if -6 <= rounded.adjusted() < 15 else f"{rounded:e}"


def round_up(amount: float) -> str:
    """A whole number as it is; any other, taken as the decimal it prints as, with four digits and never less."""
    if amount.is_integer() and abs(amount) < LARGEST_WRITTEN_OUT:
        return f"{int(amount):,}"
    rounded = FOUR_DIGITS.create_decimal(repr(float(amount))).normalize()
    return f"{rounded:,f}" if -6 <= rounded.adjusted() < 15 else f"{rounded:e}"


def as_json(value: Any) -> Any:
    """A value of the types that JSON knows: exact numbers as text, dates as in ISO 8601, everything else as it prints.

    Numbers that are not finite become null: JSON has none.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return float(value) if isfinite(value) else None
    if isinstance(value, Fraction):
        return plain(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, np.datetime64):
        return str(value)
    if isinstance(value, np.generic | np.ndarray):
        return as_json(value.tolist())
    if isinstance(value, Mapping):
        return {str(as_json(key)): as_json(each) for key, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [as_json(each) for each in value]
    return str(value)


def html_table(rows: Iterable[tuple[Any, ...]]) -> str:
    """A plain table: the first cell of each row is its head."""
    lines = []
    for head, *cells in rows:
        rest = "".join(f"<td>{html.escape(str(cell))}</td>" for cell in cells)
        lines.append(f"<tr><th>{html.escape(str(head))}</th>{rest}</tr>")
    return f"<table>{''.join(lines)}</table>"


def pyplot_for(drawing: str) -> Any:
    """The module matplotlib.pyplot; one line that says what to install where it is missing."""
    try:
        import matplotlib.pyplot as pyplot
    except ImportError:
        raise MissingExtra(f"{drawing} needs matplotlib: pip install 'dampen[plots]'") from None
    return pyplot


def html_page(title: str, parts: Iterable[str]) -> str:
    """One page that opens without a network, of parts that are HTML already."""
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{PAGE_STYLE}</style>'
    body = "\n".join([f"<h1>{html.escape(title)}</h1>", *parts])
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def html_element(name: str, text: str) -> str:
    """Plain text as an element of a page: ``p``, ``h2``, ``li``."""
    return f"<{name}>{html.escape(text)}</{name}>"


class Error(float):
    """How far an answer is off at most: a number that prints as the statement that it is part of."""

    unit: str
    confidence: Fraction
    statement: str

    def __new__(cls, bound: float, unit: str, confidence: Fraction, statement: str) -> "Error":  # noqa: D102
        error = super().__new__(cls, bound)
        error.unit, error.confidence, error.statement = unit, confidence, statement
        return error

    def __getnewargs__(self) -> Any:
        return float(self), self.unit, self.confidence, self.statement

    def __str__(self) -> str:
        return self.statement

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        told = {"bound": as_json(float(self)), "unit": self.unit}
        return told | {"confidence": plain(self.confidence), "statement": self.statement}
