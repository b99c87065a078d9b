"""The sum of the k smallest values, as the largest-local-sensitivities paper has it. It protects nobody's salary.

In this data space the sorted values themselves are public and fixed; a data set is a prefix of them, and neighbours are
prefixes one value longer or shorter. So a release hides *which prefix* was summed up, k or k + 1, and nothing else: who
reads the list knows every salary. It is here to reproduce the paper's figures and not in the library, since nobody who
sums up salaries means this guarantee. The library's sum is ``dampen.queries.sum_problem``.
"""

from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, positive, whole
from dampen.errors import DataError
from dampen.privacy import Adjacency
from dampen.problem import NumericFrame, NumericProblem
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import Floats


class PrefixLadder(SensitivityFunction):
    """s_(k + 1 + t), the value that the next prefix but t would add; the last value beyond the list. Exact."""

    def __init__(self, values: Floats, k: int) -> None:
        super().__init__(size=1, bound=Fraction(float(values[-1])))
        self._values, self._k = values, k

    def at(self, t: int) -> Floats:
        """One value of the list."""
        rung: Floats = self.ladder(whole(t=t, least=0) + 1)[-1]
        return rung

    def ladder(self, count: int) -> Floats:
        """A stretch of the list."""
        places = np.minimum(self._k + np.arange(count), len(self._values) - 1)
        return np.asarray(self._values[places][:, np.newaxis])

    def smooth(self, beta: Number) -> Floats:
        """One pass over the list."""
        rungs = self.ladder(max(len(self._values) - self._k, 1))[:, 0]
        return np.array([(rungs * np.exp(-float(positive(beta=beta)) * np.arange(len(rungs)))).max()])


def prefix_sum_problem(values: Any, k: int, *, resolution: Number = 1) -> NumericProblem:
    """The sum of the k smallest of some public values, none of them negative, where k is what is protected."""
    held = np.sort(np.asarray(values, dtype=np.float64))
    if not len(held) or held[0] < 0 or held[-1] <= 0 or not np.isfinite(held[-1]):
        raise DataError("values must be finite numbers, none of them negative, one of them above 0")
    if whole(k=k, least=0) > len(held):
        raise DataError("k must not exceed the number of values")
    ladder = PrefixLadder(held, k)
    assert ladder.bound is not None
    frame = NumericFrame(ladder.bound, Adjacency.ADD_REMOVE, resolution, unit="prefix")
    return NumericProblem(frame, sum((Fraction(value) for value in held[:k].tolist()), Fraction(0)), ladder)
