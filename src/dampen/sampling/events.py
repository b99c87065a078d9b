"""Many coins of one probability at once, exactly."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.certified import arithmetic
from dampen.entropy import Entropy
from dampen.sampling import exact, tables

PRECISION = 128
"""Bits of certified arithmetic for the first look."""


def event_batch(probability: Callable[[Any], Any], count: int, entropy: Entropy) -> NDArray[np.bool_]:
    """``count`` independent events of the probability that ``probability(flint)`` encloses: see ``exact.event``.

    Each compares a uniform number with the probability. Its first 16 bits decide all but about one event in 2^16.
    """
    with arithmetic(PRECISION) as flint:
        scaled = probability(flint) * 2**tables.WIDTH
        low, high = (int(end.floor().unique_fmpz()) for end in (scaled.lower(), scaled.upper()))
    prefixes = entropy.words(count, tables.WIDTH).astype(np.int64)
    happens = np.asarray(prefixes < low)
    for place in np.flatnonzero((prefixes >= low) & (prefixes <= high)):
        happens[place] = exact.event(probability, entropy, prefix=int(prefixes[place]), width=tables.WIDTH)
    return happens
