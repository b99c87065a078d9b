"""Tables whose rows have two persons each: the joint law of the whole pipeline, and one person more with all rows.

A data set is a multiset of pairs of persons, listed in any order. One step removes all rows of a person or adds them,
or gives a person other rows. Proof: docs/proofs/edge_race.md.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from random import Random
from typing import Any
from unittest.mock import patch

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from dampen import Adjacency, Budget, Table
from dampen.audit import AuditReport, audit_caps
from dampen.front import two_persons
from dampen.mechanisms.caps.base import CapMechanism
from dampen.problem import CapProblem, NumericFrame
from dampen.questions.people import rows_of_two
from dampen.questions.people.rows_of_two import kept_under
from dampen.tables import person_pairs as pairs
from dampen.tables.person_pairs import PersonPairs, person_pairs
from tests.audit.joint import overheard
from tests.audit.people import Heard, loss_between

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
pytestmark = pytest.mark.filterwarnings("ignore::dampen.errors.CutOffWarning")
CAPS = (1, 2, 4)
NAMES = ("ann", 7, "bob", 2**70, "Zoë")
Row = tuple[Any, Any]
Rows = tuple[Row, ...]
"""Rows as they are listed."""
FAMILIES: dict[str, tuple[int, bool, int]] = {
    "three persons, rows to oneself": (3, True, 1),
    "four persons": (4, False, 1),
}
MANY = {
    "three persons, two rows of a pair": (3, True, 2),
    "four persons, rows to oneself": (4, True, 1),
    "five persons": (5, False, 1),
}
"""How many persons, whether rows to oneself, and how many rows of a pair at most."""
ALL = [*FAMILIES, *(pytest.param(name, marks=pytest.mark.long) for name in MANY)]


def tables(people: int, selves: bool, most: int) -> list[Rows]:
    """All tables of so many people, each listed in some order."""
    choose = combinations_with_replacement if selves else combinations
    kinds = list(choose(NAMES[:people], 2))
    times = product(range(most + 1), repeat=len(kinds))
    return [tuple(row for row, count in zip(kinds, each, strict=True) for _ in range(count)) for each in times]


def without(rows: Iterable[Row], person: Any) -> Rows:
    return tuple(row for row in rows if person not in row)


def steps(data: Sequence[Rows], adjacency: Adjacency) -> Iterator[tuple[Rows, Rows]]:
    """All pairs of neighbours."""
    alike: dict[tuple[Any, Rows], list[Rows]] = {}
    for rows in data:
        for person in NAMES:
            alike.setdefault((person, without(rows, person)), []).append(rows)
    for (_, rest), group in alike.items():
        yield from ((rows, rest) for rows in group) if adjacency is ADD_REMOVE else combinations(group, 2)


def columns_of(rows: Iterable[Row]) -> dict[str, list[Any]]:
    listed = list(rows)
    return {"from": [row[0] for row in listed], "to": [row[1] for row in listed]}


def table_of(rows: Iterable[Row], adjacency: Adjacency, budget: Budget) -> Table:
    return Table(columns_of(rows), columns={}, budget=budget, adjacency=adjacency, persons=("from", "to"))


def asked(rows: Rows, adjacency: Adjacency, epsilon: int) -> tuple[Any, CapProblem]:
    """What is drawn of a table, and by whom: the question runs as it is."""
    found: list[tuple[Any, CapProblem]] = []

    def draw(self: Any, problem: CapProblem, source: object) -> tuple[int, int]:
        found.append((self, problem))
        return problem.frame.caps[0], 0

    budget = Budget(epsilon=100)
    with patch.object(two_persons, "ROW_CAPS", CAPS), patch.object(CapMechanism, "draw", draw):
        release = table_of(rows, adjacency, budget).count(epsilon=epsilon)
    assert budget.spent.epsilon == release.loss.epsilon == epsilon
    assert budget.unit == release.loss.unit == "from or to"
    [(mechanism, problem)] = found
    return mechanism, problem


def audit(steps: Iterable[tuple[Rows, Rows]], adjacency: Adjacency, epsilon: int = 1) -> AuditReport:
    """The worst of these steps. A law depends on the problem alone, of which many tables have the same."""
    posed: dict[Rows, Any] = {}
    problems: dict[Any, CapProblem] = {}
    mechanism = None

    def key_of(rows: Rows) -> Any:
        nonlocal mechanism
        if rows not in posed:
            mechanism, problem = asked(rows, adjacency, epsilon)
            posed[rows] = problem.above, problem.sums
            problems.setdefault(posed[rows], problem)
        return posed[rows]

    near: dict[Any, set[Any]] = {}
    for one, other in steps:
        near.setdefault(key_of(one), set()).add(key_of(other))
        near.setdefault(key_of(other), set()).add(key_of(one))
    assert mechanism is not None
    return audit_caps(mechanism, problems.__getitem__, sorted(near), lambda key: sorted(near[key] - {key}))


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize("name", ALL)
def test_cap_and_answer_together_hold_the_claim(name: str, adjacency: Adjacency) -> None:
    data = tables(*(FAMILIES | MANY)[name])
    for epsilon in (1,) if name in FAMILIES else (1, 3):
        report = audit(steps(data, adjacency), adjacency, epsilon)
        assert report.passed
        assert 0.5 * epsilon < report.worst_log_ratio <= epsilon + 1e-9


def listen(rows: Rows, adjacency: Adjacency) -> Heard:
    """What is drawn under a public cap."""
    with overheard() as draws:
        release = table_of(rows, adjacency, Budget(epsilon=1)).count(cap=2, epsilon=1)
    return Heard(tuple(draws), release.value)


def worst_under_a_cap(adjacency: Adjacency) -> float:
    listened = cache(lambda rows: listen(rows, adjacency))
    data = tables(4, False, 1)
    return max(loss_between(listened(one), listened(other)) for one, other in steps(data, adjacency) if one != other)


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
def test_a_public_cap_holds_the_claim_exactly(adjacency: Adjacency) -> None:
    assert worst_under_a_cap(adjacency) == pytest.approx(1)


def test_noise_for_one_row_where_a_person_has_two_is_caught() -> None:
    """The control: two rows of everybody are kept, and the noise hides one."""
    plain = NumericFrame
    with patch.object(rows_of_two, "NumericFrame", lambda cap, *given, **more: plain(1, *given, **more)):
        assert worst_under_a_cap(ADD_REMOVE) > 1.9


def paths(count: int, first: int = 0) -> list[Row]:
    """So many paths of three rows, the two outer ones of each listed before the middle one."""
    ends = [tuple(f"p{first + 4 * place + spot:03}" for spot in range(4)) for place in range(count)]
    return [row for a, b, c, d in ends for row in ((a, b), (c, d), (b, c))]


def in_file_order(one: Any, other: Any) -> PersonPairs:
    """Rows as they are listed."""
    rows = [row for row in zip(one, other, strict=True) if None not in row]
    numbers = {name: place for place, name in enumerate(sorted({name for row in rows for name in row}))}
    ends = [np.array([numbers[row[side]] for row in rows], dtype=np.uint32) for side in (0, 1)]
    return PersonPairs(np.minimum(*ends), np.maximum(*ends), len(numbers))


def test_the_order_of_a_file_is_caught() -> None:
    """The control: a person more, and the rows listed the other way round."""
    rows = paths(5)
    step = [((*rows, ("x", "y")), tuple(rows[::-1]))]
    assert audit(step, ADD_REMOVE).passed
    with patch.object(pairs, "order_pairs", in_file_order):
        assert audit(step, ADD_REMOVE).worst_log_ratio > 3


def test_an_order_by_numbers_of_persons_is_caught() -> None:
    """The control: persons are hashed by their number among those who are there, which changes as somebody leaves."""
    step = [((("a", "p000"), *paths(200)), tuple(paths(200)))]
    assert audit(step, ADD_REMOVE).passed
    plain = pairs.hash_persons
    with patch.object(pairs, "hash_persons", lambda names: plain([str(place) for place in range(len(names))])):
        assert audit(step, ADD_REMOVE).worst_log_ratio > 1.3


def kept_if_both_have_few(found: PersonPairs, caps: Sequence[int]) -> tuple[int, ...]:
    """The rows of two persons neither of whom has more than the cap in all: a rule that looks at others' rows."""
    counts = np.zeros(found.people, dtype=np.int64)
    for low, high in zip(found.low.tolist(), found.high.tolist(), strict=True):
        for person in {low, high}:
            counts[person] += 1
    largest = np.maximum(counts[found.low], counts[found.high])
    return tuple(int((largest <= cap).sum()) for cap in caps)


