"""The budget in a file: opening, limits, scopes, outcomes, history, export. What every budget does: contracts/."""

import copy
import json
import multiprocessing
import os
import pickle
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dampen
from dampen import Adjacency, Budget, PrivacyLoss
from dampen._validate import Number
from dampen.accounting import Ledger, sqlite_store, store
from dampen.accounting.account import LONGEST_NOTE
from dampen.accounting.chain import parse_head
from dampen.accounting.sql_tables import FORMATS, PLAIN
from dampen.accounting.sqlite_store import APPLICATION, SqliteStore
from dampen.errors import BudgetError, BudgetExceeded, ParameterError, ReleaseFailed
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

ADD_REMOVE, REPLACE, EDGE = Adjacency.ADD_REMOVE, Adjacency.REPLACE, Adjacency.EDGE
NO_LIMIT_OR_ONE: list[dict[str, Any]] = [{}, {"epsilon": 1}]


def loss(epsilon: Number, delta: Number = 0, adjacency: Adjacency = ADD_REMOVE, unit: str = "") -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=adjacency, unit=unit)


def amount(epsilon: Number, delta: Number = 0) -> Amount:
    return Amount(Fraction(epsilon), Fraction(delta))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with closing(Budget.open(path, epsilon=10, delta="1/100", composition="basic")) as opened:
        yield opened
        assert opened.verify()


def files(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


# Opening


def test_only_epsilon_is_needed(path: Path) -> None:
    with closing(Budget.open(path, epsilon=1)) as ledger:
        assert isinstance(ledger, Ledger)
        assert (ledger.limit, ledger.spent, ledger.remaining) == (amount(1), amount(0), amount(1))
        assert (ledger.adjacency, ledger.unit, ledger.path) == (None, None, path)
        [first] = ledger.history()
        assert (first.number, first.kind, first.scope, first.epsilon, first.delta) == (1, "limit", "", "1", "0")


def test_everything_may_be_given_and_is_read_back(path: Path) -> None:
    given: dict[str, Any] = {
        "epsilon": "1/3",
        "delta": 1e-6,
        "adjacency": REPLACE,
        "unit": "patient",
        "composition": "basic",
    }
    for options in (given, {}, given, {"epsilon": Fraction(1, 3), "delta": "0.000001"}):
        with closing(Budget.open(str(path), **options)) as ledger:
            assert ledger.limit == amount("1/3", "1e-6")
            assert (ledger.adjacency, ledger.unit) == (REPLACE, "patient")
            assert len(ledger.history()) == 1


def test_what_is_spent_survives(path: Path) -> None:
    with closing(Budget.open(path, epsilon=1)) as ledger:
        ledger.reserve(PrivacyLoss("1/3", adjacency=EDGE, bounded_range="1/3", rho="1/72"), note="why")
    with closing(Budget.open(path)) as ledger:
        assert (ledger.spent, ledger.adjacency, ledger.unit) == (amount("1/3"), EDGE, "edge")
        charge = ledger.history()[-1]
        assert (charge.epsilon, charge.bounded_range, charge.rho, charge.note) == ("1/3", "1/3", "1/72", "why")


def test_a_missing_file_without_limits_is_an_error_and_makes_nothing(tmp_path: Path, refused: "Refused") -> None:
    with refused(BudgetError, "missing.db does not exist", hidden=(str(tmp_path),)):
        Budget.open(tmp_path / "missing.db")
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    "other",
    [{"epsilon": 11}, {"epsilon": 10}, {"epsilon": 10, "delta": "1/101"}, {"epsilon": 9.99, "delta": "1/100"}],
    ids=repr,
)
def test_other_limits_are_an_error(ledger: Ledger, other: dict[str, Any], refused: "Refused") -> None:
    with refused(BudgetError, "study.db has the limit epsilon 10, delta 0.01", "dampen budget limit"):
        Budget.open(ledger.path, **other)
    assert len(ledger.history()) == 1


def test_after_a_change_only_the_new_limit_opens(ledger: Ledger, refused: "Refused") -> None:
    ledger.change_limit(epsilon=20)
    Budget.open(ledger.path, epsilon=20, delta="1/100", composition="basic").close()
    with refused(BudgetError, "has the limit epsilon 20"):
        Budget.open(ledger.path, epsilon=10, delta="1/100", composition="basic")


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        ({"adjacency": REPLACE}, ("adjacency", "ADD_REMOVE", "REPLACE")),
        ({"unit": "patient"}, ("unit", "'row'", "'patient'")),
    ],
)
def test_another_adjacency_or_unit_is_an_error(
    ledger: Ledger, fixed: dict[str, Any], message: tuple[str, ...], refused: "Refused"
) -> None:
    with refused(BudgetError, "study.db", "None"):
        Budget.open(ledger.path, epsilon=10, delta="1/100", composition="basic", **fixed)
    ledger.reserve(loss(1))
    with refused(BudgetError, "study.db", *message):
        Budget.open(ledger.path, epsilon=10, delta="1/100", composition="basic", **fixed)
    Budget.open(ledger.path, epsilon=10, delta="1/100", composition="basic", adjacency=ADD_REMOVE, unit="row").close()


