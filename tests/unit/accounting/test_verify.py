"""Is a ledger what it was? Every kind of tampering that leaves a trace is found, and nothing else is blamed."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dampen import Adjacency, Budget, PrivacyLoss, select
from dampen._validate import Number
from dampen.accounting import Ledger
from dampen.accounting.chain import Entry
from dampen.accounting.reservation import LedgerReservation
from dampen.accounting.verify import MOST_FAULTS, Books, LedgerReport
from dampen.errors import BudgetError, ParameterError
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

ADD_REMOVE = Adjacency.ADD_REMOVE
Value = str | int | float | None


def loss(epsilon: Number, delta: Number = 0, adjacency: Adjacency = ADD_REMOVE, unit: str = "") -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=adjacency, unit=unit)


def fill(ledger: Ledger) -> None:
    """Every kind of entry, in the numbers named below; charge 8 stays unfinished."""
    ann = ledger.scope("analyst", "ann", epsilon=4, delta="1/100")
    full = PrivacyLoss("1/3", "1/1000", adjacency=ADD_REMOVE, bounded_range="1/3", rho="1/72")
    ann.reserve(full, note="tea").settle("done")
    ledger.reserve(loss("1/7"), note="milk").settle("failed")
    ledger.change_limit(epsilon=11, note="more")
    ann.reserve(loss(1), note="tea")
    ledger.reserve(loss(2), note="milk").settle("done")


LIMIT, SCOPE, CHARGE, OUTCOME, SECOND, CHANGE, UNFINISHED, LAST = 1, 2, 3, 4, 5, 7, 8, 10
ENTRIES = 10


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An intact ledger, closed, so that its file can be opened by anyone."""
    with closing(Budget.open(tmp_path / "study.db", epsilon=10, delta="1/10", composition="basic")) as opened:
        fill(opened)
        assert [entry.kind for entry in opened.history()] == [
            *("limit", "limit", "charge", "outcome", "charge", "outcome", "limit", "charge", "charge", "outcome")
        ]
        opened.close()
        yield opened


def tamper(ledger: Ledger, *statements: str, values: tuple[Value, ...] = (), rechain: bool = False) -> None:
    """Edit the file as its owner may. With ``rechain`` the hashes and sums are made right again afterwards."""
    ledger.close()
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as db:
        db.execute("DROP TRIGGER keep_entries")
        db.execute("DROP TRIGGER lose_no_entry")
        for statement in statements:
            db.execute(statement, values)
        if rechain:
            forge(db)


