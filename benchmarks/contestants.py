"""Who takes part in the selection benchmark: dampen, numpy, OpenDP and diffprivlib, all at the same epsilon.

A contestant is prepared once per shape and size (its data in the form it is fastest with) and then run many times.
"""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dampen
from benchmarks.scores import make_scores
from benchmarks.timing import Run, stopwatch
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, SelectionMechanism

EPSILON = 1
RATE = EPSILON / 2
"""What scores of sensitivity 1 are multiplied by before standard noise is added."""
PERMUTE_AND_FLIP, EXPONENTIAL = "dampen permute-and-flip", "dampen exponential"
NUMPY_EXPONENTIAL, NUMPY_GUMBEL = "numpy float exponential noise", "numpy float Gumbel noise"
OPENDP = "OpenDP permute-and-flip"
ROOT = Path(__file__).resolve().parent.parent
DIFFPRIVLIB_PYTHON = ROOT / ".venv-diffprivlib" / "bin" / "python"
DIFFPRIVLIB_LARGEST = 10**5
"""It checks a Python list number by number at every run; with one winner its permute-and-flip takes quadratic time."""


class PeerMissing(Exception):
    """A peer cannot take part; the message says why and what to do."""


@dataclass(frozen=True)
class Contestant:
    """``prepare`` takes a shape and a size and answers a run; more than ``largest`` candidates would take too long."""

    name: str
    prepare: Callable[[str, int], Run]
    largest: float = inf


def of_dampen() -> list[Contestant]:
    """Three mechanisms, each on a problem built beforehand and again with the building inside the time."""
    mechanisms: dict[str, SelectionMechanism] = {
        PERMUTE_AND_FLIP: PermuteAndFlip(EPSILON),
        EXPONENTIAL: Exponential(EPSILON),
        "dampen noisy max (Laplace)": ReportNoisyMax(EPSILON, "laplace"),
    }
    return [
        *(Contestant(name, _release(mechanism)) for name, mechanism in mechanisms.items()),
        *(Contestant(f"{name}, end to end", _build_and_release(mechanism)) for name, mechanism in mechanisms.items()),
    ]


def _release(mechanism: SelectionMechanism) -> Callable[[str, int], Run]:
    def prepare(shape: str, size: int) -> Run:
        problem = dampen.SelectionProblem(_frame(size), make_scores(shape, size))
        budget = _ample_budget()
        return stopwatch(lambda: mechanism.release(problem, budget=budget))

    return prepare


def _build_and_release(mechanism: SelectionMechanism) -> Callable[[str, int], Run]:
    def prepare(shape: str, size: int) -> Run:
        scores, budget = make_scores(shape, size), _ample_budget()
        return stopwatch(lambda: mechanism.release(dampen.SelectionProblem(_frame(size), scores), budget=budget))

    return prepare


def _frame(size: int) -> dampen.Frame:
    return dampen.Frame(range(size), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)


def _ample_budget() -> dampen.Budget:
    return dampen.Budget(epsilon=10**6)


def of_numpy() -> list[Contestant]:
    """Noise in floating point: fast, not private to the last bit, and what the exact mechanisms are measured by."""
    rng = np.random.default_rng()

    def noisy_argmax(noise: Callable[[int], NDArray[np.float64]]) -> Callable[[str, int], Run]:
        def prepare(shape: str, size: int) -> Run:
            scores = make_scores(shape, size).astype(np.float64)
            return stopwatch(lambda: np.argmax(scores * RATE + noise(size)))

        return prepare

    return [
        Contestant(NUMPY_EXPONENTIAL, noisy_argmax(lambda size: rng.exponential(size=size))),
        Contestant(NUMPY_GUMBEL, noisy_argmax(lambda size: rng.gumbel(size=size))),
    ]


def of_opendp() -> list[Contestant]:
    """OpenDP's exact noisy max under pure differential privacy, which it draws by permute-and-flip.

    The measurement is made and the scores are moved into OpenDP's own memory beforehand (by an internal function: from
    Python each call would copy them again); what is timed is the invocation.
    """
    try:
        import opendp.prelude as dp
        from opendp._convert import py_to_c
        from opendp._lib import AnyObjectPtr
    except ImportError:
        raise PeerMissing("OpenDP is not installed: pip install opendp") from None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i32")), dp.linf_distance(T="i32")
    measurement = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=1 / RATE)

    def prepare(shape: str, size: int) -> Run:
        scores = py_to_c(make_scores(shape, size).astype(np.int32), AnyObjectPtr, type_name="Vec<i32>")
        return stopwatch(lambda: measurement(scores))

    return [Contestant(OPENDP, prepare)]


def of_diffprivlib() -> list[Contestant]:
    """Two mechanisms of diffprivlib, in a process of their own that times itself (see ``diffprivlib_worker``)."""
    worker = _start_worker()

    def asking_for(mechanism: str) -> Callable[[str, int], Run]:
        return lambda shape, size: lambda: float(_ask(worker, [mechanism, shape, size, EPSILON]))

    return [
        Contestant("diffprivlib permute-and-flip", asking_for("PermuteAndFlip"), DIFFPRIVLIB_LARGEST),
        Contestant("diffprivlib exponential", asking_for("Exponential"), DIFFPRIVLIB_LARGEST),
    ]


def _start_worker() -> "subprocess.Popen[str]":
    if not DIFFPRIVLIB_PYTHON.exists():
        raise PeerMissing("diffprivlib has no environment: make bench-diffprivlib")
    command = [str(DIFFPRIVLIB_PYTHON), "-m", "benchmarks.diffprivlib_worker"]
    worker = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    if _answer(worker) != "ready":
        raise PeerMissing("diffprivlib's worker does not start: make clean bench-diffprivlib")
    return worker


def _ask(worker: "subprocess.Popen[str]", question: list[object]) -> str:
    assert worker.stdin is not None
    print(json.dumps(question), file=worker.stdin, flush=True)
    return _answer(worker)


def _answer(worker: "subprocess.Popen[str]") -> str:
    assert worker.stdout is not None
    return worker.stdout.readline().strip()