def test_a_rule_that_looks_at_the_rows_of_others_is_caught() -> None:
    """The control: the hub leaves, and all rows of everybody who had one row too many come back."""
    rows = [(f"a{place}", f"b{place}") for place in range(8)]
    step = [((*rows, *(("hub", one) for one, _ in rows)), tuple(rows))]
    assert audit(step, ADD_REMOVE).passed
    with patch.object(rows_of_two, "kept_under", kept_if_both_have_few):
        assert audit(step, ADD_REMOVE).worst_log_ratio > 3


class Uncoupled(AssertionError):
    """One person moved more than one may."""


@cache
def database() -> Any:
    return duckdb.connect()


def lying(rows: Sequence[Row], engine: str) -> Any:
    texts = [(one and str(one), other and str(other)) for one, other in rows]
    if engine == "arrays":
        return columns_of(texts)
    made = pa.table(columns_of(texts), schema=pa.schema({"from": pa.string(), "to": pa.string()}))
    return database().from_arrow(made) if engine == "duckdb" else pytest.importorskip("ibis").memtable(made)


def couple(engine: str, tries: int, count: Callable[..., tuple[int, ...]] = kept_under) -> None:
    """Random tables, listed anyhow; one person more, some of whose rows lack a name."""
    rng, levels = Random(engine), (1, 2, 3, 4, 6, 8)
    for _ in range(tries):
        kinds: list[Row] = [*combinations_with_replacement("abcdef", 2), ("a", None), (None, None)]
        held = rng.choices(kinds, k=rng.randrange(12))
        own: list[Row] = [("new", rng.choice([*"abcdef", "new", None])) for _ in range(rng.randrange(1, 9))]
        more: list[Row] = [rng.choice((row, (row[1], row[0]))) for row in (*held, *own)]
        rng.shuffle(more)
        less, all_rows = (count(person_pairs(lying(rows, engine), ("from", "to")), levels) for rows in (held, more))
        moved = {cap: now - before for cap, now, before in zip(levels, all_rows, less, strict=True)}
        twice = [moved[2 * cap] - moved[cap] for cap in (1, 2, 3, 4)]
        if not all(0 <= by <= cap for cap, by in moved.items()) or not all(
            -cap <= by <= 2 * cap for cap, by in zip((1, 2, 3, 4), twice, strict=True)
        ):
            raise Uncoupled(held, own)


@pytest.mark.parametrize(("engine", "tries"), [("arrays", 300), ("duckdb", 5)])
def test_one_person_more(engine: str, tries: int) -> None:
    couple(engine, tries)


@pytest.mark.long
@pytest.mark.parametrize(("engine", "tries"), [("arrays", 20_000), ("duckdb", 500), ("ibis", 100)])
def test_one_person_more_at_length(engine: str, tries: int) -> None:
    couple(engine, tries)


def test_one_person_more_where_all_hashes_are_the_same() -> None:
    """Then texts alone make the order, which is as private."""
    with patch.object(pairs, "hash_persons", lambda names: np.zeros(len(names), dtype=np.uint64)):
        couple("arrays", 200)


def test_faults_are_found() -> None:
    with pytest.raises(Uncoupled), patch.object(pairs, "order_pairs", in_file_order):
        couple("arrays", 400)
    with pytest.raises(Uncoupled):
        couple("arrays", 400, kept_if_both_have_few)
