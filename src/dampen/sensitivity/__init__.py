"""Sensitivity functions s(x, t, r): how much the utility of candidate r can move once t people have changed."""

from dampen.sensitivity.base import PairFunction, SecondOrder, SensitivityFunction
from dampen.sensitivity.closed_forms import Constant, DegreeLike, Step
from dampen.sensitivity.combinators import capped, floored, max_over_candidates, running_max, saturate_at, sum_of
from dampen.sensitivity.pairs import PairTable
from dampen.sensitivity.rung_table import RungTable

__all__ = [
    "Constant",
    "DegreeLike",
    "PairFunction",
    "PairTable",
    "RungTable",
    "SecondOrder",
    "SensitivityFunction",
    "Step",
    "capped",
    "floored",
    "max_over_candidates",
    "running_max",
    "saturate_at",
    "sum_of",
]
