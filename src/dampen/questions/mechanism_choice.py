"""How a caller names a mechanism: a class that needs only epsilon, or one that is ready and costs what was said.

At a rho the exponential mechanism chooses: no other has a better one.
"""

from collections.abc import Callable

from dampen._validate import Number, brief, plain, positive, probability, render, whole
from dampen.errors import ParameterError
from dampen.mechanisms import (
    ExactPairLaplace,
    Exponential,
    LadderWalk,
    Laplace,
    NumericMechanism,
    PermuteAndFlip,
    PolyPlace,
    SelectionMechanism,
    StableArgmax,
    TopK,
)
from dampen.mechanisms.numeric.ladder_walk import can_walk
from dampen.mechanisms.selection.base import ExponentMechanism
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.mechanisms.selection.top_k import one_shot_noise
from dampen.problem import NumericProblem
from dampen.questions.record import Price

LARGEST_WALK = 4
"""Up to this epsilon a walk up the ladder has the least noise where it can be had; beyond, PolyPlace."""

Law = Callable[[Number], SelectionMechanism]
Choice = SelectionMechanism | Law


def choose_mechanism(
    mechanism: Choice | None,
    price: Price,
    *,
    default: Law = PermuteAndFlip,
    indicators: str = "",
) -> SelectionMechanism:
    """The mechanism at this price; one that is ready must have the same epsilon.

    ``indicators``: the query to name where one is refused that takes utilities of 0 and 1 alone; empty: any is taken.
    """
    if price.is_rho:
        if mechanism is not None and mechanism is not Exponential:
            raise ParameterError(f"mechanism must be left out, or Exponential, for a rho; got {render(mechanism)}")
        return price.choice()
    named = default if mechanism is None else mechanism
    chosen: object = named
    if not isinstance(named, SelectionMechanism):
        try:
            chosen = named(price.amount)
        except Exception:  # it may be anything that can be called, and raise anything
            chosen = None
    if not isinstance(chosen, SelectionMechanism):
        rule = "mechanism must be a mechanism, or a class that needs only epsilon such as PermuteAndFlip"
        raise ParameterError(f"{rule}; got {render(mechanism)}")
    if isinstance(chosen, OrderedMechanism):
        raise ParameterError(f"mechanism must choose one candidate; got {render(mechanism)}")
    if chosen.epsilon != price.amount:
        raise ParameterError(f"epsilon must be the mechanism's own, {plain(chosen.epsilon)}; got {brief(price.amount)}")
    if indicators and (isinstance(chosen, StableArgmax) or getattr(chosen, "indicator", False)):
        raise ParameterError(f"mechanism must take any utilities; {render(chosen)} takes 0 and 1: use {indicators}")
    return chosen


def choose_top_k(k: int, mechanism: Law | None, price: Price, *, default: Law = PermuteAndFlip) -> TopK:
    """A top-k at this price in all, each place by the mechanism that the caller names, else by the default."""
    share = price.part(whole(k=k, least=1))
    base = choose_mechanism(mechanism, share, default=default)
    if not isinstance(base, ExponentMechanism) or one_shot_noise(base) is None:
        raise ParameterError(f"mechanism must be of the exponential or permute-and-flip type; got {render(mechanism)}")
    return TopK(k, base)


def choose_numeric(mechanism: object, *, epsilon: Number, delta: Number = 0) -> NumericMechanism:
    """The caller's own mechanism, which must have this epsilon and delta, or the one whose noise follows the data."""
    if mechanism is None:
        return PolyPlace(epsilon) if probability(delta=delta) == 0 else ExactPairLaplace(epsilon, delta)
    if not isinstance(mechanism, NumericMechanism):
        raise ParameterError(f"mechanism must be a numeric mechanism such as PolyPlace(1); got {render(mechanism)}")
    own = mechanism.epsilon, getattr(mechanism, "delta", 0)
    if own != (positive(epsilon=epsilon), probability(delta=delta)):
        raise ParameterError(f"mechanism must have the same epsilon and delta as the call; got {render(mechanism)}")
    return mechanism


def choose_for_count(problem: NumericProblem, *, epsilon: Number, delta: Number = 0) -> NumericMechanism:
    """The mechanism with the least noise for such a count, by what is public of it alone.

    Where the frame has a growth law that is LadderWalk, of which a delta is not spent, or Laplace where the bound is so
    small that every walk has more noise.
    """
    price = positive(epsilon=epsilon)
    if price > LARGEST_WALK or not can_walk(problem):
        return choose_numeric(None, epsilon=price, delta=delta)
    probability(delta=delta)
    walk = LadderWalk(price)
    return Laplace(price) if problem.frame.reach / price <= walk.least_mean_length(problem.frame) else walk


def require_fitting(mechanism: NumericMechanism, problem: NumericProblem) -> None:
    """Refuse a mechanism that could not answer such a problem, for any data. ``problem``: the one without records."""
    mechanism.privacy(problem.frame)
    mechanism.require(problem)
