"""Sensitivity functions that are a formula in t."""

import numpy as np

from dampen._validate import Number, positive, whole
from dampen.sensitivity.base import SensitivityFunction
from dampen.vectors import Floats


class Constant(SensitivityFunction):
    """s(t) = bound for every t and every candidate: the global sensitivity and nothing more."""

    def __init__(self, bound: Number, *, size: int) -> None:
        super().__init__(size=size, bound=bound)
        self._height = positive(bound=bound)

    def at(self, t: int) -> Floats:
        """The bound, whatever t."""
        whole(t=t, least=0)
        return np.full(self.size, float(self._height))

    def cumulative(self, t: int) -> Floats:
        """The bound, t times."""
        return np.full(self.size, float(self._height * whole(t=t, least=0)))

    def __repr__(self) -> str:
        return f"Constant({float(self._height)!r}, size={self.size})"
