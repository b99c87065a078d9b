"""Tables with a person, audited exactly: weights inside each person, and the joint law of the whole pipeline.

Persons come, go or get other rows, perhaps none. Proofs: docs/proofs/people.md.
"""

from collections import defaultdict
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from dampen import Adjacency, Category, Number, Release, Table
from dampen.audit import AuditReport, audit_caps
from dampen.front import people_groups
from dampen.problem import CapProblem
from dampen.queries import votes as vote_queries
from dampen.queries.votes import vote_percentile_problem, votes_of
from dampen.questions.by_group import pose_each
from dampen.questions.people import groups as person_groups
from dampen.questions.record import Price
from dampen.tables.counts import Total
from dampen.tables.grid import as_grid
from tests.audit.people import PeopleAudit, cap_problem, persons, tables_of
from tests.contracts.people_by_hand import weights_of_person

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
BOTH = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
pytestmark = pytest.mark.filterwarnings("ignore::dampen.errors.CutOffWarning")
NAMES = ("g", "v")
COLUMNS: dict[str, Any] = {"g": Category("a", "b", "c"), "v": Number(0, 2, step=1, unit=1), "s": Number(-1, 2, unit=1)}
KINDS = [("a", 0), ("a", 2), ("b", 2)]
"""Two groups and two values; the third group never has a row."""
LARGE = persons(KINDS, 3)
A_FEW = [(KINDS[0],), (KINDS[2],), (KINDS[1],) * 2, (KINDS[1], KINDS[2])]

EXACT: dict[str, Callable[[Table], Release]] = {
    "persons": lambda table: table.count(of="persons", epsilon=1),
    "capped count": lambda table: table.count(cap=2, epsilon=1),
    "capped sum": lambda table: table.sum("v", cap=3, epsilon=1),
    "mean": lambda table: table.mean("v", epsilon=1),
    "histogram": lambda table: table.histogram("v", epsilon=1),
    "histogram of labels": lambda table: table.histogram("g", epsilon=1),
    "presence": lambda table: table.by("g").count(of="persons", epsilon=1),
    "capped presence": lambda table: table.by("g").count(of="persons", cap=1, epsilon=1),
    "capped counts": lambda table: table.by("g").count(cap=2, epsilon=1),
    "group means": lambda table: table.by("g").mean("v", epsilon=1),
    "group histograms": lambda table: table.by("g").histogram("v", epsilon=1),
}
"""Noise fitted to what one person moves: somebody's loss is a good part of epsilon, or all of it."""
CHOSEN: dict[str, Callable[[Table], Release]] = {
    "median": lambda table: table.median("v", epsilon=1),
    "percentile": lambda table: table.percentile("v", 90, epsilon=1),
    "percentiles": lambda table: table.percentiles("v", (25, 75), epsilon=1),
    "median of rows": lambda table: table.median("v", of="rows", epsilon=1),
    "capped median of rows": lambda table: table.median("v", of="rows", cap=2, epsilon=1),
    "mean of rows": lambda table: table.mean("v", of="rows", epsilon=1),
    "most_common": lambda table: table.most_common("g", epsilon=1),
    "group medians": lambda table: table.by("g").median("v", epsilon=1),
    "group percentiles": lambda table: table.by("g").percentiles("v", (25, 75), epsilon=1),
    "group counts": lambda table: table.by("g").count(epsilon=1),
    "group sums": lambda table: table.by("g").sum("v", epsilon=1),
    "maximum": lambda table: table.per_person("max", "v").median(epsilon=1),
    "number of rows": lambda table: table.per_person("count", bounds=(0, 4), step=1).mean(epsilon=1),
    "filtered": lambda table: table.where(g="a").by("g").count(epsilon=1),
}
"""They need more people than small tables have to lose all of it."""


def audited(ask: Callable[[Table], Release], adjacency: Adjacency) -> PeopleAudit:
    return PeopleAudit(ask, NAMES, COLUMNS, adjacency)


