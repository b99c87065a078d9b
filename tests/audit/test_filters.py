"""Rules against analysts who choose the next loss after seeing answers, the best of them found by dynamic programming.

A loss of epsilon is the randomised response of that epsilon: nothing of that price tells more. An analyst goes on as
long as the rule grants, and wants the excess E[(1 - exp(epsilon - loss))+] to be large. A filter keeps it below delta.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import exp, expm1

import pytest

from dampen import Adjacency, PrivacyLoss
from dampen.accounting.account import new_account
from dampen.accounting.composition import Composition
from dampen.accounting.plans import optimal_delta
from dampen.accounting.rules import APPROXIMATE, BASIC, CONCENTRATED, AskedLimit
from dampen.errors import BudgetExceeded
from dampen.privacy import Amount

MOST = 30
"""An analyst asks at most so often."""
Grants = Callable[[int, int], bool]
"""Whether so many of the one and of the other loss of a menu are granted together."""


def largest_excess(menu: tuple[Fraction, Fraction], epsilon: Fraction, grants: Grants) -> float:
    @cache
    def best(first: int, second: int, loss: Fraction) -> float:
        found = max(0.0, -expm1(float(epsilon - loss)))
        for price, more in ((menu[0], (first + 1, second)), (menu[1], (first, second + 1))):
            if sum(more) <= MOST and grants(*more):
                up = 1 / (1 + exp(-price))
                found = max(found, up * best(*more, loss + price) + (1 - up) * best(*more, loss - price))
        return found

    return best(0, 0, Fraction(0))


def by_rule(menu: tuple[Fraction, Fraction], rule: Composition, limit: Amount) -> Grants:
    losses = [PrivacyLoss(price, adjacency=Adjacency.ADD_REMOVE) for price in menu]

    @cache
    def sum_of(first: int, second: int) -> Amount:
        if first + second == 0:
            return rule.start
        rest, last = ((first - 1, second), losses[0]) if first else ((first, second - 1), losses[1])
        return rule.add(sum_of(*rest), last)

    return lambda first, second: rule.fits(sum_of(first, second), limit)


def by_optimal_composition(menu: tuple[Fraction, Fraction], epsilon: Fraction, delta: float) -> Grants:
    """What is refused as a rule: the best bound, evaluated anew on all losses so far."""

    @cache
    def grants(first: int, second: int) -> bool:
        return optimal_delta([menu[0]] * first + [menu[1]] * second, epsilon) <= delta * (1 + 1e-9)

    return grants


def by_slots(first: int, second: int) -> Grants:
    """A list that is fixed beforehand, of which less may be used."""
    return lambda one, other: one <= first and other <= second


def by_budget_of_slots(menu: tuple[Fraction, Fraction], plan: Sequence[Fraction], limit: AskedLimit) -> Grants:
    """The same as a budget grants it: a small loss may also take a large slot."""
    losses = [PrivacyLoss(price, adjacency=Adjacency.ADD_REMOVE) for price in menu]
    listed = [PrivacyLoss(price, adjacency=Adjacency.ADD_REMOVE) for price in plan]
    account = new_account(limit._replace(slots=listed), None, None)

    @cache
    def grants(first: int, second: int) -> bool:
        try:
            account.charge(account.price([losses[0]] * first + [losses[1]] * second))
        except BudgetExceeded:
            return False
        return True

    return grants


MENUS = [(Fraction(a, 4), Fraction(b, 4)) for a, b in ((2, 6), (1, 3), (1, 4), (2, 4), (2, 5), (3, 6), (1, 6), (2, 8))]
PLANS = [(1, 1), (2, 1), (3, 1), (0, 2), (5, 0)]
SHARES = [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)]
GAMES = list(product(MENUS, PLANS, SHARES))
"""A menu, a plan of so many of its two losses, and epsilon as a share of their sum; delta is that of the plan."""


def play(games: Sequence[tuple[tuple[Fraction, Fraction], tuple[int, int], Fraction]]) -> tuple[int, int, int]:
    """In how many games more than delta is given away by optimal composition as a filter, and by four times the rho;
    and in how many adding up by rho gives away anything that adding up epsilons does not.
    """
    broken = too_much = used = 0
    for menu, slots, share in games:
        plan = [menu[0]] * slots[0] + [menu[1]] * slots[1]
        epsilon = sum(plan) * share
        delta = optimal_delta(plan, epsilon)
        limit = AskedLimit(epsilon=epsilon, delta=Fraction(delta)).limit_under(APPROXIMATE)
        assert limit.rho is not None

        def excess(grants: Grants, menu: tuple[Fraction, Fraction] = menu, epsilon: Fraction = epsilon) -> float:
            return largest_excess(menu, epsilon, grants)

        assert excess(by_rule(menu, BASIC, limit)) == 0
        assert excess(by_rule(menu, CONCENTRATED, Amount(None, Fraction(0), limit.rho))) <= delta / 2
        assert excess(by_slots(*slots)) <= delta
        asked = AskedLimit(epsilon=epsilon + Fraction(1, 2**39), delta=Fraction(delta))
        assert excess(by_budget_of_slots(menu, plan, asked)) <= delta
        granted = excess(by_rule(menu, APPROXIMATE, limit))
        assert granted <= delta / 2
        used += granted > 0
        broken += excess(by_optimal_composition(menu, epsilon, delta)) > delta * (1 + 1e-6)
        too_much += excess(by_rule(menu, APPROXIMATE, replace(limit, rho=4 * limit.rho))) > delta
    return broken, too_much, used


def test_the_game_of_two_prices() -> None:
    menu, epsilon = MENUS[0], Fraction(3, 2)
    delta = optimal_delta(menu, epsilon)
    found = largest_excess(menu, epsilon, by_optimal_composition(menu, epsilon, delta))
    assert delta == pytest.approx(0.2002392, abs=1e-7)
    assert found == pytest.approx(0.2638855, abs=1e-7)


def test_rules_keep_delta_in_a_few_games_and_optimal_composition_does_not() -> None:
    assert play(GAMES[::31]) == (4, 3, 3)


@pytest.mark.long
def test_rules_keep_delta_in_120_games_and_optimal_composition_in_32() -> None:
    assert len(GAMES) == 120
    assert play(GAMES) == (88, 106, 66)


def test_a_fixed_list_keeps_its_delta_in_any_order() -> None:
    """The slots of a batch may be taken in an order that depends on the answers."""
    menu, epsilon = MENUS[0], Fraction(3, 2)
    for slots in ((1, 1), (3, 2), (4, 1)):
        delta = optimal_delta([menu[0]] * slots[0] + [menu[1]] * slots[1], epsilon)
        found = largest_excess(menu, epsilon, by_slots(*slots))
        assert found <= delta
        assert found == pytest.approx(delta, rel=1e-9)
        plan = [menu[0]] * slots[0] + [menu[1]] * slots[1]
        asked = AskedLimit(epsilon=epsilon + Fraction(1, 2**39), delta=Fraction(delta))
        assert largest_excess(menu, epsilon, by_budget_of_slots(menu, plan, asked)) == found
