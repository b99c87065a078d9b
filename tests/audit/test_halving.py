"""Recursive halving: exact joint laws of all percentiles on all small tables, under both adjacencies."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product
from math import log

import numpy as np
import pytest

from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.mechanisms import PermuteAndFlip
from dampen.queries.order.halving import Part, ask_by_halving, count_levels

Records = tuple[int, ...]
Law = dict[tuple[int, ...], float]
QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
DECILES = tuple(Fraction(k, 10) for k in (1, 2, 3, 5, 7, 8, 9))
ENDS = (Fraction(0), Fraction(1, 3), Fraction(1))
PRICE = Fraction(1)


def whole_part(records: Records, size: int, shares: tuple[Fraction, ...]) -> Part:
    places, counts = np.unique(np.array(records, dtype=np.int64), return_counts=True)
    return Part(shares, 0, size - 1, places, counts)


def joint_law(part: Part, mechanism: PermuteAndFlip) -> Law:
    """The probability of every tuple of places, in the order of the shares."""
    if not part.shares:
        return {(): 1.0}
    law, joint = np.exp(np.asarray(mechanism.log_probabilities(part.problem()))), Law()
    for place, chance in zip(range(part.low, part.high + 1), law, strict=True):
        left, right = part.halves(place)
        for (below, p), (above, q) in product(joint_law(left, mechanism).items(), joint_law(right, mechanism).items()):
            joint[*below, place, *above] = joint.get((*below, place, *above), 0.0) + chance * p * q
    return joint


def worst_loss(
    law_of: Callable[[Records], Law], universe: Iterable[Records], neighbours: Callable[[Records], Iterable[Records]]
) -> float:
    known = cache(law_of)
    pairs = ((known(x), known(y)) for x in universe for y in neighbours(x))
    return max(abs(log(p[outcome] / q[outcome])) for p, q in pairs for outcome in p)


@pytest.mark.parametrize(
    ("shares", "largest", "near"), [(QUARTILES, 5, 0.8), (ENDS, 5, 0.8), (DECILES, 3, 0.5)], ids=["3", "ends", "7"]
)
def test_one_record_more_or_less_costs_epsilon_per_level(
    shares: tuple[Fraction, ...], largest: int, near: float
) -> None:
    mechanism = PermuteAndFlip(PRICE / count_levels(len(shares)))
    loss = worst_loss(
        lambda x: joint_law(whole_part(x, 3, shares), mechanism), multisets(range(3), largest=largest),
        add_remove_neighbours(range(3)),
    )  # fmt: skip
    print(f"{len(shares)} percentiles: {loss}")
    assert near < loss <= 1 + 1e-9


@pytest.mark.parametrize(("shares", "largest"), [(QUARTILES, 5), (DECILES, 3)], ids=["3", "7"])
def test_a_replaced_record_costs_twice_that_and_no_less(shares: tuple[Fraction, ...], largest: int) -> None:
    """At epsilon per level it would cost more than is claimed: the negative control of the price."""
    universe, neighbours = multisets(range(3), largest=largest, smallest=1), replace_neighbours(range(3))
    losses = []
    for share in (1, 2):
        mechanism = PermuteAndFlip(PRICE / count_levels(len(shares)) / share)
        losses.append(
            worst_loss(lambda x, m=mechanism: joint_law(whole_part(x, 3, shares), m), universe, neighbours)  # type: ignore[misc]
        )
    print(f"{len(shares)} percentiles: {losses}")
    assert losses[1] <= 1 + 1e-9
    assert losses[0] > 1.2


def test_scattering_costs_nothing() -> None:
    """Every record takes one of two finer cells by a fair coin; the law over all coins still holds the price."""
    shares, mechanism = QUARTILES, PermuteAndFlip(PRICE / 2)
    fine = cache(lambda x: joint_law(whole_part(x, 4, shares), mechanism))

    def mixed(records: Records) -> Law:
        total = Law()
        for coins in product((0, 1), repeat=len(records)):
            finer = tuple(sorted(2 * record + coin for record, coin in zip(records, coins, strict=True)))
            for places, chance in fine(finer).items():
                coarse = tuple(place // 2 for place in places)
                total[coarse] = total.get(coarse, 0.0) + chance / 2 ** len(records)
        return total

    loss = worst_loss(mixed, multisets(range(2), largest=5), add_remove_neighbours(range(2)))
    assert 0.3 < loss <= 1 + 1e-9


def test_the_generator_asks_what_the_parts_say() -> None:
    places, counts = np.unique((0, 1, 1, 2, 4, 4, 4, 7), return_counts=True)
    steps = ask_by_halving(places, counts, 8, QUARTILES)
    asked = [next(steps), steps.send(4), steps.send(6)]
    with pytest.raises(StopIteration) as end:
        steps.send(1)
    assert [problem.frame.candidates for problem in asked] == [range(8), range(4, 8), range(5)]
    assert end.value.value == {Fraction(1, 2): 4, Fraction(3, 4): 6, Fraction(1, 4): 1}


@pytest.mark.parametrize(("count", "depth"), [(1, 1), (2, 2), (3, 2), (4, 3), (7, 3), (8, 4), (99, 7)])
def test_levels_are_the_depth_of_the_tree(count: int, depth: int) -> None:
    def deepest(part: int) -> int:
        return 0 if part == 0 else 1 + max(deepest(part // 2), deepest(part - part // 2 - 1))

    assert count_levels(count) == depth == deepest(count)


def test_the_joint_law_is_a_law() -> None:
    law = joint_law(whole_part((0, 0, 2), 3, QUARTILES), PermuteAndFlip(1))
    assert sum(law.values()) == pytest.approx(1)
    assert len(law) == sum(1 for a, b, c in product(range(3), repeat=3) if a <= b <= c)
    assert max(law, key=lambda places: law[places]) == (0, 0, 2)
