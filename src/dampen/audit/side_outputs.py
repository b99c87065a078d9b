"""What leaves beside the answer: texts, attributes, and the data itself.

A short look comes first. What it suspects is repeated before it is told: ``CONFIRMED`` draws on each data set that are
all alike on one and all different on the other happen less often than once in a million where epsilon is below 1.8.
"""

import re
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from dampen.audit.drawing import Draw, snapshot
from dampen.audit.leaves import Raised
from dampen.audit.outputs import Outputs
from dampen.audit.probe_report import ProbeFinding, found, hint, not_tried, nothing

REPEATS = 12
"""So often a side output is looked at first."""
CONFIRMED = 100
SECONDS = 20.0
"""After so many a suspicion that is not confirmed yet is told as a hint."""
KINDS = ("prints", "warnings", "exceptions")
SHORTEST, LONG = 3, 5
"""Values that print shorter than this occur in every text; those of this length only if they are meant."""
FEW = 3
"""A value is quoted if it is in all texts, so many at least."""
Look = dict[str, str]


def _looks(look: Callable[[Any], Look], x: Any, y: Any, count: int) -> tuple[list[Look], list[Look]]:
    """So many looks at each data set, in turns; fewer where they take long."""
    start, on_x, on_y = time.monotonic(), list[Look](), list[Look]()
    while len(on_x) < count and (len(on_x) < REPEATS or time.monotonic() - start < SECONDS):
        on_x.append(look(x))
        on_y.append(look(y))
    return on_x, on_y


# Texts


def probe_texts(draw: Draw, x: Any, y: Any) -> list[ProbeFinding]:
    """Whether texts that leave beside the answer quote the data, or are of one data set alone."""
    heard = _looks(lambda data: _listen(draw, data), x, y, REPEATS)
    suspected = [kind for kind in KINDS if _one_side(kind, *heard)]
    if suspected:
        heard = _looks(lambda data: _listen(draw, data), x, y, CONFIRMED)
    return [_judge_texts(kind, heard, (x, y)) for kind in KINDS]


def _judge_texts(kind: str, heard: tuple[list[Look], list[Look]], pair: tuple[Any, Any]) -> ProbeFinding:
    if _is_quoted([[text for each in texts if (text := each[kind])] for texts in heard], pair):
        return found(kind, f"one of the {kind} has a value of the data in it")
    side = _one_side(kind, *heard)
    if not side:
        return nothing(kind, f"none of the {kind} has data in it")
    words = f"{kind} come on {side} alone, in all of {len(heard[0])} draws"
    return found(kind, words) if len(heard[0]) >= CONFIRMED else hint(kind, words)


def _one_side(kind: str, on_x: list[Look], on_y: list[Look]) -> str:
    """The data set that always has such texts, if the other one never has; else nothing."""
    for name, one, other in (("x", on_x, on_y), ("y", on_y, on_x)):
        if all(each[kind] for each in one) and not any(each[kind] for each in other):
            return name
    return ""


def _is_quoted(texts: list[list[str]], pair: tuple[Any, Any]) -> bool:
    """Whether a value of the data is in all texts of the data sets that have it.

    One that both have must be long, as their texts could have it for other reasons; one that a single data set has must
    not be in texts of the other.
    """
    held = [{*_values_of(data)} for data in pair]
    for value in held[0] | held[1]:
        word = re.compile(rf"(?<![\w.]){re.escape(value)}(?![\w]|\.\d)")
        seen_on = [[bool(word.search(text)) for text in some] for some in texts]
        own = [seen for values, seen in zip(held, seen_on, strict=True) if value in values]
        other = [seen for values, seen in zip(held, seen_on, strict=True) if value not in values]
        always = all(len(seen) >= FEW and all(seen) for seen in own)
        if always and not any(map(any, other)) and (other or len(value) >= LONG):
            return True
    return False


def _listen(draw: Draw, data: Any) -> Look:
    printed, error = StringIO(), ""
    with warnings.catch_warnings(record=True) as warned, redirect_stdout(printed), redirect_stderr(printed):
        warnings.simplefilter("always")
        try:
            draw(data)
        except Exception as raised:
            error = repr(Raised.by(raised))
    told = " ".join(str(each.message) for each in warned)
    return {"prints": printed.getvalue(), "warnings": told, "exceptions": error}


def _values_of(data: Any) -> Iterator[str]:
    """How the single values of a data set print, those that could occur anywhere left out."""
    if isinstance(data, dict):
        for value in data.values():
            yield from _values_of(value)
    elif isinstance(data, list | tuple | set | frozenset | np.ndarray):
        for value in data:
            yield from _values_of(value)
    elif len(str(data)) >= SHORTEST and data is not True and data is not False and data is not None:
        yield str(data)


# Attributes


def probe_attributes(draw: Draw, x: Any, y: Any) -> ProbeFinding:
    """Whether what is returned has attributes that are the same in every draw on one data set, and differ on the other.

    Those that hold random numbers differ in every draw, and are judged as outputs: hand them to an audit.
    """
    seen = _looks(lambda data: _attributes_of(draw, data), x, y, REPEATS)
    names = sorted({name for each in (*seen[0], *seen[1]) for name in each})
    if not names:
        return not_tried("attributes", "what it returns has none")
    if any(_is_exact(name, *seen) for name in names):
        seen = _looks(lambda data: _attributes_of(draw, data), x, y, CONFIRMED)
    exact = [name for name in names if _is_exact(name, *seen)]
    if not exact:
        return nothing("attributes", f"none of {len(names)} attributes is exact and differs on x and on y")
    some = ", ".join(exact[:6]) + (" and more" if len(exact) > 6 else "")
    words = f"the same in all of {len(seen[0])} draws on each, and different on x and on y: {some}"
    return found("attributes", words) if len(seen[0]) >= CONFIRMED else hint("attributes", words)


def _attributes_of(draw: Draw, data: Any) -> Look:
    try:
        output = draw(data)
    except Exception:
        return {}
    told = {name: _text_of(value) for name, value in getattr(output, "__dict__", {}).items()}
    base = getattr(output, "base", None) if isinstance(output, np.ndarray) else None
    return told if base is None else told | {"base": _text_of(base)}


def _text_of(value: Any) -> str:
    """A value as far as it can be told; addresses in memory are not."""
    return repr(Outputs([value]).rows[0]) if not callable(value) else ""


def _is_exact(name: str, on_x: list[Look], on_y: list[Look]) -> bool:
    told = [{each.get(name, "") for each in some} for some in (on_x, on_y)]
    return len(told[0]) == 1 and len(told[1]) == 1 and told[0] != told[1]


# The data


def probe_data(draw: Draw, x: Any) -> ProbeFinding:
    """Whether a draw changes its data, or hands it out: memory of the data in what it returns."""
    before = snapshot(x)
    try:
        output = draw(x)
    except Exception:
        return not_tried("data", "the draw raised an exception")
    if before is not None and snapshot(x) != before:
        return found("data", "a draw changes the data that it is given")
    own = list(_holders_in(x))
    if any(_is_same(one, other) for one in _holders_in(output) for other in own):
        return found("data", "what it returns is a part of the data itself, or shares memory with it")
    return nothing("data", "the data stays as it is, and is not handed out")


def _holders_in(value: Any) -> Iterator[Any]:
    """Everything within a value that somebody could write into."""
    if isinstance(value, list | dict | set | bytearray | np.ndarray):
        yield value
    if isinstance(value, list | tuple | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _holders_in(each)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool(np.may_share_memory(one, other))
    return one is other
