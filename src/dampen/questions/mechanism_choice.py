"""How a caller names a mechanism: a class that needs only epsilon, or one that is ready."""

from collections.abc import Callable

from dampen._validate import Number, plain, positive, render, whole
from dampen.errors import ParameterError
from dampen.mechanisms import PermuteAndFlip, SelectionMechanism, StableArgmax, TopK
from dampen.mechanisms.selection.base import ExponentMechanism
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.mechanisms.selection.top_k import one_shot_noise

Choice = SelectionMechanism | Callable[[Number], SelectionMechanism]


def chosen_mechanism(
    mechanism: Choice | None, epsilon: Number, *, default: Callable[[Number], SelectionMechanism]
) -> SelectionMechanism:
    """The mechanism at this epsilon; one that is ready must have the same."""
    positive(epsilon=epsilon)
    named = default if mechanism is None else mechanism
    chosen: object = named
    if not isinstance(named, SelectionMechanism):
        try:
            chosen = named(epsilon)
        except Exception:  # it may be anything that can be called, and raise anything
            chosen = None
    if not isinstance(chosen, SelectionMechanism):
        rule = "mechanism must be a mechanism, or a class that needs only epsilon such as PermuteAndFlip"
        raise ParameterError(f"{rule}; got {render(mechanism)}")
    if isinstance(chosen, OrderedMechanism):
        raise ParameterError(f"mechanism must choose one candidate; got {render(mechanism)}")
    if chosen.epsilon != positive(epsilon=epsilon):
        raise ParameterError(f"epsilon must be the mechanism's own, {plain(chosen.epsilon)}; got {render(epsilon)}")
    return chosen


def refuse_indicators(mechanism: SelectionMechanism, instead: str) -> None:
    """Refuse, before any data is read, a mechanism that takes utilities of 0 and 1 alone."""
    if isinstance(mechanism, StableArgmax) or getattr(mechanism, "indicator", False):
        raise ParameterError(f"mechanism must take any utilities; {render(mechanism)} takes 0 and 1: use {instead}")


def chosen_top(k: int, mechanism: Callable[[Number], SelectionMechanism] | None, epsilon: Number) -> TopK:
    """A top-k at this price in all, each place by the mechanism that the caller names, else by permute-and-flip."""
    share = positive(epsilon=epsilon) / whole(k=k, least=1)
    base = chosen_mechanism(mechanism, share, default=PermuteAndFlip)
    if not isinstance(base, ExponentMechanism) or one_shot_noise(base) is None:
        raise ParameterError(f"mechanism must be of the exponential or permute-and-flip type; got {render(mechanism)}")
    return TopK(k, base)
