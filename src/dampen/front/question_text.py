"""Questions as people write them: ``median pay``, ``percentile 90 of pay where team=lab``, ``count by team, smoker``.

The words are those of the library and of the command. A text is read once, by a description, and asks what the method
of the same name asks.
"""

import csv
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from dampen._validate import Number, render, share_of
from dampen.describe.columns import Column
from dampen.describe.conditions import Condition
from dampen.describe.nearest import unknown
from dampen.describe.where import find_column
from dampen.describe.where_text import conditions_from_texts
from dampen.errors import ParameterError
from dampen.front.groups import GroupedTable
from dampen.front.table import Table
from dampen.questions.record import RECORD

LONGEST = 500
"""A longer text is no question."""
FORMS = "'median pay', 'percentile 90 of pay where team=lab' or 'count by team, smoker'"


def nouns_of(name: str) -> tuple[str, ...]:
    """What a question of a table is asked with, in order: its column, and a noun of its own."""
    listed = inspect.signature(getattr(Table, name)).parameters.values()
    return tuple(each.name for each in listed if each.kind is each.POSITIONAL_OR_KEYWORD and each.name != "self")


WORDS = {
    name: nouns_of(name) for name in sorted(RECORD) if hasattr(Table, name) and nouns_of(name)[:1] in ((), ("column",))
}
"""The questions that can be written down, and what they are asked with."""


@dataclass(frozen=True)
class Asked:
    """A question that was read.

    ``wishes``: its conditions as they were written; ``options``: what is said of persons, ``of`` and ``cap``.
    """

    name: str
    column: str | None
    noun: Any
    by: tuple[str, ...]
    conditions: tuple[Condition, ...]
    wishes: tuple[str, ...] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The text in one spelling."""
        nouns = [] if self.noun is None else [",".join(map(str, _listed(self.noun))), "of"]
        words = [self.name, *nouns, *([] if self.column is None else [self.column])]
        words += [f"{word} {said}" for word, said in self.options.items()]
        words += [f"by {', '.join(self.by)}"] if self.by else []
        return " ".join([*words, *([f"where {' and '.join(self.wishes)}"] if self.wishes else [])])

    def with_cap(self, cap: Number) -> "Asked":
        """The same with a public cap for each person."""
        return replace(self, options={**self.options, "cap": str(cap)})

    def of(self, table: Table) -> Any:
        """The rows of a table, or their groups, that are asked."""
        part = table.restrict(self.conditions) if self.conditions else table
        return part.by(*self.by) if self.by else part

    def method(self, rows: Any) -> Callable[..., Any]:
        """The method of this name."""
        if self.by and not hasattr(GroupedTable, self.name):
            raise ParameterError(f"{render(self.told)} must be asked without groups: of one group, ask with where")
        found: Callable[..., Any] = getattr(rows, self.name)
        return found

    def ask(self, rows: Any, **price: Number) -> Any:
        """What the method returns."""
        method = self.method(rows)
        for word, said in self.options.items():
            if word not in inspect.signature(method).parameters:
                raise ParameterError(f"{render(self.told)} must be asked without {render(f'{word} {said}')}")
        given = [each for each in (self.column, self.noun) if each is not None]
        return method(*given, **self.options, **price)

    @property
    def shares(self) -> tuple[Any, ...]:
        """The shares of all people that percentiles are asked at; none for other questions."""
        if self.name == "median":
            return (share_of(50),)
        if self.name not in ("percentile", "percentiles"):
            return ()
        return tuple(map(share_of, _listed(self.noun)))


def _listed(noun: Any) -> tuple[Any, ...]:
    return noun if isinstance(noun, tuple) else (noun,)


def read_question(text: Any, columns: Mapping[str, Column]) -> Asked:
    """The question that a text asks of a table with these columns."""
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST or not text.isprintable():
        raise ParameterError(f"a question must be a text such as {FORMS}; got {render(text)}")
    first, _, rest = text.strip().partition(" ")
    name = first.replace("-", "_")
    if name not in WORDS:
        raise ParameterError(f"a question must begin with one of its words, not {unknown(first, WORDS, 'Words')}")
    noun, rest = _read_noun(name, rest.strip())
    column, rest = _read_column(name, rest, columns)
    options, rest = _read_options(rest)
    groups, where = _split_rest(rest, text)
    by = tuple(each.strip() for each in next(csv.reader([groups], skipinitialspace=True), [])) if groups else ()
    for each in by:
        find_column(columns, each)
    wishes = _conditions(where) if where else []
    conditions = conditions_from_texts(columns, wishes)
    return Asked(name, column, noun, by, conditions, tuple(wishes), options)


def _read_noun(name: str, rest: str) -> tuple[Any, str]:
    """The noun of a question, a number or several, and what follows it."""
    if len(WORDS[name]) < 2:
        return None, rest
    found = re.match(r"([\d.,/\s]*\d)(?:\s+of)?(?:\s+|$)", rest)
    if found is None:
        example = {"k": "3", "ps": "25,50,75"}.get(WORDS[name][1], "90")
        raise ParameterError(f"{name} must be written with a number, as '{name} {example} of pay'; got {render(rest)}")
    numbers = tuple(each.strip() for each in found[1].split(","))
    if WORDS[name][1] == "ps":
        return numbers, rest[found.end() :]
    if len(numbers) > 1:
        raise ParameterError(f"{name} must be written with one number; got {render(found[1])}")
    return int(numbers[0]) if WORDS[name][1] == "k" and numbers[0].isdecimal() else numbers[0], rest[found.end() :]


def _read_column(name: str, rest: str, columns: Mapping[str, Column]) -> tuple[str | None, str]:
    """The longest declared name that follows, and what stands behind it."""
    if not WORDS[name]:
        return None, rest
    plain = rest.removeprefix("of ").strip()
    for column in sorted(columns, key=len, reverse=True):
        if plain == column or plain.startswith(f"{column} "):
            return column, plain[len(column) :].strip()
    first = plain.partition(" ")[0]
    if not first or first in ("by", "where"):
        raise ParameterError(f"{name} must name a column, as '{name} pay'; got {render(rest)}")
    find_column(columns, first)  # refuses it, with the nearest name
    raise AssertionError


def _read_options(rest: str) -> tuple[dict[str, str], str]:
    """What is said of persons, and what stands behind it."""
    options: dict[str, str] = {}
    while found := re.match(r"(of(?=\s+(?:rows|persons)\b)|cap)\s+(\S+)(?:\s+|$)", rest):
        if found[1] in options:
            break
        options[found[1]], rest = found[2], rest[found.end() :]
    return dict(sorted(options.items(), reverse=True)), rest


def _split_rest(rest: str, text: str) -> tuple[str, str]:
    """What stands behind ``by``, and behind ``where``."""
    groups, _, where = rest.partition("where ") if rest.startswith("where ") else rest.partition(" where ")
    if groups and not groups.startswith("by "):
        raise ParameterError(f"a question must end with its column, 'by ...' or 'where ...'; got {render(text)}")
    return groups.removeprefix("by ").strip(), where.strip()


def _conditions(where: str) -> list[str]:
    """The conditions between the words ``and``; that of ``between`` joins its two ends."""
    parts: list[str] = []
    for part in re.split(r"\s+and\s+", where):
        joins = bool(parts) and re.search(r"\sbetween\s", parts[-1]) and " and " not in parts[-1]
        parts = [*parts[:-1], f"{parts[-1]} and {part}"] if joins else [*parts, part]
    return parts
