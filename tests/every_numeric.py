"""Every numeric mechanism, found by itself, with the parameters that suites run it with."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import dampen.mechanisms
from dampen._validate import Number
from dampen.mechanisms import NumericMechanism
from dampen.sensitivity import SecondOrder
from dampen.vectors import Floats
from tests.every_mechanism import find_mechanisms

Make = Callable[[Number, Number], NumericMechanism]
"""From epsilon and delta; a mechanism that has no delta is not told it, and one that is priced by rho takes the first
number for it."""

PUBLIC: dict[str, type[NumericMechanism]] = find_mechanisms(dampen.mechanisms, NumericMechanism)  # type: ignore[type-abstract]
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "PiecewiseLaplace": ({}, {"share": "1/2"}),
    "PolyPlace": ({}, {"p": 3}),
    "SmoothCauchy": ({}, {"gamma": 2}),
    "SmoothStudentT": ({}, {"dof": 1}),
}
"""Parameters beside epsilon and delta; none where nothing is said."""


class Rungs(SecondOrder):
    """Given rungs, then the bound, of which it is known that the first one may change by as much as the bound."""

    common, common_bound = 1, 3

    def __init__(self, rungs: Sequence[float], bound: Number) -> None:
        super().__init__(size=1, bound=bound, horizon=len(rungs))
        self._rungs = tuple(rungs)

    @property
    def first_order(self) -> Number:
        return self._rungs[0]

    def second_order(self, a: int) -> Number:
        return self.bound or 0

    def at(self, t: int) -> Floats:
        return np.array([float(self._rungs[t] if t < len(self._rungs) else self.bound or 0)])


def ladder(rungs: Sequence[float], bound: Number) -> Rungs:
    """A ladder that every mechanism can read."""
    return Rungs(rungs, bound)


def made(kind: type[NumericMechanism], epsilon: Number, delta: Number, **own: Any) -> NumericMechanism:
    """The mechanism at this privacy."""
    wanted = inspect.signature(kind).parameters
    known = (("epsilon", epsilon), ("rho", epsilon), ("delta", delta))
    return kind(**{name: value for name, value in known if name in wanted}, **own)


def label(name: str, own: dict[str, Any]) -> str:
    return ", ".join([name, *(f"{key} {value}" for key, value in own.items())])


EVERY: dict[str, Make] = {
    label(name, own): partial(made, kind, **own) for name, kind in PUBLIC.items() for own in VARIANTS.get(name, ({},))
}