def forge(db: sqlite3.Connection) -> None:
    """What an attacker does who knows the rules: number and hash all entries anew, and write the sums of them."""
    entries = [Entry._make(row) for row in db.execute("SELECT * FROM entries ORDER BY number")]
    db.execute("DELETE FROM entries")
    digest, books = "0" * 64, Books()
    for number, entry in enumerate(entries, 1):
        fields = [number, *entry[1:-1]]
        digest = sha256(json.dumps([digest, *fields]).encode()).hexdigest()
        forged = Entry._make([*fields, digest])
        db.execute(f"INSERT INTO entries VALUES ({', '.join('?' * len(forged))})", forged)
        books.enter(forged)
    for table in ("accounts", "purposes", "unfinished"):
        db.execute(f"DELETE FROM {table}")
    for a in books.accounts.values():
        amounts = (a.limit.epsilon, a.limit.delta, a.spent.epsilon, a.spent.delta)
        row = (a.name, *map(str, amounts), a.adjacency and a.adjacency.value, a.unit)
        db.execute("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    for scope, note, charges, amount in books.purposes.values():
        sums = (str(amount.epsilon), str(amount.delta), float(amount.epsilon or 0))
        db.execute("INSERT INTO purposes VALUES (?, ?, ?, ?, ?, ?)", (scope, note, charges, *sums))
    db.executemany("INSERT INTO unfinished VALUES (?, ?)", books.unfinished.items())


def insert(entry: Entry) -> str:
    literals = ", ".join("NULL" if value is None else repr(value) for value in entry)
    return f"INSERT INTO entries VALUES ({literals})"


def assert_not_intact(report: LedgerReport, *named: str) -> None:
    assert not report
    assert report.faults
    text = str(report)
    assert text.startswith("not intact: ")
    assert [part for part in named if part not in text] == [], text
    assert all(len(fault.splitlines()) == 1 and len(fault) < 300 for fault in report.faults)


# Intact


def test_an_untouched_ledger_is_intact(ledger: Ledger) -> None:
    report = ledger.verify()
    assert report
    assert (report.entries, report.head, report.faults) == (ENTRIES, ledger.head, ())
    assert str(report) == f"intact: {ENTRIES} entries, head {ledger.head}"
    assert ledger.scope("analyst", "ann").verify() == report, "a scope verifies the whole ledger"
    assert ledger.verify(head=ledger.head) == report
    assert report.head == ledger.head, "verifying writes nothing"


def test_every_earlier_head_is_still_right(tmp_path: Path) -> None:
    with closing(Budget.open(tmp_path / "study.db", epsilon=10)) as ledger:
        heads = [ledger.head]
        for _ in range(3):
            reservation = ledger.reserve(loss(1))
            heads.append(ledger.head)
            reservation.settle("done")
            heads.append(ledger.head)
        assert [bool(ledger.verify(head=head)) for head in heads] == [True] * 7
        assert ledger.verify(head="0:" + "0" * 64)


def test_progress_is_told_now_and_then(tmp_path: Path) -> None:
    seen: list[int] = []
    with closing(Budget.open(tmp_path / "study.db", epsilon=1)) as ledger:
        append_limits(ledger, 10_000)
        report = ledger.verify(progress=seen.append)
    assert report
    assert (report.entries, seen) == (10_001, [10_000])


def append_limits(ledger: Ledger, count: int) -> None:
    """The same limit again and again: entries that change no sum."""
    limit = ledger.history()[-1]
    with ledger._store.transaction() as transaction:
        for _ in range(count):
            transaction.append(limit)


# Edited entries


EDITS: dict[str, Value] = {
    "number": 300,
    "at": "2001-01-01T00:00:00Z",
    "kind": "note",
    "scope": "analyst=bob",
    "epsilon": "1/50",
    "delta": "1/5000",
    "bounded_range": "1/4",
    "rho": "1/100",
    "adjacency": "replace",
    "unit": "patient",
    "refers": 1,
    "note": "another purpose",
    "hash": "ab" * 32,
}


def test_every_column_is_tried() -> None:
    assert set(EDITS) == set(Entry._fields)


@pytest.mark.parametrize("number", [LIMIT, SCOPE, CHARGE, OUTCOME, CHANGE, UNFINISHED, LAST])
@pytest.mark.parametrize("column", Entry._fields)
def test_an_edit_of_any_column_of_any_entry_is_found_and_named(ledger: Ledger, column: str, number: int) -> None:
    tamper(ledger, f"UPDATE entries SET {column} = ? WHERE number = {number}", values=(EDITS[column],))
    named = f"entries {number} to" if column == "number" else f"entry {number} was changed"
    if column == "number" and number == LAST:
        named = f"entries {number} to 299 are missing"
    assert_not_intact(ledger.verify(), named)


@pytest.mark.parametrize("column", ["epsilon", "delta", "bounded_range", "rho", "adjacency", "unit"])
@pytest.mark.parametrize("value", [None, "abc", "-1", "1/0", "", "nan", "1e2000", "9" * 5000], ids=lambda v: str(v)[:6])
def test_unreadable_numbers_and_words_are_found_and_raise_nothing(ledger: Ledger, column: str, value: Value) -> None:
    tamper(ledger, f"UPDATE entries SET {column} = ? WHERE number = {CHARGE}", values=(value,))
    assert_not_intact(ledger.verify(), f"entry {CHARGE} was changed")


def test_the_sign_of_an_equal_number_counts(ledger: Ledger) -> None:
    """2/6 is 1/3, but it is not what was written."""
    tamper(ledger, f"UPDATE entries SET epsilon = '2/6' WHERE number = {CHARGE}")
    report = ledger.verify()
    assert report.faults == (f"entry {CHARGE} was changed or moved: its hash does not follow from it",)


@pytest.mark.parametrize("number", range(1, ENTRIES + 1))
def test_a_deleted_entry_is_found(ledger: Ledger, number: int) -> None:
    tamper(ledger, f"DELETE FROM entries WHERE number = {number}")
    named = f"entries {number} to {number} are missing" if number < ENTRIES else "not what the entries say"
    assert_not_intact(ledger.verify(), named)


@pytest.mark.parametrize("number", [LIMIT, CHARGE, OUTCOME, UNFINISHED])
def test_a_deleted_entry_is_found_when_the_others_close_ranks(ledger: Ledger, number: int) -> None:
    tamper(
        ledger,
        f"DELETE FROM entries WHERE number = {number}",
        f"UPDATE entries SET number = -number WHERE number > {number}",
        "UPDATE entries SET number = -number - 1 WHERE number < 0",
    )
    assert_not_intact(ledger.verify(), f"entry {number} was changed or moved")


@pytest.mark.parametrize("number", range(1, ENTRIES))
def test_two_swapped_entries_are_found(ledger: Ledger, number: int) -> None:
    tamper(
        ledger,
        f"UPDATE entries SET number = -1 WHERE number = {number}",
        f"UPDATE entries SET number = {number} WHERE number = {number + 1}",
        f"UPDATE entries SET number = {number + 1} WHERE number = -1",
    )
    assert_not_intact(ledger.verify(), f"entry {number} was changed or moved", f"entry {number + 1} was changed")


@pytest.mark.parametrize("number", [-5, 0, ENTRIES + 1, 400])
def test_an_inserted_entry_is_found(ledger: Ledger, number: int) -> None:
    copied = ledger.history()[CHARGE - 1]
    tamper(ledger, insert(copied._replace(number=number)))
    assert_not_intact(ledger.verify())


def test_an_inserted_entry_is_found_when_the_others_make_room(ledger: Ledger) -> None:
    copied = ledger.history()[CHARGE - 1]
    tamper(
        ledger,
        f"UPDATE entries SET number = -number WHERE number > {CHARGE}",
        "UPDATE entries SET number = 1 - number WHERE number < 0",
        insert(copied._replace(number=CHARGE + 1)),
    )
    assert_not_intact(ledger.verify(), f"entry {CHARGE + 1} was changed or moved")


def test_a_report_lists_so_many_faults_and_no_more(tmp_path: Path) -> None:
    with closing(Budget.open(tmp_path / "study.db", epsilon=1)) as ledger:
        append_limits(ledger, 50)
        tamper(ledger, "UPDATE entries SET hash = 'x'")
        report = ledger.verify()
    assert len(report.faults) == MOST_FAULTS
    assert str(report).count("\n") == MOST_FAULTS
    assert_not_intact(report, "entry 1 was", "entry 2 was")


# Edited sums


ACCOUNTS: dict[str, Value] = {
    "scope": "analyst=bob",
    "epsilon_limit": "12",
    "delta_limit": "1/5",
    "epsilon_spent": "0",
    "delta_spent": "0",
    "adjacency": "replace",
    "unit": "patient",
}
PURPOSES: dict[str, Value] = {
    "scope": "analyst=bob",
    "note": "cocoa",
    "charges": 7,
    "epsilon": "1/100",
    "delta": "1/3",
    "about": 0.001,
}
SUMS = [("accounts", column, value) for column, value in ACCOUNTS.items()]
SUMS += [("purposes", column, value) for column, value in PURPOSES.items()]
SUMS += [("unfinished", "number", CHARGE), ("unfinished", "scope", "x")]
FAULTS = {
    "accounts": "limits and spending",
    "purposes": "the sums by note",
    "unfinished": "the list of unfinished charges",
}


def columns(ledger: Ledger, table: str) -> list[str]:
    with closing(sqlite3.connect(ledger.path)) as db:
        return [row[1] for row in db.execute(f"PRAGMA table_info({table})")]


def test_every_column_of_every_sum_is_tried(ledger: Ledger) -> None:
    assert [(table, column) for table in FAULTS for column in columns(ledger, table)] == [edit[:2] for edit in SUMS]


@pytest.mark.parametrize(("table", "column", "value"), SUMS)
def test_an_edited_sum_is_found(ledger: Ledger, table: str, column: str, value: Value) -> None:
    where = {"accounts": "scope = 'analyst=ann'", "purposes": "note = 'tea'", "unfinished": "1"}[table]
    tamper(ledger, f"UPDATE {table} SET {column} = ? WHERE {where}", values=(value,))
    assert_not_intact(ledger.verify(), FAULTS[table])


@pytest.mark.parametrize("table", FAULTS)
def test_missing_and_invented_sums_are_found(ledger: Ledger, table: str) -> None:
    tamper(ledger, f"DELETE FROM {table}")
    assert_not_intact(ledger.verify(), FAULTS[table])


@pytest.mark.parametrize(
    ("table", "statement"),
    [
        ("accounts", "INSERT INTO accounts VALUES ('analyst=eve', '5', '0', '0', '0', NULL, NULL)"),
        ("purposes", "INSERT INTO purposes VALUES ('', 'cocoa', 1, '1', '0', 1.0)"),
        ("unfinished", "INSERT INTO unfinished VALUES (1, '')"),
        ("unfinished", "INSERT INTO unfinished VALUES (99, '')"),
    ],
)
def test_invented_sums_are_found(ledger: Ledger, table: str, statement: str) -> None:
    tamper(ledger, statement)
    assert_not_intact(ledger.verify(), FAULTS[table])


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *(("accounts", column) for column in ACCOUNTS if column != "scope"),
        *(("purposes", column) for column in ("epsilon", "delta")),
    ],
)
@pytest.mark.parametrize("value", ["abc", "1/0", ""])
def test_sums_that_cannot_be_read_are_found_and_raise_nothing(
    ledger: Ledger, table: str, column: str, value: str
) -> None:
    where = "scope = 'analyst=ann'" if table == "accounts" else "note = 'tea'"
    tamper(ledger, f"UPDATE {table} SET {column} = ? WHERE {where}", values=(value,))
    assert_not_intact(ledger.verify(), FAULTS[table])


