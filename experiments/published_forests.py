"""Random forests as published (Fletcher and Islam 2017; Algorithm 5 of the thesis), for simulation with a seed.

The training records are cut into equal parts, one for each tree. A node tests an attribute that is drawn blindly: a
number at a point of its domain, a category by one child for each of its values, once on a path. The label of a leaf is
told by a mechanism, and the trees vote. Only nodes that a record reaches are grown.

Where counts are equal, and in empty leaves, the order of the classes is drawn for every leaf: a fixed order would give
one class the votes of all empty leaves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log

import numpy as np

from dampen import Number
from dampen.vectors import Floats, Integers
from experiments.coded_tables import Coded
from experiments.tree_choices import noise_of

TREES = 32
SIGMA_AS_RUN = 0.7026
"""Of the Laplace log-normal noise, as the thesis's code has it for beta = epsilon / 2."""


@dataclass(frozen=True, eq=False)
class Leaves:
    """The leaves of a forest: class counts, and the leaf of each test record in each tree.

    ``winners``: the class with the most records. ``steps``: how many records must come or go before another class wins.
    ``leads``: by how many records the winner leads.
    """

    counts: Integers
    reached: Integers
    winners: Integers
    steps: Integers
    leads: Integers

    @classmethod
    def of(cls, counts: Integers, reached: Integers, rng: np.random.Generator) -> "Leaves":
        """With an order of the classes for ties, drawn for each leaf."""
        order, rows = rng.random(counts.shape) / 2, np.arange(len(counts))
        winners = (counts + order).argmax(axis=1)
        behind = counts[rows, winners][:, None] - counts
        steps = behind + (order < order[rows, winners][:, None])
        steps[rows, winners] = behind[rows, winners] = np.iinfo(np.int64).max
        return cls(counts, reached, winners, steps.min(axis=1), behind.min(axis=1))

    @property
    def classes(self) -> int:
        """How many there are."""
        return int(self.counts.shape[1])

    def labels(self, chance: Floats | float, rng: np.random.Generator) -> Integers:
        """For each leaf the winner with a chance, and else one of the others."""
        others = (self.winners + rng.integers(1, self.classes, size=len(self.winners))) % self.classes
        return np.where(rng.random(len(self.winners)) < chance, self.winners, others)

    def noisy(self, spread: Floats | float, noise: str, rng: np.random.Generator) -> Integers:
        """For each leaf the best of 1 for the winner and 0 for the others, with noise of twice the spread."""
        utilities = np.zeros(self.counts.shape)
        utilities[np.arange(len(utilities)), self.winners] = 1
        scales = np.broadcast_to(np.asarray(spread), (len(utilities),))[:, None]
        return np.asarray((utilities + 2 * scales * noise_of(noise, utilities.shape, rng, SIGMA_AS_RUN)).argmax(axis=1))


def leaves_of(
    table: Coded, train: Integers, test: Integers, depth: int, rng: np.random.Generator, trees: int = TREES
) -> Leaves:
    """Draw a forest, and send the training records down their trees and the test records down all."""
    parts = np.array_split(rng.permutation(train), trees)
    rows = np.concatenate([*parts, np.tile(test, trees)])
    nodes = np.concatenate([*(np.full(len(p), k) for k, p in enumerate(parts)), np.repeat(np.arange(trees), len(test))])
    values, kinds, widest = table.values, table.numeric, max([2, *table.layout.sizes])
    ends = np.array([a.float_bounds if isinstance(a, Number) else (0, 0) for a in table.schema.attributes.values()])
    free = np.ones((trees, len(kinds)), dtype=bool)
    for _ in range(depth):
        stuck = np.flatnonzero(~free.any(axis=1))
        drawn = np.where(free, rng.random(free.shape), -1.0)
        chosen, points = drawn.argmax(axis=1), rng.random(len(free))
        points = ends[chosen, 0] + (ends[chosen, 1] - ends[chosen, 0]) * points
        seen = values[rows, chosen[nodes]]
        outcomes = np.where(kinds[chosen[nodes]], seen > points[nodes], seen).astype(np.int64)
        outcomes[np.isin(nodes, stuck)] = 0
        reached, nodes = np.unique(nodes * widest + outcomes, return_inverse=True)
        above = reached // widest
        free = free[above].copy()
        free[np.arange(len(above)), chosen[above]] &= kinds[chosen[above]]
    counts = np.bincount(
        nodes[: len(train)] * table.layout.classes + table.labels[rows[: len(train)]],
        minlength=len(free) * table.layout.classes,
    )
    return Leaves.of(counts.reshape(len(free), -1), nodes[len(train) :].reshape(trees, len(test)), rng)


