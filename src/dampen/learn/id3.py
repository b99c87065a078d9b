"""ID3 under differential privacy: attributes chosen privately, level by level, on noisy class counts.

Every node buys its class counts for one share of epsilon (they stop the growth, label leaves and tell sizes), and every
node that goes on buys an attribute for another. A path of at most D = min(depth, attributes) tests costs 2 D + 1
shares; the nodes of a level hold disjoint records, so one record pays for one path. Proof: docs/proofs/tree.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

import numpy as np

from dampen.learn.nodes import Node
from dampen.learn.records import Records
from dampen.learn.schema import Categorical, Schema
from dampen.learn.splits import SplitChoice
from dampen.sampling.entropy import Entropy
from dampen.sampling.laplace_batch import added, discrete_laplace_batch
from dampen.statistics.contingency import Codes, Layout, count_classes, count_level
from dampen.vectors import Integers

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


def grow(
    records: Records, classes: Integers, schema: Schema, *, depth: int, epsilon: Fraction, choice: SplitChoice,
    source: Entropy,
) -> Node:  # fmt: skip
    """A tree whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    edges, codes = _coded(records, schema)
    sizes = outcomes_of(schema)
    layout = Layout(sizes, len(schema.classes))
    telling = tuple(place for place, size in enumerate(sizes) if size > 1)
    share = epsilon / shares_of(depth, len(telling))
    root = _Growing(telling)
    level, nodes = [root], np.zeros(records.rows, dtype=np.int32)
    labels = classes.astype(np.int32)
    for left in range(depth, -1, -1):
        _buy_counts(level, labels, nodes, layout, share, source)
        going = [node for node in level if left and node.free and _worth_going_on(node, layout, share)]
        if not going:
            break
        nodes = _renumbered(nodes, level, going)
        _choose(going, codes, labels, nodes, layout, choice, share, source)
        level, nodes = _descend(going, codes, nodes, layout)
    return _finished(root, edges)


def _worth_going_on(node: _Growing, layout: Layout, share: Fraction) -> bool:
    """Whether the cells of the widest test hold more records on average than the noise of a count spreads."""
    widest = max(layout.sizes[place] for place in node.free)
    return sum(node.counts) >= sqrt(2) / float(share) * widest * layout.classes


def _buy_counts(
    level: list[_Growing], labels: Codes, nodes: Codes, layout: Layout, share: Fraction, source: Entropy
) -> None:
    counts = count_classes(labels, nodes, len(level), layout.classes)
    noisy = added(counts, discrete_laplace_batch(share, counts.size, source).reshape(counts.shape))
    for node, released in zip(level, noisy.tolist(), strict=True):
        node.counts = tuple(released)


def _renumbered(nodes: Codes, level: list[_Growing], going: list[_Growing]) -> Codes:
    """The places of the rows among the nodes that go on; -1 for rows of leaves."""
    places = {id(node): place for place, node in enumerate(going)}
    new = np.array([places.get(id(node), -1) for node in level], dtype=np.int32)
    return np.where(nodes >= 0, new[np.maximum(nodes, 0)], -1).astype(np.int32)


def _choose(
    going: list[_Growing], codes: Sequence[Codes], labels: Codes, nodes: Codes, layout: Layout, choice: SplitChoice,
    share: Fraction, source: Entropy,
) -> None:  # fmt: skip
    starts = layout.starts
    at_once = max(1, LARGEST_LEVEL // (layout.width * layout.classes))
    for first in range(0, len(going), at_once):
        part = going[first : first + at_once]
        inside = (nodes >= first) & (nodes < first + at_once)
        counts = count_level(codes, labels, np.where(inside, nodes - first, -1), layout, len(part))
        for node, table in zip(part, counts, strict=True):
            tables = [table[starts[place] : starts[place + 1]] for place in node.free]
            node.attribute = node.free[choice.pick(tables, share, source)]


def _descend(
    going: list[_Growing], codes: Sequence[Codes], nodes: Codes, layout: Layout
) -> tuple[list[_Growing], Codes]:
    """The children of the chosen tests, and the place of every row among them."""
    below: list[_Growing] = []
    following = np.full(len(nodes), -1, dtype=np.int32)
    firsts = np.zeros(len(going), dtype=np.int32)
    for place, node in enumerate(going):
        free = tuple(other for other in node.free if other != node.attribute)
        node.children = [_Growing(free) for _ in range(layout.sizes[node.attribute])]
        firsts[place] = len(below)
        below += node.children
    chosen = np.array([node.attribute for node in going], dtype=np.int32)
    for attribute in set(chosen.tolist()):
        rows = (nodes >= 0) & (chosen[np.maximum(nodes, 0)] == attribute)
        following[rows] = firsts[nodes[rows]] + codes[attribute][rows]
    return below, following


def _coded(records: Records, schema: Schema) -> tuple[list[tuple[float, ...] | None], list[Codes]]:
    """For each attribute its edges, if it is numeric, and the outcome of each row."""
    edges: list[tuple[float, ...] | None] = []
    codes: list[Codes] = []
    inner_edges = schema.edges()
    for name, column in zip(schema.attributes, records.columns, strict=True):
        if (inner := inner_edges.get(name)) is not None:
            edges.append(tuple(inner.tolist()))
            codes.append(np.searchsorted(inner, column, side="right").astype(np.int32))
        else:
            edges.append(None)
            codes.append(np.asarray(column, dtype=np.int32))
    return edges, codes


def outcomes_of(schema: Schema) -> tuple[int, ...]:
    """How many outcomes the test of each attribute has."""
    edges, found = schema.edges(), schema.attributes.items()
    return tuple(len(a.values) if isinstance(a, Categorical) else len(edges[name]) + 1 for name, a in found)


def _finished(node: _Growing, edges: list[tuple[float, ...] | None]) -> Node:
    if not node.children:
        return Node(node.counts)
    children = tuple(_finished(child, edges) for child in node.children)
    return Node(node.counts, node.attribute, edges[node.attribute], children)
