"""How fast trees and forests are fitted, against diffprivlib's, and one dampened choice against the plain algorithm.

Run ``python -m benchmarks.trees`` from the project's root with ``DAMPEN_DATA`` set. diffprivlib needs an environment of
its own (``make bench-diffprivlib``) and is left out without it. benchmarks/README.md says what is timed.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

from benchmarks import dampened_loop
from benchmarks.coded_tables import CodedTable, coded
from benchmarks.contestants import PeerMissing
from benchmarks.peer_process import PeerProcess
from benchmarks.targets import Target
from benchmarks.timing import Measured, Run, interleaved_medians, stopwatch
from dampen import Adjacency, Budget
from dampen.entropy import system_entropy
from dampen.learn import PrivateForestClassifier, PrivateTreeClassifier
from dampen.learn.id3 import count_outcomes
from dampen.learn.training_table import TrainingTable
from dampen.mechanisms import LocalDampening
from dampen.queries import information_gain_problem
from dampen.tables.contingency import Layout
from dampen.tables.engines.arrays import ArrayEngine
from dampen.vectors import Integers

DATA, EPSILON, DEPTH = "adult", 1, 5
TREES, FOREST_DEPTH = 32, 10
ROWS = 2000
"""A dampened choice is timed on so many records."""
TREE, FOREST = f"tree, depth {DEPTH}", f"forest, {TREES} trees of depth {FOREST_DEPTH}"
DAMPENED = "tree by information gain, local dampening"
PAIRWISE = "tree by information gain, pairwise dampening"
VOTES = f"{FOREST}, votes"
CHOICE = f"one dampened choice, {ROWS} records"
PLAIN, PEER = "plain Python", "diffprivlib"
TURN = 0.05
"""So many seconds a turn lasts at least."""
RESULTS = Path(__file__).parent / "results" / "trees.json"

Spent = dict[str, list[float]]
"""By contestant the processor seconds of each run."""


def fits(table: CodedTable) -> dict[str, Callable[[], object]]:
    """Whole fits, from an array of numbers to the model, paid from an ample budget."""
    budget, values, classes = Budget(epsilon=10**9), table.values, table.classes

    def tree(**options: Any) -> object:
        made = PrivateTreeClassifier(EPSILON, DEPTH, schema=table.schema, budget=budget, **options)
        return made.fit(values, classes)

    def forest(labels: str) -> object:
        made = PrivateForestClassifier(EPSILON, TREES, FOREST_DEPTH, labels=labels, schema=table.schema, budget=budget)
        return made.fit(values, classes)

    return {
        TREE: tree,
        DAMPENED: lambda: tree(criterion="information_gain", mechanism="local_dampening"),
        PAIRWISE: lambda: tree(criterion="information_gain", mechanism="pairwise"),
        FOREST: lambda: forest("counts"),
        VOTES: lambda: forest("permute_and_flip"),
    }


def counted(table: CodedTable, rows: int) -> list[Integers]:
    """For each attribute the joint counts with the class, of so many records drawn with a fixed seed."""
    drawn = np.random.default_rng(0).permutation(len(table.classes))[:rows]
    columns = dict(zip(table.schema.attributes, table.values[drawn].T, strict=True))
    labels = np.array(table.schema.classes)[table.classes[drawn]]
    found = TrainingTable.scan(ArrayEngine({**columns, "class": labels}), table.schema, "class")
    starts = Layout(count_outcomes(table.schema), len(table.schema.classes)).starts
    return np.split(found.levels().tables(np.array([0]))[0], starts[1:-1])


def choices(counts: list[Integers]) -> dict[str, Callable[[], object]]:
    """One choice from given counts: by dampen, and by the plain algorithm."""
    mechanism, source, plain = LocalDampening(EPSILON), system_entropy(), [table.tolist() for table in counts]

    def choose() -> object:
        return mechanism.draw(information_gain_problem(counts, adjacency=Adjacency.ADD_REMOVE), source)

    problem = information_gain_problem(counts, adjacency=Adjacency.ADD_REMOVE)
    ours = problem.sensitivity.inverse(np.asarray(problem.utilities))
    theirs = [dampened_loop.dampened(table) for table in plain]
    assert np.allclose(ours, theirs, rtol=1e-9), "the two do not answer the same question"
    return {CHOICE: choose, f"{PLAIN}: {CHOICE}": lambda: dampened_loop.choose(plain, float(EPSILON))}


def timed(action: Callable[[], object], spent: list[float]) -> Run:
    """A turn by the clock that also notes its processor time; the first run is not timed, so that code is compiled.

    Short runs are repeated within a turn, and their median counts: caches are warm, as they are for long runs.
    """
    action()
    watch = stopwatch(action)

    def turn() -> float:
        clock, processor = list[float](), list[float]()
        while sum(clock) < TURN:
            start = process_time()
            clock.append(watch())
            processor.append(process_time() - start)
        spent.append(median(processor))
        return median(clock)

    return turn


def of_diffprivlib(folder: Path, spent: Spent) -> dict[str, Run]:
    """The same tree and forest, timed by a process of their own; nobody if it is missing."""
    try:
        worker = PeerProcess(".venv-diffprivlib", "benchmarks.diffprivlib_trees", folder)
    except PeerMissing as missing:
        print(missing)
        return {}

    def fitted(name: str, *asked: object) -> Run:
        def run() -> float:
            seconds, processor = worker.ask("seconds", DATA, *asked)
            spent.setdefault(name, []).append(processor)
            return float(seconds)

        return run

    tree, forest = f"{PEER}: {TREE}", f"{PEER}: {FOREST}"
    return {
        tree: fitted(tree, "tree", DEPTH, EPSILON, None),
        forest: fitted(forest, "forest", FOREST_DEPTH, EPSILON, TREES),
    }


def measure(rounds: int) -> tuple[dict[str, Measured], Spent]:
    """Everybody in every round, in random order."""
    table, spent = coded(DATA), Spent()
    with TemporaryDirectory() as folder:
        table.write(Path(folder) / f"{DATA}.npz")
        runs = of_diffprivlib(Path(folder), spent)
        for who, action in {**fits(table), **choices(counted(table, ROWS))}.items():
            runs[who] = timed(action, spent.setdefault(who, []))
        return interleaved_medians(runs, rounds=rounds, allowance=60), spent


def targets(spent: Spent) -> list[Target]:
    """The promises of this page; seconds are the processor's, since a busy machine makes the clock run on."""

    def seconds(*names: str) -> dict[str, float]:
        return {name: median(spent[name]) for name in names}

    def ratio(peer: str, name: str) -> dict[str, float]:
        other = spent.get(f"{peer}: {name}")
        return {name: median(other) / median(spent[name])} if other else {}

    return [
        Target("ID3 of depth 5 on Adult within 10 ms", 0.010, seconds(TREE)),
        Target("at least 4 times as fast as diffprivlib's tree", 4, ratio(PEER, TREE), at_least=True),
        Target("dampened ID3 of depth 5 on Adult within 1 s", 1, seconds(DAMPENED, PAIRWISE)),
        Target("a dampened choice 300 times as fast as plain Python", 300, ratio(PLAIN, CHOICE), at_least=True),
        Target("a forest of 32 random trees of depth 10 within 60 ms", 0.060, seconds(FOREST)),
        Target("at least 15 times as fast as diffprivlib's forest", 15, ratio(PEER, FOREST), at_least=True),
    ]


def main() -> None:
    """Measure, print and write as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few rounds")
    found, spent = measure(5 if parser.parse_args().quick else 41)
    for who, figure in found.items():
        of_processor = f"{median(spent[who]) * 1000:10.2f} ms of processor" if spent.get(who) else ""
        print(f"{who:<52} {figure.seconds * 1000:10.2f} ms, median of {figure.runs:>2} {of_processor}")
    for target in targets(spent):
        print(target.line())
    RESULTS.parent.mkdir(exist_ok=True)
    kept = {who: {"seconds": figure.seconds, "runs": figure.runs} for who, figure in found.items()}
    RESULTS.write_text(json.dumps({"clock": kept, "processor": spent}, indent=1))


if __name__ == "__main__":
    main()
