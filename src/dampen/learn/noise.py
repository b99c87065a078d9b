"""Noise for counts: the one place of this room that adds it."""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from dampen.entropy import Entropy
from dampen.mechanisms import LaplaceCounts
from dampen.privacy import Adjacency
from dampen.problem import CountsFrame, CountsProblem
from dampen.vectors import Integers


def noisy_counts(counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
    """Counts with noise. Costs ``epsilon`` where a record more moves one of them, by 1. Nobody has paid for it here."""
    mechanism, frame = _prepare(epsilon, counts.size)
    return mechanism.draw(CountsProblem(frame, counts.ravel()), source).reshape(counts.shape)


def noisy_votes(units: Integers, vote: int, epsilon: Fraction, source: Entropy) -> Integers:
    """Votes with noise, from counts in units of which so many make one; told as whole votes, the nearest.

    Costs ``epsilon`` where a person more moves all counts together by a vote. A row is a vote of one unit. Nobody has
    paid for it here.
    """
    if vote == 1:
        return noisy_counts(units, epsilon, source)
    mechanism, frame = _prepare(epsilon, units.size, vote)
    drawn = mechanism.draw(CountsProblem(frame, units.ravel()), source).reshape(units.shape)
    return np.asarray((drawn + vote // 2) // vote)


@lru_cache(maxsize=64)
def _prepare(epsilon: Fraction, size: int, l1: int = 1) -> tuple[LaplaceCounts, CountsFrame]:
    """The same for every level of a tree and every fit of the same size; both are public."""
    return LaplaceCounts(epsilon), CountsFrame(size, l1, Adjacency.ADD_REMOVE)