@pytest.mark.parametrize("given", [{"delta": 0}, {"delta": "1e-6"}, {"adjacency": REPLACE}, {"unit": "row"}], ids=repr)
@pytest.mark.parametrize("exists", [True, False], ids=["existing", "missing"])
def test_epsilon_must_come_with_the_rest(path: Path, given: dict[str, Any], exists: bool, refused: "Refused") -> None:
    if exists:
        Budget.open(path, epsilon=1, delta="1e-6", composition="basic").close()
    with refused(ParameterError, "epsilon must be given"):
        Budget.open(path, **given)
    assert path.exists() == exists


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": 1, "delta": 1}, "delta"),
        ({"epsilon": 1, "delta": False}, "delta"),
        ({"epsilon": 1, "adjacency": "replace"}, "adjacency"),
        ({"epsilon": 1, "unit": 5}, "unit"),
        ({"epsilon": 1, "unit": "a\nb"}, "unit"),
        ({"epsilon": 1, "unit": "x" * 101}, "unit"),
    ],
    ids=repr,
)
def test_wrong_limits_make_no_file(tmp_path: Path, arguments: dict[str, Any], name: str, refused: "Refused") -> None:
    with refused(ParameterError, name):
        Budget.open(tmp_path / "new.db", **arguments)
    assert files(tmp_path) == []


@pytest.mark.parametrize("wrong", [None, 5, b"study.db", "", ".", "..", "/", "a\0b", ["a"], True], ids=repr)
def test_what_names_no_file_is_refused(wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "path must"):
        Budget.open(wrong, epsilon=1)


def test_a_folder_or_a_missing_folder_is_refused(tmp_path: Path, refused: "Refused") -> None:
    for wrong in (tmp_path, tmp_path / "missing" / "study.db"):
        with refused(ParameterError, "path must name a file in a folder that exists"):
            Budget.open(wrong, epsilon=1)
        with refused(ParameterError, "path must name a file in a folder that exists"):
            Budget.open(wrong)
    assert files(tmp_path) == []


NAMES = [
    "two words.db",
    "what?.db",
    "?mode=memory",
    "a#b.db",
    "100%.db",
    "%41.db",
    "file:x.db",
    "naïve 数据 🎉.db",
    "'quoted\".db",
    "a&b=c;d.db",
    "back\\slash.db",
    ".hidden",
    "-",
    "[bold].db",
    "x" * 200,
]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_of_a_file_is_a_name(tmp_path: Path, name: str, refused: "Refused") -> None:
    with closing(Budget.open(tmp_path / name, epsilon=1)) as ledger:
        ledger.reserve(loss("1/4"))
        assert name in files(tmp_path)
    assert files(tmp_path) == [name]
    with closing(Budget.open(tmp_path / name, epsilon=1)) as ledger:
        assert ledger.spent == amount("1/4")
    with refused(BudgetError, "has the limit"):
        Budget.open(tmp_path / name, epsilon=2)


@pytest.mark.parametrize("name", ["x" * 300, "a\nb.db", "\x1b[31mred.db", "\ud800.db"], ids=ascii)
def test_a_name_that_no_file_can_have_or_that_breaks_a_line_is_one_sentence(
    tmp_path: Path, name: str, refused: "Refused"
) -> None:
    with refused(dampen.errors.DampenError, hidden=("\n", "\x1b")):
        Budget.open(tmp_path / name)
    with refused(dampen.errors.DampenError, hidden=("\n", "\x1b")):
        for epsilon in (1, 2):
            Budget.open(tmp_path / name, epsilon=epsilon).close()


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="this system has no /proc, where nobody can make a file")
def test_a_folder_that_takes_no_file_is_one_sentence(refused: "Refused") -> None:
    with refused(BudgetError, "study.db"):
        Budget.open("/proc/self/study.db", epsilon=1)