@pytest.mark.parametrize(
    "edit", ["UPDATE accounts SET epsilon_spent", "UPDATE purposes SET delta", "UPDATE entries SET rho"]
)
def test_a_number_too_long_to_write_out_holds_nobody_up(tmp_path: Path, edit: str, run_python: "RunPython") -> None:
    """Read as a fraction, this one would fill the memory first. The child would be stopped by its alarm."""
    code = """
        import signal, sys
        from dampen.accounting.ledger import Ledger
        from dampen.accounting.sqlite_store import SqliteStore
        signal.alarm(60)
        ledger = Ledger(SqliteStore(sys.argv[1]))
        print(bool(ledger.verify()))
        ledger.close()
    """
    done = run_python(code, edit_ledger(tmp_path / "study.db", f"{edit} = '1e99999999'"))
    assert (done.stdout, done.stderr) == ("False\n", "")


def edit_ledger(path: Path, statement: str) -> str:
    """The path of an edited ledger; the ledger itself is out of the way of pytest, which would print it."""
    with closing(Budget.open(path, epsilon=10, delta="1/10", composition="basic")) as ledger:
        fill(ledger)
        tamper(ledger, statement)
    return str(path)


@pytest.mark.parametrize("value", ["abc", "1/0", ""])
def test_a_ledger_whose_sums_cannot_be_read_opens_with_one_sentence_or_not_at_all(
    ledger: Ledger, value: str, refused: "Refused"
) -> None:
    tamper(ledger, "UPDATE accounts SET epsilon_spent = ?", values=(value,))
    with refused(BudgetError, "study.db"):
        Budget.open(ledger.path).reserve(loss("1/100"))


