"""What only a server can show of a store. What every store does: contracts/test_stores.py; crashes: crash/."""

import ast
import copy
import pickle
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dampen.accounting
from dampen import Adjacency, Budget, Number, PrivacyLoss, Table
from dampen.accounting import postgres_store
from dampen.accounting.chain import charge_entry
from dampen.accounting.ledger import Ledger, store_of
from dampen.accounting.postgres_store import PostgresStore
from dampen.accounting.sqlite_store import SqliteStore
from dampen.describe.description import Description
from dampen.errors import BudgetError, DampenError, MissingExtra, ParameterError
from tests import postgres

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

SECRET = "se%20cret%2F%3A%40"
"""A password as it stands in an address."""
names = count()


def loss(epsilon: str = "1/100") -> PrivacyLoss:
    return PrivacyLoss(epsilon, adjacency=Adjacency.ADD_REMOVE)


@pytest.fixture
def server() -> postgres.Server:
    return postgres.server()


@pytest.fixture
def name() -> str:
    return f"unit_{next(names)}"


@pytest.fixture
def ledger(server: postgres.Server, name: str) -> Iterator[Ledger]:
    with closing(Budget.open(server.address(name), epsilon=1)) as opened:
        yield opened


# Addresses


@pytest.mark.parametrize(
    "address",
    [
        *("postgresql://h/db", "postgres://u:p@h/db", "Postgresql://h", "postgresql+psycopg://u@h/db"),
        *("postgresql:/h/db", "jdbc:postgresql://h/db?user=u&password=p", "mysql://u:p/q@h", "host=h password=p"),
    ],
)
def test_whatever_may_hold_a_password_is_not_taken_for_a_file(address: str) -> None:
    assert PostgresStore.accepts(address)
    assert not PostgresStore.accepts("study.db")
    assert not PostgresStore.accepts("postgres.db")


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql+psycopg://ann:{SECRET}@h/db",
        f"postgresql:/ann:{SECRET}@h/db",
        f"Postgresql://ann:{SECRET}@h/db",
        f"postgresql://ann:{SECRET}@h/db?ledger=Study",
        f"postgresql://ann:{SECRET}@h/db?ledger=a&ledger=b",
        f"postgresql://ann:{SECRET}@h/db?ledger=pg_catalog",
        f"postgresql://ann:{SECRET}@h/db?ledger=a;drop",
        f"postgresql://ann:{SECRET}@h/db?ledger={'a' * 41}",
        f"postgresql://ann:{SECRET}@h:port/db?nonsense=1",
        f"postgresql://ann:{SECRET}@h/db?password2={SECRET}",
        "postgresql://ann:1/secret@h/db",
        "postgresql://ann:1/secret:@/db",
        "postgresql://ann:%zz/secret",
        "jdbc:postgresql://h/db?user=ann&password=secret",
        "host=h password=secret",
        "mysql://ann:1/secret@h",
        Path(f"postgresql://ann:{SECRET}@h/db"),
    ],
)
def test_a_wrong_address_is_refused_without_showing_it(address: str | Path, refused: "Refused") -> None:
    with refused(ParameterError, "an address such as", hidden=(SECRET, "se cret", "secret")):
        Budget.open(address)


def test_no_error_of_the_driver_hangs_on_ours() -> None:
    """Tools that collect errors show those behind an error, too."""
    with pytest.raises(ParameterError) as caught:
        Budget.open("postgresql://ann:secret@h/db?nonsense=1")
    assert caught.value.__context__ is None


def test_a_password_in_the_place_of_the_port_is_not_shown(refused: "Refused") -> None:
    with refused(BudgetError, "db/dampen", hidden=("secret",)):
        Budget.open("postgresql://localhost:secret/db")


