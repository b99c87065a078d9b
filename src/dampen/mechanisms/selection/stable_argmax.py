"""StableArgmax."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np

from dampen.certified import arithmetic, ball
from dampen.entropy import Entropy
from dampen.errors import DataError, ParameterError
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.privacy import PrivacyLoss
from dampen.problem import Frame, SelectionProblem, count_candidates
from dampen.sampling import exact
from dampen.vectors import Floats, nth_member, total_size

PRECISION = 4096
"""Bits of the law's arithmetic: enough for shares of exp(-1024)."""
DEEPEST = 1024
"""Distances beyond DEEPEST / epsilon count as that far, which keeps them within one step of a neighbour's."""


@dataclass(frozen=True, init=False, repr=False)
class StableArgmax(SingleMechanism):
    """Name the winner with a probability that grows with how many people would have to change to unseat it.

    Definition
    ----------
    Reads a problem of utilities 0 and 1 with bound 1: the winner w has utility 1, and its distance k is 1 + the first t
    at which some s(t, r) reaches 1. With E = exp(epsilon) and R candidates, p_1 = E / (E + R - 1) and
    p_(k+1) = min(E p_k, 1 - (1 - p_k) / E). The winner is named with probability p_k, each other candidate with equal
    probability. Without a winner every candidate is equally likely.

    Guarantee
    ---------
    epsilon-differential privacy, and no private law that sees only winner and distance, and treats all candidates
    alike, names the winner more often (docs/proofs/stable_argmax.md). No bounded range is claimed.

    Differs from the paper
    ----------------------
    Replaces smooth noisy max on 0/1 utilities, whose published noise is not private. Distances beyond 1024 / epsilon
    count as that far.

    Numerics
    --------
    The coin of probability p_k is compared bit by bit with certified bounds.

    Cost
    ----
    O(n log k) to find the distance k, and one coin.

    Example
    -------
    >>> import numpy as np, dampen
    >>> from dampen.sensitivity import Step
    >>> frame = dampen.Frame(("tea", "coffee", "milk"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem = dampen.SelectionProblem(frame, [0, 1, 0], Step([4, 4, 4], bound=1)).as_public()
    >>> np.exp(StableArgmax(epsilon=1).log_probabilities(problem)).round(4).tolist()
    [0.0039, 0.9922, 0.0039]
    >>> picks = StableArgmax(epsilon=1).simulate(problem, np.random.default_rng(0), size=1000)
    >>> int((picks == 1).sum()) > 950
    True

    References
    ----------
    Chaves, Differentially private selection using smooth sensitivity, 2024 (the 0/1 utilities). Thakurta and Smith,
    Differentially private feature selection via stability arguments, COLT 2013 (stability).
    """

    def privacy(self, frame: Frame) -> PrivacyLoss:
        """Epsilon, for frames with bound 1."""
        if frame.bound != 1:
            raise ParameterError("StableArgmax needs a frame with bound 1: its utilities are 0 and 1")
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    def require(self, problem: SelectionProblem) -> None:
        """Refuse other utilities than one 1 among 0s too."""
        super().require(problem)
        self._winner(problem)

    def _winner(self, problem: SelectionProblem) -> int | None:
        """The group of the winner, if there is one."""
        groups, sizes = problem.groups, problem.sizes
        winners = np.flatnonzero(groups == 1)
        several = len(winners) > 1 or (len(winners) == 1 and sizes is not None and sizes[winners[0]] > 1)
        if several or not np.isin(groups, (0, 1)).all():
            raise DataError("utilities must be 0, and 1 for at most one candidate")
        return int(winners[0]) if len(winners) else None

    def _distance(self, problem: SelectionProblem) -> int:
        """k: one more than the first t at which some rung is 1."""
        last = -(-DEEPEST // self.epsilon)
        if problem.sensitivity.saturation is not None:
            last = min(last, problem.sensitivity.saturation)
        return 1 + bisect_left(range(last), True, key=lambda t: bool(problem.sensitivity.at(t).max() >= 1))

    def _others(self, flint: Any, distance: int, size: int) -> Any:
        """P that somebody else than the winner is named, as a ball.

        The recursion in closed form: up to K = 1 + floor(ln((E + R - 1) / (E + 1)) / epsilon) the first term is the
        smaller one, and beyond it the others' share falls by E with each step. Where the ball leaves K open, both
        values are enclosed.
        """
        epsilon = ball(flint, self.epsilon)
        total = epsilon.exp() + (size - 1)
        turn = (total / (epsilon.exp() + 1)).log() / epsilon
        shares = []
        for end in (turn.lower(), turn.upper()):
            rising = min(distance, max(1, 1 + int(end.floor().unique_fmpz())))
            shares.append((1 - (epsilon * rising).exp() / total) * (epsilon * (rising - distance)).exp())
        return shares[0].union(shares[1])

    def _group_law(self, problem: SelectionProblem) -> Floats:
        size, winner = count_candidates(problem.frame.candidates), self._winner(problem)
        self.privacy(problem.frame)
        if winner is None or size == 1:
            return np.full(len(problem.groups), -np.log(size))
        with arithmetic(PRECISION) as flint:
            others = self._others(flint, self._distance(problem), size)
            log_winner, log_others = float((1 - others).log()), float(others.log())
        law = np.full(len(problem.groups), log_others - np.log(size - 1))
        law[winner] = log_winner
        return law

    def _pick(self, problem: SelectionProblem, source: Entropy) -> tuple[int, int]:
        size, winner = count_candidates(problem.frame.candidates), self._winner(problem)
        distance = self._distance(problem)
        dethroned = winner is not None and size > 1
        if dethroned:
            dethroned = exact.event(lambda flint: self._others(flint, distance, size), source)
        if winner is not None and not dethroned:
            return winner, 0
        rivals = np.ones(len(problem.groups), np.int64) if problem.sizes is None else problem.sizes.copy()
        if winner is not None:
            rivals[winner] = 0
        return nth_member(rivals, exact.uniform_below(total_size(rivals), source))
