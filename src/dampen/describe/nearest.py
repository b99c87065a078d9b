"""Sentences about a name that is not declared: which one was probably meant, and which there are."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from dampen._validate import render

LONGEST_NAME, LONGEST_LIST = 32, 90
"""So many characters of a name are shown, and of a list of names: a refusal is one short line."""
LONGEST_COMPARED = 200
"""A longer text is no misspelt name."""


def unknown(given: Any, declared: Iterable[Any], title: str = "Declared") -> str:
    """What was given, the nearest of what is declared, and what is.

    >>> unknown("onko", ["onco", "cardio"])
    '"onko": did you mean "onco"? Declared: "onco", "cardio"'
    >>> unknown(7, ["onco", "cardio"])
    '7. Declared: "onco", "cardio"'
    """
    known = list(declared)
    near = nearest(given, known)
    hint = "." if near is None else f": did you mean {quoted(near)}?"
    return f"{quoted(given)}{hint} {title}: {listing(known)}"


def nearest(given: Any, declared: Iterable[Any]) -> str | None:
    """The declared text that is most like the one given, in any case of letters; ``None`` if none is close."""
    texts = {each.casefold(): each for each in declared if isinstance(each, str)}
    if not isinstance(given, str) or len(given) > LONGEST_COMPARED:
        return None
    found = get_close_matches(str.__str__(given).casefold(), texts, n=1)
    return texts[found[0]] if found else None


def listing(names: Iterable[Any]) -> str:
    """Names on one short line; a long list is cut."""
    told = ""
    for name in names:
        longer = f"{told}, {quoted(name)}" if told else quoted(name)
        if len(longer) > LONGEST_LIST:
            return f"{told}, ..."
        told = longer
    return told or "nothing"


def quoted(name: Any) -> str:
    """A name on one short line."""
    if isinstance(name, str) and len(name) <= LONGEST_NAME and str.isprintable(name):
        return f'"{str.__str__(name)}"'
    return render(name, longest=LONGEST_NAME)
