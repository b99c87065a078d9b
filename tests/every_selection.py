"""Every selection mechanism, found by itself, with the parameters that suites run it with."""

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import dampen.mechanisms
from dampen._validate import Number
from dampen.mechanisms import Exponential, LocalDampening, PairwiseDampening, PermuteAndFlip, SelectionMechanism
from dampen.mechanisms.selection.base import UtilityMechanism
from tests.every_mechanism import find_mechanisms

Make = Callable[[Number], SelectionMechanism]
Own = dict[str, Any]
"""Parameters beside epsilon; ``base`` is a mechanism still to be made at that epsilon."""

DELTA = "1e-6"
DRIFT = 524290
"""Of level scores with steps of 1/2: half an edge, and what rounding adds."""
ONE_HOP_L1, PAGERANK_L1 = 2 * 2**40 + 12, 7730213211549
"""How far one edge moves all ranks of six nodes together, in units of 2^-40."""
VARIANTS: dict[str, dict[str, Own]] = {
    "ReportNoisyMax": {noise: {"noise": noise} for noise in ("laplace", "exponential", "gumbel")},
    "LocalDampening": {
        "": {},
        "exponential": {"law": Exponential},
        "shifted by 3": {"shift": 3},
        "shifted by 3, exponential": {"law": Exponential, "shift": 3},
        "shifted by -1": {"shift": -1},
    },
    "ShiftedLocalDampening": {
        "up": {"horizon": 3},
        "up, exponential": {"horizon": 3, "law": Exponential},
        "to the end": {"horizon": 10},
        "to the end, exponential": {"horizon": 10, "law": Exponential},
        "down": {"horizon": 8, "direction": "down"},
        "down, exponential": {"horizon": 8, "direction": "down", "law": Exponential},
    },
    "PairwiseDampening": {
        "margin": {},
        "margin, exponential": {"law": Exponential},
        "clipped": {"score": "clipped"},
        "clipped, exponential": {"score": "clipped", "law": Exponential},
    },
    "ParetoNoisyMax": {
        "": {},
        "nu 2": {"nu": 2},
        "indicator": {"indicator": True},
        "nu 2, indicator": {"nu": 2, "indicator": True},
    },
    "SmoothExponential": {"": {"delta": DELTA}, "indicator": {"delta": DELTA, "indicator": True}},
    "LaplaceTopK": {
        "": {"k": 3, "movers": 2},
        "pairs": {"k": 2, "movers": 2},
        "level scores": {"k": 2, "movers": 2, "drift": DRIFT},
        "one-hop PageRank": {"k": 2, "l1": ONE_HOP_L1},
        "PageRank": {"k": 2, "l1": PAGERANK_L1},
    },
    "TopK": {
        "Exponential": {"k": 2, "base": Exponential},
        "PermuteAndFlip": {"k": 2, "base": PermuteAndFlip},
        "PermuteAndFlip, peeled": {"k": 2, "base": PermuteAndFlip, "peeled": True},
        "LocalDampening, exponential": {"k": 2, "base": partial(LocalDampening, law=Exponential)},
        "PairwiseDampening": {"k": 2, "base": PairwiseDampening},
    },
}
"""A mechanism of which nothing is said here is run with its epsilon alone."""

FOR_THE_GATE_ALONE = {
    *("LocalDampening, exponential", "LocalDampening, shifted by 3", "LocalDampening, shifted by -1"),
    *("ShiftedLocalDampening, up, exponential", "ShiftedLocalDampening, down"),
    *("ShiftedLocalDampening, to the end", "ShiftedLocalDampening, to the end, exponential"),
    *("ParetoNoisyMax, nu 2, indicator", "LaplaceTopK", "LaplaceTopK, level scores"),
    *("LaplaceTopK, one-hop PageRank", "LaplaceTopK, PageRank"),
    *("TopK, LocalDampening, exponential", "TopK, PairwiseDampening"),
}
"""Variants that the contracts leave out: they would run the same code once more."""


def make(kind: type[SelectionMechanism], own: Own, epsilon: Number) -> SelectionMechanism:
    """The mechanism at this epsilon."""
    if "base" in own:
        return kind(**{**own, "base": own["base"](epsilon)})
    return kind(epsilon=epsilon, **own)


def find_selections(package: ModuleType) -> dict[str, Make]:
    """Every selection mechanism of a package, in all its variants."""
    return {
        ", ".join(filter(None, (name, variant))): partial(make, kind, own)
        for name, kind in find_mechanisms(package, SelectionMechanism).items()  # type: ignore[type-abstract]
        for variant, own in VARIANTS.get(name, {"": {}}).items()
    }


EVERY: dict[str, Make] = find_selections(dampen.mechanisms)
IN_CONTRACTS: dict[str, Make] = {name: each for name, each in EVERY.items() if name not in FOR_THE_GATE_ALONE}
BY_UTILITY: dict[str, Callable[[Number], UtilityMechanism]] = {
    name: each  # type: ignore[misc]
    for name, each in IN_CONTRACTS.items()
    if isinstance(each(1), UtilityMechanism)
}
"""Those that score by the utility itself."""
BY_SENSITIVITY: dict[str, Make] = {name: each for name, each in IN_CONTRACTS.items() if name not in BY_UTILITY}
"""Those that read a sensitivity function, or name several candidates."""
