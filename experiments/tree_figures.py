"""What the figures on trees share: runs over folds, a CSV file, a picture with one panel for each table and depth."""

import argparse
import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import Progress

from dampen.learn.estimator import PaidClassifier
from dampen.vectors import Floats, Integers
from experiments.coded_tables import LABELS, Coded, accuracy_of, folds, load
from experiments.diff_pid3 import STOPS, Choice, accuracy
from experiments.pictures import pyplot

Row = dict[str, Any]
RESULTS = Path(__file__).resolve().parent / "results"
PARTS = 10
"""Folds of a cross-validation."""
Run = Callable[[Coded, Integers, Integers, "Point", list[int]], float]
"""Table, training rows, test rows, a point of a figure and a key for random numbers to an accuracy."""


@dataclass(frozen=True)
class Point:
    """Where on a figure a tree is grown."""

    depth: int
    epsilon: str
    stop: str = "printed"


@dataclass(frozen=True)
class Curve:
    """One method: what the paper calls it, how it is drawn, and how it is run."""

    label: str
    look: tuple[str, str, str]
    run: Run | None = None
    ours: bool = False


def published(choice: Callable[[Coded, str], Choice]) -> Run:
    """DiffPID3 with a choice of attributes, which may look at the table and the whole epsilon."""

    def run(table: Coded, train: Integers, test: Integers, point: Point, key: list[int]) -> float:
        return accuracy(
            table, train, test, depth=point.depth, epsilon=float(point.epsilon), choice=choice(table, point.epsilon),
            rng=np.random.default_rng(key), stop=point.stop,
        )  # fmt: skip

    return run


def our_curve(label: str, look: tuple[str, str, str], made: Callable[[str, int, int], PaidClassifier]) -> Curve:
    """A classifier of this library, made for an epsilon, a depth and a number of records."""

    def run(table: Coded, train: Integers, test: Integers, point: Point, key: list[int]) -> float:
        return accuracy_of(made(point.epsilon, point.depth, len(train)), table, train, test, point.epsilon, key)

    return Curve(label, look, run, ours=True)


def found(table: Coded, run: Run, point: Point, *, runs: int, parts: int, seed: list[int]) -> Floats:
    """One accuracy for each fold of each run. Methods with the same seed see the same folds and random numbers."""
    return np.array(
        [
            run(table, train, test, point, [*seed, again, place])
            for again in range(runs)
            for place, (train, test) in enumerate(folds(table.rows, parts, seed[0] + again))
        ]
    )


def as_row(panel: str, method: str, epsilon: str, accuracies: Floats) -> Row:
    """The mean and its standard error."""
    spread = float(accuracies.std(ddof=1)) if len(accuracies) > 1 else 0.0
    return {
        "panel": panel,
        "method": method,
        "epsilon": epsilon,
        "accuracy": f"{accuracies.mean():.4f}",
        "error": f"{spread / len(accuracies) ** 0.5:.4f}",
        "fits": str(len(accuracies)),
    }


def write(rows: Sequence[Row], path: Path) -> None:
    """As CSV; numbers are written as they are shown."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def read(path: Path) -> list[Row]:
    """What :func:`write` wrote."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def markdown(rows: Sequence[Row], curves: dict[str, Curve]) -> str:
    """One line for each panel and method, one column for each epsilon."""
    epsilons = list(dict.fromkeys(row["epsilon"] for row in rows))
    lines = ["| | method | " + " | ".join(epsilons) + " |", "|---|---|" + "---:|" * len(epsilons)]
    for panel, method in dict.fromkeys((row["panel"], row["method"]) for row in rows):
        of = {row["epsilon"]: row["accuracy"] for row in rows if (row["panel"], row["method"]) == (panel, method)}
        shown = " | ".join(f"{float(of[epsilon]):.3f}" for epsilon in epsilons)
        lines.append(f"| {panel} | {curves[method].label} | {shown} |")
    return "\n".join(lines)


def as_printed(rows: Sequence[Row]) -> list[Row]:
    """Those of trees that stop by the rule as printed; a page need not show both."""
    return [row for row in rows if not row["panel"].endswith("meant stop")]


