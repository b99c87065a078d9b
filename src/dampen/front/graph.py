"""A graph that is asked by its methods: nodes are public, edges private."""

from copy import copy
from typing import Any, Self

from dampen._validate import Number, render
from dampen.errors import ParameterError
from dampen.front.asking import warn_of_cut
from dampen.graphs import graph as plain
from dampen.mechanisms import NumericMechanism
from dampen.privacy import BudgetLike, ListRelease, NumericRelease
from dampen.questions.influence import top_nodes
from dampen.questions.subgraph_counts import count_subgraphs


class Graph(plain.Graph):
    """A graph that can be asked: what :class:`dampen.graphs.graph.Graph` is, with a method for each question.

    >>> import dampen
    >>> star = dampen.Graph.from_edges([0] * 50, range(1, 51), nodes=51)
    >>> star.top_nodes(1, epsilon=10, budget=dampen.Budget(epsilon=10)).value
    (0,)
    """

    _budget: BudgetLike | None = None

    def paid_by(self, budget: BudgetLike) -> Self:
        """The same graph, and who pays where a question does not say."""
        found = copy(self)
        found._budget = budget
        return found

    def top_nodes(
        self,
        k: int,
        *,
        epsilon: Number,
        budget: BudgetLike | None = None,
        score: str = "ego_betweenness",
        method: str | None = None,
        max_degree: int | None = None,
        shift: Number = 0,
        note: str | None = None,
    ) -> ListRelease:
        """The labels of the k most influential nodes, best first, privately; see :func:`dampen.top_nodes`."""
        return top_nodes(
            self, k, epsilon=epsilon, budget=self._payer(budget), score=score, method=method, max_degree=max_degree,
            shift=shift, note=f"top_nodes k={render(k)} by {render(score)}" if note is None else note,
        )  # fmt: skip

    def count(
        self,
        pattern: str = "triangle",
        *,
        k: int | None = None,
        epsilon: Number,
        delta: Number = 0,
        budget: BudgetLike | None = None,
        mechanism: NumericMechanism | None = None,
        unit: str = "edge",
        note: str | None = None,
    ) -> NumericRelease:
        """How often a small pattern occurs, privately; see :func:`dampen.count_subgraphs`.

        With ``unit="node"`` a :class:`dampen.errors.CutOffWarning` says where so many edges may have been left out that
        they exceed the answer.
        """
        found: NumericRelease = count_subgraphs(
            self, pattern, k=k, epsilon=epsilon, delta=delta, budget=self._payer(budget), mechanism=mechanism,
            unit=unit, note=f"count {render(pattern)}" if note is None else note,
        )  # fmt: skip
        warn_of_cut(found, stacklevel=2)
        return found

    def _payer(self, budget: BudgetLike | None) -> Any:
        payer = self._budget if budget is None else budget
        if payer is None:
            raise ParameterError("budget must be given: this graph was not opened with a ledger")
        return payer
