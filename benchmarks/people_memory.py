"""A million people in memory, counted: ``python -m benchmarks.people_memory``.

Ids are whole numbers or texts, in an array or a list, one row each in random order; nothing is kept from question to
question. The peer is DuckDB's plain grouped query of the same column, on one core as dampen is. What is told are the
medians of rounds in random order, of the processor's time: others may use the machine.
"""

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from benchmarks.targets import Target
from benchmarks.timing import Run, interleaved_medians

PEOPLE = 10**6
PLAIN = "select count(*), sum(n) from (select who, count(*) as n from frame group by 1)"
Ids = dict[str, Any]


def make_ids(people: int) -> Ids:
    """The same people under ids of several kinds."""
    numbers = np.random.default_rng(0).permutation(people)
    texts = [f"patient-{number:08d}" for number in numbers.tolist()]
    return {
        "whole numbers, array": numbers,
        "texts, list": texts,
        "texts, array of objects": np.array(texts, dtype=object),
        "texts, array of letters": np.array(texts),
    }


def ask_privately(ids: Any, of: str) -> Callable[[], object]:
    """How many rows or persons, from a table that is opened just now."""
    import dampen

    def ask() -> object:
        table = dampen.Table({"who": ids}, columns={}, person="who", budget=dampen.Budget(epsilon=1))
        return table.count(of=of, epsilon=1)

    return ask


def ask_plainly(ids: Any) -> Callable[[], object]:
    """The grouped query of DuckDB, over an array."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("set threads = 1")
    connection.register("frame", {"who": np.asarray(ids, dtype=None if isinstance(ids, np.ndarray) else object)})
    return lambda: connection.sql(PLAIN).fetchall()


def processor(action: Callable[[], object]) -> Run:
    """A run that tells the processor's seconds of one call."""

    def run() -> float:
        start = process_time()
        action()
        return process_time() - start

    return run


def main() -> None:
    """Measure, print a line for each kind of ids, and the verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=float, default=PEOPLE, help="how many")
    parser.add_argument("--rounds", type=int, default=9, help="runs of each side")
    given = parser.parse_args()
    kinds, sides = make_ids(int(given.people)), ("rows", "persons", "plain")
    runs = {
        (kind, side): processor(ask_plainly(ids) if side == "plain" else ask_privately(ids, side))
        for kind, ids in kinds.items()
        for side in sides
    }
    for run in runs.values():
        run()  # kernels are compiled, or read, once
    found = interleaved_medians(runs, rounds=given.rounds, allowance=60)
    seconds = {key: measured.seconds for key, measured in found.items()}
    for kind in kinds:
        rows, persons, plain = (seconds[kind, side] for side in sides)
        told = f"rows {rows:.3f} s, persons {persons:.3f} s; DuckDB's grouped query {plain:.3f} s"
        print(f"{kind:<24} {told}; ratio {rows / plain:.2f}", flush=True)
    own = {f"{kind}, {side}": seconds[kind, side] for kind in kinds for side in sides[:2]}
    print(Target("seconds of a count of a million people", 0.2, own if given.people >= PEOPLE else {}).line())


if __name__ == "__main__":
    main()
