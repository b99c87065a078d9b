"""One person more, with all rows, on all small tables: at most ``most`` names have one more each, none has fewer."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from dampen.tables.engines import open_engine
from dampen.tables.engines.names import NamesAsk
from dampen.tables.named_people import named_people

Row = tuple[str | None, Any]
"""A person and a value."""
Count = Callable[[Sequence[Row], NamesAsk], dict[str, int]]
VALUES = ("a", "A", "b", "")
SCHEMA = pa.schema({"who": pa.string(), "term": pa.string()})
MOST = (1, 2)


class Uncoupled(AssertionError):
    """One person moved more than one may."""


def bags() -> list[tuple[str, ...]]:
    return [bag for size in range(1, 4) for bag in combinations_with_replacement(VALUES, size)]


def tables(people: int = 2) -> Iterator[list[Row]]:
    for size in range(people + 1):
        for held in combinations_with_replacement(bags(), size):
            yield [(f"p{who}", value) for who, bag in enumerate(held) for value in bag]


@cache
def database() -> Any:
    return duckdb.connect()


def counted_by(engine: str) -> Count:
    def count(rows: Sequence[Row], ask: NamesAsk) -> dict[str, int]:
        who, terms = [row[0] for row in rows], [row[1] for row in rows]
        data: Any = {"who": who, "term": terms}
        if engine != "arrays":
            frame = pa.table(data, schema=SCHEMA)
            data = database().from_arrow(frame) if engine == "duckdb" else pytest.importorskip("ibis").memtable(frame)
        found = named_people(data, ask)
        return dict(zip(found.names, found.people.tolist(), strict=True))

    return count


def couple(count: Count, rows: list[Row], added: list[Row], ask: NamesAsk, rng: Random) -> None:
    """The person's rows may stand anywhere, and some may lack the person."""
    more = [*rows]
    for row in added:
        more.insert(rng.randint(0, len(more)), row)
    before, after = count(rows, ask), count(more, ask)
    moved = {name: after.get(name, 0) - before.get(name, 0) for name in {*before, *after}}
    if not {*moved.values()} <= {0, 1} or sum(moved.values()) > ask.most:
        raise Uncoupled(rows, added, moved)


def couple_all(count: Count, held: Sequence[list[Row]], rng: Random, few: int | None = None) -> int:
    pairs = 0
    for rows in held:
        for bag in bags() if few is None else rng.sample(bags(), few):
            added = [(rng.choice(("new", "new", "new", None)), value) for value in bag]
            for most in MOST:
                couple(count, rows, added, NamesAsk("term", "who", most, "c0de"), rng)
                pairs += 1
    return pairs


@pytest.mark.parametrize(("engine", "held", "few"), [("arrays", 40, 12), ("duckdb", 3, 3)])
def test_one_person_more(engine: str, held: int, few: int) -> None:
    rng = Random(engine)
    assert couple_all(counted_by(engine), rng.sample([*tables()], held), rng, few) == held * few * len(MOST)


@pytest.mark.long
@pytest.mark.parametrize(("engine", "most"), [("arrays", None), ("duckdb", 20), ("ibis", 2)])
def test_one_person_more_on_many_tables(engine: str, most: int | None) -> None:
    rng = Random(engine)
    every = [*tables()]
    couple_all(counted_by(engine), every if most is None else rng.sample(every, most), rng)


@pytest.mark.parametrize(
    "value",
    [1, 2.0, True, None, "1", " ", 2.5, b"x", object()],
    ids=lambda value: f"{type(value).__name__} {value}" if type(value) is not object else "object",
)
def test_a_value_is_read_by_itself_alone(value: Any) -> None:
    """One odd row more changes no other name."""

    def counts(values: list[Any]) -> dict[str, int]:
        with open_engine({"term": values}) as engine:
            found = engine.named_people(NamesAsk("term"))
        return dict(zip(found.names, found.people.tolist(), strict=True))

    for values in ([1, 2, 2], [1.0, 2.0], ["1", "x"], [], [True]):
        before, after = counts(values), counts([*values, value])
        moved = {name: after.get(name, 0) - before.get(name, 0) for name in {*before, *after}}
        assert {*moved.values()} <= {0, 1}
        assert sum(moved.values()) <= 1


# Faults that are found


def rows_for_people(rows: Sequence[Row], ask: NamesAsk) -> dict[str, int]:
    return dict(Counter(term for who, term in rows if who and term))


def uncut(rows: Sequence[Row], ask: NamesAsk) -> dict[str, int]:
    return dict(Counter(term for _, term in {(who, term) for who, term in rows if who and term}))


def common_first(rows: Sequence[Row], ask: NamesAsk) -> dict[str, int]:
    """The groups that most rows have are kept, which is not a function of the own rows."""
    often = Counter(term for _, term in rows)
    found: Counter[str] = Counter()
    for person in {who for who, _ in rows if who}:
        own = sorted({term for who, term in rows if who == person and term}, key=lambda term: (-often[term], term))
        found.update(own[: ask.most])
    return dict(found)


@pytest.mark.parametrize("fault", [rows_for_people, uncut, common_first], ids=lambda fault: fault.__name__)
def test_faults_are_found(fault: Count) -> None:
    with pytest.raises(Uncoupled):
        couple_all(fault, [*tables()], Random("faults"))


def test_the_groups_that_a_person_keeps_are_the_same_whoever_comes_first() -> None:
    """7 and 7.0 are one person in memory; by which of both the own groups are ordered is not for others to decide."""
    for key in range(40):
        ask = NamesAsk("g", "p", 1, f"{key:032x}")
        kept = []
        for person, group in ((["bob", 7, 7.0], ["b", "a", "b"]), ([7, 7.0], ["a", "b"])):
            with open_engine({"p": person, "g": group}, "p", "g") as engine:
                found = engine.named_people(ask)
            kept.append(dict(zip(found.names, found.people.tolist(), strict=True)))
        assert kept[0] == {name: kept[1].get(name, 0) + (name == "b") for name in {*kept[1], "b"}}
