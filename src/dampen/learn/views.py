"""Looking at a released tree: as text, as importances, as a drawing. Everything here is post-processing."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from dampen.errors import MissingExtra
from dampen.learn.nodes import Node
from dampen.learn.schema import Numeric, Schema
from dampen.vectors import Floats


def export_text(root: Node, schema: Schema) -> str:
    """The tree, one outcome or leaf per line, with released counts."""
    return "\n".join(_lines(root, schema, 0)) + "\n"


def importances(root: Node, attributes: int) -> Floats:
    """For each attribute the released records that its tests got right on top of their nodes; together 1, or all 0."""
    gained = np.zeros(attributes)
    for node in every(root):
        if node.children:
            right = sum(max(0, *child.counts) for child in node.children)
            gained[node.attribute] += max(0, right - max(0, *node.counts))
    total = gained.sum()
    return np.asarray(gained / total) if total else gained


def every(root: Node) -> Iterator[Node]:
    """The nodes of a tree."""
    yield root
    for child in root.children:
        yield from every(child)


def outcome_names(node: Node, schema: Schema) -> list[str]:
    """How each outcome of a node's test reads."""
    name, attribute = list(schema.attributes.items())[node.attribute]
    if not isinstance(attribute, Numeric):
        return [f"{name} = {value}" for value in attribute.values]
    edges = [f"{edge:.6g}" for edge in node.edges or ()]
    middle = [f"{low} <= {name} < {high}" for low, high in pairwise(edges)]
    return [f"{name} < {edges[0]}", *middle, f"{name} >= {edges[-1]}"]


def plot(root: Node, schema: Schema, axes: Any = None) -> Any:
    """Draw the tree from left to right on matplotlib axes: a line per outcome, a leaf's class at its end."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtra("plot_tree needs matplotlib: pip install 'dampen[plots]'") from None
    target = axes if axes is not None else plt.figure(layout="constrained").add_subplot()
    target.set_axis_off()
    _draw(target, root, schema, depth=0, first=0.0, title="all records")
    target.set_xlim(-0.05, _depth(root) + 0.8)
    target.set_ylim(_leaves(root) + 0.2, -0.2)
    return target


def _draw(axes: Any, node: Node, schema: Schema, *, depth: int, first: float, title: str) -> float:
    """Draw a node in the middle of the rows of its leaves, which begin at ``first``; where it stands."""
    height = first + _leaves(node) / 2
    ending = f": {schema.classes[node.label]}" if not node.children else ""
    begin = first
    for child, name in zip(node.children, outcome_names(node, schema) if node.children else [], strict=True):
        at = _draw(axes, child, schema, depth=depth + 1, first=begin, title=name)
        axes.plot([depth, depth + 1], [height, at], color="0.7", linewidth=1, zorder=0)
        begin += _leaves(child)
    style = {"boxstyle": "round", "facecolor": "white", "edgecolor": "0.5"}
    axes.text(depth, height, f"{title}{ending}\n{node.size} records", va="center", fontsize=8, bbox=style)
    return height


def _leaves(node: Node) -> int:
    return sum(map(_leaves, node.children)) or 1


def _depth(node: Node) -> int:
    return 1 + max(map(_depth, node.children)) if node.children else 0


def _lines(node: Node, schema: Schema, depth: int) -> Iterator[str]:
    if not node.children:
        yield f"{'|   ' * depth}|--- class: {schema.classes[node.label]} {_counted(node)}"
        return
    for name, child in zip(outcome_names(node, schema), node.children, strict=True):
        yield f"{'|   ' * depth}|--- {name}"
        yield from _lines(child, schema, depth + 1)


def _counted(node: Node) -> str:
    return f"(released counts: {', '.join(map(str, node.counts))})"
