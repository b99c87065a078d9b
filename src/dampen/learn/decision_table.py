"""A private decision table: a few tests asked of every record, and noisy class counts for each pattern of answers.

The tests are chosen two at a time by permute-and-flip, each pair by how well it refines all cells of the table so far;
then the class counts of all cells are released once. Everything else (how many pairs, which share of epsilon each gets)
follows from public numbers by :func:`plan`, and what is made of the counts is free. Proof:
docs/proofs/decision_table.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt
from typing import Protocol

import numpy as np

from dampen.entropy import Entropy
from dampen.learn.records import Column, Records
from dampen.learn.schema import Numeric, Schema
from dampen.mechanisms import PermuteAndFlip
from dampen.problem import SelectionProblem
from dampen.queries.splits.table_split import pair_at
from dampen.sampling.discrete_laplace import add_within, discrete_laplace_batch
from dampen.vectors import Floats, Integers

MOST_TESTS = 4096
"""Joint counts of all pairs of more tests would fill the memory."""
MOST_JOINT = 2**28
"""So many joint counts, of all pairs of tests by class, are held at a time."""
MOST_RECORDS = 2**31 - 1
"""Joint counts have 32 bits: in a larger table they would wrap, and one record could move a cost by any amount."""
FIRST_PAIR = 8
"""A table is grown if epsilon times the records reaches so many per class ..."""
MORE_PAIRS = (450, 2000, 6500, 25000, 100000)
"""... and by one more pair at each of these."""
LEAF_SHARES = Fraction(3, 10), Fraction(1, 2)
"""The class counts get a share of epsilon within these limits,"""
LEAF_SHARE = 3
"""namely so many times the number of counts over epsilon times the records."""
GROWTH = Fraction(36, 25)
"""By this factor each pair gets more of epsilon than the one before: it is read from smaller cells."""
SIZE_SHARE = Fraction(1, 50)
"""This share of epsilon buys the number of records where it is not declared."""
PULL = 10
"""By this factor products of two answers are pulled to 0 harder than single answers, in tables of several pairs."""
SMOOTHING = 16
"""So many times the scale of the noise: the records that the prior of a cell stands for."""


@dataclass(frozen=True)
class Question:
    """A question with the answers yes and no: is a number below ``edge``, or is a category the one with this code?"""

    attribute: int
    edge: float | None = None
    code: int = 0

    def passes(self, column: Column) -> Column:
        """Which values pass. A category that is not declared fails."""
        return column == self.code if self.edge is None else column < self.edge


@dataclass(frozen=True)
class Plan:
    """What is settled before the data is seen: epsilon for each pair of tests in turn, then for the counts.

    ``every``: all tests there are enter the table, so that none need be chosen.
    """

    pairs: tuple[Fraction, ...]
    leaves: Fraction
    every: bool = False


@dataclass(frozen=True)
class DecisionTable:
    """The released numbers: tests in order, and the noisy class counts of each cell, drawn at the rate ``epsilon``.

    ``records`` is the number of records that the plan was made for, declared or noisy. The cells count in binary: the
    answer to the first test is the highest bit, 1 for yes.
    """

    tests: tuple[Question, ...]
    counts: tuple[tuple[int, ...], ...]
    epsilon: Fraction
    records: int


def questions_of(schema: Schema) -> tuple[Question, ...]:
    """All questions that a schema allows: every inner edge, every category; one question where there are two."""
    tests: list[Question] = []
    edges = schema.edges()
    for place, (name, attribute) in enumerate(schema.attributes.items()):
        if isinstance(attribute, Numeric):
            tests += [Question(place, edge=edge) for edge in edges[name].tolist()]
        else:
            codes = range(len(attribute.values)) if len(attribute.values) > 2 else range(1, len(attribute.values))
            tests += [Question(place, code=code) for code in codes]
    return tuple(tests)


def rough(records: int) -> int:
    """Rounded down to one significant digit, and at least 1.

    >>> [rough(n) for n in (45222, 40700, 999, -3)]
    [40000, 40000, 900, 1]
    """
    digits = str(max(records, 1))
    return int(digits[0] + "0" * (len(digits) - 1))


def plan(epsilon: Fraction, records: int, classes: int, tests: int) -> Plan:
    """How many pairs, and who gets how much of epsilon: from public numbers alone. The parts add up to epsilon.

    >>> shares = plan(Fraction(1, 10), 40_000, 2, 300)
    >>> len(shares.pairs), sum(shares.pairs) + shares.leaves
    (3, Fraction(1, 10))
    """
    mass = epsilon * rough(records)
    pairs: int = 0 if mass < FIRST_PAIR * classes else 1 + sum(mass >= least for least in MORE_PAIRS)
    if pairs == 0 or 2 * pairs >= tests:
        return Plan((), epsilon, every=pairs > 0)
    share = min(max(LEAF_SHARE * 4**pairs * classes / mass, LEAF_SHARES[0]), LEAF_SHARES[1])
    weights = [GROWTH**place for place in range(pairs)]
    chosen = tuple((1 - share) * epsilon * weight / sum(weights) for weight in weights)
    return Plan(chosen, share * epsilon)


class PairCounter(Protocol):
    """Who counts the rows of a table while it grows."""

    def size(self) -> int:
        """How many records there are."""

    def problem(self, taken: tuple[Question, ...], free: Integers) -> SelectionProblem:
        """Which pair of the tests at the places ``free`` to append to those taken."""

    def cell_counts(self, tests: tuple[Question, ...]) -> Integers:
        """Counts by cell and class, one after the other."""


def grow(
    counter: PairCounter, schema: Schema, *, epsilon: Fraction, expected: int | None, source: Entropy
) -> DecisionTable:
    """A table whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    size = expected
    if size is None:
        size = int(add_within(np.array([counter.size()]), discrete_laplace_batch(epsilon * SIZE_SHARE, 1, source))[0])
        epsilon = epsilon * (1 - SIZE_SHARE)
    tests, kinds = questions_of(schema), len(schema.classes)
    settled = plan(epsilon, size, kinds, len(tests))
    chosen = tests if settled.every else _chosen(counter, tests, settled, source)
    counts = counter.cell_counts(chosen)
    noisy = add_within(counts, discrete_laplace_batch(settled.leaves, len(counts), source))
    return DecisionTable(chosen, tuple(map(tuple, noisy.reshape(-1, kinds).tolist())), settled.leaves, size)


