"""Looking at a released scorecard: as text and as a picture. Everything here is post-processing."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from dampen.describe.columns import Number
from dampen.drawing import colour_of
from dampen.errors import ParameterError
from dampen.learn.schema import Schema, write_edge
from dampen.vectors import Floats
from dampen.writing import pyplot_for

MOST_DRAWN = 512
"""So many values fit on a picture."""
ROW = 0.2
"""The height of one value in inches."""
Row = tuple[str, str, Floats]
"""What, which value of it, and its points."""


def scorecard_text(schema: Schema, points: list[Floats], everybody: Floats) -> str:
    """A line for each value with its points, and how to read their sum."""
    return text_of(schema, list(rows_of(schema, points)), everybody)


def text_of(schema: Schema, rows: list[Row], everybody: Floats) -> str:
    """A line for each row with its points, in whole numbers, and how to read their sum."""
    classes = list(map(str, schema.classes))
    titles = classes[1:2] if len(everybody) == 1 else classes
    told = [("everybody", "", everybody), *rows]
    lines = [("", "points for", titles), *((name, value, _whole(points)) for name, value, points in told)]
    widths = [max(len(line[place]) for line in lines) for place in (0, 1)]
    wide = max(len(cell) for _, _, cells in lines for cell in cells) if titles else 0
    written = [
        "  ".join([name.ljust(widths[0]), value.ljust(widths[1]), *(cell.rjust(wide) for cell in cells)]).rstrip()
        for name, value, cells in lines
    ]
    return "\n".join([*written, _how_to_read(classes, len(everybody))]) + "\n"


def _how_to_read(classes: list[str], scores: int) -> str:
    if len(classes) == 1:
        return f"The class is {classes[0]}."
    if scores == 1:
        return f"Add up the points: above 0 the class is {classes[1]}, else {classes[0]}."
    return "Add up the points: the class with most is the answer."


def _whole(points: Floats) -> list[str]:
    return [f"{int(each):+d}" for each in points]


def rows_of(schema: Schema, points: list[Floats]) -> Iterator[Row]:
    """Attribute, value and points; attributes of one value tell nothing."""
    edges = schema.edges()
    for (name, attribute), table in zip(schema.attributes.items(), points, strict=True):
        values = _bins(edges[name]) if isinstance(attribute, Number) else [f"= {label}" for label in attribute.labels]
        if len(table) > 1:
            yield from ((name, value, told) for value, told in zip(values, table, strict=True))


def _bins(edges: Floats) -> list[str]:
    """How intervals between edges read."""
    ends = [write_edge(edge) for edge in edges.tolist()]
    if not ends:
        return ["any"]
    return [f"< {ends[0]}", *(f"{low} to < {high}" for low, high in pairwise(ends)), f">= {ends[-1]}"]


def plot_scorecard(schema: Schema, points: list[Floats], everybody: Floats, axes: Any = None) -> Any:
    """A bar for each value."""
    return draw_rows(schema, list(rows_of(schema, points)), everybody, axes)


def draw_rows(schema: Schema, told: list[Row], everybody: Floats, axes: Any = None) -> Any:
    """A bar for each row: to the right for the second class of two, to the left for the first; else one a class."""
    pyplot = pyplot_for("plot")
    rows = [("everybody", "", everybody), *told]
    if len(rows) > MOST_DRAWN:
        raise ParameterError(f"plot draws at most {MOST_DRAWN} values; this scorecard has {len(rows)}: export_text()")
    if axes is None:
        axes = pyplot.figure(figsize=(7.0, 1.2 + ROW * len(rows)), layout="constrained").add_subplot()
    classes, scores = list(map(str, schema.classes)), len(everybody)
    height, places = 0.8 / scores, np.arange(len(rows))
    for kind in range(scores):
        sizes = [float(told[kind]) for _, _, told in rows]
        label = classes[min(1, len(classes) - 1)] if scores == 1 else classes[kind]
        axes.barh(places + (kind - (scores - 1) / 2) * height, sizes, height=height, color=colour_of(kind), label=label)
    axes.set_yticks(places, [f"{name} {value}".rstrip() for name, value, _ in rows], fontsize=7)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.axvline(0.0, color="0.4", linewidth=0.8)
    axes.set_xlabel("points" if scores > 1 else f"points for {classes[min(1, len(classes) - 1)]}")
    if scores > 1:
        axes.legend(fontsize=8, frameon=False)
    return axes
