"""Randomised response with any number of categories."""

from dataclasses import dataclass
from math import exp, log1p
from typing import Any

import numpy as np

from dampen.certified import ball
from dampen.entropy import Entropy
from dampen.mechanisms.grouping.base import GroupMechanism, Groups
from dampen.problem import GroupProblem
from dampen.sampling.exact import event_batch, uniform_batch
from dampen.vectors import Integers


@dataclass(frozen=True, init=False, repr=False)
class RandomisedResponse(GroupMechanism):
    """Every person's category is kept, or replaced by a uniform one, by a coin of their own.

    Definition
    ----------
    With K categories each person keeps theirs with probability e^epsilon / (e^epsilon + K - 1) and has each other one
    with probability 1 / (e^epsilon + K - 1), independently. Drawn as: with probability K / (e^epsilon + K - 1) a
    uniform category, the own one among them; else the own.

    Guarantee
    ---------
    epsilon-differential privacy for the whole mapping, when one person's category changes. No epsilon-private release
    of sets finds more of a group's members at the same rate of false ones, person by person
    (docs/proofs/randomised_response.md).

    Differs from the paper
    ----------------------
    It is not in the group-by paper, which proposes TRIODE. It answers the same question with a partition.

    Numerics
    --------
    Exact: 16 random bits per person against certified bounds of the probability, more where these do not decide.

    Cost
    ----
    O(n), the same for every data set of n people.

    Example
    -------
    >>> import numpy as np
    >>> RandomisedResponse(1).keep_probability(2)
    0.7310585786300049
    >>> people = np.repeat([0, 1], 5000)
    >>> told = RandomisedResponse(1).simulate(people, 2, np.random.default_rng(0))
    >>> round(float((told == people).mean()), 2)
    0.73

    References
    ----------
    Warner, Randomized response: a survey technique for eliminating evasive answer bias, JASA 1965. Kairouz, Oh and
    Viswanath, Extremal mechanisms for local differential privacy, NeurIPS 2014.
    """

    def keep_probability(self, kinds: int) -> float:
        """The probability that a person keeps their category. Public."""
        return 1 / (1 + (kinds - 1) * exp(-min(float(self.epsilon), 700.0)))

    def draw(self, problem: GroupProblem, source: Entropy) -> Groups:
        """The people of each category. Nobody has paid for it here."""
        kinds = problem.frame.kinds
        told = self.draw_places(problem.places, kinds, source)
        order = np.argsort(told, kind="stable")
        ends = np.cumsum(np.bincount(told, minlength=kinds))
        return tuple(np.split(order, ends[:-1]))

    def draw_places(self, places: Integers, kinds: int, source: Entropy) -> Integers:
        """An exact draw of everybody's category."""
        told = places.astype(np.int64)
        stirred = np.flatnonzero(event_batch(self._stir_probability(kinds), len(told), source))
        told[stirred] = uniform_batch(len(stirred), kinds, source)
        return told

    def log_probability(self, places: Integers, told: Integers, kinds: int) -> float:
        """Not private. Ln P that these categories are told."""
        log_keep = -log1p((kinds - 1) * exp(-float(self.epsilon)))
        return float(len(places) * log_keep - float(self.epsilon) * np.count_nonzero(places != told))

    def simulate(self, places: Integers, kinds: int, rng: np.random.Generator) -> Integers:
        """Categories drawn by a seeded generator; not private, for public data only."""
        keep = rng.random(len(places)) < self.keep_probability(kinds)
        return np.where(keep, places, (places + rng.integers(1, kinds, size=len(places))) % kinds)

    def _stir_probability(self, kinds: int) -> Any:
        """The probability of a uniform category, K q / (1 + (K - 1) q) with q = exp(-epsilon): never rational."""

        def probability(flint: Any) -> Any:
            q = (-ball(flint, self.epsilon)).exp()
            return kinds * q / (1 + (kinds - 1) * q)

        return probability
