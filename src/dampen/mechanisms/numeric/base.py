"""What mechanisms that answer with a number have in common: most add whole-number noise to it."""

from abc import abstractmethod
from math import log
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.entropy import Entropy
from dampen.mechanisms.base import Mechanism
from dampen.mechanisms.numeric.noises import Noise
from dampen.privacy import Accuracy, NumericRelease, PrivateAccuracy
from dampen.problem import NumericFrame, NumericProblem
from dampen.vectors import Floats, Integers
from dampen.writing import round_up


class NumericMechanism(Mechanism[NumericFrame, NumericProblem, NumericRelease]):
    """Answers a numeric problem on the public grid of its frame."""

    takes = NumericProblem

    @abstractmethod
    def log_probabilities(self, problem: NumericProblem, steps: Any) -> Floats:
        """Not private. Ln P that the answer is so many grid steps, before it is clamped to the frame's range."""

    @abstractmethod
    def log_tail(self, problem: NumericProblem, distance: Any) -> Floats:
        """Not private. Ln P that the answer is at least so many >= 1 grid steps from the value."""

    @abstractmethod
    def expected_absolute_noise(self, problem: NumericProblem) -> float:
        """The mean distance between answer and value, both on the grid and not clamped; for public problems only."""

    @abstractmethod
    def draw(self, problem: NumericProblem, source: Entropy) -> int:
        """An exact draw from that law, in grid steps. Nobody has paid for it here."""

    @abstractmethod
    def _simulate(self, problem: NumericProblem, rng: np.random.Generator, size: int) -> Integers:
        """Seeded draws from that law, in grid steps."""

    def simulate(self, problem: NumericProblem, rng: np.random.Generator, size: int) -> Floats:
        """``size`` answers drawn by a seeded generator: free, fast, for public problems only."""
        problem.require_public("simulate")
        answers = self._simulate(problem, rng, whole(size=size, least=0)) * float(problem.frame.resolution)
        ends = problem.frame.range
        return np.asarray(answers if ends is None else np.clip(answers, float(ends[0]), float(ends[1])))

    def answer(self, frame: NumericFrame, drawn: int) -> int | float:
        """The answer so many grid steps from 0."""
        return answer_at(frame, drawn)

    def scale_step(self, frame: NumericFrame) -> float | None:
        """Public: how far the logarithm of the noise's scale moves in one step at most; ``None`` where nobody knows."""
        return None

    def accuracy(self, frame: NumericFrame) -> Accuracy:
        """None where the noise follows the data: its scale is a secret, which could be bought as any other.

        The logarithm of the scale plus Laplace noise of scale ``scale_step`` / e would cost e. With e = scale_step
        ln(10) / ln(2), twice the scale so told is at least the scale with probability 95 %.
        """
        private = "how far this is off follows the data, as its noise does, and is private"
        step = self.scale_step(frame)
        if step is None:
            return PrivateAccuracy(private)
        share = round_up(step * log(10) / log(2) / float(self.epsilon))
        bought = "a bound on the scale of the noise, right with probability 95 % and mostly about twice the scale"
        return PrivateAccuracy(f"{private}; {share} of epsilon more would buy {bought}")


class AdditiveMechanism(NumericMechanism):
    """Adds one noise, whose scale may follow the data, to the value."""

    @abstractmethod
    def noise(self, problem: NumericProblem) -> Noise:
        """Not private. The noise of this data set, at the very scale that a release draws with."""

    def log_probabilities(self, problem: NumericProblem, steps: Any) -> Floats:
        """Not private. Ln P(K = steps - value)."""
        return self.noise(problem).log_probabilities(np.asarray(steps) - problem.steps)

    def log_tail(self, problem: NumericProblem, distance: Any) -> Floats:
        """Not private. Ln P(|K| >= distance)."""
        return self.noise(problem).log_tail(distance)

    def expected_absolute_noise(self, problem: NumericProblem) -> float:
        """E |K| times the resolution; for public problems only."""
        problem.require_public("expected_absolute_noise")
        return self.noise(problem).mean_size() * float(problem.frame.resolution)

    def draw(self, problem: NumericProblem, source: Entropy) -> int:
        """The value in grid steps plus the noise. Nobody has paid for it here."""
        return problem.steps + self.noise(problem).draw(source)

    def _simulate(self, problem: NumericProblem, rng: np.random.Generator, size: int) -> Integers:
        return problem.steps + self.noise(problem).simulate(rng, size)


def answer_at(frame: NumericFrame, steps: int) -> int | float:
    """The answer so many grid steps from 0, clamped to the range: a whole number where the resolution is one."""
    value = steps * frame.resolution
    if frame.range is not None:
        value = min(max(value, frame.range[0]), frame.range[1])
    return int(value) if frame.resolution.denominator == 1 and value.denominator == 1 else float(value)
