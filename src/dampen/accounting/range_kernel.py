"""One step of composing bounded ranges on a lattice: the only part of accounting that takes time."""

import numpy as np
from numba import njit

from dampen.vectors import Floats


@njit(cache=True, nogil=True)
def worst_mixtures(deltas: Floats, high: Floats, low: Floats) -> Floats:
    """Max over t of high_t D(e - t) + low_t D(e - t + eta) at every e; D is 0 beyond its end.

    The first entry of what is returned lies ``len(high) - 1`` steps above the first of ``deltas``, the last as many
    steps above its last.
    """
    steps, size = len(high) - 1, len(deltas)
    padded, found = np.concatenate((deltas, np.zeros(2 * steps))), np.zeros(size)
    for t in range(steps + 1):
        # What is found at a place lies `steps` above the entry of that place, so a loss of t is steps - t further on.
        first, up, down = steps - t, high[t], low[t]
        for place in range(size):
            value = up * padded[place + first] + down * padded[place + first + steps]
            if value > found[place]:
                found[place] = value
    return found
