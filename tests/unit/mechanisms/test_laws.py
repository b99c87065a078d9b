"""Exact laws against definitions: enumeration of all coin flips, rigorous integration, closed forms."""

from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from flint import acb, arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dampen.mechanisms import laws
from dampen.vectors import Floats

Law = Callable[[Floats, Floats], Floats]
EXPONENTS = st.lists(st.floats(0, 30), min_size=1, max_size=7).map(lambda xs: np.array([0.0, *xs]))


def one_each(x: Floats) -> Floats:
    return np.ones(len(x))


@settings(max_examples=60, deadline=None)
@given(EXPONENTS)
def test_permute_and_flip_is_a_uniform_choice_among_heads(x: Floats) -> None:
    p = np.exp(-x)
    law = np.zeros(len(x))
    for flips in product([False, True], repeat=len(x)):
        heads = np.array(flips)
        if heads[0]:
            law[heads] += np.prod(np.where(heads, p, 1 - p)) / heads.sum()
    assert np.exp(laws.permute_and_flip(x, one_each(x))) == pytest.approx(law, rel=1e-11, abs=1e-300)


@settings(max_examples=25, deadline=None)
@given(EXPONENTS)
def test_permute_and_flip_is_the_sequential_algorithm(x: Floats) -> None:
    """Permute, then flip until heads: by recursion on the set of candidates not yet tried."""
    p = np.exp(-x)
    known: dict[frozenset[int], Floats] = {frozenset(): np.zeros(len(x))}

    def law_of(rest: frozenset[int]) -> Floats:
        if rest not in known:
            total = np.zeros(len(x))
            for r in rest:
                total += (1 - p[r]) * law_of(rest - {r}) / len(rest)
                total[r] += p[r] / len(rest)
            known[rest] = total
        return known[rest]

    direct = law_of(frozenset(range(len(x))))
    assert np.exp(laws.permute_and_flip(x, one_each(x))) == pytest.approx(direct, rel=1e-11)


def integral(function: Callable[[acb], acb], low: float, high: float) -> float:
    with ctx.workprec(100):
        return float(acb.integral(lambda t, _: function(t), low, high).real)


@pytest.mark.parametrize(
    "x",
    [
        [0.0, 0.0],
        [0.0, 1.0, 2.5],
        [0.0, 0.1, 7.0, 7.0, 30.0],
        [0.0, 1e-6, 1e-6],
        [0.0, 45.0],
        [0.0, 0.0, 700.0],
        [0.0, 600.0, 601.5],
    ],
)
def test_the_laplace_law_equals_rigorous_integration(x: list[float]) -> None:
    def cdf(v: acb, positive: bool) -> acb:
        return 1 - (-v).exp() / 2 if positive else v.exp() / 2

    for r, x_r in enumerate(x):
        ends = sorted({-60.0 - max(x), 60.0, *(-s for s in x)})
        total = 0.0
        for low, high in pairwise(ends):
            middle = (low + high) / 2

            def density(t: acb, middle: float = middle, r: int = r, x_r: float = x_r) -> acb:
                v = t + arb(x_r)
                value = (-v).exp() / 2 if middle + x_r > 0 else v.exp() / 2
                for s, x_s in enumerate(x):
                    if s != r:
                        value *= cdf(t + arb(x_s), middle + x_s > 0)
                return value

            total += integral(density, low, high)
        law = np.exp(laws.laplace_maximum(np.array(x), np.ones(len(x))))
        assert law[r] == pytest.approx(total, rel=1e-11)


@pytest.mark.parametrize("law", [laws.softmax, laws.permute_and_flip, laws.laplace_maximum])
def test_groups_are_as_good_as_their_members(law: Law) -> None:
    x, sizes = np.array([0.0, 0.4, 3.0]), np.array([2, 5, 40])
    expanded = np.repeat(x, sizes)
    grouped = np.repeat(law(x, sizes.astype(float)), sizes)
    assert grouped == pytest.approx(law(expanded, np.ones(len(expanded))), rel=1e-12)


@pytest.mark.parametrize("law", [laws.softmax, laws.permute_and_flip, laws.laplace_maximum])
@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 1000, 20_000])
@pytest.mark.parametrize("scale", [0.0, 0.01, 1.0, 40.0])
def test_laws_sum_to_one(law: Law, n: int, scale: float) -> None:
    rng = np.random.default_rng(n)
    x = np.round(rng.exponential(scale, size=n) if scale else np.zeros(n), 2)
    values, sizes = np.unique(x - x.min(), return_counts=True)
    total = np.exp(law(values, sizes.astype(float))) @ sizes
    assert total == pytest.approx(1, abs=1e-12)


def test_ties_are_uniform_and_one_candidate_is_certain() -> None:
    for law in (laws.softmax, laws.permute_and_flip, laws.laplace_maximum):
        assert np.exp(law(np.zeros(1), np.array([1e7]))) == pytest.approx(1e-7, rel=1e-12)
        assert law(np.zeros(1), np.ones(1)) == pytest.approx(0, abs=1e-14)


def test_two_candidates_have_closed_forms() -> None:
    for a in (1e-9, 0.3, 2.0, 25.0, 700.0):
        x, sizes = np.array([0.0, a]), np.ones(2)
        assert laws.softmax(x, sizes)[1] == pytest.approx(-a - np.log1p(np.exp(-a)), rel=1e-14)
        assert laws.permute_and_flip(x, sizes)[1] == pytest.approx(-a - np.log(2), rel=1e-14)
        laplace = -a + np.log(0.5 + a / 4)
        assert laws.laplace_maximum(x, sizes)[1] == pytest.approx(laplace, rel=1e-12)


def test_ten_thousand_candidates_take_few_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cause of the speed: panels grow with the logarithm of the effective number of candidates."""
    ends_seen = []
    panels = laws._panels

    def counting(ends: Floats) -> tuple[Floats, Floats]:
        ends_seen.append(len(ends))
        return panels(ends)

    monkeypatch.setattr(laws, "_panels", counting)
    laws.permute_and_flip(np.zeros(10_000), np.ones(10_000))
    assert ends_seen == [16]
