"""What mechanisms have in common that tell who belongs to which group."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import Number, plain, positive
from dampen.entropy import Entropy
from dampen.privacy import Adjacency, PrivacyLoss
from dampen.vectors import Floats, Integers

Members = NDArray[np.bool_]
"""For each person whether one group holds them."""
Groups = tuple[Integers, ...]
"""For each category the places of its people, increasing."""


@dataclass(frozen=True, init=False, repr=False)
class GroupMechanism(ABC):
    """Tells for every category a set of people. ``epsilon`` is the price of the whole mapping. Holds no data.

    People and their number are public; a neighbour is a data set in which one person has another category.
    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", positive(epsilon=epsilon))

    def privacy(self) -> PrivacyLoss:
        """Epsilon for the whole mapping, one person's category replaced."""
        return PrivacyLoss(self.epsilon, adjacency=Adjacency.REPLACE)

    def require(self, people: int) -> None:
        """Refuse, in one sentence, so many people as it cannot take. Public."""
        return

    @abstractmethod
    def draw(self, places: Integers, kinds: int, source: Entropy) -> Groups:
        """An exact draw of the whole mapping; ``places`` tells each person's category. Nobody has paid for it here."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(epsilon={plain(self.epsilon)})"


class SetMechanism(GroupMechanism):
    """Draws each category's set by itself. A person who changes category changes two sets: each costs epsilon / 2."""

    @property
    def share(self) -> Fraction:
        """What one set may cost."""
        return self.epsilon / 2

    def prepared(self, people: int, source: Entropy) -> Any:
        """What all sets of one release share, drawn without looking at data; public."""
        return None

    @abstractmethod
    def draw_set(self, members: Members, shared: Any, source: Entropy) -> Members:
        """An exact draw of one category's set."""

    @abstractmethod
    def set_law(self, members: Members, shared: Any = None) -> Floats:
        """Not private. Ln P of all subsets; person i is in subset number s where bit i of s is 1."""

    def draw(self, places: Integers, kinds: int, source: Entropy) -> Groups:
        """The sets of all categories, independently given what they share. They may overlap and need not cover."""
        shared = self.prepared(len(places), source)
        return tuple(np.flatnonzero(self.draw_set(places == kind, shared, source)) for kind in range(kinds))
