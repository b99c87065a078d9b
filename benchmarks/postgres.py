"""Sixteen processes on one ledger of a PostgreSQL server, against bare serialisable inserts of the same shape.

Run ``python -m benchmarks.postgres`` from the project's root; it starts a server of its own. benchmarks/README.md says
what is timed.
"""

import argparse
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from fractions import Fraction
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from tempfile import gettempdir
from time import perf_counter

import psycopg
import pytest

from benchmarks.targets import Target
from benchmarks.timing import Measured, interleaved_medians
from dampen import Adjacency, Budget, PrivacyLoss
from dampen.accounting import Ledger
from dampen.accounting.chain import Entry, charge_entry
from tests import postgres

PROCESSES = 16
EACH, QUICK_EACH = 30, 10
"""Reservations of each process in one round."""
ROUNDS, QUICK_ROUNDS = 5, 3
EPSILON = Fraction(1, 1000)
LOSS = PrivacyLoss(EPSILON, adjacency=Adjacency.ADD_REMOVE)
NOTE = "a purpose of the usual length"
LOCKED, TRIED = "bare, one after the other by a lock", "bare, SERIALIZABLE and tried again on a conflict"
FREE = "bare, SERIALIZABLE in no order"
RESERVE, FINISHED = "reserve", "reserve and outcome"
COLUMNS = ", ".join(f"{name} {'BIGINT' if name in ('number', 'refers') else 'TEXT'}" for name in Entry._fields)
RESULTS = Path(__file__).resolve().parent / "results" / "postgres.json"


def main() -> None:
    """Measure, print a table and verdicts, and write them as JSON."""
    quick = _options().quick
    try:
        server = postgres.server(Path(gettempdir()))
    except pytest.skip.Exception as reason:
        raise SystemExit(f"not measured: {reason}") from None
    each = QUICK_EACH if quick else EACH
    measured, granted = _measure(server, each, QUICK_ROUNDS if quick else ROUNDS)
    rates = {name: PROCESSES * each / one.seconds for name, one in measured.items()}
    promise = "16 processes reserve at 0.5 or more of the rate of bare inserts with numbers in order"
    targets = [
        Target(f"{promise}, {kind}", 0.5, {RESERVE: rates[RESERVE] / rates[bare]}, at_least=True)
        for kind, bare in (("SERIALIZABLE", TRIED), ("by a lock", LOCKED))
    ] + [
        Target("as much is granted as the ledger says, to the last unit", 0, {"difference": float(granted)}),
    ]
    _show(rates, targets)
    _write(measured, rates, targets)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.postgres", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds of few reservations")
    return parser.parse_args()


def _measure(server: postgres.Server, each: int, rounds: int) -> tuple[dict[str, Measured], Fraction]:
    """Interleaved medians of one round of all processes, and by how much grants and the ledger differ."""
    address = server.address("benchmark")
    server.sql(f"CREATE TABLE bare ({COLUMNS}, PRIMARY KEY (number)); CREATE SEQUENCE free")
    with closing(Budget.open(address, epsilon=10**6)) as ledger, get_context("spawn").Pool(PROCESSES) as pool:
        work = {LOCKED: insert_with_lock, TRIED: insert_until_done, FREE: insert_freely}
        runs = {name: _round(pool, act, address.partition("&ledger=")[0], each) for name, act in work.items()}
        runs |= {name: _round(pool, act, address, each) for name, act in ((RESERVE, reserve), (FINISHED, finish))}
        interleaved_medians(runs, rounds=1, allowance=600.0)
        measured = interleaved_medians(runs, rounds=rounds, allowance=600.0)
        times = sum(measured[name].runs + 1 for name in (RESERVE, FINISHED))
        difference = abs((ledger.spent.epsilon or 0) - times * PROCESSES * each * EPSILON)
        if not ledger.verify():
            raise SystemExit("the ledger is not intact after the benchmark")
        return measured, difference


def _round(pool: Pool, act: Callable[[str, int], None], address: str, each: int) -> Callable[[], float]:
    """All processes at once, each on a connection that it keeps."""

    def run() -> float:
        start = perf_counter()
        pool.starmap(act, [(address, each)] * PROCESSES, chunksize=1)
        return perf_counter() - start

    return run


# What each of the processes does

_ledgers: dict[str, Ledger] = {}
_connections: dict[str, psycopg.Connection] = {}
ROW = charge_entry("", LOSS, NOTE)._replace(hash="0" * 64)[1:]
HOLDERS = ", ".join(["%s"] * len(ROW))


def reserve(address: str, count: int) -> None:
    """Reserve so often."""
    ledger = _ledger(address)
    for _ in range(count):
        ledger.reserve(LOSS, note=NOTE)


def finish(address: str, count: int) -> None:
    """The same, with outcomes."""
    ledger = _ledger(address)
    for _ in range(count):
        with ledger.reserve(LOSS, note=NOTE):
            pass


def insert_with_lock(address: str, count: int) -> None:
    """Writers wait for each other."""
    db = _connection(address)
    for _ in range(count):
        db.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE bare IN EXCLUSIVE MODE")
        db.execute(f"INSERT INTO bare SELECT coalesce(max(number), 0) + 1, {HOLDERS} FROM bare", ROW)
        db.execute("COMMIT")


def insert_until_done(address: str, count: int) -> None:
    """Writers overlap, and all but one of them begin anew."""
    db, done = _connection(address), 0
    while done < count:
        try:
            db.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
            db.execute(f"INSERT INTO bare SELECT coalesce(max(number), 0) + 1, {HOLDERS} FROM bare", ROW)
            db.execute("COMMIT")
            done += 1
        except (psycopg.errors.SerializationFailure, psycopg.errors.UniqueViolation):
            db.execute("ROLLBACK")


def insert_freely(address: str, count: int) -> None:
    """No row follows another: the server may write many of them to the disk at once. For comparison alone."""
    db = _connection(address)
    for _ in range(count):
        db.execute("BEGIN ISOLATION LEVEL SERIALIZABLE")
        db.execute(f"INSERT INTO bare VALUES (-nextval('free'), {HOLDERS})", ROW)
        db.execute("COMMIT")


def _ledger(address: str) -> Ledger:
    if address not in _ledgers:
        _ledgers[address] = Budget.open(address)
    return _ledgers[address]


def _connection(address: str) -> psycopg.Connection:
    if address not in _connections:
        _connections[address] = psycopg.connect(address, autocommit=True)
    return _connections[address]


# Verdicts


def _show(rates: dict[str, float], targets: list[Target]) -> None:
    print(f"\n| {PROCESSES} processes | a second |\n|---|---:|")
    for name, rate in rates.items():
        print(f"| {name} | {rate:,.0f} |")
    print("", *(target.line() for target in targets), sep="\n")


def _write(measured: dict[str, Measured], rates: dict[str, float], targets: list[Target]) -> None:
    content = {
        "processes": PROCESSES,
        "rounds": {name: asdict(one) for name, one in measured.items()},
        "a second": rates,
        "targets": [{**asdict(target), "met": target.met} for target in targets],
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")
    print(f"\nwritten to benchmarks/results/{RESULTS.name}")


if __name__ == "__main__":
    main()
