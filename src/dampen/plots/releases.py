"""Released counts and other numbers by group, with how far each may be off."""

from typing import TYPE_CHECKING, Any

import numpy as np

from dampen._validate import Number
from dampen.drawing import PALETTE, new_axes, new_figure
from dampen.errors import ParameterError
from dampen.privacy import CONFIDENCE, GroupRelease, PrivateAccuracy
from dampen.writing import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_BARS, MOST_LABELS = 2_000, 24
"""So many groups are drawn, and so many of them named."""


def histogram(release: GroupRelease, *, confidence: Number = CONFIDENCE) -> "Figure":
    """A bar for each group of a release, with error bars at this confidence where it tells its errors.

    >>> import dampen
    >>> ages = dampen.histogram([31, 42, 44], bounds=(0, 90), step=10, epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> figure = dampen.plots.histogram(ages)
    """
    if not isinstance(release, GroupRelease):
        raise ParameterError(f"release must be one of groups, such as a histogram; got {type(release).__name__}")
    if not 0 < len(release) <= MOST_BARS:
        raise ParameterError(f"plots.histogram draws 1 to {MOST_BARS} groups; this release has {len(release)}")
    heights = np.array([float(value) for value in release.value.values()])
    errors = _errors(release, confidence)
    told = (
        f"The error bars reach as far as each number may be off with probability {percent(confidence)}."
        if errors is not None
        else "This release tells no errors."
    )
    caption = f"Released numbers, not the true ones. {told} All together cost {release.loss}."
    figure = new_figure("plots.histogram", caption=caption)
    axes = new_axes(
        figure, release.note or "Released numbers by group", "group", "released number (units of the answer)"
    )
    axes.bar(range(len(heights)), heights, 0.85, color=PALETTE[5])
    if errors is not None:
        size = 3 if len(heights) <= MOST_LABELS else 0
        axes.errorbar(range(len(heights)), heights, errors, fmt="none", ecolor=PALETTE[6], elinewidth=1, capsize=size)
    axes.axhline(0, color=PALETTE[6], linewidth=0.6)
    named = range(0, len(heights), -(-len(heights) // MOST_LABELS))
    labels = [str(label) for label in release]
    turned = sum(len(labels[place]) for place in named) > 60
    look: dict[str, Any] = {"rotation": 35, "ha": "right"} if turned else {}
    axes.set_xticks(list(named), [labels[place] for place in named], fontsize=8, **look)
    axes.grid(visible=False, axis="x")
    return figure


def _errors(release: GroupRelease, confidence: Number) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    """How far each number may be off; ``None`` where that is not told, or may be any amount."""
    if release.accuracy is None or any(isinstance(each.accuracy, PrivateAccuracy) for each in release.values()):
        return None
    found = np.array([float(each.error(confidence)) for each in release.values()])
    return found if np.isfinite(found).all() else None