def test_a_relative_path_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with closing(Budget.open("study.db", epsilon=1)) as ledger:
        ledger.close()
        monkeypatch.chdir(tmp_path / "elsewhere")
        ledger.reserve(loss("1/4"))
        assert ledger.path == tmp_path / "study.db"
    assert files(tmp_path / "elsewhere") == []


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"SQLite format 3", b"SQLite format 3\x00" + b"\xff" * 200, b"\0" * 4096], ids=len
)
def test_a_foreign_file_is_refused_and_not_touched(path: Path, content: bytes, refused: "Refused") -> None:
    path.write_bytes(content)
    for options in NO_LIMIT_OR_ONE:
        with refused(BudgetError, "study.db"):
            Budget.open(path, **options)
    assert path.read_bytes() == content
    assert files(path.parent) == ["study.db"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_without_waiting_for_its_other_end(path: Path, run_python: "RunPython") -> None:
    os.mkfifo(path)
    code = """
        import signal, sys
        import dampen
        signal.alarm(60)
        for options in ({}, {"epsilon": 1}):
            try:
                dampen.Budget.open(sys.argv[1], **options)
            except dampen.errors.DampenError as error:
                print(error)
    """
    done = run_python(code, str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert [("study.db" in line) for line in done.stdout.splitlines()] == [True, True]


def test_a_foreign_database_is_refused_and_not_touched(path: Path, refused: "Refused") -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE entries (number INTEGER PRIMARY KEY)")
        db.commit()
    before = path.read_bytes()
    for options in NO_LIMIT_OR_ONE:
        with refused(BudgetError, "study.db is not a ledger of dampen"):
            Budget.open(path, **options)
    assert path.read_bytes() == before


def test_a_ledger_of_a_newer_version_is_refused_and_not_touched(ledger: Ledger, refused: "Refused") -> None:
    ledger.close()
    with closing(sqlite3.connect(ledger.path)) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        assert db.execute("PRAGMA user_version").fetchone() == (PLAIN,)
        db.execute(f"PRAGMA user_version={FORMATS[-1] + 1}")
    before = ledger.path.read_bytes()
    with refused(BudgetError, "newer dampen", f"format {FORMATS[-1] + 1}"):
        Budget.open(ledger.path)
    assert ledger.path.read_bytes() == before


def test_charges_are_synchronised_fully_and_outcomes_later(ledger: Ledger) -> None:
    def mode(name: str) -> object:
        assert isinstance(ledger._store, SqliteStore)
        connection = ledger._store._connection
        assert connection is not None
        return connection.execute(f"PRAGMA {name}").fetchone()[0]

    reservation = ledger.reserve(loss(1))
    assert (mode("journal_mode"), mode("synchronous")) == ("wal", 2)
    reservation.settle("done")
    assert mode("synchronous") == 1
    ledger.reserve(loss(1))
    assert mode("synchronous") == 2


def test_closing_leaves_one_file_and_the_next_use_opens_it_again(ledger: Ledger) -> None:
    ledger.reserve(loss(1))
    ledger.close()
    ledger.close()
    assert files(ledger.path.parent) == ["study.db"]
    ledger.reserve(loss(1))
    assert ledger.spent == amount(2)


def test_two_ledgers_on_one_file_see_each_other(ledger: Ledger, refused: "Refused") -> None:
    with closing(Budget.open(ledger.path)) as other:
        ledger.reserve(loss(6))
        assert other.spent == amount(6)
        with refused(BudgetExceeded, "spent epsilon 6"):
            other.reserve(loss(5))
        other.reserve(loss(4))
        assert ledger.remaining == amount(0, "1/100")


# Limits


def test_limits_go_up_and_down_to_what_is_spent_and_no_further(ledger: Ledger, refused: "Refused") -> None:
    ledger.reserve(loss(4, "1/1000"))
    assert ledger.change_limit(epsilon=20, note="more people agreed") == ledger.limit == amount(20, "1/100")
    assert ledger.change_limit(delta="1/1000") == ledger.limit == amount(20, "1/1000")
    assert ledger.change_limit(epsilon=4) == ledger.limit == amount(4, "1/1000")
    assert ledger.remaining == amount(0)
    head = ledger.head
    for below in ({"epsilon": "3.999"}, {"delta": "1/1001"}, {"epsilon": 30, "delta": 0}):
        with refused(BudgetError, "the limit cannot be", "epsilon 4, delta 0.001 is spent"):
            ledger.change_limit(**below)
    with refused(BudgetExceeded, "limit epsilon 4"):
        ledger.reserve(loss("1e-9"))
    assert (ledger.head, ledger.limit) == (head, amount(4, "1/1000"))
    limits = [(entry.epsilon, entry.delta, entry.note) for entry in ledger.history() if entry.kind == "limit"]
    assert limits == [
        ("10", "1/100", ""),
        ("20", "1/100", "more people agreed"),
        ("20", "1/1000", ""),
        ("4", "1/1000", ""),
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": True},
        {"epsilon": float("nan")},
        {"delta": 1},
        {"delta": False},
        {"epsilon": 1, "note": "a\nb"},
        {"epsilon": 1, "note": "x" * (LONGEST_NOTE + 1)},
    ],
    ids=repr,
)
def test_a_wrong_limit_changes_nothing(ledger: Ledger, wrong: dict[str, Any], refused: "Refused") -> None:
    head = ledger.head
    with refused(ParameterError):
        ledger.change_limit(**wrong)
    assert (ledger.head, ledger.limit) == (head, amount(10, "1/100"))


def test_the_limit_of_a_scope_is_its_own(ledger: Ledger, refused: "Refused") -> None:
    ann = ledger.scope("analyst", "ann", epsilon=2)
    ann.reserve(loss(1))
    ann.change_limit(epsilon=30)
    assert (ann.limit, ann.remaining, ledger.limit) == (amount(30), amount(9), amount(10, "1/100"))
    with refused(BudgetError, "the limit cannot be epsilon 0.5"):
        ann.change_limit(epsilon="1/2")
    assert ann.change_limit(epsilon=1) == amount(1)


def test_the_limit_of_the_whole_may_fall_below_that_of_a_scope(ledger: Ledger, refused: "Refused") -> None:
    ann = ledger.scope("analyst", "ann", epsilon=8)
    ledger.change_limit(epsilon=1)
    assert (ann.limit, ann.remaining) == (amount(8), amount(1))
    with refused(BudgetExceeded, "not enough budget: asked epsilon 2"):
        ann.reserve(loss(2))


# Scopes


def spending(*ledgers: Ledger) -> list[Fraction]:
    return [each.spent.epsilon or Fraction(0) for each in ledgers]


def test_a_scope_spends_from_itself_and_all_its_parents(ledger: Ledger) -> None:
    ann, bob = (ledger.scope("analyst", name, epsilon=5) for name in ("ann", "bob"))
    census = ann.scope("project", "census", epsilon=3)
    census.reserve(loss(1))
    assert spending(ledger, ann, census, bob) == [1, 1, 1, 0]
    ann.reserve(loss(1))
    bob.reserve(loss(2))
    ledger.reserve(loss(3))
    assert spending(ledger, ann, census, bob) == [7, 2, 1, 2]
    assert [each.remaining.epsilon for each in (ledger, ann, census, bob)] == [3, 3, 2, 3]
    assert [each.scope for each in ledger.history() if each.kind == "charge"] == [
        "analyst=ann/project=census",
        "analyst=ann",
        "analyst=bob",
        "",
    ]


@pytest.mark.parametrize(("limits", "where"), [((1, 9, 9), ""), ((9, 1, 9), " in a=b"), ((9, 9, 1), " in a=b/c=d")])
def test_a_refusal_anywhere_in_the_branch_changes_nothing(
    path: Path, limits: tuple[int, int, int], where: str, refused: "Refused"
) -> None:
    with closing(Budget.open(path, epsilon=limits[0])) as whole:
        part = whole.scope("a", "b", epsilon=limits[1])
        smallest = part.scope("c", "d", epsilon=limits[2])
        head = whole.head
        with refused(BudgetExceeded, f"not enough budget{where}: asked epsilon 2; spent epsilon 0; limit epsilon 1"):
            smallest.reserve(loss(2))
        with refused(BudgetExceeded, f"not enough budget{where}:"):
            smallest.batch([loss("0.6")] * 2)
        assert spending(whole, part, smallest) == [0, 0, 0]
        assert (whole.head, whole.adjacency, smallest.adjacency) == (head, None, None)
        smallest.reserve(loss(1))
        assert spending(whole, part, smallest) == [1, 1, 1]
        assert whole.verify()


def test_delta_is_limited_in_every_scope(ledger: Ledger, refused: "Refused") -> None:
    ann = ledger.scope("analyst", "ann", epsilon=5, delta="1/1000")
    with refused(BudgetExceeded, "in analyst=ann", "delta 0.002"):
        ann.reserve(loss(1, "2/1000"))
    ann.reserve(loss(1, "1/1000"))
    assert (ann.remaining, ledger.remaining) == (amount(4), amount(9, "9/1000"))
    bob = ledger.scope("analyst", "bob", epsilon=5)
    with refused(BudgetExceeded, "in analyst=bob"):
        bob.reserve(loss(1, "1/1000"))


def test_adjacency_and_unit_are_those_of_the_whole(ledger: Ledger, refused: "Refused") -> None:
    ann, bob = (ledger.scope("analyst", name, epsilon=5) for name in ("ann", "bob"))
    ann.reserve(loss(1, adjacency=REPLACE))
    assert {each.adjacency for each in (ledger, ann, bob)} == {REPLACE}
    assert {each.unit for each in (ledger, ann, bob)} == {"row"}
    assert bob.quote([loss(1)]) == bob.reserve(loss(1)).loss == loss(2, adjacency=REPLACE)
    with refused(BudgetError, "EDGE", "REPLACE"):
        bob.reserve(loss(1, adjacency=EDGE, unit="row"))
    assert spending(ledger, ann, bob) == [3, 1, 2]


def test_a_scope_is_opened_by_its_name_or_with_the_same_limit(ledger: Ledger, refused: "Refused") -> None:
    ledger.scope("analyst", "ann", epsilon=2, delta="1/1000").reserve(loss(1))
    entries = len(ledger.history())
    same: list[dict[str, Any]] = [{}, {"epsilon": 2.0, "delta": "0.001"}]
    for options in same:
        assert ledger.scope("analyst", "ann", **options).spent == amount(1)
    for other in ({"epsilon": 2}, {"epsilon": 3, "delta": "1/1000"}, {"epsilon": 2, "delta": "1/100"}):
        with refused(BudgetError, "scope 'analyst=ann' has the limit epsilon 2, delta 0.001"):
            ledger.scope("analyst", "ann", **other)
    assert len(ledger.history()) == entries


def test_an_unknown_scope_without_a_limit_is_an_error(ledger: Ledger, refused: "Refused") -> None:
    with refused(BudgetError, "there is no scope 'analyst=ann'"):
        ledger.scope("analyst", "ann")
    ann = ledger.scope("analyst", "ann", epsilon=1)
    with refused(BudgetError, "there is no scope 'analyst=ann/analyst=ann'"):
        ann.scope("analyst", "ann")
    assert len(ledger.history()) == 2


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": True}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": 1, "delta": 1}, "delta"),
        ({"epsilon": 1, "delta": False}, "delta"),
        ({"epsilon": 1, "delta": ""}, "delta"),
        ({"delta": "1/100"}, "epsilon must be given"),
        ({"delta": 0}, "epsilon must be given"),
    ],
    ids=repr,
)
def test_a_wrong_limit_makes_no_scope(ledger: Ledger, arguments: dict[str, Any], name: str, refused: "Refused") -> None:
    with refused(ParameterError, name):
        ledger.scope("analyst", "ann", **arguments)
    assert len(ledger.history()) == 1


