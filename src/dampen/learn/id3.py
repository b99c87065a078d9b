"""ID3 under differential privacy: attributes chosen privately, level by level, on noisy class counts.

Every node buys its class counts for one share of epsilon (they stop the growth, label leaves and tell sizes), and every
node that goes on buys an attribute for another. A path of at most D = min(depth, attributes) tests costs 2 D + 1
shares; the nodes of a level hold disjoint records, so one record pays for one path. Proof: docs/proofs/tree.md.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt
from typing import Protocol

import numpy as np

from dampen.learn.nodes import Node
from dampen.learn.records import Records
from dampen.learn.schema import Attribute, Numeric, Schema
from dampen.learn.splits import SplitChoice
from dampen.sampling.entropy import Entropy
from dampen.sampling.laplace_batch import discrete_laplace_batch
from dampen.statistics.contingency import Codes, Layout, count_classes, count_level
from dampen.vectors import Integers

BINS = 10
"""How many intervals a numeric attribute has where its schema does not say."""
LARGEST_LEVEL = 2**26
"""So many joint counts are held at a time; wider levels are counted in parts."""


@dataclass(eq=False)
class _Growing:
    """A node while its tree grows: the attributes not used above it, and what was released of it."""

    free: tuple[int, ...]
    counts: tuple[int, ...] = ()
    attribute: int = -1
    children: list["_Growing"] = field(default_factory=list)


def shares_of(depth: int, attributes: int) -> int:
    """Into how many equal shares epsilon is cut: a count and a choice for every test of a path, and a last count.

    ``attributes``: how many there are with two or more outcomes; the others tell nothing and are never tested.
    """
    return 2 * min(depth, attributes) + 1


class LevelCounter(Protocol):
    """Who counts the rows of a tree while it grows: arrays here, or an engine where the data lies."""

    def class_counts(self, count: int) -> Integers:
        """The classes of the rows of each of the ``count`` nodes of the level."""

    def keep(self, places: list[int]) -> None:
        """Number the nodes anew: the node at each place becomes ``places[place]``, or a leaf if that is negative."""

    def tables(self, first: int, count: int) -> Integers:
        """Joint counts of the attributes at nodes ``first``, ``first + 1``, ...: node, value, class."""

    def descend(self, chosen: list[int], firsts: list[int]) -> None:
        """Send the rows of each node by the attribute chosen there, to children that begin at these places."""


def grow(
    records: Records, classes: Integers, schema: Schema, *, depth: int, epsilon: Fraction, choice: SplitChoice,
    source: Entropy,
) -> Node:  # fmt: skip
    """A tree whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    layout = Layout(outcomes_of(schema), len(schema.classes))
    counter = RecordCounter(_coded(records, schema), classes.astype(np.int32), layout)
    return grow_on(counter, schema, depth=depth, epsilon=epsilon, choice=choice, source=source)


def grow_on(
    counter: LevelCounter, schema: Schema, *, depth: int, epsilon: Fraction, choice: SplitChoice, source: Entropy
) -> Node:
    """The same tree, its rows counted by ``counter``."""
    sizes = outcomes_of(schema)
    layout = Layout(sizes, len(schema.classes))
    telling = tuple(place for place, size in enumerate(sizes) if size > 1)
    share = epsilon / shares_of(depth, len(telling))
    root = _Growing(telling)
    level = [root]
    for left in range(depth, -1, -1):
        _buy_counts(level, counter, share, source)
        going = [node for node in level if left and node.free and _worth_going_on(node, layout, share)]
        if not going:
            break
        counter.keep(_places(level, going))
        _choose(going, counter, layout, choice, share, source)
        level = _descend(going, counter, layout)
    return _finished(root, [_edges(attribute) for attribute in schema.attributes.values()])


