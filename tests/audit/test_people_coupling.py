"""One person more, with all rows, on all small tables: through the cheap engines, and faults that must be found."""

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from dampen.tables.engines import open_engine
from dampen.tables.engines.base import PersonAsk
from tests.audit.reading.people import ASKS, FAULTS, Count, Uncoupled, Visit, both_sides, couple, judge, persons, tables
from tests.contracts.people_by_hand import Shares, told

SOME: dict[str, tuple[int, tuple[str, ...]]] = {"arrays": (30, (*ASKS,)), "duckdb": (1, ("costs", "costs of wards"))}
"""So many tables the default run tries, and these questions."""
SCHEMA = pa.schema({"name": pa.string(), "ward": pa.string(), "cost": pa.int64()})


def frame_of(visits: Sequence[Visit]) -> pa.Table:
    names, wards, costs = map(list, zip(*visits, strict=True)) if visits else ([], [], [])
    return pa.table({"name": names, "ward": wards, "cost": costs}, schema=SCHEMA)


@cache
def database() -> Any:
    return duckdb.connect()


def lying(visits: Sequence[Visit], engine: str) -> Any:
    if engine == "arrays":
        return {name: column.to_pylist() for name, column in zip(SCHEMA.names, frame_of(visits).columns, strict=True)}
    if engine == "duckdb":
        return database().from_arrow(frame_of(visits))
    return pytest.importorskip("ibis").memtable(frame_of(visits))


def counted_by(engine: str) -> Count:
    """What an engine counts; the same table is not asked twice, however its rows are ordered."""
    known: dict[Any, Shares] = {}

    def count(visits: Sequence[Visit], ask: PersonAsk) -> Shares:
        key = (ask, *(visits if engine == "arrays" else sorted(visits, key=str)))
        if key not in known:
            with open_engine(lying(visits, engine)) as opened:
                found = opened.person_shares(ask)
            known[key] = both_sides(told(found), told(found.negative)) if ask.signed else told(found)
        return known[key]

    return count


def couple_all(
    count: Count, held: Sequence[list[Visit]], rng: Random, names: Sequence[str], *, every: bool = False
) -> int:
    """``every``: a person is added with its name in all rows, in some, in none; else in one of these ways."""
    pairs = 0
    for rows in held:
        for added in persons(None if every else rng):
            for name in names:
                couple(count, rows, added, rng, name)
                pairs += 1
    return pairs


@pytest.mark.parametrize("engine", SOME)
def test_one_person_more(engine: str) -> None:
    rng, (count, names) = Random(engine), SOME[engine]
    assert couple_all(counted_by(engine), rng.sample([*tables()], count), rng, names) == 19 * count * len(names)


@pytest.mark.long
@pytest.mark.parametrize("engine", ["arrays", "duckdb", "ibis"])
def test_one_person_more_on_all_tables(engine: str) -> None:
    """At most three people with at most three rows each."""
    held = [*tables()] if engine != "ibis" else Random(engine).sample([*tables()], 2)
    names = ["costs of wards"] if engine == "duckdb" else [*ASKS]
    couple_all(counted_by(engine), held, Random(engine), names, every=engine == "arrays")


def test_the_rule_itself() -> None:
    """The judge, which the engines are held against elsewhere."""
    rng = Random("judge")
    assert couple_all(judge, rng.sample([*tables()], 60), rng, [*ASKS]) == 60 * 19 * len(ASKS)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_faults_are_found(fault: Count) -> None:
    rng = Random("faults")
    with pytest.raises(Uncoupled):
        couple_all(fault, [*tables()], rng, [*ASKS])
