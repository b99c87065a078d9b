"""The whole group-by, audited exactly: the joint law of all categories' sets when one person changes category.

Every method, all tables of up to six people over two and three categories; TRIODE and dampened TRIODE by cells for more
people. Sets of one release are independent, so the worst loss of the joint law is the sum of the worst losses of the
sets, both ways; on small tables it is compared with the law of all mappings, written out.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Adjacency, Budget, Category
from dampen.audit import audit_admissibility, audit_selection
from dampen.mechanisms import Exponential, LocalDampening, PermuteAndFlip, SelectionMechanism
from dampen.mechanisms.grouping.base import GroupMechanism, Members, SetMechanism
from dampen.mechanisms.grouping.dampened_triode import DampenedTriode
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.mechanisms.grouping.triode import Triode
from dampen.mechanisms.grouping.triode_h import TriodeH
from dampen.queries.groups import dice_problem, fragment_problem, group_size_problem
from dampen.questions.members_by_group import METHODS, group_mechanism
from dampen.vectors import Floats, Integers

Table = tuple[int, ...]
"""The category of each person."""
counts_module = import_module("dampen.mechanisms.counts.laplace_counts")
dampened_module = import_module("dampen.mechanisms.grouping.dampened_triode")
LARGEST = 6
FRAGMENTS = {
    "in order": lambda people, size: np.arange(people) // size,
    "dealt": lambda people, size: (np.arange(people) * 5 % max(people, 1)) // size,
}


def neighbours(x: Table, kinds: int) -> Iterator[Table]:
    for person, own in enumerate(x):
        for kind in range(kinds):
            if kind != own:
                yield (*x[:person], kind, *x[person + 1 :])


def tables(people: int, kinds: int) -> list[Table]:
    return list(product(range(kinds), repeat=people))


class JointLaws:
    """The laws of sets, each computed once."""

    def __init__(self, mechanism: SetMechanism, fragments: Integers | None = None) -> None:
        self._mechanism, self._fragments = mechanism, fragments
        self._known: dict[tuple[bool, ...], Floats] = {}

    def set_law(self, members: tuple[bool, ...]) -> Floats:
        if members not in self._known:
            self._known[members] = self._mechanism.set_law(np.array(members, dtype=bool), self._fragments)
        return self._known[members]

    def sets(self, x: Table, kinds: int) -> list[Floats]:
        return [self.set_law(tuple(kind == own for own in x)) for kind in range(kinds)]

    def loss(self, x: Table, y: Table, kinds: int) -> float:
        """The worst over all mappings: a sum, since sets are independent."""
        apart = [one - other for one, other in zip(self.sets(x, kinds), self.sets(y, kinds), strict=True)]
        return max(sum(float(d.max()) for d in apart), -sum(float(d.min()) for d in apart))

    def written_out(self, x: Table, kinds: int) -> Floats:
        """Ln P of every mapping."""
        law = np.zeros(1)
        for one in self.sets(x, kinds):
            law = np.add.outer(law, one).ravel()
        return law


def worst(laws: JointLaws, people: int, kinds: int) -> float:
    return max(laws.loss(x, y, kinds) for x in tables(people, kinds) for y in neighbours(x, kinds))


def worst_response(mechanism: RandomisedResponse, people: int, kinds: int) -> float:
    """Over all tables up to the order of people, each with all its neighbours; the law of all mappings."""
    every = [np.array(told) for told in tables(people, kinds)]

    @cache
    def law(x: Table) -> Floats:
        return np.array([mechanism.log_probability(np.array(x), told, kinds) for told in every])

    sorted_tables = combinations_with_replacement(range(kinds), people)
    return max(float(np.abs(law(x) - law(y)).max()) for x in sorted_tables for y in neighbours(x, kinds))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("kinds", [2, 3])
def test_randomised_response_loses_epsilon_and_no_more(kinds: int, epsilon: str) -> None:
    mechanism = group_mechanism("randomised_response", epsilon)
    assert isinstance(mechanism, RandomisedResponse)
    for people in range(1, (LARGEST if kinds == 2 or epsilon == "1" else 4) + 1):
        assert worst_response(mechanism, people, kinds) == pytest.approx(float(epsilon), rel=1e-9)
        told = (np.array(every) for every in tables(people, kinds))
        total = sum(np.exp(mechanism.log_probability(np.zeros(people, dtype=np.int64), each, kinds)) for each in told)
        assert total == pytest.approx(1)


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("method", ["triode", "dampened_triode"])
def test_sets_of_all_categories_lose_no_more_than_epsilon(method: str, epsilon: str) -> None:
    mechanism, seen = group_mechanism(method, epsilon), 0.0
    assert isinstance(mechanism, SetMechanism)
    laws = JointLaws(mechanism)
    for people in range(1, LARGEST + 1):
        for kinds in (2, 3):
            loss = worst(laws, people, kinds)
            assert loss <= float(epsilon) * (1 + 1e-9)
            seen = max(seen, loss)
    assert seen == pytest.approx(float(epsilon), rel=1e-5), "the price is what is lost"


def cells_of(mechanism: Triode | DampenedTriode, people: int, size: int) -> Floats:
    """Ln P of one set of each cell, its overlap with a group of the first ``size`` people by its number of others."""
    law = mechanism._by_cells()._group_law(dice_problem(np.arange(people) < size))
    return law.reshape(size + 1, people - size + 1)


def worst_by_cells(mechanism: Triode | DampenedTriode, people: int, kinds: int) -> tuple[float, tuple[int, int]]:
    """The worst over all tables, and the sizes of the two groups between which one person moves, without that person.

    Law and loss of a set depend on its cell and on whether it holds that person, so 2^people sets are few cells.
    """
    leaving, joining = np.empty(people), np.empty(people)
    for size in range(people):
        without, having = cells_of(mechanism, people, size), cells_of(mechanism, people, size + 1)
        gains = np.concatenate([(having[:-1] - without[:, :-1]).ravel(), (having[1:] - without[:, 1:]).ravel()])
        leaving[size], joining[size] = gains.max(), -gains.min()
    pairs = [(a, b) for a in range(people) for b in range(people - a) if kinds > 2 or a + b + 1 == people]
    return max((float(leaving[a] + joining[b]), (a, b)) for a, b in pairs)


BY_CELLS: dict[str, type[Triode] | type[DampenedTriode]] = {"triode": Triode, "dampened_triode": DampenedTriode}
FEW, MANY = (1, 2, 3, 6, 12), (20, 30, 45, 60)


@pytest.mark.parametrize("epsilon", ["0.01", "1", "5", "40", "5000"])
@pytest.mark.parametrize("people", [*FEW, *(pytest.param(n, marks=pytest.mark.long) for n in MANY)])
@pytest.mark.parametrize("method", BY_CELLS)
def test_more_people_lose_no_more(method: str, people: int, epsilon: str) -> None:
    """Three groups lose epsilon, between one person and nobody, and never more; two groups less, but for one person."""
    mechanism = BY_CELLS[method](epsilon)
    (loss, sizes), (of_two, _) = (worst_by_cells(mechanism, people, kinds) for kinds in (3, 2))
    assert loss <= float(epsilon) * (1 + 1e-9)
    assert of_two <= loss
    if float(epsilon) < 2000:  # where no exponent ends
        assert sizes == (0, 0)
        assert loss == pytest.approx(float(epsilon), rel=1e-5)
        assert people == 1 or of_two < 0.9 * float(epsilon)


def test_the_worst_by_cells_is_the_worst_of_all_tables() -> None:
    for method, people, kinds in product(BY_CELLS, (1, 2, 4), (2, 3)):
        mechanism = BY_CELLS[method]("5")
        assert worst_by_cells(mechanism, people, kinds)[0] == pytest.approx(
            worst(JointLaws(mechanism), people, kinds), rel=1e-5
        )


def exact_steps(total: int, apart: int) -> Fraction:
    """T of docs/proofs/dampened_triode.md in fractions: where the rungs of a set with N = ``total`` cover its gap."""
    rest, steps, t = Fraction(apart, total), Fraction(0), 0
    while rest > 0:
        rung = min(Fraction(1), Fraction(2, max(total - t, 1)))
        steps, rest, t = steps + min(Fraction(1), rest / rung), rest - rung, t + 1
    return steps


def test_the_steps_of_dampened_scores_move_as_the_proof_says() -> None:
    """By half a step when one person joins, by a quarter when the set joins too; all sets up to N = 40."""
    for total in range(1, 41):
        for apart in range(total % 2, total + 1, 2):
            steps = exact_steps(total, apart)
            assert steps <= Fraction(apart, 2) or (total, apart) == (1, 1)
            assert 0 <= exact_steps(total + 1, apart + 1) - steps <= Fraction(1, 2)
            if apart and total > 1:
                assert abs(exact_steps(total + 1, apart - 1) - steps) <= Fraction(1, 2)
            longer = exact_steps(total + 2, apart) - steps
            assert 0 <= longer <= Fraction(1, 4) or (total, apart, longer) == (1, 1, -Fraction(1, 2))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("size", [1, 2, 4, 10])
@pytest.mark.parametrize("dealt", FRAGMENTS)
def test_both_stages_of_triode_h_lose_no_more_than_epsilon(dealt: str, size: int, epsilon: str) -> None:
    mechanism = group_mechanism("triode_h", epsilon, size)
    assert isinstance(mechanism, TriodeH)
    for people in (1, 2, 3, 4):
        laws = JointLaws(mechanism, FRAGMENTS[dealt](people, size))
        for kinds in (2, 3):
            assert 0.2 * float(epsilon) < worst(laws, people, kinds) <= float(epsilon) * (1 + 1e-9)


@pytest.mark.parametrize("size", [1, 2, 4])
@pytest.mark.parametrize("people", [5, LARGEST])
def test_triode_h_of_five_and_six_people(people: int, size: int) -> None:
    laws = JointLaws(TriodeH(1, size), FRAGMENTS["dealt"](people, size))
    assert worst(laws, people, 2) <= 1 + 1e-9
    assert worst(laws, people, 3) <= 1 + 1e-9


class CoinsOfEachGroup(SetMechanism):
    """A planted method: every category tells each person's membership by a coin of its own, worth ``share``."""

    def set_law(self, members: Members, shared: Any = None) -> Floats:
        keep = -np.log1p(np.exp(-float(self.share)))
        group = sum(1 << int(person) for person in np.flatnonzero(members))
        wrong = np.array([(number ^ group).bit_count() for number in range(2 ** len(members))])
        return np.asarray(len(members) * keep - float(self.share) * wrong)

    def draw_set(self, members: Members, shared: Any, source: Any) -> Members:
        raise NotImplementedError


