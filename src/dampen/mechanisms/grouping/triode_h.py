"""TRIODE-H with the right sensitivity and the right number of picks."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dampen._validate import Number, plain, render, whole
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms.grouping.base import Members, SetMechanism
from dampen.mechanisms.laws import sets_in_turn
from dampen.mechanisms.selection.exponential import Exponential
from dampen.queries.groups import LARGEST_FRAGMENT, fragment_problem, group_size_problem
from dampen.sampling.exact import uniform_batch
from dampen.sampling.exponents import DEEPEST
from dampen.sampling.flips import draw_in_turn
from dampen.vectors import Floats, Integers

FRAGMENT = 10
"""How many people a fragment holds, as in the paper."""


@dataclass(frozen=True, init=False, repr=False)
class TriodeH(SetMechanism):
    """For each category first a size, then so many people, by how many of the category their fragment holds.

    Definition
    ----------
    People are dealt at random into fragments of h, the last one perhaps smaller. For each category: a size l by the
    exponential mechanism on -|l - size| at epsilon / 4; then l picks without replacement, each by the exponential
    mechanism at epsilon / (4 l) on the fragment's score S(h, f) / 2^(h - 1).

    Guarantee
    ---------
    epsilon-differential privacy for all categories together, when one person's category changes
    (docs/proofs/triode_h.md). Its use is another matter: everybody in a fragment scores alike, in the category or not.

    Differs from the paper
    ----------------------
    The sensitivity of S is 2^(h - 1), not h 2^(h - 1). Exactly l picks are made, not l + 1, none for l = 0, and nobody
    is picked twice. Scores of a smaller last fragment are brought to the same scale, else it would always win. S is
    computed in closed form. Both stages of both categories that a person touches are paid for: epsilon / 4 each.

    Numerics
    --------
    Exact: whole scores, fractions as rates. The rate of a pick ends where exponents would exceed 1024.

    Cost
    ----
    O(n log n); the number of tries depends on the scores.

    Example
    -------
    >>> import numpy as np
    >>> law = np.exp(TriodeH(4, 1).set_law(np.array([True, False]), np.array([0, 1])))
    >>> law.round(3).tolist()
    [0.274, 0.281, 0.171, 0.274]

    References
    ----------
    Chaves and Machado, Differentially private group-by data releasing algorithm, 2019.
    """

    fragment: int

    def __init__(self, epsilon: Number, fragment: int = FRAGMENT) -> None:
        super().__init__(epsilon)
        size = whole(fragment=fragment, least=1)
        if size > LARGEST_FRAGMENT:
            raise ParameterError(f"fragment must be at most {LARGEST_FRAGMENT} people; got {render(fragment)}")
        object.__setattr__(self, "fragment", size)

    @property
    def stage(self) -> Fraction:
        """What each of the two stages of one category may cost."""
        return self.share / 2

    def prepare(self, people: int, source: Entropy) -> Integers:
        """The fragment of each person, at random and without looking at data."""
        keys = uniform_batch(people, 2**31, source)
        fragments = np.empty(people, dtype=np.int64)
        fragments[np.argsort(keys, kind="stable")] = np.arange(people) // self.fragment
        return fragments

    def draw_set(self, members: Members, shared: Integers, source: Entropy) -> Members:
        """A size, then so many people."""
        size = Exponential(self.stage).draw(group_size_problem(members), source)
        chosen = np.zeros(len(members), dtype=np.bool_)
        if size:
            problem = fragment_problem(members, shared)
            scores: Any = problem.utilities
            chosen[draw_in_turn(scores, self.pick_rate(size, int(problem.frame.bound or 1)), size, source)] = True
        return chosen

    def pick_rate(self, picks: int, bound: int) -> Fraction:
        """The exponent of one unit of score in each of so many picks; scores of h people range over h bounds."""
        return min(self.stage / (2 * picks), Fraction(DEEPEST, self.fragment)) / bound

    def set_law(self, members: Members, shared: Integers | None = None) -> Floats:
        """Not private. Ln P of all subsets, given the fragments; people are dealt in order where none are given."""
        people = len(members)
        fragments = np.arange(people) // self.fragment if shared is None else shared
        sizes = np.exp(np.asarray(Exponential(self.stage).log_probabilities(group_size_problem(members))))
        law = np.zeros(2**people)
        law[0] = sizes[0]
        for picks in range(1, people + 1):
            problem = fragment_problem(members, fragments)
            rate = self.pick_rate(picks, int(problem.frame.bound or 1))
            law += sizes[picks] * sets_in_turn(float(rate) * (problem.groups.max() - problem.groups), picks)
        return np.log(law)

    def __repr__(self) -> str:
        return f"TriodeH(epsilon={plain(self.epsilon)}, fragment={self.fragment})"