def test_a_wrong_name_makes_no_scope(ledger: Ledger, refused: "Refused") -> None:
    for kind, name in (("a/b", "c"), ("a", "b=c"), ("", "x"), ("a", " x"), ("a", "x\n")):
        with refused(ParameterError, "must be"):
            ledger.scope(kind, name, epsilon=1)
    assert len(ledger.history()) == 1


def test_refusals_stay_short_however_deep_the_scope(ledger: Ledger, refused: "Refused") -> None:
    deep = ledger
    for kind in "abc":
        deep = deep.scope(kind * 100, "n" * 100, epsilon=1)
    with refused(BudgetExceeded, "not enough budget"):
        deep.reserve(loss(2))
    with refused(BudgetError, "there is no scope"):
        deep.scope("x", "y")
    with refused(BudgetError, "has the limit"):
        ledger.scope("a" * 100, "n" * 100).scope("b" * 100, "n" * 100, epsilon=3)


def test_scopes_whose_names_look_alike_stay_apart(ledger: Ledger) -> None:
    names = ["a", "a%", "a_", "A", "ab", "a b", "ä"]
    scopes = [ledger.scope("analyst", name, epsilon=1) for name in names]
    for count, each in enumerate(scopes):
        each.reserve(loss(Fraction(count, 100)))
    assert [each.spent.epsilon for each in scopes] == [Fraction(count, 100) for count in range(len(names))]
    assert [len(each.history()) for each in scopes] == [2] * len(names)


