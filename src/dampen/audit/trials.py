"""Made-up data sets, with all their neighbours, that a mechanism of each kind is tried on.

Every case has an admissible sensitivity function: its claim about the query holds, so what breaks is the mechanism's.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dampen.audit.arguments import Neighbours
from dampen.audit.neighbours import DataSet, add_remove_neighbours, multisets, replace_neighbours
from dampen.privacy import Adjacency
from dampen.problem import CountsFrame, CountsProblem, Frame, GrowthLaw, NumericFrame, NumericProblem, SelectionProblem
from dampen.sensitivity import DegreeLike, SecondOrder, Step
from dampen.vectors import Floats

KINDS = "abc"
MOST = 6
"""More records of a kind are counted as so many, where sensitivities follow the number of records."""
SECRET = 98765432
"""A number that would be recognised wherever it showed up."""


@dataclass(frozen=True)
class Case:
    """Data sets, their neighbours, and the question that is asked of them."""

    name: str
    problem_of: Callable[[Any], Any]
    data_sets: tuple[DataSet, ...]
    neighbours: Neighbours

    def problem(self, place: int = -1) -> Any:
        """The problem of one data set: the last has the most records."""
        return self.problem_of(self.data_sets[place])


def _of_records(name: str, problem_of: Callable[[Any], Any], domain: str = KINDS, largest: int = 4) -> Case:
    return Case(name, problem_of, tuple(multisets(domain, largest=largest)), add_remove_neighbours(domain))


def _of_replaced_records(name: str, problem_of: Callable[[Any], Any]) -> Case:
    return Case(name, problem_of, tuple(multisets(KINDS, largest=4, smallest=1)), replace_neighbours(KINDS))


# Selection


def _votes(x: tuple[str, ...]) -> SelectionProblem:
    frame = Frame(tuple(KINDS), bound=1, adjacency=Adjacency.ADD_REMOVE, monotone=True, unit="voter")
    return SelectionProblem(frame, [x.count(kind) for kind in KINDS])


def _votes_replaced(x: tuple[str, ...]) -> SelectionProblem:
    frame = Frame(tuple(KINDS), bound=1, adjacency=Adjacency.REPLACE)
    return SelectionProblem(frame, [x.count(kind) for kind in KINDS])


def _quarter_votes(x: tuple[str, ...]) -> SelectionProblem:
    """Utilities that are floats, some of them negative."""
    frame = Frame(tuple(KINDS), bound="1/4", adjacency=Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, [x.count(kind) / 4 * sign for kind, sign in zip(KINDS, (1, -1, 1), strict=True)])


def _winner(x: tuple[str, ...]) -> SelectionProblem:
    """1 for the kind with the most records, the first of equals; so many must change before another one has."""
    counts = [x.count(kind) for kind in KINDS]
    first = int(np.argmax(counts))
    distance = min(counts[first] - n + int(place > first) for place, n in enumerate(counts) if place != first)
    frame = Frame(tuple(KINDS), bound=1, adjacency=Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, [int(place == first) for place in range(3)], Step([distance - 1] * 3, bound=1))


def _matches(x: tuple[str, ...]) -> SelectionProblem:
    """Markets of buyers and sellers, b and s or c and t: one person more moves their matches by the other side."""
    sides = [(min(x.count(buyer), MOST), min(x.count(seller), MOST)) for buyer, seller in ("bs", "ct")]
    frame = Frame(("north", "south"), bound=MOST, adjacency=Adjacency.ADD_REMOVE, monotone=True)
    larger = DegreeLike([max(pair) for pair in sides], values=range(MOST), bound=MOST)
    return SelectionProblem(frame, [buyers * sellers for buyers, sellers in sides], larger)


# Numbers


class _PairRungs(SecondOrder):
    """How many pairs there are among n records: one more makes n more, and then one more than that."""

    common_bound = MOST

    def __init__(self, records: int) -> None:
        super().__init__(size=1, bound=MOST)
        self._records = records

    @property
    def common(self) -> int:
        return self._records

    @property
    def first_order(self) -> int:
        return self._records

    @property
    def saturation(self) -> int:
        return MOST

    def second_order(self, a: int) -> int:
        return 1

    def at(self, t: int) -> Floats:
        return np.array([float(min(self._records + t, MOST))])


def _size(x: tuple[str, ...]) -> NumericProblem:
    return NumericProblem(NumericFrame(1, Adjacency.ADD_REMOVE, unit="voter"), len(x))


def _pairs(x: tuple[str, ...]) -> NumericProblem:
    records = min(len(x), MOST)
    frame = NumericFrame(MOST, Adjacency.ADD_REMOVE, growth=GrowthLaw(power=2, alpha=1))
    return NumericProblem(frame, records * (records - 1) // 2, _PairRungs(records))


# Counts


def _histogram(x: tuple[str, ...]) -> CountsProblem:
    return CountsProblem(CountsFrame(3, 1, Adjacency.ADD_REMOVE, unit="voter"), [x.count(kind) for kind in KINDS])


def _histogram_replaced(x: tuple[str, ...]) -> CountsProblem:
    return CountsProblem(CountsFrame(3, 2, Adjacency.REPLACE, largest=1), [x.count(kind) for kind in KINDS])


@cache
def cases_of(kind: type[Any]) -> tuple[Case, ...]:
    """The cases for mechanisms that take problems of this kind."""
    if kind is SelectionProblem:
        return (
            _of_records("votes", _votes),
            _of_replaced_records("votes, replaced", _votes_replaced),
            _of_records("quarter votes", _quarter_votes),
            _of_records("winner", _winner),
            _of_records("matches", _matches, domain="bcst", largest=3),
        )
    if kind is NumericProblem:
        return (_of_records("size", _size, domain="a", largest=8), _of_records("pairs", _pairs, domain="a", largest=8))
    return (_of_records("histogram", _histogram), _of_replaced_records("histogram, replaced", _histogram_replaced))


def secret_problem(kind: type[Any]) -> Any:
    """A problem of this kind whose numbers no message may show."""
    if kind is SelectionProblem:
        frame = Frame(tuple(KINDS), bound=1, adjacency=Adjacency.ADD_REMOVE)
        return SelectionProblem(frame, [SECRET, SECRET + 1, SECRET - 1])
    if kind is NumericProblem:
        return NumericProblem(NumericFrame(1, Adjacency.ADD_REMOVE), SECRET)
    return CountsProblem(CountsFrame(3, 1, Adjacency.ADD_REMOVE), [SECRET, SECRET + 1, SECRET - 1])
