"""Forests whose tests or votes are chosen by dampening, beside the forest that is shipped: is there anything to win?

The papers leave dampened random forests to the future. Two ways to have one, each for one epsilon in all:

- *votes*: the tests are drawn blindly, as in the shipped forest, and every leaf releases its majority by pairwise
  dampening of the 0/1 utility of the winner;
- *tests*: every record draws one of few trees, and each tree is grown on its own records with tests chosen by pairwise
  dampening of information gain (or by permute-and-flip on the max operator) among half of the attributes, drawn
  blindly; the trees' class shares are averaged. Trees hold disjoint records, so all of them cost what one costs.

Run ``python -m experiments.dampened_forests`` from the project's root with ``DAMPEN_DATA`` set. The hold-outs are those
of :mod:`experiments.private_classifier`, the same for all; fits draw from the system's entropy. What was seen stands in
docs/trees.md.
"""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from rich.progress import Progress

from dampen import Budget
from dampen.entropy import SystemEntropy
from dampen.learn import PrivateClassifier, PrivateForestClassifier, PrivateTreeClassifier, Schema
from dampen.learn.random_trees import as_matrix, counts_at_leaves, default_depth, draw_trees
from dampen.learn.records import as_records
from dampen.learn.votes import VotingForest, label_problem, vote_shares
from dampen.mechanisms import PairwiseDampening
from dampen.vectors import Floats, Integers
from experiments.private_classifier import TASKS, Task, split

EPSILONS = ("0.1", "1", "2")
RUNS = 10
VOTERS = 32
DEEPEST = 10


@dataclass(frozen=True, eq=False)
class Trial:
    """A table cut in two: what is fitted on, and what is asked."""

    schema: Schema
    known: Mapping[str, Any]
    classes: Integers
    asked: Mapping[str, Any]

    @classmethod
    def of(cls, task: Task, run: int) -> "Trial":
        """One of the hold-outs."""
        kept, held = split(task.table.rows, run)
        places = {label: place for place, label in enumerate(task.schema.classes)}
        classes = np.array([places[label] for label in task.table[task.target][kept].tolist()], dtype=np.int64)
        named = {name: task.table[name] for name in task.schema.attributes}
        return cls(
            Schema(task.schema.attributes, range(len(places))),
            {name: column[kept] for name, column in named.items()},
            classes,
            {name: column[held] for name, column in named.items()},
        )


Shares = Callable[[Trial, str, int], Floats]
"""The class shares of what is asked, from a trial, an epsilon and a run."""


def shipped(trial: Trial, epsilon: str, run: int) -> Floats:
    """The forest of the wheel: blind tests, noisy counts."""
    model = PrivateForestClassifier(epsilon, schema=trial.schema, budget=Budget(epsilon=epsilon))
    return np.asarray(model.fit(trial.known, trial.classes).predict_proba(trial.asked))


def flipped_votes(trial: Trial, epsilon: str, run: int) -> Floats:
    """Blind tests, majorities by permute-and-flip."""
    model = PrivateForestClassifier(
        epsilon, labels="permute_and_flip", schema=trial.schema, budget=Budget(epsilon=epsilon)
    )
    return np.asarray(model.fit(trial.known, trial.classes).predict_proba(trial.asked))


def dampened_votes(trial: Trial, epsilon: str, run: int) -> Floats:
    """Blind tests, majorities by pairwise dampening: a law for every row of counts that occurs."""
    rng, kinds = np.random.default_rng([run, 1]), len(trial.schema.classes)
    depth = min(DEEPEST, default_depth(trial.schema))
    trees = draw_trees(trial.schema, VOTERS, depth, SystemEntropy().bits(128))
    records = as_records(trial.known, trial.schema)
    seats = rng.integers(VOTERS, size=records.rows)
    units = np.ones(records.rows, dtype=np.int64)
    counts = counts_at_leaves(trees, as_matrix(records), seats, trial.classes, kinds, units)
    mechanism = PairwiseDampening(Fraction(epsilon))
    rows, places = np.unique(counts.reshape(-1, kinds), axis=0, return_inverse=True)
    laws = np.exp([mechanism.log_probabilities(label_problem(row, "pairwise")) for row in rows])[places.ravel()]
    labels = (laws.cumsum(axis=1) < rng.random((len(laws), 1))).sum(axis=1).clip(max=kinds - 1)
    forest = VotingForest(trees, labels.reshape(VOTERS, -1))
    return vote_shares(forest, as_records(trial.asked, trial.schema), kinds)


