"""The joint law of everything that one question draws, and what is told when the draws are decided from outside.

Of answers that have a rho and no epsilon divergences are added up in place of losses, at eleven orders.

Questions run as they are, through ``dampen.Table``; their draws alone are overheard. Draws of one answer are
independent of one another, so the worst loss of the whole answer, over all outputs, is the sum of the worst losses of
its draws, both ways. (That a draw has its law is for the tests of each draw alone.) What is made of the draws must not
know the data: with the draws decided, all data sets must tell one and the same release. Where they do not, or where
what is drawn has another shape or frame, some output is possible under one data set alone, and the loss is infinite.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from math import inf
from typing import Any
from unittest.mock import patch

import numpy as np

from dampen import Adjacency, Budget, Release, Table
from dampen.accounting.composition import rho_of
from dampen.audit.numeric import NumericLaw, read_pair
from dampen.audit.pair_audit import ORDERS, log_moment, public_facts
from dampen.mechanisms import CountsMechanism, Gaussian, GaussianCounts, Laplace, LaplaceCounts, NumericMechanism
from dampen.mechanisms.numeric.base import AdditiveMechanism
from dampen.mechanisms.numeric.gaussian_noise import GaussianNoise
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.privacy import PrivacyLoss
from dampen.vectors import Floats

Record = tuple[Any, ...]
Records = tuple[Record, ...]
Ask = Callable[[Table], Release]
BEYOND = 2
"""Laplace noise around two values has a constant ratio outside of them, so windows need not reach further."""


@dataclass(frozen=True, eq=False)
class Draw:
    """One draw: who drew, and of what."""

    mechanism: Any
    problem: Any

    def losses(self, other: "Draw") -> list[Floats]:
        """How much likelier each output is here than there; a list of independent parts."""
        if public_facts(self.problem) != public_facts(other.problem) or self.mechanism != other.mechanism:
            return [np.array([inf])]
        if isinstance(self.mechanism, Laplace):
            steps = _window(self.problem.steps, other.problem.steps)
            return [self.log_law(steps) - other.log_law(steps)]
        if isinstance(self.mechanism, CountsMechanism):
            rate = self.mechanism.noise(self.problem.frame)
            pairs = zip(self.problem.counts.tolist(), other.problem.counts.tolist(), strict=True)
            return [_of_shifted(rate, two - one) for one, two in pairs]
        if isinstance(self.mechanism, NumericMechanism):
            _, mine, theirs = read_pair(self.numeric_law, other.numeric_law, self.mechanism.privacy(self.problem.frame))
            return [mine - theirs]
        return [self.law - other.law]

    def divergences(self, other: "Draw") -> Floats:
        """D_a / a of what is drawn here from what is drawn there, and the other way round, for every order a."""
        if public_facts(self.problem) != public_facts(other.problem) or self.mechanism != other.mechanism:
            return np.full((2, len(ORDERS)), inf)
        if isinstance(self.mechanism, Gaussian):
            return _of_gaussian(self.mechanism.noise(self.problem), abs(self.problem.steps - other.problem.steps))
        if isinstance(self.mechanism, GaussianCounts):
            noise = self.mechanism.noise(self.problem.frame)
            moved = np.abs(self.problem.counts - other.problem.counts).tolist()
            return np.asarray(np.sum([_of_gaussian(noise, count) for count in moved], axis=0))
        return _of_laws(self.law, other.law)

    @cached_property
    def numeric_law(self) -> NumericLaw:
        return NumericLaw(self.mechanism, self.problem, 0, "a table")

    @cached_property
    def law(self) -> Floats:
        """That of a choice, found once: a data set has many neighbours."""
        return self.log_law()

    def log_law(self, *outputs: Any) -> Floats:
        return np.asarray(self.mechanism.log_probabilities(self.problem, *outputs))


@cache
def _of_shifted(noise: Any, apart: int) -> Floats:
    """How much likelier each number is with noise around 0 than with the same so far from there."""
    steps = _window(0, apart)
    return np.asarray(noise.log_probabilities(steps) - noise.log_probabilities(steps - apart))


@cache
def _of_gaussian(noise: GaussianNoise, apart: int) -> Floats:
    """Of two such noises so far apart: what counts at the order a lies a times as far out, a few deviations around."""
    wide = int(ORDERS[-1] * apart + 12 * float(noise.variance) ** 0.5) + 2
    steps = np.arange(-wide, wide + 1)
    return _of_laws(noise.log_probabilities(steps), noise.log_probabilities(steps - apart))


def _of_laws(one: Floats, other: Floats) -> Floats:
    both = ((one, one - other), (other, other - one))
    return np.array([[log_moment(law, (a - 1) * loss) / (a - 1) / a for a in ORDERS] for law, loss in both])


def _window(one: int, other: int) -> Any:
    return np.arange(min(one, other) - BEYOND, max(one, other) + BEYOND + 1)


@dataclass(frozen=True, eq=False)
class Heard:
    """What one question drew of one data set, and what it told of the draws that were decided."""

    draws: tuple[Draw, ...]
    told: Any
    loss: PrivacyLoss


def loss_between(one: Heard, other: Heard) -> float:
    """The worst log-ratio of the whole answer, over all outputs."""
    if one.told != other.told or len(one.draws) != len(other.draws):
        return inf
    parts = [part for mine, theirs in zip(one.draws, other.draws, strict=True) for part in mine.losses(theirs)]
    return max(sum(float(part.max()) for part in parts), -sum(float(part.min()) for part in parts))


def rho_between(one: Heard, other: Heard) -> float:
    """The largest divergence of the whole answer over its order, of all orders, both ways."""
    if one.told != other.told or len(one.draws) != len(other.draws):
        return inf
    parts = [mine.divergences(theirs) for mine, theirs in zip(one.draws, other.draws, strict=True)]
    return float(np.sum(parts, axis=0).max())


@contextmanager
def overheard(decision: int = 0) -> Iterator[list[Draw]]:
    """Every draw inside is noted, and decided: by a public number alone, so that it knows no data."""
    heard: list[Draw] = []

    def number(self: Any, problem: Any, source: object) -> int:
        heard.append(Draw(self, problem))
        return decision * (700 if len(heard) % 2 else -700)

    def choice(self: Any, problem: Any, source: object) -> int:
        heard.append(Draw(self, problem))
        return decision % len(problem.frame.candidates)

    def counts(self: Any, problem: Any, source: object) -> Any:
        heard.append(Draw(self, problem))
        return decision * (-1) ** np.arange(problem.frame.size)

    with (
        patch.object(AdditiveMechanism, "draw", number),
        patch.object(SingleMechanism, "draw", choice),
        patch.object(LaplaceCounts, "draw", counts),
        patch.object(GaussianCounts, "draw", counts),
    ):
        yield heard


def told_by(release: Release) -> tuple[Any, ...]:
    """All that a release tells."""
    return type(release), release.value, release.loss, release.mechanism, release.note, release.accuracy


class Audit:
    """One question of all data sets, each asked once. ``names``: the columns of a record, in order.

    ``by_rho``: a budget of rho pays, and what is compared are divergences.
    """

    def __init__(
        self,
        ask: Ask,
        names: tuple[str, ...],
        columns: dict[str, Any],
        adjacency: Adjacency,
        decision: int = 0,
        by_rho: bool = False,
    ) -> None:
        self._ask, self._names, self._adjacency, self._decision = ask, names, adjacency, decision
        self._columns, self._known = columns, dict[Records, Heard]()
        self._limit: dict[str, Any] = {"rho": 100} if by_rho else {"epsilon": 100}
        self._between = rho_between if by_rho else loss_between

    def hear(self, x: Records) -> Heard:
        if x not in self._known:
            self._known[x] = self._listen(x)
        return self._known[x]

    def _listen(self, x: Records) -> Heard:
        budget = Budget(**self._limit)
        data = {name: [record[place] for record in x] for place, name in enumerate(self._names)}
        with overheard(self._decision) as draws:
            release = self._ask(self.table(data, budget))
        paid = release.loss.epsilon if "epsilon" in self._limit else rho_of(release.loss)
        assert paid in (budget.spent.epsilon, budget.spent.rho), "what is told of the price is what was paid"
        assert budget.adjacency is release.loss.adjacency is self._adjacency
        return Heard(tuple(draws), told_by(release), release.loss)

    def table(self, data: dict[str, list[Any]], budget: Budget) -> Table:
        return Table(data, columns=self._columns, budget=budget, adjacency=self._adjacency)

    def worst(self, universe: Iterable[Records], neighbours: Callable[[Records], Iterable[Records]]) -> float:
        """The largest loss of all pairs, each compared both ways; and that all of them claim the same."""
        return max(self._between(self.hear(x), self.hear(y)) for x in universe for y in neighbours(x))

    def claim(self, x: Records = ()) -> float:
        loss = self.hear(x).loss
        return float(rho_of(loss) if "rho" in self._limit else loss.epsilon or 0)
