"""ID3 under differential privacy: attributes chosen privately, level by level, on noisy class counts.

Every node buys its class counts for one share of epsilon (they stop the growth, label leaves and tell sizes), and every
node that goes on buys an attribute for another. A path of at most D = min(depth, attributes) tests costs 2 D + 1
shares; the nodes of a level hold disjoint records, so one record pays for one path. Proof: docs/proofs/tree.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.learn.counted import CountedTable
from dampen.learn.nodes import Node
from dampen.learn.schema import Categorical, Schema
from dampen.learn.splits import SplitChoice
from dampen.sampling.discrete_laplace import add_within, discrete_laplace_batch
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


def shares_of(depth: int, attributes: int) -> int:
    """Into how many equal shares epsilon is cut: a count and a choice for every test of a path, and a last count.

    ``attributes``: how many there are with two or more outcomes; the others tell nothing and are never tested.
    """
    return 2 * min(depth, attributes) + 1


def grow(table: CountedTable, *, depth: int, epsilon: Fraction, choice: SplitChoice, source: Entropy) -> Node:
    """A tree whose release costs ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for it here."""
    schema, counter = table.schema, table.levels()
    layout = Layout(outcomes_of(schema), len(schema.classes))
    sizes = np.array(layout.sizes, dtype=np.int64)
    free = (sizes > 1)[None, :]
    share = epsilon / shares_of(depth, int(free.sum()))
    counts, levels = table.classes[None, :], list[_Level]()
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


def _noisy(counts: Integers, share: Fraction, source: Entropy) -> Integers:
    return add_within(counts, discrete_laplace_batch(share, counts.size, source).reshape(counts.shape))


def _worth_going_on(counts: Integers, free: NDArray[np.bool_], layout: Layout, share: Fraction) -> NDArray[np.bool_]:
    """Whether the cells of the widest test hold more records on average than the noise of a count spreads."""
    widest = np.where(free, np.array(layout.sizes), 0).max(axis=1)
    enough = counts.sum(axis=1, dtype=np.float64) >= sqrt(2) / float(share) * widest * layout.classes
    return np.asarray(enough & (widest > 0))


def _chosen(
    going: NDArray[np.bool_], free: NDArray[np.bool_], counter: Levels, layout: Layout, choice: SplitChoice,
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
