"""The durable ledger against a bare INSERT with the same synchronisation, and with a history of 1e6 entries.

Run ``python -m benchmarks.ledger`` from the project's root; benchmarks/README.md says what is timed.
"""

import argparse
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.targets import Target
from benchmarks.timing import Measured, Run, interleaved_medians, stopwatch
from dampen import Adjacency, Budget, PrivacyLoss
from dampen.accounting import Ledger
from dampen.accounting.chain import Entry, Head, charge_entry, outcome_entry
from dampen.accounting.sqlite_store import SCHEMA
from dampen.privacy import Amount

BARE, RESERVE, OUTCOME = "bare INSERT", "reserve", "reserve and outcome"
ALONE, FINISHED, TOGETHER = "one process", "one process, with outcomes", "two processes together"
EPSILON = Fraction(1, 1000)
LOSS = PrivacyLoss(EPSILON, adjacency=Adjacency.ADD_REMOVE)
NOTE = "a purpose of the usual length"
AMPLE = 10**9
ROUNDS, QUICK_ROUNDS = 1001, 101
IN_A_ROW, QUICK_IN_A_ROW = 1000, 200
HISTORY, QUICK_HISTORY = 10**6, 10**5
LOOKS, QUICK_LOOKS = 9, 3
"""How often a long history is opened, summed up and shown."""
SAMPLE = 5_000
"""Entries of the sample on which ``verify`` judges the maker of long histories."""
COMMAND = "import sys; from dampen.cli import main; sys.argv[0] = 'dampen'; main()"
RESULTS = Path(__file__).resolve().parent / "results" / "ledger.json"

Looks = Mapping[tuple[str, str], Measured]
"""By history and action."""


@dataclass(frozen=True)
class Shape:
    """What kind of history: how many notes there are, and whether every charge has an outcome."""

    name: str
    notes: int
    finished: bool


SHAPES = (
    Shape("ten notes, all finished", 10, True),
    Shape("a note of its own for every charge, all finished", 10**9, True),
    Shape("ten notes, nothing finished", 10, False),
)


def main() -> None:
    """Measure, print tables and verdicts, and write them as JSON."""
    quick = _options().quick
    with TemporaryDirectory(prefix="dampen-bench-") as folder:
        speed = _speed(Path(folder), QUICK_ROUNDS if quick else ROUNDS)
        rates = _rates(Path(folder), QUICK_IN_A_ROW if quick else IN_A_ROW)
        entries = QUICK_HISTORY if quick else HISTORY
        looks = _long_histories(Path(folder), entries, QUICK_LOOKS if quick else LOOKS)
    targets = _targets(speed, rates, looks)
    _show(speed, rates, looks, entries, targets)
    _write(speed, rates, looks, entries, targets)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ledger", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds, a history of 1e5 entries")
    return parser.parse_args()


# One reservation


def _speed(folder: Path, rounds: int) -> dict[str, Measured]:
    """Interleaved medians of one durable transaction each; a first round does not count."""
    print(f"measuring one reservation, {rounds} rounds", flush=True)
    ledger = Budget.open(folder / "speed.db", epsilon=AMPLE)
    with closing(ledger), closing(_bare(folder / "bare.db")) as db:
        row = tuple(ledger.reserve(LOSS, note=NOTE)._entry)[1:]
        insert = f"INSERT INTO entries VALUES (NULL, {', '.join('?' * len(row))})"

        def bare() -> None:
            db.execute("BEGIN IMMEDIATE")
            db.execute(insert, row)
            db.execute("COMMIT")

        def with_outcome() -> None:
            with ledger.reserve(LOSS, note=NOTE):
                pass

        runs: dict[str, Run] = {
            BARE: stopwatch(bare),
            RESERVE: stopwatch(lambda: ledger.reserve(LOSS, note=NOTE)),
            OUTCOME: stopwatch(with_outcome),
        }
        interleaved_medians(runs, rounds=1, allowance=60.0)
        return interleaved_medians(runs, rounds=rounds, allowance=120.0)


