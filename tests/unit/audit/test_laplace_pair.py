"""The exact delta of two Laplace laws, against its definition in certified quadrature."""

from fractions import Fraction
from itertools import pairwise
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from flint import acb, arb, ctx, fmpq

from dampen.audit import LaplacePair, laplace_pair
from dampen.errors import ParameterError
from tests.conftest import Refused

CASES = 250
Case = tuple[float, float, float, float]
"""Epsilon, distance, scale, the other scale."""


def ball(number: float) -> Any:
    exact = Fraction(repr(number))
    return arb(fmpq(exact.numerator, exact.denominator))


def delta_by_quadrature(epsilon: float, distance: float, scale: float, other: float) -> float:
    """The integral of p - exp(epsilon) q over where it is positive: the loss is linear between the two centres."""
    with ctx.workprec(120):
        e, d, b, b2 = map(ball, (epsilon, distance, scale, other))

        def loss(z: Any) -> Any:
            return (b2 / b).log() - abs(z) / b + abs(z - d) / b2 - e

        far = 120 * b.max(b2) + d
        ends, total = [-far, arb(0), d, d + far], arb(0)
        for low, high in pairwise(ends):
            middle = (low + high) / 2
            slope = (loss(middle) - loss((low + middle) / 2)) / (middle - low) * 2
            root = middle - loss(middle) / slope if slope != 0 and high > low else low
            inside = [root] if low < root < high else []
            for left, right in zip([low, *inside], [*inside, high], strict=True):
                at = (left + right) / 2
                if left < right and loss(at) > 0:
                    p_side, q_side = (1 if at > 0 else -1), (1 if at > d else -1)

                    def excess(z: Any, _: bool, p_side: int = p_side, q_side: int = q_side) -> Any:
                        p, q = (-p_side * z / b).exp() / (2 * b), (e - q_side * (z - d) / b2).exp() / (2 * b2)
                        return p - q

                    total += acb.integral(excess, left.mid(), right.mid()).real
        return float(total.mid())


def random_cases() -> list[Case]:
    rng = np.random.default_rng(8)
    found = []
    for _ in range(CASES):
        epsilon, scale = float(rng.choice([0.1, 0.5, 1, 3, 10])), round(float(np.exp(rng.uniform(-1, 2))), 3)
        ratio = 1.0 if rng.random() < 0.1 else float(np.exp(rng.normal() * rng.choice([0.1, 0.5, 1.5])))
        distance = round(float(rng.exponential(epsilon * scale)), 3) if rng.random() < 0.9 else 0.0
        found.append((epsilon, distance, scale, round(scale * ratio, 4)))
    return found


def delta(case: Case) -> LaplacePair:
    epsilon, distance, scale, other = case
    return laplace_pair(epsilon=epsilon, distance=distance, scale=scale, other_scale=other)


def test_it_is_the_integral_of_the_excess_both_ways() -> None:
    branches = set()
    for case in random_cases():
        epsilon, distance, scale, other = case
        pair = delta(case)
        assert pair.forward == pytest.approx(delta_by_quadrature(*case), rel=1e-12, abs=1e-15)
        assert pair.backward == pytest.approx(
            delta_by_quadrature(epsilon, distance, other, scale), rel=1e-12, abs=1e-15
        )
        for one, two, found in ((scale, other, pair.forward), (other, scale, pair.backward)):
            r, c = one / two, distance / two
            branches.add((r > 1, r < 1, c > epsilon + log(r), -log(r) - c / r > epsilon, found > 0))
    assert len(branches) == 8, "every case of the formula is met"


def test_it_grows_with_the_distance_and_falls_with_epsilon() -> None:
    for epsilon, distance, scale, other in random_cases()[:100]:
        here = delta((epsilon, distance, scale, other))
        further, looser = delta((epsilon, distance + 0.5, scale, other)), delta((epsilon + 0.5, distance, scale, other))
        assert further.forward >= here.forward >= looser.forward
        assert further.backward >= here.backward >= looser.backward


def test_from_wide_to_narrow_it_grows_with_the_ratio_and_with_the_shift_in_narrow_units() -> None:
    """What the greedy recursion of exact-pair smoothing stands on, for shifts up to epsilon."""
    for epsilon in (0.1, 1, 5):
        for c in (0.0, 0.3 * epsilon, epsilon):
            by_ratio = [delta((epsilon, c, ratio, 1.0)).forward for ratio in (1, 1.01, 1.1, 1.5, 3, 20)]
            assert by_ratio == sorted(by_ratio)
            assert by_ratio[-1] > by_ratio[1]
        for ratio in (1.1, 3.0):
            by_shift = [delta((epsilon, c * epsilon, ratio, 1.0)).forward for c in (0, 0.25, 0.5, 1)]
            assert sorted(set(by_shift)) == by_shift


def test_both_ways_are_the_same_pair() -> None:
    one, other = delta((1, 2.5, 1.5, 0.7)), delta((1, 2.5, 0.7, 1.5))
    assert (one.forward, one.backward) == (other.backward, other.forward)
    assert one.delta == other.delta == max(one.forward, one.backward)


@pytest.mark.parametrize("distance", [0, 1, "1/7"])
def test_equal_scales_cost_nothing_up_to_distance_over_scale(distance: object) -> None:
    assert laplace_pair(epsilon=2, distance=distance, scale=1, other_scale=1).delta == 0  # type: ignore[arg-type]
    assert laplace_pair(epsilon="1/8", distance=1, scale=1, other_scale=1).delta == pytest.approx(1 - np.exp(-7 / 16))


@pytest.mark.parametrize("epsilon", [10**6, 2**500])
@pytest.mark.parametrize("distance", [0, 1, 2**500])
@pytest.mark.parametrize("scale", [1, "1.0000000000000000000000001", 2**300])
def test_extreme_numbers_have_an_answer(epsilon: int, distance: int, scale: object) -> None:
    pair = laplace_pair(epsilon=epsilon, distance=distance, scale=scale, other_scale=1)  # type: ignore[arg-type]
    assert 0 <= pair.delta <= 1


PRINTED = {
    (7, 1e-2): 1.29,
    (7, 1e-3): 1.27,
    (7, 1e-5): 1.08,
    (10, 1e-2): 2.8,
    (10, 1e-3): 3.6,
    (10, 1e-5): 4.04,
    (10, 1e-6): 4.0,
    (15, 1e-2): 5.9,
    (15, 1e-3): 11.3,
    (15, 1e-5): 21.6,
    (15, 1e-6): 25.4,
}
"""Exact over claimed delta of the family against Theorem 8 of the LLS paper; from our theory."""


@pytest.mark.parametrize(("epsilon", "claimed"), PRINTED)
def test_the_family_against_theorem_8_by_number(epsilon: int, claimed: float) -> None:
    t = epsilon / log(1 / claimed)
    r = (t + sqrt(t * t + 4)) / 2
    rate = (1 - (1 - 1 / r) / t) * epsilon
    exact = laplace_pair(epsilon=epsilon, distance=1, scale=r / rate, other_scale=1 / rate).delta
    assert exact / claimed == pytest.approx(PRINTED[epsilon, claimed], rel=0.02)


@pytest.mark.parametrize(
    ("name", "wrong"), [("epsilon", -1), ("distance", "far"), ("scale", 0), ("other_scale", float("nan"))]
)
def test_wrong_numbers_are_refused_by_name(name: str, wrong: object, refused: Refused) -> None:
    given: dict[str, Any] = {"epsilon": 1, "distance": 1, "scale": 1, "other_scale": 1, name: wrong}
    with refused(ParameterError, name, repr(wrong)):
        laplace_pair(**given)