def cells_of(tests: tuple[Question, ...], records: Records) -> Integers:
    """The cell of each record."""
    cells = np.zeros(records.rows, dtype=np.int64)
    for test in tests:
        cells = 2 * cells + test.passes(records.columns[test.attribute])
    return cells


def _chosen(counter: PairCounter, tests: tuple[Question, ...], settled: Plan, source: Entropy) -> tuple[Question, ...]:
    """Pair after pair, each out of the tests that are left."""
    taken, free = tuple[Question, ...](), np.arange(len(tests))
    for share in settled.pairs:
        pair = pair_at(PermuteAndFlip(share).draw(counter.problem(taken, free), source), len(free))
        taken += tuple(tests[free[place]] for place in pair)
        free = np.delete(free, pair)
    return taken


def possible(tests: tuple[Question, ...]) -> Column:
    """Which cells a declared record can be in: nothing is below 30 and not below 40, or of two categories."""
    pattern = patterns(len(tests))
    fits = np.ones(len(pattern), dtype=np.bool_)
    for (one, first), (two, second) in combinations(enumerate(tests), 2):
        if first.attribute != second.attribute:
            continue
        if first.edge is None or second.edge is None:
            fits &= ~(pattern[:, one] & pattern[:, two])
        else:
            low, high = (one, two) if first.edge < second.edge else (two, one)
            fits &= ~pattern[:, low] | pattern[:, high]
    return fits


def patterns(depth: int) -> Column:
    """The answers that lead to each cell, as a row of booleans each."""
    places = np.arange(1 << depth)[:, None] >> np.arange(depth - 1, -1, -1)[None, :]
    return (places & 1).astype(np.bool_)


def class_shares(table: DecisionTable) -> Floats:
    """The probability of each class in each cell, from released numbers alone.

    Least squares of the counts on the answers and the products of two of them, each cell with the weight of its
    released size, give a prior that borrows strength from other cells. It counts as SMOOTHING / epsilon records.
    """
    fits = possible(table.tests)
    counts = np.array(table.counts, dtype=np.float64) * fits[:, None]
    kept = np.maximum(counts, 0.0)
    if not table.tests:
        return kept / kept.sum() if kept.sum() else np.full(kept.shape, 1 / kept.shape[1])
    scale = 1 / float(table.epsilon)
    prior = _prior(counts, patterns(len(table.tests)), sqrt(2 * counts.size) * scale)
    return np.asarray((kept + SMOOTHING * scale * prior) / (kept.sum(axis=1, keepdims=True) + SMOOTHING * scale))


def _prior(counts: Floats, pattern: Column, ridge: float) -> Floats:
    signs = 2.0 * pattern - 1.0
    products = [signs[:, one] * signs[:, two] for one, two in combinations(range(signs.shape[1]), 2)]
    design = np.column_stack([np.ones(len(signs)), signs, *products])
    weights = np.maximum(counts.sum(axis=1), 0.0)
    pulls = np.where(np.arange(design.shape[1]) > signs.shape[1], PULL if signs.shape[1] > 2 else 1, 1) * ridge
    gram = design.T @ (weights[:, None] * design) + np.diag(pulls)
    fitted = np.maximum(design @ _solved(gram, design.T @ counts), 0.0)
    totals = fitted.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, fitted / np.where(totals > 0, totals, 1.0), 1 / counts.shape[1]))


def _solved(gram: Floats, sums: Floats) -> Floats:
    """The least squares; the shortest where ridges are lost beside the weights, as they are at a vast epsilon."""
    try:
        found = np.linalg.solve(gram, sums)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(gram, sums)[0])
    return np.asarray(found)