def test_a_damaged_file_is_told_and_raises_nothing_else(tmp_path: Path) -> None:
    with closing(Budget.open(tmp_path / "study.db", epsilon=1)) as ledger:
        append_limits(ledger, 500)
        ledger.close()
        content = bytearray(ledger.path.read_bytes())
        for page in range(10, 14):
            content[page * 4096 : (page + 1) * 4096] = b"\xff" * 4096
        ledger.path.write_bytes(content)
        try:
            report = ledger.verify()
        except BudgetError as error:
            report = LedgerReport(0, "", (str(error),))
        assert_not_intact(report, "damaged")


# A text that became something else: one bit of its row decides what it is


def unlock_types(ledger: Ledger) -> None:
    """Let columns take anything, as a disk does that loses bits."""
    ledger.close()
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as db:
        db.execute("PRAGMA writable_schema=ON")
        db.execute("UPDATE sqlite_master SET sql = replace(replace(sql, ' STRICT', ' '), ' , WITHOUT', ' WITHOUT')")
        db.execute("UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', '')")
        db.execute("PRAGMA writable_schema=RESET")


TEXTS = [column for column in Entry._fields if column not in ("number", "refers")]


@pytest.mark.parametrize("column", TEXTS)
def test_a_text_that_became_bytes_is_found_and_raises_nothing(ledger: Ledger, column: str, refused: "Refused") -> None:
    unlock_types(ledger)
    tamper(ledger, f"UPDATE entries SET {column} = CAST({column} AS BLOB) WHERE number = {CHARGE}")
    assert_not_intact(ledger.verify(), f"what follows entry {CHARGE - 1} cannot be read")
    with refused(BudgetError, "study.db", "damaged"):
        ledger.history()


