"""DiffPID3 as published (Friedman and Schuster 2010; Algorithm 4 of both papers), for simulation with a seed.

epsilon' = epsilon / (2 (d + 1)). A node buys the number of its records for epsilon'; it becomes a leaf where no test is
left or where that number is below a threshold per cell of its widest attribute, and then buys its class counts; else it
buys an attribute. Which attribute is the business of a :data:`Choice`, as the papers replace that line alone.

The threshold is printed as sqrt(2) / 2, which has no epsilon in it: with little budget empty nodes go on and on. What
must be meant is the spread of the noise, sqrt(2) / epsilon'. Both are tried.

Only nodes that a test record reaches are grown. That changes nothing for the accuracy on the test records, and keeps
trees small where the noise is so large that empty nodes go on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dampen.tables.contingency import Codes, Layout, count_level
from dampen.vectors import Floats, Integers
from experiments.coded_tables import Coded

Flags = NDArray[np.bool_]
STOPS: dict[str, Callable[[float], float]] = {
    "printed": lambda _: sqrt(2) / 2,
    "meant": lambda share: sqrt(2) / share,
}
"""So many records per cell a node must have to go on."""


@dataclass(frozen=True, eq=False)
class Level:
    """What the nodes of a level know: joint counts (node, value, class), and which attributes are not used above."""

    counts: Integers
    free: Flags
    layout: Layout

    @property
    def sizes(self) -> Integers:
        """The number of records of each node."""
        return np.asarray(self.counts[:, : self.layout.sizes[0]].sum(axis=(1, 2)))

    def per_attribute(self, of_values: Floats) -> Floats:
        """Numbers of each value, added up for each attribute."""
        return np.asarray(np.add.reduceat(of_values, self.layout.starts[:-1], axis=1))

    def best(self, scores: Floats) -> Integers:
        """The free attribute with the highest score, for each node."""
        return np.asarray(np.where(self.free, scores, -np.inf).argmax(axis=1))


Choice = Callable[[Level, float, np.random.Generator], Integers]
"""An attribute for each node of a level, bought for epsilon'."""


def accuracy(
    table: Coded, train: Integers, test: Integers, *, depth: int, epsilon: float, choice: Choice,
    rng: np.random.Generator, stop: str = "printed",
) -> float:  # fmt: skip
    """The share of test records that a tree grown on the training records gets right."""
    share, layout = epsilon / (2 * (depth + 1)), table.layout
    answers = np.zeros(len(test), dtype=np.int64)
    inside, asked = np.zeros(len(train), dtype=np.int64), np.zeros(len(test), dtype=np.int64)
    free = np.ones((1, len(layout.sizes)), dtype=bool)
    learnt, labels = table.codes[train], table.labels[train]
    for left in range(depth, -1, -1):
        sizes = np.bincount(inside[inside >= 0], minlength=len(free))
        widest = np.where(free, layout.sizes, 1).max(axis=1)
        noisy = sizes + rng.laplace(scale=1 / share, size=len(free))
        ends = (noisy / (widest * layout.classes) < STOPS[stop](share)) | ~free.any(axis=1) | (left == 0)
        counts = _class_counts(labels, inside, len(free), layout.classes)
        told = (counts + rng.laplace(scale=1 / share, size=counts.shape)).argmax(axis=1)
        done = (asked >= 0) & ends[np.maximum(asked, 0)]
        answers[done] = told[asked[done]]
        if ends.all():
            break
        places = np.where(ends, -1, np.cumsum(~ends) - 1)
        inside, asked = _moved(inside, places), _moved(asked, places)
        level = Level(level_counts(learnt, labels, inside, layout, int((~ends).sum())), free[~ends], layout)
        chosen = choice(level, share, rng)
        inside, asked, free = _descended(learnt, table.codes[test], inside, asked, chosen, level)
    return float((answers == table.labels[test]).mean())


def _moved(nodes: Integers, places: Integers) -> Integers:
    return np.where(nodes >= 0, places[np.maximum(nodes, 0)], -1)


def _class_counts(labels: Codes, nodes: Integers, count: int, classes: int) -> Integers:
    here = nodes >= 0
    return np.bincount(nodes[here] * classes + labels[here], minlength=count * classes).reshape(count, classes)


def level_counts(codes: Codes, labels: Codes, nodes: Integers, layout: Layout, count: int) -> Integers:
    """Counts of shape (count, layout.width, layout.classes); ``codes`` has a row for each record."""
    slots = (codes + layout.starts[:-1]).astype(np.uint32)
    return count_level(slots, labels, nodes.astype(np.int32), layout, np.arange(count))


def _descended(
    learnt: Codes, seen: Codes, inside: Integers, asked: Integers, chosen: Integers, level: Level
) -> tuple[Integers, Integers, Flags]:
    """The nodes below that test records reach, for every record, and what is free there."""
    widest = max(level.layout.sizes)
    below_train, below_test = (
        np.where(nodes >= 0, nodes * widest + codes[np.arange(len(nodes)), chosen[np.maximum(nodes, 0)]], -1)
        for codes, nodes in ((learnt, inside), (seen, asked))
    )
    reached = np.unique(below_test[below_test >= 0])
    parents = reached // widest
    free = level.free[parents].copy()
    free[np.arange(len(reached)), chosen[parents]] = False
    return _places(below_train, reached), _places(below_test, reached), free


def _places(keys: Integers, reached: Integers) -> Integers:
    found = np.minimum(np.searchsorted(reached, keys), len(reached) - 1)
    return np.where((keys >= 0) & (reached[found] == keys), found, -1)