def worst(audit: PeopleAudit, adjacency: Adjacency, everybody: list[Any], most: int = 2) -> float:
    return audit.worst(*tables_of(everybody, adjacency, most))


@BOTH
@pytest.mark.parametrize("name", EXACT)
def test_noise_is_fitted_to_a_person_with_all_rows(name: str, adjacency: Adjacency) -> None:
    found = worst(audited(EXACT[name], adjacency), adjacency, A_FEW)
    assert 0.45 < found <= 1 + 1e-9
    if adjacency is ADD_REMOVE:
        assert found == pytest.approx(2 / 3 if name == "presence" else 1, rel=1e-3 if "mean" in name else 1e-9)


@BOTH
@pytest.mark.parametrize("name", CHOSEN)
def test_choices_and_limits_lose_no_more_than_epsilon(name: str, adjacency: Adjacency) -> None:
    assert 0.05 < worst(audited(CHOSEN[name], adjacency), adjacency, A_FEW) <= 1 + 1e-9


@pytest.mark.long
@BOTH
@pytest.mark.parametrize("name", [*EXACT, *CHOSEN])
def test_three_persons_with_three_rows_each(name: str, adjacency: Adjacency) -> None:
    """All 1,540 tables, and all their neighbours: 3,990 pairs, or 39,900 where persons get other rows."""
    assert worst(audited({**EXACT, **CHOSEN}[name], adjacency), adjacency, LARGE, most=3) <= 1 + 1e-9


TOTALS: dict[str, Callable[[Table], Release]] = {
    "count": lambda table: table.count(epsilon=1),
    "sum": lambda table: table.sum("v", epsilon=1),
    "signed sum": lambda table: table.sum("s", epsilon=1),
}
"""A cap and a total are told together."""
SIGNED = [(-1,), (0,), (2,)]
"""Rows of the signed column alone."""


def audit_totals(name: str, adjacency: Adjacency, everybody: list[Any], most: int) -> AuditReport:
    """All tables through ``dampen.Table``; those with the same counts have one law, so pairs are those of counts."""
    audit = PeopleAudit(TOTALS[name], ("s",) if name == "signed sum" else NAMES, COLUMNS, adjacency)
    problems: dict[Any, Any] = {}
    beside: dict[Any, set[Any]] = defaultdict(set)

    @cache
    def counts_of(x: Any) -> Any:
        problem = cap_problem(audit, TOTALS[name], x)[1]
        sides = [problem] if isinstance(problem, CapProblem) else [problem.positive, problem.negative]
        counts = tuple((side.above, side.sums) for side in sides)
        problems[counts] = problem
        return counts

    tables, near = tables_of(everybody, adjacency, most)
    for x in tables:
        beside[counts_of(x)] |= {counts_of(y) for y in near(x)}
    mechanism, _ = cap_problem(audit, TOTALS[name], ())
    return audit_caps(mechanism, problems.__getitem__, [*beside], lambda x: beside[x] - {x})


@BOTH
@pytest.mark.parametrize("name", TOTALS)
def test_caps_and_totals_together_lose_epsilon_and_no_more(name: str, adjacency: Adjacency) -> None:
    everybody = persons([SIGNED[0], SIGNED[2]], 2) if name == "signed sum" else A_FEW
    report = audit_totals(name, adjacency, everybody, most=2)
    assert report.passed
    assert (0.7 if name == "signed sum" else 0.99) < report.worst_log_ratio <= 1 + 1e-9


@pytest.mark.long
@BOTH
@pytest.mark.parametrize("name", TOTALS)
def test_caps_and_totals_of_three_persons_with_three_rows_each(name: str, adjacency: Adjacency) -> None:
    report = audit_totals(name, adjacency, persons(SIGNED, 3) if name == "signed sum" else LARGE, most=3)
    assert report.passed
    assert (0.7 if name == "signed sum" else 0.99) < report.worst_log_ratio <= 1 + 1e-9


