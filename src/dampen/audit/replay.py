"""Does noise come again? After generators that anybody can seed were seeded, and in a second process."""

import multiprocessing
import pickle
import sys
import time
from collections import Counter
from typing import Any

import numpy as np

from dampen.audit.drawing import Draw, draw_one
from dampen.audit.outputs import Outputs
from dampen.audit.probe_report import ProbeFinding, found, not_tried, nothing

SEED = 20_120_224
VARIED = 20
"""Outputs of a stream that are not its most frequent one: each is half as likely at most, so two streams that are drawn
independently are the same once in a million times."""
MOST_DRAWS, SECONDS = 400, 20.0
"""A stream ends here, varied or not."""
PATIENCE = 60
"""Seconds until a process that does not answer is given up."""
HARDLY = "its outputs hardly vary"


def probe_seeds(draw: Draw, x: Any) -> ProbeFinding:
    """Whether the outputs come again after the generators of Python and numpy are seeded; both get their state back."""
    python, states = sys.modules.get("random"), np.random.get_state()
    kept = None if python is None else python.getstate()
    try:
        streams = []
        for _ in range(2):
            np.random.seed(SEED)
            if python is not None:
                python.seed(SEED)
            streams.append(_stream(draw, x))
    finally:
        np.random.set_state(states)
        if python is not None:
            python.setstate(kept)
    again = _come_again(*streams)
    if again is None:
        return not_tried("seeds", HARDLY)
    if again:
        words = "the same outputs come again after the generators of Python and numpy are seeded"
        return found("seeds", f"{words}: whoever seeds them knows the noise")
    return nothing("seeds", "seeding the generators of Python and numpy does not bring outputs again")


def probe_processes(draw: Draw, x: Any) -> ProbeFinding:
    """Whether two new processes give the same outputs in the same order."""
    cannot = not_tried("processes", "draw cannot be handed to another process; write it as a function of a module")
    try:
        handed_over = pickle.dumps((draw, x))
    except Exception:
        return cannot
    if b"__main__" in handed_over:  # a new process would run the whole script again, or find nothing in a notebook
        return cannot
    context = multiprocessing.get_context("spawn")
    try:
        streams = []
        for _ in range(2):
            with context.Pool(1) as pool:
                streams.append(pool.apply_async(_stream, (draw, x)).get(PATIENCE))
    except Exception as error:
        return not_tried("processes", f"another process could not run it ({type(error).__name__})")
    again = _come_again(*streams)
    if again is None:
        return not_tried("processes", HARDLY)
    if again:
        return found("processes", "two processes give the same outputs in the same order: a fixed seed")
    return nothing("processes", "two processes do not give the same outputs in the same order")


def _stream(draw: Draw, x: Any) -> list[str]:
    """Outputs until they are varied, as text: they are compared, and cross the border of a process."""
    start, stream, times = time.monotonic(), list[str](), Counter[str]()
    while len(stream) < MOST_DRAWS and (len(stream) <= VARIED or time.monotonic() - start < SECONDS):
        stream.append(repr(Outputs([draw_one(draw, x)]).rows[0]))
        times[stream[-1]] += 1
        if len(stream) - max(times.values()) >= VARIED:
            break
    return stream


def _come_again(one: list[str], other: list[str]) -> bool | None:
    """Whether two streams are the same as far as both go; None where that could be chance."""
    both = min(len(one), len(other))
    if one[:both] != other[:both]:
        return False
    return True if both - max(Counter(one[:both]).values()) >= VARIED else None
