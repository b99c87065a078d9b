"""How a question is priced, put together, asked and paid for, and the record of all questions.

A question enters the record where it is defined, by the decorator :func:`question`; nothing else lists it. The function
that is decorated checks its arguments, reads the data and returns the question ``Posed``; the public one also pays.
"""

import inspect
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar, get_args

import numpy as np

from dampen._validate import Number, brief, only_own_errors, plain, positive, render, text, whole
from dampen.accounting.account import LONGEST_NOTE
from dampen.accounting.rules import CONCENTRATED
from dampen.concentrated import range_of_rho
from dampen.entropy import Entropy
from dampen.errors import CutOffWarning, ParameterError
from dampen.mechanisms import Exponential, Gaussian, GaussianCounts, Laplace, LaplaceCounts, PermuteAndFlip
from dampen.mechanisms.base import Mechanism
from dampen.privacy import Accuracy, BudgetLike, PrivacyLoss, Release, as_budget, paid

CUT_OFF = (
    "so much may lie beyond that what was cut off may exceed the answer: "
    "ask with a larger epsilon, in a coarser unit, or with a cap or bounds of your own"
)

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")
NO_BOUNDS = "where bounds are private"
Nothing = Callable[[int, Mapping[str, Any]], Mapping[str, Any]]
"""A public number of records and the public arguments in; the arguments that stand in for data out."""


@contextmanager
def asking(budget: Any, note: Any) -> Iterator[None]:
    """Refuse what cannot pay before any data is read; whatever then goes wrong leaves as an error that says nothing."""
    as_budget(budget)
    text(note=note, longest=LONGEST_NOTE)
    with only_own_errors():
        yield


def usual_law(budget: object) -> type[PermuteAndFlip] | type[Exponential]:
    """What chooses where nobody names a mechanism: permute-and-flip, which is the better one at an epsilon.

    Where the budget counts rho alone, the exponential mechanism, which costs a quarter of that: it is the better one at
    a rho. By which rule a budget adds up is public.
    """
    return Exponential if getattr(budget, "composition", None) == CONCENTRATED.name else PermuteAndFlip


def warn_of_cut(found: Release, *, stacklevel: int) -> None:
    """Say, by released things alone, that what was cut off may exceed the answer. ``stacklevel``: the asker's."""
    if found.doubtful:
        warnings.warn(CutOffWarning(CUT_OFF), stacklevel=stacklevel + 1)


@dataclass(frozen=True, init=False)
class Price:
    """What somebody pays for an answer: an epsilon, or a rho in its place; and which noise or choice that buys.

    An epsilon buys discrete Laplace noise. A rho buys discrete Gaussian noise, which has a rho and no epsilon, and
    choices by the exponential mechanism whose bounded range costs that rho: at one rho no other is better.
    """

    amount: Fraction
    is_rho: bool

    def __init__(self, epsilon: Number | None = None, rho: Number | None = None) -> None:
        if epsilon is None and rho is None:
            raise ParameterError("epsilon must be given, or rho in its place; got neither")
        if epsilon is not None and rho is not None:
            raise ParameterError(f"rho must be left out where epsilon is given; got {render(rho)}")
        amount = positive(epsilon=epsilon) if rho is None else positive(rho=rho)
        object.__setattr__(self, "amount", amount)
        object.__setattr__(self, "is_rho", rho is not None)

    def words(self) -> dict[str, Any]:
        """By the name that questions have for it."""
        return {"rho" if self.is_rho else "epsilon": self.amount}

    def __str__(self) -> str:
        """Exactly, so that only equal prices look alike: keys of remembered answers hold it."""
        [(name, amount)] = self.words().items()
        return f"{name} {plain(amount)}"

    def part(self, count: int) -> "Price":
        """An equal share, where so many are paid together: epsilons add, and so do rhos."""
        return Price(**{name: amount / count for name, amount in self.words().items()})

    def require_epsilon(self, where: str) -> Fraction:
        """Epsilon, ``where`` nothing is drawn whose rho could be asked for."""
        if self.is_rho:
            raise ParameterError(f"rho must be left out {where}; got {brief(self.amount)}")
        return self.amount

    def number_noise(self) -> Laplace | Gaussian:
        """What is added to a number."""
        return Gaussian(self.amount) if self.is_rho else Laplace(self.amount)

    def counts_noise(self) -> LaplaceCounts | GaussianCounts:
        """What is added to many counts."""
        return GaussianCounts(self.amount) if self.is_rho else LaplaceCounts(self.amount)

    def choice(self, budget: object = None) -> PermuteAndFlip | Exponential:
        """What chooses where nobody names a mechanism; of a rho it costs less by its rounding, never more."""
        if self.is_rho:
            return Exponential(range_of_rho(self.amount))
        return usual_law(budget)(self.amount)


