"""Noise for counts: the one place of this room that adds it."""

from fractions import Fraction
from functools import lru_cache

from dampen.entropy import Entropy
from dampen.mechanisms import LaplaceCounts
from dampen.privacy import Adjacency
from dampen.problem import CountsFrame, CountsProblem
from dampen.vectors import Integers


def noisy_counts(counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
    """Counts with noise. Costs ``epsilon`` where a record more moves one of them, by 1. Nobody has paid for it here."""
    mechanism, frame = _prepare(epsilon, counts.size)
    return mechanism.draw(CountsProblem(frame, counts.ravel()), source).reshape(counts.shape)


@lru_cache(maxsize=64)
def _prepare(epsilon: Fraction, size: int) -> tuple[LaplaceCounts, CountsFrame]:
    """The same for every level of a tree and every fit of the same size; both are public."""
    return LaplaceCounts(epsilon), CountsFrame(size, 1, Adjacency.ADD_REMOVE)
