"""What the figures on trees share: runs over folds, a CSV file, a picture with one panel for each table and depth."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dampen.learn.estimator import PaidClassifier
from dampen.vectors import Floats, Integers
from experiments.coded_tables import LABELS, Coded, accuracy_of, folds
from experiments.diff_pid3 import STOPS, Choice, accuracy
from experiments.pictures import pyplot

Row = dict[str, Any]
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


def draw(rows: Sequence[Row], curves: dict[str, Curve], columns: int, path: Path) -> bool:
    """One panel for each; returns False, and says what is missing, without matplotlib."""
    plt = pyplot()
    if plt is None:
        return False
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    lines = -(-len(panels) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(4.6 * columns, 3.2 * lines + 0.9), squeeze=False)
    for panel, place in zip(panels, axes.ravel(), strict=False):
        _panel(place, [row for row in rows if row["panel"] == panel], curves)
        place.set_title(panel, fontsize=10)
    for line in axes:
        line[0].set_ylabel("accuracy")
    for place in axes[-1]:
        place.set_xlabel("epsilon, for the whole fit")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=4, fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.32 * (1 + len(labels) // 4) / (3.2 * lines + 0.9), 1, 1))
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


def measured(
    names: Sequence[str], points: Sequence[Point], curves: dict[str, Curve], load: Callable[[str], Coded], *,
    runs: int, parts: int, seed: int,
) -> Iterator[tuple[Row, Floats]]:  # fmt: skip
    """A row, and the accuracies behind it, for each table, point and method.

    Our own trees have a rule of their own for when to stop, so that they are grown once for both of the paper's.
    """
    for place, name in enumerate(names):
        table, kept = load(name), dict[tuple[str, int, str], Floats]()
        for point in points:
            for method, curve in curves.items():
                key = [seed, place, point.depth, int(float(point.epsilon) * 1000)]
                once = (method, point.depth, point.epsilon)
                if curve.ours and once in kept:
                    seen = kept[once]
                else:
                    assert curve.run is not None
                    seen = kept[once] = found(table, curve.run, point, runs=runs, parts=parts, seed=key)
                yield as_row(title(name, point), method, point.epsilon, seen), seen


def title(name: str, point: Point) -> str:
    """Of a panel."""
    return f"{LABELS[name]}, depth {point.depth}, {point.stop} stop"


def grid(depths: Sequence[int], epsilons: Sequence[str]) -> list[Point]:
    """All points of a figure: both rules, every depth and every epsilon."""
    return [Point(depth, epsilon, stop) for depth in depths for stop in STOPS for epsilon in epsilons]