class Posed(ABC, Generic[Answer]):
    """A question with its data, everything about it checked. Private, and not yet paid for.

    ``Answer`` is the kind of release that its public function returns.
    """

    frame: Any
    """What is publicly known of it."""
    loss: PrivacyLoss
    """What the answer costs."""

    @abstractmethod
    def draw(self, source: Entropy) -> Any:
        """What the answer is made of. Nobody has paid for it here."""

    @abstractmethod
    def build(self, drawn: Any, loss: PrivacyLoss, note: str) -> Any:
        """The answer that was drawn, with what is publicly known of it. It may know data, so it runs after the draw,
        where nothing of that can leave.
        """

    def release(self, budget: BudgetLike, note: str) -> Any:
        """Pay for and draw the answer."""
        return paid(lambda source: self.build(self.draw(source), self.loss, note), self.loss, budget=budget, note=note)


class Single(Posed[Answer]):
    """A question that one mechanism answers.

    ``accuracy``: how good the answer is, where the question can tell it better than the mechanism alone. Public.
    """

    def __init__(self, mechanism: Mechanism[Any, Any, Any], problem: Any, accuracy: Accuracy | None = None) -> None:
        mechanism.require(problem)
        self.mechanism, self.problem, self.frame, self.accuracy = mechanism, problem, problem.frame, accuracy

    @property
    def loss(self) -> PrivacyLoss:  # type: ignore[override]
        """What the answer costs."""
        return self.mechanism.privacy(self.frame)

    def draw(self, source: Entropy) -> Any:
        """What the mechanism draws, as an answer."""
        return self.mechanism.answer(self.frame, self.mechanism.draw(self.problem, source))

    def build(self, drawn: Any, loss: PrivacyLoss, note: str) -> Any:
        """A release of the kind that fits the answer."""
        return self.mechanism.build(self.frame, drawn, loss, note, self.accuracy)


class Composite(Posed[Answer]):
    """A question whose answer is made of draws that are paid for together.

    ``frame`` is that of one draw, or of each in turn; ``build`` makes the release of what was drawn, its loss and note.
    """

    def __init__(
        self,
        frame: Any,
        loss: PrivacyLoss,
        draw: Callable[[Entropy], Any],
        build: Callable[[Any, PrivacyLoss, str], Any],
    ) -> None:
        self.frame, self.loss, self._draw, self._build = frame, loss, draw, build

    def draw(self, source: Entropy) -> Any:
        """What the answer is made of."""
        return self._draw(source)

    def build(self, drawn: Any, loss: PrivacyLoss, note: str) -> Any:
        """The answer that was drawn."""
        return self._build(drawn, loss, note)