def grown(trees: int, depth: int, criterion: str) -> Shares:
    """Trees that choose their tests, each on its own records and half of the attributes (one tree: on all)."""

    def shares(trial: Trial, epsilon: str, run: int) -> Floats:
        rng = np.random.default_rng([run, 2])
        seats, names = rng.integers(trees, size=len(trial.classes)), list(trial.schema.attributes)
        summed = np.zeros(len(trial.schema.classes))
        for tree in range(trees):
            own, here = (names if trees == 1 else _half(names, rng)), seats == tree
            schema = Schema({name: trial.schema.attributes[name] for name in own}, trial.schema.classes)
            model = PrivateTreeClassifier(epsilon, depth, criterion, schema=schema, budget=Budget(epsilon=epsilon))  # type: ignore[arg-type]
            model.fit({name: np.asarray(trial.known[name])[here] for name in own}, trial.classes[here])
            summed = summed + model.predict_proba({name: trial.asked[name] for name in own})
        return np.asarray(summed)

    return shares


def _half(names: list[str], rng: np.random.Generator) -> list[str]:
    drawn = rng.permutation(len(names))[: (len(names) + 1) // 2]
    return [names[place] for place in sorted(drawn.tolist())]


def table(trial: Trial, epsilon: str, run: int) -> Floats:
    """The decision table, for comparison."""
    model = PrivateClassifier(epsilon, trial.schema, Budget(epsilon=epsilon), len(trial.classes), kind="table")
    return np.asarray(model.fit(trial.known, trial.classes).predict_proba(trial.asked))


WAYS: dict[str, Shares] = {
    "forest of the wheel": shipped,
    "votes by permute-and-flip": flipped_votes,
    "votes by pairwise dampening": dampened_votes,
    "4 trees of depth 3, tests by pairwise dampening": grown(4, 3, "information_gain"),
    "16 trees of depth 3, tests by pairwise dampening": grown(16, 3, "information_gain"),
    "4 trees of depth 5, tests by pairwise dampening": grown(4, 5, "information_gain"),
    "4 trees of depth 3, tests by permute-and-flip": grown(4, 3, "max"),
    "one tree of depth 3, tests by pairwise dampening": grown(1, 3, "information_gain"),
    "decision table": table,
}


def accuracy(task: Task, way: str, epsilon: str, run: int) -> float:
    """The share of right answers on the rows held out."""
    told = WAYS[way](Trial.of(task, run), epsilon, run).argmax(axis=1)
    _, held = split(task.table.rows, run)
    labels = np.array(task.schema.classes, dtype=object)[told]
    return float(np.mean([one == other for one, other in zip(labels, task.table[task.target][held], strict=True)]))


def main() -> None:
    """Print a table for each epsilon."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    known = [name for name in TASKS if name != "compas"]
    parser.add_argument("--data", nargs="+", default=known, choices=list(TASKS))
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS))
    parser.add_argument("--runs", type=int, default=RUNS)
    chosen = parser.parse_args()
    tasks = {name: TASKS[name]() for name in chosen.data}
    with Progress(transient=True) as progress:
        bar = progress.add_task("fits", total=len(chosen.epsilons) * len(WAYS) * len(tasks))
        for epsilon in chosen.epsilons:
            print(
                f"\n| epsilon {epsilon} ({chosen.runs} runs) | {' | '.join(tasks)} |\n"
                + "|---" * (1 + len(tasks))
                + "|"
            )
            for way in WAYS:
                row = []
                for task in tasks.values():
                    found = np.array([accuracy(task, way, epsilon, run) for run in range(chosen.runs)])
                    row.append(f"{found.mean():.3f} ±{found.std(ddof=min(1, chosen.runs - 1)) / sqrt(chosen.runs):.3f}")
                    progress.advance(bar)
                print(f"| {way} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
