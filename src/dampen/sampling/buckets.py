"""The exponential mechanism exactly, without random bits per candidate.

Bucket k holds the candidates with k <= x / ln 2, as far as a float can be sure; a candidate one bucket too low is
still drawn exactly. Pick a bucket with the integer weights n_k * 2^-k, one of its members uniformly, and accept it
with an exact coin of probability exp(-x) * 2^k. The number of tries is geometric with a rate between 1/2 (less 1e-6)
and 1 whatever the data; where run time matters, use permute-and-flip.
"""

from bisect import bisect_right
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.sampling import exact
from dampen.sampling.exponents import Exponents
from dampen.sampling.flips import CHUNK, nth_true
from dampen.vectors import as_summable, nth_member

BUCKETS_PER_UNIT = 1.4426950408
"""Just below 1 / ln 2, so that a bucket is never too high."""


class BucketSampler:
    """Draws a (group, member) with probability proportional to exp(-x); build once, draw as often as you like."""

    def __init__(self, exponents: Exponents) -> None:
        self._exponents = exponents
        self._buckets: NDArray[np.int16] = np.empty(len(exponents), dtype=np.int16)
        for start in range(0, len(exponents), CHUNK):
            part = slice(start, start + CHUNK)
            self._buckets[part] = exponents.approximate(part) * BUCKETS_PER_UNIT
        weights = self._member_counts()
        deepest = len(weights) - 1
        self._weights = weights
        # n_k 2^-k times 2^deepest: whole numbers, of as many bits as it takes.
        self._totals = list(accumulate(count << (deepest - k) for k, count in enumerate(weights)))

    def draw(self, entropy: Entropy) -> tuple[int, int]:
        """One exact draw."""
        while True:
            bucket = bisect_right(self._totals, exact.uniform_below(self._totals[-1], entropy))
            group, member = self._member(bucket, entropy)
            if exact.coin(self._exponents.exact(group), entropy, doublings=bucket):
                return group, member

    def _member_counts(self) -> list[int]:
        sizes = self._exponents.sizes
        if sizes is None:
            return [int(count) for count in np.bincount(self._buckets)]
        sizes = as_summable(sizes)
        counts = np.zeros(int(self._buckets.max()) + 1, dtype=sizes.dtype)
        np.add.at(counts, self._buckets, sizes)
        return [int(count) for count in counts]

    def _member(self, bucket: int, entropy: Entropy) -> tuple[int, int]:
        """A uniform member of one bucket."""
        place = exact.uniform_below(self._weights[bucket], entropy)
        inside = self._buckets == bucket
        if self._exponents.sizes is None:
            return nth_true(inside, place), 0
        groups = np.flatnonzero(inside)
        within, member = nth_member(self._exponents.sizes[groups], place)
        return int(groups[within]), member
