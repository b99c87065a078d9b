"""The scores that selection is timed on: three shapes, for any number of candidates."""

import numpy as np
from numpy.typing import NDArray

TIES, ONE_WINNER, SPREAD = "ties", "one winner", "spread"
SHAPES = (TIES, ONE_WINNER, SPREAD)
LEAD = 1000
"""How far the one winner is ahead, and the range of spread scores."""


def make_scores(shape: str, size: int) -> NDArray[np.int64]:
    """Whole scores: all equal, one far ahead of equal others, or random below ``LEAD`` (always the same ones)."""
    if shape == SPREAD:
        return np.random.default_rng(0).integers(LEAD, size=size)
    scores = np.zeros(size, dtype=np.int64)
    if shape == ONE_WINNER:
        scores[size // 3] = LEAD
    return scores
