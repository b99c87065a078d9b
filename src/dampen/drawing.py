"""The look of all pictures: one palette, titles, units, a caption. Matplotlib is loaded when one is drawn."""

import textwrap
from typing import TYPE_CHECKING, Any

from dampen.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""They can be told apart by everybody (Okabe and Ito)."""
STYLES = ("-", "--", ":", "-.")
"""Lines, for the second time that a colour is used."""
GREY, PALE = "#777777", "#dddddd"
WIDTH, HEIGHT = 7.0, 4.3
"""Of a picture, in inches."""
LETTERS_PER_INCH = 14
"""So many letters of a caption fit."""


def colour_of(place: int) -> str:
    """The colour of the line or bar at a place."""
    return PALETTE[place % len(PALETTE)]


def style_of(place: int) -> str:
    """The kind of its line."""
    return STYLES[place // len(PALETTE) % len(STYLES)]


def new_figure(drawing: str, *, caption: str, width: float = WIDTH, height: float = HEIGHT) -> "Figure":
    """A figure with its caption and nothing else. It belongs to the caller: no window and no global list know it."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtra(f"{drawing} needs matplotlib: pip install 'dampen[plots]'") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    words = textwrap.fill(caption, int(LETTERS_PER_INCH * width))
    figure.supxlabel(words, fontsize=8, style="italic", color="#333333", x=0.01, ha="left")
    return figure


def new_axes(figure: "Figure", title: str, x: str, y: str, place: tuple[int, int, int] = (1, 1, 1)) -> Any:
    """Axes with a title and a label each, and faint lines behind what is drawn."""
    axes: Any = figure.add_subplot(*place)
    axes.set_title(textwrap.fill(title, int(9 * figure.get_figwidth())), fontsize=11, loc="left")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(visible=True, color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return axes
