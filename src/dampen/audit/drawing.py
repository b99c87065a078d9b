"""Many draws on two data sets, in turns; a bar for whoever waits."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import render
from dampen.audit.outputs import Outputs, Raised
from dampen.errors import ParameterError

Draw = Callable[[Any], Any]
Batch = Callable[[Any, int], Sequence[Any] | NDArray[Any]]
TURN = 500
"""So many draws are made on one data set before it is the other one's turn: what changes slowly changes for both."""
PATIENCE = 1.0
"""Seconds until a bar appears."""


def draw_both(
    draw: Draw, x: Any, y: Any, count: int, *, batch: Batch | None = None, advance: Callable[[int], None]
) -> tuple[Outputs, Outputs]:
    """So many outputs on each of two data sets; a draw that does nothing but raise the same exception is refused."""
    drawn: tuple[list[Any], list[Any]] = [], []
    for start in range(0, count, TURN):
        size = min(TURN, count - start)
        for data, outputs in zip((x, y), drawn, strict=True):
            outputs.append(_draw_some(draw, data, size) if batch is None else _draw_batch(batch, data, size))
            advance(size)
        if start == 0:
            _require_some_output([*drawn[0][0], *drawn[1][0]])
    one, other = map(_join, drawn)
    return Outputs(one), Outputs(other)


def _draw_some(draw: Draw, data: Any, size: int) -> list[Any]:
    return [draw_one(draw, data) for _ in range(size)]


def draw_one(draw: Draw, data: Any) -> Any:
    """An output, or the exception that was raised instead."""
    try:
        return draw(data)
    except Exception as error:  # that, and what, it raises may depend on the data: it is an output
        return Raised.by(error)


def _draw_batch(batch: Batch, data: Any, size: int) -> Sequence[Any] | NDArray[Any]:
    outputs = batch(data, size)
    if not isinstance(outputs, list | tuple | np.ndarray) or len(outputs) != size:
        raise ParameterError(f"batch must return {size} outputs in a list or an array; it returned {render(outputs)}")
    return outputs.tolist() if isinstance(outputs, np.ndarray) and outputs.dtype.kind not in "biuf" else outputs


def _require_some_output(outputs: Sequence[Any]) -> None:
    first = outputs[0]
    if isinstance(first, Raised) and all(isinstance(each, Raised) and each == first for each in outputs):
        raise ParameterError(f"draw must return an output on x or on y; it always raised a {first.kind}")


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
