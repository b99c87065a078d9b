"""The private score, audited exactly: private_score itself on all small tables, and the law of what it releases."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from importlib import import_module
from itertools import product
from math import log
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, NumericProblem
from dampen.audit import AuditReport, audit_numeric
from dampen.learn import private_score
from dampen.mechanisms import Laplace, LaplaceCounts
from dampen.mechanisms.numeric.noises import Geometric
from dampen.privacy import NumericRelease
from dampen.vectors import Floats, Integers

counts_module = import_module("dampen.mechanisms.counts.laplace_counts")
Table = tuple[Any, ...]
"""The true class of each record."""
LARGEST = 6
ANY_LABEL = (0, 1, "other", None)
"""A wrong class, the right one, one that the model does not know, and none at all."""
EPSILON = Fraction(3, 2)
WIDE = 40
"""Released counts up to this far from 0 are compared."""


class AlwaysOne:
    """A model that owes nothing to the rows."""

    classes_ = np.array([0, 1])

    def predict(self, X: Any) -> Integers:
        return np.ones(len(X), dtype=np.int64)


class Copycat(AlwaysOne):
    """A planted fault: a model that learnt these very rows by heart, one of them decides about all."""

    def __init__(self, x: Table) -> None:
        self._answer = int(0 not in x)

    def predict(self, X: Any) -> Integers:
        return np.full(len(X), self._answer)


Model = Callable[[Table], AlwaysOne]


def sound(x: Table) -> AlwaysOne:
    return AlwaysOne()


def tables(largest: int, domain: Table = (0, 1), smallest: int = 0) -> list[Table]:
    return [x for size in range(smallest, largest + 1) for x in product(domain, repeat=size)]


def replaced(x: Table, domain: Table) -> Iterator[Table]:
    for place, label in product(range(len(x)), domain):
        yield (*x[:place], label, *x[place + 1 :])


def scored(x: Table, model: Model, adjacency: Adjacency) -> Any:
    budget = Budget(epsilon=EPSILON)
    rows = np.zeros((len(x), 1))
    found = private_score(model(x), rows, list(x), epsilon=EPSILON, budget=budget, adjacency=adjacency)
    assert budget.spent.epsilon == found.loss.epsilon == EPSILON
    return found


# Publicly many rows


def posed(x: Table, model: Model) -> NumericProblem:
    """What private_score hands to the mechanism."""
    seen: list[NumericProblem] = []
    real = Laplace.release

    def spied(self: Laplace, problem: NumericProblem, **words: Any) -> NumericRelease:
        assert self.epsilon == EPSILON
        seen.append(problem)
        return real(self, problem, **words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Laplace, "release", spied)
        scored(x, model, Adjacency.REPLACE)
    [problem] = seen
    return problem


def audited(model: Model, domain: Table, largest: int) -> AuditReport:
    universe = tables(largest, domain, smallest=1)
    return audit_numeric(Laplace(EPSILON), lambda x: posed(x, model), universe, lambda x: replaced(x, domain))


@pytest.mark.parametrize(("domain", "largest"), [((0, 1), LARGEST), (ANY_LABEL, 3)], ids=["0/1", "any label"])
def test_a_score_of_publicly_many_rows_loses_epsilon_and_no_more(domain: Table, largest: int) -> None:
    report = audited(sound, domain, largest)
    assert report.passed, str(report)
    assert report.worst_log_ratio == pytest.approx(float(EPSILON))
    assert report.pairs >= 150


def test_a_model_that_knows_the_rows_is_caught_where_their_number_is_public() -> None:
    report = audited(Copycat, (0, 1), 4)
    assert not report.passed
    assert report.worst_log_ratio == pytest.approx(3 * float(EPSILON))


# Privately many rows


@dataclass(frozen=True)
class Counted:
    """The true counts behind a score, and the rate of the noise that each of them got."""

    right: int
    wrong: int
    rate: Fraction

    def law(self) -> Floats:
        """Ln P of every pair of released counts within the window."""
        steps = np.arange(-WIDE, WIDE + 1)
        noise = Geometric(self.rate)
        return np.add.outer(noise.log_probabilities(steps - self.right), noise.log_probabilities(steps - self.wrong))


def counted(x: Table, model: Model) -> Counted:
    rates: list[Fraction] = []

    def recorded(rate: Fraction, count: int, source: object) -> Integers:
        rates.append(rate)
        assert count == 2
        return np.zeros(count, dtype=np.int64)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "discrete_laplace_batch", recorded)
        found = scored(x, model, Adjacency.ADD_REMOVE)
    [rate] = rates
    return Counted(found.accuracy.right, found.accuracy.wrong, rate)


def answers() -> dict[tuple[int, int], float]:
    """The answer for every pair of released counts near 0: a function of them alone."""
    found = {}
    for right, wrong in product(range(-2, 5), repeat=2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(LaplaceCounts, "draw", lambda *_, told=(right, wrong): np.array(told))
            found[right, wrong] = float(scored((), sound, Adjacency.ADD_REMOVE))
    return found


def worst(model: Model, domain: Table, largest: int) -> float:
    laws = {x: counted(x, model).law() for x in tables(largest, domain)}
    longer = [x for x in laws if x]
    less = [(x, x[:place] + x[place + 1 :]) for x in longer for place in range(len(x))]
    return max(float(np.abs(laws[x] - laws[y]).max()) for x, y in less)


@pytest.mark.parametrize(("domain", "largest"), [((0, 1), LARGEST), (ANY_LABEL, 3)], ids=["0/1", "any label"])
def test_a_score_of_privately_many_rows_loses_epsilon_and_no_more(domain: Table, largest: int) -> None:
    assert worst(sound, domain, largest) == pytest.approx(float(EPSILON))


def test_a_model_that_knows_the_rows_is_caught() -> None:
    """The record that turns the answers for three others moves one count by 2 and the other by 3."""
    assert worst(Copycat, (0, 1), 4) == pytest.approx(5 * float(EPSILON))


def test_the_answer_itself_loses_no_more_than_the_counts_it_is_made_of() -> None:
    """The law of the number, over the released counts near 0: the same outcomes on both sides, so ratios hold."""
    told, steps = answers(), range(-WIDE, WIDE + 1)
    laws = {}
    for x in tables(3):
        law, table = counted(x, sound).law(), defaultdict[float, float](float)
        for pair, answer in told.items():
            table[answer] += float(np.exp(law[steps.index(pair[0]), steps.index(pair[1])]))
        laws[x] = table
    losses = [
        abs(log(laws[x][answer] / laws[x[:place] + x[place + 1 :]][answer]))
        for x in laws
        for place in range(len(x))
        for answer in set(told.values())
    ]
    assert 0.5 * float(EPSILON) < max(losses) <= float(EPSILON) * (1 + 1e-9)
    assert told[3, 1] == 0.75
    assert told[-2, 3] == 0
    assert told[0, 0] == told[-1, 0] == 0.5
