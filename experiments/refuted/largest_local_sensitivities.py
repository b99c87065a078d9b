"""Largest local sensitivities for any structure of levels, as published: the rates do not fall with the level."""

from math import log

from dampen import Adjacency, NumericFrame, NumericProblem
from dampen.sensitivity import RungTable
from experiments.refuted.numbers import NumericEvidence, RefutedNoise

Links = dict[int, frozenset[int]]
"""The levels that hold neighbours of each level's data sets."""


def ring(levels: int) -> Links:
    """Levels 1 to r in a row, and the first one linked to the last as well."""
    return {k: frozenset({k % levels + 1, (k - 2) % levels + 1}) for k in range(1, levels + 1)}


class LevelSpace:
    """Data sets on a ring of levels: level k's local sensitivity is ``ratio``^(k - r), and they all have the value 0.

    (Each has one more neighbour, so far away and in the same level.)
    """

    def __init__(self, levels: int, ratio: float) -> None:
        self.sensitivities = {k: ratio ** (k - levels) for k in range(1, levels + 1)}
        self.links = ring(levels)

    def problem_of(self, level: int) -> NumericProblem:
        """The data set of a level with the value 0."""
        frame = NumericFrame(1, Adjacency.REPLACE, resolution="1e-6")
        return NumericProblem(frame, 0, RungTable([[self.sensitivities[level]]], bound=1))


class LargestLocalSensitivitiesAsPrinted(RefutedNoise):
    """Algorithm 1: lambda_k = min(epsilon / (2 LS_k), R lambda_l), l the highest level linked to k.

    R = 1 + epsilon / (2 ln(1 / delta)). That the highest linked level sinks with k, which the proof takes for granted,
    fails on a ring: the first level hangs on the last one, the second has climbed r - 2 steps.
    """

    SPACE = LevelSpace(10, 1 + 1 / (2 * log(1e6)))

    evidence = NumericEvidence(
        claim="(epsilon, delta)-differentially private, whatever levels are linked",
        source="Canard, Olivier and Quertier, PST 2017, Proposition 11: ten levels in a ring, the first and the second",
        claimed_epsilon=1,
        claimed_delta=1e-6,
        problem_of=SPACE.problem_of,
        pair=(1, 2),
    )

    def __init__(self, epsilon: float, delta: float, space: LevelSpace) -> None:
        self.epsilon, self.delta, self.space = epsilon, delta, space

    @classmethod
    def as_claimed(cls) -> "LargestLocalSensitivitiesAsPrinted":
        """With epsilon = 1 and delta = 1e-6."""
        return cls(1, 1e-6, cls.SPACE)

    def rates(self) -> dict[int, float]:
        """The rate of every level, from the highest down."""
        step = 1 + self.epsilon / (2 * log(1 / self.delta))
        sensitivities, links = self.space.sensitivities, self.space.links
        top = max(sensitivities)
        found = {top: self.epsilon / (2 * sensitivities[top])}
        for k in range(top - 1, 0, -1):
            if sensitivities[k + 1] / sensitivities[k] < step * (1 - 1e-12):
                found[k] = found[k + 1]
            else:
                highest = max(level for level in links[k] if min(links[level]) <= k)
                found[k] = min(self.epsilon / (2 * sensitivities[k]), found[highest] * step)
        return found

    def scale_of(self, problem: NumericProblem) -> float:
        """One over the rate of the problem's level, which its first rung tells."""
        first = float(problem.sensitivity.at(0)[0])
        level = min(self.space.sensitivities, key=lambda k: abs(self.space.sensitivities[k] - first))
        return 1 / self.rates()[level]
