"""Records as places in a value table, and the way from values to coefficients and back. None of this is private.

Every attribute is read as one of a few values: a group's value has the points of its indicator, a column has the values
-1/2 and +1/2 of its coefficient, and the constant +1/2 is kept apart. Sums by value are whole numbers or floats alike;
all that turns them into sums by coefficient is adding, subtracting and one halving at the end.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.problem import LogisticFrame, LogisticProblem
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, eq=False, repr=False)
class Layout:
    """How the attributes of a frame lie side by side: values of groups, two of each column, one that counts nothing."""

    frame: LogisticFrame

    @cached_property
    def indicators(self) -> int:
        """How many features are indicators."""
        return sum(self.frame.groups)

    @cached_property
    def columns(self) -> int:
        """How many columns there are without the constant."""
        return self.frame.columns - 1

    @cached_property
    def values(self) -> int:
        """How many values there are, the one that counts nothing included."""
        return self.indicators + 2 * self.columns + 1

    def places(self, problem: LogisticProblem) -> Integers:
        """For each record the places of its values."""
        sizes = np.array([*self.frame.groups, *[2] * self.columns], dtype=np.int64)
        starts = np.cumsum(sizes) - sizes
        kind = np.uint16 if self.values < 2**16 else np.int32
        found = np.empty(problem.codes.shape, dtype=kind)
        for place, start in enumerate(starts):
            codes = problem.codes[:, place].astype(np.int64)
            found[:, place] = np.where(codes < 0, self.values - 1, codes + start)
        return found

    def double_values(self, coefficients: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Twice the points of every value, and of the constant: sums and differences alone, so whole numbers stay so.

        ``coefficients``: a row for each feature, a column for each score.
        """
        columns = coefficients[self.indicators : self.indicators + self.columns]
        table = np.zeros((self.values, coefficients.shape[1]), dtype=coefficients.dtype)
        table[: self.indicators] = 2 * coefficients[: self.indicators]
        table[self.indicators : -1 : 2] = -columns
        table[self.indicators + 1 : -1 : 2] = columns
        return table, coefficients[-1]

    def double_coefficients(self, table: NDArray[Any], constant: NDArray[Any]) -> NDArray[Any]:
        """Twice the sums by coefficient out of sums by value."""
        low, high = table[self.indicators : -1 : 2], table[self.indicators + 1 : -1 : 2]
        return np.concatenate([2 * table[: self.indicators], high - low, constant[None, :]])

    def curvatures(self, curved: Floats, whole: float) -> Floats:
        """Second derivatives by coefficient out of those by pair of values, for one score."""
        upper = np.triu(curved[:-1, :-1])
        both = upper + np.triu(upper, 1).T
        # A record has one value of an attribute, so that the sum at a value is that of the value with itself.
        constant = np.diag(both) / 2
        first = self._reduce(self._reduce(both).T)
        last = self._reduce(constant[:, None])[:, 0]
        made = np.empty((len(first) + 1, len(first) + 1))
        made[:-1, :-1], made[-1, :-1], made[:-1, -1], made[-1, -1] = first, last, last, whole / 4
        return made

    def _reduce(self, sums: Floats) -> Floats:
        """Rows by value as rows by feature, without the constant."""
        low, high = sums[self.indicators :: 2], sums[self.indicators + 1 :: 2]
        return np.concatenate([sums[: self.indicators], (high - low) / 2])
