"""Spread records over finer cells: one independent uniform choice for each record."""

import numpy as np

from dampen.entropy import Entropy
from dampen.vectors import Integers

CHUNK = 2**22
"""How many records are spread at a time."""


def scatter(places: Integers, counts: Integers, bits: int, entropy: Entropy) -> tuple[Integers, Integers]:
    """Split every cell into 2**bits finer ones and put each record into one of its cell's, all equally likely.

    ``places`` is increasing with ``counts`` records at each; so is what comes back, in finer cells.
    """
    parts, ends = [], np.cumsum(counts)
    for first in range(0, int(counts.sum()), CHUNK):
        records = np.arange(first, min(first + CHUNK, int(ends[-1])))
        coarse = places[np.searchsorted(ends, records, side="right")]
        parts.append(np.unique((coarse << bits) + entropy.words(len(records), bits), return_counts=True))
    if not parts:
        return places, counts
    finer, where = np.unique(np.concatenate([cells for cells, _ in parts]), return_inverse=True)
    totals = np.zeros(len(finer), dtype=np.int64)
    np.add.at(totals, where, np.concatenate([sizes for _, sizes in parts]))
    return finer, totals