@pytest.mark.parametrize("column", ["kind", "note", "hash"])
def test_a_text_that_is_gone_is_found_and_raises_nothing(ledger: Ledger, column: str, refused: "Refused") -> None:
    unlock_types(ledger)
    tamper(ledger, f"UPDATE entries SET {column} = NULL WHERE number = {LAST}")
    assert_not_intact(ledger.verify(), f"what follows entry {LAST - 1} cannot be read")
    with refused(BudgetError, "study.db", "damaged"):
        ledger.summary() if column == "hash" else ledger.history()


def test_numbers_that_cannot_be_read_are_told_before_anyone_draws_them(ledger: Ledger, refused: "Refused") -> None:
    tamper(ledger, f"UPDATE entries SET epsilon = 'abc' WHERE number = {UNFINISHED}")
    for look in (ledger.history, ledger.unfinished, ledger.summary):
        with refused(BudgetError, "study.db", "damaged"):
            look()


@pytest.mark.parametrize(
    ("table", "column"),
    [
        *(("accounts", column) for column in ACCOUNTS),
        ("purposes", "note"),
        ("purposes", "epsilon"),
        ("purposes", "scope"),
    ],
)
def test_a_sum_that_became_bytes_is_found_and_raises_nothing(
    ledger: Ledger, table: str, column: str, refused: "Refused"
) -> None:
    ledger.reserve(loss(1), note="tea")
    unlock_types(ledger)
    where = "scope = ''" if table == "accounts" else "note = 'milk'"
    tamper(ledger, f"UPDATE {table} SET {column} = CAST({column} AS BLOB) WHERE {where}")
    assert_not_intact(ledger.verify(), FAULTS[table])
    with refused(BudgetError, "study.db"):
        ledger.summary()


# Who knows the rules