def draw(rows: Sequence[Row], curves: dict[str, Curve], columns: int, path: Path) -> bool:
    """One panel for each; returns False, and says what is missing, without matplotlib."""
    plt = pyplot()
    if plt is None:
        return False
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    lines = -(-len(panels) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(4.0 * columns, 2.9 * lines + 0.9), squeeze=False)
    for panel, place in zip(panels, axes.ravel(), strict=False):
        _panel(place, [row for row in rows if row["panel"] == panel], curves)
        place.set_title(panel, fontsize=10)
    for line in axes:
        line[0].set_ylabel("accuracy")
    for place in axes[-1]:
        place.set_xlabel("epsilon, for the whole fit")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=4, fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.28 * -(-len(labels) // 4) / (2.9 * lines + 0.9), 1, 1))
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return True


def _panel(place: Any, rows: Sequence[Row], curves: dict[str, Curve]) -> None:
    for method, curve in curves.items():
        own = [row for row in rows if row["method"] == method]
        colour, marker, line = curve.look
        x, y = [float(row["epsilon"]) for row in own], [float(row["accuracy"]) for row in own]
        place.errorbar(
            x, y, yerr=[1.96 * float(row["error"]) for row in own], color=colour, marker=marker, linestyle=line,
            markersize=4, linewidth=1.2, elinewidth=0.7, label=curve.label,
        )  # fmt: skip
    place.set_xscale("log")
    place.grid(alpha=0.3)


def parsed(
    doc: str | None, given: list[str] | None, *, names: Sequence[str], epsilons: Sequence[str], runs: int, seed: int
) -> argparse.Namespace:
    """The command line of a figure."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n")[0])
    parser.add_argument("--data", nargs="+", choices=names, default=list(names))
    parser.add_argument("--epsilons", nargs="+", default=list(epsilons))
    parser.add_argument("--depths", nargs="+", type=int, default=[2, 5])
    parser.add_argument("--runs", type=int, default=runs, help="repetitions")
    parser.add_argument("--synthetic", action="store_true", help="made-up tables of the same shape")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the CSV files and the picture")
    options = parser.parse_args(given)
    options.places = {name: place for place, name in enumerate(names)}
    options.out.mkdir(parents=True, exist_ok=True)
    return options


def collected(
    options: argparse.Namespace, curves: dict[str, Curve], name: str
) -> tuple[list[Row], dict[tuple[str, str, str], Floats]]:
    """All rows of a figure, and the accuracies behind each."""
    rows, seen = list[Row](), dict[tuple[str, str, str], Floats]()
    points = grid(options.depths, options.epsilons)
    with Progress(transient=True) as progress:
        task = progress.add_task(name, total=len(options.data) * len(points) * len(curves))
        for row, accuracies in measured(options, points, curves):
            rows.append(row)
            seen[row["panel"], row["method"], row["epsilon"]] = accuracies
            progress.update(task, advance=1, description=f"{row['panel']}, epsilon {row['epsilon']}")
    return rows, seen


def measured(
    options: argparse.Namespace, points: Sequence[Point], curves: dict[str, Curve]
) -> Iterator[tuple[Row, Floats]]:
    """A row, and the accuracies behind it, for each table, point and method.

    Our own trees have a rule of their own for when to stop, so that they are grown once for both of the paper's.
    """
    for name in options.data:
        table, kept = load(name, made_up=options.synthetic), dict[tuple[str, int, str], Floats]()
        for point in points:
            for method, curve in curves.items():
                key = [options.seed, options.places[name], point.depth, int(float(point.epsilon) * 1000)]
                once = (method, point.depth, point.epsilon)
                if curve.ours and once in kept:
                    seen = kept[once]
                else:
                    assert curve.run is not None
                    seen = kept[once] = found(table, curve.run, point, runs=options.runs, parts=PARTS, seed=key)
                yield as_row(title(name, point), method, point.epsilon, seen), seen


def compared(seen: dict[tuple[str, str, str], Floats], claims: Mapping[str, tuple[str, tuple[str, ...]]]) -> list[Row]:
    """For each claim, panel and epsilon: by how much a method is ahead of the best of its rivals, fold by fold."""
    rows = []
    for claim, (better, rivals) in claims.items():
        for panel, epsilon in dict.fromkeys((panel, epsilon) for panel, _, epsilon in seen):
            best = max((seen[panel, rival, epsilon] for rival in rivals), key=lambda found: float(found.mean()))
            row = as_row(panel, claim, epsilon, seen[panel, better, epsilon] - best)
            rows.append(
                {"claim": claim, "panel": panel, "epsilon": epsilon, "gain": row["accuracy"]} | {"error": row["error"]}
            )
    return rows


def counted(pairs: Sequence[Row]) -> str:
    """How many points bear each claim out: by sign, and beyond two standard errors."""
    lines = ["| claim | stop | points | higher | lower | higher by 2 errors | lower by 2 errors | most | least |"]
    lines.append("|---|---|" + "---:|" * 7)
    for claim, stop in dict.fromkeys((row["claim"], row["panel"].rsplit(", ", 1)[1]) for row in pairs):
        own = [row for row in pairs if row["claim"] == claim and row["panel"].endswith(stop)]
        gains = np.array([float(row["gain"]) for row in own])
        errors = np.array([float(row["error"]) for row in own])
        numbers = (len(own), sum(gains > 0), sum(gains < 0), sum(gains > 2 * errors), sum(gains < -2 * errors))
        ends = f"{gains.max():+.3f} | {gains.min():+.3f}"
        lines.append(f"| {claim} | {stop.removesuffix(' stop')} | " + " | ".join(map(str, numbers)) + f" | {ends} |")
    return "\n".join(lines)


def title(name: str, point: Point) -> str:
    """Of a panel."""
    return f"{LABELS[name]}, depth {point.depth}, {point.stop} stop"


def grid(depths: Sequence[int], epsilons: Sequence[str]) -> list[Point]:
    """All points of a figure: both rules, every depth and every epsilon."""
    return [Point(depth, epsilon, stop) for depth in depths for stop in STOPS for epsilon in epsilons]
