"""What a table with a person draws, on all small tables: the joint law of everything, limits among it.

A data set is a multiset of persons, a person is a multiset of rows. Questions run as they are, through
``dampen.Table``; their draws alone are overheard. A limit that is drawn first picks what is drawn then: so for every
limit its log-ratio and the worst of what follows are added up, and the worst limit counts.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import inf
from typing import Any
from unittest.mock import patch

import numpy as np

from dampen import Adjacency, Budget, Release, Table
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.front import people, people_groups
from dampen.mechanisms import LimitRace, Staircase
from dampen.mechanisms.caps.base import CapMechanism
from dampen.questions.people import votes
from tests.audit.joint import Draw, overheard, told_by

CAPS = (1, 2, 4)
"""The limits of the audits: few, so that all of them are tried; which ones there are is public."""
BITS = 2
"""Into how many parts votes are cut here: coarse ones round the most."""
Person = tuple[Any, ...]
People = tuple[Person, ...]
Ask = Callable[[Table], Release]


def persons(kinds: Iterable[Any], rows: int) -> list[Person]:
    """All persons with one to so many rows of these kinds."""
    listed = sorted(kinds)
    return [each for count in range(1, rows + 1) for each in combinations_with_replacement(listed, count)]


def tables_of(everybody: list[Any], adjacency: Adjacency, most: int) -> tuple[Iterable[Any], Callable[[Any], Any]]:
    """Tables of up to so many of these persons, and the neighbours of one: together all pairs.

    Where persons get other rows who has none is not there, so that tables of fewer are among those of ``most``.
    """
    if adjacency is Adjacency.REPLACE:
        kinds = [(), *everybody]
        return multisets(kinds, largest=most, smallest=most), replace_neighbours(kinds)
    return multisets(everybody, largest=most - 1), add_remove_neighbours(everybody)


@contextmanager
def few_limits() -> Iterator[None]:
    """Few limits and coarse votes."""
    with (
        patch.object(people, "ROW_CAPS", CAPS),
        patch.object(people, "caps_of_amounts", lambda largest: CAPS),
        patch.object(people_groups, "caps_of_amounts", lambda largest: CAPS),
        patch.object(people_groups, "bits_for_amounts", lambda largest: BITS),
        patch.object(people, "BITS", BITS),
        patch.object(people_groups, "BITS", BITS),
        patch.object(votes, "BITS", BITS),
    ):
        yield


@contextmanager
def overheard_limits(decision: int) -> Iterator[list[Draw]]:
    """Every draw inside is noted, the limit too, which is the one of this place."""
    with overheard() as heard:

        def limit(self: Any, problem: Any, source: object) -> int:
            heard.append(Draw(self, problem))
            return int(problem.frame.caps[min(decision, problem.frame.last)])

        with patch.object(LimitRace, "draw", limit):
            yield heard


@dataclass(frozen=True, eq=False)
class Heard:
    """What was drawn and told for one limit."""

    draws: tuple[Draw, ...]
    told: Any


class PeopleAudit:
    """One question of all data sets, which costs ``price``. ``names``: the columns of a row, in order."""

    def __init__(
        self, ask: Ask, names: tuple[str, ...], columns: dict[str, Any], adjacency: Adjacency, price: int = 1
    ) -> None:
        self._ask, self._names, self._columns, self._adjacency = ask, names, columns, adjacency
        self._price = price
        self._known: dict[People, list[Heard]] = {}

    def table(self, x: People, budget: Budget) -> Table:
        rows = [(f"p{place}", row) for place, person in enumerate(x) for row in person]
        data = {name: [row[place] for _, row in rows] for place, name in enumerate(self._names)}
        data["who"] = [who for who, _ in rows]
        return Table(data, columns=self._columns, budget=budget, adjacency=self._adjacency, person="who")

    def hear(self, x: People) -> list[Heard]:
        """For every limit what is drawn and told; once, where no limit is drawn. Who has no rows is not there."""
        here = tuple(person for person in x if person)
        if here not in self._known:
            with few_limits():
                heard = [self._listen(here, 0)]
                if any(isinstance(draw.mechanism, LimitRace) for draw in heard[0].draws):
                    heard += [self._listen(here, decision) for decision in range(1, len(CAPS))]
            self._known[here] = heard
        return self._known[here]

    def _listen(self, x: People, decision: int) -> Heard:
        budget = Budget(epsilon=100)
        with overheard_limits(decision) as draws:
            release = self._ask(self.table(x, budget))
        assert budget.spent.epsilon == release.loss.epsilon == self._price
        assert budget.unit == release.loss.unit == "who"
        assert release.loss.adjacency is self._adjacency
        return Heard(tuple(draws), (*told_by(release), release.cap))

    def worst(self, universe: Iterable[People], neighbours: Callable[[People], Iterable[People]]) -> float:
        """The largest loss of all pairs, both ways."""
        pairs = {frozenset((x, y)) for x in universe for y in neighbours(x) if x != y}
        return max(self._loss(*pair) for pair in pairs)

    def _loss(self, x: People, y: People) -> float:
        mine, theirs = self.hear(x), self.hear(y)
        if len(mine) != len(theirs):
            return inf
        return max(loss_between(one, other) for one, other in zip(mine, theirs, strict=True))


def loss_between(one: Heard, other: Heard) -> float:
    """The worst log-ratio of one limit and everything that is drawn under it."""
    if one.told != other.told or len(one.draws) != len(other.draws):
        return inf
    up = down = 0.0
    for mine, theirs in zip(one.draws, other.draws, strict=True):
        parts = _losses(mine, theirs)
        if isinstance(mine.mechanism, LimitRace):
            place = list(mine.problem.frame.caps).index(int(one.told[-1]))
            parts = [parts[0][place : place + 1]]
        up += sum(float(part.max()) for part in parts)
        down -= sum(float(part.min()) for part in parts)
    return max(up, down)


def _losses(mine: Draw, theirs: Draw) -> list[Any]:
    if isinstance(mine.mechanism, LimitRace):
        if mine.problem.frame != theirs.problem.frame or mine.mechanism != theirs.mechanism:
            return [np.full(len(mine.problem.frame.caps), inf)]
        return [mine.law - theirs.law]
    if isinstance(mine.mechanism, Staircase):
        noise, (one, two) = mine.mechanism.noise(mine.problem), (mine.problem.steps, theirs.problem.steps)
        reach = noise.plateau + 2 * noise.step
        steps = np.arange(min(one, two) - reach, max(one, two) + reach + 1)
        return [noise.log_probabilities(steps - one) - noise.log_probabilities(steps - two)]
    return mine.losses(theirs)


class Stop(Exception):
    """Nothing more is needed."""


def cap_problem(audit: PeopleAudit, ask: Ask, x: People) -> tuple[Any, Any]:
    """The mechanism that tells a cap and a total of a data set, and its problem."""
    found: list[tuple[Any, Any]] = []

    def draw(self: Any, problem: Any, source: object) -> Any:
        found.append((self, problem))
        cap = problem.frame.caps[-1]
        return (cap, 0) if self.takes is type(problem) and not hasattr(problem, "negative") else ((-cap, cap), 0)

    with few_limits(), patch.object(CapMechanism, "draw", draw):
        ask(audit.table(x, Budget(epsilon=100)))
    [(mechanism, problem)] = found
    return mechanism, problem
