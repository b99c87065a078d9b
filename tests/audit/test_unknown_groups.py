"""Groups that nobody listed: the joint law of all that is shown, in fractions, on all small worlds of people.

Proof: docs/proofs/truncated_geometric_counts.md.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import log
from typing import Any

import pytest

from dampen import Adjacency, Budget, Table, Text, UnknownGroupsFrame, UnknownGroupsProblem
from dampen.audit import (
    ScriptedEntropy,
    add_remove_neighbours,
    audit_draw,
    audit_unknown_groups,
    multisets,
    replace_neighbours,
)
from dampen.entropy import Entropy
from dampen.errors import ParameterError
from dampen.mechanisms import LaplaceCounts, TruncatedGeometricCounts
from dampen.mechanisms.counts.truncated_geometric import TruncatedGeometric, whole_delta
from dampen.sampling import exact, tables
from dampen.tables.engines.names import NamesAsk
from dampen.tables.named_people import named_people

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
GROUPS = "abc"
Person = tuple[str, ...]
People = tuple[Person, ...]
Law = dict[int | None, Fraction]
Rule = Callable[[int], Law]
"""How many people a group has, and what is told of it."""
ROWS = [
    (1, Fraction(3, 2), 2, 1, Fraction(4, 29), 60),
    (1, Fraction(2), 2, 1, Fraction(1, 10), 60),
    (1, Fraction(2), 3, 2, Fraction(1, 22), 60),
    (2, Fraction(3, 2), 2, 1, Fraction(216, 841), 252),
    (2, Fraction(2), 2, 1, Fraction(19, 100), 252),
    (2, Fraction(2), 3, 2, Fraction(43, 484), 252),
]
"""Groups of a person, ratio, last, least people; the worst delta, and how many pairs there are."""


def persons(most: int) -> list[Person]:
    """Everybody who is in at most so many groups, nobody's included."""
    return [each for count in range(most + 1) for each in combinations(GROUPS, count)]


def counts_of(people: People) -> list[int]:
    return [sum(group in person for person in people) for group in GROUPS]


def joint(people: People, rule: Rule) -> dict[tuple[int | None, ...], Fraction]:
    """The law of everything that is told together; a group nobody is in is not touched."""
    nobody: Law = {None: Fraction(1)}
    laws = [rule(count) if count else nobody for count in counts_of(people)]
    told: dict[tuple[int | None, ...], Fraction] = {}
    for answer in product(*laws):
        chance = Fraction(1)
        for law, each in zip(laws, answer, strict=True):
            chance *= law[each]
        if chance:
            told[answer] = chance
    return told


def excess(one: dict[Any, Fraction], other: dict[Any, Fraction], factor: Fraction) -> Fraction:
    return sum(
        (max(Fraction(0), p - factor * other.get(answer, Fraction(0))) for answer, p in one.items()), Fraction(0)
    )


def worst_delta(rule: Rule, most: int, ratio: Fraction) -> tuple[Fraction, int]:
    """Over all worlds of at most two people and one more: the largest delta, both ways, and how many pairs."""
    kinds = persons(most)
    crowds = [crowd for count in range(4) for crowd in combinations_with_replacement(kinds, count)]
    known = {crowd: joint(crowd, rule) for crowd in crowds}
    pairs, worst = 0, Fraction(0)
    for crowd in crowds:
        for more in kinds if len(crowd) < 3 else ():
            larger = tuple(sorted((*crowd, more), key=kinds.index))
            one, other = known[crowd], known[larger]
            worst = max(worst, excess(one, other, ratio**most), excess(other, one, ratio**most))
            pairs += 1
    return worst, pairs


def rule_of(noise: TruncatedGeometric, at_least: int) -> Rule:
    return lambda people: noise.law(max(0, people - at_least + 1))


# Section by section, in fractions


@pytest.mark.parametrize(("most", "ratio", "last", "at_least", "worst", "pairs"), ROWS)
def test_the_claim_is_reached_and_never_exceeded(
    most: int, ratio: Fraction, last: int, at_least: int, worst: Fraction, pairs: int
) -> None:
    noise = TruncatedGeometric(ratio, last)
    assert worst_delta(rule_of(noise, at_least), most, ratio) == (worst, pairs)
    assert whole_delta(noise.delta, most) == worst


def test_groups_of_too_few_people_are_never_shown_and_large_ones_always() -> None:
    for ratio, last, at_least in product((Fraction(3, 2), Fraction(3)), (1, 3), (1, 2, 5)):
        rule = rule_of(TruncatedGeometric(ratio, last), at_least)
        for people in range(at_least):
            assert {told: p for told, p in rule(people).items() if p} == {None: 1}
        assert rule(at_least)[None] == 1 - TruncatedGeometric(ratio, last).delta, "one person more, and it may be"
        for people in range(2 * last + at_least, 2 * last + at_least + 3):
            assert rule(people)[None] == 0


