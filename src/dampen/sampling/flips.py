"""Exact coins of probability exp(-x) for all candidates at once: permute-and-flip, and several picks in turn.

Permute-and-flip: flip a coin of probability exp(-x_r) for *every* candidate, then choose uniformly among the heads (the
best candidate, x = 0, always shows heads). No permutation and no early exit: the number of trials of the sequential
algorithm would tell about the scores through the run time.

Picks in turn, each with exponential weights among those left: propose anything that is left, uniformly, and keep it
with probability exp(-x). What is kept and new is the next pick, because among those not yet picked it is each with a
probability proportional to exp(-x). Proposals come in batches.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.sampling import exact, tables
from dampen.sampling.exact import uniform_batch
from dampen.sampling.exponents import Exponents
from dampen.vectors import Integers

CHUNK = 1 << 15
"""How many coins are flipped at once: small enough for the processor's cache."""
SMALLEST_BATCH = 1024


def draw_by_flips(exponents: Exponents, entropy: Entropy) -> int:
    """The index that permute-and-flip returns, for problems without runs."""
    heads = flip_all(exponents, entropy)
    return nth_true(heads, exact.uniform_below(int(np.count_nonzero(heads)), entropy))


def flip_all(exponents: Exponents, entropy: Entropy) -> NDArray[np.bool_]:
    """One exact coin per candidate; the first 16 bits decide all but about one candidate in 2^16."""
    table = tables.log_table(tables.WIDTH)
    heads = np.empty(len(exponents), dtype=np.bool_)
    for start in range(0, len(exponents), CHUNK):
        part = slice(start, min(start + CHUNK, len(exponents)))
        prefixes = entropy.words(part.stop - start, tables.WIDTH)
        places = prefixes.astype(np.intp)
        x = exponents.in_single_precision(part)
        surely = np.less_equal(x, table.lower.take(places, mode="clip"), out=heads[part])
        perhaps = x < table.upper.take(places, mode="clip")
        if np.count_nonzero(perhaps) != np.count_nonzero(surely):
            for undecided in np.flatnonzero(perhaps ^ surely):
                group = start + int(undecided)
                # The coin goes on with the bits it has already shown; a new one would have another law.
                prefix, width = exact.reveal(int(prefixes[undecided]), tables.WIDTH, entropy)
                heads[group] = exact.coin(exponents.exact(group), entropy, prefix=prefix, width=width)
    return heads


def flip_groups(behind: Integers, ends: Integers, rate: Fraction, entropy: Entropy) -> Integers:
    """Permute-and-flip in many small groups at once: the place within each group of the candidate drawn from it.

    ``behind`` says for each candidate how far it lies below the best of its group, whose places end at ``ends``; each
    unit costs ``rate`` in the exponent. Each group has a candidate that lies 0 below.
    """
    heads = flip_all(Exponents.of_whole(-behind, rate), entropy)
    shown = np.concatenate([[0], np.cumsum(heads)])
    starts = np.concatenate([[0], ends[:-1]])
    before = shown[starts]
    several = shown[ends] - before
    chosen = np.zeros(len(ends), dtype=np.int64)
    for count in range(2, int(several.max(initial=0)) + 1):
        groups = np.flatnonzero(several == count)
        if groups.size:
            chosen[groups] = uniform_batch(len(groups), count, entropy)
    return np.asarray(np.flatnonzero(heads)[before + chosen] - starts, dtype=np.int64)


def nth_true(mask: NDArray[np.bool_], place: int) -> int:
    """The index of the place-th True, counted from 0, without listing them all."""
    for start in range(0, len(mask), CHUNK):
        chunk = mask[start : start + CHUNK]
        count = int(np.count_nonzero(chunk))
        if place < count:
            return start + int(np.flatnonzero(chunk)[place])
        place -= count
    raise IndexError("fewer entries are true than asked for")


def draw_in_turn(scores: Integers, rate: Fraction, picks: int, entropy: Entropy) -> Integers:
    """``picks`` distinct places in the order in which they were drawn; a place weighs exp(rate * score).

    ``scores`` are whole numbers, and rate times their range must not exceed 1024.
    """
    left, drawn = np.arange(len(scores)), np.empty(0, dtype=np.int64)
    while len(drawn) < picks:
        batch = uniform_batch(max(SMALLEST_BATCH, 2 * (picks - len(drawn))), len(left), entropy)
        # Exponents are measured from the best score among those given, so the best of all that is left is put first.
        best_and_batch = np.concatenate([[scores[left].max()], scores[left[batch]]])
        kept = left[batch[flip_all(Exponents.of_whole(best_and_batch, rate), entropy)[1:]]]
        first = np.sort(np.unique(kept, return_index=True)[1])[: picks - len(drawn)]
        drawn = np.concatenate([drawn, kept[first]])
        left = np.setdiff1d(left, kept[first], assume_unique=True)
    return drawn
