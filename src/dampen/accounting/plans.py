"""What a list of losses that is fixed beforehand costs together: the least of several bounds that hold for it.

The bounds hold whatever is asked in between, as long as the list stays what it was; evaluated anew on the losses so far
they are no filter (docs/proofs/composition.md). Floats are used where all terms are positive, and the result is raised
by more than their rounding; epsilons are rounded up.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, comb, exp, expm1, lcm

import numpy as np

from dampen.accounting.composition import composed, rho_of
from dampen.concentrated import least_epsilon, rho_of_pure
from dampen.privacy import PrivacyLoss
from dampen.vectors import Floats

FINEST, MOST_LOSSES = 200_000, 20_000
"""So many steps a lattice of losses has at most, on either side; and so many losses are added up on it."""
LARGEST_SUM = 600
"""Up to this sum of epsilons, or of ranges, no exponential overflows and the rounding of floats is paid for."""
RANGE_STEPS, MOST_RANGES = 200, 128
"""Into how many steps a bounded range is cut, and how many ranges are composed on such a lattice."""
UNIT = 2**40
"""Epsilons that are searched for are multiples of 1 / UNIT."""
UNDERFLOW = 1e-290


def price_of_list(losses: Sequence[PrivacyLoss], delta: Fraction) -> PrivacyLoss:
    """The least epsilon at which a list costs no more than ``delta`` beside its own deltas, as one loss.

    Epsilons may be added up; composed optimally (Kairouz, Oh and Viswanath 2015; Murtagh and Vadhan 2016); all ranges,
    where they are equal, composed for the worst adaptive choice (Dong, Durfee and Rogers 2020); or rhos added up.
    """
    plain = composed(losses)
    if delta == 0:
        return plain
    by_rho = least_epsilon(sum(map(rho_of, losses), Fraction(0)), delta)
    found = [by_rho]
    epsilons = [loss.epsilon for loss in losses if loss.epsilon is not None]
    if len(epsilons) == len(losses):
        found.append(optimal_epsilon(epsilons, delta))
    ranges = {loss.bounded_range for loss in losses}
    if len(ranges) == 1 and None not in ranges and not any(loss.delta for loss in losses):
        [eta] = ranges
        if eta is not None and len(losses) <= MOST_RANGES:
            found.append(ranged_epsilon(eta, len(losses), delta))
    if plain.epsilon is not None and min(found) >= plain.epsilon:
        return plain
    rho = sum(map(rho_of if min(found) == by_rho else _rho_of_response, losses), Fraction(0))
    return replace(plain, epsilon=min(found), delta=plain.delta + delta, bounded_range=None, rho=rho)


def _rho_of_response(loss: PrivacyLoss) -> Fraction:
    """What a loss costs in rho where it was priced as a randomised response, which fails openly if there is a delta.

    Unless it failed, its epsilon says its rho. What it says itself may hold but for another part of mass delta.
    """
    return rho_of_pure(loss.epsilon) if loss.delta and loss.epsilon is not None else rho_of(loss)


# Pure losses


def optimal_delta(epsilons: Sequence[Fraction], epsilon: Fraction) -> float:
    """The least delta at which releases of these epsilons, in any order, are (epsilon, delta) together; rounded up."""
    if epsilon >= sum(epsilons):
        return 0.0
    if not _fits_lattice(epsilons):
        return 1.0
    step, law = _law_of_losses(epsilons)
    return _excess(law, step, float(epsilon), len(epsilons), float(sum(epsilons)))


def optimal_epsilon(epsilons: Sequence[Fraction], delta: Fraction) -> Fraction:
    """The least epsilon of that kind, rounded up; never above the sum."""
    total = sum(epsilons, Fraction(0))
    if not _fits_lattice(epsilons):
        return total
    step, law = _law_of_losses(epsilons)
    count, size = len(epsilons), float(total)
    return _least(lambda epsilon: _excess(law, step, float(epsilon), count, size), delta, total)


def _fits_lattice(epsilons: Sequence[Fraction]) -> bool:
    return len(epsilons) <= MOST_LOSSES and sum(epsilons) <= LARGEST_SUM


def _law_of_losses(epsilons: Sequence[Fraction]) -> tuple[float, Floats]:
    """The law of the sum of the losses of randomised responses, on a lattice; epsilons are rounded up to it if need be.

    The entry at m + len // 2 is the chance of a loss of m steps.
    """
    finest = Fraction(1, lcm(*(each.denominator for each in epsilons)))
    total = sum(epsilons, Fraction(0))
    step = finest if total / finest <= FINEST else total / (FINEST - len(epsilons))
    steps = [ceil(each / step) for each in epsilons]
    law = np.ones(1)
    for each in steps:
        loss = each * float(step)
        wider = np.zeros(len(law) + 2 * each)
        wider[2 * each :] += law / (1 + exp(-loss))
        wider[: len(law)] += law / (1 + exp(loss))
        law = wider
    return float(step), law


def _excess(law: Floats, step: float, epsilon: float, count: int, total: float) -> float:
    """E[(1 - exp(epsilon - loss))+], rounded up."""
    losses = (np.arange(len(law)) - len(law) // 2) * step - (epsilon - 2.0**-40)
    above = losses > 0
    found = float((law[above] * -np.expm1(-losses[above])).sum())
    return found * (1 + (8 * count + 4 * total + 64) * 2.0**-52) + UNDERFLOW


def _least(delta_at: Callable[[Fraction], float], delta: Fraction, highest: Fraction) -> Fraction:
    """The least multiple of 1 / UNIT, up to ``highest``, where a function that falls is at most delta."""
    low, high = -1, ceil(highest * UNIT)
    while high - low > 1:
        middle = (low + high) // 2
        if Fraction(delta_at(Fraction(middle, UNIT))) <= delta:
            high = middle
        else:
            low = middle
    return min(Fraction(high, UNIT), highest)


# Losses of bounded range


def ranged_epsilon(eta: Fraction, count: int, delta: Fraction) -> Fraction:
    """The least epsilon of ``count`` releases of bounded range ``eta``, each chosen after the earlier; rounded up.

    With D_0(e) = (1 - e^e)+ and p_t = (e^eta - e^t) / (e^eta - 1), delta is D_j(e) = sup over t in [0, eta] of
    p_t D_(j-1)(e - t) + (1 - p_t) D_(j-1)(e - t + eta). With t on a lattice of step h it is G_j <= D_j <= G_j(e - j h).
    """
    step = eta / RANGE_STEPS
    if eta * count > LARGEST_SUM:
        return eta * count
    found = _ranged_deltas(float(step), count) * (1 + (16 * count + 4 * float(eta) * count + 64) * 2.0**-52) + UNDERFLOW
    fits = np.flatnonzero(found <= float(delta) * (1 - 2.0**-50))
    return min(eta * count, step * (int(fits[0]) + count)) if fits.size else eta * count


def _ranged_deltas(step: float, count: int) -> Floats:
    """G of ``count`` releases at 0, step, 2 step, ..., up to where nothing exceeds."""
    from dampen.accounting.range_kernel import worst_mixtures

    eta = step * RANGE_STEPS
    times = np.arange(RANGE_STEPS + 1) * step
    high = np.expm1(eta - times) * np.exp(times) / np.expm1(eta)
    low = np.expm1(times) / np.expm1(eta)
    deltas = -np.expm1(np.arange(-count * RANGE_STEPS, 1) * step)
    for _ in range(count):
        deltas = worst_mixtures(deltas, high, low)
    return np.asarray(deltas)


def fixed_range_delta(eta: Fraction, count: int, epsilon: Fraction) -> float:
    """Delta where the mechanisms themselves, and not only their range, are fixed beforehand; rounded up.

    The largest over l of the excess of count losses of t or t - eta each, at t = (epsilon + (l + 1) eta) / (count + 1).
    """
    width, e = float(eta), float(epsilon) - 2.0**-40
    places = (min(max((e + (turn + 1) * width) / (count + 1), 0.0), width) for turn in range(count + 1))
    found = max(_two_point_excess(t, width, count, e) for t in places)
    return found * (1 + (16 * count + 4 * width * count + 64) * 2.0**-52) + UNDERFLOW


def fixed_range_epsilon(eta: Fraction, count: int, delta: Fraction) -> Fraction:
    """The least epsilon of that kind, rounded up."""
    if eta * count > LARGEST_SUM or count > MOST_RANGES:
        return eta * count
    return _least(lambda epsilon: fixed_range_delta(eta, count, epsilon), delta, eta * count)


def _two_point_excess(t: float, eta: float, count: int, epsilon: float) -> float:
    up, down = expm1(eta - t) * exp(t) / expm1(eta), expm1(t) / expm1(eta)
    found = 0.0
    for lows in range(count + 1):
        loss = count * t - lows * eta - epsilon
        if loss > 0:
            found += comb(count, lows) * up ** (count - lows) * down**lows * -expm1(-loss)
    return found
