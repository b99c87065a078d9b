"""Many draws on two data sets, in turns; a bar for whoever waits."""

import copy
import inspect
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import render
from dampen.audit.arguments import require_function
from dampen.audit.leaves import Raised, has_address
from dampen.audit.outputs import Outputs
from dampen.errors import ParameterError

Draw = Callable[[Any], Any]
Batch = Callable[[Any, int], Sequence[Any] | NDArray[Any]]
TURN = 500
"""So many draws are made on one data set before it is the other one's turn: what changes slowly changes for both."""
PATIENCE = 1.0
"""Seconds until a bar appears."""
LOOKED_AT = 8
"""So many of the first outputs are looked at for something that cannot be compared: they may be large."""
HOLDERS = {list, tuple, dict, set, bytearray, np.ndarray}
PLAIN = (str, bytes, int, float, complex, bool, type(None), np.generic)


def require_draw(draw: object, batch: object = None) -> None:
    """Require functions that can be called with a data set, and with a data set and a number."""
    require_function("a data set to an output", draw=draw)
    if batch is None:
        _require_arguments("draw", draw, 1, "a data set alone", "lambda data: draw(data, ...)")
        return
    require_function("a data set and a number to so many outputs", batch=batch)
    _require_arguments("batch", batch, 2, "a data set and a number", "lambda data, n: batch(data, n, ...)")


def _require_arguments(name: str, function: Any, count: int, arguments: str, example: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions that are not written in Python do not tell
        return
    try:
        signature.bind(*[None] * count)
    except TypeError:
        taken = ", ".join(signature.parameters) or "none"
        raise ParameterError(f"{name} must take {arguments}; it takes {taken}: write {example}") from None


def draw_both(
    draw: Draw, x: Any, y: Any, count: int, *, batch: Batch | None = None, advance: Callable[[int], None]
) -> tuple[Outputs, Outputs]:
    """So many outputs on each of two data sets.

    Refused are a draw that does nothing but raise the same exception, one whose outputs cannot be compared, and one
    that changes its data: the next draw would be on another data set.
    """
    for name, data in zip("xy", (x, y), strict=True):
        if isinstance(data, Iterator):
            raise ParameterError(f"{name} must be a data set that can be read again and again, such as a list")
    drawn: tuple[list[Any], list[Any]] = [], []
    before = snapshot(x), snapshot(y)
    for start in range(0, count, TURN):
        size = min(TURN, count - start)
        for data, outputs in zip((x, y), drawn, strict=True):
            outputs.append(_draw_some(draw, data, size) if batch is None else _draw_batch(batch, data, size))
            advance(size)
        if start == 0:
            _require_some_output([*drawn[0][0], *drawn[1][0]])
        if start == 0 or start + size == count:
            _require_unchanged(before, x, y)
    one, other = map(_join, drawn)
    return Outputs(one), Outputs(other)


def _draw_some(draw: Draw, data: Any, size: int) -> list[Any]:
    return [draw_one(draw, data) for _ in range(size)]


def draw_one(draw: Draw, data: Any) -> Any:
    """An output as it is now, or the exception that was raised instead."""
    try:
        output = draw(data)
    except Exception as error:  # that, and what, it raises may depend on the data: it is an output
        return Raised.by(error)
    return _keep(output)


def _keep(output: Any) -> Any:
    """A copy of what the next draw could write over."""
    kind = type(output)
    if kind is np.ndarray:
        return output.copy()
    if kind is dict:
        return {key: _keep(each) if type(each) in HOLDERS else each for key, each in output.items()}
    if kind in HOLDERS:
        return kind(_keep(each) if type(each) in HOLDERS else each for each in output)
    parameters = getattr(kind, "__dataclass_params__", None)
    return output if parameters is None or parameters.frozen else copy.copy(output)


def snapshot(data: Any) -> bytes | None:
    """What a data set holds, where it is made of plain lists, mappings, numbers and texts alone."""
    return pickle.dumps(data) if _is_plain(data) else None


def _is_plain(data: Any) -> bool:
    if isinstance(data, np.ndarray):
        return data.dtype.kind in "biufcSU"
    if isinstance(data, dict):
        return all(map(_is_plain, data.values()))
    return all(map(_is_plain, data)) if type(data) in HOLDERS | {frozenset} else isinstance(data, PLAIN)


def _require_unchanged(before: tuple[bytes | None, bytes | None], x: Any, y: Any) -> None:
    for name, data, held in zip("xy", (x, y), before, strict=True):
        if held is not None and snapshot(data) != held:
            raise ParameterError(
                f"draw must leave its data as it is, and changed {name}: write lambda data: draw(copy.deepcopy(data))"
            )


def _draw_batch(batch: Batch, data: Any, size: int) -> Sequence[Any] | NDArray[Any]:
    outputs = batch(data, size)
    if not isinstance(outputs, list | tuple | np.ndarray) or len(outputs) != size:
        raise ParameterError(f"batch must return {size} outputs in a list or an array; it returned {render(outputs)}")
    return outputs.tolist() if isinstance(outputs, np.ndarray) and outputs.dtype.kind not in "biuf" else outputs


def _require_some_output(outputs: Sequence[Any]) -> None:
    first = outputs[0]
    if isinstance(first, Raised) and all(isinstance(each, Raised) and each == first for each in outputs):
        raise ParameterError(f"draw must return an output on x or on y; it always raised a {first.kind}")
    some = outputs[:: max(len(outputs) // LOOKED_AT, 1)]
    unknown = next((each for each in some if has_address(each)), None)
    if unknown is not None:
        raise ParameterError(
            "draw must return what is published: numbers, texts, lists, mappings; it returned something that cannot be "
            f"compared, a {type(unknown).__name__}"
        )


def _join(parts: list[Any]) -> Any:
    """One array of arrays of one type and shape; a list of anything else, in which every output stays as it is."""
    forms = {(part.dtype, part.shape[1:]) if isinstance(part, np.ndarray) else None for part in parts}
    if len(forms) == 1 and None not in forms:
        return np.concatenate(parts)
    return [output for part in parts for output in part]


@contextmanager
def progress(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function that is told how much more is done; from the first second on with a bar, if somebody watches."""
    if not sys.stderr.isatty():
        yield lambda steps: None
        return
    from rich.console import Console
    from rich.progress import Progress

    start = time.monotonic()
    bar = Progress(console=Console(stderr=True), transient=True)
    task, shown = bar.add_task(title, total=total), False

    def advance(steps: int) -> None:
        nonlocal shown
        bar.advance(task, steps)
        if not shown and time.monotonic() - start > PATIENCE:
            bar.start()
            shown = True

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
