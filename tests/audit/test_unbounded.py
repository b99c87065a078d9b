"""Numbers without bounds, audited exactly: the joint law of everything that a table draws and tells, on small worlds.

Questions run as they are, through ``dampen.Table``; their draws alone are overheard. A centre or an end that is drawn
first picks what is drawn then: for every choice its log-ratio and the worst of what follows are added up, and the worst
choice counts. Proofs: docs/proofs/bounds.md.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import product
from math import inf
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from dampen import Adjacency, Budget, Number, Release, Table
from dampen.audit import add_remove_neighbours, audit_caps, multisets, replace_neighbours
from dampen.front import people
from dampen.mechanisms import (
    CapMechanism,
    CapRace,
    Laplace,
    LaplaceCounts,
    LimitRace,
    SignedCapRace,
    SignedCapScan,
    Staircase,
)
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.privacy import Ends
from dampen.problem import SignedCapProblem
from dampen.questions.private_bounds import ends, means, sums
from dampen.tables.grid import Grid, as_grid
from tests.audit.joint import Draw, told_by

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
BOTH = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
pytestmark = pytest.mark.filterwarnings("ignore::dampen.errors.CutOffWarning")
CAPS = (1, 2, 4)
Values = tuple[int, ...]
Ask = Callable[[Table], Release]
TOLD = (-2, 2), 7
"""What a race of sums is decided to tell."""


def table(x: Values, adjacency: Adjacency) -> Table:
    return Table({"v": list(x)}, columns={"v": Number(unit=1)}, budget=Budget(epsilon=100), adjacency=adjacency)


def world(values: range, rows: int, adjacency: Adjacency) -> list[tuple[Values, Values]]:
    """All pairs of neighbours of at most so many rows; where rows are replaced there is one at least."""
    if adjacency is ADD_REMOVE:
        pairs = [(x, y) for x in multisets(values, largest=rows - 1) for y in add_remove_neighbours(values)(x)]
    else:
        pairs = [(x, y) for x in multisets(values, largest=rows) if x for y in replace_neighbours(values)(x)]
    return [*{frozenset((x, y)): (x, y) for x, y in pairs if x != y}.values()]


# Sums


@contextmanager
def heard_problem(found: list[Any]) -> Iterator[None]:
    def draw(self: Any, problem: Any, source: object) -> Any:
        found.append((self, problem))
        return TOLD

    with patch.object(CapMechanism, "draw", draw), patch.object(sums, "CAPS", CAPS):
        yield


@BOTH
@pytest.mark.parametrize("few", [False, True], ids=["race", "scan"])
def test_a_sum_loses_what_its_mechanism_claims(few: bool, adjacency: Adjacency) -> None:
    """Beside as many giants of either sign as cost a race nothing, so that every other row counts."""
    values, claimed = range(-3, 4), SignedCapScan(1) if few else SignedCapRace(1, threshold=4)
    giants = () if few else (9, -9) * 4

    def pose(x: Values) -> SignedCapProblem:
        found: list[Any] = []
        with heard_problem(found):
            table((*x, *giants), adjacency).sum("v", few=few, epsilon=1)
        [(mechanism, problem)] = found
        assert mechanism == claimed
        assert isinstance(problem, SignedCapProblem)
        return problem

    largest = 1 if adjacency is ADD_REMOVE else 2
    near = add_remove_neighbours(values) if adjacency is ADD_REMOVE else replace_neighbours(values)
    report = audit_caps(claimed, pose, multisets(values, largest=largest), near)
    assert report.passed, str(report)
    if adjacency is ADD_REMOVE and not few:
        assert report.worst_log_ratio == pytest.approx(1, rel=1e-9)
    assert report.worst_log_ratio > 0.64


def test_values_of_one_sign_have_the_law_of_a_cap_race() -> None:
    found: list[Any] = []
    with heard_problem(found):
        table((0, 1, 3, 3, 9), ADD_REMOVE).sum("v", epsilon=1)
    [(race, problem)] = found
    law = np.exp(race.log_cap_probabilities(problem)).reshape(len(CAPS), len(CAPS)).sum(axis=1)
    alone = CapRace(1, threshold=race.threshold)
    assert law == pytest.approx(np.exp(alone.log_cap_probabilities(problem.positive)), rel=1e-12)
    assert problem.positive.sums == (4, 7, 11)
    assert problem.negative.sums == (0, 0, 0)


# Totals of persons


def totals(x: tuple[Values, ...], adjacency: Adjacency) -> Table:
    rows = [(f"p{place}", value) for place, person in enumerate(x) for value in person]
    data = {"who": [who for who, _ in rows], "v": [value for _, value in rows]}
    public: dict[str, Any] = {"columns": {"v": Number(unit=1)}, "adjacency": adjacency, "person": "who"}
    return Table(data, budget=Budget(epsilon=100), **public)


@BOTH
def test_totals_of_persons_lose_what_their_mechanism_claims(adjacency: Adjacency) -> None:
    kinds = [(-1,), (2,), (-2, 1), (2, 2), (1, -1)]

    def pose(x: tuple[Values, ...]) -> SignedCapProblem:
        found: list[Any] = []
        with heard_problem(found), patch.object(people, "ALL_CAPS", CAPS):
            totals(x, adjacency).sum("v", epsilon=1)
        [(mechanism, problem)] = found
        assert mechanism == SignedCapRace(1)
        assert isinstance(problem, SignedCapProblem)
        return problem

    if adjacency is ADD_REMOVE:
        report = audit_caps(SignedCapRace(1), pose, multisets(kinds, largest=1), add_remove_neighbours(kinds))
        assert report.worst_log_ratio == pytest.approx(1, rel=1e-9)
    else:
        report = audit_caps(SignedCapRace(1), pose, multisets([(), *kinds], largest=2), replace_neighbours(kinds))
    assert report.passed, str(report)


@BOTH
def test_totals_between_released_ends_move_by_what_the_noise_hides(adjacency: Adjacency) -> None:
    """Steps are as wide as a person moves the sum, and no wider."""
    kinds, between, moved = [(-9,), (9,), (-2, 1), (2, 2)], Ends((-2, 4), "who"), set()

    def pose(x: tuple[Values, ...]) -> tuple[int, Any]:
        found: list[Any] = []

        def draw(self: Any, problem: Any, source: object) -> int:
            found.append(problem)
            return 3

        with patch.object(Staircase, "draw", draw):
            release = totals(x, adjacency).sum("v", bounds=between, epsilon=1)
        assert release.ends == (-2, 4)
        [problem] = found
        return problem.steps, problem.frame.bound

    near = add_remove_neighbours(kinds) if adjacency is ADD_REMOVE else replace_neighbours(kinds)
    for x in multisets(kinds, largest=2):
        steps, bound = pose(x)
        assert steps == sum(min(max(sum(person), -2), 4) for person in x)
        assert bound == (4 if adjacency is ADD_REMOVE else 6)
        moved |= {abs(steps - pose(y)[0]) for y in near(x)}
    assert max(moved) == bound


# Choices, and what follows from them


class Overheard:
    """Everything that one question draws: choices are decided, one after the other, the rest is noted."""

    def __init__(self, decisions: tuple[int, ...]) -> None:
        self.draws, self.chosen, self._left = list[Draw](), list[int](), list(decisions)

    def choose(self, size: int, mechanism: Any, problem: Any) -> int:
        place = self._left.pop(0) % size
        self.draws.append(Draw(mechanism, problem))
        self.chosen.append(place)
        return place

    def note(self, answer: Any, mechanism: Any, problem: Any) -> Any:
        self.draws.append(Draw(mechanism, problem))
        return answer

    @contextmanager
    def listening(self) -> Iterator[None]:
        kinds: dict[Any, Any] = {
            SingleMechanism: lambda m, p, _: self.choose(len(p.frame.candidates), m, p),
            LimitRace: lambda m, p, _: p.frame.caps[self.choose(len(p.frame.caps), m, p)],
            CapMechanism: lambda m, p, _: self.note(TOLD, m, p),
            Laplace: lambda m, p, _: self.note(5, m, p),
            LaplaceCounts: lambda m, p, _: self.note(np.arange(p.frame.size), m, p),
        }
        with ExitStack() as stack:
            for kind, draw in kinds.items():
                stack.enter_context(patch.object(kind, "draw", draw))
            yield


def small_grid(unit: Any, leading_bits: Any = None, centre: int = 0) -> Grid:
    return as_grid(range(centre - 2, centre + 3))


@contextmanager
def small_worlds() -> Iterator[None]:
    with (
        patch.object(means, "CAPS", (1, 2, 4, 8)),
        patch.object(means, "unbounded_grid", small_grid),
        patch.object(ends, "LAST_POWER", 2),
    ):
        yield


class Audit:
    """One question of all data sets, for all decisions; how many choices it makes is public."""

    def __init__(self, ask: Ask, sizes: tuple[int, ...], adjacency: Adjacency) -> None:
        self._ask, self._adjacency = ask, adjacency
        self._decisions = [*product(*map(range, sizes))]
        self._known: dict[Values, list[tuple[Overheard, Any]]] = {}

    def hear(self, x: Values) -> list[tuple[Overheard, Any]]:
        if x not in self._known:
            self._known[x] = [self._listen(x, decisions) for decisions in self._decisions]
        return self._known[x]

    def _listen(self, x: Values, decisions: tuple[int, ...]) -> tuple[Overheard, Any]:
        heard, asked = Overheard(decisions), table(x, self._adjacency)
        with small_worlds(), heard.listening():
            release = self._ask(asked)
        assert asked.budget.spent.epsilon == release.loss.epsilon == 1  # type: ignore[attr-defined]
        return heard, (*told_by(release), release.cap)

    def worst(self, pairs: list[tuple[Values, Values]]) -> float:
        return max(_loss(*one, *other) for x, y in pairs for one, other in zip(self.hear(x), self.hear(y), strict=True))


def _loss(mine: Overheard, told: Any, theirs: Overheard, other: Any) -> float:
    """The worst log-ratio of the decided choices and everything that is drawn after them, both ways."""
    if told != other or len(mine.draws) != len(theirs.draws):
        return inf
    places, up, down = iter(mine.chosen), 0.0, 0.0
    for one, two in zip(mine.draws, theirs.draws, strict=True):
        if isinstance(one.mechanism, SingleMechanism | LimitRace):
            law = np.asarray(one.log_law()) - np.asarray(two.log_law())
            ratio = [law[next(places)]]
        elif isinstance(one.mechanism, CapMechanism):
            ratio = _cap_losses(one, two)
        else:
            parts = one.losses(two)
            ratio = [sum(float(part.max()) for part in parts), sum(float(part.min()) for part in parts)]
        up, down = up + max(ratio), down - min(ratio)
    return max(up, down)


def _cap_losses(one: Draw, two: Draw) -> list[float]:
    """Log-ratios of all pairs (ends, answer)."""
    assert one.mechanism == two.mechanism
    laws = one.mechanism.log_cap_probabilities(one.problem) - two.mechanism.log_cap_probabilities(two.problem)
    found = []
    for place, cap in enumerate(one.mechanism.outcomes(one.problem.frame)):
        noise = one.mechanism.noise(one.problem.frame, cap)
        totals = [one.mechanism.total(each.problem, cap) for each in (one, two)]
        steps = np.arange(
            min(totals) - noise.plateau - 2 * noise.step, max(totals) + noise.plateau + 2 * noise.step + 1
        )
        off = noise.log_probabilities(steps - totals[0]) - noise.log_probabilities(steps - totals[1])
        found += [laws[place] + off.max(), laws[place] + off.min()]
    return found


QUESTIONS: dict[str, tuple[Ask, tuple[int, ...]]] = {
    "mean": (lambda asked: asked.mean("v", epsilon=1), (5,)),
    "mean, a public centre": (lambda asked: asked.mean("v", centre=1, epsilon=1), ()),
    "mean, twice": (lambda asked: asked.mean("v", centre="twice", epsilon=1), (5, 5)),
    "variance": (lambda asked: asked.variance("v", epsilon=1), (3, 3)),
    "histogram": (lambda asked: asked.histogram("v", bars=4, epsilon=1), (3, 3)),
}
ENOUGH = {"mean": 0.7, "mean, a public centre": 0.7, "mean, twice": 0.7, "variance": 0.6, "histogram": 0.7}
"""A good part of epsilon is lost by somebody, so that a fault of a share would be seen."""


@BOTH
@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_chosen_first_and_what_follows_lose_no_more_than_epsilon(name: str, adjacency: Adjacency) -> None:
    ask, sizes = QUESTIONS[name]
    values, rows = (range(-1, 2), 1) if name == "mean, twice" else (range(-2, 3), 2)
    worst = Audit(ask, sizes, adjacency).worst(world(values, rows, adjacency))
    assert ENOUGH[name] * (0.6 if adjacency is REPLACE else 1) < worst <= 1 + 1e-9


# Planted faults


def test_a_centre_that_is_not_charged_is_found() -> None:
    ask, sizes = QUESTIONS["mean"]
    with patch.object(means, "CENTRE", means.CENTRE * 8):
        grew = Audit(lambda asked: _overspent(ask, asked), sizes, ADD_REMOVE)
        assert grew.worst(world(range(-2, 3), 2, ADD_REMOVE)) > 1.1


def _overspent(ask: Ask, asked: Table) -> Release:
    """All of epsilon for the centre, and the rest as if it were an eighth."""
    init = SignedCapRace.__init__

    def again(self: Any, epsilon: Any, *more: Any) -> None:
        init(self, "3/4", *more)

    with patch.object(SignedCapRace, "__init__", again):
        return ask(asked)


def test_ends_from_the_data_are_found() -> None:
    """The observed maximum as the end: an answer that is possible for one of two neighbours alone."""

    def widest(self: Any, problem: Any, source: object) -> int:
        above = [int(a) for a in problem.above]
        return int(problem.frame.caps[above.index(0)] if 0 in above else problem.frame.caps[-1])

    def ask(asked: Table) -> Release:
        with patch.object(LimitRace, "draw", widest):
            return asked.histogram("v", bars=4, epsilon=1)

    assert Audit(ask, (), ADD_REMOVE).worst(world(range(-2, 3), 2, ADD_REMOVE)) == inf
