"""What mechanisms that tell many counts at once have in common: each count has its own noise, of one public law."""

from abc import abstractmethod
from typing import Any

import numpy as np

from dampen._validate import whole
from dampen.errors import DataError
from dampen.mechanisms.base import Mechanism
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.mechanisms.numeric.noises import PublicNoise
from dampen.privacy import ListRelease
from dampen.problem import CountsFrame, CountsProblem
from dampen.sampling.discrete_laplace import LARGEST_SUM
from dampen.vectors import Floats, Integers


class CountsMechanism(Mechanism[CountsFrame, CountsProblem, ListRelease]):
    """Adds independent whole-number noise of one public law to every count.

    Answers end at 2^62 in size, whichever way: what lies beyond is told as the end.
    """

    takes = CountsProblem

    @abstractmethod
    def noise(self, frame: CountsFrame) -> PublicNoise:
        """The noise of one count. Public."""

    @abstractmethod
    def draw(self, problem: CountsProblem, source: Any) -> Integers:
        """An exact draw of all counts. Nobody has paid for it here."""

    def entry_log_probabilities(self, problem: CountsProblem, answers: Any) -> Floats:
        """Not private. Ln P of each count of an answer by itself: counts are independent of one another."""
        told = np.asarray(answers)
        if told.shape[-1:] != (problem.frame.size,):
            raise DataError(f"answers must be {problem.frame.size} counts each")
        noise, off = self.noise(problem.frame), np.abs(told.astype(np.float64) - problem.counts)
        ends = np.abs(told) >= LARGEST_SUM
        inner = noise.log_probabilities(off)
        return np.where(ends, noise.log_tail(np.maximum(off, 1)) - np.log(2), inner) if ends.any() else inner

    def log_probabilities(self, problem: CountsProblem, answers: Any) -> Floats:
        """Not private. Ln P of each answer, a row of counts."""
        return np.asarray(self.entry_log_probabilities(problem, answers).sum(axis=-1))

    def expected_absolute_noise(self, problem: CountsProblem) -> float:
        """E |K| of one count; the same for all data sets of a frame."""
        return self.noise(problem.frame).mean_size()

    def simulate(self, problem: CountsProblem, rng: np.random.Generator, size: int) -> Integers:
        """Rows of counts drawn by a seeded generator: free, fast, for public problems only."""
        problem.require_public("simulate")
        count = whole(size=size, least=0)
        noise = self.noise(problem.frame).simulate(rng, count * problem.frame.size)
        return np.asarray(problem.counts + noise.reshape(count, problem.frame.size))

    def answer(self, frame: CountsFrame, drawn: Integers) -> tuple[int, ...]:
        """The counts as they are."""
        return tuple(drawn.tolist())

    def accuracy(self, frame: CountsFrame) -> NoiseAccuracy:
        """That of the noise of each count by itself."""
        return NoiseAccuracy(self.noise(frame))
