"""TRIODE with local dampening."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.grouping.base import Members, SetMechanism
from dampen.mechanisms.grouping.triode import MOST_PEOPLE, epsilon_by_cells, members_of
from dampen.mechanisms.selection.exponential import Exponential
from dampen.mechanisms.selection.local_dampening import LocalDampening
from dampen.privacy import PrivacyLoss
from dampen.problem import GroupFrame
from dampen.queries.groups import dice_problem
from dampen.vectors import Floats

BEST = 1
"""The level from which dampened scores are measured: that of the group itself, whatever the group. Public."""


@dataclass(frozen=True, init=False, repr=False)
class DampenedTriode(SetMechanism):
    """For each category a set of people by its dampened Dice score: by how many must move before it could score 1.

    Definition
    ----------
    P[r] proportional to exp(c * D(r, G)) on all 2^n sets, independently for each category, with c = epsilon / 2. D is
    the dampened Dice score around the level 1, which is the best score, by s(t) = min(1, 2 / max(|r| + |G| - t, 1)).

    Guarantee
    ---------
    epsilon-differential privacy for all categories together, when one person's category changes: where a group is not
    empty its scores move by at most half a step (docs/proofs/dampened_triode.md). No larger rate is private.

    Differs from the paper
    ----------------------
    It is not in the group-by paper: TRIODE with the dampening of another one. One person moves the score of a large set
    by little, and dampening says so. Around the level 0 of the dampening paper the order is inverted: with much budget
    everybody would be told, whatever the group. Around 1 it is the group itself.

    Numerics
    --------
    Exact, by cells of equal overlap and outside count; exponents are rounded to the lattice.

    Cost
    ----
    O(n^2) numbers of n bits for each category; refused beyond 2,000 people.

    Example
    -------
    >>> import numpy as np
    >>> law = np.exp(DampenedTriode(2).set_law(np.array([True, False])))
    >>> law.round(3).tolist()
    [0.157, 0.427, 0.157, 0.259]

    References
    ----------
    Chaves and Machado, Differentially private group-by data releasing algorithm, 2019. Farias and others, Local
    dampening, VLDB Journal 2023.
    """

    def privacy(self, frame: GroupFrame) -> PrivacyLoss:
        """Epsilon, for at most 2,000 people."""
        if frame.people > MOST_PEOPLE:
            raise ParameterError(
                f"ids must be at most {MOST_PEOPLE} people for method 'dampened_triode'; got {frame.people}: use "
                "method='randomised_response', which has no such limit"
            )
        return super().privacy(frame)

    def draw_set(self, members: Members, shared: Any, source: Entropy) -> Members:
        """A cell, then one of its sets."""
        return members_of(self._by_cells().draw(dice_problem(members), source), len(members))

    def set_law(self, members: Members, shared: Any = None) -> Floats:
        """Not private. Ln P of all subsets."""
        return np.asarray(self._by_cells().log_probabilities(dice_problem(members)), dtype=np.float64)

    def _by_cells(self) -> LocalDampening:
        return LocalDampening(epsilon_by_cells(self.epsilon), law=Exponential, shift=BEST)
