"""Records as a decision table has cut them so far, posed as the question which pair of tests to append."""

from dataclasses import dataclass

import numpy as np

from dampen.privacy import Adjacency
from dampen.problem import SelectionProblem
from dampen.queries.splits.pair import pair_problem
from dampen.tables.pair_counts import Block, Slots, pair_counts
from dampen.vectors import Integers


@dataclass(frozen=True, eq=False, repr=False)
class Cut:
    """Answers of all records to all tests, their cells and their classes; how many of both there are, publicly."""

    slots: Slots
    blocks: tuple[Block, ...]
    cell: Integers
    kind: Integers
    cells: int
    kinds: int


def cut_problem(cut: Cut, free: Integers, *, adjacency: Adjacency) -> SelectionProblem:
    """The question that :func:`pair_problem` poses, from records instead of counts."""
    groups, count = cut.cell * cut.kinds + cut.kind, cut.cells * cut.kinds
    totals = np.bincount(groups, minlength=count).reshape(cut.cells, cut.kinds)
    return pair_problem(totals, pair_counts(cut.slots, cut.blocks, groups, count), free, adjacency=adjacency)