def test_the_forger_of_these_tests_forges_well(ledger: Ledger) -> None:
    """Without an edit, chain and sums come out as they were."""
    head = ledger.head
    tamper(ledger, rechain=True)
    assert ledger.verify(head=head)


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE entries SET epsilon = '1/30' WHERE number = {CHARGE}",
        f"UPDATE entries SET note = 'harmless' WHERE number = {SECOND}",
        f"UPDATE entries SET at = '2001-01-01T00:00:00Z' WHERE number = {LIMIT}",
        f"UPDATE entries SET note = 'unused' WHERE number = {LAST}",
        f"DELETE FROM entries WHERE number = {UNFINISHED}",
    ],
)
def test_a_recomputed_suffix_is_found_only_with_a_head(ledger: Ledger, statement: str) -> None:
    head = ledger.head
    tamper(ledger, statement, rechain=True)
    # After the deletion the outcome of charge 9 refers to a number that moved, which even the chain alone shows.
    assert bool(ledger.verify()) == (not statement.startswith("DELETE"))
    report = ledger.verify(head=head)
    assert_not_intact(report, "cut off" if statement.startswith("DELETE") else "entries were replaced")


def test_a_head_from_before_the_forgery_does_not_show_it(ledger: Ledger) -> None:
    """A head stands for what precedes it, so keep the newest."""
    early = ledger.history()[CHARGE - 1]
    tamper(ledger, f"UPDATE entries SET note = 'harmless' WHERE number = {SECOND}", rechain=True)
    assert ledger.verify(head=f"{early.number}:{early.hash}")


def test_a_forged_copy_no_longer_fits_the_certificates_of_later_releases(ledger: Ledger, tmp_path: Path) -> None:
    releases = [select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon="1/4", budget=ledger) for _ in range(3)]
    heads = [release.certificate().as_dict()["privacy_budget"]["head"] for release in releases]
    ledger.close()
    with closing(Budget.open(shutil.copy(ledger.path, tmp_path / "copy.db"))) as copied:
        assert all(copied.verify(head=head) for head in heads)
        second = int(heads[1].partition(":")[0])
        tamper(copied, f"UPDATE entries SET epsilon = '1/40' WHERE number = {second}", rechain=True)
        assert copied.verify()
        assert [bool(copied.verify(head=head)) for head in heads] == [True, False, False]
    assert all(ledger.verify(head=head) for head in heads)


@pytest.mark.parametrize("kept", [1, 2, 4, 7, 9])
def test_truncation_is_found_only_with_a_head(ledger: Ledger, kept: int) -> None:
    head = ledger.head
    tamper(ledger, f"DELETE FROM entries WHERE number > {kept}", rechain=True)
    assert ledger.verify()
    report = ledger.verify(head=head)
    assert_not_intact(report, "entries were cut off: the ledger ends before the given head")
    assert report.entries == kept


def test_truncation_and_new_entries_are_found_with_a_head(ledger: Ledger) -> None:
    head = ledger.head
    tamper(ledger, f"DELETE FROM entries WHERE number > {CHANGE}", rechain=True)
    for _ in range(5):
        ledger.reserve(loss("1/100"))
    assert ledger.verify()
    assert_not_intact(ledger.verify(head=head), "entries were replaced")


def test_an_emptied_ledger_is_found(ledger: Ledger) -> None:
    head = ledger.head
    tamper(ledger, *(f"DELETE FROM {table}" for table in ("entries", *FAULTS)))
    assert_not_intact(ledger.verify(head=head), "cut off")


def test_a_roll_back_to_a_copy_is_found_only_with_a_head(ledger: Ledger, tmp_path: Path) -> None:
    early = ledger.head
    ledger.close()
    shutil.copy(ledger.path, tmp_path / "backup.db")
    ledger.reserve(loss(1))
    late = ledger.head
    ledger.close()
    shutil.copy(tmp_path / "backup.db", ledger.path)
    assert ledger.verify()
    assert ledger.verify(head=early)
    assert_not_intact(ledger.verify(head=late), "entries were cut off")
    ledger.reserve(loss(1), note="another")
    assert ledger.verify(head=early)
    assert_not_intact(ledger.verify(head=late), "entries were replaced")