# History, unfinished, summary


def test_history_is_the_scope_and_what_lies_below_oldest_first(ledger: Ledger) -> None:
    ann = ledger.scope("analyst", "ann", epsilon=5)
    with ann.scope("project", "census", epsilon=1).reserve(loss(1), note="one"):
        pass
    ledger.reserve(loss(1), note="two")
    entries = ledger.history()
    assert [entry.number for entry in entries] == list(range(1, 7))
    assert [entry.kind for entry in entries] == ["limit", "limit", "limit", "charge", "outcome", "charge"]
    assert [entry.number for entry in ann.history()] == [2, 3, 4, 5]
    assert [entry.number for entry in ledger.history(last=2)] == [5, 6]
    assert [entry.number for entry in ann.history(last=2)] == [4, 5]
    assert ledger.history(last=0) == []
    assert ledger.history(last=100) == entries
    charge = entries[3]
    assert (charge.scope, charge.note, charge.loss) == ("analyst=ann/project=census", "one", loss(1))


@pytest.mark.parametrize("wrong", [-1, 1.5, "x", True, 2**70], ids=repr)
def test_a_wrong_number_of_entries_or_purposes_is_refused(ledger: Ledger, wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "last"):
        ledger.history(last=wrong)
    with refused(ParameterError, "most"):
        ledger.summary(most=wrong)


def test_unfinished_are_the_charges_without_an_outcome(ledger: Ledger) -> None:
    ann = ledger.scope("analyst", "ann", epsilon=5)
    first, second, third = ledger.reserve(loss(1)), ann.reserve(loss(1)), ann.reserve(loss(1))
    assert [each.number for each in ledger.unfinished()] == [first.number, second.number, third.number]
    assert [each.number for each in ann.unfinished()] == [second.number, third.number]
    second.settle("failed")
    assert [each.number for each in ledger.unfinished()] == [first.number, third.number]
    assert ledger.unfinished()[0] == ledger.history()[first.number - 1]
    assert ledger.spent == amount(3)


def test_the_summary_shows_one_moment(ledger: Ledger) -> None:
    ann = ledger.scope("analyst", "ann", epsilon=5)
    for note, epsilon, delta in (("tea", "1/3", 0), ("tea", "1/6", "1/1000"), ("milk", 2, 0)):
        ann.reserve(loss(epsilon)).settle("done")
        ledger.reserve(loss(epsilon, delta), note=note).settle("done")
    open_ended = ledger.reserve(loss("1/100"), note="tea")
    summary = ledger.summary()
    assert summary.entries == open_ended.number
    assert summary.head == ledger.head
    assert [(each.name, each.limit, each.spent) for each in summary.accounts] == [
        ("", amount(10, "1/100"), ledger.spent),
        ("analyst=ann", amount(5), ann.spent),
    ]
    purposes = [(each.scope, each.note, each.charges, each.amount) for each in summary.purposes]
    assert (
        sorted(purposes[:2])
        == [
            ("", "milk", 1, amount(2)),
            ("analyst=ann", "", 3, amount("5/2")),
        ][::1]
    )
    assert purposes[0] == ("analyst=ann", "", 3, amount("5/2"))
    assert purposes[2] == ("", "tea", 3, amount(Fraction(1, 2) + Fraction(1, 100), "1/1000"))
    assert [each.number for each in summary.unfinished] == [open_ended.number]
    assert [each.note for each in ledger.summary(most=1).purposes] == [""]
    assert ledger.summary(most=0).purposes == ()
    below = ann.summary()
    assert [each.name for each in below.accounts] == ["analyst=ann"]
    assert [each.scope for each in below.purposes] == ["analyst=ann"]
    assert (below.unfinished, below.entries, below.head) == ((), summary.entries, summary.head)


