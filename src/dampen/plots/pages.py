"""Figures inside a page of HTML, so that it opens without a network."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


OWN_WORDS = ("Date", "Creator", "Format", "Type")
"""What matplotlib would say of the picture, with addresses; all of it is left out."""


def figure_as_svg(figure: "Figure") -> str:
    """The figure as an element of a page. Letters are outlines: no font is asked for."""
    from matplotlib import rc_context

    written = io.StringIO()
    with rc_context({"svg.hashsalt": "dampen"}):
        figure.savefig(written, format="svg", metadata=dict.fromkeys(OWN_WORDS))
    text = written.getvalue()
    return f"<figure>{text[text.index('<svg') :]}</figure>"
