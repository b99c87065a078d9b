"""Questions of values, one for each person, seen as questions of persons: other words for what one step moves."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dampen._validate import Number
from dampen.accounting import converted
from dampen.entropy import Entropy
from dampen.privacy import Adjacency, PrivacyLoss
from dampen.questions.by_group import share_of_group
from dampen.questions.record import Posed


class OfPersons(Posed[Any]):
    """What was posed under ``ADD_REMOVE``, of persons in place of records.

    A person with other rows, perhaps with none, is one less and one more: under ``REPLACE`` it costs twice as much. The
    number of persons is never public.
    """

    def __init__(self, posed: Posed[Any], adjacency: Adjacency, unit: str) -> None:
        self._posed, self.frame = posed, posed.frame
        self.loss = converted(replace(posed.loss, unit=unit), adjacency, unit)
        self.accuracy_before = posed.accuracy_before

    def draw(self, source: Entropy) -> Any:
        """What the answer is made of."""
        return self._posed.draw(source)

    def build(self, drawn: Any, loss: PrivacyLoss, note: str) -> Any:
        """The answer that was drawn."""
        return self._posed.build(drawn, loss, note)


def pose_of_persons(
    pose: Callable[[Fraction], Posed[Any]], *, epsilon: Number, adjacency: Adjacency, unit: str
) -> Posed[Any]:
    """The question that ``pose`` makes under ``ADD_REMOVE`` of a price, at this price in all."""
    return OfPersons(pose(share_of_group(epsilon, adjacency)), adjacency, unit)
