"""What every numeric mechanism has in common: it is priced by a frame, pays first, then adds whole-number noise."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np

from dampen import entropy
from dampen._validate import Number, plain, positive, whole
from dampen.entropy import Entropy
from dampen.errors import ParameterError, ReleaseFailed
from dampen.mechanisms.numeric.noises import Noise
from dampen.privacy import BudgetLike, NumericRelease, PrivacyLoss, as_budget
from dampen.problem import NumericFrame, NumericProblem
from dampen.vectors import Floats, Integers


@dataclass(frozen=True, init=False, repr=False)
class NumericMechanism(ABC):
    """Answers a numeric problem on the public grid of its frame. Holds parameters, never data."""

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon=epsilon))

    @abstractmethod
    def privacy(self, frame: NumericFrame) -> PrivacyLoss:
        """What one release in this frame costs. Takes a frame, so that the price cannot depend on data."""

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
    def _draw(self, problem: NumericProblem, source: Entropy) -> int:
        """An exact draw from that law, in grid steps."""

    @abstractmethod
    def _simulate(self, problem: NumericProblem, rng: np.random.Generator, size: int) -> Integers:
        """Seeded draws from that law, in grid steps."""

    def release(self, problem: NumericProblem, *, budget: BudgetLike, note: str = "") -> NumericRelease:
        """Pay for and draw one answer, exactly, from the operating system's entropy.

        The budget is charged before anything is drawn and keeps the charge whatever happens then.
        """
        if not isinstance(problem, NumericProblem):
            raise ParameterError(f"problem must be a NumericProblem; got {type(problem).__name__}")
        loss = self.privacy(problem.frame)
        with as_budget(budget).reserve(loss, note=note):
            drawn = self._drawn(problem)
            if drawn is None:
                raise ReleaseFailed("the draw failed after it was paid for; the charge stands")
        return self._release(problem.frame, drawn[0], loss, note)

    def simulate(self, problem: NumericProblem, rng: np.random.Generator, size: int) -> Floats:
        """``size`` answers drawn by a seeded generator: free, fast, for public problems only."""
        problem.require_public("simulate")
        answers = self._simulate(problem, rng, whole(size=size, least=0)) * float(problem.frame.resolution)
        ends = problem.frame.range
        return np.asarray(answers if ends is None else np.clip(answers, float(ends[0]), float(ends[1])))

    def _release(self, frame: NumericFrame, answer: int | float, loss: PrivacyLoss, note: str) -> NumericRelease:
        return NumericRelease(value=answer, loss=loss, mechanism=repr(self), note=note)

    def _drawn(self, problem: NumericProblem) -> tuple[int | float] | None:
        """The answer, or ``None`` where something failed: what failed is not told, it may know data."""
        try:
            with np.errstate(all="ignore"):
                return (answer_at(problem.frame, self._draw(problem, entropy.system_entropy())),)
        except Exception:
            return None

    def __repr__(self) -> str:
        shown = ((field.name, getattr(self, field.name)) for field in fields(self))
        arguments = (f"{name}={plain(value) if isinstance(value, Fraction) else value}" for name, value in shown)
        return f"{type(self).__name__}({', '.join(arguments)})"


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

    def _draw(self, problem: NumericProblem, source: Entropy) -> int:
        return problem.steps + self.noise(problem).draw(source)

    def _simulate(self, problem: NumericProblem, rng: np.random.Generator, size: int) -> Integers:
        return problem.steps + self.noise(problem).simulate(rng, size)


def answer_at(frame: NumericFrame, steps: int) -> int | float:
    """The answer so many grid steps from 0, clamped to the range: a whole number where the resolution is one."""
    value = steps * frame.resolution
    if frame.range is not None:
        value = min(max(value, frame.range[0]), frame.range[1])
    return int(value) if frame.resolution.denominator == 1 and value.denominator == 1 else float(value)
