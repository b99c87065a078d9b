"""Work cut into stretches of nodes, each of a bounded number of steps: between two of them interrupts are heard."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

STEPS_AT_ONCE = 4 * 10**7
"""After about so many steps, a fraction of a second, compiled code comes back to hear interrupts."""

SLOTS_AT_ONCE = 2**22
"""The same for steps that wait for memory, as those that read or write rows in any order do."""


def stretches(
    before: Any, first: int = 0, last: int | None = None, steps: int | None = None
) -> Iterator[tuple[int, int]]:
    """Stretches of the nodes from first to last of at most ``steps`` each (``SLOTS_AT_ONCE``), or of one node.

    ``before[v]`` steps come before node v, such as the places of rows.

    >>> list(stretches([0, 3, 4, 9, 10, 11], steps=4))
    [(0, 2), (2, 3), (3, 5)]
    """
    counts, stop = np.asarray(before), len(before) - 1 if last is None else last
    most = SLOTS_AT_ONCE if steps is None else steps
    while first < stop:
        sought = min(int(counts[first]) + most, int(counts[-1]))
        # Of the type of the counts: for any other number numpy copies all of them, at every stretch.
        reached = int(np.searchsorted(counts, counts.dtype.type(sought), side="right")) - 1
        cut = min(max(reached, first + 1), stop)
        yield first, cut
        first = cut


def cut_evenly(before: Any, parts: int) -> list[tuple[int, int]]:
    """So many stretches of all nodes at most, of about equally many steps.

    >>> cut_evenly([0, 3, 4, 9, 10, 11], 2)
    [(0, 3), (3, 5)]
    """
    counts = np.asarray(before)
    cuts = np.searchsorted(counts, np.linspace(0, int(counts[-1]), parts + 1)[1:-1])
    return list(pairwise(np.unique([0, *cuts.tolist(), len(counts) - 1]).tolist()))