def test_nothing_shows_a_password(server: postgres.Server, name: str, refused: "Refused") -> None:
    server.sql("CREATE ROLE ann LOGIN PASSWORD 'x'")
    address = f"postgresql://ann:{SECRET}@/nowhere?host={server.folder}&ledger={name}&password={SECRET}"
    for asked in (address, address.replace("nowhere", "postgres"), "postgresql://u:" + SECRET + "@127.0.0.1:1/x"):
        with refused(BudgetError, f"/{name}" if name in asked else "x/dampen", hidden=(SECRET, "se cret", "ann:")):
            Budget.open(asked, epsilon=1)
    server.sql("GRANT CREATE ON DATABASE postgres TO ann")
    with closing(Budget.open(address.replace("nowhere", "postgres"), epsilon=1)) as ledger:
        shown = [repr(ledger), ledger.name, str(ledger.verify())]
        with pytest.raises(BudgetError) as error:
            _ = ledger.path
        assert not [text for text in (*shown, str(error.value)) if SECRET in text or "cret" in text]
        assert ledger.name == f"postgres/{name}"
        assert copy.deepcopy(ledger) is ledger
        with closing(pickle.loads(pickle.dumps(ledger))) as again:
            assert again.head == ledger.head


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, refused: "Refused") -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with refused(MissingExtra, "dampen[service]"):
        Budget.open("postgresql://h/db")


def test_the_driver_is_loaded_only_where_it_is_used(run_python: "RunPython") -> None:
    code = (
        "import sys, dampen; dampen.Budget(epsilon=1); import dampen.accounting.ledger; print('psycopg' in sys.modules)"
    )
    assert run_python(code).stdout == "False\n"


def test_nothing_else_of_accounting_knows_the_driver() -> None:
    [room] = dampen.accounting.__path__
    knowing = set()
    for path in Path(room).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            known = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            known += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            knowing |= {path.name for each in known if each.split(".")[0] == "psycopg"}
    assert knowing == {"postgres_store.py", "postgres_tables.py"}


# Several ledgers, their schemas and rights


def test_ledgers_of_one_database_are_apart(server: postgres.Server, name: str) -> None:
    one, two = (Budget.open(server.address(own), epsilon=2) for own in (name, f"{name}_b"))
    one.reserve(loss())
    assert (one.spent.epsilon, two.spent.epsilon) == (Fraction(1, 100), Fraction(0))
    one.close()
    two.close()


def test_a_ledger_fits_into_an_empty_schema_that_was_made_for_it(server: postgres.Server, name: str) -> None:
    """For someone who may not make schemas."""
    server.sql(f"CREATE ROLE {name}_user LOGIN; CREATE SCHEMA {name} AUTHORIZATION {name}_user")
    with closing(Budget.open(server.address(name, user=f"{name}_user"), epsilon=1)) as ledger:
        assert ledger.verify()


def test_who_may_not_make_one_is_told(server: postgres.Server, name: str, refused: "Refused") -> None:
    server.sql(f"CREATE ROLE {name}_user LOGIN")
    with refused(BudgetError, f"postgres/{name}", "no right"):
        Budget.open(server.address(name, user=f"{name}_user"), epsilon=1)


GRANTS = """
    CREATE ROLE {user} LOGIN;
    GRANT USAGE ON SCHEMA {name} TO {user};
    GRANT SELECT ON ALL TABLES IN SCHEMA {name} TO {user};
"""
SPEND = """
    GRANT INSERT ON ALL TABLES IN SCHEMA {name} TO {user};
    GRANT UPDATE ON {name}.marks, {name}.accounts, {name}.purposes TO {user};
    GRANT DELETE ON {name}.unfinished TO {user};
"""


def test_a_reader_reads_and_spends_nothing(
    server: postgres.Server, ledger: Ledger, name: str, refused: "Refused"
) -> None:
    server.sql(GRANTS.format(user=f"{name}_reader", name=name))
    with closing(Budget.open(server.address(name, user=f"{name}_reader"))) as reader:
        assert reader.spent.epsilon == 0
        assert reader.verify(head=ledger.head)
        assert reader.summary().entries == 1
        with refused(BudgetError, f"postgres/{name}", "no right"):
            reader.reserve(loss())


def test_an_analyst_spends_without_the_right_to_change_entries(
    server: postgres.Server, ledger: Ledger, name: str
) -> None:
    user = f"{name}_analyst"
    ledger.start_remembering()
    server.sql(GRANTS.format(user=user, name=name) + SPEND.format(user=user, name=name))
    with closing(Budget.open(server.address(name, user=user))) as analyst:
        with analyst.reserve(loss(), note="tea"):
            pass
        analyst.keep("how many?", "7")
        assert (analyst.spent.epsilon, analyst.recall("how many?"), bool(analyst.verify())) == (
            Fraction(1, 100),
            "7",
            True,
        )
    rights = server.sql(f"SELECT has_table_privilege('{user}', '{name}.entries', 'UPDATE,DELETE,TRUNCATE')")
    assert rights == "f"