# Faults that are found


def test_votes_of_two_rows_that_cost_one_are_found() -> None:
    """Up to two votes of a person, priced as one: m = 2 undivided."""

    def doubled(places: Any, weights: Any, each: int) -> Any:
        return votes_of(places, weights, each // 2)

    with patch.object(person_groups, "votes_of", doubled):
        found = worst(audited(EXACT["capped counts"], ADD_REMOVE), ADD_REMOVE, A_FEW)
        assert found == pytest.approx(2, rel=1e-9)
    with patch("dampen.front.people.votes_of", doubled):
        single = worst(audited(CHOSEN["capped median of rows"], ADD_REMOVE), ADD_REMOVE, A_FEW)
    assert single > 1.05 * worst(audited(CHOSEN["capped median of rows"], ADD_REMOVE), ADD_REMOVE, A_FEW)


def test_counts_in_several_groups_that_cost_one_are_found() -> None:
    def one(size: int, l1: Any, *more: Any, **named: Any) -> Any:
        from dampen import CountsFrame

        return CountsFrame(size, 1, *more, **named)

    with patch.object(person_groups, "CountsFrame", one):
        assert worst(audited(EXACT["presence"], ADD_REMOVE), ADD_REMOVE, A_FEW) == pytest.approx(2, rel=1e-9)


def test_a_replaced_person_priced_as_one_that_leaves_is_found() -> None:
    frame = vote_queries.vote_counts_frame

    def lenient(size: int, each: int, adjacency: Adjacency, unit: str = "") -> Any:
        posed = frame(size, each, ADD_REMOVE, unit)
        return type(posed)(posed.size, posed.l1, adjacency, largest=posed.largest, unit=unit)

    with patch("dampen.front.people.vote_counts_frame", lenient):
        assert worst(audited(EXACT["histogram"], REPLACE), REPLACE, A_FEW) == pytest.approx(2, rel=1e-9)


def test_a_limit_that_is_not_paid_for_is_found() -> None:
    """The whole of epsilon for the counts, and a limit by a race beside them."""

    def free(limit: Any, above: Any, pose: Any, epsilon: Any) -> Any:
        return LIMITED(limit, above, lambda cap, price: pose(cap, Fraction(1)), epsilon)

    from dampen.questions.people import limits

    LIMITED = limits.Limited
    audit = audited(CHOSEN["group counts"], ADD_REMOVE)
    with (
        patch.object(limits, "Limited", free),
        patch.object(PeopleAudit, "_listen", _listen_without_price),
        patch.object(limits, "SHARE", Fraction(9, 10)),
        patch.object(limits, "ceil", lambda number: 0),
    ):
        assert worst(audit, ADD_REMOVE, A_FEW) > 1.3


def _listen_without_price(self: PeopleAudit, x: Any, decision: int) -> Any:
    from dampen import Budget
    from tests.audit.joint import told_by
    from tests.audit.people import Heard, overheard_limits

    with overheard_limits(decision) as draws:
        release = self._ask(self.table(x, Budget(epsilon=100)))
    return Heard(tuple(draws), (*told_by(release), release.cap))


def test_sums_of_votes_that_are_rounded_lose_more() -> None:
    """Means of groups from sums rounded to their grids: a third of a vote in each group moves each sum by a step."""

    def rounded(units: Any, places: Any, weights: Any, *, vote: int, epsilon: Any, unit: str) -> Any:
        count: Any = Fraction(sum(weights), vote)
        total = sum((w * units.unit * (units.first + p) for w, p in zip(weights, places, strict=True)), Fraction(0))
        posed = pose_each(
            "mean", [Total(count, total / vote)], ["x"], price=Price(epsilon), adjacency=ADD_REMOVE, bounds=units.bounds
        )
        return _Alone(posed, unit)

    with patch.object(people_groups, "pose_group_mean", rounded):
        spread = [tuple((g, 2) for g in "abc")]
        found = worst(audited(EXACT["group means"], ADD_REMOVE), ADD_REMOVE, [*spread, (("a", 2),)], most=2)
        assert found > 1.2


class _Alone:
    """What was posed of one group, its loss in the unit of persons."""

    accuracy_before = None

    def __init__(self, posed: Any, unit: str) -> None:
        from dataclasses import replace

        self._posed, self.frame, self.loss = posed, posed.frame, replace(posed.loss, unit=unit)

    def draw(self, source: Any) -> Any:
        return self._posed.draw(source)

    def build(self, drawn: Any, loss: Any, note: str) -> Any:
        return self._posed.build(drawn, loss, note)["x"]


# Weights inside each person: what one person moves, pair by pair


PLACES = 4
SHARES = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10), Fraction(1)]