@dataclass(frozen=True)
class Question:
    """A question: ``ask`` is the public function, ``proof`` its page in docs/proofs."""

    ask: Callable[..., Any]
    nothing: Nothing
    proof: str

    def pose(self, *data: Any, budget: BudgetLike | None = None, **public: Any) -> Posed[Any]:
        """Everything but the payment: the arguments checked, the data read.

        ``budget``: who is going to pay, where the question may choose its mechanism by what that counts.
        """
        with only_own_errors():
            posed: Posed[Any] = inspect.unwrap(self.ask)(*data, **public, budget=budget, note="")
        return posed

    @property
    def name(self) -> str:
        """What it is called."""
        return self.ask.__name__

    @property
    def tells(self) -> str:
        """What it tells, in one sentence."""
        return (inspect.getdoc(self.ask) or "").partition("\n")[0].partition(". ")[0].removesuffix(".")

    @property
    def parameters(self) -> tuple[str, ...]:
        """The public parameters: all but the data, the budget and the note."""
        _, *rest = inspect.signature(self.ask).parameters
        return tuple(name for name in rest if name not in ("budget", "note"))

    def frame(self, *, records: int = 0, **public: Any) -> Any:
        """What is known before any data is seen, of the question with these public arguments.

        ``records``: the number of records, where it is public and the frame depends on it.
        """
        return self._pose_on_nothing(records, public).frame

    def price(self, *, records: int = 0, **public: Any) -> PrivacyLoss:
        """What the answer costs, whatever the data."""
        return self._pose_on_nothing(records, public).loss

    def _pose_on_nothing(self, records: int, public: Mapping[str, Any]) -> Posed[Any]:
        return self.pose(**{**public, **self.nothing(whole(records=records, least=0), public)})


RECORD: dict[str, Question] = {}
"""Every question by its name."""


def question(
    nothing: Nothing, *, proof: str
) -> Callable[[Callable[Parameters, Posed[Answer]]], Callable[Parameters, Answer]]:
    """Enter a question into the record.

    Budget and note are parameters of every question; no more than that they are there is asked of the function itself.
    """

    def enter(pose: Callable[Parameters, Posed[Answer]]) -> Callable[Parameters, Answer]:
        signature = inspect.signature(pose)
        arguments, default = Arguments(signature), signature.parameters["note"].default

        @wraps(pose)
        def ask(*data: Parameters.args, **public: Parameters.kwargs) -> Answer:
            if not arguments.fit(data, public):
                pose(*data, **public)  # Python says which argument is missing or unknown
            budget: Any = public["budget"]
            note: Any = public.get("note", default)
            with asking(budget, note):
                posed = pose(*data, **public)
            answer: Answer = posed.release(budget, note)
            if isinstance(answer, Release):
                warn_of_cut(answer, stacklevel=2)
            return answer

        [answer] = get_args(signature.return_annotation)
        ask.__dict__["__signature__"] = signature.replace(return_annotation=answer)
        RECORD[pose.__name__] = Question(ask, nothing, proof)
        return ask

    return enter


class Arguments:
    """Which arguments a function takes. ``Signature.bind`` tells the same, but takes a tenth of a short answer."""

    def __init__(self, signature: inspect.Signature) -> None:
        parameters = signature.parameters.values()
        self._all = {each.name for each in parameters}
        self._required = {each.name for each in parameters if each.default is inspect.Parameter.empty}
        self._in_order = [each.name for each in parameters if each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]

    def fit(self, data: tuple[Any, ...], public: Mapping[str, Any]) -> bool:
        """Whether each argument is known and none is missing or given twice."""
        placed, named = set(self._in_order[: len(data)]), public.keys()
        known = len(placed) == len(data) and named <= self._all and not placed & named
        return known and self._required <= placed | named


def no_records(_: int, public: Mapping[str, Any]) -> Mapping[str, Any]:
    """Stand-ins for values of any kind: none."""
    return {"values": []}


def zeros(records: int, public: Mapping[str, Any]) -> Mapping[str, Any]:
    """Stand-ins for numbers: so many zeros."""
    return {"values": np.zeros(records, dtype=np.int64)}


def zero_scores(_: int, public: Mapping[str, Any]) -> Mapping[str, Any]:
    """Stand-ins for scores: none for any of the candidates, which must be declared."""
    if public.get("candidates") is None:
        raise ParameterError("candidates must be declared: without data there are no labels to publish")
    return {"scores": {}}


def no_edges(records: int, public: Mapping[str, Any]) -> Mapping[str, Any]:
    """Stand-ins for a graph: so many nodes, which are public, and no edge."""
    from dampen.graphs.graph import Graph

    return {"graph": Graph.from_edges([], [], nodes=records)}
