"""Putting a question together: everything before the payment, when arguments and data are looked at, and what pays."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dampen._validate import text
from dampen.accounting.reservation import LONGEST_NOTE
from dampen.entropy import Entropy
from dampen.mechanisms.base import Mechanism
from dampen.privacy import BudgetLike, PrivacyLoss, Release, as_budget, paid
from dampen.tables.engines.sources import only_own_errors

if TYPE_CHECKING:
    from dampen.graphs.graph import Graph

Answer = TypeVar("Answer")


@contextmanager
def asking(budget: Any, note: Any) -> Iterator[None]:
    """Refuse what cannot pay before any data is read; whatever then goes wrong leaves as an error that says nothing."""
    as_budget(budget)
    text(note=note, longest=LONGEST_NOTE)
    with only_own_errors():
        yield


class Posed(ABC, Generic[Answer]):
    """A question with its data, everything about it checked. Private, and not yet paid for.

    ``Answer`` is what its public function returns: the release, or the plain value of it.
    """

    frame: Any
    """What is publicly known of it."""
    loss: PrivacyLoss
    """What the answer costs."""

    @abstractmethod
    def release(self, budget: BudgetLike, note: str) -> Any:
        """Pay for and draw the answer."""


class Single(Posed[Answer]):
    """A question that one mechanism answers."""

    def __init__(self, mechanism: Mechanism[Any, Any, Any], problem: Any) -> None:
        self.mechanism, self.problem, self.frame = mechanism, problem, problem.frame

    @property
    def loss(self) -> PrivacyLoss:  # type: ignore[override]
        """What the answer costs."""
        return self.mechanism.privacy(self.frame)

    def release(self, budget: BudgetLike, note: str) -> Any:
        """Pay for and draw the answer."""
        return self.mechanism.release(self.problem, budget=budget, note=note)


@dataclass(frozen=True, eq=False, repr=False)
class Composite(Posed[Answer]):
    """A question whose answer is made of draws that are paid for together.

    ``frame`` is that of one draw, or of each in turn; ``build`` makes the release of what was drawn, its loss and note.
    """

    frame: Any
    loss: PrivacyLoss
    draw: Callable[[Entropy], Any]
    build: Callable[[Any, PrivacyLoss, str], Release]

    def release(self, budget: BudgetLike, note: str) -> Any:
        """Pay for and draw the answer."""
        return self.build(paid(self.draw, self.loss, budget=budget, note=note), self.loss, note)


def without_edges(graph: Any, nodes: Any) -> "Graph | None":
    """The declared nodes alone, on which a question about a table of edges is tried before any edge is read.

    So what is wrong with an argument is told whatever the edges. ``None`` for a graph, which was read before.
    """
    from dampen.graphs.graph import Graph

    return None if isinstance(graph, Graph) or nodes is None else Graph.from_edges([], [], nodes=nodes)


def read_once(values: Any) -> Any:
    """What can be read only once is read now: a question looks at it twice."""
    return tuple(values) if isinstance(values, Iterator) else values