class RecordCounter:
    """Rows in memory: the node of every row is remembered."""

    def __init__(self, codes: list[Codes], labels: Codes, layout: Layout) -> None:
        self._codes, self._labels, self._layout = codes, labels, layout
        self._nodes = np.zeros(len(labels), dtype=np.int32)

    def class_counts(self, count: int) -> Integers:
        """The classes at each node."""
        return count_classes(self._labels, self._nodes, count, self._layout.classes)

    def keep(self, places: list[int]) -> None:
        """Number the nodes anew; -1 for rows of leaves."""
        new = np.array(places, dtype=np.int32)
        self._nodes = np.where(self._nodes >= 0, new[np.maximum(self._nodes, 0)], -1).astype(np.int32)

    def tables(self, first: int, count: int) -> Integers:
        """Joint counts at these nodes."""
        inside = (self._nodes >= first) & (self._nodes < first + count)
        return count_level(self._codes, self._labels, np.where(inside, self._nodes - first, -1), self._layout, count)

    def descend(self, chosen: list[int], firsts: list[int]) -> None:
        """The place of every row among the children."""
        nodes, attributes, starts = self._nodes, np.array(chosen, dtype=np.int32), np.array(firsts, dtype=np.int32)
        following = np.full(len(nodes), -1, dtype=np.int32)
        for attribute in set(chosen):
            rows = (nodes >= 0) & (attributes[np.maximum(nodes, 0)] == attribute)
            following[rows] = starts[nodes[rows]] + self._codes[attribute][rows]
        self._nodes = following


def _worth_going_on(node: _Growing, layout: Layout, share: Fraction) -> bool:
    """Whether the cells of the widest test hold more records on average than the noise of a count spreads."""
    widest = max(layout.sizes[place] for place in node.free)
    return sum(node.counts) >= sqrt(2) / float(share) * widest * layout.classes


def _buy_counts(level: list[_Growing], counter: LevelCounter, share: Fraction, source: Entropy) -> None:
    counts = counter.class_counts(len(level))
    noisy = counts + discrete_laplace_batch(share, counts.size, source).reshape(counts.shape)
    for node, released in zip(level, noisy.tolist(), strict=True):
        node.counts = tuple(released)


def _places(level: list[_Growing], going: list[_Growing]) -> list[int]:
    """Where the nodes of a level stand among those that go on; -1 for leaves."""
    places = {id(node): place for place, node in enumerate(going)}
    return [places.get(id(node), -1) for node in level]


def _choose(
    going: list[_Growing], counter: LevelCounter, layout: Layout, choice: SplitChoice, share: Fraction, source: Entropy
) -> None:
    starts = layout.starts
    at_once = max(1, LARGEST_LEVEL // (layout.width * layout.classes))
    for first in range(0, len(going), at_once):
        part = going[first : first + at_once]
        for node, table in zip(part, counter.tables(first, len(part)), strict=True):
            tables = [table[starts[place] : starts[place + 1]] for place in node.free]
            node.attribute = node.free[choice.pick(tables, share, source)]


def _descend(going: list[_Growing], counter: LevelCounter, layout: Layout) -> list[_Growing]:
    """The children of the chosen tests."""
    below: list[_Growing] = []
    firsts: list[int] = []
    for node in going:
        free = tuple(other for other in node.free if other != node.attribute)
        node.children = [_Growing(free) for _ in range(layout.sizes[node.attribute])]
        firsts.append(len(below))
        below += node.children
    counter.descend([node.attribute for node in going], firsts)
    return below


def _edges(attribute: Attribute) -> tuple[float, ...] | None:
    return tuple(attribute.edges(BINS).tolist()) if isinstance(attribute, Numeric) else None


def _coded(records: Records, schema: Schema) -> list[Codes]:
    """For each attribute the outcome of each row."""
    codes: list[Codes] = []
    for attribute, column in zip(schema.attributes.values(), records.columns, strict=True):
        if isinstance(attribute, Numeric):
            codes.append(np.searchsorted(attribute.edges(BINS), column, side="right").astype(np.int32))
        else:
            codes.append(np.asarray(column, dtype=np.int32))
    return codes


def outcomes_of(schema: Schema) -> tuple[int, ...]:
    """How many outcomes the test of each attribute has."""
    found = schema.attributes.values()
    return tuple(len(a.edges(BINS)) + 1 if isinstance(a, Numeric) else len(a.values) for a in found)


def _finished(node: _Growing, edges: list[tuple[float, ...] | None]) -> Node:
    if not node.children:
        return Node(node.counts)
    children = tuple(_finished(child, edges) for child in node.children)
    return Node(node.counts, node.attribute, edges[node.attribute], children)