def test_the_sum_of_the_purposes_is_what_is_spent(ledger: Ledger) -> None:
    ann = ledger.scope("analyst", "ann", epsilon=5)
    for count in range(12):
        (ann if count % 3 else ledger).reserve(loss(Fraction(1, count + 3)), note=f"note {count % 4}")
    purposes = ledger.summary(most=100).purposes
    assert sum(each.size for each in purposes) == ledger.spent.epsilon
    assert sum(each.charges for each in purposes) == 12
    sizes = [each.size for each in purposes]
    assert sizes == sorted(sizes, reverse=True)


# Outcomes


def outcomes(ledger: Ledger) -> list[tuple[int | None, str]]:
    return [(entry.refers, entry.note) for entry in ledger.history() if entry.kind == "outcome"]


def test_outcomes_are_recorded_once_and_give_nothing_back(ledger: Ledger) -> None:
    done, failed = ledger.reserve(loss(1)), ledger.reserve(loss(1))
    with done, done:
        pass
    with pytest.raises(ZeroDivisionError), failed:
        raise ZeroDivisionError
    failed.settle("done")
    with ledger.batch([loss(1), loss(2)]) as batch, batch.reserve(loss(2)) as slot:
        pass
    other = [entry.number for entry in ledger.history() if entry.kind == "charge" and entry.epsilon == "1"][-1]
    assert outcomes(ledger) == [
        (done.number, "done"),
        (failed.number, "failed"),
        (slot.number, "done"),  # type: ignore[attr-defined]
        (other, "unused"),
    ]
    assert ledger.spent == amount(5)
    assert ledger.unfinished() == []


def test_an_outcome_stands_in_the_scope_of_its_charge(ledger: Ledger) -> None:
    ann = ledger.scope("analyst", "ann", epsilon=5)
    ann.reserve(loss(1)).settle("done")
    assert ann.history()[-1].kind == "outcome"
    assert ann.history()[-1].scope == "analyst=ann"


@pytest.mark.parametrize("fails", [False, True])
def test_a_release_records_its_outcome(ledger: Ledger, fails: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if fails:
        monkeypatch.setattr(PermuteAndFlip, "draw", lambda self, problem, source: 1 / 0)
        with pytest.raises(ReleaseFailed):
            dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon=1, budget=ledger, note="drinks")
    else:
        dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon=1, budget=ledger, note="drinks")
    charge, outcome = ledger.history()[-2:]
    assert (charge.note, charge.epsilon, charge.unit) == ("drinks", "1", "row")
    assert (outcome.refers, outcome.note) == (charge.number, "failed" if fails else "done")
    text = repr(ledger.history())
    assert "tea" not in text
    assert "coffee" not in text


def test_an_outcome_that_cannot_be_written_withholds_no_answer(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_store, "PATIENCE", 0.01)
    ledger.close()
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        with ledger.reserve(loss(1)) as reservation:
            other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
    assert outcomes(ledger) == []
    assert [entry.number for entry in ledger.unfinished()] == [reservation.number]
    assert ledger.spent == amount(1)
    reservation.settle("done")
    assert outcomes(ledger) == [(reservation.number, "done")]