@pytest.mark.parametrize(
    "statement", ["UPDATE {}.entries SET note = 'x'", "DELETE FROM {}.entries", "TRUNCATE {}.entries"]
)
def test_plain_edits_and_deletions_are_refused(
    server: postgres.Server, ledger: Ledger, name: str, statement: str
) -> None:
    with pytest.raises(AssertionError, match="append only"):
        server.sql(statement.format(name))
    assert ledger.verify()


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE entries SET note = 'other' WHERE number = 2",
        "UPDATE accounts SET epsilon_spent = '0'",
        "DELETE FROM entries",
    ],
)
def test_edits_of_the_owner_are_found(server: postgres.Server, ledger: Ledger, name: str, edit: str) -> None:
    ledger.reserve(loss(), note="tea")
    head = ledger.head
    server.sql(f"SET search_path = {name}; DROP TRIGGER keep_entries ON entries; {edit}")
    assert not ledger.verify(head=head)


def test_what_cannot_be_read_is_told(server: postgres.Server, ledger: Ledger, name: str, refused: "Refused") -> None:
    server.sql(f"UPDATE {name}.accounts SET epsilon_spent = 'abc'")
    with refused(BudgetError, f"postgres/{name}", "damaged"):
        ledger.reserve(loss())
    assert not ledger.verify()


def test_a_newer_ledger_is_refused(server: postgres.Server, ledger: Ledger, name: str, refused: "Refused") -> None:
    server.sql(f"UPDATE {name}.marks SET format = 99")
    with refused(BudgetError, "newer dampen (format 99"):
        Budget.open(server.address(name))
    ledger.close()


@pytest.mark.parametrize("edit", ["DELETE FROM {}.marks", "INSERT INTO {}.marks SELECT * FROM {}.marks"])
def test_marks_that_were_changed_are_told(
    server: postgres.Server, ledger: Ledger, name: str, edit: str, refused: "Refused"
) -> None:
    server.sql(edit.format(name, name))
    with refused(BudgetError, f"postgres/{name}", "damaged"):
        ledger.reserve(loss())
    with refused(BudgetError, f"postgres/{name}", "damaged"):
        ledger.history()


# What a server must be


def test_a_server_that_does_not_wait_for_its_disk_is_refused(
    server: postgres.Server, name: str, refused: "Refused"
) -> None:
    with postgres.another_server() as other:
        try:
            other.sql("ALTER SYSTEM SET fsync = off")
            other.sql("SELECT pg_reload_conf()")
            while other.sql("SHOW fsync") != "off":
                pass
            with refused(BudgetError, "fsync is off"):
                Budget.open(other.address(name), epsilon=1)
        finally:
            other.sql("ALTER SYSTEM RESET fsync")
            other.sql("SELECT pg_reload_conf()")


def test_a_charge_waits_for_the_disk_whatever_the_user_is_used_to(server: postgres.Server, name: str) -> None:
    server.sql(f"CREATE ROLE {name}_hasty LOGIN SUPERUSER; ALTER ROLE {name}_hasty SET synchronous_commit = off")
    with closing(Budget.open(server.address(name, user=f"{name}_hasty"), epsilon=1)) as ledger:
        shown = []
        for durable in (True, False):
            with ledger._store.transaction(durable=durable) as transaction:
                shown += transaction._select("SHOW synchronous_commit")  # type: ignore[attr-defined]
        assert shown == [("on",), ("off",)]


def test_floats_come_back_whole_whatever_the_user_is_used_to(server: postgres.Server, name: str) -> None:
    server.sql(f"CREATE ROLE {name}_brief LOGIN SUPERUSER; ALTER ROLE {name}_brief SET extra_float_digits = -5")
    with closing(Budget.open(server.address(name, user=f"{name}_brief"), epsilon=1)) as ledger:
        ledger.reserve(loss("1/7"))
        assert ledger.verify()