def at_the_full_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SetMechanism, "share", property(lambda self: self.epsilon))


@pytest.mark.parametrize("kinds", [2, 3])
def test_every_group_at_the_full_epsilon_is_caught(kinds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: a method whose sets cost what they may loses twice as much."""
    assert worst(JointLaws(CoinsOfEachGroup(1)), 3, kinds) == pytest.approx(1)
    at_the_full_epsilon(monkeypatch)
    assert worst(JointLaws(CoinsOfEachGroup(1)), 3, kinds) == pytest.approx(2)


@pytest.mark.parametrize("kinds", [2, 3])
def test_dampening_around_0_needs_two_prices(kinds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is proved around the level 1 does not hold around 0: the same rate loses 5 % too much."""
    monkeypatch.setattr("dampen.mechanisms.grouping.dampened_triode.BEST", 0)
    assert worst(JointLaws(DampenedTriode(1)), 6, kinds) == pytest.approx(1.049, abs=1e-3)
    assert worst(JointLaws(DampenedTriode(3)), 6, kinds) == pytest.approx(3.203, abs=1e-3)


@pytest.mark.parametrize("epsilon", [1, 3])
def test_twice_the_rate_of_triode_is_caught(epsilon: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One step beyond what is proved: sets at c = epsilon lose twice epsilon."""
    monkeypatch.setattr(Triode, "rate", property(lambda self: self.epsilon))
    monkeypatch.setattr(dampened_module, "epsilon_by_cells", lambda epsilon: 2 * epsilon)
    for mechanism in (Triode(epsilon), DampenedTriode(epsilon)):
        assert worst(JointLaws(mechanism), 2, 3) == pytest.approx(2 * epsilon, rel=1e-5)


@pytest.mark.parametrize("size", [1, 2])
def test_both_stages_of_both_groups_at_the_full_epsilon_are_caught(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TriodeH, "stage", property(lambda self: self.epsilon))
    assert worst(JointLaws(TriodeH(1, size)), 4, 2) == pytest.approx(1.368, abs=1e-3)
    assert worst(JointLaws(TriodeH(1, size)), 4, 3) > 1.36


def loss_of_the_true_set(mechanism: TriodeH, people: int) -> float:
    """On one pair and one answer. All others of one person's fragment are in a group, and the person joins them.

    Everybody else is in the group that the person leaves. The answer: everybody for the one, the others for the other.
    """
    size, fragments = mechanism.fragment, np.arange(people) // mechanism.fragment
    joined = np.arange(people) < size
    before = joined & (np.arange(people) > 0)

    def of_size(members: Members, told: int) -> float:
        return float(np.asarray(Exponential(mechanism.stage).log_probabilities(group_size_problem(members)))[told])

    def of_picks(members: Members) -> float:
        problem = fragment_problem(members, fragments)
        rate = float(mechanism.pick_rate(size - 1, int(problem.frame.bound or 1)))
        weights = np.exp(rate * (np.asarray(problem.utilities) - problem.groups.max()))
        return float(sum(np.log(weights[0] / (weights.sum() - i * weights[0])) for i in range(size - 1)))

    left = of_size(~before, people) - of_size(~joined, people)
    return left + of_size(before, size - 1) - of_size(joined, size - 1) + of_picks(before) - of_picks(joined)


def test_the_two_groups_of_triode_h_both_have_to_be_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds of TRIODE does not of TRIODE-H: each group at the full epsilon loses 9 % too much for 102 people.

    No table of up to six people shows it.
    """
    assert loss_of_the_true_set(TriodeH("0.1", 6), 102) < 0.1 * 0.6
    at_the_full_epsilon(monkeypatch)
    assert worst(JointLaws(TriodeH("0.1", 2)), 6, 3) < 0.1
    assert loss_of_the_true_set(TriodeH("0.1", 6), 102) == pytest.approx(0.1092, abs=1e-4)


def test_every_pick_at_the_price_of_all_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = worst(JointLaws(TriodeH(8, 2)), 4, 3)
    monkeypatch.setattr(TriodeH, "pick_rate", lambda self, picks, bound: 4 * self.stage / bound)
    assert right <= 8 < worst(JointLaws(TriodeH(8, 2)), 4, 3)


@pytest.mark.parametrize("method", ["triode", "triode_h", "dampened_triode"])
def test_the_sum_over_sets_is_the_worst_of_the_law_written_out(method: str) -> None:
    mechanism = group_mechanism(method, 2)
    assert isinstance(mechanism, SetMechanism)
    laws = JointLaws(mechanism)
    for people, kinds in ((1, 2), (2, 2), (3, 2), (2, 3), (3, 3)):
        for x in tables(people, kinds)[:: people + 1]:
            assert np.exp(laws.written_out(x, kinds)).sum() == pytest.approx(1, abs=1e-12)
            for y in neighbours(x, kinds):
                loss = np.abs(laws.written_out(x, kinds) - laws.written_out(y, kinds)).max()
                assert loss == pytest.approx(laws.loss(x, y, kinds), abs=1e-12)


def group_neighbours(x: tuple[bool, ...]) -> Iterator[tuple[bool, ...]]:
    """One person has joined or left."""
    for person in range(len(x)):
        yield (*x[:person], not x[person], *x[person + 1 :])


def groups_of(people: int) -> list[tuple[bool, ...]]:
    return list(product((False, True), repeat=people))


ONE_GROUP: dict[str, Callable[[str], SelectionMechanism]] = {
    "exponential": Exponential,
    "permute_and_flip": PermuteAndFlip,
    "local_dampening": LocalDampening,
    "local_dampening, exponential": partial(LocalDampening, law=Exponential),
}


@pytest.mark.parametrize("epsilon", ["0.1", "1", "3"])
@pytest.mark.parametrize("make", ONE_GROUP.values(), ids=ONE_GROUP.keys())
def test_one_group_by_dice(make: Callable[[str], SelectionMechanism], epsilon: str) -> None:
    """Frames of neighbours agree, and no pair loses more than epsilon: 5 people, 80 pairs of 32 sets each."""
    report = audit_selection(make(epsilon), lambda x: dice_problem(np.array(x)), groups_of(5), group_neighbours)
    assert report.passed
    assert report.pairs == 80
    assert report.worst_log_ratio > 0.6 * float(epsilon)


def test_the_rungs_of_dice_are_admissible() -> None:
    for people in range(1, 7):
        report = audit_admissibility(
            lambda x: dice_problem(np.array(x)), groups_of(people), group_neighbours, 2 * people + 2
        )
        assert report.passed


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_sizes_and_fragments_have_their_bounds(size: int) -> None:
    fragments = np.arange(6) // size
    assert audit_selection(
        Exponential(1), lambda x: group_size_problem(np.array(x)), groups_of(6), group_neighbours
    ).passed
    report = audit_selection(
        Exponential(1), lambda x: fragment_problem(np.array(x), fragments), groups_of(6), group_neighbours
    )
    assert report.passed


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=lambda a: a.value)
def test_counts_lose_epsilon_and_no_more(adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    """The noise of all counts, recorded: a geometric law of its rate loses rate * |count - count'| at most."""
    rates: list[float] = []

    def recorded(rate: object, count: int, source: object) -> Integers:
        rates.append(float(rate))  # type: ignore[arg-type]
        return np.zeros(count, dtype=np.int64)

    monkeypatch.setattr(counts_module, "discrete_laplace_batch", recorded)

    def counted(x: Table) -> Integers:
        budget = Budget(epsilon=2)
        named: dict[str, Any] = {"columns": {"kind": Category(0, 1, 2)}, "budget": budget, "adjacency": adjacency}
        told = dampen.Table({"kind": list(x)}, **named).by("kind").count(epsilon=2).value
        assert budget.spent.epsilon == 2
        return np.array([told[kind] for kind in range(3)])

    losses = []
    for x in tables(3, 3):
        told = counted(x)
        near = neighbours(x, 3) if adjacency is Adjacency.REPLACE else ((*x, kind) for kind in range(3))
        losses += [rates[0] * float(np.abs(told - counted(y)).sum()) for y in near]
    assert len(set(rates)) == 1
    assert max(losses) == pytest.approx(2)


def test_every_method_is_gated() -> None:
    """A new method must be put to the test above."""
    assert set(METHODS) == {"randomised_response", "triode", "triode_h", "dampened_triode"}
    assert all(isinstance(make(1), GroupMechanism) for make in METHODS.values())
