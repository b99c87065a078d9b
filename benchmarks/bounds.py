"""Sums and percentiles without bounds: against ApproxBounds, and against known bounds. ``--quick``: fewer draws.

ApproxBounds is written down here from its published description: half of epsilon buys noisy counts of the powers of 2,
64 for each sign; the outermost ones above a threshold that empty bins pass with probability 1e-9 together, or up to
1e-6 where none does, are the ends; the other half buys Laplace noise on the sum of the values moved between them. Where
it finds nothing it answers 0. dampen is drawn from its exact laws.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import log

import numpy as np
import polars as pl

from benchmarks.targets import Target
from dampen import Adjacency
from dampen.accuracy import expected_error
from dampen.datasets.loading import data_folders
from dampen.mechanisms import PermuteAndFlip
from dampen.queries import percentile_value_problem
from dampen.queries.sizes import sizes_frame, sizes_problem
from dampen.questions.private_bounds.sums import CAPS, sum_race
from dampen.tables.grid import as_grid
from dampen.tables.relative_grid import unbounded_grid
from dampen.tables.unit_counts import count_sizes
from dampen.tables.unit_reading import Units
from dampen.vectors import Floats, Integers

EPSILONS = (Fraction(1, 10), Fraction(1))
BINS = 64
SAFEST, LEAST_SAFE = 1e-9, 1e-6
N = 2_000
PARQUET = {
    "TotalPay": ("sf_salaries/sf_salaries.parquet", "TotalPay", "0.01"),
    "capital-gain": ("adult/adult_full.parquet", "capital-gain", "1"),
    "capital-loss": ("adult/adult_full.parquet", "capital-loss", "1"),
    "fnlwgt": ("adult/adult_full.parquet", "fnlwgt", "1"),
    "hours": ("adult/adult_full.parquet", "hours-per-week", "1"),
    "sugar": ("wine_white/wine_white.parquet", "residual_sugar", "0.01"),
    "sulfur": ("wine_white/wine_white.parquet", "total_sulfur_dioxide", "0.1"),
    "days": ("compas/compas.parquet", "c_days_from_compas", "1"),
    "priors": ("compas/compas.parquet", "priors_count", "1"),
}
COUNTS = ("HEPTH", "PATENT", "INCOME")


@dataclass(frozen=True)
class Cell:
    """Relative errors of the sum of a column at one epsilon: median and 95 % point, of dampen and of ApproxBounds."""

    column: str
    epsilon: Fraction
    ours: tuple[float, float]
    theirs: tuple[float, float]

    def line(self) -> str:
        """One line of the table."""
        told = [f"{median:9.4f} ({far:8.4f})" for median, far in (self.ours, self.theirs)]
        return f"{self.column:22} {float(self.epsilon):4} {'  '.join(told)}"


def columns() -> Iterator[tuple[str, Integers]]:
    """The columns that are on this machine, in whole units."""
    for folder in data_folders():
        for name, (file, column, unit) in PARQUET.items():
            if (folder / file).is_file():
                values = pl.read_parquet(folder / file, columns=[column])[column].drop_nulls().to_numpy()
                yield name, Units(unit).read_all(values)
                if name == "TotalPay":
                    chosen = np.random.default_rng(0).choice(values, N, replace=False)
                    yield f"{name}, n = {N}", Units(unit).read_all(chosen)
        for name in COUNTS:
            path = folder / "dpbench_1d" / f"{name}.n4096.npy"
            if path.is_file():
                yield name, np.load(path).astype(np.int64)


def errors_of_dampen(values: Integers, epsilon: Fraction, draws: int, rng: np.random.Generator) -> Floats:
    """The sum by a race."""
    frame = sizes_frame(CAPS, 1, Adjacency.ADD_REMOVE)
    problem = sizes_problem(frame, count_sizes(values, Units(1))).as_public()
    _, answers = sum_race(epsilon).simulate(problem, rng, draws)
    return _relative(answers, values)


def errors_of_approx_bounds(values: Integers, epsilon: Fraction, draws: int, rng: np.random.Generator) -> Floats:
    """The sum between approximate bounds."""
    half = float(epsilon) / 2
    sizes = np.array([max(int(size) - 1, 0).bit_length() for size in np.abs(values)])
    bins = np.zeros(2 * BINS)
    # bin i of a sign holds sizes above 2^(i-1) and up to 2^i; those of negative values come first, largest first
    np.add.at(bins, np.where(values < 0, BINS - 1 - sizes, BINS + sizes), 1)
    answers = np.zeros(draws)
    for draw in range(draws):
        noisy = bins + rng.laplace(scale=1 / half, size=2 * BINS)
        failure = SAFEST
        while failure <= LEAST_SAFE and not (noisy > _threshold(half, failure)).any():
            failure *= 2
        passed = np.flatnonzero(noisy > _threshold(half, failure))
        if failure > LEAST_SAFE or not len(passed):
            continue
        low, high = _lower_end(int(passed[0])), _upper_end(int(passed[-1]))
        reach = max(abs(low), abs(high))
        answers[draw] = np.clip(values.astype(np.float64), low, high).sum() + rng.laplace(scale=reach / half)
    return _relative(answers, values)


def _threshold(epsilon: float, failure: float) -> float:
    """All empty bins but one stay below it with probability 1 - failure."""
    return -log(2 - 2 * (1 - failure) ** (1 / (2 * BINS - 1))) / epsilon


def _lower_end(place: int) -> float:
    if place < BINS:
        return -(2.0 ** (BINS - 1 - place))
    return 0.0 if place == BINS else 2.0 ** (place - BINS - 1)


def _upper_end(place: int) -> float:
    if place >= BINS:
        return 2.0 ** (place - BINS)
    return 0.0 if place == BINS - 1 else -(2.0 ** (BINS - 2 - place))


def _relative(answers: Floats, values: Integers) -> Floats:
    total = float(sum(map(int, values)))
    return np.abs(answers - total) / max(abs(total), 1.0)


def measure(draws: int) -> list[Cell]:
    """Every column at every epsilon."""
    cells, rng = [], np.random.default_rng(1)
    for name, values in columns():
        for epsilon in EPSILONS:
            found = [how(values, epsilon, draws, rng) for how in (errors_of_dampen, errors_of_approx_bounds)]
            ours, theirs = ((float(np.median(each)), float(np.quantile(each, 0.95))) for each in found)
            cells.append(Cell(name, epsilon, ours, theirs))
            print(cells[-1].line(), flush=True)
    return cells


def percentile_ratios() -> Mapping[str, float]:
    """Expected steps to the percentile, of the grid of 7 leading bits over known bounds: exact, at n = 2,000."""
    ratios = {}
    for name, values in columns():
        if name == "TotalPay":
            cents = np.random.default_rng(0).choice(values, N, replace=False)
            for epsilon in EPSILONS:
                for p in (50, 90):
                    known, free = (
                        expected_error(
                            PermuteAndFlip(epsilon),
                            percentile_value_problem(cents, p, grid=grid, adjacency=Adjacency.REPLACE).as_public(),
                        )
                        for grid in (as_grid(range(60_000_001)), unbounded_grid(1))
                    )
                    print(f"p = {p}, epsilon {float(epsilon)}: known bounds {known:.2f} ranks, without {free:.2f}")
                    ratios[f"p = {p}, epsilon {float(epsilon)}"] = free / max(known, 1e-9)
    return ratios


def targets(cells: list[Cell], ratios: Mapping[str, float]) -> list[Target]:
    """What is promised."""
    share = {
        what: {"all cells": sum(each.ours[place] <= each.theirs[place] for each in cells) / len(cells)} if cells else {}
        for place, what in enumerate(("median", "95 % point"))
    }
    return [
        Target("sums: median not above ApproxBounds in 90 % of the cells", 0.9, share["median"], at_least=True),
        Target("sums: 95 % point not above it in 80 %", 0.8, share["95 % point"], at_least=True),
        Target("percentiles: ranks on 7 leading bits over known bounds, n = 2,000", 1.1, ratios),
    ]


def main() -> None:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="100 draws instead of 1,000")
    draws = 100 if parser.parse_args().quick else 1_000
    print("column                  eps   dampen: median (95 %)   ApproxBounds")
    for target in targets(measure(draws), percentile_ratios()):
        print(target.line())


if __name__ == "__main__":
    main()