def test_a_server_that_falls_silent_is_given_up(server: postgres.Server, ledger: Ledger, name: str) -> None:
    def known(opened: Ledger) -> dict[str, str]:
        assert opened.limit.epsilon == 1
        return dict(opened._store._connection.info.get_parameters())  # type: ignore[attr-defined]

    assert known(ledger).items() >= {"keepalives_idle": "20", "tcp_user_timeout": "60000"}.items()
    with closing(Budget.open(f"{server.address(name)}&tcp_user_timeout=7")) as other:
        assert known(other)["tcp_user_timeout"] == "7"


def test_a_change_behind_the_back_of_a_writer_is_not_overwritten(
    ledger: Ledger, server: postgres.Server, name: str, refused: "Refused"
) -> None:
    """Someone with another program, who takes no lock."""
    with refused(BudgetError, f"postgres/{name}", "another program"), ledger._store.transaction() as transaction:
        account = transaction.account("")
        assert account is not None
        server.sql(f"UPDATE {name}.accounts SET epsilon_spent = '1/2'")
        transaction.save_account(account)
        transaction.append(charge_entry("", loss(), ""))
    assert ledger.spent.epsilon == Fraction(1, 2)


def test_a_database_that_cannot_write_every_letter_is_refused(
    server: postgres.Server, name: str, refused: "Refused"
) -> None:
    server.sql(f"CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0")
    with refused(BudgetError, "not encoded in UTF8"):
        Budget.open(server.address(name, database=name), epsilon=1)


def test_others_that_stay_inside_are_told_of(
    ledger: Ledger, server: postgres.Server, name: str, refused: "Refused", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_store, "PATIENCE", 1)
    with closing(Budget.open(server.address(name))) as other, ledger._store.transaction():
        with refused(BudgetError, f"postgres/{name}", "another process kept it busy"):
            other.reserve(loss())
        assert other.spent.epsilon == 0


def test_a_writer_that_stands_still_is_sent_away(
    ledger: Ledger, server: postgres.Server, name: str, refused: "Refused", monkeypatch: pytest.MonkeyPatch
) -> None:
    [entry] = ledger.history()
    other = Budget.open(server.address(name))
    monkeypatch.setattr(postgres_store, "PATIENCE", 1)
    ledger.close()
    with refused(BudgetError, f"postgres/{name}", "nothing changed"), ledger._store.transaction() as transaction:
        other.reserve(loss())
        other.close()
        transaction.append(entry)
    assert (ledger.spent.epsilon, bool(ledger.verify())) == (Fraction(1, 100), True)


# Words and sizes


def test_the_longest_notes_and_deep_scopes_fit(ledger: Ledger) -> None:
    """No index of PostgreSQL holds so long a text."""
    scope = ledger
    for depth in range(12):
        scope = scope.scope("🎉" * 50 + str(depth), "".join(map(chr, range(0x4E00, 0x4E00 + 100))), epsilon=1)
    note = "".join(map(chr, range(0x5000, 0x5000 + 500)))
    for _ in range(2):
        scope.reserve(loss(), note=note)
    assert (scope.spent.epsilon, ledger.spent.epsilon, bool(ledger.verify())) == (
        Fraction(1, 50),
        Fraction(1, 50),
        True,
    )
    [purpose] = ledger.summary().purposes
    assert (purpose.note, purpose.charges) == (note, 2)


NASTY = "'; DROP TABLE entries; -- \\' %s %% ? $1 E'\\x41' \"q\" :x {0} ü🎉"


def test_words_are_words_also_where_they_are_asked_in_advance(ledger: Ledger) -> None:
    scope = ledger.scope("analyst", "o'neil\\", epsilon=1)
    for _ in range(3):
        scope.reserve(loss(), note=NASTY)
    [purpose] = ledger.summary().purposes
    assert (purpose.scope, purpose.note, purpose.charges) == ("analyst=o'neil\\", NASTY, 3)
    assert [entry.note for entry in scope.history(3)] == [NASTY] * 3
    assert ledger.verify()


# Copies