RATIOS = (Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(5))


def best_chances(ratio: Fraction, delta: Fraction, most: int) -> list[Fraction]:
    """How likely a group with 0, 1, ... people may be shown at most: the recursion that every rule obeys."""
    found = [Fraction(0)]
    while len(found) <= most:
        before = found[-1]
        found.append(min(ratio * before + delta, 1 - (1 - before - delta) / ratio, Fraction(1)))
    return found


def closed_form(ratio: Fraction, delta: Fraction, people: int) -> Fraction:
    """The same without a recursion; logarithms only choose the branch, and where they are near a tie both agree."""
    turn = 1 + _floor_log(ratio, (ratio + 2 * delta - 1) / ((ratio + 1) * delta))
    at_turn = delta * (ratio**turn - 1) / (ratio - 1)
    if people <= turn:
        return delta * (ratio**people - 1) / (ratio - 1)
    end = turn + _floor_log(ratio, (ratio - 1) * (1 - at_turn) / delta + 1)
    steps = people - turn
    return Fraction(1) if people > end else (1 - ratio**-steps) * (1 + delta / (ratio - 1)) + ratio**-steps * at_turn


def _floor_log(ratio: Fraction, number: Fraction) -> int:
    power = 0
    while ratio ** (power + 1) <= number:
        power += 1
    return power


def test_recursion_and_closed_form_agree() -> None:
    deltas, cases = (Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**5)), 0
    for ratio, delta in product(RATIOS, deltas):
        best = best_chances(ratio, delta, 78)
        for people, chance in enumerate(best):
            assert closed_form(ratio, delta, people) == chance, (ratio, delta, people)
            cases += 1
    assert cases == 1185


@pytest.mark.parametrize("ratio", RATIOS)
def test_no_rule_shows_a_group_more_often(ratio: Fraction) -> None:
    cases = 0
    for last in range(1, 9):
        noise = TruncatedGeometric(ratio, last)
        for people, best in enumerate(best_chances(ratio, noise.delta, 28)):
            assert noise.chance(people) == 1 - noise.law(people)[None] == best
            cases += 1
    assert cases == 232


# Faults that are found, in fractions


def test_groups_of_a_person_that_are_not_counted_are_found() -> None:
    noise = TruncatedGeometric(Fraction(2), 2)
    worst, _ = worst_delta(rule_of(noise, 1), 2, Fraction(2))
    assert worst == Fraction(19, 100) > noise.delta == Fraction(1, 10)


def test_a_threshold_that_is_one_too_low_is_found() -> None:
    noise = TruncatedGeometric(Fraction(2), 2)

    def lower(people: int) -> Law:
        told: Law = {None: Fraction(0)}
        for z, chance in zip(range(-2, 3), noise.probabilities(), strict=True):
            key = people + z if people + z > 1 else None
            told[key] = told.get(key, Fraction(0)) + chance
        return told

    assert lower(0)[2] > 0, "a group nobody is in would be shown"
    assert worst_delta(lower, 1, Fraction(2))[0] == Fraction(3, 10) > noise.delta


def test_rows_that_are_counted_in_place_of_people_are_found() -> None:
    noise = TruncatedGeometric(Fraction(2), 2)
    one, two = (rule_of(noise, 1)(rows) for rows in (1, 3))
    assert excess(two, one, Fraction(2)) == Fraction(1, 2) > noise.delta


# The mechanism itself


def problems(most: int, at_least: int, adjacency: Adjacency) -> Callable[[People], UnknownGroupsProblem]:
    frame = UnknownGroupsFrame(adjacency, most=most, at_least=at_least)

    def pose(people: People) -> UnknownGroupsProblem:
        held = [(group, count) for group, count in zip(GROUPS, counts_of(people), strict=True) if count]
        return UnknownGroupsProblem(frame, [group for group, _ in held], [count for _, count in held])

    return pose


