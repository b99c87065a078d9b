"""Several picks without replacement, each with exponential weights among those left: the order of a race, exactly.

Propose anything that is left, uniformly; a coin of probability exp(-x) keeps it. What is kept and new is the next pick,
because among those not yet picked it is each with a probability proportional to exp(-x). Proposals come in batches; all
coins of a batch are flipped at once.
"""

from fractions import Fraction

import numpy as np

from dampen.entropy import Entropy
from dampen.sampling.exponents import Exponents
from dampen.sampling.flips import flip_all
from dampen.sampling.uniform import uniform_batch
from dampen.vectors import Integers

SMALLEST_BATCH = 1024


def draw_in_turn(scores: Integers, rate: Fraction, picks: int, entropy: Entropy) -> Integers:
    """``picks`` distinct places in the order in which they were drawn; a place weighs exp(rate * score).

    ``scores`` are whole numbers, and rate times their range must not exceed 1024.
    """
    left, drawn = np.arange(len(scores)), np.empty(0, dtype=np.int64)
    while len(drawn) < picks:
        batch = uniform_batch(max(SMALLEST_BATCH, 2 * (picks - len(drawn))), len(left), entropy)
        best_and_batch = np.concatenate([[scores[left].max()], scores[left[batch]]])
        kept = left[batch[flip_all(Exponents.of_whole(best_and_batch, rate), entropy)[1:]]]
        first = np.sort(np.unique(kept, return_index=True)[1])[: picks - len(drawn)]
        drawn = np.concatenate([drawn, kept[first]])
        left = np.setdiff1d(left, kept[first], assume_unique=True)
    return drawn
