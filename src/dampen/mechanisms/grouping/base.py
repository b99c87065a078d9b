"""What mechanisms have in common that tell who belongs to which group."""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.entropy import Entropy
from dampen.mechanisms.base import Mechanism
from dampen.privacy import ListRelease, PrivacyLoss, PrivateAccuracy
from dampen.problem import GroupFrame, GroupProblem
from dampen.vectors import Floats, Integers

Members = NDArray[np.bool_]
"""For each person whether one group holds them."""
Groups = tuple[Integers, ...]
"""For each category the places of its people, increasing."""


@dataclass(frozen=True, init=False, repr=False)
class GroupMechanism(Mechanism[GroupFrame, GroupProblem, ListRelease]):
    """Tells for every category a set of people. ``epsilon`` is the price of the whole mapping.

    People and their number are public; a neighbour is a data set in which one person has another category.
    """

    takes = GroupProblem

    def privacy(self, frame: GroupFrame) -> PrivacyLoss:
        """Epsilon for the whole mapping, one person's category replaced."""
        return PrivacyLoss(self.epsilon, adjacency=frame.adjacency, unit=frame.unit)

    @abstractmethod
    def draw(self, problem: GroupProblem, source: Entropy) -> Groups:
        """An exact draw of the whole mapping. Nobody has paid for it here."""

    def answer(self, frame: GroupFrame, drawn: Groups) -> Groups:
        """The places of people, category by category."""
        return drawn

    def accuracy(self, frame: GroupFrame) -> PrivateAccuracy:
        """None: how many people are told wrongly depends on the groups themselves."""
        return PrivateAccuracy("how many people stand in the wrong group depends on the groups, and is private")


class SetMechanism(GroupMechanism):
    """Draws each category's set by itself. A person who changes category changes two sets, and both are paid for."""

    @property
    def share(self) -> Fraction:
        """What one set may cost where nothing better is proved of two sets together."""
        return self.epsilon / 2

    def prepare(self, people: int, source: Entropy) -> Any:
        """What all sets of one release share, drawn without looking at data; public."""
        return None

    @abstractmethod
    def draw_set(self, members: Members, shared: Any, source: Entropy) -> Members:
        """An exact draw of one category's set."""

    @abstractmethod
    def set_law(self, members: Members, shared: Any = None) -> Floats:
        """Not private. Ln P of all subsets; person i is in subset number s where bit i of s is 1."""

    def draw(self, problem: GroupProblem, source: Entropy) -> Groups:
        """The sets of all categories, independently given what they share. They may overlap and need not cover."""
        places, shared = problem.places, self.prepare(problem.frame.people, source)
        return tuple(
            np.flatnonzero(self.draw_set(places == kind, shared, source)) for kind in range(problem.frame.kinds)
        )
