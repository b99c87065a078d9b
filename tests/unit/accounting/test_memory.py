"""Answers that a ledger keeps. What every budget does with them: contracts/; when machines die: crash/."""

import json
import pickle
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dampen import Adjacency, Budget, PrivacyLoss
from dampen.accounting import Ledger
from dampen.accounting.chain import Entry
from dampen.accounting.sqlite_store import SqliteStore
from dampen.errors import BudgetError, ParameterError

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

LOSS = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
TABLES = {"entries", "accounts", "purposes", "unfinished"}
ANSWERS = {"median of pay": '{"value": 7}', "mean of pay": '{"value": 8}'}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    """A ledger with two answers in entries 4 and 7, the first of a scope."""
    with closing(Budget.open(path, epsilon=10, remember=True)) as opened:
        ann = opened.scope("analyst", "ann", epsilon=5)
        ann.keep("median of pay", ANSWERS["median of pay"])
        with opened.reserve(LOSS):
            pass
        opened.keep("mean of pay", ANSWERS["mean of pay"])
        assert [entry.kind for entry in opened.history()] == [
            *("limit", "remember", "limit", "answer", "charge", "outcome", "answer")
        ]
        yield opened


def edit(ledger: Ledger, statement: str, *values: str) -> None:
    """Edit the file as its owner may."""
    ledger.close()
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as db:
        for trigger in ("keep_entries", "lose_no_entry", "keep_answers", "lose_no_answer"):
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute(statement, values)


def file_facts(path: Path) -> tuple[set[str], int]:
    """The tables of a ledger, and its format."""
    with closing(sqlite3.connect(path)) as db:
        tables = {name for [name] in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        [version] = db.execute("PRAGMA user_version").fetchone()
    return tables, version


# The setting


def test_whether_answers_are_kept_is_a_setting_of_the_ledger(path: Path, refused: "Refused") -> None:
    Budget.open(path, epsilon=1, remember=True).close()
    for options in ({}, {"epsilon": 1}, {"epsilon": 1, "remember": True}):
        with closing(Budget.open(path, **options)) as ledger:  # type: ignore[arg-type]
            assert ledger.remembers
            assert ledger.summary().remembers
    with refused(BudgetError, "study.db keeps answers; asked remember=False"):
        Budget.open(path, epsilon=1, remember=False)
    with refused(ParameterError, "epsilon must be given"):
        Budget.open(path, remember=True)


def test_a_ledger_without_answers_does_not_get_them_by_opening_it(path: Path, refused: "Refused") -> None:
    for options in ({}, {"remember": None}, {"remember": False}):
        with closing(Budget.open(path, epsilon=1, **options)) as ledger:
            assert not ledger.remembers
            assert not ledger.summary().remembers
    with refused(BudgetError, "study.db keeps no answers", "dampen budget remember", "asked remember=True"):
        Budget.open(path, epsilon=1, remember=True)
    assert [entry.kind for entry in ledger.history()] == ["limit"]
    ledger.close()


def test_a_ledger_without_answers_is_the_file_that_it_was_before_there_were_any(path: Path) -> None:
    with closing(Budget.open(path, epsilon=1)) as ledger:
        ledger.keep("median of pay", "7")
    assert file_facts(path) == (TABLES, 1)


def test_an_older_ledger_starts_to_keep_answers_where_it_is_told_to(path: Path) -> None:
    with closing(Budget.open(path, epsilon=1)) as ledger:
        ledger.reserve(LOSS)
        head = ledger.head
        with closing(Budget.open(path)) as other:
            assert not other.remembers
            for _ in range(2):
                ledger.start_remembering()
            assert other.remembers
            other.keep("median of pay", "7")
        assert (ledger.recall("median of pay"), ledger.spent.epsilon) == ("7", 1)
        assert [entry.kind for entry in ledger.history()] == ["limit", "charge", "remember", "answer"]
        assert ledger.verify(head=head)
    assert file_facts(path) == (TABLES | {"answers"}, 2)
    with closing(Budget.open(path, epsilon=1, remember=True)) as again:
        assert again.recall("median of pay") == "7"


# Keeping


def test_an_answer_is_told_in_every_scope_and_process_and_after_the_file_was_closed(
    ledger: Ledger, run_python: "RunPython"
) -> None:
    ledger.close()
    places = [ledger, ledger.scope("analyst", "ann"), ledger.scope("analyst", "bob", epsilon=1)]
    for place in (*places, pickle.loads(pickle.dumps(places[-1]))):
        assert {key: place.recall(key) for key in ANSWERS} == ANSWERS
        assert place.questions() == list(ANSWERS)
        place.close()
    code = "import sys, dampen; print(dampen.Budget.open(sys.argv[1]).recall(sys.argv[2]))"
    assert run_python(code, str(ledger.path), "mean of pay").stdout == '{"value": 8}\n'


def test_an_entry_vouches_for_each_answer_and_anyone_can_recompute_it(ledger: Ledger) -> None:
    _, _, _, first, _, _, second = ledger.history()
    for entry, scope, pair in zip((first, second), ("analyst=ann", ""), ANSWERS.items(), strict=True):
        digest = sha256(json.dumps(pair).encode()).hexdigest()
        assert (entry.kind, entry.scope, entry.note) == ("answer", scope, digest)
        assert (entry.epsilon, entry.refers) == (None, None)
    assert ledger.spent.epsilon == 1


def test_what_cannot_be_kept_withholds_no_answer(ledger: Ledger) -> None:
    """By then it is paid for, and its charge stands."""
    head = ledger.head
    moved = ledger.path.with_name("moved.db")
    ledger.path.rename(moved)
    ledger.keep("count", "9")
    moved.rename(ledger.path)
    assert (ledger.recall("count"), ledger.head) == (None, head)
    ledger.keep("count", "9")
    assert ledger.recall("count") == "9"


def test_an_answer_is_on_the_disk_when_it_is_kept(ledger: Ledger) -> None:
    with ledger.reserve(LOSS):
        pass
    ledger.keep("count", "9")
    assert isinstance(ledger._store, SqliteStore)
    assert ledger._store._connection is not None
    assert ledger._store._connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_a_ledger_without_answers_is_not_locked_to_keep_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Budget.open(path, epsilon=1)) as ledger:
        monkeypatch.setattr(SqliteStore, "transaction", None)
        ledger.keep("count", "9")


