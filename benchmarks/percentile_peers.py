"""Real releases of OpenDP's and diffprivlib's quantiles, to confirm the laws that are ascribed to them."""

import json
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.contestants import DIFFPRIVLIB_PYTHON, ROOT, PeerMissing
from benchmarks.percentile_laws import Cell
from dampen.vectors import Floats


@dataclass(frozen=True)
class Sample:
    """The mean error of some real releases, and how far it lies from the law's, in its standard errors."""

    mean: float
    deviation: float
    releases: int


def compared(answers: Sequence[float], cell: Cell, expected: float) -> Sample:
    """The sample against the law; equal numbers deviate by 0."""
    errors = np.abs(np.asarray(answers, dtype=np.float64) - cell.percentile)
    spread = float(errors.std(ddof=1) / np.sqrt(len(errors)))
    gap = float(errors.mean()) - expected
    return Sample(float(errors.mean()), gap / spread if spread else 0.0, len(errors))


def opendp_quantile(grid: Sequence[float], alpha: float, epsilon: float, kind: str) -> Callable[[Any], float]:
    """OpenDP's measurement at this price for one record more or less; ``kind`` is "i64" or "f64"."""
    dp = _opendp()
    atom = dp.atom_domain(T=kind, nan=False) if kind == "f64" else dp.atom_domain(T=kind)
    space = dp.vector_domain(atom), dp.symmetric_distance(), dp.max_divergence()
    scale = dp.m.make_private_quantile(*space, list(grid), alpha, 1.0).map(1) / epsilon
    measurement: Callable[[Any], float] = dp.m.make_private_quantile(*space, list(grid), alpha, scale)
    return measurement


def opendp_scores(cell: Cell) -> Floats:
    """OpenDP's own scores of the grid points, over their sensitivity, as utilities."""
    dp = _opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
    scored = dp.t.make_quantile_score_candidates(*space, list(cell.grid), cell.p / 100)
    utilities: Floats = -np.asarray(scored(cell.records.tolist()), dtype=np.float64) / scored.map(1)
    return utilities


def _opendp() -> Any:
    try:
        prelude = import_module("opendp.prelude")
    except ImportError:
        raise PeerMissing("OpenDP is not installed: pip install opendp") from None
    prelude.enable_features("contrib")
    return prelude


def opendp_answers(cell: Cell, epsilon: float, times: int) -> list[float]:
    """Real releases."""
    measurement = opendp_quantile(cell.grid, cell.p / 100, epsilon, "i64")
    records = cell.records.tolist()
    return [measurement(records) for _ in range(times)]


def ask_diffprivlib(questions: Sequence[tuple[Any, float, float, float, int]]) -> list[Any]:
    """Records, quantile, upper bound, epsilon and number of releases, answered as by ``diffprivlib_quantiles``."""
    if not DIFFPRIVLIB_PYTHON.exists():
        raise PeerMissing("diffprivlib has no environment: make bench-diffprivlib")
    command = [str(DIFFPRIVLIB_PYTHON), "-m", "benchmarks.diffprivlib_quantiles"]
    with TemporaryDirectory() as folder:
        asked = []
        for place, (records, *rest) in enumerate(questions):
            file = Path(folder) / f"{place}.npy"
            np.save(file, records)
            asked.append([str(file), *rest])
        ran = subprocess.run(command, cwd=ROOT, input=json.dumps(asked), capture_output=True, text=True, check=True)
    answers: list[Any] = json.loads(ran.stdout)
    return answers
