"""Sensitivity functions s(x, t, r): how much the utility of candidate r can move once t people have changed."""

from dampen.sensitivity.base import SensitivityFunction
from dampen.sensitivity.closed_forms import Constant
from dampen.sensitivity.tables import Table

__all__ = ["Constant", "SensitivityFunction", "Table"]
