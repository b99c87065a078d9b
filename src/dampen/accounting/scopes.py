"""The names of the parts of a budget: ``analyst=ann/project=census`` lies in ``analyst=ann`` lies in the whole."""

from dampen._validate import render, text
from dampen.errors import ParameterError


def child_of(parent: str, kind: object, name: object) -> str:
    """The name of a part of ``parent``."""
    step = f"{_word(kind=kind)}={_word(name=name)}"
    return f"{parent}/{step}" if parent else step


def branch_of(scope: str) -> tuple[str, ...]:
    """The scope and all its parents, the whole budget (whose name is empty) first."""
    words = scope.split("/") if scope else []
    return tuple("/".join(words[:depth]) for depth in range(len(words) + 1))


def within(scope: str) -> tuple[str, tuple[str | int, ...]]:
    """The SQL condition that a row belongs to a scope or to one below it, and its parameters."""
    if not scope:
        return "1", ()
    return "(scope = ? OR substr(scope, 1, ?) = ?)", (scope, len(scope) + 1, scope + "/")


def _word(**named: object) -> str:
    [(argument, value)] = named.items()
    word = text(longest=100, **named)
    if word != word.strip() or not word or set(word) & set("=/"):
        raise ParameterError(f"{argument} must be a word without '=' and '/'; got {render(value)}")
    return word
