"""How often ``PrivateClassifier`` is right on the tables of the literature, at five epsilons.

Run ``python -m experiments.private_classifier`` from the project's root with ``DAMPEN_DATA`` set. Every run holds out a
random tenth of the rows, fits on the others with ``expected_records`` declared (``--undeclared``: bought), and counts
the right answers on the tenth. Fits draw from the system's entropy, so no two experiments are the same.

NOT PRIVATE where a schema is read from the table itself: the categories and classes of every table, and the bounds of
wine, compas and wall_following. The bounds of Adult and of the pen positions are public knowledge.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from time import process_time

import numpy as np
from rich.progress import Progress

from dampen import Budget, Category, Number, datasets
from dampen.datasets import Dataset
from dampen.learn import PrivateClassifier, Schema
from dampen.vectors import Floats, Integers

EPSILONS = ("0.01", "0.1", "0.5", "1", "2")
RUNS = 10
FIRST_SPLIT = 500
BOUNDS = {
    "age": (17, 91),
    "educational-num": (1, 17),
    "capital-gain": (0, 100_000),
    "capital-loss": (0, 5_000),
    "hours-per-week": (1, 100),
}
"""Of Adult, from its documentation; whole numbers."""


@dataclass(frozen=True, eq=False)
class Task:
    """A table, the column to be told, and the schema."""

    table: Dataset
    target: str
    schema: Schema


def adult() -> Task:
    """Who earns more than 50,000 dollars?"""
    return _task(
        datasets.load_adult(clean=True), "income", {name: Number(*ends, unit=1) for name, ends in BOUNDS.items()}
    )


def pendigits() -> Task:
    """Which digit was written?"""
    return _task(datasets.load_pendigits(), "class", {f"input{k}": Number(0, 100, unit=1) for k in range(1, 17)})


def binary(load: Callable[[], Dataset], target: str) -> Task:
    """A table of zeros and ones."""
    table = load()
    return Task(table, target, Schema({name: Category([0, 1]) for name in table if name != target}, classes=[0, 1]))


def sampled(load: Callable[[], Dataset], target: str) -> Task:
    """A table whose schema is read from itself."""
    table = load()
    return Task(table, target, Schema.from_public_sample(table, target))


TASKS: dict[str, Callable[[], Task]] = {
    "adult": adult,
    "nltcs": lambda: binary(datasets.load_nltcs, "15"),
    "acs": lambda: binary(datasets.load_acs, "22"),
    "mushroom": lambda: sampled(datasets.load_mushroom, "class"),
    "wall_following": lambda: sampled(datasets.load_wall_following, "class"),
    "pendigits": pendigits,
    "wine_white": lambda: sampled(datasets.load_wine_white, "quality"),
    "compas": lambda: sampled(datasets.load_compas, "decile_score"),
}


def _task(table: Dataset, target: str, known: dict[str, Number]) -> Task:
    sample = Schema.from_public_sample(table, target)
    return Task(table, target, Schema({**sample.attributes, **known}, sample.classes))


def split(rows: int, run: int) -> tuple[Integers, Integers]:
    """The rows to fit on and the tenth that is held out."""
    order = np.random.default_rng(FIRST_SPLIT + run).permutation(rows)
    return order[rows // 10 :], order[: rows // 10]


def accuracy(task: Task, epsilon: str, run: int, *, declared: bool, kind: str | None = None) -> float:
    """The share of right answers on the rows held out."""
    kept, held = split(task.table.rows, run)
    expected = len(kept) if declared else None
    model = PrivateClassifier(epsilon, task.schema, Budget(epsilon=epsilon), expected, kind=kind)
    model.fit({name: column[kept] for name, column in task.table.items()}, task.target)
    answers = model.predict({name: column[held] for name, column in task.table.items()})
    return float((answers == task.table[task.target][held]).mean())


def accuracies(name: str, epsilon: str, runs: int, *, declared: bool = True, kind: str | None = None) -> Floats:
    """One accuracy for each run."""
    task = TASKS[name]()
    return np.array([accuracy(task, epsilon, run, declared=declared, kind=kind) for run in range(runs)])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS))
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--undeclared", action="store_true", help="buy the number of records instead of declaring it")
    parser.add_argument("--kind", choices=["table", "joint"], help="one of both; left out, the one that is taken")
    chosen = parser.parse_args()
    print(f"| data ({chosen.runs} runs) | {' | '.join(chosen.epsilons)} | seconds a run |")
    print("|---" * (2 + len(chosen.epsilons)) + "|")
    with Progress(transient=True) as progress:
        bar = progress.add_task("fits", total=len(chosen.data) * len(chosen.epsilons))
        for name in chosen.data:
            start, row = process_time(), []
            for epsilon in chosen.epsilons:
                found = accuracies(name, epsilon, chosen.runs, declared=not chosen.undeclared, kind=chosen.kind)
                row.append(f"{found.mean():.4f} ±{found.std(ddof=min(1, chosen.runs - 1)) / sqrt(chosen.runs):.4f}")
                progress.advance(bar)
            taken = (process_time() - start) / chosen.runs / len(chosen.epsilons)
            print(f"| {name} | {' | '.join(row)} | {taken:.2f} |", flush=True)


if __name__ == "__main__":
    main()
