"""What every mechanism has in common: it is priced by a public frame, and a release pays before it draws."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeVar

from dampen._validate import Number, plain, positive
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.privacy import Accuracy, BudgetLike, PrivacyLoss, Release, paid, release_of

Framed = TypeVar("Framed")
Problem = TypeVar("Problem")
Answer = TypeVar("Answer", bound=Release)


@dataclass(frozen=True, init=False, repr=False)
class Mechanism(ABC, Generic[Framed, Problem, Answer]):
    """Holds parameters, never data."""

    epsilon: Fraction

    takes: ClassVar[type[Any]]
    """The kind of problem that it answers."""

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon=epsilon))

    @abstractmethod
    def privacy(self, frame: Framed) -> PrivacyLoss:
        """What one release in this frame costs. Takes a frame, so that the price cannot depend on data."""

    @abstractmethod
    def draw(self, problem: Problem, source: Entropy) -> Any:
        """An exact draw, in whole numbers. Nobody has paid for it here: for composites and audits."""

    def release(self, problem: Problem, *, budget: BudgetLike, note: str = "") -> Answer:
        """Pay for and draw one answer, exactly, from the operating system's entropy.

        The budget is charged before anything is drawn and keeps the charge whatever happens then.
        """
        self.require(problem)
        frame: Framed = problem.frame  # type: ignore[attr-defined]
        loss = self.privacy(frame)

        def draw(source: Entropy) -> Any:
            return self.build(frame, self.answer(frame, self.draw(problem, source)), loss, note)

        answer: Answer = paid(draw, loss, budget=budget, note=note)
        return answer

    def build(
        self, frame: Framed, answer: Any, loss: PrivacyLoss, note: str, accuracy: Accuracy | None = None
    ) -> Release:
        """The release of an answer, of the kind that fits it; ``accuracy`` where somebody can tell it better."""
        return release_of(answer, loss, repr(self), note, self.accuracy(frame) if accuracy is None else accuracy)

    def require(self, problem: Problem) -> None:
        """Refuse, before anything is spent, a problem that it cannot take."""
        if not isinstance(problem, self.takes):
            raise ParameterError(f"problem must be a {self.takes.__name__}; got {type(problem).__name__}")

    @abstractmethod
    def answer(self, frame: Framed, drawn: Any) -> Any:
        """What the drawn whole numbers stand for."""

    @abstractmethod
    def accuracy(self, frame: Framed) -> Accuracy:
        """What may be told of the error of any answer in this frame: as the price, it cannot depend on data."""

    def __repr__(self) -> str:
        arguments = (f"{field.name}={_render_parameter(getattr(self, field.name))}" for field in fields(self))
        return f"{type(self).__name__}({', '.join(arguments)})"


@dataclass(frozen=True, init=False, repr=False)
class PricedByRho:
    """Comes before a kind of mechanism, and takes the place of epsilon: the price is rho, and no epsilon is kept."""

    rho: Fraction
    epsilon: ClassVar[None] = None

    def __init__(self, rho: Number) -> None:
        object.__setattr__(self, "rho", positive(rho=rho))


def _render_parameter(value: object) -> str:
    if isinstance(value, Fraction):
        return plain(value)
    return value.__name__ if isinstance(value, type) else repr(value)