def fill(ledger: Ledger) -> None:
    ann = ledger.scope("analyst", "ann", epsilon="1/2")
    ann.reserve(loss(), note="tea").settle("done")
    ledger.reserve(PrivacyLoss("1/7", "1/1000", adjacency=Adjacency.ADD_REMOVE, bounded_range="1/7", rho="1/392"))
    ledger.keep("how many?", "7")


def same(one: Ledger, two: Ledger) -> bool:
    looks = [(each.summary(), each.history(), each.questions(), each.limit, each.unit) for each in (one, two)]
    return looks[0] == looks[1]


@pytest.mark.parametrize("there_and_back", [False, True])
def test_a_file_is_copied_to_a_server_as_it_is(
    server: postgres.Server, name: str, tmp_path: Path, there_and_back: bool
) -> None:
    with closing(Budget.open(tmp_path / "study.db", epsilon=1, delta="1/10", remember=True)) as original:
        fill(original)
        head = original.head
        with closing(original.copy(server.address(name), head=head)) as copied:
            assert copied.head == head
            assert same(original, copied)
            assert copied.verify(head=head)
            if there_and_back:
                with closing(copied.copy(tmp_path / "again.db", head=head)) as again:
                    assert same(again, original)
            copied.reserve(loss())
            assert copied.verify(head=head)


SEVENTH = PrivacyLoss("1/7", adjacency=Adjacency.ADD_REMOVE)
RULES: dict[str, dict[str, Any]] = {
    "basic": {"epsilon": 1, "delta": "1/10", "composition": "basic"},
    "pure": {"epsilon": 1, "composition": "pure"},
    "approx": {"epsilon": 1, "delta": "1/10"},
    "zcdp": {"rho": "1/2"},
    "slots": {"slots": [SEVENTH] * 5, "epsilon": "0.7", "delta": "1/10"},
}


@pytest.mark.parametrize("rule", RULES)
def test_a_copy_keeps_its_rule(server: postgres.Server, name: str, tmp_path: Path, rule: str) -> None:
    ranged = PrivacyLoss("1/7", adjacency=Adjacency.ADD_REMOVE, bounded_range="1/7", rho="1/392")
    part = {"rho": "1/3"} if rule == "zcdp" else {"epsilon": "1/2"}
    with closing(Budget.open(tmp_path / "study.db", **RULES[rule])) as original:
        ann = original if rule == "slots" else original.scope("analyst", "ann", **part)
        ann.reserve(ranged, note="tea")
        original.reserve(ranged, note="coffee").settle("done")
        with (
            closing(original.copy(server.address(name), head=original.head)) as there,
            closing(there.copy(tmp_path / "again.db")) as back,
        ):
            assert same(original, there)
            assert same(original, back)
            for each in (original, there, back):
                assert (each.composition, each.limit, each.remaining) == (rule, original.limit, back.remaining)
                each.reserve(ranged)
                assert each.verify()
            assert original.spent == there.spent == back.spent


def test_slots_on_a_server_that_somebody_changed_are_told_and_grant_nothing(
    server: postgres.Server, name: str, refused: "Refused"
) -> None:
    with closing(Budget.open(server.address(name), **RULES["slots"])) as ledger:
        ledger.reserve(SEVENTH)
        ledger.start_remembering()
        assert ledger.verify()
        server.sql(f"ALTER TABLE {name}.entries DISABLE TRIGGER keep_entries")
        server.sql(f"UPDATE {name}.entries SET note = '9' WHERE number = 2")
        assert not ledger.verify()
        with refused(BudgetError, "do not belong together"):
            ledger.reserve(SEVENTH)
    with refused(BudgetError, "do not belong together"):
        Budget.open(server.address(name)).reserve(SEVENTH)


