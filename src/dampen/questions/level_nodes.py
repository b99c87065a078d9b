"""The level method from a graph to the list of its nodes: one draw for h, then one for the list."""

from typing import Any

import numpy as np

from dampen._validate import Number
from dampen.entropy import Entropy
from dampen.graphs.levels import distance_two_sums
from dampen.mechanisms import LaplaceTopK
from dampen.queries.graph.level import (
    LevelPlan,
    clipped_h,
    kth_largest_degree,
    level_plan,
    level_problem,
    level_rates,
    pair_weights,
)
from dampen.sampling.discrete_laplace import discrete_laplace
from dampen.vectors import Integers

LONGEST_TABLE = 2**16
"""Weights of pairs with more common neighbours than this are taken to be those of this many."""


def draw_by_level(offsets: Any, neighbours: Any, *, k: int, epsilon: Number, source: Entropy) -> tuple[int, ...]:
    """The indices of the k most influential nodes, best first. The caller has paid ``epsilon`` for it (EDGE).

    A share of 1/20 buys h, the k-th largest degree with discrete Laplace noise; what remains buys the list. The plan is
    a function of h, epsilon, k and the number of nodes alone (docs/proofs/level.md).
    """
    starts = np.asarray(offsets, dtype=np.int64)
    degrees = np.diff(starts)
    for_h, for_list = level_rates(epsilon)
    noisy = kth_largest_degree(degrees, k) + discrete_laplace(for_h, source)
    plan = level_plan(clipped_h(noisy, len(degrees)), epsilon=for_list, k=k, n=len(degrees))
    problem = level_problem(level_sums(starts, neighbours, plan), degrees, plan)
    mechanism = LaplaceTopK(k, for_list, movers=2, drift=plan.drift)
    return mechanism.draw(problem, source)


def require_level(epsilon: Number, *, k: int, n: int) -> None:
    """Refuse, before anything is paid, what the method could not answer for any graph of n nodes."""
    for_list = level_rates(epsilon)[1]
    LaplaceTopK(k, for_list, movers=2, drift=level_plan(clipped_h(n, n), epsilon=for_list, k=k, n=n).drift)


def level_sums(offsets: Any, neighbours: Any, plan: LevelPlan) -> Integers:
    """T of every node in units of 2^-bits; zeros where the plan scores by degree."""
    n = len(offsets) - 1
    if plan.by_degree:
        return np.zeros(n, dtype=np.int64)
    weights = pair_weights(plan.step, plan.bits, min(n, LONGEST_TABLE) + 1)
    return distance_two_sums(offsets, neighbours, weights)
