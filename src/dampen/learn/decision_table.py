"""A released decision table: a few tests asked of every record, and noisy class counts for each pattern of answers.

Everything here reads released and public numbers alone, so nothing of it costs more. How a table is drawn stands in
:mod:`dampen.learn.table_growth`. Proof: docs/proofs/decision_table.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import sqrt

import numpy as np

from dampen.describe.columns import Number
from dampen.learn.records import Column, Records
from dampen.learn.schema import Schema
from dampen.vectors import Floats, Integers

PULL = 10
"""By this factor products of two answers are pulled to 0 harder than single answers, in tables of several pairs."""
SMOOTHING = 16
"""So many times the scale of the noise: the records that the prior of a cell stands for."""


@dataclass(frozen=True)
class BinaryTest:
    """A test with the outcomes yes and no: is a number below ``edge``, or is a category the one with this code?"""

    attribute: int
    edge: float | None = None
    code: int = 0

    def passes(self, column: Column) -> Column:
        """Which values pass. A category that is not declared fails."""
        return column == self.code if self.edge is None else column < self.edge


@dataclass(frozen=True)
class DecisionTable:
    """The released numbers: tests in order, and the noisy class counts of each cell, drawn at the rate ``epsilon``.

    ``records`` is the number of records that the plan was made for, declared or noisy. The cells count in binary: the
    answer to the first test is the highest bit, 1 for yes.
    """

    tests: tuple[BinaryTest, ...]
    counts: tuple[tuple[int, ...], ...]
    epsilon: Fraction
    records: int


def binary_tests(schema: Schema) -> tuple[BinaryTest, ...]:
    """All tests that a schema allows: one for every inner edge and every category; one where there are two of these."""
    tests: list[BinaryTest] = []
    edges = schema.edges()
    for place, (name, attribute) in enumerate(schema.attributes.items()):
        if isinstance(attribute, Number):
            tests += [BinaryTest(place, edge=edge) for edge in edges[name].tolist()]
        else:
            size = len(attribute.labels)
            codes = range(size) if size > 2 else range(1, size)
            tests += [BinaryTest(place, code=code) for code in codes]
    return tuple(tests)


def cells_of(tests: tuple[BinaryTest, ...], records: Records) -> Integers:
    """The cell of each record."""
    cells = np.zeros(records.rows, dtype=np.int64)
    for test in tests:
        cells = 2 * cells + test.passes(records.columns[test.attribute])
    return cells


def possible_cells(tests: tuple[BinaryTest, ...]) -> Column:
    """Which cells a declared record can be in: nothing is below 30 and not below 40, or of two categories."""
    pattern = cell_answers(len(tests))
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


def cell_answers(tests: int) -> Column:
    """For each cell, as a row, the answers to so many tests that lead there."""
    places = np.arange(1 << tests)[:, None] >> np.arange(tests - 1, -1, -1)[None, :]
    return (places & 1).astype(np.bool_)


def class_shares(table: DecisionTable) -> Floats:
    """The probability of each class in each cell, from released numbers alone.

    Least squares of the counts on the answers and the products of two of them, each cell with the weight of its
    released size, give a prior that borrows strength from other cells. It counts as SMOOTHING / epsilon records.
    """
    fits = possible_cells(table.tests)
    counts = np.array(table.counts, dtype=np.float64) * fits[:, None]
    kept = np.maximum(counts, 0.0)
    if not table.tests:
        return kept / kept.sum() if kept.sum() else np.full(kept.shape, 1 / kept.shape[1])
    scale = 1 / float(table.epsilon)
    # The ridge is as large as the noise of all counts together: what they cannot tell is not believed.
    prior = _prior(counts, cell_answers(len(table.tests)), sqrt(2 * counts.size) * scale)
    return np.asarray((kept + SMOOTHING * scale * prior) / (kept.sum(axis=1, keepdims=True) + SMOOTHING * scale))


def _prior(counts: Floats, pattern: Column, ridge: float) -> Floats:
    """Ridge regression of the class counts on answers (as signs) and products of two, as shares by cell."""
    signs = 2.0 * pattern - 1.0
    products = [signs[:, one] * signs[:, two] for one, two in combinations(range(signs.shape[1]), 2)]
    design = np.column_stack([np.ones(len(signs)), signs, *products])
    weights = np.maximum(counts.sum(axis=1), 0.0)
    pulls = np.where(np.arange(design.shape[1]) > signs.shape[1], PULL if signs.shape[1] > 2 else 1, 1) * ridge
    gram = design.T @ (weights[:, None] * design) + np.diag(pulls)
    fitted = np.maximum(design @ _solve(gram, design.T @ counts), 0.0)
    totals = fitted.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, fitted / np.where(totals > 0, totals, 1.0), 1 / counts.shape[1]))


def _solve(gram: Floats, sums: Floats) -> Floats:
    """The least squares; the shortest where ridges are lost beside the weights, as they are at a vast epsilon."""
    try:
        found = np.linalg.solve(gram, sums)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(gram, sums)[0])
    return np.asarray(found)