def test_a_busy_file_is_one_sentence_and_nothing_is_charged(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    monkeypatch.setattr(sqlite_store, "PATIENCE", 0.01)
    ledger.close()
    head = ledger.head
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with refused(BudgetError, "study.db could not be written: another process kept it busy"):
            ledger.reserve(loss(1))
        assert ledger.spent == amount(0), "readers do not wait for writers"
        other.execute("ROLLBACK")
    assert ledger.head == head


def test_no_other_writer_comes_between_the_check_and_the_entry(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    monkeypatch.setattr(sqlite_store, "PATIENCE", 0.01)
    tried: list[str] = []

    def reach(step: str) -> None:
        if step not in ("after the check", "after INSERT", "before COMMIT") or step in tried:
            return
        tried.append(step)
        with closing(Budget.open(ledger.path)) as other, refused(BudgetError, "another process kept it busy"):
            other.reserve(loss(1))

    monkeypatch.setattr(store, "reach", reach)
    ledger.reserve(loss(1))
    assert len(tried) == 3
    assert ledger.spent == amount(1)


@pytest.mark.parametrize("unit", [5, "\ud800", b"row"], ids=ascii)
def test_a_unit_that_is_no_text_is_refused_before_it_is_written(ledger: Ledger, unit: Any, refused: "Refused") -> None:
    """The ledger stays intact (see the fixture), and the refusal is one of ours."""
    with refused(dampen.errors.DampenError, "unit"):
        ledger.reserve(PrivacyLoss(1, adjacency=ADD_REMOVE, unit=unit))
    assert ledger.spent == amount(0)


# Head and export


def test_the_head_moves_with_every_entry(ledger: Ledger) -> None:
    heads = [ledger.head]
    reservation = ledger.reserve(loss(1))
    heads.append(ledger.head)
    reservation.settle("done")
    heads.append(ledger.head)
    ledger.change_limit(epsilon=11)
    heads.append(ledger.head)
    ledger.scope("analyst", "ann", epsilon=1)
    heads.append(ledger.head)
    assert [parse_head(head).number for head in heads] == [1, 2, 3, 4, 5]
    assert len(set(heads)) == 5
    assert [head.split(":")[1] for head in heads] == [entry.hash for entry in ledger.history()]
    assert ledger.scope("analyst", "ann").head == heads[-1], "a scope has no head of its own"


@pytest.mark.parametrize("ask", ["head", "summary", "export"])
def test_a_head_is_on_the_disk_before_it_is_handed_out(
    ledger: Ledger, ask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process records an outcome just after our synchronisation: the head must not run ahead of the disk."""
    pending, synchronised = ledger.reserve(loss(1)), [0]
    honest = SqliteStore.synchronise

    def synchronise(self: SqliteStore) -> None:
        honest(self)
        synchronised[0] = ledger.history()[-1].number
        pending.settle("done")

    monkeypatch.setattr(SqliteStore, "synchronise", synchronise)
    asked: dict[str, Callable[[], str]] = {
        "head": lambda: ledger.head,
        "summary": lambda: ledger.summary().head,
        "export": lambda: ledger.export(tmp_path / "copy.jsonl"),
    }
    assert parse_head(asked[ask]()).number <= synchronised[0]


def test_export_writes_every_entry_and_the_head(ledger: Ledger, tmp_path: Path) -> None:
    ann = ledger.scope("analyst", "ann", epsilon=5, delta="1/100")
    ann.reserve(loss("1/3", "1/1000"), note="für [bold]wen[/]?").settle("done")
    file = tmp_path / "copy.jsonl"
    assert ann.export(file) == ledger.head == ledger.summary().head
    first, *lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert first == {"ledger": "study.db", "entries": 4, "head": ledger.head}
    assert lines == [entry._asdict() for entry in ledger.history()]
    assert ledger.verify(head=first["head"])


def test_an_export_lets_anyone_recompute_the_chain(ledger: Ledger, tmp_path: Path) -> None:
    ledger.reserve(loss("1/3"), note="why").settle("done")
    ledger.export(str(tmp_path / "copy.jsonl"))
    first, *lines = (tmp_path / "copy.jsonl").read_text().splitlines()
    digest = "0" * 64
    for line in lines:
        *fields, stored = json.loads(line).values()
        digest = sha256(json.dumps([digest, *fields]).encode()).hexdigest()
        assert digest == stored
    assert json.loads(first)["head"] == f"{len(lines)}:{digest}"


def test_export_never_overwrites(ledger: Ledger, tmp_path: Path, refused: "Refused") -> None:
    file = tmp_path / "copy.jsonl"
    file.write_text("precious")
    for wrong in (file, ledger.path, tmp_path, tmp_path / "missing" / "copy.jsonl"):
        with refused(BudgetError, wrong.name, "could not be written", hidden=(str(tmp_path),)):
            ledger.export(wrong)
    assert file.read_text() == "precious"


@pytest.mark.parametrize("wrong", [5, None, "a\0b"], ids=repr)
def test_export_to_what_names_no_file_is_refused(ledger: Ledger, wrong: Any, refused: "Refused") -> None:
    with refused(dampen.errors.DampenError, "path"):
        ledger.export(wrong)


# Pickles, copies, forks


def test_a_pickle_holds_the_path_and_the_scope_only(ledger: Ledger) -> None:
    ann = ledger.scope("analyst", "ann", epsilon=5)
    with closing(pickle.loads(pickle.dumps(ann))) as other:
        other.reserve(loss(1))
        assert (ann.spent, other.spent, ledger.spent) == (amount(1), amount(1), amount(1))
        assert repr(other) == repr(ann) == "Ledger('study.db', scope 'analyst=ann', spent: epsilon 1 of 5)"
    assert copy.deepcopy({"budget": ann})["budget"] is ann


def test_a_pickle_of_a_file_that_is_gone_opens_nothing(tmp_path: Path, refused: "Refused") -> None:
    with closing(Budget.open(tmp_path / "gone.db", epsilon=1)) as ledger:
        reference = pickle.dumps(ledger)
    (tmp_path / "gone.db").unlink()
    with refused(BudgetError, "gone.db does not exist"):
        pickle.loads(reference)
    assert files(tmp_path) == []


def test_another_process_spends_from_the_same_ledger(ledger: Ledger, run_python: "RunPython") -> None:
    code = """
        import pickle, sys
        import dampen
        ledger = pickle.loads(bytes.fromhex(sys.argv[1]))
        ledger.reserve(dampen.PrivacyLoss(1, adjacency=dampen.Adjacency.ADD_REMOVE))
        print(ledger.spent.epsilon)
        ledger.close()
    """
    ledger.reserve(loss(1))
    done = run_python(code, pickle.dumps(ledger).hex())
    assert (done.stdout, done.stderr) == ("2\n", "")
    assert ledger.spent == amount(2)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_reconnects(run_python: "RunPython", path: Path) -> None:
    code = """
        import os, sys
        import dampen
        ledger = dampen.Budget.open(sys.argv[1], epsilon=10)
        loss = dampen.PrivacyLoss(1, adjacency=dampen.Adjacency.ADD_REMOVE)
        ann = ledger.scope("analyst", "ann", epsilon=5)
        open_ended = ann.reserve(loss)
        child = os.fork()
        if child == 0:
            ann.reserve(loss)
            open_ended.settle("done")
            os._exit(0 if ledger.spent.epsilon == 2 else 1)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        open_ended.settle("failed")
        ann.reserve(loss)
        print(code, ledger.spent.epsilon, len(ledger.unfinished()), bool(ledger.verify()))
        ledger.close()
    """
    done = run_python(code, str(path))
    assert (done.stdout, done.stderr) == ("0 3 2 True\n", "")


VISIT = """
import sys
import dampen
ledger = dampen.Budget.open(sys.argv[1])
ledger.reserve(dampen.PrivacyLoss(1, adjacency=dampen.Adjacency.ADD_REMOVE))
print(ledger.spent.epsilon)
ledger.close()
"""


@pytest.mark.parametrize("look", ["nothing", "open", "pickle", "refused"])
def test_a_second_look_in_this_process_breaks_no_lock_of_the_first(
    ledger: Ledger, look: str, run_python: "RunPython"
) -> None:
    """Closing any handle of a file drops all its process's locks on it: then others would take the log away."""
    ledger.reserve(loss(1))
    if look == "open":
        Budget.open(ledger.path).close()
    elif look == "pickle":
        pickle.loads(pickle.dumps(ledger)).close()
    elif look == "refused":
        with pytest.raises(BudgetError):
            Budget.open(ledger.path, epsilon=99)
    assert run_python(VISIT, str(ledger.path)).stdout == "2\n"
    ledger.reserve(loss(1))
    assert ledger.spent == amount(3)
    assert run_python(VISIT, str(ledger.path)).stdout == "4\n"
    assert ledger.spent == amount(4)


def spend(path: str, count: int) -> int:
    granted = 0
    with closing(Budget.open(path)) as ledger:
        for _ in range(count):
            try:
                ledger.reserve(loss(1))
                granted += 1
            except BudgetExceeded:
                pass
    return granted


def test_processes_share_the_limit(ledger: Ledger) -> None:
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        granted = pool.starmap(spend, [(str(ledger.path), 8)] * 2)
    assert sum(granted) == 10
    assert ledger.spent == amount(10)


# The file and its name


def refuse_and_keep(ledger: Ledger, refused: "Refused", word: str) -> None:
    with refused(BudgetError, "study.db", word):
        ledger.reserve(loss(1))


def test_a_ledger_that_was_moved_while_open_grants_nothing(ledger: Ledger, refused: "Refused") -> None:
    """Its log is named after the old name: who opens the new one would not see it."""
    ledger.reserve(loss(1))
    moved = ledger.path.with_name("moved.db")
    ledger.path.rename(moved)
    refuse_and_keep(ledger, refused, "moved")
    moved.rename(ledger.path)
    ledger.reserve(loss(1))
    assert ledger.spent == amount(2)


def test_a_ledger_that_was_replaced_while_open_grants_nothing(
    ledger: Ledger, tmp_path: Path, refused: "Refused"
) -> None:
    ledger.reserve(loss(1))
    kept = ledger.path.with_name("kept.db")
    ledger.path.rename(kept)
    with closing(Budget.open(tmp_path / "other.db", epsilon=1)):
        pass
    (tmp_path / "other.db").rename(ledger.path)
    refuse_and_keep(ledger, refused, "replaced")
    ledger.path.unlink()
    refuse_and_keep(ledger, refused, "removed")
    kept.rename(ledger.path)
    assert ledger.spent == amount(1)


def test_a_ledger_with_two_names_grants_nothing(ledger: Ledger, refused: "Refused") -> None:
    """Each name would have a log of its own, and each could be spent in full."""
    twin = ledger.path.with_name("twin.db")
    os.link(ledger.path, twin)
    refuse_and_keep(ledger, refused, "second name")
    with closing(Budget.open(twin)) as other, refused(BudgetError, "second name"):
        other.reserve(loss(1))
    twin.unlink()
    ledger.reserve(loss(1))


def test_looking_at_a_ledger_from_the_progress_of_verify_is_refused_and_not_waited_for(ledger: Ledger) -> None:
    """Nobody may wait for a lock that only the waiting thread could open."""
    with closing(Budget.open(ledger.path)) as same:
        same.batch([loss("1/100000")] * 10_000)
        texts: list[str] = []

        def look(done: int) -> None:
            try:
                texts.append(str(same.spent))
            except BudgetError as error:
                texts.append(str(error))

        assert same.verify(progress=look)
        assert len(texts) == 1
