"""What every rule of composition must do, and wrong rules that this suite must reject.

A new rule needs a line in RULES. Whether an adversary who chooses later losses can break it is no question for samples:
it needs a proof that the rule is a filter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import exp, prod
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dampen import Adjacency, PrivacyLoss
from dampen.accounting.account import Account
from dampen.accounting.composition import NOTHING, BasicComposition, Composition, rho_of, within
from dampen.accounting.rules import (
    APPROXIMATE,
    BASIC,
    COMPOSITIONS,
    CONCENTRATED,
    PURE,
    AskedLimit,
    ConcentratedComposition,
)
from dampen.accounting.slots import SLOTS, SlotAmount, SlotComposition
from dampen.concentrated import least_epsilon
from dampen.errors import BudgetError, BudgetExceeded
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
ZERO = Fraction(0)
GAUSSIAN = PrivacyLoss(None, adjacency=ADD_REMOVE, rho="1/50")


@dataclass(frozen=True)
class Rule:
    """A rule under test, with a limit that the losses below reach, and the (epsilon, delta) which that promises."""

    composition: Composition
    limit: Amount
    promised: tuple[float, float]

    def sum(self, losses: Sequence[PrivacyLoss]) -> Amount:
        spent = self.composition.start
        for loss in losses:
            spent = self.composition.add(spent, loss)
        return spent

    def grants(self, losses: Sequence[PrivacyLoss]) -> bool:
        account = Account(self.limit, composition=self.composition)
        try:
            account.charge(account.price(losses) if losses else ())
        except BudgetExceeded:
            return False
        return True


def loss(epsilon: Fraction | str, delta: Fraction | int = 0) -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE)


LIMIT = AskedLimit(epsilon=1, delta="1/20")
LIST = LIMIT._replace(slots=[loss("1/5")] * 6 + [loss("1/2", Fraction(1, 100))])
"""By adding up it costs 1.7."""
RHO, ASIDE = Fraction(1, 8), Fraction(1, 100)
RULES = {
    "pure": Rule(PURE, AskedLimit(epsilon=1).limit_under(PURE), (1.0, 0.0)),
    "basic": Rule(BASIC, LIMIT.limit_under(BASIC), (1.0, 0.05)),
    "zcdp": Rule(CONCENTRATED, Amount(None, Fraction(1, 20), RHO), (float(least_epsilon(RHO, ASIDE)), 0.05 + 0.01)),
    "approx": Rule(APPROXIMATE, LIMIT.limit_under(APPROXIMATE), (1.0, 0.05)),
    "slots": Rule(SLOTS, LIST.limit_under(SLOTS), (1.0, 0.05)),
}


def epsilon_of(one: PrivacyLoss) -> Fraction:
    assert one.epsilon is not None
    return one.epsilon


parts = st.fractions(min_value=0, max_value=Fraction(1, 2), max_denominator=30)
lists = st.lists(st.builds(lambda e, d: loss(e, d / 25), parts, parts), min_size=1, max_size=6)
EXAMPLES = [
    [loss("1/3"), loss("1/7"), loss("1/11", Fraction(1, 70))],
    [loss("1/2")] * 2,
    [loss("1/2")] * 4,
    [loss("1/2")] * 6,
    [loss("1/5")] * 6,
    [loss("1/10")] * 10,
    [loss("0", Fraction(1, 30))] * 3,
    [loss("1/3"), loss("1/1000000007"), loss("1/3")],
]


def true_delta(losses: Sequence[PrivacyLoss], epsilon: float) -> float:
    """Delta at ``epsilon`` of the worst releases with these losses (Murtagh and Vadhan 2016), summed up in full."""
    each = [float(epsilon_of(loss)) for loss in losses]
    excess = 0.0
    for signs in product((1, -1), repeat=len(each)):
        total = sum(sign * one for sign, one in zip(signs, each, strict=True))
        weight = prod(1 / (1 + exp(-sign * one)) for sign, one in zip(signs, each, strict=True))
        excess += weight * max(0.0, 1 - exp(epsilon - total))
    return 1 - prod(1 - float(loss.delta) for loss in losses) * (1 - excess)


# The laws


def sums_are_exact_and_in_any_order(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    total = rule.sum(losses)
    assert total == rule.sum(losses[::-1]) == rule.sum(sorted(losses, key=lambda one: (epsilon_of(one), one.delta)))
    assert total.epsilon in (None, sum(map(epsilon_of, losses)))
    assert total.rho in (None, sum(map(rho_of, losses)))
    assert (total.epsilon, total.rho) != (None, None)
    assert total.delta == sum(one.delta for one in losses)


def what_is_granted_keeps_the_promise(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    epsilon, delta = rule.promised
    assert not rule.grants(losses) or true_delta(losses, epsilon) <= delta + 1e-9


def more_never_fits_where_less_does_not(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    verdicts = [rule.grants(losses[:count]) for count in range(len(losses) + 1)]
    assert verdicts == sorted(verdicts, reverse=True)
    assert verdicts[0], "nothing always fits"
    larger = [loss(2 * epsilon_of(one), one.delta) for one in losses]
    assert rule.grants(losses) or not rule.grants(larger)


def a_list_is_charged_whole_or_not_at_all(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    before = Account(rule.limit, composition=rule.composition)
    kept = replace(before)
    try:
        after = before.charge(before.price(losses))
    except BudgetExceeded:
        assert not rule.grants(losses)
    else:
        assert rule.grants(losses)
        one_by_one = before
        for one in losses:
            one_by_one = one_by_one.charge(one_by_one.price([one]))
        assert one_by_one == after
        assert after.remaining == rule.composition.left(rule.limit, after.spent)
        assert 0 <= after.share <= 1
    assert before == kept


def a_list_costs_no_more_than_its_parts(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    """Slots know no sums: a list takes several of them, and never one that is as large as all."""
    account = Account(rule.limit, composition=rule.composition)
    charged = account.price([account.quote(losses)]) if rule.grants(losses) and rule.composition is not SLOTS else ()
    assert account.charge(charged)


Law = Callable[[Rule, Sequence[PrivacyLoss]], None]
LAWS: tuple[Law, ...] = (
    sums_are_exact_and_in_any_order,
    what_is_granted_keeps_the_promise,
    more_never_fits_where_less_does_not,
    a_list_is_charged_whole_or_not_at_all,
    a_list_costs_no_more_than_its_parts,
)


def test_every_registered_rule_is_under_test() -> None:
    assert set(COMPOSITIONS) == set(RULES)
    assert all(COMPOSITIONS[name] is RULES[name].composition for name in COMPOSITIONS)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@settings(max_examples=25)
@given(losses=lists)
def test_every_rule(rule: Rule, law: Law, losses: list[PrivacyLoss]) -> None:
    law(rule, losses)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_on_the_examples(rule: Rule, law: Law) -> None:
    for losses in EXAMPLES:
        law(rule, losses)
    assert {rule.grants(losses) for losses in EXAMPLES} == {True, False}


def test_all_claims_of_a_loss_reach_the_rule_in_the_adjacency_of_the_account() -> None:
    account = Account(Amount(None, ZERO, Fraction(1)), adjacency=REPLACE, unit="row", composition=CONCENTRATED)
    [charge] = account.price([PrivacyLoss(3, adjacency=ADD_REMOVE, bounded_range=1, rho="1/10")])
    assert (charge.bounded_range, charge.rho) == (Fraction(2), Fraction(2, 5))
    assert account.charge([charge]).spent == Amount(None, ZERO, Fraction(2, 5))
    assert account.quote([charge] * 2).rho == Fraction(4, 5)
    [ranged] = account.price([PrivacyLoss(3, adjacency=ADD_REMOVE, bounded_range=1)])
    assert ranged.rho == Fraction(1, 2)


@pytest.mark.parametrize("name", RULES)
def test_a_refusal_of_any_rule_is_one_sentence(name: str, refused: "Refused") -> None:
    rule, counted = RULES[name], "rho" if name == "zcdp" else "epsilon"
    with refused(BudgetExceeded, f"not enough budget: asked {counted} ", f"spent {counted} 0", f"limit {counted}"):
        Account(rule.limit, composition=rule.composition).charge([loss("50")])


def test_an_approximate_budget_says_that_half_of_delta_is_set_aside(refused: "Refused") -> None:
    account = Account(RULES["approx"].limit, composition=APPROXIMATE)
    with refused(BudgetExceeded, "half of delta", "composition='basic'"):
        account.charge([loss("1/10", Fraction(1, 20))])
    assert account.charge([loss("1/10", Fraction(1, 40))]).remaining.delta == 0


@pytest.mark.parametrize("name", ["pure", "basic"])
def test_a_loss_without_epsilon_is_refused_where_epsilons_add(name: str, refused: "Refused") -> None:
    with refused(BudgetError, "no epsilon", "Budget(rho=...)"):
        Account(RULES[name].limit, composition=COMPOSITIONS[name]).charge([GAUSSIAN])


def test_a_loss_without_epsilon_closes_the_way_by_epsilon(refused: "Refused") -> None:
    account = Account(RULES["approx"].limit, composition=APPROXIMATE).charge([GAUSSIAN])
    assert account.spent == Amount(None, ZERO, GAUSSIAN.rho)
    assert account.remaining.epsilon == 0
    small = loss("1/10")
    while account.composition.fits(account.composition.add(account.spent, small), account.limit):
        account = account.charge([small])
    assert account.spent.rho is not None
    assert account.limit.rho is not None
    assert account.spent.rho <= account.limit.rho < account.spent.rho + rho_of(small)
    with refused(BudgetExceeded):
        account.charge([small])


def test_many_small_selections_fit_by_rho_and_few_large_ones_by_epsilon() -> None:
    limit = AskedLimit(epsilon=1, delta="1e-6").limit_under(APPROXIMATE)
    account = Account(limit, composition=APPROXIMATE)
    small = PrivacyLoss("1/50", adjacency=ADD_REMOVE, bounded_range="1/50")
    assert account.charge([small] * 400).spent.epsilon == 8
    assert account.charge([loss("1/2")] * 2).spent.epsilon == 1
    with pytest.raises(BudgetExceeded):
        account.charge([loss("1/2")] * 2).charge([small])


# Wrong rules


class Largest(BasicComposition):
    """Charges only the largest."""

    def add(self, spent: Amount, charge: PrivacyLoss) -> Amount:
        return Amount(max(spent.epsilon or ZERO, epsilon_of(charge)), spent.delta + charge.delta)


class InFloats(BasicComposition):
    """Adds up as floats do."""

    def add(self, spent: Amount, charge: PrivacyLoss) -> Amount:
        return Amount(Fraction(float((spent.epsilon or ZERO) + epsilon_of(charge))), spent.delta + charge.delta)


class WithoutDelta(BasicComposition):
    """Forgets to compare delta."""

    def fits(self, spent: Amount, limit: Amount) -> bool:
        return within(spent.epsilon, limit.epsilon)


class Wrapping(BasicComposition):
    """Counts from the start again when the limit is passed."""

    def fits(self, spent: Amount, limit: Amount) -> bool:
        assert spent.epsilon is not None
        return spent.epsilon % 2 <= 1 and spent.delta <= limit.delta


class TenthOfRho(ConcentratedComposition):
    """Counts a tenth of rho."""

    def count(self, charge: PrivacyLoss) -> Amount:
        return Amount(None, charge.delta, rho_of(charge) / 10)


class AllAreRanged(ConcentratedComposition):
    """Charges every loss as if it had a bounded range: a quarter of what permute-and-flip costs."""

    def count(self, charge: PrivacyLoss) -> Amount:
        return Amount(None, charge.delta, epsilon_of(charge) ** 2 / 8)


class UsedAgain(SlotComposition):
    """Takes slots that are used already."""

    def charges(self, losses: Sequence[PrivacyLoss], spent: Amount, limit: Amount) -> tuple[PrivacyLoss, ...]:
        return tuple(slot for loss in losses for slot in super(UsedAgain, self).charges([loss], self.start, limit))

    def fits(self, spent: Amount, limit: Amount) -> bool:
        return True


class Unpriced(SlotComposition):
    """Believes every list."""

    def keeps_promise(self, limit: Amount) -> bool:
        return True


basic = RULES["basic"]
TOO_MANY = SlotAmount(Fraction(1), Fraction(1, 20), kinds=((loss("1/2"), 6),))
WRONG = {
    "the largest": (replace(basic, composition=Largest()), what_is_granted_keeps_the_promise),
    "in floats": (replace(basic, composition=InFloats()), sums_are_exact_and_in_any_order),
    "without delta": (replace(basic, composition=WithoutDelta()), what_is_granted_keeps_the_promise),
    "wrapping": (replace(basic, composition=Wrapping()), more_never_fits_where_less_does_not),
    "a tenth of rho": (replace(RULES["zcdp"], composition=TenthOfRho()), sums_are_exact_and_in_any_order),
    "slots used again": (replace(RULES["slots"], composition=UsedAgain()), what_is_granted_keeps_the_promise),
    "slots unpriced": (Rule(Unpriced(), TOO_MANY, (1.0, 0.05)), what_is_granted_keeps_the_promise),
    "all are ranged": (replace(RULES["zcdp"], composition=AllAreRanged()), what_is_granted_keeps_the_promise),
}


@pytest.mark.parametrize(("rule", "law"), WRONG.values(), ids=WRONG)
def test_wrong_rules_are_rejected(rule: Rule, law: Law) -> None:
    with pytest.raises(AssertionError):  # noqa: PT012
        for losses in EXAMPLES:
            law(rule, losses)


def test_an_account_starts_from_the_nothing_of_its_rule() -> None:
    assert Account(basic.limit).spent is NOTHING
    assert Account(RULES["zcdp"].limit, composition=CONCENTRATED).spent == Amount(None, ZERO, ZERO)
