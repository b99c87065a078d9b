"""All 65,536 entries of each table against certified arithmetic."""

from typing import Any

import numpy as np
from flint import arb, ctx
from numpy.typing import NDArray

from dampen.sampling import tables

SINGLE = 2.0**-22
"""The largest relative error of an exponent in single precision (see Exponents.rough)."""


def minus_logs() -> tuple[NDArray[Any], NDArray[Any]]:
    """Certified lower and upper bounds of -ln(b / 2^16) for b = 1 .. 2^16, as exact balls."""
    with ctx.workprec(120):
        total = arb(1 << 16).log()
        balls = [total - arb(b).log() for b in range(1, (1 << 16) + 1)]
        return np.array([b.lower() for b in balls]), np.array([b.upper() for b in balls])


def test_bounds_hold_for_every_exponent_in_single_precision() -> None:
    table = tables.log_table(16)
    low, high = minus_logs()
    with ctx.workprec(120):
        for b in range(1 << 16):
            if b < (1 << 16) - 1:
                assert arb(float(table.lower[b])) * (1 + arb(SINGLE)) <= low[b]
                assert table.lower[b] > 0
            if b > 0:
                assert arb(float(table.upper[b])) * (1 - arb(SINGLE)) >= high[b - 1]
    assert table.lower[-1] == -1
    assert np.isposinf(table.upper[0])


def test_bounds_are_close_enough_to_decide_nearly_everything() -> None:
    table = tables.log_table(16)
    chance = np.exp(-table.lower[:-1].astype(float)) - np.exp(-table.upper[:-1].astype(float))
    assert chance.max() < 2.2 * 2**-16


def test_bounds_of_the_double_logarithm_hold() -> None:
    table = tables.log_log_table(16)
    low, high = minus_logs()
    with ctx.workprec(120):
        for b in range(1, (1 << 16) - 1):
            assert arb(float(table.lower[b])) <= arb(low[b]).log()
            assert arb(float(table.upper[b])) >= arb(high[b - 1]).log()
    assert np.isneginf(table.lower[-1])
    assert np.isposinf(table.upper[0])


def test_single_precision_logs_bound_the_double_log_within_the_slack() -> None:
    """The race mixes both tables; what that may cost is below its slack."""
    from dampen.sampling import race

    inner, outer = tables.log_table(16), tables.log_log_table(16)
    gap = np.exp(outer.lower[:-1]) - inner.lower[:-1].astype(float)
    assert gap.max() < race.SLACK
