"""What the figures on trees share: runs over folds, gains of one method over others, and one panel for each table."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from dampen.learn.estimator import PaidClassifier
from dampen.vectors import Floats, Integers
from experiments import data
from experiments.coded_tables import LABELS, Coded, accuracy_of, folds, load
from experiments.diff_pid3 import STOPS, Choice, accuracy
from experiments.pictures import curves, legend
from experiments.reproduction import Cell, Losses, Reproduction, Row, distinct, markdown, number, one, where
from experiments.results import SYNTHETIC

PARTS = 10
"""Folds of a cross-validation."""
CATALOGUED = {"adult": "adult_clean", "adult_full": "adult"}
"""Names of the catalogue that differ from those of the tables."""
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
    """One method: what the paper calls it, its role in a picture, and how it is run."""

    label: str
    role: str
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


def our_curve(label: str, role: str, made: Callable[[str, int, int], PaidClassifier]) -> Curve:
    """A classifier of this library, made for an epsilon, a depth and a number of records."""

    def run(table: Coded, train: Integers, test: Integers, point: Point, key: list[int]) -> float:
        return accuracy_of(made(point.epsilon, point.depth, len(train)), table, train, test, point.epsilon, key)

    return Curve(label, role, run, ours=True)


def catalogued(names: Sequence[str]) -> tuple[str, ...]:
    """The data sets behind these tables, as the catalogue calls them."""
    return tuple(CATALOGUED.get(name, name) for name in names)


@lru_cache(maxsize=1)
def table_of(name: str) -> Coded:
    """The table, or one of its shape where it is not here."""
    return load(name, made_up=data.source(catalogued((name,))) == SYNTHETIC)


def found(table: Coded, run: Run, point: Point, *, runs: int, parts: int, seed: list[int]) -> Floats:
    """One accuracy for each fold of each run. Methods with the same seed see the same folds and random numbers."""
    return np.array(
        [
            run(table, train, test, point, [*seed, again, place])
            for again in range(runs)
            for place, (train, test) in enumerate(folds(table.rows, parts, seed[0] + again))
        ]
    )


def as_row(kind: str, panel: str, method: str, epsilon: str, accuracies: Floats) -> Row:
    """The mean and its standard error."""
    spread = float(accuracies.std(ddof=1)) if len(accuracies) > 1 else 0.0
    return {
        "kind": kind,
        "panel": panel,
        "method": method,
        "epsilon": float(epsilon),
        "accuracy": round(float(accuracies.mean()), 4),
        "error": round(spread / len(accuracies) ** 0.5, 4),
        "fits": len(accuracies),
    }


def title(name: str, point: Point) -> str:
    """Of a panel."""
    return f"{LABELS[name]}, depth {point.depth}, {point.stop} stop"


def compared(seen: Mapping[str, Floats], pairs: Mapping[str, tuple[str, tuple[str, ...]]]) -> dict[str, Floats]:
    """By how much a method is ahead of the best of its rivals, fold by fold."""
    return {
        claim: seen[better] - max((seen[rival] for rival in rivals), key=lambda values: float(values.mean()))
        for claim, (better, rivals) in pairs.items()
    }


@dataclass(frozen=True)
class Count:
    """How many points bear a claim out: by sign, and beyond two standard errors."""

    points: int
    higher: int
    lower: int
    clearly_higher: int
    clearly_lower: int
    most: float
    least: float

    @classmethod
    def of(cls, rows: Sequence[Row], claim: str, stop: str) -> "Count":
        """Over all panels with this rule."""
        own = [row for row in where(rows, kind="gain", method=claim) if str(row["panel"]).endswith(f"{stop} stop")]
        gains, errors = (np.array([number(row, column) for row in own]) for column in ("accuracy", "error"))
        up, down = int((gains > 0).sum()), int((gains < 0).sum())
        clearly = int((gains > 2 * errors).sum()), int((gains < -2 * errors).sum())
        return cls(len(own), up, down, clearly[0], clearly[1], float(gains.max()), float(gains.min()))


def counted(rows: Sequence[Row], pairs: Sequence[str]) -> str:
    """All counts as a table."""
    lines = []
    for claim in pairs:
        for stop in STOPS:
            c = Count.of(rows, claim, stop)
            whole = (c.points, c.higher, c.lower, c.clearly_higher, c.clearly_lower)
            lines.append([claim, stop, *map(str, whole), f"{c.most:+.3f}", f"{c.least:+.3f}"])
    head = ["claim", "stop", "points", "higher", "lower", "higher by 2 errors", "lower by 2 errors", "most", "least"]
    return markdown(head, lines, left=2)


def accuracies_table(rows: Sequence[Row], methods: Mapping[str, Curve]) -> str:
    """One line for each panel and method, one column for each epsilon."""
    epsilons = distinct(rows, "epsilon")
    lines = []
    for panel in distinct(rows, "panel"):
        for method, curve in methods.items():
            own = where(rows, panel=panel, method=method)
            lines.append([panel, curve.label, *(f"{number(one(own, epsilon=e), 'accuracy'):.3f}" for e in epsilons)])
    return markdown(["", "method", *(f"{epsilon:g}" for epsilon in epsilons)], lines, left=2)


def as_printed(rows: Sequence[Row]) -> list[Row]:
    """The curves of trees that stop by the rule as printed; a page need not show both."""
    return [row for row in where(rows, kind="curve") if str(row["panel"]).endswith("printed stop")]


def above(rows: Sequence[Row], method: str, *rivals: str) -> int:
    """At how many points a method is above all of its rivals."""
    means = {(row["panel"], row["epsilon"], row["method"]): number(row, "accuracy") for row in rows}
    points = dict.fromkeys((row["panel"], row["epsilon"]) for row in rows)
    return sum(means[*at, method] > max(means[*at, rival] for rival in rivals) for at in points)


def draw_panels(rows: Sequence[Row], methods: Mapping[str, Curve], columns: int, plt: Any) -> Any:
    """One panel for each, with 95 % intervals."""
    panels = distinct(rows, "panel")
    lines = -(-len(panels) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(3.6 * columns + 0.4, 2.7 * lines + 1.1), squeeze=False)
    looks = {method: (curve.label, curve.role) for method, curve in methods.items()}
    bars = [{**row, "half_width": 1.96 * number(row, "error")} for row in rows]
    for panel, place in zip(panels, axes.ravel(), strict=True):
        curves(place, where(bars, panel=panel), "epsilon", "accuracy", looks, "half_width")
        place.set_title(panel, fontsize=10)
        place.set_xscale("log")
    for line in axes:
        line[0].set_ylabel("accuracy")
    for place in axes[-1]:
        place.set_xlabel("epsilon, for the whole fit")
    legend(figure, axes, columns=4 if columns > 2 else 2)
    return figure


class TreeFigure(Reproduction):
    """Trees of two depths, grown by both rules for when to stop, on three tables."""

    tables: ClassVar[tuple[str, ...]]
    epsilons: ClassVar[tuple[str, ...]]
    runs: ClassVar[int]
    seed: ClassVar[int]
    methods: ClassVar[Mapping[str, Curve]]
    pairs: ClassVar[Mapping[str, tuple[str, tuple[str, ...]]]]
    depths: ClassVar[tuple[int, ...]] = (2, 5)

    def cells(self) -> Sequence[Cell]:
        """One for each table, depth and epsilon: all methods see the same folds and random numbers."""
        return [(name, depth, epsilon) for name in self.tables for depth in self.depths for epsilon in self.epsilons]

    def measure(self, cell: Cell) -> list[Row]:
        """Mean accuracies, and gains. Our own trees have a rule of their own and are grown once for both."""
        name, depth, epsilon = str(cell[0]), int(cell[1]), str(cell[2])
        seed = [self.seed, self.tables.index(name), depth, int(float(epsilon) * 1000)]
        rows, kept = list[Row](), dict[str, Floats]()
        for stop in STOPS:
            point, seen = Point(depth, epsilon, stop), dict[str, Floats]()
            for method, curve in self.methods.items():
                if method not in kept or not curve.ours:
                    assert curve.run is not None
                    kept[method] = found(table_of(name), curve.run, point, runs=self.runs, parts=PARTS, seed=seed)
                seen[method] = kept[method]
            rows += [as_row("curve", title(name, point), method, epsilon, seen[method]) for method in self.methods]
            gains = compared(seen, self.pairs)
            rows += [as_row("gain", title(name, point), claim, epsilon, gain) for claim, gain in gains.items()]
        return rows

    @abstractmethod
    def remarks(self) -> Sequence[str]:
        """What differs from the paper."""

    def details(self, rows: Sequence[Row], losses: Losses) -> str:
        """Counts of the claims, accuracies, and what differs."""
        fits = int(number(rows[0], "fits")) // PARTS
        parts = (
            "A line of the published algorithm says when a node becomes a leaf: below `sqrt(2) / 2` records per "
            "cell, as "
            "printed, which has no epsilon in it; what must be meant is the spread of the noise, `sqrt(2) / epsilon'`. "
            f"Both are tried, with {fits} run{'s' * (fits > 1)} of {PARTS} folds. Points that bear a claim out:",
            counted(rows, list(self.pairs)),
            "Mean accuracies of trees that stop by the printed rule (both are in the file):",
            accuracies_table(as_printed(rows), self.methods),
            "What differs from the paper:",
            "\n".join(f"- {remark}" for remark in self.remarks()),
        )
        return "\n\n".join(parts)

    def draw(self, rows: Sequence[Row], plt: Any) -> Any:
        """By the printed rule; one line for each table."""
        return draw_panels(as_printed(rows), self.methods, len(self.depths), plt)
