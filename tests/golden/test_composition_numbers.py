"""Numbers of composition and conversion, certified elsewhere; none of ours may be on the wrong side of them."""

from fractions import Fraction

import pytest

from dampen import Adjacency, PrivacyLoss
from dampen.accounting.plans import fixed_range_delta, fixed_range_epsilon, optimal_delta, optimal_epsilon
from dampen.concentrated import largest_rho, least_epsilon, rho_of_pure, rho_of_range


@pytest.mark.parametrize(
    ("rho", "delta", "epsilon"),
    [
        ("1/8", "1e-6", 2.41909317686720),
        ("1/2", "1e-6", 5.22153444453017),
        ("1/100", "1e-5", 0.545725548274003),
        ("5/4", "1e-9", 10.8028544221819),
        ("10", "1e-6", 32.2216609490976),
        ("1e-6", "1e-6", 0.00449649398064861),
    ],
)
def test_rho_to_epsilon(rho: str, delta: str, epsilon: float) -> None:
    assert float(least_epsilon(Fraction(rho), Fraction(delta))) == pytest.approx(epsilon, rel=1e-13)


@pytest.mark.parametrize(
    ("epsilon", "delta", "rho"),
    [
        ("1", "1e-6", 0.02435597035953837),
        ("1", "1e-9", 0.01497305767358852),
        ("2", "1e-6", 0.08815268837994625),
        ("1/2", "1e-6", 0.0066415243566605),
        ("4", "1e-6", 0.3110649549408351),
        ("1/10", "1e-6", 0.0003210476903457),
    ],
)
def test_epsilon_to_rho_and_back(epsilon: str, delta: str, rho: float) -> None:
    found = largest_rho(Fraction(epsilon), Fraction(delta))
    assert float(found) == pytest.approx(rho, rel=1e-12)
    assert least_epsilon(found, Fraction(delta)) <= Fraction(epsilon) * (1 + Fraction(1, 2**45))


@pytest.mark.parametrize(
    ("epsilon", "count", "total", "delta"),
    [
        ("1/10", 10, "1/2", 0.00992962691738885253),
        ("1/10", 100, "2", 0.0201401784281915318),
        ("1", 5, "3", 0.180554628602783467),
        ("1/2", 20, "5", 0.0544203925793460944),
        ("1", 2, "1", 0.337834712147041174),
        ("1", 2, "0", 0.462117157260009759),
        ("1", 1, "1/2", 0.287649136644967925),
    ],
)
def test_pure_losses(epsilon: str, count: int, total: str, delta: float) -> None:
    found = optimal_delta([Fraction(epsilon)] * count, Fraction(total))
    assert delta <= found <= delta * (1 + 1e-10)


def test_unequal_pure_losses() -> None:
    first = [Fraction(1, 2), Fraction(3, 2)]
    assert optimal_delta(first, Fraction(3, 2)) == pytest.approx(0.200239247124760338, rel=1e-10)
    second = [Fraction(1), Fraction(1, 2), Fraction(1, 3), Fraction(1, 5)]
    assert optimal_delta(second, Fraction(1)) == pytest.approx(0.184846663422001270, rel=1e-10)


def test_one_large_loss_is_not_many_small_ones() -> None:
    assert optimal_delta([Fraction(1)], Fraction(1, 2)) > 28 * optimal_delta([Fraction(1, 10)] * 10, Fraction(1, 2))


@pytest.mark.parametrize(
    ("eta", "count", "total", "delta"),
    [
        ("1", 1, "0", 0.244918662403709129),
        ("1", 2, "1/2", 0.152451906798665587),
        ("1", 2, "1", 0.0570053290284880345),
        ("1", 3, "1", 0.0948951119463448459),
        ("1/10", 100, "2", 9.08423125875939e-6),
        ("1/10", 10, "1/2", 3.99781340525902e-5),
    ],
)
def test_fixed_ranges(eta: str, count: int, total: str, delta: float) -> None:
    found = fixed_range_delta(Fraction(eta), count, Fraction(total))
    assert delta * (1 - 1e-14) <= found <= delta * (1 + 1e-9)


def test_a_hundred_selections_of_a_tenth() -> None:
    tenth, delta = Fraction(1, 10), Fraction(1, 10**6)
    assert float(least_epsilon(100 * tenth**2 / 8, delta)) < 2.42
    assert float(fixed_range_epsilon(tenth, 100, delta)) < 2.25
    assert 4.7745 < float(optimal_epsilon([tenth] * 100, delta)) < 4.78


def test_the_rho_of_a_pure_loss() -> None:
    assert float(rho_of_pure(Fraction(1))) == pytest.approx(0.462117157260, abs=1e-12)
    assert float(rho_of_pure(Fraction(1, 10))) == pytest.approx(0.00499583749579, abs=1e-14)
    tiny = Fraction(1, 2**100)
    assert rho_of_pure(tiny) == tiny**2 / 2


def test_the_rho_of_extremes_is_a_number_that_losses_are_written_in() -> None:
    assert rho_of_pure(Fraction(0)) == 0
    for size in (Fraction(1, 2**500), Fraction(2**500)):
        for rho in (rho_of_pure(size), rho_of_range(size)):
            assert PrivacyLoss(size, adjacency=Adjacency.ADD_REMOVE, rho=rho).rho == rho
            assert rho >= min(size**2 / 8, size * Fraction(99, 100))
    assert rho_of_range(Fraction(7)) == Fraction(49, 8)
    assert rho_of_range(Fraction(9)) == rho_of_pure(Fraction(9)) < 81 / Fraction(8)
