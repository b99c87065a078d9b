"""Noise for counts: the one place of this room that adds it."""

from fractions import Fraction

from dampen.entropy import Entropy
from dampen.mechanisms import LaplaceCounts
from dampen.privacy import Adjacency
from dampen.problem import CountsFrame, CountsProblem
from dampen.vectors import Integers


def noisy_counts(counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
    """Counts with noise. Costs ``epsilon`` where a record more moves one of them, by 1. Nobody has paid for it here."""
    problem = CountsProblem(CountsFrame(counts.size, 1, Adjacency.ADD_REMOVE), counts.ravel())
    return LaplaceCounts(epsilon).draw(problem, source).reshape(counts.shape)