# Is it what it was?


def test_kept_answers_leave_a_ledger_intact(ledger: Ledger) -> None:
    assert ledger.verify(head=ledger.head)
    assert ledger.verify().entries == 7


TAMPERED = {
    "an edited answer": "UPDATE answers SET answer = '{\"value\": 9}' WHERE number = 4",
    "an edited question": "UPDATE answers SET key = 'mean of age' WHERE number = 4",
    "an edited hash": "UPDATE answers SET hash = 'ab' WHERE number = 4",
    "an answer of another entry": "UPDATE answers SET number = 5 WHERE number = 4",
    "a lost answer": "DELETE FROM answers WHERE number = 7",
    "no answers": "DELETE FROM answers",
    "an invented answer": "INSERT INTO answers VALUES (8, '{hash}', 'count', '9')",
    "no room for answers": "PRAGMA user_version=1",
    "no table": "DROP TABLE answers",
    "an unreadable answer": "UPDATE answers SET answer = CAST(x'ff00fe' AS TEXT)",
}
DAMAGED = "the file is damaged: it cannot be read to the end"


@pytest.mark.parametrize("statement", TAMPERED.values(), ids=list(TAMPERED))
def test_an_edit_of_the_answers_is_found(ledger: Ledger, statement: str) -> None:
    edit(ledger, statement.replace("{hash}", sha256(b"count").hexdigest()))
    report = ledger.verify()
    assert not report
    damaged = statement in (TAMPERED["no table"], TAMPERED["an unreadable answer"])
    [fault] = report.faults
    assert fault == (DAMAGED if damaged else "the answers are not what the entries say")


def test_the_control_of_the_edits_changes_nothing(ledger: Ledger) -> None:
    edit(ledger, "UPDATE answers SET answer = answer")
    assert ledger.verify()


def test_a_damaged_answer_is_one_sentence(ledger: Ledger, refused: "Refused") -> None:
    edit(ledger, TAMPERED["an unreadable answer"])
    with refused(BudgetError, "study.db could not be read"):
        ledger.recall("median of pay")
    with refused(BudgetError, "study.db could not be read"):
        ledger.questions()
    ledger.keep("median of pay", "7")
    assert ledger.spent.epsilon == 1


def test_answers_are_append_only(ledger: Ledger) -> None:
    ledger.close()
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as db:
        for statement in ("UPDATE answers SET answer = '9'", "DELETE FROM answers"):
            with pytest.raises(sqlite3.IntegrityError, match="append only"):
                db.execute(statement)


DIGEST = "ab" * 32
WRONG_ENTRIES: dict[str, list[Entry]] = {
    "an answer before there is room": [Entry(0, "t", "answer", "", note=DIGEST)],
    "an answer of no scope": [Entry(0, "t", "remember", ""), Entry(0, "t", "answer", "analyst=eve", note=DIGEST)],
    "a second start": [Entry(0, "t", "remember", "")] * 2,
    "a start in a scope": [Entry(0, "t", "remember", "analyst=ann")],
}


@pytest.mark.parametrize("entries", WRONG_ENTRIES.values(), ids=list(WRONG_ENTRIES))
def test_entries_that_were_never_written_so_are_found_under_a_right_hash(path: Path, entries: list[Entry]) -> None:
    with closing(Budget.open(path, epsilon=1)) as ledger:
        ledger.scope("analyst", "ann", epsilon=1)
        with ledger._store.transaction() as transaction:
            for entry in entries:
                placed = transaction.append(entry)
        assert f"entry {placed.number} does not fit what precedes it" in ledger.verify().faults


def test_an_export_holds_the_digests_of_answers(ledger: Ledger, tmp_path: Path) -> None:
    ledger.export(tmp_path / "copy.jsonl")
    _, *lines = (tmp_path / "copy.jsonl").read_text().splitlines()
    notes = [line["note"] for line in map(json.loads, lines) if line["kind"] == "answer"]
    assert notes == [sha256(json.dumps(pair).encode()).hexdigest() for pair in ANSWERS.items()]
