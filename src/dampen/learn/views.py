"""Looking at released trees and decision tables: as text and as drawings. Everything here is post-processing."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from dampen.describe.columns import Number
from dampen.drawing import colour_of
from dampen.errors import ParameterError
from dampen.learn.decision_table import BinaryTest, DecisionTable, cell_answers, class_shares, possible_cells
from dampen.learn.nodes import Node
from dampen.learn.schema import Schema, write_edge
from dampen.vectors import Floats
from dampen.writing import pyplot_for

MOST_DRAWN = 256
"""So many rows of a table fit on a picture."""
YES, NO = "#33495d", "#e6ecf1"
ROW = 0.22
"""The height of a table's row in inches."""


def tree_text(root: Node, schema: Schema) -> str:
    """The tree, one outcome or leaf per line, with released counts."""
    return "\n".join(_lines(root, schema, 0)) + "\n"


def tree_importances(root: Node, attributes: int) -> Floats:
    """For each attribute the released records that its tests got right on top of their nodes; together 1, or all 0."""
    gained = np.zeros(attributes)
    for node in _nodes(root):
        if node.children:
            right = sum(max(0, *child.counts) for child in node.children)
            gained[node.attribute] += max(0, right - max(0, *node.counts))
    total = gained.sum()
    return np.asarray(gained / total) if total else gained


def outcome_names(node: Node, schema: Schema) -> list[str]:
    """How each outcome of a node's test reads."""
    name, attribute = list(schema.attributes.items())[node.attribute]
    if not isinstance(attribute, Number):
        return [f"{name} = {value}" for value in attribute.labels]
    edges = [write_edge(edge) for edge in node.edges or ()]
    middle = [f"{low} <= {name} < {high}" for low, high in pairwise(edges)]
    return [f"{name} < {edges[0]}", *middle, f"{name} >= {edges[-1]}"]


def plot_tree(root: Node, schema: Schema, axes: Any = None) -> Any:
    """Draw the tree from left to right on matplotlib axes: a line per outcome, a leaf's class at its end."""
    pyplot = pyplot_for("plot_tree")
    target = axes if axes is not None else pyplot.figure(layout="constrained").add_subplot()
    target.set_axis_off()
    _draw_node(target, root, schema, depth=0, first=0.0, title="all records")
    target.set_xlim(-0.05, _depth(root) + 0.8)
    target.set_ylim(_leaves(root) + 0.2, -0.2)
    return target


def _draw_node(axes: Any, node: Node, schema: Schema, *, depth: int, first: float, title: str) -> float:
    """Draw a node in the middle of the rows of its leaves, which begin at ``first``; where it stands."""
    height = first + _leaves(node) / 2
    ending = f": {schema.classes[node.label]}" if not node.children else ""
    begin = first
    for child, name in zip(node.children, outcome_names(node, schema) if node.children else [], strict=True):
        at = _draw_node(axes, child, schema, depth=depth + 1, first=begin, title=name)
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
        counts = ", ".join(map(str, node.counts))
        yield f"{'|   ' * depth}|--- class: {schema.classes[node.label]} (released counts: {counts})"
        return
    for name, child in zip(outcome_names(node, schema), node.children, strict=True):
        yield f"{'|   ' * depth}|--- {name}"
        yield from _lines(child, schema, depth + 1)


def _nodes(root: Node) -> Iterator[Node]:
    yield root
    for child in root.children:
        yield from _nodes(child)


def names_of_tests(table: DecisionTable, schema: Schema) -> tuple[str, ...]:
    """How each test of a table reads."""
    return tuple(test_name(test, schema) for test in table.tests)


def table_text(table: DecisionTable, schema: Schema) -> str:
    """The table in columns: a row for each possible cell, with released counts and its class."""
    titles, rows = _cells(table, schema)
    lines = [titles, *rows]
    widths = [max(len(row[place]) for row in lines) for place in range(len(titles))]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in lines)


def plot_table(table: DecisionTable, schema: Schema, axes: Any = None) -> Any:
    """One row for each cell: dark for yes, light for no, then a bar of its class shares and its class in words."""
    pyplot = pyplot_for("plot_table")
    titles, rows = _cells(table, schema)
    if len(rows) > MOST_DRAWN:
        raise ParameterError(f"plot_table draws at most {MOST_DRAWN} cells; this table has {len(rows)}: export_text()")
    depth, shares = len(table.tests), class_shares(table)[possible_cells(table.tests)]
    if axes is None:
        axes = pyplot.figure(figsize=table_size(table), layout="constrained").add_subplot()
    colours = [colour_of(kind) for kind in range(shares.shape[1])]
    for place, (row, share) in enumerate(zip(rows, shares, strict=True)):
        for column in range(depth):
            axes.barh(place, 0.92, left=column, height=0.86, color=YES if row[column] == "yes" else NO)
        start = depth + 0.4
        for width, colour in zip(4 * share, colours, strict=True):
            axes.barh(place, width, left=start, height=0.86, color=colour)
            start += width
        axes.text(depth + 4.6, place, f"{row[-1]}  ({', '.join(row[depth:-1])})", va="center", fontsize=8)
    axes.set_xlim(0, depth + 8)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks([column + 0.46 for column in range(depth)], titles[:depth], rotation=40, ha="left", fontsize=8)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=colour) for colour in [*colours, YES, NO]]
    axes.legend(
        handles, [*titles[depth:-1], "yes", "no"], loc="upper center", bbox_to_anchor=(0.5, 0), ncols=6, fontsize=8,
        frameon=False,
    )  # fmt: skip
    return axes


def table_size(table: DecisionTable) -> tuple[float, float]:
    """Width and height of its picture in inches."""
    return 0.45 * len(table.tests) + 5.5, ROW * int(possible_cells(table.tests).sum()) + 1.8


def tree_size(root: Node) -> tuple[float, float]:
    """Width and height of its picture in inches."""
    return 2.2 * _depth(root) + 2.4, 0.5 * _leaves(root) + 0.8


def _cells(table: DecisionTable, schema: Schema) -> tuple[list[str], list[list[str]]]:
    """Titles and rows in words, of the cells that a record can be in: answers, released counts, class."""
    labels, shares, answers = list(map(str, schema.classes)), class_shares(table), cell_answers(len(table.tests))
    rows = []
    for place in np.flatnonzero(possible_cells(table.tests)):
        said = ["yes" if answer else "no" for answer in answers[place]]
        rows.append([*said, *map(str, table.counts[place]), labels[int(shares[place].argmax())]])
    return [*names_of_tests(table, schema), *labels, "class"], rows


def test_name(test: BinaryTest, schema: Schema) -> str:
    """How a test reads."""
    name, attribute = list(schema.attributes.items())[test.attribute]
    if test.edge is not None:
        return f"{name} < {write_edge(test.edge)}"
    assert not isinstance(attribute, Number)
    return f"{name} = {attribute.labels[test.code]}"