def test_another_ledger_does_not_have_this_head(ledger: Ledger, tmp_path: Path) -> None:
    with closing(Budget.open(tmp_path / "other.db", epsilon=1)) as other:
        assert_not_intact(ledger.verify(head=other.head.replace("1:", f"{ENTRIES}:", 1)), "replaced")


@pytest.mark.parametrize("wrong", ["", "5", "5:xyz", 5, "5:" + "AB" * 32, "ab" * 32], ids=repr)
def test_a_malformed_head_is_refused(ledger: Ledger, wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "head must be"):
        ledger.verify(head=wrong)


FORGED = {
    "more than the limit": Entry(11, "t", "charge", "", "100", "0", None, None, "add_remove", "row", None, "x"),
    "a little more than the limit": Entry(11, "t", "charge", "", "10", "0", None, None, "add_remove", "row", None, "x"),
    "more than the scope's limit": Entry(
        11, "t", "charge", "analyst=ann", "3", "0", None, None, "add_remove", "row", None, "x"
    ),
    "too much delta": Entry(11, "t", "charge", "", "0", "1/9", None, None, "add_remove", "row", None, "x"),
    "a refund": Entry(11, "t", "charge", "", "-1", "0", None, None, "add_remove", "row", None, "x"),
    "a refund of delta": Entry(11, "t", "charge", "", "0", "-1/1000", None, None, "add_remove", "row", None, "x"),
    "another adjacency": Entry(11, "t", "charge", "", "1", "0", None, None, "replace", "row", None, "x"),
    "another unit": Entry(11, "t", "charge", "", "1", "0", None, None, "add_remove", "patient", None, "x"),
    "an unknown scope": Entry(11, "t", "charge", "analyst=eve", "1", "0", None, None, "add_remove", "row", None, "x"),
    "no adjacency": Entry(11, "t", "charge", "", "1", "0", None, None, None, "row", None, "x"),
    "a limit below what is spent": Entry(11, "t", "limit", "", "1", "1/10"),
    "a delta limit below what is spent": Entry(11, "t", "limit", "", "11", "0"),
    "an outcome of nothing": Entry(11, "t", "outcome", "", refers=99, note="done"),
    "an outcome of a limit": Entry(11, "t", "outcome", "", refers=1, note="done"),
    "a second outcome": Entry(11, "t", "outcome", "", refers=CHARGE, note="done"),
    "an outcome without a charge": Entry(11, "t", "outcome", "", note="done"),
    "an unknown kind": Entry(11, "t", "refund", "", "1", "0"),
}


@pytest.mark.parametrize("entry", FORGED.values(), ids=FORGED.keys())
def test_what_was_never_granted_is_found_under_a_right_hash(ledger: Ledger, entry: Entry) -> None:
    tamper(ledger, insert(entry), rechain=True)
    report = ledger.verify()
    assert_not_intact(report, "entry 11 ")
    assert "hash does not follow" not in str(report)


def test_a_forged_entry_that_would_have_been_granted_passes(ledger: Ledger) -> None:
    """The control of the test above: what is found there is the rule that was broken, not the forging."""
    entry = Entry(11, "t", "charge", "analyst=ann", "1/100", "0", None, None, "add_remove", "row", None, "x")
    tamper(ledger, insert(entry), rechain=True)
    assert ledger.verify()
    assert ledger.spent.epsilon == Fraction(1, 3) + Fraction(1, 7) + 3 + Fraction(1, 100)


# Random histories against an independent model


SCOPES = ("", "a=x", "a=y", "a=x/b=z")
amounts = st.fractions(min_value=0, max_value=2, max_denominator=30)
moves = st.one_of(
    st.tuples(st.just("reserve"), st.sampled_from(SCOPES), amounts, st.sampled_from(["tea", "milk", ""])),
    st.tuples(st.just("batch"), st.sampled_from(SCOPES), amounts, st.sampled_from(["tea", "milk", ""])),
    st.tuples(st.just("settle"), st.just(""), st.just(Fraction(0)), st.just("")),
    st.tuples(st.just("limit"), st.sampled_from(SCOPES), amounts.map(lambda e: e + 1), st.just("why")),
    st.tuples(st.just("reopen"), st.just(""), st.just(Fraction(0)), st.just("")),
)


