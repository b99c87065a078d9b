"""Information gain with a global sensitivity that is computed from the number of records at hand."""

from collections.abc import Sequence
from math import ceil, log, log2
from typing import Any

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.queries.splits.attribute import information_gain_problem
from dampen.vectors import Floats
from experiments.refuted.base import Evidence, Kind, RefutedMechanism


def sensitivity_for(size: int) -> float:
    """log2(N + 1) + 1 / ln 2, with N the number of records."""
    return log2(size + 1) + 1 / log(2)


def gain_problem_of_size(tables: Sequence[Any]) -> SelectionProblem:
    """Which attribute gains the most information? The bound is that of a table of the size at hand.

    ``tables``: one for each attribute, values by classes.
    """
    exact = information_gain_problem(tables, adjacency=Adjacency.ADD_REMOVE)
    bound = ceil(sensitivity_for(int(np.sum(tables[0]))) * 2**32) / 2**32
    frame = Frame(exact.frame.candidates, bound=bound, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    return SelectionProblem(frame, exact.utilities)


class InformationGainWithPrivateSize(RefutedMechanism):
    """P proportional to exp(epsilon u / (2 Delta)), Delta = log2(N + 1) + 1 / ln 2, N the private number of records.

    A record more is another Delta, so the mechanism is not the exponential mechanism of any global sensitivity, and
    whoever is told Delta is told N. On small tables the law itself keeps to epsilon nevertheless: all gains fall with a
    record, which makes the half of the exponent slack. ``dampen.queries.information_gain_problem`` asks for a public
    ``max_records`` and uses the slack.
    """

    evidence = Evidence(
        kind=Kind.FRAME,
        claim="the global sensitivity of information gain is log2(N + 1) + 1 / ln 2, N the size of the data set",
        source="Farias et al., VLDB Journal 2023, Section 7.3 (Global sensitivity): 7 records, and one more",
        claimed_epsilon=1,
        problem_of=gain_problem_of_size,
        pair=((((7, 0),), ((7, 0),)), (((7, 1),), ((7, 1),))),
    )

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    @classmethod
    def as_claimed(cls) -> "InformationGainWithPrivateSize":
        """With epsilon = 1."""
        return cls(1)

    def log_probabilities(self, problem: SelectionProblem) -> Floats:
        """The law as published."""
        problem.require_public("log_probabilities")
        assert problem.frame.bound is not None
        rate = self.epsilon / (2 * float(problem.frame.bound))
        exponents = rate * np.asarray(problem.utilities, dtype=np.float64)
        exponents -= exponents.max()
        return np.asarray(exponents - np.log(np.exp(exponents).sum()))