def bags(rows: int) -> list[dict[tuple[int, ...], int]]:
    """All persons with one to so many rows over a few places: how many rows at each."""
    listed = [each for n in range(1, rows + 1) for each in combinations_with_replacement(range(PLACES), n)]
    return [{(place,): bag.count(place) for place in sorted(set(bag))} for bag in listed]


def utilities(people: tuple[dict[tuple[int, ...], int], ...], share: Fraction, limit: int, vote: int) -> Any:
    """The rank errors of all places, times the limit where votes are not divided by it."""
    weights = np.zeros(PLACES, dtype=object)
    for cells in people:
        for (place,), weight in _weights(cells, limit, vote).items():
            weights[place] += weight
    votes = votes_of(range(PLACES), weights, limit * vote)
    problem = vote_percentile_problem(votes, 100 * share, grid=as_grid(range(PLACES)), adjacency=ADD_REMOVE)
    return np.asarray(problem.utilities), problem.frame.bound


def _weights(cells: dict[tuple[int, ...], int], limit: int, vote: int) -> dict[tuple[int, ...], int]:
    """As engines give them; for parts of votes that are no power of 2 by the definition."""
    bits = vote.bit_length() - 1
    if 1 << bits == vote:
        return weights_of_person(cells, limit, bits)
    total, reached, before, found = sum(cells.values()), 0, 0, {}
    for cell in sorted(cells):
        reached += cells[cell]
        now = vote * min(total, limit) * reached // total
        found[cell], before = now - before, now
    return found


def largest_change(rows: int, people: int, votes: tuple[int, ...], limits: tuple[int, ...]) -> int:
    """How many pairs were tried; each moves utilities by the bound at most, and some pair by all of it."""
    pairs, listed = 0, bags(rows)
    crowds = [crowd for n in range(people + 1) for crowd in combinations_with_replacement(range(len(listed)), n)]
    for vote, limit, share in product(votes, limits, SHARES):
        known = {crowd: utilities(tuple(listed[i] for i in crowd), share, limit, vote) for crowd in crowds}
        worst = 0
        for crowd in crowds:
            for more in range(len(listed)):
                larger = tuple(sorted((*crowd, more)))
                if larger not in known:
                    known[larger] = utilities(tuple(listed[i] for i in larger), share, limit, vote)
                (one, bound), (other, _) = known[crowd], known[larger]
                worst = max(worst, int(np.abs(one - other).max()))
                pairs += 1
        assert worst == bound
    return pairs


def test_a_person_moves_rank_errors_by_the_bound_at_most() -> None:
    assert largest_change(rows=2, people=1, votes=(1, 7, 16), limits=(1, 2)) == 15 * 14 * 3 * 2 * 5


@pytest.mark.long
def test_a_person_moves_rank_errors_by_the_bound_at_most_in_many_pairs() -> None:
    assert largest_change(rows=3, people=2, votes=(1, 7, 1000), limits=(1, 3)) >= 400_000
