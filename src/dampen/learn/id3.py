"""ID3 under differential privacy: attributes chosen privately, level by level, on noisy class counts.

Every node buys its class counts for one share of epsilon (they stop the growth, label leaves and tell sizes), and every
node that goes on buys an attribute for another. A path of at most D = min(depth, attributes) tests costs 2 D + 1
shares; the nodes of a level hold disjoint records, so one record pays for one path. Proof: docs/proofs/tree.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from dampen.learn.nodes import Node
from dampen.learn.records import Records
from dampen.learn.schema import Categorical, Schema
from dampen.learn.splits import SplitChoice
from dampen.sampling.entropy import Entropy
from dampen.sampling.laplace_batch import added, discrete_laplace_batch
from dampen.statistics.contingency import Layout, Slots, as_slots, count_level, descend, intervals
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


def shares_of(depth: int, attributes: int) -> int:
    """Into how many equal shares epsilon is cut: a count and a choice for every test of a path, and a last count.

    ``attributes``: how many there are with two or more outcomes; the others tell nothing and are never tested.
    """
    return 2 * min(depth, attributes) + 1


class LevelCounter(Protocol):
    """Who counts the records of a tree while it grows: arrays here, or an engine where the data lies."""

    def root(self) -> Integers:
        """The classes of all records."""

    def tables(self, asked: Integers) -> Integers:
        """Joint counts of the attributes at these nodes of the level, in increasing order: node, value, class."""

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """Send the records of each node by its attribute to children that begin at this place of the level below.

        Records of nodes with ``NO_TEST`` leave the tree.
        """


def grow(
    records: Records, classes: Integers, schema: Schema, *, depth: int, epsilon: Fraction, choice: SplitChoice,
    source: Entropy,
) -> Node:  # fmt: skip
    """A tree whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    counter = RecordCounter(records, classes, schema)
    return grow_on(counter, schema, depth=depth, epsilon=epsilon, choice=choice, source=source)


def grow_on(
    counter: LevelCounter, schema: Schema, *, depth: int, epsilon: Fraction, choice: SplitChoice, source: Entropy
) -> Node:
    """The same tree, its records counted by ``counter``."""
    layout = Layout(outcomes_of(schema), len(schema.classes))
    sizes = np.array(layout.sizes, dtype=np.int64)
    free = (sizes > 1)[None, :]
    share = epsilon / shares_of(depth, int(free.sum()))
    counts, levels = counter.root()[None, :], list[_Level]()
    for left in range(depth, -1, -1):
        released = _noisy(counts, share, source)
        going = _worth_going_on(released, free, layout, share) & (left > 0)
        attributes, counts = _chosen(going, free, counter, layout, choice, share, source)
        levels.append(_Level(released, attributes))
        if not going.any():
            break
        if left > 1:
            children = np.where(going, sizes[attributes], 0)
            counter.descend(attributes, np.cumsum(children) - children)
        free = _free_below(free[going], attributes[going], sizes)
    return _finished(levels, layout, schema)


class RecordCounter:
    """Records in memory: the node of every one is remembered."""

    def __init__(self, records: Records, classes: Integers, schema: Schema) -> None:
        self._layout = Layout(outcomes_of(schema), len(schema.classes))
        self._slots = _slots_of(records, schema, self._layout)
        self._root = np.bincount(classes, minlength=self._layout.classes)
        self._labels, self._nodes = classes.astype(np.int32), np.zeros(records.rows, dtype=np.int32)

    def root(self) -> Integers:
        """The classes of all records."""
        return self._root

    def tables(self, asked: Integers) -> Integers:
        """Joint counts at these nodes, in one pass."""
        return count_level(self._slots, self._labels, self._nodes, self._layout, asked)

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """The node of every record one level down."""
        self._nodes = descend(self._slots, self._nodes, attributes, firsts - self._layout.starts[attributes])


def _noisy(counts: Integers, share: Fraction, source: Entropy) -> Integers:
    return added(counts, discrete_laplace_batch(share, counts.size, source).reshape(counts.shape))


def _worth_going_on(counts: Integers, free: NDArray[np.bool_], layout: Layout, share: Fraction) -> NDArray[np.bool_]:
    """Whether the cells of the widest test hold more records on average than the noise of a count spreads."""
    widest = np.where(free, np.array(layout.sizes), 0).max(axis=1)
    enough = counts.sum(axis=1, dtype=np.float64) >= sqrt(2) / float(share) * widest * layout.classes
    return np.asarray(enough & (widest > 0))


def _chosen(
    going: NDArray[np.bool_], free: NDArray[np.bool_], counter: LevelCounter, layout: Layout, choice: SplitChoice,
    share: Fraction, source: Entropy,
) -> tuple[Integers, Integers]:  # fmt: skip
    """For each node of a level the attribute that it tests, or ``NO_TEST``, and the true class counts of all children.

    What a node's attribute counts, value by value, is what its children hold.
    """
    attributes, asked = np.full(len(going), NO_TEST, dtype=np.int64), np.flatnonzero(going)
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


def _slots_of(records: Records, schema: Schema, layout: Layout) -> Slots:
    """The outcomes of all records, as slots."""
    codes = np.empty((len(records.columns), records.rows), dtype=np.int32)
    edges = schema.edges()
    for place, (name, column) in enumerate(zip(schema.attributes, records.columns, strict=True)):
        codes[place] = intervals(column, edges[name]) if name in edges else column
    return as_slots(codes, layout.starts)


def outcomes_of(schema: Schema) -> tuple[int, ...]:
    """How many outcomes the test of each attribute has."""
    edges, found = schema.edges(), schema.attributes.items()
    return tuple(len(a.values) if isinstance(a, Categorical) else len(edges[name]) + 1 for name, a in found)


def edges_of(schema: Schema) -> tuple[tuple[float, ...] | None, ...]:
    """The inner edges of each numeric attribute, None for a categorical one."""
    found = schema.edges()
    return tuple(tuple(found[name].tolist()) if name in found else None for name in schema.attributes)


def _finished(levels: list[_Level], layout: Layout, schema: Schema) -> Node:
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
