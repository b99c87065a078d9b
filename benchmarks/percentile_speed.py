"""How long a private median of 1e6 rows takes on a grid of 1e5 values, and how much memory one of 1e9 values."""

import tracemalloc
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars

import dampen
from benchmarks.percentile_peers import ask_diffprivlib, opendp_quantile
from benchmarks.timing import Measured, interleaved_medians, stopwatch
from dampen.tables.grid import as_grid
from dampen.vectors import Vector

ROWS, POINTS = 10**6, 10**5
HUGE = 10**9
FLOATS, REALS, WHOLES, LISTED, FILE = (
    "floats, whole grid",
    "floats, grid in steps of 0.01",
    "whole numbers",
    "floats, listed grid",
    "Parquet file",
)
ON_EVEN_GRIDS = (FLOATS, REALS, WHOLES)


def rows_and_grids() -> Mapping[str, tuple[Vector, dict[str, Any]]]:
    """Incomes of a gamma law, in several forms, and the grid of each."""
    rng = np.random.default_rng(0)
    floats = rng.gamma(3.0, 8000.0, size=ROWS)
    listed = np.sort(rng.choice(10 * POINTS, size=POINTS, replace=False)) / 10
    return {
        FLOATS: (floats, {"bounds": range(POINTS)}),
        REALS: (floats / 100, {"bounds": (0, "999.99"), "step": "0.01"}),
        WHOLES: (floats.astype(np.int64), {"bounds": range(POINTS)}),
        LISTED: (floats, {"bounds": as_grid(listed)}),
    }


def measure(rounds: int) -> dict[tuple[str, str], Measured]:
    """Seconds of the whole call and of one ``np.sort`` of the same rows, by form."""
    budget = dampen.Budget(epsilon=10**9)
    actions: dict[tuple[str, str], Callable[[], object]] = {}
    forms = rows_and_grids()
    for form, (rows, grid) in forms.items():
        actions[form, "median"] = _median(rows, budget, grid)
        actions[form, "sort"] = _sort(rows)
    rows, _ = forms[FLOATS]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        polars.DataFrame({"pay": rows}).write_parquet(path)
        pay = {"pay": dampen.Number(0, POINTS - 1, step=1)}
        table = dampen.Table(path, columns=pay, budget=budget)
        actions[FILE, "median"] = lambda: table.median("pay", epsilon=1)
        actions[FILE, "sort"] = actions[FLOATS, "sort"]
        runs = {key: stopwatch(action) for key, action in actions.items()}
        interleaved_medians(runs, rounds=2, allowance=inf)
        return interleaved_medians(runs, rounds=rounds, allowance=inf)


def _median(values: Any, budget: dampen.Budget, options: Mapping[str, Any]) -> Callable[[], object]:
    return lambda: dampen.median(values, epsilon=1, budget=budget, **options)


def _sort(rows: Vector) -> Callable[[], object]:
    return lambda: np.sort(rows)


def opendp_seconds(rounds: int) -> float:
    """OpenDP's median of the same floats, with making 1e5 candidates a measurement left out."""
    rows = rows_and_grids()[FLOATS][0]
    measurement = opendp_quantile([float(point) for point in range(POINTS)], 0.5, 1.0, "f64")
    run = stopwatch(lambda: measurement(rows))
    return median(run() for _ in range(rounds))


def diffprivlib_seconds(rounds: int) -> float | str:
    """diffprivlib's median of the same floats; it takes no grid."""
    (answer,) = ask_diffprivlib([(rows_and_grids()[FLOATS][0], 0.5, POINTS, 1.0, rounds)])
    return answer if isinstance(answer, str) else median(answer[1])


def huge_grid_megabytes(rows: int) -> float:
    """The peak of what Python and NumPy allocate during a median on 1e9 grid values, the rows themselves left out."""
    values = np.random.default_rng(0).integers(0, HUGE, size=rows)
    budget = dampen.Budget(epsilon=2)
    dampen.median(values[:10], bounds=range(HUGE), epsilon=1, budget=budget)
    tracemalloc.start()
    dampen.median(values, bounds=range(HUGE), epsilon=1, budget=budget)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak / 1e6
