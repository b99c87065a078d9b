"""A decision table as a picture: questions as columns, cells as rows, shades for answers and class shares."""

from collections.abc import Sequence
from typing import Any

from matplotlib import colormaps, pyplot
from matplotlib.patches import Rectangle

from dampen.vectors import Floats

YES, NO = "#33495d", "#e6ecf1"
ROW = 0.22
"""The height of a row in inches."""


def draw_table(titles: Sequence[str], rows: Sequence[Sequence[str]], shares: Floats, depth: int, ax: Any = None) -> Any:
    """One row for each cell: dark for yes, light for no, then a bar of its class shares and its class in words."""
    classes = shares.shape[1]
    if ax is None:
        _, ax = pyplot.subplots(figsize=(0.45 * depth + 5.5, ROW * len(rows) + 1.8), layout="constrained")
    colours = colormaps["tab10" if classes <= 10 else "tab20"]
    for place, (row, share) in enumerate(zip(rows, shares, strict=True)):
        for column in range(depth):
            ax.barh(place, 0.92, left=column, height=0.86, color=YES if row[column] == "yes" else NO)
        start = depth + 0.4
        for kind in range(classes):
            ax.barh(place, 4 * share[kind], left=start, height=0.86, color=colours(kind % colours.N))
            start += 4 * share[kind]
        ax.text(depth + 4.6, place, f"{row[-1]}  ({', '.join(row[depth:-1])})", va="center", fontsize=8)
    ax.set_xlim(0, depth + 8)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xticks([column + 0.46 for column in range(depth)], titles[:depth], rotation=40, ha="left", fontsize=8)
    ax.xaxis.tick_top()
    ax.tick_params(length=0)
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)
    handles = [Rectangle((0, 0), 1, 1, color=colours(kind % colours.N)) for kind in range(classes)]
    handles += [Rectangle((0, 0), 1, 1, color=colour) for colour in (YES, NO)]
    ax.legend(
        handles, [*titles[depth:-1], "yes", "no"], loc="upper center", bbox_to_anchor=(0.5, 0), ncols=6, fontsize=8,
        frameon=False,
    )  # fmt: skip
    return ax
