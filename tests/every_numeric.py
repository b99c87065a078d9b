"""Every public numeric mechanism, found by itself, with the parameters that suites run it with."""

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import dampen.mechanisms
from dampen._validate import Number
from dampen.mechanisms import NumericMechanism
from dampen.sensitivity import SensitivityFunction, Table

Make = Callable[[Number, Number], NumericMechanism]
"""From epsilon and delta; a mechanism that has no delta is not told it."""

PUBLIC: dict[str, type[NumericMechanism]] = {
    name: kind
    for name, kind in ((name, getattr(dampen.mechanisms, name)) for name in dampen.mechanisms.__all__)
    if issubclass(kind, NumericMechanism) and not inspect.isabstract(kind)
}
VARIANTS: dict[str, tuple[dict[str, Any], ...]] = {
    "PolyPlace": ({}, {"p": 3}),
}
"""Parameters beside epsilon and delta; none where nothing is said."""


def ladder(rungs: Sequence[float], bound: Number) -> SensitivityFunction:
    """A ladder that every mechanism can read."""
    return Table([[rung] for rung in rungs], bound=bound)


def made(kind: type[NumericMechanism], epsilon: Number, delta: Number, **own: Any) -> NumericMechanism:
    """The mechanism at this privacy."""
    wanted = inspect.signature(kind).parameters
    return kind(**{name: value for name, value in (("epsilon", epsilon), ("delta", delta)) if name in wanted}, **own)


def label(name: str, own: dict[str, Any]) -> str:
    return ", ".join([name, *(f"{key} {value}" for key, value in own.items())])


EVERY: dict[str, Make] = {
    label(name, own): partial(made, kind, **own) for name, kind in PUBLIC.items() for own in VARIANTS.get(name, ({},))
}