def test_a_file_that_cannot_be_locked_is_not_copied(
    server: postgres.Server, name: str, tmp_path: Path, refused: "Refused", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else might write to it meanwhile."""
    with closing(Budget.open(tmp_path / "study.db", epsilon=1)) as original:
        original.close()
        monkeypatch.setattr("dampen.accounting.sqlite_store._has_log_or_may", lambda path: False)
        with refused(BudgetError, "study.db could not be written", "read-only"):
            original.copy(server.address(name))
    assert not store_of(server.address(name)).exists()


def test_a_ledger_that_is_not_intact_is_not_copied(
    server: postgres.Server, name: str, tmp_path: Path, refused: "Refused"
) -> None:
    with closing(Budget.open(tmp_path / "study.db", epsilon=1, remember=True)) as ledger:
        ledger.reserve(loss())
        ledger.close()
        with closing(sqlite3.connect(tmp_path / "study.db", isolation_level=None)) as db:
            db.execute("UPDATE accounts SET epsilon_spent = '0'")
        with refused(BudgetError, "study.db is not intact"):
            ledger.copy(server.address(name))
    assert not store_of(server.address(name)).exists()


def test_a_copy_of_another_head_is_refused(
    server: postgres.Server, name: str, tmp_path: Path, refused: "Refused"
) -> None:
    ledger = Budget.open(tmp_path / "study.db", epsilon=1)
    with closing(ledger), refused(BudgetError, "study.db is not intact", "head"):
        ledger.copy(server.address(name), head=f"1:{'ab' * 32}")
    assert not store_of(server.address(name)).exists()


def test_a_copy_takes_no_place_that_is_taken(ledger: Ledger, name: str, tmp_path: Path, refused: "Refused") -> None:
    with closing(Budget.open(tmp_path / "study.db", epsilon=1)) as original:
        with refused(BudgetError, f"postgres/{name} is taken"):
            original.copy(ledger._store.address)
        with refused(BudgetError, "study.db is taken"):
            original.copy(tmp_path / "study.db")
    assert ledger.verify()


def test_nobody_spends_while_a_copy_is_made(
    server: postgres.Server, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is spent meanwhile would be missing in the copy."""
    original, other = (Budget.open(tmp_path / "study.db", epsilon=1) for _ in range(2))
    create, spending = PostgresStore.create, threading.Thread(target=other.reserve, args=(loss(),))

    def create_slowly(store: PostgresStore, filling: Any) -> None:
        spending.start()
        spending.join(timeout=0.3)
        create(store, filling)

    monkeypatch.setattr(PostgresStore, "create", create_slowly)
    with closing(original.copy(server.address(name))) as copied:
        spending.join()
        assert (copied.spent.epsilon, original.spent.epsilon) == (Fraction(0), Fraction(1, 100))
    original.close()
    other.close()


def test_an_interrupt_inside_leaves_nobody_waiting(ledger: Ledger, server: postgres.Server, name: str) -> None:
    with pytest.raises(KeyboardInterrupt), ledger._store.transaction():
        signal.raise_signal(signal.SIGINT)
    assert isinstance(store_of("study.db"), SqliteStore)
    with closing(Budget.open(server.address(name))) as other:
        other.reserve(loss())
    assert ledger.spent.epsilon == Fraction(1, 100)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u:s3cretPW@127.0.0.1:1/db",
        "postgresql://u:s3cretPW@127.0.0.1:1/db\n",
        "postgresql//u:s3cretPW@h",
        "host=h passwd=s3cretPW",
        "pgsql:host=h;pwd=s3cretPW",
        "mysql://u:s3cretPW@h/db",
    ],
)
def test_no_message_shows_a_password_wherever_an_address_is_mistaken_for_a_file(address: str, tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "study.db", epsilon=1)
    columns, told = {"pay": Number(0, 10)}, list[str]()
    for ask in (
        lambda: ledger.export(address),
        lambda: Budget.open(address),
        lambda: Description(columns, ledger=address).ledger_path,
        lambda: Table(address, columns=columns, budget=ledger).count(epsilon=1),
    ):
        try:
            ask()
        except DampenError as error:
            told.append(f"{error} {error.__cause__} {error.__context__}")
    ledger.close()
    assert len(told) >= 3
    assert "s3cretPW" not in " ".join(told)


def test_nothing_is_paid_from_a_limit_of_rho_that_somebody_raised(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    Budget.open(path, epsilon=1, delta="1e-6").close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("update accounts set rho_limit = '1000'")
    with closing(Budget.open(path, epsilon=1, delta="1e-6")) as ledger:
        assert not ledger.verify()
        with pytest.raises(BudgetError, match="do not belong together"):
            ledger.reserve(PrivacyLoss("1/10", adjacency=Adjacency.ADD_REMOVE))
