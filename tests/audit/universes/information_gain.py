"""Information gain of binary attributes: monotone when a record is added or removed, unbounded without a largest table.

A record is one value (0 or 1) per attribute and a class (0 or 1) at the end. The work on decision trees replaces
:func:`information_gain_problem` by its real query; the universes stay as they are.
"""

from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, log2

import numpy as np

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import add_remove_neighbours, multisets
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import Floats
from tests.audit.universes.base import Universe

FLOOR = Fraction(1, 2**16)
"""Bits below which no rung is read."""

Record = tuple[int, ...]
Counts = tuple[int, int]
"""How many records of each class one value of an attribute has."""


def entropy_term(x: int) -> float:
    """F(x) = x log2 x, and 0 at 0."""
    return x * log2(x) if x > 0 else 0.0


def increment(x: int) -> float:
    """f(x) = F(x + 1) - F(x), and 0 at 0: increasing and concave."""
    return entropy_term(x + 1) - entropy_term(x)


def reach(cell: Counts, t: int) -> float:
    """M(t): the most that one more record of this value can change the gain, when t records have changed.

    The worst t changes first remove the rarer class down to one record, then add to the other one.
    """
    total, rarest = sum(cell), min(cell)
    p, e = (total, 0) if rarest == 0 else (total - 1, rarest - 1)
    return increment(p - t) - increment(e - t) if t < e else increment(p - 2 * e + t)


class InformationGainRungs(SensitivityFunction):
    """LS(x, t, A): the largest M(t) over the values of attribute A, never above the bound."""

    def __init__(self, cells: list[list[Counts]], bound: Fraction | None) -> None:
        super().__init__(size=len(cells), bound=bound, floor=FLOOR)
        self._cells, self._rows = cells, list[Floats]()

    @cached_property
    def saturation(self) -> int | None:
        """Where every rung has met the bound, which the rungs, growing without limit, all do."""
        if self.bound is None:
            return None
        t = 0
        while self.at(t).min() < float(self.bound):
            t += 1
        return t

    def at(self, t: int) -> Floats:
        """The closed form, computed once."""
        while len(self._rows) <= t:
            row = np.array([max(reach(cell, len(self._rows)) for cell in values) for values in self._cells])
            self._rows.append(row if self.bound is None else np.minimum(row, float(self.bound)))
        return self._rows[t]


def information_gain_problem(x: tuple[Record, ...], attributes: int, largest: int | None) -> SelectionProblem:
    """Which attribute tells most about the class? ``largest``: the public number of records no table exceeds.

    The utility of an attribute is the sum of F over its cells less the sum of F over its values, never above 0 and the
    information gain in bits up to a term that is the same for all attributes. One step moves it by at most
    f(largest - 1), here rounded up.
    """
    cells = [
        [(sum(r[a] == v and r[-1] == 0 for r in x), sum(r[a] == v and r[-1] == 1 for r in x)) for v in (0, 1)]
        for a in range(attributes)
    ]
    bound = None if largest is None else Fraction(ceil(increment(largest - 1) * 2**20), 2**20)
    frame = Frame(range(attributes), bound=bound, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    gains = [sum(entropy_term(c) for cell in values for c in cell) - _of_values(values) for values in cells]
    return SelectionProblem(frame, np.array(gains), InformationGainRungs(cells, bound))


def _of_values(values: list[Counts]) -> float:
    return sum(entropy_term(sum(cell)) for cell in values)


def information_gain(*, attributes: int, largest: int, bounded: bool) -> Universe:
    """All tables of up to ``largest`` records; ``bounded``: that number is public, else there is no finite bound."""
    domain = list(product((0, 1), repeat=attributes + 1))
    return Universe(
        f"information gain, {attributes} attributes, up to {largest} records, {'bounded' if bounded else 'no bound'}",
        lambda x: information_gain_problem(x, attributes, largest if bounded else None),
        multisets(domain, largest=largest - 1),
        add_remove_neighbours(domain),
        horizon=largest,
    )