def near(adjacency: Adjacency, kinds: list[Person]) -> Any:
    return add_remove_neighbours(kinds) if adjacency is ADD_REMOVE else replace_neighbours(kinds)


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda each: each.name)
@pytest.mark.parametrize(("most", "at_least"), [(1, 1), (1, 2), (2, 1)])
@pytest.mark.parametrize(("epsilon", "delta"), [("1", "1/10"), ("3", "1/100")])
def test_claims_hold_on_every_pair(epsilon: str, delta: str, most: int, at_least: int, adjacency: Adjacency) -> None:
    mechanism, kinds = TruncatedGeometricCounts(epsilon, delta), persons(most)
    pose = problems(most, at_least, adjacency)
    smallest = 0 if adjacency is ADD_REMOVE else 1
    universe = multisets(kinds, largest=2, smallest=smallest)
    report = audit_unknown_groups(mechanism, pose, universe, near(adjacency, kinds))
    assert report.passed, str(report)
    assert report.claim.delta == Fraction(delta)
    exact_delta = mechanism.exact_delta(UnknownGroupsFrame(adjacency, most=most, at_least=at_least))
    assert exact_delta <= float(Fraction(delta))
    if adjacency is ADD_REMOVE:
        assert report.worst_delta == pytest.approx(exact_delta, rel=1e-9), "what is said to be lost is lost"
    else:
        assert report.worst_delta <= exact_delta * (1 + 1e-9)


class OneGroup(TruncatedGeometricCounts):
    """Noise for one group, whatever the frame says of a person."""

    def rate(self, frame: UnknownGroupsFrame) -> Fraction:
        return super().rate(UnknownGroupsFrame(frame.adjacency))

    def last(self, frame: UnknownGroupsFrame) -> int:
        return super().last(UnknownGroupsFrame(frame.adjacency))


class Shorter(TruncatedGeometricCounts):
    """Noise that ends one step too early."""

    def last(self, frame: UnknownGroupsFrame) -> int:
        return super().last(frame) - 1


@pytest.mark.parametrize("wrong", [OneGroup(1, "1/10"), Shorter(1, "1/10")], ids=lambda each: type(each).__name__)
def test_faults_of_a_mechanism_are_found(wrong: TruncatedGeometricCounts) -> None:
    kinds = persons(2)
    report = audit_unknown_groups(
        wrong, problems(2, 1, ADD_REMOVE), multisets(kinds, largest=1), add_remove_neighbours(kinds)
    )
    assert report.breaches == ("delta",)


# The draw


def few(at_least: int = 1) -> UnknownGroupsProblem:
    frame = UnknownGroupsFrame(ADD_REMOVE, at_least=at_least)
    return UnknownGroupsProblem(frame, ["b", "a", "c"], [1, 3, 0]).as_public()


@pytest.mark.parametrize("at_least", [1, 2])
def test_shown_groups_follow_their_law_bit_by_bit(at_least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "WIDTH", 2)
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    report = audit_draw(TruncatedGeometricCounts(2, "1/4"), few(at_least), depth=10)
    assert report.passed, str(report)


def test_shown_groups_follow_their_law_with_the_words_of_a_release() -> None:
    report = audit_draw(TruncatedGeometricCounts(1, "1/10"), few())
    assert report.passed, str(report)
    assert report.draws > 0


class Untruncated(TruncatedGeometricCounts):
    """Noise that never ends, as drawn: a group of one may be shown with any count."""

    def draw(self, problem: UnknownGroupsProblem, source: Entropy) -> dict[str, int]:
        from dampen.sampling.discrete_laplace import discrete_laplace_batch

        told = problem.beyond + discrete_laplace_batch(self.rate(problem.frame), len(problem.names), source)
        return {
            name: count
            for name, count in zip(problem.names, told.tolist(), strict=True)
            if count > self.last(problem.frame)
        }


class Noisier(TruncatedGeometricCounts):
    def draw(self, problem: UnknownGroupsProblem, source: Entropy) -> dict[str, int]:
        return TruncatedGeometricCounts(self.epsilon / 2, self.delta).draw(problem, source)


@pytest.mark.parametrize("wrong", [Untruncated(1, "1/10"), Noisier(1, "1/10")], ids=lambda each: type(each).__name__)
def test_draws_of_another_law_are_found(wrong: TruncatedGeometricCounts) -> None:
    assert audit_draw(wrong, few()).breaches != ()


def test_what_is_no_claim_of_groups_is_refused() -> None:
    with pytest.raises(ParameterError, match="mechanism must be a TruncatedGeometricCounts"):
        audit_unknown_groups(LaplaceCounts(1), problems(1, 1, ADD_REMOVE), [], lambda x: [])  # type: ignore[arg-type]


def test_the_ratio_of_the_mechanism_is_that_of_epsilon() -> None:
    """What the mechanism states is the law in fractions, at a ratio that is no fraction."""
    mechanism, problem = TruncatedGeometricCounts(Fraction(1), "1/10"), few()
    near_e = TruncatedGeometric(Fraction(271828182845904523536, 10**20), mechanism.last(problem.frame))
    for name, people in zip(problem.names, problem.people.tolist(), strict=True):
        expected = {told: float(chance) for told, chance in near_e.law(people).items()}
        assert mechanism.law(problem)[name] == pytest.approx(expected, rel=1e-12)
    assert mechanism.log_probabilities(problem, {"a": 5}) == pytest.approx(
        log(float(near_e.law(3)[5])) + log(float(near_e.law(1)[None])), rel=1e-12
    )
    assert (
        mechanism.log_probabilities(problem, {"z": 5})
        == mechanism.log_probabilities(problem, {"c": 5})
        == -float("inf")
    )


