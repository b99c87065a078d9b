"""A graph that is asked by its methods: nodes are public, edges private."""

import json
from collections.abc import Mapping
from copy import copy
from typing import Any, Self

from dampen._validate import Number, render, text
from dampen.errors import ParameterError
from dampen.front.memory import options_exactly, remembered
from dampen.graphs import graph as plain
from dampen.mechanisms import NumericMechanism
from dampen.privacy import BudgetLike, GroupRelease, ListRelease, NumericRelease, Release, as_budget
from dampen.questions.record import RECORD, asking, warn_of_cut

LONGEST_NAME = 10**6
"""The name of a graph that is described tells its nodes, which may be listed."""


class Graph(plain.Graph):
    """A graph that can be asked: what :class:`dampen.graphs.graph.Graph` is, with a method for each question.

    >>> import dampen
    >>> star = dampen.Graph.from_edges([0] * 50, range(1, 51), nodes=51)
    >>> star.top_nodes(1, epsilon=10, budget=dampen.Budget(epsilon=10)).value
    (0,)
    """

    _budget: BudgetLike | None = None
    _name: str | None = None

    def named(self, name: str) -> Self:
        """The same graph under a public name, by which a budget that remembers answers knows it again."""
        found = copy(self)
        found._name = text(name=name, longest=LONGEST_NAME)
        return found

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
        with_scores: bool = False,
        note: str | None = None,
    ) -> ListRelease | GroupRelease:
        """The labels of the k most influential nodes, best first, privately; see :func:`dampen.top_nodes`."""
        options: dict[str, Any] = {"k": k, "score": score, "method": method, "max_degree": max_degree, "shift": shift}
        options |= {} if with_scores is False else {"with_scores": with_scores}
        told = f"top_nodes k={render(k)} by {render(score)}" if note is None else note
        found = self._ask("top_nodes", "top_nodes", options, epsilon, budget, told)
        assert isinstance(found, ListRelease | GroupRelease)
        return found

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
        options: dict[str, Any] = {"pattern": pattern, "k": k, "delta": delta, "mechanism": mechanism, "unit": unit}
        told = f"count {render(pattern)}" if note is None else note
        found = self._ask("count_subgraphs", "count", options, epsilon, budget, told)
        assert isinstance(found, NumericRelease)
        warn_of_cut(found, stacklevel=2)
        return found

    def _ask(
        self,
        question: str,
        called: str,
        options: Mapping[str, Any],
        epsilon: Number,
        budget: BudgetLike | None,
        note: str,
    ) -> Release:
        """Ask, or answer again what the budget remembers. ``called``: what the question is remembered as."""
        payer, said = self._payer(budget), options_exactly({**options, "epsilon": epsilon})
        key = None if self._name is None or said is None else json.dumps([called, said, "graph", self._name])

        def ask() -> Release:
            with asking(payer, note):
                posed = RECORD[question].pose(self, **options, epsilon=epsilon, budget=payer)
            answer: Release = posed.release(payer, note)
            return answer

        return remembered(payer, key, ask)

    def _payer(self, budget: BudgetLike | None) -> Any:
        payer = self._budget if budget is None else budget
        if payer is None:
            raise ParameterError("budget must be given: this graph was not opened with a ledger")
        return as_budget(payer)
