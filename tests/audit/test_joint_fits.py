"""Whole fits of the joint model: a size is bought, a pair of tests chosen and points drawn, for epsilon together.

``fit`` runs as it is; every draw in it is decided from outside and priced by its exact law or density (``fits.py``).
The largest loss is close to epsilon, so that a tenth that nobody paid for is seen. What is too little to be seen in a
loss is seen in the prices and frames that the draws were handed.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category
from dampen.learn import PrivateClassifier, classifier, joint_model, training_table
from dampen.learn.joint_model import JointLayout
from dampen.learn.table_growth import choose_pairs
from dampen.mechanisms import ObjectivePerturbation
from dampen.problem import LogisticProblem
from tests.audit.fits import Decision, Script, far_points, run, worst_loss
from tests.audit.objective_densities import features

EPSILON, DECLARED = 40, 10
"""With so many records declared one pair of tests is chosen, out of six; of so large an epsilon little goes to e2."""
SIZES = (1, 10)
"""Sizes that may be bought, on either side of the true one: one pair is chosen too."""
VOTE_BITS = 2
Person = tuple[tuple[int, int, int], ...]
"""Rows of a category of three values, one of two, and the class; a record is a person of one row."""
People = tuple[Person, ...]
CROWD: People = (((0, 0, 0),),) * 8
MIXED: People = (*CROWD[:3], ((1, 1, 1),), ((2, 0, 1), (1, 0, 0)), ((0, 1, 1),))
STRANGERS: People = (((1, 0, 1),), ((0, 1, 1),), ((2, 1, 1),))
"""Of the other class: some pairs set the first two apart from the crowd, which is what a choice tells most by."""
MANY_ROWS: People = (((1, 0, 1),) * 3, ((0, 1, 1), (1, 1, 1)), ((0, 1, 1), (1, 0, 0), (2, 0, 1)))
Worlds = tuple[tuple[int | None, bool, Adjacency], ...]
WORLDS: Worlds = tuple(product((DECLARED, None), (False, True), (Adjacency.ADD_REMOVE, Adjacency.REPLACE)))
"""The declared number of records, whether persons have several rows, and what neighbours are."""


@pytest.fixture(autouse=True)
def _coarse_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_table, "BITS", VOTE_BITS)


def fit(people: People, *, expected: int | None, person: bool, adjacency: Adjacency) -> str:
    """What a fit lets out."""
    rows = [(name, *row) for name, held in enumerate(people) for row in held]
    budget = Budget(epsilon=EPSILON)
    table = dampen.Table(
        {name: [row[spot] for row in rows] for spot, name in enumerate(("who", "code", "flag", "kind"))},
        columns={"code": Category(0, 1, 2), "flag": Category(0, 1), "kind": Category(0, 1)},
        budget=budget, adjacency=adjacency, person="who" if person else None,
    )  # fmt: skip
    made = PrivateClassifier(EPSILON, expected_records=expected, kind="joint").fit(table, "kind")
    assert budget.spent.epsilon == EPSILON
    assert len(made.tests_) == 2, "a pair must be chosen, and paid for"
    text: str = made.to_json()
    return text


def sizes(_true: Decision) -> list[Decision]:
    return [(size,) for size in SIZES]


def near_records(problem: LogisticProblem) -> list[list[float]]:
    """Coefficients against and for each record: far out, where ridges decide, and close to where the loss bends."""
    found = far_points(problem)[:2]
    for codes in sorted({tuple(codes) for codes in problem.codes.tolist()}):
        x = features(problem.frame, codes)
        found += [(far * x).tolist() for far in (-64.0, 64.0, -(2.0**-20), 2.0**-20)]
    return found


def judge(
    pairs: Iterable[tuple[People, People]], expected: int | None = DECLARED, person: bool = False,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
) -> float:  # fmt: skip
    """The worst loss over pairs of neighbours, as a share of epsilon."""
    shown = partial(fit, expected=expected, person=person, adjacency=adjacency)
    found = [worst_loss(x, y, shown, sizes, near_records) for x, y in pairs]
    assert min(compared for _, compared in found) > 20
    return max(loss for loss, _ in found) / EPSILON


def added(more: People) -> list[tuple[People, People]]:
    return [(held, (*held, person)) for held, person in product((CROWD, MIXED), more)]


@pytest.mark.parametrize("expected", [DECLARED, None], ids=["declared", "bought"])
def test_one_record_more_costs_epsilon_at_most(expected: int | None) -> None:
    single = tuple((row,) for held in MIXED for row in held)
    pairs = [*added(STRANGERS)[:2], (single, (*single, STRANGERS[1]))]
    assert 0.93 < judge(pairs, expected) <= 1


@pytest.mark.parametrize("expected", [DECLARED, None], ids=["declared", "bought"])
def test_one_person_more_costs_epsilon_at_most(expected: int | None) -> None:
    """A vote that may be spread pays more for curvature, which these persons do not use up."""
    assert 0.84 < judge(added(MANY_ROWS)[:4], expected, person=True) <= 1


@pytest.mark.parametrize("person", [False, True], ids=["rows", "persons"])
def test_a_replaced_one_costs_epsilon_at_most(person: bool) -> None:
    pairs = [((*CROWD, ((1, 1, 1),)), (*CROWD, ((0, 0, 1),))), ((*CROWD, ((0, 1, 1),)), (*CROWD, ((0, 0, 0),)))]
    assert 0.55 < judge(pairs, person=person, adjacency=Adjacency.REPLACE) <= 1


def draws_of(expected: int | None, person: bool, adjacency: Adjacency) -> tuple[list[Fraction], LogisticProblem]:
    """The prices of all draws of a fit, and what the points were drawn from."""
    seen = list[LogisticProblem]()

    def watch(problem: LogisticProblem) -> list[list[float]]:
        seen.append(problem)
        return far_points(problem)

    script = Script([], sizes, points=watch)
    run(partial(fit, MIXED, expected=expected, person=person, adjacency=adjacency), script)
    [problem] = seen
    return script.prices, problem


@pytest.mark.parametrize(("expected", "person", "adjacency"), WORLDS, ids=str)
def test_what_size_choice_and_points_cost_is_epsilon_exactly(
    expected: int | None, person: bool, adjacency: Adjacency
) -> None:
    """The points are drawn in a frame of ``ADD_REMOVE``, so that a replaced record has half of epsilon twice."""
    whole = Fraction(EPSILON, 2 if adjacency is Adjacency.REPLACE else 1)
    bought = [] if expected is not None else [whole / 50]
    rest = whole - sum(bought)
    prices, problem = draws_of(expected, person, adjacency)
    assert prices == [*bought, rest * 3 / 10, rest * 7 / 10]
    assert sum(prices) == whole
    assert problem.frame.adjacency is Adjacency.ADD_REMOVE


@pytest.mark.parametrize("person", [False, True], ids=["rows", "persons"])
def test_points_are_told_what_a_vote_is_and_that_it_is_spread(person: bool) -> None:
    """Several rows of a person are not of rank one: unless the frame says so, nobody pays for their curvature."""
    _, problem = draws_of(DECLARED, person, Adjacency.ADD_REMOVE)
    assert problem.frame.spread == person
    assert problem.frame.unit == ("who" if person else "row")
    assert problem.vote == (1 << VOTE_BITS if person else 1)
    assert problem.weights.sum() == problem.vote * (len(MIXED) if person else sum(map(len, MIXED)))


def points_at_all_of_epsilon(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(joint_model, "ObjectivePerturbation", lambda rest: ObjectivePerturbation(rest * 10 / 7))


def choice_at_all_of_epsilon(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        joint_model, "choose_pairs",
        lambda counter, shares, source: choose_pairs(counter, tuple(share * 10 / 3 for share in shares), source),
    )  # fmt: skip


def votes_of_half_the_units(patch: pytest.MonkeyPatch) -> None:
    def doubled(frame: Any, codes: Any, targets: Any, weights: Any, vote: int) -> LogisticProblem:
        return LogisticProblem(frame, codes, targets, weights, max(1, vote // 2))

    patch.setattr(joint_model, "LogisticProblem", doubled)


FAULTS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], bool]] = {
    "points at all of epsilon": (points_at_all_of_epsilon, False),
    "points of persons at all of epsilon": (points_at_all_of_epsilon, True),
    "a choice at all of epsilon": (choice_at_all_of_epsilon, False),
    "votes of half the units": (votes_of_half_the_units, True),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_nobody_paid_for_is_caught(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plant, person = FAULTS[fault]
    plant(monkeypatch)
    assert judge(added(MANY_ROWS if person else STRANGERS)[:1], person=person) > 1.05


def test_a_size_that_nobody_paid_for_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fiftieth is too little for a loss to show, and prices show it."""
    grow = joint_model.grow_joint
    monkeypatch.setattr(classifier, "grow_joint", lambda table, **given: grow(table, **given | {"epsilon": EPSILON}))
    prices, _ = draws_of(None, False, Adjacency.ADD_REMOVE)
    assert sum(prices) > EPSILON


def test_a_spread_that_nobody_tells_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then votes that may be spread have the price of whole ones: less noise than two rows of a person need."""
    frame = JointLayout.frame
    _, told = draws_of(DECLARED, True, Adjacency.ADD_REMOVE)
    monkeypatch.setattr(JointLayout, "frame", lambda self, **given: frame(self, **given | {"spread": False}))
    _, untold = draws_of(DECLARED, True, Adjacency.ADD_REMOVE)
    fair, cheap = (ObjectivePerturbation(EPSILON).calibration(problem.frame) for problem in (told, untold))
    assert cheap.rate > 1.1 * fair.rate
