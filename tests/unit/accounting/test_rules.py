"""The rules that a budget is made with: which, when nothing is said; what is refused; and what a file keeps of them."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dampen import Adjacency, Budget, PrivacyLoss
from dampen.accounting import Ledger
from dampen.accounting.rules import APPROXIMATE, COMPOSITIONS, NO_FILTERS, ROUNDING
from dampen.accounting.sql_tables import FORMATS, PLAIN, RULED, RULED_REMEMBERING
from dampen.concentrated import largest_rho
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

LIMITS: dict[str, dict[str, Any]] = {
    "pure": {"epsilon": 1, "composition": "pure"},
    "basic": {"epsilon": 1, "delta": "1e-6", "composition": "basic"},
    "zcdp": {"rho": "1/50"},
    "approx": {"epsilon": 1, "delta": "1e-6"},
}
HALF = Fraction(1, 2 * 10**6)


def loss(epsilon: Any, delta: Any = 0, **claims: Any) -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=Adjacency.ADD_REMOVE, **claims)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


def in_memory(path: Path, **limits: Any) -> Budget:
    return Budget(**limits)


def in_file(path: Path, **limits: Any) -> Ledger:
    return Budget.open(path, **limits)


each_kind = pytest.mark.parametrize("make", [in_memory, in_file])


@each_kind
@pytest.mark.parametrize(
    ("limits", "rule"),
    [
        ({"epsilon": 1}, "basic"),
        ({"epsilon": 1, "delta": 0}, "basic"),
        ({"epsilon": 1, "delta": "1e-9"}, "approx"),
        ({"rho": 1}, "zcdp"),
        ({"rho": 1, "delta": "1e-9"}, "zcdp"),
        *((limits, name) for name, limits in LIMITS.items()),
    ],
)
def test_which_rule_it_is(make: Callable[..., Budget | Ledger], path: Path, limits: dict[str, Any], rule: str) -> None:
    assert make(path, **limits).composition == rule


@each_kind
@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({}, "epsilon"),
        ({"rho": 1, "epsilon": 1}, "rho must be left out"),
        ({"rho": 1, "epsilon": 1, "composition": "zcdp"}, "epsilon must be left out"),
        ({"rho": 0}, "rho must be positive"),
        ({"epsilon": 1, "composition": "zcdp"}, "epsilon must be left out"),
        ({"epsilon": 1, "composition": "approx"}, "delta must be positive"),
        ({"epsilon": 1, "delta": "1e-6", "composition": "pure"}, "delta must be 0"),
        ({"epsilon": 1, "composition": "best"}, "composition must be one of"),
        *(({"epsilon": 1, "composition": name}, "no filter") for name in NO_FILTERS),
    ],
)
def test_limits_that_do_not_fit_a_rule_are_refused(
    make: Callable[..., Budget | Ledger], path: Path, limits: dict[str, Any], told: str, refused: "Refused"
) -> None:
    with refused(BudgetError if not limits and make is in_file else ParameterError, told):
        make(path, **limits)
    assert not path.exists()


@pytest.mark.parametrize("name", LIMITS)
def test_a_file_keeps_its_rule_limits_and_sums(path: Path, name: str) -> None:
    budget = Budget(**LIMITS[name])
    with closing(Budget.open(path, **LIMITS[name], remember=True)) as ledger:
        for each in (ledger, budget):
            each.reserve(loss("1/10", bounded_range="1/10"), note="one")
            each.reserve(loss("1/20"), note="two")
    with closing(Budget.open(path)) as ledger:
        assert ledger.composition == budget.composition == name
        assert (ledger.limit, ledger.spent, ledger.remaining) == (budget.limit, budget.spent, budget.remaining)
        assert ledger.verify()
        assert ledger.remembers
        sizes = [purpose.size for purpose in ledger.summary().purposes]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == 2
    assert version(path) in FORMATS
    Budget.open(path, **LIMITS[name]).close()


@each_kind
@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
def test_a_loss_that_is_too_small_to_square_is_charged(
    make: Callable[..., Budget | Ledger], path: Path, limits: dict[str, Any]
) -> None:
    budget = make(path, **limits)
    for tiny in (loss("1e-100"), loss("1e-150", bounded_range="1e-150")):
        budget.reserve(tiny)
    assert (budget.spent.epsilon or 0) > 0 or (budget.spent.rho or 0) > 0


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        [found] = db.execute("PRAGMA user_version").fetchone()
    return int(found)


def test_only_other_rules_need_another_format(path: Path, tmp_path: Path) -> None:
    Budget.open(path, epsilon=1, delta="1e-6", composition="basic").close()
    Budget.open(tmp_path / "approx.db", epsilon=1, delta="1e-6").close()
    Budget.open(tmp_path / "kept.db", rho=1, remember=True).close()
    names = ("study.db", "approx.db", "kept.db")
    assert [version(tmp_path / name) for name in names] == [PLAIN, RULED, RULED_REMEMBERING]


def test_a_ledger_that_adds_up_epsilons_keeps_doing_so(path: Path, refused: "Refused") -> None:
    Budget.open(path, epsilon=1, delta="1e-6", composition="basic").close()
    with closing(Budget.open(path, epsilon=1, delta="1e-6")) as ledger:
        assert ledger.composition == "basic"
        assert ledger.scope("analyst", "ann", epsilon=1, delta="1e-6").composition == "basic"
        ledger.reserve(loss("1/2", "1e-6"))
    with refused(BudgetError, "has composition 'basic'", "'approx'"):
        Budget.open(path, epsilon=1, delta="1e-6", composition="approx")


def test_the_limit_of_rho_is_computed_once_and_rounded_down(path: Path) -> None:
    with closing(Budget.open(path, epsilon=1, delta="1e-6")) as ledger:
        assert ledger.limit == Amount(Fraction(1), 2 * HALF, largest_rho(Fraction(1), HALF))
        limit = ledger.history()[1]
        assert (limit.kind, limit.rho) == ("limit", str(ledger.limit.rho))
        assert ledger.change_limit(epsilon=2).rho == largest_rho(Fraction(2), HALF)
        assert ledger.verify()


def test_scopes_follow_the_whole(path: Path, refused: "Refused") -> None:
    with closing(Budget.open(path, epsilon=1, delta="1e-6")) as ledger:
        ann = ledger.scope("analyst", "ann", epsilon="1/2", delta="1e-7")
        bob = ledger.scope("analyst", "bob", epsilon="1/2")
        assert (ann.composition, bob.composition) == ("approx", "basic")
        with refused(BudgetError, "no epsilon"):
            bob.reserve(loss(None, rho="1/1000"))
        ann.reserve(loss(None, rho="1/1000"))
        assert ann.spent.epsilon is ledger.spent.epsilon is None
        assert ann.remaining.epsilon == 0
        bob.reserve(loss("1/100"))
        with refused(BudgetExceeded, "not enough budget:"):
            bob.reserve(loss("1/2"))
        with refused(ParameterError, "rho must be left out"):
            ledger.scope("analyst", "eve", rho=1)
        assert ledger.verify()
    with closing(Budget.open(path.with_name("rho.db"), rho=1)) as ledger:
        assert ledger.scope("analyst", "ann", rho="1/2").composition == "zcdp"
        with refused(BudgetError, "give rho=..."):
            ledger.scope("analyst", "bob")
        with refused(ParameterError, "epsilon must be left out"):
            ledger.scope("analyst", "bob", epsilon=1)


def test_a_limit_of_rho_is_no_larger_than_two_searches_may_differ() -> None:
    rho = largest_rho(Fraction(1), HALF)
    kept = [APPROXIMATE.keeps_promise(Amount(Fraction(1), 2 * HALF, rho * more)) for more in (1, 1 + 2 * ROUNDING)]
    assert kept == [True, False]
    assert Fraction(1, 2**49) < ROUNDING < Fraction(1, 2**45)


TAMPERED = {
    "limit of rho": "UPDATE accounts SET rho_limit = '1'",
    "sum of rho": "UPDATE accounts SET rho_spent = '0'",
    "rule": "UPDATE accounts SET rule = 'basic'",
    "no such rule": "UPDATE accounts SET rule = 'kov'",
    "rho by note": "UPDATE purposes SET rho = '0'",
    "order": "UPDATE purposes SET about = 7.0",
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_whatever_is_changed_in_a_file_is_found(path: Path, change: str) -> None:
    with closing(Budget.open(path, epsilon=1, delta="1e-6")) as ledger:
        ledger.reserve(loss("1/10"))
        assert ledger.verify()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(change)
    with closing(Ledger(Budget.open(path)._store) if "kov" not in change else open_anyway(path)) as ledger:
        assert not ledger.verify()


def open_anyway(path: Path) -> Ledger:
    from dampen.accounting.sqlite_store import SqliteStore

    return Ledger(SqliteStore(path))


@pytest.mark.parametrize("rho", ["1", "-1", None])
def test_a_limit_that_promises_too_much_is_found_although_its_hash_is_right(path: Path, rho: str | None) -> None:
    with closing(Budget.open(path, epsilon=1, delta="1e-6")) as ledger:
        last = ledger.history()[1]
        with ledger._store.transaction() as transaction:
            placed = transaction.append(last._replace(rho=rho))
            account = transaction.account("")
            assert account is not None
            limit = Amount(Fraction(1), 2 * HALF, None if rho is None else Fraction(rho))
            transaction.save_account(type(account)(limit, composition=COMPOSITIONS["approx"]))
        report = ledger.verify()
        assert not report
        assert f"entry {placed.number}" in str(report)
