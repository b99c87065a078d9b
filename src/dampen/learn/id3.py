"""ID3 under differential privacy: attributes chosen privately, level by level, on noisy class counts.

Every node releases its class counts for one share of epsilon (they stop the growth, label leaves and tell sizes), and
every node that grows on chooses an attribute for another. A path of at most D = min(depth, attributes) tests costs
2 D + 1 shares; the nodes of a level hold disjoint records, so one record pays for one path. Proof: docs/proofs/tree.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dampen.describe.columns import Number
from dampen.entropy import Entropy
from dampen.learn.nodes import Node
from dampen.learn.schema import Schema
from dampen.learn.split_choice import SplitChoice
from dampen.learn.training_table import TrainingTable
from dampen.tables.contingency import Layout
from dampen.tables.engines.base import Levels
from dampen.vectors import Integers

LARGEST_LEVEL = 2**26
"""So many joint counts are held at a time; wider levels are counted in parts."""
NO_TEST = -1
"""In place of an attribute: the node is a leaf."""


@dataclass(frozen=True, eq=False)
class _Level:
    """What was released of the nodes of a level: class counts and the attribute tested, or ``NO_TEST``."""

    counts: Integers
    attributes: Integers


def count_shares(depth: int, attributes: int) -> int:
    """Into how many equal shares epsilon is cut: a count and a choice for every test of a path, and a last count.

    ``attributes``: how many there are with two or more outcomes; the others tell nothing and are never tested.
    """
    return 2 * min(depth, attributes) + 1


def grow_tree(table: TrainingTable, *, depth: int, epsilon: Fraction, choice: SplitChoice, source: Entropy) -> Node:
    """A tree whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    schema, counter = table.schema, table.levels()
    layout = Layout(count_outcomes(schema), len(schema.classes))
    sizes = np.array(layout.sizes, dtype=np.int64)
    free = (sizes > 1)[None, :]
    share = epsilon / count_shares(depth, int(free.sum()))
    counts, levels = table.classes[None, :], list[_Level]()
    for left in range(depth, -1, -1):
        released = table.noisy(counts, share, source)
        inner = _worth_a_test(released, free, layout, share) & (left > 0)
        attributes, counts = _choose(inner, free, counter, layout, choice, share / table.vote, source)
        levels.append(_Level(released, attributes))
        if not inner.any():
            break
        # The choice has counted the children, so rows move down only where a level below will choose again.
        if left > 1:
            children = np.where(inner, sizes[attributes], 0)
            counter.descend(attributes, np.cumsum(children) - children)
        free = _free_below(free[inner], attributes[inner], sizes)
    return _assemble(levels, layout, schema)


def _worth_a_test(counts: Integers, free: NDArray[np.bool_], layout: Layout, share: Fraction) -> NDArray[np.bool_]:
    """Whether the cells of the widest test hold more records on average than the noise of a count spreads."""
    widest = np.where(free, np.array(layout.sizes), 0).max(axis=1)
    enough = counts.sum(axis=1, dtype=np.float64) >= sqrt(2) / float(share) * widest * layout.classes
    return np.asarray(enough & (widest > 0))


def _choose(
    inner: NDArray[np.bool_], free: NDArray[np.bool_], counter: Levels, layout: Layout, choice: SplitChoice,
    share: Fraction, source: Entropy,
) -> tuple[Integers, Integers]:  # fmt: skip
    """For each node of a level the attribute that it tests, or ``NO_TEST``, and the true class counts of all children.

    ``share``: for one unit of what is counted, a row or a part of a vote.

    A node's children hold what its attribute counts, value by value: they need not be counted again.
    """
    attributes, asked = np.full(len(inner), NO_TEST, dtype=np.int64), np.flatnonzero(inner)
    at_once = max(1, LARGEST_LEVEL // (layout.width * layout.classes))
    held = [np.zeros((0, layout.classes), dtype=np.int64)]
    for first in range(0, len(asked), at_once):
        part = asked[first : first + at_once]
        counts = counter.tables(part)
        picked = choice.pick_all(counts, free[part], layout, share, source)
        attributes[part] = picked
        starts, ends = layout.starts[picked].tolist(), layout.starts[picked + 1].tolist()
        held += [table[start:end] for table, start, end in zip(counts, starts, ends, strict=True)]
    return attributes, np.concatenate(held)


def _free_below(free: NDArray[np.bool_], attributes: Integers, sizes: Integers) -> NDArray[np.bool_]:
    """Which attributes are not tested yet, for the children of nodes that test these."""
    left = free.copy()
    left[np.arange(len(left)), attributes] = False
    return left.repeat(sizes[attributes], axis=0)


def count_outcomes(schema: Schema) -> tuple[int, ...]:
    """How many outcomes the test of each attribute has."""
    edges, found = schema.edges(), schema.attributes.items()
    return tuple(len(edges[name]) + 1 if isinstance(a, Number) else len(a.labels) for name, a in found)


def edges_of(schema: Schema) -> tuple[tuple[float, ...] | None, ...]:
    """The inner edges of each numeric attribute, None for a categorical one."""
    found = schema.edges()
    return tuple(tuple(found[name].tolist()) if name in found else None for name in schema.attributes)


def _assemble(levels: list[_Level], layout: Layout, schema: Schema) -> Node:
    """The levels as a tree, from the lowest up: the children of a level's nodes stand in order in the one below."""
    below: list[Node] = []
    edges = edges_of(schema)
    for level in reversed(levels):
        used, made = 0, []
        for counts, attribute in zip(level.counts.tolist(), level.attributes.tolist(), strict=True):
            if attribute == NO_TEST:
                made.append(Node(tuple(counts)))
            else:
                children = tuple(below[used : used + layout.sizes[attribute]])
                made.append(Node(tuple(counts), attribute, edges[attribute], children))
                used += len(children)
        below = made
    return below[0]
