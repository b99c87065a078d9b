"""Every mechanism of the wheel that fits public problems, at every price; and why others of its kind are left out."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from dampen import mechanisms
from dampen._validate import Number, probability
from dampen.concentrated import largest_rho
from dampen.errors import DampenError
from dampen.mechanisms import LaplaceTopK, TopK
from dampen.mechanisms.base import Mechanism, PricedByRho
from dampen.mechanisms.selection.base import ExponentMechanism
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.mechanisms.selection.top_k import one_shot_noise

Make = Callable[[Fraction], Mechanism[Any, Any, Any]]
"""From a price to the mechanism that costs it, or an equal part of it for each of several problems."""
BY_RHO = "needs delta: of Gaussian noise epsilon and delta follow from a rho"


def find_mechanisms(problems: Sequence[Any], delta: Number | None = None) -> tuple[dict[str, Make], dict[str, str]]:
    """Every public mechanism that takes problems of this kind, and why others of the kind are left out.

    One mechanism answers all of them, each for an equal part of the price. What is priced by rho costs the largest rho
    that promises epsilon and delta.
    """
    fitting: dict[str, Make] = {}
    left_out: dict[str, str] = {}
    for name, kind in _kinds():
        if not all(isinstance(problem, kind.takes) for problem in problems):
            continue
        made = _make_of(kind, delta, len(problems))
        refused = made if isinstance(made, str) else _refusal(made, problems)
        if isinstance(made, str) or refused is not None:
            left_out[name] = str(refused)
        else:
            fitting[name] = made
    return fitting, left_out


def find_lists(problem: Any, k: int) -> tuple[dict[str, Make], dict[str, str]]:
    """Every mechanism that names the k best: k picks of any that can be picked with, in turn and in one shot.

    With the exponential mechanism and its kin both are one law.
    """
    found: dict[str, Make] = {"LaplaceTopK": partial(LaplaceTopK, k)}
    for name, kind in _kinds():
        if issubclass(kind, ExponentMechanism) and not isinstance(_make_of(kind, None, 1), str):
            found[f"TopK of {name}"] = partial(_picks, kind, k, False)
            if one_shot_noise(kind(1)) == "exponential":
                found[f"TopK of {name}, peeled"] = partial(_picks, kind, k, True)
    refused = {name: why for name, make in found.items() if (why := _refusal(make, (problem,))) is not None}
    return {name: make for name, make in found.items() if name not in refused}, refused


def _picks(kind: Any, k: int, peeled: bool, price: Fraction) -> TopK:
    return TopK(k, kind(price / k), peeled=peeled)


def _kinds() -> Iterator[tuple[str, Any]]:
    for name in mechanisms.__all__:
        kind = getattr(mechanisms, name)
        if not inspect.isabstract(kind):
            yield name, kind


def _make_of(kind: Any, delta: Number | None, parts: int) -> Make | str:
    """How a mechanism is made of a price, or why it cannot be."""
    needed = [each.name for each in inspect.signature(kind).parameters.values() if each.default is each.empty]
    if issubclass(kind, OrderedMechanism):
        return "needs k"
    failure = None if delta is None else probability(delta=delta)
    if issubclass(kind, PricedByRho):
        return BY_RHO if not failure else lambda price: kind(largest_rho(price, failure) / parts)
    missing = [name for name in needed if name not in ("epsilon", *(("delta",) if failure else ()))]
    if missing:
        return f"needs {' and '.join(missing)}"
    own = {"delta": failure / parts} if failure and "delta" in needed else {}
    return lambda price: kind(price / parts, **own)


def _refusal(make: Make, problems: Sequence[Any]) -> str | None:
    """Why a mechanism cannot answer one of the problems; ``None`` where it can."""
    try:
        made = make(Fraction(1))
        for problem in problems:
            made.require(problem)
            made.privacy(problem.frame)
    except DampenError as refusal:
        return str(refusal)
    return None
