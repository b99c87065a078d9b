"""Pictures of experiments, where matplotlib is installed: one palette, and the same look for the same role."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from experiments.reproduction import Row, where

BLUE, ORANGE, GREEN, RED, PURPLE, SKY, YELLOW, GREY, BLACK = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#B8A800", "#888888", "#000000",
)  # fmt: skip
"""Okabe and Ito's palette, told apart by the colour-blind; its yellow is darkened."""
LOOKS = {
    "exponential": (BLUE, "o", "--"),
    "permute_and_flip": (ORANGE, "^", "--"),
    "local_dampening": (GREY, "s", "--"),
    "shifted": (RED, "D", "-"),
    "published": (RED, "D", "-"),
    "published_too": (PURPLE, "v", "-"),
    "published_third": (GREY, "s", "--"),
    "published_fourth": (BLACK, "x", "-"),
    "published_fifth": (RED, "s", ":"),
    "reference": (BLACK, ".", ":"),
    "sound": (SKY, "P", "-."),
    "sound_too": (BLACK, "+", "-."),
    "sound_third": (SKY, "1", ":"),
    "straw_man": (YELLOW, "x", ":"),
    "default": (GREEN, "*", "-"),
    "classical": (BLUE, "o", "--"),
}
"""Colour, marker and line of every role: published ones warm, ours green, simple baselines dotted."""


def pyplot() -> Any:
    """matplotlib.pyplot without a screen; or None, and one line that says what to install."""
    try:
        matplotlib = import_module("matplotlib")
    except ImportError:
        print("no picture: it needs matplotlib; install dampen[plots]")
        return None
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "dampen"
    return import_module("matplotlib.pyplot")


def mark_as_stand_in(figure: Any) -> None:
    """Across a picture that is not drawn from published data."""
    figure.text(0.5, 0.5, "synthetic stand-in", fontsize=28, color=GREY, alpha=0.5, rotation=20, ha="center")


def save(figure: Any, plt: Any, stem: Path) -> None:
    """As PNG and as SVG, the same bytes for the same rows."""
    figure.savefig(stem.with_suffix(".png"), dpi=100, metadata={"Software": None})
    figure.savefig(stem.with_suffix(".svg"), metadata={"Date": None})
    plt.close(figure)


def grid(plt: Any, lines: int, columns: int, *, share_y: bool = False) -> tuple[Any, Any]:
    """A figure with so many panels."""
    size = (max(3.5 * columns + 0.6, 5.6), 2.6 * lines + 1.0)
    figure, axes = plt.subplots(lines, columns, figsize=size, squeeze=False, sharex=True, sharey=share_y)
    return figure, axes


def curves(
    panel: Any, rows: Sequence[Row], x: str, y: str, methods: Mapping[str, tuple[str, str]], error: str | None = None
) -> None:
    """One line for each method: its label and role by its name; ``error`` is half the width of its bars."""
    for method, (label, role) in methods.items():
        line = where(rows, method=method)
        if not line:
            continue
        colour, marker, style = LOOKS[role]
        look = {"color": colour, "marker": marker, "linestyle": style, "markersize": 4, "linewidth": 1.3}
        xs, ys = ([row[name] for row in line] for name in (x, y))
        if error is None:
            panel.plot(xs, ys, label=label, **look)
        else:
            bars = [row[error] or 0 for row in line]
            panel.errorbar(xs, ys, yerr=bars, label=label, capsize=2, elinewidth=0.8, **look)
    panel.grid(alpha=0.3)


def legend(figure: Any, axes: Any, columns: int = 6) -> None:
    """One legend below all panels."""
    found: dict[str, Any] = {}
    for panel in axes.flat:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    lines = -(-len(found) // columns)
    figure.legend(
        list(found.values()), list(found), loc="lower center", ncol=min(columns, len(found)), fontsize=9, frameon=False
    )
    figure.tight_layout(rect=(0, 0.25 * lines / figure.get_size_inches()[1], 1, 1))
