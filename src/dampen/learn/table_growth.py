"""Growing a decision table privately: tests chosen two at a time, then the class counts of all cells released once.

Each pair is chosen by permute-and-flip, by how well it refines all cells of the table so far. How many pairs, and which
share of epsilon each gets, follows from public numbers by :func:`plan`. Proof: docs/proofs/decision_table.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

import numpy as np

from dampen.entropy import Entropy
from dampen.learn import noise
from dampen.learn.decision_table import BinaryTest, DecisionTable, binary_tests, possible_cells
from dampen.learn.training_table import TrainingTable
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Adjacency
from dampen.problem import SelectionProblem
from dampen.queries.splits.pair import pair_at, pair_problem
from dampen.queries.splits.vote_pair import vote_pair_problem
from dampen.tables.engines import Bits, CodedTable, Labels
from dampen.tables.engines.base import Coding
from dampen.tables.pair_counts import Block
from dampen.vectors import Integers

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


@dataclass(frozen=True)
class Plan:
    """What follows from public numbers: epsilon for each pair of tests in turn, then for the counts.

    ``every``: all tests there are enter the table, so that none need be chosen.
    """

    pairs: tuple[Fraction, ...]
    leaves: Fraction
    every: bool = False


def round_to_one_digit(records: int) -> int:
    """Rounded down to one significant digit, and at least 1.

    >>> [round_to_one_digit(n) for n in (45222, 40700, 999, -3)]
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
    mass = epsilon * round_to_one_digit(records)
    pairs: int = 0 if mass < FIRST_PAIR * classes else 1 + sum(mass >= least for least in MORE_PAIRS)
    if pairs == 0 or 2 * pairs >= tests:
        return Plan((), epsilon, every=pairs > 0)
    # More cells have more noise beside the same records, and ask for a larger share; within limits, so that neither the
    # choices nor the counts are starved.
    share = min(max(LEAF_SHARE * 4**pairs * classes / mass, LEAF_SHARES[0]), LEAF_SHARES[1])
    weights = [GROWTH**place for place in range(pairs)]
    # Exact fractions: what the pairs and the counts get adds up to epsilon, with nothing left over.
    return Plan(tuple((1 - share) * epsilon * weight / sum(weights) for weight in weights), share * epsilon)


def grow_table(table: TrainingTable, *, epsilon: Fraction, records: int, source: Entropy) -> DecisionTable:
    """A table whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    counter = PairCounts(table)
    shares = plan(epsilon, records, len(table.schema.classes), len(counter.tests))
    chosen = counter.tests if shares.every else choose_pairs(counter, shares.pairs, source)
    counts = table.noisy(counter.cell_counts(chosen), shares.leaves, source)
    return DecisionTable(chosen, tuple(map(tuple, counts.tolist())), shares.leaves, records)


def draw_size(table: TrainingTable, epsilon: Fraction, expected: int | None, source: Entropy) -> tuple[int, Fraction]:
    """The declared number of records, or a noisy one, and what is left of epsilon."""
    if expected is not None:
        return expected, epsilon
    size = int(noise.noisy_counts(np.array([table.rows]), epsilon * SIZE_SHARE, source)[0])
    return size, epsilon * (1 - SIZE_SHARE)


def choose_pairs(counter: "PairCounts", shares: tuple[Fraction, ...], source: Entropy) -> tuple[BinaryTest, ...]:
    """Pair after pair, each out of the tests that are left."""
    taken, free = tuple[BinaryTest, ...](), np.arange(len(counter.tests))
    for share in shares:
        pair = pair_at(PermuteAndFlip(share).draw(counter.problem(taken, free), source), len(free))
        taken += tuple(counter.tests[free[place]] for place in pair)
        free = np.delete(free, pair)
    return taken


class PairCounts:
    """Counts for a decision table: joint counts of all pairs of tests, then those of its cells."""

    def __init__(self, table: TrainingTable) -> None:
        self.tests = binary_tests(table.schema)
        self._table, self._blocks, slots, start = table, list[Block](), list[int](), 0
        asked = {place: list(group) for place, group in groupby(self.tests, key=lambda test: test.attribute)}
        for place, size in enumerate(table.coded.sizes):
            own = asked.get(place, [])
            slots += _slots(own, size, start)
            if own:
                self._blocks.append(Block(start, start + len(own), nested=own[0].edge is not None))
            start += len(own)
        self._slots = np.array(slots, dtype=np.int64)

    def problem(self, taken: tuple[BinaryTest, ...], free: Integers) -> SelectionProblem:
        """Which pair of free tests to append. Cells that no record can be in are not looked at."""
        fits, cells, kinds = possible_cells(taken), self._route(taken), len(self._table.schema.classes)
        # Possible cells are numbered without gaps: a joint matrix of all pairs of tests is large, and costs memory.
        groups = ((np.cumsum(fits) - 1)[:, None] * kinds + np.arange(kinds)).ravel()
        asked, table = (cells, self._slots, tuple(self._blocks), groups), self._table
        totals = table.counter.class_counts(cells)[fits]
        if table.cells is None:
            return pair_problem(totals, table.engine.joints(*asked), free, adjacency=Adjacency.ADD_REMOVE)
        votes = table.cells.joints(*asked)
        return vote_pair_problem(totals, votes, free, each=table.vote, adjacency=Adjacency.ADD_REMOVE)

    def cell_counts(self, tests: tuple[BinaryTest, ...]) -> Integers:
        """Counts by cell and class."""
        return self._table.counter.class_counts(self._route(tests))

    def _route(self, tests: tuple[BinaryTest, ...]) -> CodedTable:
        codings = list(self._table.coded.attributes.values())
        bits = Bits(tuple((test.attribute, _places_that_pass(test, codings[test.attribute])) for test in tests))
        return self._table.coded.with_route(bits, 1 << len(tests))


def _slots(tests: list[BinaryTest], size: int, start: int) -> list[int]:
    """The slot of every place of an attribute: the first of its tests that the place passes, or -1.

    Place j of a number lies below edge j, the first one it passes; place j of a category passes the test of code j.
    """
    if not tests:
        return [-1] * size
    first = 0 if tests[0].edge is not None else tests[0].code
    return [start + place - first if 0 <= place - first < len(tests) else -1 for place in range(size)]


def _places_that_pass(test: BinaryTest, coding: Coding) -> tuple[int, ...]:
    """The places that pass a test."""
    if isinstance(coding, Labels) or test.edge is None:
        return (test.code,)
    return tuple(range(coding.edges.index(test.edge) + 1))
