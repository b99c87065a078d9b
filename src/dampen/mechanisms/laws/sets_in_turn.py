"""The law of the set that several picks without replacement leave behind, whatever their order."""

import numpy as np

from dampen.vectors import Floats


def sets_in_turn(x: Floats, picks: int) -> Floats:
    """P of every subset, by its number (bit i of it is 1 where i was picked); a pick weighs exp(-x).

    A set grows by one pick at a time: P(S) is the sum over its members d of P(S without d) times the weight of d over
    the weights of all that are not yet picked. O(n 2^n), where listing orders would take n! / (n - k)!.
    """
    weights = np.exp(-x)
    chance = np.zeros(2 ** len(x))
    chance[0] = 1.0
    for number in range(len(chance)):
        if number.bit_count() < picks:
            left = [i for i in range(len(x)) if not number >> i & 1]
            total = weights[left].sum()
            for i in left:
                chance[number | 1 << i] += chance[number] * weights[i] / total
            chance[number] = 0.0
    return chance
