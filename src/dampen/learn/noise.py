"""Noise for counts: the one place of this room that adds it."""

from fractions import Fraction

from dampen.entropy import Entropy
from dampen.sampling.laplace_batch import added, discrete_laplace_batch
from dampen.vectors import Integers


def noisy_counts(counts: Integers, epsilon: Fraction, source: Entropy) -> Integers:
    """Counts with two-sided geometric noise. Costs ``epsilon`` where a record more moves one of them, by 1.

    Nobody has paid for it here.
    """
    return added(counts, discrete_laplace_batch(epsilon, counts.size, source).reshape(counts.shape))
