"""How a node's attribute is chosen: the criterion that scores attributes, and the mechanism that picks one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import one_of, whole
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms import (
    Exponential,
    LocalDampening,
    PairwiseDampening,
    ParetoNoisyMax,
    PermuteAndFlip,
    SelectionMechanism,
    ShiftedLocalDampening,
    StableArgmax,
)
from dampen.privacy import Adjacency
from dampen.problem import SelectionProblem
from dampen.queries.splits.attribute import information_gain_problem, max_operator_problem, max_operator_winner_problem
from dampen.tables.contingency import Layout
from dampen.vectors import Integers

CRITERIA = ("max", "information_gain")
DEFAULTS = {"max": "permute_and_flip", "information_gain": "pairwise"}
READ_THE_BOUND = ("permute_and_flip", "exponential", "shifted")
"""Mechanisms that need a public bound of how far one record moves any gain."""
FOR_INDICATORS = ("pareto", "stable")
"""Mechanisms that pick by the 0/1 utility of the winner; for the max operator alone."""
MOST_FOR_INDICATORS = Fraction(100)
"""They take exp(epsilon), which no float is beyond this; a choice worth so much is certain anyway."""
SHIFTED_HORIZON = 64
"""How far shifted dampening looks; public."""
_BUILD: dict[str, Callable[[Fraction], Any]] = {
    "permute_and_flip": PermuteAndFlip,
    "exponential": Exponential,
    "local_dampening": LocalDampening,
    "shifted": lambda epsilon: ShiftedLocalDampening(epsilon, horizon=SHIFTED_HORIZON),
    "pairwise": PairwiseDampening,
    "pareto": lambda epsilon: ParetoNoisyMax(min(epsilon, MOST_FOR_INDICATORS), indicator=True),
    "stable": lambda epsilon: StableArgmax(min(epsilon, MOST_FOR_INDICATORS)),
}
MECHANISMS = tuple(_BUILD)


def build_mechanism(name: str, epsilon: Fraction) -> SelectionMechanism:
    """One of ``MECHANISMS``, at this price."""
    mechanism: SelectionMechanism = _BUILD[name](epsilon)
    return mechanism


@dataclass(frozen=True)
class SplitChoice:
    """A criterion and a mechanism that fit together; ``max_records`` bounds the size of any table, publicly."""

    criterion: str
    mechanism: str
    max_records: int | None

    @classmethod
    def of(cls, criterion: str, mechanism: str | None, max_records: int | None) -> "SplitChoice":
        """Refuse what does not fit, in one sentence."""
        by = one_of(CRITERIA, criterion=criterion)
        named = DEFAULTS[by] if mechanism is None else one_of(MECHANISMS, mechanism=mechanism)
        if max_records is not None:
            whole(max_records=max_records, least=2)
        if by == "information_gain" and named in FOR_INDICATORS:
            raise ParameterError(f"mechanism {named!r} needs criterion='max'; got 'information_gain'")
        if by == "information_gain" and named in READ_THE_BOUND and max_records is None:
            raise ParameterError(
                f"max_records must be given for information gain with mechanism {named!r}: a public bound of the "
                "number of records of any table"
            )
        return cls(by, named, max_records)

    def pick_all(
        self, counts: Integers, free: NDArray[np.bool_], layout: Layout, epsilon: Fraction, source: Entropy
    ) -> Integers:
        """For each node, independently, one of its free attributes, worth ``epsilon`` under ``ADD_REMOVE``.

        ``counts`` are by node, value and class. Nobody has paid here.
        """
        # All nodes throw their coins at once: this is what makes the default fast.
        if (self.criterion, self.mechanism) == ("max", "permute_and_flip"):
            return _flip_all(counts, free, layout, epsilon, source)
        starts, picked, mechanism = layout.starts, np.zeros(len(counts), dtype=np.int64), self.build(epsilon)
        for node, table in enumerate(counts):
            places = np.flatnonzero(free[node])
            tables = [table[starts[place] : starts[place + 1]] for place in places]
            picked[node] = places[mechanism.draw(self.pose(tables), source)]
        return picked

    def require_proved(self, layout: Layout, epsilon: Fraction) -> None:
        """Refuse an epsilon for which nothing is proved of the mechanism."""
        _require_proved(self, layout, epsilon)

    def build(self, epsilon: Fraction) -> SelectionMechanism:
        """The mechanism at this price."""
        return build_mechanism(self.mechanism, epsilon)

    def pose(self, tables: Sequence[Integers]) -> SelectionProblem:
        """The problem at one node: which of these attributes?"""
        if self.criterion == "information_gain":
            return information_gain_problem(tables, adjacency=Adjacency.ADD_REMOVE, max_records=self.max_records)
        problem = max_operator_winner_problem if self.mechanism in FOR_INDICATORS else max_operator_problem
        return problem(tables, adjacency=Adjacency.ADD_REMOVE)


def _flip_all(
    counts: Integers, free: NDArray[np.bool_], layout: Layout, epsilon: Fraction, source: Entropy
) -> Integers:
    """Permute-and-flip on the max operator, which is monotone and moves by at most 1: all of epsilon for each unit."""
    largest = reduce(np.maximum, counts.transpose(2, 0, 1))
    right = np.add.reduceat(largest, layout.starts[:-1], axis=1)
    best = np.where(free, right, -1).max(axis=1, keepdims=True)
    ends = np.cumsum(free.sum(axis=1))
    drawn = PermuteAndFlip(epsilon).draw_groups((best - right)[free], ends, source)
    # A draw is a place among its node's free attributes; those of all nodes stand in a row, node after node.
    places = np.flatnonzero(free)[drawn + ends - free.sum(axis=1)]
    return np.asarray(places % free.shape[1], dtype=np.int64)


@lru_cache
def _require_proved(choice: SplitChoice, layout: Layout, epsilon: Fraction) -> None:
    """All of it is public, so it is worked out once for all fits of a kind."""
    tables = [np.zeros((size, layout.classes), dtype=np.int64) for size in layout.sizes if size > 1]
    if tables:
        choice.build(epsilon).privacy(choice.pose(tables).frame)
