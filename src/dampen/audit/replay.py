"""Does noise come again? After generators that anybody can seed were seeded, and in a second process."""

import multiprocessing
import pickle
import sys
from typing import Any

import numpy as np

from dampen.audit.drawing import Draw, draw_one
from dampen.audit.outputs import Outputs
from dampen.audit.probe_report import ProbeFinding, found, not_tried, nothing

SEED = 20_120_224
DRAWS = 16
PATIENCE = 60
"""Seconds until a process that does not answer is given up."""


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
            streams.append(_stream(draw, x, DRAWS))
        other = _stream(draw, x, DRAWS)
    finally:
        np.random.set_state(states)
        if python is not None:
            python.setstate(kept)
    if len({*other}) == 1 and streams[0] == streams[1] == other:
        return not_tried("seeds", "every draw gives the same output")
    if streams[0] == streams[1]:
        words = "the same outputs come again after the generators of Python and numpy are seeded"
        return found("seeds", f"{words}: whoever seeds them knows the noise")
    return nothing("seeds", "seeding the generators of Python and numpy does not bring outputs again")


def probe_processes(draw: Draw, x: Any) -> ProbeFinding:
    """Whether two new processes give the same outputs in the same order."""
    try:
        pickle.dumps((draw, x))
    except Exception:
        return not_tried("processes", "draw cannot be handed to another process; write it as a function of a module")
    context = multiprocessing.get_context("spawn")
    try:
        streams = []
        for _ in range(2):
            with context.Pool(1) as pool:
                streams.append(pool.apply_async(_stream, (draw, x, DRAWS)).get(PATIENCE))
    except Exception as error:
        return not_tried("processes", f"another process could not run it ({type(error).__name__})")
    if streams[0] == streams[1] and len({*streams[0]}) > 1:
        return found("processes", "two processes give the same outputs in the same order: a fixed seed")
    return nothing("processes", "two processes do not give the same outputs in the same order")


def _stream(draw: Draw, x: Any, count: int) -> list[str]:
    """Some outputs, as text: they are compared, and cross the border of a process."""
    outputs = Outputs([draw_one(draw, x) for _ in range(count)])
    return [repr(row) for row in outputs.rows]