def votes(leaves: Leaves, labels: Integers, rng: np.random.Generator) -> Integers:
    """For each test record the class that most trees vote for; ties are drawn."""
    told = labels[leaves.reached]
    counts = np.stack([(told == label).sum(axis=0) for label in range(leaves.classes)], axis=1)
    return np.asarray((counts + rng.random(counts.shape) / 2).argmax(axis=1))


Labels = Callable[[Leaves, float, int, np.random.Generator], Integers]
"""Leaves, epsilon, the lead of the whole data set, and random numbers to a label for each leaf."""


def majority(leaves: Leaves, epsilon: float, whole: int, rng: np.random.Generator) -> Integers:
    """WDP: no privacy."""
    return leaves.winners


def exponential(leaves: Leaves, epsilon: float, whole: int, rng: np.random.Generator) -> Integers:
    """EM: the 0/1 utility, sensitivity 1."""
    return leaves.labels(1 / (1 + (leaves.classes - 1) * exp(-epsilon / 2)), rng)


def permute_and_flip(leaves: Leaves, epsilon: float, whole: int, rng: np.random.Generator) -> Integers:
    """PF: the same."""
    noise = rng.exponential(size=leaves.counts.shape)
    noise[np.arange(len(noise)), leaves.winners] += epsilon / 2
    return np.asarray(noise.argmax(axis=1))


def local_dampening(leaves: Leaves, epsilon: float, whole: int, rng: np.random.Generator) -> Integers:
    """LD: the dampened 0/1 utility is the number of steps for the winner, and 0 for the others."""
    return leaves.labels(1 / (1 + (leaves.classes - 1) * np.exp(-epsilon * leaves.steps / 2)), rng)


def stable(leaves: Leaves, epsilon: float, whole: int, rng: np.random.Generator) -> Integers:
    """StableArgmax: the best that a private law of winner and steps can do."""
    grow, most = exp(epsilon), log(exp(epsilon) + leaves.classes - 1)
    turn = max(1, int((most - log(grow + 1)) / epsilon) + 1)
    late = 1 - (1 - exp(epsilon * turn - most)) * np.exp(-epsilon * np.maximum(leaves.steps - turn, 0))
    early = np.exp(epsilon * np.minimum(leaves.steps, turn) - most)
    return leaves.labels(np.where(leaves.steps <= turn, early, late), rng)


def flip_counts(leaves: Leaves, epsilon: float, whole: int, rng: np.random.Generator) -> Integers:
    """Permute-and-flip on the counts themselves, all of epsilon."""
    return np.asarray((epsilon * leaves.counts + rng.exponential(size=leaves.counts.shape)).argmax(axis=1))


def alpha_as_run(noise: str, epsilon: float) -> float:
    """What the thesis's code divides by: half of epsilon is for the dilation, of Student's t and the log-normal."""
    log_normal = exp(-1.5 * SIGMA_AS_RUN**2) * (1 - 0.5 / SIGMA_AS_RUN)
    return epsilon * {"student": 3**0.5 / 4, "laplace": 1, "log_normal": log_normal}[noise]


def smooth_noisy_max_of_the_whole(noise: str) -> Labels:
    """SNM as run: one S = exp(-j epsilon) for all leaves, j the lead in the whole data set."""

    def labels(leaves: Leaves, epsilon: float, whole: int, rng: np.random.Generator) -> Integers:
        return leaves.noisy(exp(-min(whole * epsilon, 700)) / alpha_as_run(noise, epsilon), noise, rng)

    return labels


def smooth_noisy_max_of_the_leaf(leaves: Leaves, epsilon: float, whole: int, rng: np.random.Generator) -> Integers:
    """SNM-T with the lead of each leaf, as Theorem 7.3 may be read."""
    spreads = np.exp(-np.minimum(leaves.leads * epsilon, 700)) / alpha_as_run("student", epsilon)
    return leaves.noisy(spreads, "student", rng)
