"""A tree of released numbers: what predicting, printing and saving read."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.errors import ParameterError
from dampen.learn.records import UNKNOWN, Column, Records
from dampen.learn.saved import whole_number, whole_numbers
from dampen.vectors import Floats, Integers


@dataclass(frozen=True)
class Node:
    """One node: its released class counts and, unless it is a leaf, the test and the children for its outcomes.

    ``attribute`` is the place of the tested attribute, -1 at a leaf. ``edges`` are the inner edges of a numeric test:
    outcome j means that j of them are not above the value. A categorical test has one outcome for each declared value.
    """

    counts: tuple[int, ...]
    attribute: int = -1
    edges: tuple[float, ...] | None = None
    children: tuple["Node", ...] = ()

    @property
    def size(self) -> int:
        """The released number of records: the sum of the counts, and not below 0."""
        return max(0, sum(self.counts))

    @property
    def label(self) -> int:
        """The class with the largest released count, the first of equals."""
        return int(np.argmax(self.counts))


def outcomes(node: Node, column: Column) -> Integers:
    """Which outcome of a node's test each value has; an unknown category goes where most released records went."""
    if node.edges is not None:
        return np.searchsorted(np.array(node.edges), column, side="right").astype(np.int64)
    most = int(np.argmax([child.size for child in node.children]))
    return np.where(column == UNKNOWN, most, column).astype(np.int64)


def paths_of(root: Node, columns: tuple[Column, ...], rows: int) -> list[tuple[tuple[Node, ...], Integers]]:
    """The paths from the root to the leaves that rows reach, each with its rows."""
    found: list[tuple[tuple[Node, ...], Integers]] = []
    waiting: list[tuple[tuple[Node, ...], Integers]] = [((root,), np.arange(rows, dtype=np.int64))]
    while waiting:
        path, members = waiting.pop()
        node = path[-1]
        if not node.children:
            found.append((path, members))
            continue
        chosen = outcomes(node, columns[node.attribute][members])
        for place in np.unique(chosen).tolist():
            waiting.append(((*path, node.children[place]), members[chosen == place]))
    return found


def leaf_shares(root: Node, records: Records, weight: float) -> Floats:
    """For each record the class shares at its leaf, drawn towards those above it as by ``weight`` records.

    Down the path each node's released counts are joined to so many records with the shares of the node above it; above
    the root shares are even. A node without released records thus answers as the one above.
    """
    # Path by path, not record by record: all records of a leaf have one answer.
    shares = np.empty((records.rows, len(root.counts)))
    for path, members in paths_of(root, records.columns, records.rows):
        joined = np.full(len(root.counts), 1 / len(root.counts))
        for node in path:
            kept = np.maximum(np.array(node.counts, dtype=np.float64), 0.0)
            if kept.sum() + weight:
                joined = (kept + weight * joined) / (kept.sum() + weight)
        shares[members] = joined
    return shares


def as_plain(node: Node) -> dict[str, Any]:
    """The tree as JSON takes it."""
    plain: dict[str, Any] = {"counts": list(node.counts)}
    if node.children:
        plain |= {"attribute": node.attribute, "children": [as_plain(child) for child in node.children]}
        plain |= {} if node.edges is None else {"edges": list(node.edges)}
    return plain


def from_plain(plain: dict[str, Any]) -> Node:
    """The tree out of what :func:`as_plain` wrote."""
    children = tuple(from_plain(child) for child in plain.get("children", ()))
    edges = tuple(float(edge) for edge in plain["edges"]) if "edges" in plain else None
    return Node(whole_numbers(plain["counts"]), whole_number(plain.get("attribute", -1)), edges, children)


def require_fit(
    node: Node, edges: tuple[tuple[float, ...] | None, ...], sizes: tuple[int, ...], classes: int, depth: int
) -> None:
    """Refuse a tree whose counts or tests are not those of a schema, or that is deeper than ``depth``."""
    tested = 0 <= node.attribute < len(sizes)
    outcomes = sizes[node.attribute] if tested else 0
    known = edges[node.attribute] if tested else None
    if len(node.counts) != classes or len(node.children) != outcomes or node.edges != known or depth < 0:
        raise ParameterError("a saved tree must have the classes and the tests of its schema")
    for child in node.children:
        require_fit(child, edges, sizes, classes, depth - 1)
