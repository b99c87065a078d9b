"""Many fair dice at once."""

import numpy as np

from dampen.entropy import Entropy
from dampen.vectors import Integers

WORD = 2**16


def uniform_batch(count: int, size: int, source: Entropy) -> Integers:
    """Independent whole numbers below ``size`` <= 2^32, each exactly uniform: words that favour some are redrawn."""
    wide = size > WORD
    fair = (WORD**2 if wide else WORD) // size * size
    drawn = _words(count, wide, source)
    again = np.flatnonzero(drawn >= fair)
    while again.size:
        drawn[again] = _words(len(again), wide, source)
        again = again[drawn[again] >= fair]
    return drawn % size


def _words(count: int, wide: bool, source: Entropy) -> Integers:
    """Words of 16 fair bits, or of 32."""
    low = source.words(count, 16).astype(np.int64)
    return low * WORD + source.words(count, 16) if wide else low
