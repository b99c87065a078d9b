"""Plain tables as TOML; the standard library reads it, and does not write it."""

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from dampen.errors import ParameterError

BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def toml_text(table: Mapping[str, Any]) -> str:
    """A table of values and tables as TOML; ``tomllib`` reads the same back.

    >>> print(toml_text({"data": "staff.csv", "columns": {"net pay": {"kind": "text"}}}), end="")
    data = "staff.csv"
    <BLANKLINE>
    [columns."net pay"]
    kind = "text"
    """
    return "\n".join(_lines(table, ())) + "\n"


def toml_key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if BARE.fullmatch(name) else _quoted(name)


def toml_value(value: Any) -> str:
    """A text, a truth value, a number, a day, a moment or a list of these."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if type(value) in (int, float):
        return repr(value)
    if isinstance(value, date):
        return value.isoformat()
    raise ParameterError(
        f"only texts, numbers, truth values and days can be written as TOML; got {type(value).__name__}"
    )


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    values = {name: value for name, value in table.items() if not isinstance(value, Mapping)}
    lines = [f"{toml_key(name)} = {toml_value(value)}" for name, value in values.items()]
    if path and (values or not table):
        lines = ["", f"[{'.'.join(map(toml_key, path))}]", *lines]
    for name, value in table.items():
        if isinstance(value, Mapping):
            lines += _lines(value, (*path, name))
    return lines


def _quoted(text: str) -> str:
    """As JSON has it, and one character more: TOML wants all that control a terminal written out."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
