"""Joint laws of caps and answers by their definitions alone, to more than 30 digits, and small worlds of people.

Nothing here reads a law of the library. Permute-and-flip is summed over all sets of heads, a scan over all its starts
one by one, and the noise is written down from its definition.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import ceil, exp, floor
from typing import Any

import flint

from dampen import Adjacency
from dampen.problem import CapFrame, CapProblem, SignedCapProblem

BITS = 192
"""About 57 digits."""
DIGITS = Fraction(1, 10**30)
Totals = tuple[int, ...]
Ball = Any
Joint = dict[Any, tuple[Ball, int, int]]
"""For every cap: the logarithm of its probability, the total under it, and the step of its noise."""


def above(x: Iterable[int], caps: Sequence[int]) -> list[int]:
    return [sum(total > cap for total in x) for cap in caps]


def sums(x: Iterable[int], caps: Sequence[int]) -> list[int]:
    return [sum(min(total, cap) for total in x) for cap in caps]


def people(caps: Sequence[int], adjacency: Adjacency) -> Callable[[Totals], CapProblem]:
    """From the totals of all people to their problem."""
    frame = CapFrame(adjacency, caps)
    return lambda x: CapProblem(frame, above(x, caps), sums(x, caps))


def signed_people(caps: Sequence[int], adjacency: Adjacency) -> Callable[[Totals], SignedCapProblem]:
    one_sided = people(caps, adjacency)
    return lambda x: SignedCapProblem(one_sided(tuple(max(c, 0) for c in x)), one_sided(tuple(max(-c, 0) for c in x)))


def ball(number: Fraction) -> Ball:
    return flint.arb(flint.fmpq(number.numerator, number.denominator))


@cache
def flip_law(exponents: tuple[Fraction, ...]) -> tuple[Ball, ...]:
    """Over all sets of heads: each of a set's members with the same chance."""
    with flint.ctx.workprec(BITS):
        least, size = min(exponents), len(exponents)
        p = [(ball(least - x)).exp() for x in exponents]
        law = [flint.arb(0)] * size
        for count in range(1, size + 1):
            for heads in combinations(range(size), count):
                chance = flint.arb(1)
                for place, q in enumerate(p):
                    chance *= q if place in heads else 1 - q
                for place in heads:
                    law[place] += chance / count
        return tuple(law)


@cache
def scan_law(distances: tuple[int, ...], start: Fraction, rate: Fraction) -> tuple[Ball, ...]:
    """Start by start, until what is left is below 10^-40 of anything that is compared."""
    with flint.ctx.workprec(BITS):
        law = [flint.arb(0)] * (len(distances) + 1)
        # Every cap has at least the chance of a start that is 0 times its coin times tails: far above exp(-60).
        for g in range(ceil(160 / start)):
            missed = (1 - ball(-start).exp()) * ball(-start * g).exp()
            for place, d in enumerate(distances):
                head = ball(-rate * max(0, d + g)).exp()
                law[place] += missed * head
                missed *= 1 - head
            law[-1] += missed
        return tuple(law)


def plateau(rate: Fraction, step: int) -> int:
    return max(1, floor(step / (1 + exp(float(rate) / 2)) + 0.5))


def level(z: int, step: int, flat: int) -> int:
    return 0 if abs(z) < flat else 1 + (abs(z) - flat) // step


@cache
def level_changes(shift: int, step: int, flat: int) -> tuple[int, int]:
    """The least and the largest l(z - shift) - l(z), over all z near both plateaus: beyond them it is periodic."""
    reach = flat + 2 * step + abs(shift)
    changes = [level(z - shift, step, flat) - level(z, step, flat) for z in range(-reach, reach + 1)]
    return min(changes), max(changes)


def joint_loss(one: Joint, other: Joint, rate: Fraction) -> Ball:
    """The largest log-ratio of all pairs (cap, answer), both ways."""
    with flint.ctx.workprec(BITS):
        worst = flint.arb(0)
        for cap, (log_p, total, step) in one.items():
            log_q, shifted, _ = other[cap]
            least, most = level_changes(shifted - total, step, plateau(rate, step))
            worst = max(worst, log_p - log_q + ball(rate * most), log_q - log_p - ball(rate * least), key=float)
        return worst
