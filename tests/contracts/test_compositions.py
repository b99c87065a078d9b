"""What every rule of composition must do, and wrong rules that this suite must reject.

A new rule needs a line in RULES. Whether an adversary who chooses later losses can break it is no question for samples:
it needs a proof that the rule is a filter.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import exp, log, prod, sqrt
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dampen import Adjacency, PrivacyLoss
from dampen.accounting import composed
from dampen.accounting.account import COMPOSITIONS, Account
from dampen.accounting.composition import NOTHING, BasicComposition, Composition
from dampen.errors import BudgetExceeded
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
ZERO = Fraction(0)


@dataclass(frozen=True)
class WithRho(Amount):
    """What a rule sums up that also counts rho."""

    rho: Fraction = ZERO


@dataclass(frozen=True)
class Concentrated(Composition):
    """A toy that shows what a rule needs: rhos add (zCDP), deltas are set aside. Epsilons are summed up for show."""

    name = "toy"
    start = WithRho(ZERO, ZERO)

    def add(self, spent: Amount, charge: PrivacyLoss) -> WithRho:
        assert isinstance(spent, WithRho)
        assert charge.rho is not None
        return WithRho(spent.epsilon + charge.epsilon, spent.delta + charge.delta, spent.rho + charge.rho)

    def fits(self, spent: Amount, limit: Amount) -> bool:
        assert isinstance(spent, WithRho)
        assert isinstance(limit, WithRho)
        return spent.rho <= limit.rho and spent.delta <= limit.delta

    def left(self, *pairs: tuple[Amount, Amount]) -> WithRho:
        parts = [[getattr(a, name) - getattr(b, name) for a, b in pairs] for name in ("epsilon", "delta", "rho")]
        return WithRho(*map(min, parts))

    def compose(self, losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
        return composed(losses)


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
        return self.composition.fits(self.sum(losses), self.limit)


def concentrated(rho: Fraction, delta: Fraction) -> Rule:
    """By Bun and Steinke (2016) rho promises (rho + 2 sqrt(rho ln(1/d)), d) for every d."""
    aside = 0.01
    epsilon = float(rho) + 2 * sqrt(float(rho) * log(1 / aside))
    return Rule(Concentrated(), WithRho(ZERO, delta, rho), (epsilon, aside + float(delta)))


RULES = {
    "basic": Rule(COMPOSITIONS["basic"], Amount(Fraction(1), Fraction(1, 20)), (1.0, 0.05)),
    "toy": concentrated(Fraction(1, 8), Fraction(1, 20)),
}


def loss(epsilon: Fraction | str, delta: Fraction | int = 0) -> PrivacyLoss:
    """With a rho that every such loss has, set apart from delta."""
    return PrivacyLoss(epsilon, delta, adjacency=ADD_REMOVE, bounded_range=1, rho=Fraction(epsilon) ** 2 / 2)


parts = st.fractions(min_value=0, max_value=Fraction(1, 2), max_denominator=30)
lists = st.lists(st.builds(lambda e, d: loss(e, d / 25), parts, parts), min_size=1, max_size=6)
EXAMPLES = [
    [loss("1/3"), loss("1/7"), loss("1/11", Fraction(1, 70))],
    [loss("1/2")] * 2,
    [loss("1/2")] * 6,
    [loss("1/10")] * 10,
    [loss("0", Fraction(1, 30))] * 3,
    [loss("1/3"), loss("1/1000000007"), loss("1/3")],
]


def true_delta(losses: Sequence[PrivacyLoss], epsilon: float) -> float:
    """Delta at ``epsilon`` of the worst releases with these losses (Murtagh and Vadhan 2016), summed up in full."""
    each = [float(loss.epsilon) for loss in losses]
    excess = 0.0
    for signs in product((1, -1), repeat=len(each)):
        total = sum(sign * one for sign, one in zip(signs, each, strict=True))
        weight = prod(1 / (1 + exp(-sign * one)) for sign, one in zip(signs, each, strict=True))
        excess += weight * max(0.0, 1 - exp(epsilon - total))
    return 1 - prod(1 - float(loss.delta) for loss in losses) * (1 - excess)


# The laws


def sums_are_exact_and_in_any_order(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    total = rule.sum(losses)
    assert total == rule.sum(losses[::-1]) == rule.sum(sorted(losses, key=lambda one: (one.epsilon, one.delta)))
    assert total.epsilon == sum(one.epsilon for one in losses)
    assert total.delta == sum(one.delta for one in losses)


def what_is_granted_keeps_the_promise(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    epsilon, delta = rule.promised
    assert not rule.grants(losses) or true_delta(losses, epsilon) <= delta + 1e-9


def more_never_fits_where_less_does_not(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    verdicts = [rule.grants(losses[:count]) for count in range(len(losses) + 1)]
    assert verdicts == sorted(verdicts, reverse=True)
    assert verdicts[0], "nothing always fits"
    larger = [loss(2 * one.epsilon, one.delta) for one in losses]
    assert rule.grants(losses) or not rule.grants(larger)


def a_list_is_charged_whole_or_not_at_all(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    before = Account(rule.limit, composition=rule.composition)
    kept = replace(before)
    try:
        after = before.charge(losses)
    except BudgetExceeded:
        assert not rule.grants(losses)
    else:
        assert rule.grants(losses)
        one_by_one = before
        for one in losses:
            one_by_one = one_by_one.charge([one])
        assert one_by_one == after
        assert after.remaining == rule.composition.left((rule.limit, after.spent), (rule.limit, before.spent))
    assert before == kept


def a_list_costs_no_more_than_its_parts(rule: Rule, losses: Sequence[PrivacyLoss]) -> None:
    assert not rule.grants(losses) or rule.grants([rule.composition.compose(losses)])
    assert rule.composition.compose(losses[:1]) == losses[0]


Law = Callable[[Rule, Sequence[PrivacyLoss]], None]
LAWS: tuple[Law, ...] = (
    sums_are_exact_and_in_any_order,
    what_is_granted_keeps_the_promise,
    more_never_fits_where_less_does_not,
    a_list_is_charged_whole_or_not_at_all,
    a_list_costs_no_more_than_its_parts,
)


def test_every_registered_rule_is_under_test() -> None:
    assert set(COMPOSITIONS) <= set(RULES)
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


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_the_smaller_of_two_limits_says_what_is_left(rule: Rule) -> None:
    spent = rule.sum(EXAMPLES[0])
    pairs = ((rule.limit, spent), (rule.limit, rule.composition.start))
    assert rule.composition.left(*pairs) == rule.composition.left(*pairs[::-1]) == rule.composition.left(pairs[0])


def test_all_claims_of_a_loss_reach_the_rule_in_the_adjacency_of_the_account() -> None:
    limit = WithRho(ZERO, ZERO, Fraction(1))
    account = Account(limit, adjacency=REPLACE, unit="row", composition=Concentrated())
    [charge] = account.price([PrivacyLoss(1, adjacency=ADD_REMOVE, bounded_range=1, rho="1/8")])
    assert (charge.bounded_range, charge.rho) == (Fraction(2), Fraction(1, 2))
    assert account.charge([charge]).spent == WithRho(Fraction(2), ZERO, Fraction(1, 2))
    assert account.quote([charge] * 2).rho == 1


def test_a_refusal_of_any_rule_is_one_sentence(refused: "Refused") -> None:
    for rule in RULES.values():
        with refused(BudgetExceeded, "not enough budget: asked epsilon 50; spent epsilon 0; limit"):
            Account(rule.limit, composition=rule.composition).charge([loss("50")])


# Wrong rules


class Largest(BasicComposition):
    """Charges only the largest."""

    def add(self, spent: Amount, charge: PrivacyLoss) -> Amount:
        return Amount(max(spent.epsilon, charge.epsilon), spent.delta + charge.delta)


class InFloats(BasicComposition):
    """Adds up as floats do."""

    def add(self, spent: Amount, charge: PrivacyLoss) -> Amount:
        return Amount(Fraction(float(spent.epsilon + charge.epsilon)), spent.delta + charge.delta)


class WithoutDelta(BasicComposition):
    """Forgets to compare delta."""

    def fits(self, spent: Amount, limit: Amount) -> bool:
        return spent.epsilon <= limit.epsilon


class Wrapping(BasicComposition):
    """Counts from the start again when the limit is passed."""

    def fits(self, spent: Amount, limit: Amount) -> bool:
        return spent.epsilon % (2 * limit.epsilon) <= limit.epsilon and spent.delta <= limit.delta


class DearLists(BasicComposition):
    """Prices a list above its parts."""

    def compose(self, losses: Sequence[PrivacyLoss]) -> PrivacyLoss:
        return composed([*losses, *losses])


class TenthOfRho(Concentrated):
    """Counts a tenth of rho."""

    def add(self, spent: Amount, charge: PrivacyLoss) -> WithRho:
        total = super().add(spent, charge)
        return replace(total, rho=total.rho - (charge.rho or 0) * Fraction(9, 10))


basic = RULES["basic"]
WRONG = {
    "the largest": (replace(basic, composition=Largest()), what_is_granted_keeps_the_promise),
    "in floats": (replace(basic, composition=InFloats()), sums_are_exact_and_in_any_order),
    "without delta": (replace(basic, composition=WithoutDelta()), what_is_granted_keeps_the_promise),
    "wrapping": (replace(basic, composition=Wrapping()), more_never_fits_where_less_does_not),
    "dear lists": (replace(basic, composition=DearLists()), a_list_costs_no_more_than_its_parts),
    "a tenth of rho": (replace(RULES["toy"], composition=TenthOfRho()), what_is_granted_keeps_the_promise),
}


@pytest.mark.parametrize(("rule", "law"), WRONG.values(), ids=WRONG)
def test_wrong_rules_are_rejected(rule: Rule, law: Law) -> None:
    with pytest.raises(AssertionError):  # noqa: PT012
        for losses in EXAMPLES:
            law(rule, losses)


def test_an_account_starts_from_the_nothing_of_its_rule() -> None:
    assert Account(basic.limit).spent is NOTHING
    assert Account(RULES["toy"].limit, composition=Concentrated()).spent == WithRho(ZERO, ZERO)