class Model:
    """The same rules in the plainest words: limits and spending by scope, sums by note, open charges."""

    def __init__(self) -> None:
        self.limits = {"": Fraction(5), "a=x": Fraction(3), "a=y": Fraction(3), "a=x/b=z": Fraction(2)}
        self.spent = dict.fromkeys(SCOPES, Fraction(0))
        self.notes: dict[tuple[str, str], Fraction] = {}
        self.open = 0

    def parents(self, scope: str) -> list[str]:
        return [name for name in SCOPES if name in ("", scope) or scope.startswith(name + "/")]

    def charge(self, scope: str, charges: list[Fraction], note: str) -> bool:
        total = sum(charges, Fraction(0))
        if any(self.spent[name] + total > self.limits[name] for name in self.parents(scope)):
            return False
        for name in self.parents(scope):
            self.spent[name] += total
        self.notes[scope, note] = self.notes.get((scope, note), Fraction(0)) + total
        self.open += len(charges)
        return True

    def play(self, scope: str, move: str, epsilon: Fraction, note: str) -> bool:
        if move == "limit":
            return self.limit(scope, epsilon)
        return self.charge(scope, [epsilon / 2, epsilon / 3] if move == "batch" else [epsilon], note)

    def limit(self, scope: str, epsilon: Fraction) -> bool:
        if epsilon < self.spent[scope]:
            return False
        self.limits[scope] = epsilon
        return True


def open_scopes(path: Path) -> dict[str, Ledger]:
    whole = Budget.open(path)
    return {"": whole, "a=x": (x := whole.scope("a", "x")), "a=y": whole.scope("a", "y"), "a=x/b=z": x.scope("b", "z")}


@settings(max_examples=25)
@given(st.lists(moves, max_size=15))
def test_random_histories_verify_and_add_up(steps: list[tuple[str, str, Fraction, str]]) -> None:
    model, pending = Model(), list[LedgerReservation]()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.db"
        with closing(Budget.open(path, epsilon=5)) as whole:
            whole.scope("a", "x", epsilon=3).scope("b", "z", epsilon=2)
            whole.scope("a", "y", epsilon=3)
        parts = open_scopes(path)
        for move, scope, epsilon, note in steps:
            if move == "reopen":
                parts[""].close()
                parts = open_scopes(path)
            elif move == "settle" and pending:
                pending.pop().settle("done")
                model.open -= 1
            elif move != "settle":
                assert play(parts[scope], move, epsilon, note, pending) == model.play(scope, move, epsilon, note)
        assert_like_the_model(parts, model)
        parts[""].close()


def play(part: Ledger, move: str, epsilon: Fraction, note: str, pending: list[LedgerReservation]) -> bool:
    """Make one move in the ledger; whether it was granted."""
    try:
        if move == "limit":
            part.change_limit(epsilon=epsilon, note=note)
        elif move == "batch":
            part.batch([loss(epsilon / 2), loss(epsilon / 3)], note=note)
        else:
            pending.append(part.reserve(loss(epsilon), note=note))
    except BudgetError:
        return False
    return True


def assert_like_the_model(parts: dict[str, Ledger], model: Model) -> None:
    ledger = parts[""]
    assert ledger.verify(head=ledger.head)
    assert {scope: part.spent.epsilon for scope, part in parts.items()} == model.spent
    assert {scope: part.limit.epsilon for scope, part in parts.items()} == model.limits
    summary = ledger.summary(most=100)
    assert {(each.scope, each.note): each.amount for each in summary.purposes} == {
        key: Amount(epsilon, Fraction(0)) for key, epsilon in model.notes.items()
    }
    assert len(summary.unfinished) == len(ledger.unfinished()) == model.open
