"""Ladders that also know how fast their first rung can change."""

from abc import abstractmethod

from dampen._validate import Number
from dampen.sensitivity.base import SensitivityFunction


class SecondOrder(SensitivityFunction):
    """A ladder of one number f whose local sensitivity LS changes by an amount that a whole number a governs.

    For graphs a is the largest number of common neighbours of two nodes. What must hold, for all neighbours x and y:

    - ``abs(f(x) - f(y)) <= first_order(x)``: it is the local sensitivity, or a bound of it for which the rest holds;
    - ``abs(common(x) - common(y)) <= 1``, and ``0 <= common <= common_bound``, which is public;
    - ``abs(first_order(x) - first_order(y)) <= second_order(common(x))``;
    - ``second_order`` is a public function, the same for all data sets, that does not decrease in a.
    """

    @property
    @abstractmethod
    def first_order(self) -> Number:
        """Not private. How far one step can move the number."""

    @property
    @abstractmethod
    def common(self) -> int:
        """Not private. The whole number a."""

    @property
    @abstractmethod
    def common_bound(self) -> int:
        """The public largest a."""

    @abstractmethod
    def second_order(self, a: int) -> Number:
        """How far one step can move ``first_order`` where ``common`` is at most a, for 0 <= a <= ``common_bound``."""