def _bare(path: Path) -> sqlite3.Connection:
    """A table with the columns of the entries, in the same mode, and nothing else."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("PRAGMA synchronous=FULL")
    db.execute(SCHEMA[0])
    return db


def _rates(folder: Path, count: int) -> dict[str, float]:
    """Reservations per second: alone, with outcomes, and two processes on one file."""
    print(f"measuring {count} reservations in a row", flush=True)
    with closing(Budget.open(folder / "rate.db", epsilon=AMPLE)) as ledger:
        alone = stopwatch(lambda: [ledger.reserve(LOSS, note=NOTE) for _ in range(count)])()
        finished = stopwatch(lambda: _spend(ledger, count))()
    path = str(folder / "rate.db")
    with get_context("spawn").Pool(2) as pool:
        pool.starmap(spend, [(path, 5)] * 2)
        both = stopwatch(lambda: pool.starmap(spend, [(path, count)] * 2, chunksize=1))()
    return {ALONE: count / alone, FINISHED: count / finished, TOGETHER: 2 * count / both}


def _spend(ledger: Ledger, count: int) -> None:
    for _ in range(count):
        with ledger.reserve(LOSS, note=NOTE):
            pass


def spend(path: str, count: int) -> None:
    """What each of several processes does."""
    with closing(Budget.open(path)) as ledger:
        for _ in range(count):
            ledger.reserve(LOSS, note=NOTE)


# Long histories


def _long_histories(folder: Path, entries: int, rounds: int) -> dict[tuple[str, str], Measured]:
    """Medians of opening, summing up, showing, reserving and verifying, by history and action."""
    looks: dict[tuple[str, str], Measured] = {}
    for number, shape in enumerate(SHAPES):
        print(f"making a history of {entries:,} entries: {shape.name}", flush=True)
        _require_right(folder / f"sample{number}.db", shape)
        path = folder / f"history{number}.db"
        _made(path, shape, entries)
        measured = interleaved_medians(_looks(path), rounds=rounds, allowance=60.0)
        if number == 0:
            measured["verify"] = Measured(_timed(path, lambda ledger: _require(ledger.verify()))(), 1)
        looks |= {(shape.name, action): one for action, one in measured.items()}
        path.unlink()
    return looks


def _looks(path: Path) -> dict[str, Run]:
    command = [sys.executable, "-c", COMMAND, "budget", "show"]
    return {
        "open": stopwatch(lambda: Budget.open(path).close()),
        "summary": _timed(path, Ledger.summary),
        "show": stopwatch(lambda: subprocess.run([*command, str(path)], check=True, capture_output=True)),
        "show --help": stopwatch(lambda: subprocess.run([*command, "--help"], check=True, capture_output=True)),
        "reserve": _timed(path, lambda ledger: ledger.reserve(LOSS, note=NOTE)),
    }


def _timed(path: Path, action: Callable[[Ledger], object]) -> Run:
    """A run on a ledger that was opened just now, which is not timed."""

    def run() -> float:
        with closing(Budget.open(path)) as ledger:
            return stopwatch(lambda: action(ledger))()

    return run


def _require(report: object) -> None:
    if not report:
        raise SystemExit(f"the maker of histories made a wrong one: {report}")


def _require_right(path: Path, shape: Shape) -> None:
    """Before a long history is trusted, ``verify`` judges a short one of the same make."""
    with closing(_made(path, shape, SAMPLE)) as ledger:
        _require(ledger.verify(head=ledger.head))


def _made(path: Path, shape: Shape, entries: int) -> Ledger:
    """A ledger of so many entries, written at once: rows, hashes and sums are those of as many reservations."""
    ledger = Budget.open(path, epsilon=AMPLE)
    charges = entries // 2 if shape.finished else entries
    spent = Amount(charges * EPSILON, Fraction(0))
    with ledger._store.transaction() as transaction:
        account, head = transaction.account(""), transaction.head()
        assert account is not None
        transaction.save_account(replace(account, spent=spent, adjacency=LOSS.adjacency, unit=LOSS.unit))
    ledger.close()
    with closing(sqlite3.connect(path)) as db, db:
        _insert(db, "entries", _chain(shape, charges, head))
        _insert(db, "purposes", _purposes(shape, charges))
        _insert(db, "unfinished", () if shape.finished else ((number, "") for number in range(2, charges + 2)))
    return ledger


def _insert(db: sqlite3.Connection, table: str, rows: Iterable[tuple[object, ...]]) -> None:
    columns = len(db.execute(f"PRAGMA table_info({table})").fetchall())
    db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})", rows)


def _chain(shape: Shape, charges: int, head: Head) -> Iterator[Entry]:
    """The charges, each followed by its outcome where they are finished."""
    for count in range(charges):
        charge = charge_entry("", LOSS, _note(count % shape.notes)).follow(head)
        head = Head(charge.number, charge.hash)
        yield charge
        if shape.finished:
            outcome = outcome_entry(charge, "done").follow(head)
            head = Head(outcome.number, outcome.hash)
            yield outcome


def _purposes(shape: Shape, charges: int) -> Iterator[tuple[object, ...]]:
    for number in range(min(shape.notes, charges)):
        count = charges // shape.notes + (number < charges % shape.notes)
        spent = count * EPSILON
        yield "", _note(number), count, str(spent), "0", float(spent)


def _note(number: int) -> str:
    return f"{NOTE}, number {number}"


# Verdicts


def _targets(speed: Mapping[str, Measured], rates: Mapping[str, float], looks: Looks) -> list[Target]:
    """The project's promises about the ledger."""
    return [
        Target(
            "a reservation takes <= 2 times a bare INSERT with the same synchronisation",
            2,
            {RESERVE: speed[RESERVE].seconds / speed[BARE].seconds},
        ),
        Target(">= 200 durable reservations a second in one process", 200, _of(rates, ALONE, FINISHED), at_least=True),
        Target("a long history opens in under 1 s", 1, _seconds(looks, "open")),
        Target("`dampen budget show` of it takes under 1 s, Python's start included", 1, _seconds(looks, "show")),
    ]


