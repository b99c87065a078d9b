"""Local dampening as its authors' code has it: flat parts of the summed rungs are resolved upwards.

Private, but of no use on utilities of 0 and 1, where it is the plain exponential mechanism.
"""

from dataclasses import dataclass

import numpy as np

from dampen.mechanisms import LocalDampening
from dampen.problem import SelectionProblem
from dampen.vectors import Floats


@dataclass(frozen=True, init=False, repr=False)
class PlateauUpwards(LocalDampening):
    """Dampening without a floor, by the half-open rule: D lies in the last step i with b(i) <= u < b(i + 1).

    Where the first m rungs are 0, every D in [-m, m] covers a utility of 0; this rule takes m, ``LocalDampening``
    takes 0. All three conventions (m, 0 and -m) have sensitivity 1, because a plateau means that no neighbour has
    another utility and that their plateaus differ by at most 1. But on utilities of 0 and 1 whose rungs are 0 before t0
    the winner gets t0 + 1 and the losers t0: always 1 apart, however safe the winner is. For sensitivity functions with
    a finite bound that they reach.
    """

    def _group_scores(self, problem: SelectionProblem) -> Floats:
        u = np.asarray(problem.groups - float(self.shift), dtype=np.float64)
        return np.array([np.copysign(_last_step(problem, place, abs(value)), value) for place, value in enumerate(u)])


def _last_step(problem: SelectionProblem, place: int, size: float) -> float:
    """The largest k at which the rungs of one candidate add up to ``size``."""
    t = 0
    rung = float(problem.sensitivity.at(t)[place])
    while size >= rung:
        size, t = size - rung, t + 1
        rung = float(problem.sensitivity.at(t)[place])
    return t + size / rung
