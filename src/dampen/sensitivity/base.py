"""What every sensitivity function can tell."""

from abc import ABC, abstractmethod
from fractions import Fraction

import numpy as np

from dampen._validate import Number, exact, positive, whole
from dampen.errors import ParameterError
from dampen.vectors import Floats

DEFAULT_FLOOR = Fraction(1, 2**20)
"""The default floor, as a share of the bound."""


class SensitivityFunction(ABC):
    """s(x, t, r) of one data set x, vectorised over the candidates r (or over the groups of a problem with runs).

    Admissible means: s(x, 0, r) is at least how much u(x, r) can change in one step, and s(x, t+1, r) >= s(y, t, r)
    for every y within one step of x. What is public, the same for all data sets: ``bound``, ``floor`` and ``horizon``.
    """

    def __init__(
        self, *, size: int, bound: Number | None, floor: Number | None = None, horizon: int | None = None
    ) -> None:
        if bound is None and floor is None:
            raise ParameterError("floor must be given where bound is None")
        self.size = whole(size=size, least=1)
        """For how many candidates (or groups) it speaks."""
        self.bound = None if bound is None else positive(bound=bound)
        """The public global bound: no step ever moves any utility further. ``None``: there is no finite one."""
        self.floor = positive(floor=exact(bound=bound) * DEFAULT_FLOOR if floor is None else floor)
        """A public positive number below which no rung is read."""
        self.horizon = horizon
        """The public number of rows of a table; ``None`` for closed forms."""

    @abstractmethod
    def at(self, t: int) -> Floats:
        """s(t) for every candidate; non-decreasing in t, never above the bound."""

    def cumulative(self, t: int) -> Floats:
        """The sum of s(j) over j < t; closed forms override this loop."""
        total = np.zeros(self.size)
        for step in range(whole(t=t, least=0)):
            total += self.at(step)
        return total
