"""Votes by cell, against loops and fractions, through the engines; and the counts that classifiers make of them."""

from collections import Counter, defaultdict
from math import floor
from random import Random
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from dampen.tables.engines import Bins, Bits, CodedTable, Labels, open_engine
from dampen.tables.pair_counts import Block
from dampen.tables.vote_cells import VoteCells, count_votes

BITS = 3
TABLE = CodedTable(
    {"age": Bins(0.0, 10.0, (2.5, 5.0, 7.5)), "job": Labels(("a", "b", "c"), other=2)}, "way", Labels(("no", "yes"))
)
Row = tuple[str | None, float, str | None, str]
Cell = tuple[int, int, int]


def rows_of(rng: Random, count: int) -> list[Row]:
    names, jobs = ("ann", "bob", "Bob", "", None), ("a", "b", "else", None)
    return [
        (rng.choice(names), rng.choice((-1.0, 2.0, 2.5, 5.5, 7.5, 99.0)), rng.choice(jobs), rng.choice(("no", "yes")))
        for _ in range(count)
    ]


def cell_of(row: Row) -> Cell:
    _, age, job, way = row
    return sum(edge <= age for edge in (2.5, 5.0, 7.5)), {"a": 0, "b": 1}.get(job or "", 2), int(way == "yes")


def votes_by_hand(rows: list[Row]) -> dict[Cell, int]:
    """Everybody's vote, spread over the own rows: increments of floor(Q z / t) from cell to cell."""
    found: dict[Cell, int] = defaultdict(int)
    for name in {row[0] for row in rows if row[0]}:
        own = Counter(cell_of(row) for row in rows if row[0] == name)
        reached = before = 0
        for cell in sorted(own):
            reached += own[cell]
            now = floor(2**BITS * reached / own.total())
            found[cell] += now - before
            before = now
    return {cell: units for cell, units in found.items() if units}


def frame_of(rows: list[Row]) -> pa.Table:
    types = {"name": pa.string(), "age": pa.float64(), "job": pa.string(), "way": pa.string()}
    columns = zip(*rows, strict=True) if rows else [()] * 4
    return pa.table({name: pa.array(list(column), types[name]) for name, column in zip(types, columns, strict=True)})


def counted(rows: list[Row], engine: str) -> VoteCells:
    frame = frame_of(rows)
    data: Any = {"arrays": frame.to_pydict, "duckdb": lambda: duckdb.from_arrow(frame)}[engine]()
    with open_engine(data) as opened:
        return count_votes(opened, "name", TABLE, BITS)


@pytest.mark.parametrize(("engine", "times"), [("arrays", 60), ("duckdb", 4)])
def test_votes_by_cell_against_loops(engine: str, times: int) -> None:
    rng = Random(engine)
    for size in [0, *(rng.randrange(1, 12) for _ in range(times))]:
        rows = rows_of(rng, size)
        cells = counted(rows, engine)
        places = zip(*(each.tolist() for each in (*cells.codes, cells.classes)), strict=True)
        assert dict(zip(places, cells.weights.tolist(), strict=True)) == votes_by_hand(rows)


def test_counts_are_sums_of_votes() -> None:
    """By node and class, by place of every attribute, and by pairs of tests: all against loops over cells."""
    rows = rows_of(Random("counts"), 200)
    cells, held = counted(rows, "arrays"), votes_by_hand(rows)
    routed = TABLE.with_route(Bits(((0, (0, 1)), (1, (2,)))), 4)
    nodes = np.zeros((4, 2), dtype=np.int64)
    places = np.zeros((4, 7, 2), dtype=np.int64)
    for (age, job, way), units in held.items():
        node = 2 * (age <= 1) + (job == 2)
        nodes[node, way] += units
        places[node, age, way] += units
        places[node, 4 + job, way] += units
    assert (cells.class_counts(routed) == nodes).all()
    assert (cells.contingency(routed) == places).all()
    levels = cells.levels(TABLE)
    levels.descend(np.array([1]), np.array([0]))
    assert (levels.tables(np.array([0, 2]))[1] == places[[1, 3]].sum(axis=0)).all()


def test_joint_weights_are_sums_of_votes() -> None:
    rows = rows_of(Random("joints"), 200)
    cells, held = counted(rows, "arrays"), votes_by_hand(rows)
    slots, blocks = np.array([0, 1, 2, -1, 3, 4, 5]), (Block(0, 3, nested=True), Block(3, 6, nested=False))
    joints = [*cells.joints(TABLE, slots, blocks, np.array([0, 1]))]

    def passes(age: int, job: int, test: int) -> bool:
        return age <= test if test < 3 else job == test - 3

    for way, joint in enumerate(joints):
        for one in range(6):
            for two in range(one, 6):
                both = [units for (age, job, own), units in held.items()
                        if own == way and passes(age, job, one) and passes(age, job, two)]  # fmt: skip
                assert joint[one, two] == sum(both)


def units_of(rows: list[Row], engine: str) -> Counter[Cell]:
    cells = counted(rows, engine)
    places = zip(*(each.tolist() for each in (*cells.codes, cells.classes)), strict=True)
    return Counter(dict(zip(places, cells.weights.tolist(), strict=True)))


def mixed(rng: Random, held: list[Row], own: list[Row]) -> list[Row]:
    """Own rows anywhere among the others."""
    return sorted([*held, *own], key=lambda _: rng.random())


@pytest.mark.parametrize(("engine", "times"), [("arrays", 80), ("duckdb", 2)])
def test_one_person_more_brings_one_vote_in_all(engine: str, times: int) -> None:
    """Wherever the own rows are, and in whatever cells: nothing falls, and everything rises by a vote together."""
    rng = Random(f"one more {engine}")
    for _ in range(times):
        held, own = rows_of(rng, rng.randrange(8)), rows_of(rng, rng.randrange(1, 12))
        before = units_of(held, engine)
        after = units_of(mixed(rng, held, [("carl", *row[1:]) for row in own]), engine)
        assert all(after[cell] >= units for cell, units in before.items())
        assert after.total() - before.total() == 2**BITS


def test_rows_in_place_of_votes_would_be_found() -> None:
    """The same rule refuses counts of rows: somebody with three moves them by three."""
    own: list[Row] = [("carl", 2.0, "a", "no")] * 3
    with open_engine(frame_of(own).to_pydict()) as engine:
        assert engine.class_counts(TABLE).sum() == 3
    assert units_of(own, "arrays").total() == 2**BITS
