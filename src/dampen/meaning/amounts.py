"""From a loss or a sum of losses to the epsilon and delta that are explained."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

from dampen._validate import Number, brief, probability, render
from dampen.concentrated import least_epsilon
from dampen.errors import ParameterError
from dampen.meaning.explanation import Explanation, Part

STATED = Fraction(1, 10**6)
"""The delta at which rho is told as epsilon, where nobody states another."""


class AmountLike(Protocol):
    """A loss, or a sum of losses."""

    @property
    def epsilon(self) -> Fraction | None:
        """``None`` where there is none."""
        ...

    @property
    def delta(self) -> Fraction:
        """The failure probability."""
        ...

    @property
    def rho(self) -> Fraction | None:
        """The concentrated loss, where it is known."""
        ...


class Worked(NamedTuple):
    """An epsilon and a delta that a loss promises; of a rho, with the delta that was stated for it."""

    epsilon: Fraction
    delta: Fraction
    rho: Fraction | None = None
    stated: Fraction | None = None


def work_out(amount: AmountLike, delta: Number | None = None) -> Worked:
    """Epsilon and delta as they are; for a rho alone those that it implies at ``delta``."""
    if amount.epsilon is not None:
        if delta is not None:
            raise ParameterError(f"delta must be left out where there is an epsilon; got {render(delta)}")
        return Worked(amount.epsilon, amount.delta)
    rho, stated = amount.rho or Fraction(0), STATED if delta is None else probability(delta=delta)
    if not stated:
        raise ParameterError("delta must be positive: rho alone promises no epsilon; got 0")
    total = amount.delta + stated
    if total >= 1:
        raise ParameterError(f"delta must be below 1 together with that of the loss, {brief(amount.delta)}")
    return Worked(least_epsilon(rho, stated) if rho else Fraction(0), total, rho, stated)


def explain_amount(
    amount: AmountLike,
    *,
    subject: str,
    told: str,
    adjacency: Any,
    unit: str | None,
    delta: Number | None = None,
    parts: Iterable[tuple[str, AmountLike]] = (),
) -> Explanation:
    """What an amount means under an adjacency, or ``None`` where that is not fixed yet."""
    found = work_out(amount, delta)
    name = None if adjacency is None else adjacency.name
    listed = tuple(_part(what, each, delta if found.rho is not None else None) for what, each in parts)
    return Explanation(subject, told, found.epsilon, found.delta, name, unit, found.rho, found.stated, listed)


def _part(what: str, amount: AmountLike, delta: Number | None) -> Part:
    found = work_out(amount, None if amount.epsilon is not None else delta)
    return Part(what, str(amount), found.epsilon, found.delta)
