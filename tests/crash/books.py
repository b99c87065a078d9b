"""The parent's side: children of one's own, and what a ledger says, read without dampen's help."""

import json
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dampen import Budget
from dampen.accounting.composition import within
from tests.conftest import LONGEST_MESSAGE
from tests.crash.tasks import UNIT, loss, scope_of

ROOT = Path(__file__).parents[2]
Place = Path | str
"""The file of a ledger, or its address on a server."""
LONGEST_WAIT = 300.0
"""Seconds; a test that waits so long has hung."""


class Nursery:
    """Starts children that work on ledgers, and learns how they ended."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.crash.worker"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def start(self, task: Any, **arguments: object) -> int:
        """Start a child on a function of ``tasks`` or ``forking``; returns its process id."""
        shown = {name: str(value) if isinstance(value, Path) else value for name, value in arguments.items()}
        return self._ask("start", task.__name__, shown)

    def wait(self, child: int) -> int:
        """How the child ended; negative is the signal that killed it."""
        return self._ask("wait", child)

    def run(self, task: Any, **arguments: object) -> int:
        return self.wait(self.start(task, **arguments))

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _ask(self, *order: object) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


def journal_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a child; a last line that was cut off counts for nothing."""
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return [json.loads(line) for line in lines]


def answers_of(path: Path) -> list[tuple[str, Fraction]]:
    """What the child holds in its hands: where each answer was paid for, and how much it cost."""
    return [(line["scope"], Fraction(line["epsilon"])) for line in journal_of(path) if "answer" in line]


def faults_of(path: Path) -> list[str]:
    return [line["fault"] for line in journal_of(path) if "fault" in line]


def await_lines(path: Path, count: int, key: str) -> None:
    """Wait until a child has told something so often."""
    end = time.monotonic() + LONGEST_WAIT
    while sum(key in line for line in journal_of(path)) < count:
        assert time.monotonic() < end, "the children hang"
        time.sleep(0.0005)


@dataclass(frozen=True)
class Books:
    """All entries of a ledger, read as plain SQL."""

    rows: list[tuple[Any, ...]]

    @classmethod
    def read(cls, place: Place) -> "Books":
        names = "number, kind, scope, epsilon, refers, note, hash"
        statement = f"SELECT {names} FROM entries ORDER BY number"
        if isinstance(place, Path):
            with closing(sqlite3.connect(place)) as db:
                return cls(db.execute(statement).fetchall())
        address, _, name = place.partition("&ledger=")
        import psycopg

        with closing(psycopg.connect(address, options=f"-c search_path={name}")) as server:
            # Whoever died last may still be at work there, and is waited for.
            server.execute("LOCK TABLE marks IN EXCLUSIVE MODE")
            return cls(server.execute(statement).fetchall())

    @property
    def head(self) -> str:
        return f"{self.rows[-1][0]}:{self.rows[-1][-1]}"

    @property
    def charges(self) -> list[tuple[str, Fraction]]:
        return [(scope, Fraction(epsilon)) for _, kind, scope, epsilon, *_ in self.rows if kind == "charge"]

    @property
    def outcomes(self) -> list[str]:
        return [note for _, kind, _, _, _, note, _ in self.rows if kind == "outcome"]

    @property
    def unfinished(self) -> list[int]:
        ended = {refers for _, kind, _, _, refers, _, _ in self.rows if kind == "outcome"}
        return [number for number, kind, *_ in self.rows if kind == "charge" and number not in ended]

    @property
    def limits(self) -> dict[str, Fraction]:
        """The last limit of each scope."""
        return {scope: Fraction(epsilon) for _, kind, scope, epsilon, *_ in self.rows if kind == "limit"}

    @property
    def spent(self) -> dict[str, Fraction]:
        """What was charged in each scope and in those below it."""
        totals = dict.fromkeys(self.limits, Fraction(0))
        for charged, epsilon in self.charges:
            for scope in totals:
                if scope == "" or charged == scope or charged.startswith(scope + "/"):
                    totals[scope] += epsilon
        return totals


def audit_ledger(place: Place, *, head: str | None = None) -> Books:
    """Open the ledger and hold everything it says against its entries; then spend one more unit where it fits."""
    ledger = Budget.open(place)
    try:
        books = Books.read(place)
        report = ledger.verify(head=head)
        assert report, str(report)
        assert ledger.verify(head=ledger.head)
        accounts = ledger.summary().accounts
        assert {account.name: account.spent.epsilon for account in accounts} == books.spent
        assert {account.name: account.limit.epsilon for account in accounts} == books.limits
        assert all(total <= books.limits[scope] for scope, total in books.spent.items())
        deepest = max(books.spent)
        assert scope_of(ledger, deepest).spent.epsilon == books.spent[deepest]
        assert [entry.number for entry in ledger.unfinished()] == books.unfinished
        if within(Fraction(UNIT), ledger.remaining.epsilon):
            with ledger.reserve(loss(), note="still works"):
                pass
            assert Books.read(place).charges == [*books.charges, ("", Fraction(UNIT))]
            assert ledger.spent.epsilon == books.spent[""] + Fraction(UNIT)
    finally:
        ledger.close()
    return books


def assert_paid(answers: list[tuple[str, Fraction]], charges: list[tuple[str, Fraction]]) -> None:
    """Every answer has a charge of its own."""
    assert Counter(answers) - Counter(charges) == Counter(), "an answer is not paid for"


def assert_refusal(line: Mapping[str, Any], *allowed: str) -> None:
    """A refusal of dampen's, in one short line, of one of the classes."""
    assert "fault" not in line, line
    assert line.get("refused") in allowed, line
    text = line["text"]
    assert text.splitlines() == [text]
    assert 0 < len(text) < LONGEST_MESSAGE


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder. (Only while this process has no ledger open there: closing a file drops its locks.)"""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir()) if file.is_file()}