# Through a table: rows, people and their groups as they are, with the key decided from outside


def overheard_problem(table: Table, monkeypatch: pytest.MonkeyPatch, **said: Any) -> UnknownGroupsProblem:
    """What a table draws from."""
    heard: list[UnknownGroupsProblem] = []

    def listen(self: TruncatedGeometricCounts, problem: UnknownGroupsProblem, source: Entropy) -> dict[str, int]:
        heard.append(problem)
        return {}

    with monkeypatch.context() as patch:
        patch.setattr(TruncatedGeometricCounts, "draw", listen)
        patch.setattr("dampen.questions.unknown_groups.entropy.system_entropy", lambda: ScriptedEntropy([0, 1] * 64))
        release = table.by("g", groups="private").count(epsilon=3, delta="1/400", **said)
    assert (release.loss.epsilon, release.loss.delta) == (Fraction(3), Fraction(1, 400))
    [problem] = heard
    return problem


def table_of(people: People, adjacency: Adjacency, person: bool) -> Table:
    # a person keeps the name, and so the groups that are kept, whoever else comes or goes
    names = [f"{''.join(bag)} {people[:place].count(bag)}" for place, bag in enumerate(people)]
    rows = [(name, group) for name, bag in zip(names, people, strict=True) for group in bag]
    data = {"who": [who for who, _ in rows], "g": [group for _, group in rows]}
    payer = Budget(epsilon=9, delta="1/2")
    return Table(data, columns={"g": Text()}, budget=payer, adjacency=adjacency, person="who" if person else None)


@pytest.mark.parametrize("at_least", [1, 2])
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda each: each.name)
def test_tables_with_a_person_lose_what_they_say(
    adjacency: Adjacency, most: int, at_least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """People with up to three rows, more groups than count, and the same group in two rows."""
    kinds = [("a",), ("a", "a"), ("a", "b"), ("a", "b", "c")] + ([()] if adjacency is REPLACE else [])
    mechanism = TruncatedGeometricCounts(3, "1/400")

    def pose(people: People) -> UnknownGroupsProblem:
        return overheard_problem(table_of(people, adjacency, True), monkeypatch, most=most, at_least=at_least)

    universe = multisets(kinds, largest=at_least, smallest=0 if adjacency is ADD_REMOVE else 1)
    report = audit_unknown_groups(mechanism, pose, universe, near(adjacency, kinds))
    assert report.passed, str(report)
    frame = UnknownGroupsFrame(adjacency, most=most, at_least=at_least)
    lost = mechanism.exact_delta(frame)
    if adjacency is ADD_REMOVE:
        assert report.worst_delta == pytest.approx(lost, rel=1e-9), "two groups of one person lose all that is said"
    else:
        assert 0 < report.worst_delta <= lost * (1 + 1e-9)


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda each: each.name)
def test_tables_of_rows_lose_what_they_say(adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds: list[Person] = [(group,) for group in GROUPS]
    mechanism = TruncatedGeometricCounts(3, "1/400")

    def pose(rows: People) -> UnknownGroupsProblem:
        return overheard_problem(table_of(rows, adjacency, False), monkeypatch)

    universe = multisets(kinds, largest=3, smallest=0 if adjacency is ADD_REMOVE else 1)
    report = audit_unknown_groups(mechanism, pose, universe, near(adjacency, kinds))
    assert report.passed, str(report)
    assert report.worst_delta > 0.2 * mechanism.exact_delta(UnknownGroupsFrame(adjacency))


@pytest.mark.parametrize("fault", ["rows", "uncut"])
def test_tables_that_count_rows_or_cut_nobody_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(data: Any, ask: NamesAsk, *, missing: str) -> Any:
        other = NamesAsk(ask.column) if fault == "rows" else NamesAsk(ask.column, ask.person, 100, ask.key)
        return named_people(data, other, missing=missing)

    monkeypatch.setattr("dampen.front.unknown_groups.named_people", wrong)
    kinds = [("a",), ("a", "a"), ("a", "b", "c")]
    report = audit_unknown_groups(
        TruncatedGeometricCounts(3, "1/400"),
        lambda people: overheard_problem(table_of(people, ADD_REMOVE, True), monkeypatch, most=1),
        multisets(kinds, largest=1), add_remove_neighbours(kinds),
    )  # fmt: skip
    assert report.breaches == ("delta",)
