"""A first draft of a description, from names and declared types alone, for somebody who knows the data to fill in.

Values, statistics and categories of the data would be private: none of them is looked at, and nothing is proposed.
"""

import re
from collections.abc import Iterable

from dampen._validate import render, text
from dampen.describe.toml import toml_key, toml_value
from dampen.errors import ParameterError

BEGINNING = """\
# What is publicly known of the data. Paths are relative to this file.
# Fill in what is missing from what everybody may know (a law, a form, a unit), never from the data themselves.
# Take out the columns that nobody asks about, or call them "text". Further lines that a column may have:
#   number: step = 1 (how far answers of percentiles lie apart), unit = 1 (what sums are multiples of;
#     alone, without bounds, where nobody knows any), shape = "uniform" (how values lie, for plans)
#   category: other = "b" (the one of its values that all others count as)
#   date: step = "month" (or "day", "week", "year": how far answers of percentiles lie apart)
#   all but text: missing = "drop" (a missing value leaves its row out)
"""
NAMES_ALONE = """\
# The names are the first line of the file. If that line is a record of somebody's, the file has no header: throw this
# draft away, and give names yourself.
"""
MIDDLE = """\
# ledger = "staff.db"  # an existing ledger, which remembers what was spent; `dampen budget create` makes one
adjacency = "add_remove"  # or "replace", where the number of rows is public
# person = "patient"  # where persons have several rows: the column that tells whose a row is
"""

DRAFTS = {
    "number": """\
kind = "number"
# bounds = [0, 100]  # lowest and highest possible number; others count as the nearer one
""",
    "category": """\
kind = "category"  # or "text", for names and remarks
# values = ["a", "b"]  # all values that are possible
""",
    "date": """\
kind = "date"
# bounds = [2000-01-01, 2030-12-31]  # first and last possible day
""",
    "flag": 'kind = "flag"\n',
    "text": 'kind = "text"  # groups nobody listed, or nothing to ask about\n',
    "": """\
# kind = "number"
# bounds = [0, 100]
# kind = "category"
# values = ["a", "b"]
# kind = "date"
# bounds = [2000-01-01, 2030-12-31]
# kind = "flag"
# kind = "text"
""",
}
"""What is written for a column of each kind; where no type is declared, one of all kinds is to be chosen."""

TYPES = {
    "number": "u?(tiny|small|big|huge)?int(eger)?|u?int[0-9]+|float|double|real|half|halffloat|decimal|numeric",
    "flag": "bool(ean)?",
    "date": "date|timestamp|datetime",
    "category": "varchar|char|string|large|utf8?|str|text|enum|dictionary|categor(y|ical)|object|uuid",
}
"""How the words of declared types begin, in Arrow, Parquet, SQL and data frames."""


def draft(columns: Iterable[tuple[str, str | None]], *, data: str | None = None) -> str:
    """A description to fill in, as TOML, from names and declared types; ``None`` for a type that is not declared.

    What was declared with a type beside its name, such as the values of an enumeration, is not looked at.
    Reading the draft refuses it with what is still to be filled in.

    >>> print(draft([("smoker", "bool")])[-32:], end="")
    <BLANKLINE>
    [columns.smoker]
    kind = "flag"
    """
    listed = [(name, kind_of(declared)) for name, declared in columns]
    names = [name for name, _ in listed]
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise ParameterError("a draft needs at least one column, and the names of columns must be distinct texts")
    beginning = BEGINNING + (NAMES_ALONE if all(kind == "" for _, kind in listed) else "")
    where = "" if data is None else f"data = {toml_value(text(data=data, longest=1000))}\n"
    tables = [f"\n[columns.{toml_key(name)}]\n{DRAFTS[kind]}" for name, kind in listed]
    return f"{beginning}{where}{MIDDLE}{''.join(tables)}"


def kind_of(declared: str | None) -> str:
    """The kind of column that a declared type suggests by its first word; "text" for types that nothing asks about."""
    if declared is None:
        return ""
    if not isinstance(declared, str):
        raise ParameterError(f"a declared type must be a text or None; got {render(declared)}")
    found = re.match(r"([a-z]+[0-9]*)(?!.*\[[0-9]*\]$)", declared.strip().lower(), re.DOTALL)
    word = "" if found is None else found[1]  # nothing before brackets that make a list of it
    return next((kind for kind, words in TYPES.items() if re.fullmatch(f"({words})[0-9]*", word)), "text")
