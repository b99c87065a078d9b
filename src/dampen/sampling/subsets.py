"""Subsets with exponential weights, by rejection: fair coins for all members at once, then one exact coin."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.sampling import exact

Chosen = NDArray[np.bool_]


def draw_subset(count: int, exponent: Callable[[Chosen], Fraction], entropy: Entropy) -> Chosen:
    """A subset of ``count`` things with probability proportional to exp(-exponent), exponents not negative.

    A uniform subset is kept with probability exp(-exponent), else drawn again: at most exp(largest exponent) tries on
    average, of one bit for each thing.
    """
    while True:
        chosen = entropy.words(count, 1).astype(np.bool_)
        if exact.coin(exponent(chosen), entropy):
            return chosen
