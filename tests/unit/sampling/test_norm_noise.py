"""Noise by a norm: sizes of any length, points of 1-balls bit by bit, and how far from its law a vector may be."""

from fractions import Fraction
from itertools import pairwise
from math import exp

import numpy as np
import pytest
from scipy.stats import chisquare

from dampen.audit import law_by_enumeration
from dampen.entropy import system_entropy
from dampen.sampling import norm_noise
from dampen.sampling.discrete_laplace import geometric_batch
from dampen.sampling.norm_noise import box_point, geometric_sizes, laplace_steps


@pytest.mark.parametrize("rate", [Fraction(1, 3), Fraction(1, 2**20)])
def test_geometric_sizes_fit_their_law_and_no_other(rate: Fraction) -> None:
    drawn = geometric_batch(rate, 5000, system_entropy())
    ends = np.array([int(share / rate) for share in (0.5, 1, 2, 3)])
    seen = np.bincount(np.searchsorted(ends, drawn, side="right"), minlength=5)

    def expected(at: float) -> list[float]:
        below = [0.0, *(1 - exp(-at * end) for end in ends.tolist()), 1.0]
        return [len(drawn) * (high - low) for low, high in pairwise(below)]

    assert chisquare(seen, expected(float(rate))).pvalue > 1e-6
    assert chisquare(seen, expected(1.3 * float(rate))).pvalue < 1e-6


def test_sizes_that_reach_the_end_of_a_batch_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(norm_noise, "LAST", 3)
    monkeypatch.setattr(norm_noise, "geometric_batch", lambda rate, count, _: np.minimum(np.arange(count), 3))
    monkeypatch.setattr(norm_noise, "geometric", lambda rate, _: 10)
    assert geometric_sizes(Fraction(1), 5, system_entropy()) == [0, 1, 2, 13, 13]


def test_steps_are_odd_and_of_either_sign() -> None:
    drawn = np.array(laplace_steps(Fraction(1, 5), 400, system_entropy()))
    assert (drawn % 2 == 1).all()
    assert drawn.min() < 0 < drawn.max()


def test_a_point_of_a_ball_is_the_gaps_of_sorted_numbers_with_fair_signs() -> None:
    """Two numbers of two bits: 16 pairs, of which (1, 3) and (3, 1) of eighths lead to the gaps 1/8 and 2/8."""
    law, undecided = law_by_enumeration(lambda source: tuple(norm_noise._ball_point(2, 2, source)), depth=6)
    assert undecided == 0
    assert sum(law.values()) == 1
    assert law[Fraction(1, 8), Fraction(1, 4)] == law[Fraction(-1, 8), Fraction(1, 4)] == Fraction(2, 16) / 4
    assert all(sum(map(abs, point)) < 1 for point in law)


def test_a_coarse_vector_is_within_its_distance_of_a_fine_one() -> None:
    """The same bits, read coarsely and finely: the coarse vector is near the fine one, which is near its law."""

    class Replayed:
        """Uniform numbers whose first bits are the same whatever their length, and sizes by one real each."""

        def __init__(self, seed: int) -> None:
            self._rng = np.random.default_rng(seed)

        def bits(self, count: int) -> int:
            long = int.from_bytes(self._rng.bytes(64))
            return long >> (512 - count)

    def drawn(distance: Fraction, step: Fraction, seed: int) -> np.ndarray:
        exponentials = np.random.default_rng([seed, 1]).exponential(size=7)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                norm_noise, "geometric_sizes", lambda rate, count, _: [int(x / rate) for x in exponentials.tolist()]
            )
            made = box_point(Fraction(5), 3, 2, distance, step, Replayed(seed))  # type: ignore[arg-type]
        return np.array(made) * float(step)

    for seed in range(30):
        coarse, fine = drawn(Fraction(1, 4), Fraction(1, 16), seed), drawn(Fraction(1, 2**20), Fraction(1, 2**24), seed)
        assert 0 < np.linalg.norm(coarse - fine) <= 1 / 4 + 2**-20
