"""The rules that a budget may be made with, and the limits that each is given.

What is not here is no filter: bounds that are evaluated anew on the losses so far, such as the optimal composition of
Kairouz, Oh and Viswanath, fail against an analyst who chooses the next loss after seeing answers. A list that is fixed
beforehand may be priced by them (``plans``).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from dampen._validate import Number, one_of, positive, probability, render
from dampen.accounting.composition import (
    BasicComposition,
    Composition,
    PureComposition,
    difference,
    rho_of,
    share_of,
    within,
)
from dampen.accounting.slots import SLOTS, limit_of_slots
from dampen.concentrated import largest_rho
from dampen.errors import ParameterError
from dampen.privacy import Amount, PrivacyLoss

ZERO = Fraction(0)
ROUNDING = Fraction(1, 2**40)
"""A stored limit of rho may exceed what would be computed today by this share, in which searches may differ."""


@dataclass(frozen=True)
class ConcentratedComposition(Composition):
    """Rhos add, and deltas beside them (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023)."""

    name = "zcdp"
    start = Amount(None, ZERO, ZERO)

    def price(self, loss: PrivacyLoss) -> PrivacyLoss:
        """The loss with the rho that it is charged."""
        return replace(loss, rho=rho_of(loss))

    def count(self, charge: PrivacyLoss) -> Amount:
        """Rho and delta."""
        return Amount(None, charge.delta, rho_of(charge))

    def fits(self, spent: Amount, limit: Amount) -> bool:
        """Whether both sums are within their limits."""
        return within(spent.rho, limit.rho) and spent.delta <= limit.delta

    def left(self, limit: Amount, spent: Amount) -> Amount:
        """The two differences."""
        return difference(limit, spent)

    def share(self, limit: Amount, spent: Amount) -> Fraction:
        """That of rho."""
        return share_of(spent.rho, limit.rho)

    def keeps_promise(self, limit: Amount) -> bool:
        """Whether there is a rho and no epsilon."""
        return limit.epsilon is None and limit.rho is not None


@dataclass(frozen=True)
class ApproximateComposition(ConcentratedComposition):
    """Epsilons add *or* rhos add: grant iff one of the sums fits, and the deltas fit half of delta.

    The other half of delta pays for the way from rho to epsilon. The limit of rho is computed once, when the limits are
    set, and kept with them: the largest rho that implies epsilon at half of delta.
    """

    name = "approx"
    start = Amount(ZERO, ZERO, ZERO)

    def count(self, charge: PrivacyLoss) -> Amount:
        """All three."""
        return Amount(charge.epsilon, charge.delta, rho_of(charge))

    def fits(self, spent: Amount, limit: Amount) -> bool:
        """Whether epsilon or rho is within its limit, and delta within half of its own."""
        return spent.delta <= limit.delta / 2 and (within(spent.epsilon, limit.epsilon) or within(spent.rho, limit.rho))

    def left(self, limit: Amount, spent: Amount) -> Amount:
        """The differences, 0 where there is nothing left to add by; it is enough to fit by epsilon or by rho."""
        less = difference(Amount(limit.epsilon, limit.delta / 2, limit.rho), spent)
        return Amount(max(less.epsilon or ZERO, ZERO), less.delta, max(less.rho or ZERO, ZERO))

    def share(self, limit: Amount, spent: Amount) -> Fraction:
        """The smaller one: what fits by one of them is granted."""
        return min(share_of(spent.epsilon, limit.epsilon), share_of(spent.rho, limit.rho))

    def explain(self, asked: Amount, limit: Amount) -> str:
        """That half of delta is set aside."""
        if asked.delta <= limit.delta / 2:
            return ""
        return "half of delta pays for adding up by rho; composition='basic' would leave all of it to releases"

    def keeps_promise(self, limit: Amount) -> bool:
        """Whether the rho implies epsilon at half of delta."""
        if limit.epsilon is None or limit.rho is None or not limit.delta:
            return False
        return 0 < limit.rho <= largest_rho(limit.epsilon, limit.delta / 2) * (1 + ROUNDING)


PURE, BASIC = PureComposition(), BasicComposition()
CONCENTRATED, APPROXIMATE = ConcentratedComposition(), ApproximateComposition()
COMPOSITIONS: dict[str, Composition] = {each.name: each for each in (PURE, BASIC, CONCENTRATED, APPROXIMATE, SLOTS)}
"""The rules by which losses may add up, by name. A new one is entered here."""

NO_FILTERS = ("kov", "optimal", "advanced", "pld", "bounded_range")
"""Names of good bounds on a fixed list, which somebody may look for here."""


class AskedLimit(NamedTuple):
    """The limits of a new budget as somebody asks for them."""

    epsilon: Number | None = None
    delta: Number | None = None
    rho: Number | None = None
    composition: str | None = None
    slots: Iterable[PrivacyLoss] | None = None
    """In the adjacency of the budget."""

    @property
    def is_given(self) -> bool:
        """Whether there is anything to make a budget of."""
        return self.epsilon is not None or self.rho is not None

    def settle(self) -> tuple[Amount, Composition]:
        """The limits and the rule: that which is named or, where none is, that which fits them."""
        rule = self.named_rule()
        if self.slots is not None and rule not in (None, SLOTS):
            raise ParameterError(f"composition must be left out of a budget of slots; got {self.composition!r}")
        if rule is None:
            by_rho = self.rho is not None and self.epsilon is None
            usual = CONCENTRATED if by_rho else APPROXIMATE if self._failure() else BASIC
            rule = usual if self.slots is None else SLOTS
        return self.limit_under(rule), rule

    def settle_in(self, root: Composition) -> tuple[Amount, Composition]:
        """The same for a part of a budget."""
        rule = rule_of_scope(root, self._failure())
        return self.limit_under(rule), rule

    def named_rule(self) -> Composition | None:
        """The rule that is named; what is no filter is refused with the reason."""
        if self.composition in NO_FILTERS:
            raise ParameterError(
                f"composition must be one of {', '.join(map(repr, COMPOSITIONS))}; {self.composition!r} is no filter: "
                "it fails where losses are chosen after seeing answers; batch(..., delta=...) prices a fixed list by it"
            )
        if self.composition is None:
            return None
        return COMPOSITIONS[one_of(tuple(COMPOSITIONS), composition=self.composition)]

    def limit_under(self, rule: Composition) -> Amount:
        """The limits as a rule keeps them."""
        if rule is CONCENTRATED:
            return self._limit_of_rho()
        if self.rho is not None:
            raise ParameterError(f"rho must be left out of a budget of epsilon and delta; got {render(self.rho)}")
        if self.epsilon is None:
            raise ParameterError("epsilon must be given, or rho for a budget of concentrated losses; got neither")
        epsilon, delta = positive(epsilon=self.epsilon), self._failure()
        if rule is SLOTS:
            return self._limit_of_slots(epsilon, delta)
        if rule is PURE and delta:
            raise ParameterError(f"delta must be 0 for composition 'pure'; got {render(self.delta)}")
        if rule is not APPROXIMATE:
            return Amount(epsilon, delta)
        if not delta:
            raise ParameterError("delta must be positive for composition 'approx'; got 0")
        return Amount(epsilon, delta, largest_rho(epsilon, delta / 2))

    def _limit_of_rho(self) -> Amount:
        if self.epsilon is not None:
            raise ParameterError(f"epsilon must be left out of a budget of rho; got {render(self.epsilon)}")
        if self.rho is None:
            raise ParameterError("rho must be given for composition 'zcdp'; got None")
        return Amount(None, self._failure(), positive(rho=self.rho))

    def _limit_of_slots(self, epsilon: Fraction, delta: Fraction) -> Amount:
        if self.slots is None:
            raise ParameterError("slots must be given for composition 'slots'; got None")
        return limit_of_slots(tuple(self.slots), epsilon, delta)

    def _failure(self) -> Fraction:
        return ZERO if self.delta is None else probability(delta=self.delta)


def rule_of_scope(root: Composition, delta: Fraction) -> Composition:
    """The rule of a part of a budget: that of the whole, or plain sums where it has no delta to add up by rho."""
    return BASIC if root is APPROXIMATE and not delta else root


def promise_of(limit: Amount) -> Amount:
    """The part of a limit that somebody asked for; the rest follows from it."""
    return limit if limit.epsilon is None else Amount(limit.epsilon, limit.delta)