def _of(rates: Mapping[str, float], *names: str) -> dict[str, float]:
    return {name: rates[name] for name in names}


def _seconds(looks: Looks, wanted: str) -> dict[str, float]:
    return {shape: measured.seconds for (shape, action), measured in looks.items() if action == wanted}


def _show(
    speed: Mapping[str, Measured], rates: Mapping[str, float], looks: Looks, entries: int, targets: list[Target]
) -> None:
    print("\n| one transaction | milliseconds | times the bare INSERT |\n|---|---:|---:|")
    for name, measured in speed.items():
        print(f"| {name} | {1000 * measured.seconds:.3f} | {measured.seconds / speed[BARE].seconds:.2f} |")
    print("\n| reservations | a second |\n|---|---:|")
    for name, rate in rates.items():
        print(f"| {name} | {rate:,.0f} |")
    actions = list(dict.fromkeys(action for _, action in looks))
    print(f"\n| seconds, {entries:,} entries | {' | '.join(actions)} |\n|---|{'---:|' * len(actions)}")
    for shape in SHAPES:
        cells = (_cell(looks.get((shape.name, action))) for action in actions)
        print(f"| {shape.name} | {' | '.join(cells)} |")
    print("", *(target.line() for target in targets), sep="\n")


def _cell(measured: Measured | None) -> str:
    return "-" if measured is None else f"{measured.seconds:.4f}"


def _write(
    speed: Mapping[str, Measured], rates: Mapping[str, float], looks: Looks, entries: int, targets: list[Target]
) -> None:
    content = {
        "transactions": {name: asdict(measured) for name, measured in speed.items()},
        "reservations per second": rates,
        "entries": entries,
        "histories": [
            {"history": shape, "action": action, **asdict(measured)} for (shape, action), measured in looks.items()
        ],
        "targets": [{**asdict(target), "met": target.met} for target in targets],
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(content, indent=1) + "\n")
    print(f"\nwritten to benchmarks/results/{RESULTS.name}")


if __name__ == "__main__":
    main()
