"""What a plan may cost: what is left of a budget, by its own rule, or a part of that."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dampen._validate import brief, plain, render
from dampen.accounting.composition import Composition, converted, difference
from dampen.accounting.rules import APPROXIMATE, BASIC, COMPOSITIONS, CONCENTRATED
from dampen.accounting.slots import SLOTS
from dampen.errors import ParameterError
from dampen.privacy import Amount, BudgetLike, PrivacyLoss

UNKNOWN = Amount(None, Fraction(0))
OTHER = {"epsilon": "rho", "rho": "epsilon"}


@dataclass(frozen=True)
class Limit:
    """What is left of a budget, and the rule by which losses add up; no epsilon and no rho where nobody knows.

    ``whole``: no more than so much of it, in ``measure``.
    """

    amount: Amount
    rule: Composition
    adjacency: Any = None
    unit: str | None = None
    whole: Fraction | None = None
    measure: str | None = None

    @classmethod
    def of(cls, budget: BudgetLike) -> "Limit":
        """What a budget says of itself."""
        found: Any = budget
        if not hasattr(found, "remaining"):
            return cls(UNKNOWN, COMPOSITIONS.get(getattr(found, "composition", None) or BASIC.name, BASIC))
        rule = COMPOSITIONS[found.composition]
        if rule is SLOTS:
            raise ParameterError("a budget of slots is a plan already: each answer takes one of them")
        return cls(found.remaining, rule, found.adjacency, found.unit)

    @property
    def is_known(self) -> bool:
        """Whether anybody says how much there is."""
        return self.whole is not None or self.amount.epsilon is not None or self.amount.rho is not None

    @property
    def measures(self) -> tuple[str, ...]:
        """In what a plan may be counted: epsilon, rho, or whichever of them costs a smaller part of what is left."""
        if self.measure is not None:
            return (self.measure,)
        if self.rule is APPROXIMATE:
            return ("epsilon", "rho")
        return ("rho",) if self.rule is CONCENTRATED else ("epsilon",)

    def at_most(self, measure: str, whole: Fraction) -> "Limit":
        """No more than so much of it, in epsilon or in rho."""
        usual = CONCENTRATED if measure == "rho" else BASIC
        limited = replace(self, rule=self.rule if self.is_known else usual, whole=whole, measure=measure)
        if self.is_known and measure not in self.measures:
            other = OTHER[measure]
            raise ParameterError(f"{measure} must be left out, and {other} given: the budget counts {other}")
        left = limited.left_in(measure)
        if left is not None and whole > left:
            raise ParameterError(f"{measure} must be at most what is left, {self.amount}; got {render(plain(whole))}")
        return limited

    def left_in(self, measure: str) -> Fraction | None:
        """What is left in epsilon, or in rho; ``None`` where nobody knows."""
        return self.amount.epsilon if measure == "epsilon" else self.amount.rho

    def charge(self, loss: PrivacyLoss, measure: str) -> Fraction:
        """What a loss costs here, in epsilon or in rho."""
        counted = self._count(loss)
        found = counted.epsilon if measure == "epsilon" else counted.rho
        assert found is not None, "what has no epsilon is not planned by epsilon"
        return found

    def _count(self, loss: PrivacyLoss) -> Amount:
        return self.rule.add(self.rule.start, self._charged(loss))

    def _charged(self, loss: PrivacyLoss) -> PrivacyLoss:
        return self.rule.price(converted(loss, self.adjacency or loss.adjacency, self.unit or loss.unit))

    def total(self, losses: Iterable[PrivacyLoss]) -> Amount:
        """What losses add up to here."""
        spent = self.rule.start
        for loss in losses:
            spent = self.rule.add(spent, self._charged(loss))
        return spent

    def left(self, total: Amount) -> Amount:
        """What is left after so much; 0 of what does not count any more."""
        less, zero = difference(self.amount, total), Fraction(0)
        epsilon = None if self.amount.epsilon is None else max(less.epsilon or zero, zero)
        rho = None if self.amount.rho is None else max(less.rho or zero, zero)
        return Amount(epsilon, less.delta, rho)

    def fits(self, total: Amount) -> bool:
        """Whether so much is left."""
        if self.whole is not None:
            asked = total.epsilon if self.measure == "epsilon" else total.rho
            if asked is None or asked > self.whole:
                return False
        known = self.amount.epsilon is not None or self.amount.rho is not None
        return not known or self.rule.fits(total, self.amount)

    def share(self, total: Amount) -> float:
        """Which part of what is left so much takes: the smaller one, where it may be counted in two measures."""
        parts = []
        for measure in self.measures:
            asked = total.epsilon if measure == "epsilon" else total.rho
            left = self.left_in(measure)
            if asked is not None:
                parts.append(float(asked / left) if left else float(asked) if left is None else float("inf"))
        return min(parts)

    def __str__(self) -> str:
        return str(self.amount) if self.whole is None else f"{self.measure} {brief(self.whole)}"
