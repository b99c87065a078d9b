"""The budget in memory: exact, all or nothing, one adjacency and one unit, thread-safe, never copied."""

import copy
import os
import pickle
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, Budget, Frame, PrivacyLoss, SelectionProblem
from dampen._validate import Number
from dampen.accounting import Ledger
from dampen.accounting.account import Account
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused, RunPython

ADD_REMOVE, REPLACE, EDGE = Adjacency.ADD_REMOVE, Adjacency.REPLACE, Adjacency.EDGE
PRIMES = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97]


def loss(epsilon: Number, delta: Number = 0, adjacency: Adjacency = ADD_REMOVE, unit: str = "") -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=adjacency, unit=unit)


def state(budget: Budget) -> tuple[Amount, Amount, Amount, Adjacency | None, str | None]:
    return budget.spent, budget.remaining, budget.limit, budget.adjacency, budget.unit


@pytest.mark.parametrize("tenth", [0.1, "0.1", "1/10", Fraction(1, 10)])
def test_ten_tenths_exhaust_one_exactly_and_nothing_more_fits(tenth: Number, refused: "Refused") -> None:
    budget = Budget(epsilon=1)
    for count in range(1, 11):
        budget.reserve(loss(tenth))
        assert type(budget.spent.epsilon) is Fraction
        assert budget.spent.epsilon == Fraction(count, 10)
    assert budget.remaining == Amount(Fraction(0), Fraction(0))
    before = state(budget)
    for more in (tenth, "1e-100"):
        with refused(BudgetExceeded, "asked epsilon", "spent epsilon 1;", "limit epsilon 1"):
            budget.reserve(loss(more))
        assert state(budget) == before
    budget.reserve(loss(0))
    assert state(budget) == before


def test_ten_releases_at_a_tenth_exhaust_one_exactly(refused: "Refused") -> None:
    problem = SelectionProblem(Frame(("a", "b"), 1, ADD_REMOVE), [3, 1])
    budget = Budget(epsilon=1.0)
    for _ in range(10):
        PermuteAndFlip(0.1).release(problem, budget=budget)
    assert budget.remaining.epsilon == 0
    with refused(BudgetExceeded, "asked epsilon 0.1; spent epsilon 1; limit epsilon 1"):
        PermuteAndFlip(0.1).release(problem, budget=budget)


@given(st.lists(st.fractions(min_value=0, max_value=1, max_denominator=50), max_size=12))
def test_charges_add_up_and_stop_at_the_limit(charges: list[Fraction]) -> None:
    budget, total = Budget(epsilon=2), Fraction(0)
    for epsilon in charges:
        try:
            budget.reserve(loss(epsilon))
            total += epsilon
            assert total <= 2
        except BudgetExceeded:
            assert total + epsilon > 2
        assert budget.spent.epsilon == total
        assert budget.remaining.epsilon == 2 - total


def test_delta_is_counted_and_limited_as_exactly(refused: "Refused") -> None:
    budget = Budget(epsilon=10, delta="1e-6", composition="basic")
    for _ in range(10):
        budget.reserve(loss("1/10", 1e-7))
    assert budget.spent == Amount(Fraction(1), Fraction(1, 10**6))
    before = state(budget)
    with refused(BudgetExceeded, "asked epsilon 0.1, delta 1e-09", "spent epsilon 1, delta 1e-06", "delta 1e-06"):
        budget.reserve(loss("1/10", 1e-9))
    assert state(budget) == before
    budget.reserve(loss(1))
    assert budget.spent == Amount(Fraction(2), Fraction(1, 10**6))


def test_a_budget_without_delta_pays_for_no_delta(refused: "Refused") -> None:
    budget = Budget(epsilon=1)
    with refused(BudgetExceeded, "delta 0.001"):
        budget.reserve(loss("1/10", "0.001"))
    assert budget.spent == Amount(Fraction(0), Fraction(0))
    assert budget.adjacency is None


@pytest.mark.parametrize(
    ("limit", "charges"),
    [("0." + "1" * 190, []), (1, [Fraction(1, prime * 10**60 + 1) for prime in PRIMES])],
    ids=["a long limit", "a long sum"],
)
def test_a_refusal_stays_short_however_long_the_fractions(
    limit: Number, charges: list[Fraction], refused: "Refused"
) -> None:
    budget = Budget(epsilon=limit)
    for epsilon in charges:
        budget.reserve(loss(epsilon))
    with refused(BudgetExceeded, "asked", "spent", "limit"):
        budget.reserve(loss(2))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": True}, "epsilon"),
        ({"epsilon": float("inf")}, "epsilon"),
        ({"epsilon": "abc"}, "epsilon"),
        ({"epsilon": 1, "delta": 1}, "delta"),
        ({"epsilon": 1, "delta": -1}, "delta"),
        ({"epsilon": 1, "adjacency": "replace"}, "adjacency"),
    ],
)
def test_a_wrong_limit_is_refused_by_name(arguments: dict[str, Any], name: str, refused: "Refused") -> None:
    with refused(ParameterError, name):
        Budget(**arguments)


@pytest.mark.parametrize("wrong", [1, "1/2", None, Fraction(1)])
def test_only_a_loss_is_reserved(wrong: Any, untouched: Budget, refused: "Refused") -> None:
    with refused(ParameterError, "loss", type(wrong).__name__):
        untouched.reserve(wrong)


# One adjacency, one unit


def test_the_first_reservation_fixes_adjacency_and_unit(refused: "Refused") -> None:
    budget = Budget(epsilon=10)
    assert (budget.adjacency, budget.unit) == (None, None)
    budget.reserve(loss(1, adjacency=EDGE))
    assert (budget.adjacency, budget.unit) == (EDGE, "edge")
    before = state(budget)
    with refused(BudgetError, "edge", "row"):
        budget.reserve(loss(1, adjacency=ADD_REMOVE))
    with refused(BudgetError, "'edge'", "'friendship'"):
        budget.reserve(loss(1, adjacency=EDGE, unit="friendship"))
    assert state(budget) == before


def test_a_refused_first_reservation_fixes_nothing(refused: "Refused", untouched: Budget) -> None:
    with refused(BudgetExceeded, "asked epsilon 11"):
        untouched.reserve(loss(11, adjacency=EDGE))


@pytest.mark.parametrize(
    ("kept", "asked"),
    [(ADD_REMOVE, REPLACE), (ADD_REMOVE, EDGE), (REPLACE, EDGE), (EDGE, ADD_REMOVE), (EDGE, REPLACE)],
)
@pytest.mark.parametrize("given", [True, False], ids=["given", "fixed by the first"])
def test_mixtures_are_refused_without_change(
    kept: Adjacency, asked: Adjacency, given: bool, refused: "Refused"
) -> None:
    budget = Budget(epsilon=10, adjacency=kept, unit="x") if given else Budget(epsilon=10)
    budget.reserve(loss(1, adjacency=kept, unit="x"))
    before = state(budget)
    with refused(BudgetError, kept.name, asked.name):
        budget.reserve(loss(1, adjacency=asked, unit="x"))
    assert state(budget) == before


def test_a_replace_budget_charges_add_remove_at_its_price() -> None:
    budget = Budget(epsilon=10, delta="1/2", composition="basic", adjacency=REPLACE)
    asked = PrivacyLoss(1, "1e-6", adjacency=ADD_REMOVE, bounded_range=1, rho="1/8")
    charged = budget.reserve(asked).loss
    assert charged.adjacency is REPLACE
    assert (charged.epsilon, charged.bounded_range, charged.rho) == (Fraction(2), Fraction(2), Fraction(1, 2))
    steps = charged.delta * 2**80
    assert steps.denominator == 1
    # (1 + e) 10^-6 lies between these two neighbours of e = 2.71828182845904523536028747135266249775724709...
    e_below = Fraction("2.71828182845904523536028747135266249775724709")
    assert Fraction(steps - 1, 2**80) < (1 + e_below) / 10**6 < charged.delta
    assert budget.spent == Amount(Fraction(2), charged.delta)
    assert budget.adjacency is REPLACE


def test_the_price_under_replace_is_what_is_compared_with_the_limit(refused: "Refused") -> None:
    budget = Budget(epsilon=1, adjacency=REPLACE)
    with refused(BudgetExceeded, "asked epsilon 1.2; spent epsilon 0; limit epsilon 1"):
        budget.reserve(loss("0.6"))
    assert budget.spent.epsilon == 0
    budget.reserve(loss("0.5"))
    assert budget.remaining.epsilon == 0


def test_a_unit_that_is_given_is_kept(refused: "Refused") -> None:
    budget = Budget(epsilon=1, unit="patient")
    with refused(BudgetError, "'patient'", "'row'"):
        budget.reserve(loss("1/2"))
    assert budget.spent.epsilon == 0
    assert (budget.adjacency, budget.unit) == (None, "patient")
    budget.reserve(loss("1/2", unit="patient"))
    assert budget.spent.epsilon == Fraction(1, 2)


# Pay first


def test_an_error_inside_the_block_keeps_the_charge() -> None:
    budget = Budget(epsilon=1)

    def work() -> None:
        with budget.reserve(loss("1/4")):
            assert budget.spent.epsilon == Fraction(1, 4)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert budget.spent.epsilon == Fraction(1, 4)


def test_the_charge_stands_without_entering_the_block() -> None:
    budget = Budget(epsilon=1)
    reservation = budget.reserve(loss("1/4"), note="why")
    assert budget.spent.epsilon == Fraction(1, 4)
    assert reservation.note == "why"
    with reservation, reservation:
        pass
    assert budget.spent.epsilon == Fraction(1, 4)


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_sixty_four_threads_never_overspend() -> None:
    budget = Budget(epsilon=10)
    barrier, paid = threading.Barrier(64), []

    def spend() -> None:
        barrier.wait(timeout=60)
        for _ in range(5):
            try:
                budget.reserve(loss("1/10"))
                paid.append(1)
            except BudgetExceeded:
                pass

    threads = [threading.Thread(target=spend) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(paid) == 100
    assert budget.spent.epsilon == 10
    assert budget.remaining.epsilon == 0


def test_no_other_thread_comes_between_the_check_and_the_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads try to meet after the check and before the charge; the lock keeps them apart."""
    budget, meeting, granted = Budget(epsilon=1), threading.Barrier(2), []
    honest = Account.charge

    def charge(self: Account, charges: Iterable[PrivacyLoss]) -> Account:
        after = honest(self, charges)
        with suppress(threading.BrokenBarrierError):
            meeting.wait(timeout=0.5)
        return after

    def spend() -> None:
        with suppress(BudgetExceeded):
            granted.append(budget.reserve(loss(1)))

    monkeypatch.setattr(Account, "charge", charge)
    threads = [threading.Thread(target=spend) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert (len(granted), meeting.broken) == (1, True)


# Never copied


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda budget: pickle.loads(pickle.dumps(budget))])
def test_a_copy_is_the_same_budget(clone: Any) -> None:
    budget = Budget(epsilon=1)
    other = clone(budget)
    assert other is budget
    assert clone([budget, budget])[1] is budget
    other.reserve(loss(1))
    assert budget.remaining.epsilon == 0


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_a_reference_in_every_protocol(protocol: int) -> None:
    budget = Budget(epsilon=1)
    reference = pickle.dumps(budget, protocol)
    budget.reserve(loss("1/2"))
    assert pickle.loads(reference) is budget


def test_the_pickle_of_a_budget_that_is_gone_opens_nothing(refused: "Refused") -> None:
    reference = pickle.dumps(Budget(epsilon=1))
    with refused(BudgetError, "budget"):
        pickle.loads(reference)


def test_unpickling_in_another_process_fails_with_the_reason(run_python: "RunPython") -> None:
    budget = Budget(epsilon=1)
    code = """
        import pickle, sys
        from dampen.errors import BudgetError
        try:
            pickle.loads(bytes.fromhex(sys.argv[1]))
        except BudgetError as error:
            print(error)
    """
    done = run_python(code, pickle.dumps(budget).hex())
    assert (done.returncode, done.stderr) == (0, "")
    assert "cannot leave its process" in done.stdout
    assert "spent twice" in done.stdout
    assert len(done.stdout.splitlines()) == 1


FORK = """
import os, pickle
import dampen
from dampen.errors import BudgetError
from dampen.mechanisms import PermuteAndFlip

frame = dampen.Frame(("a", "b"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
problem = dampen.SelectionProblem(frame, [2, 1])
loss = dampen.PrivacyLoss("1/4", adjacency=dampen.Adjacency.ADD_REMOVE)
budget = dampen.Budget(epsilon=1)
budget.reserve(loss)
reference = pickle.dumps(budget)
uses = (
    lambda: budget.reserve(loss),
    lambda: budget.spent,
    lambda: budget.remaining,
    lambda: PermuteAndFlip("1/4").release(problem, budget=budget),
    lambda: pickle.loads(reference),
    lambda: pickle.loads(pickle.dumps(budget)),
)
child = os.fork()
if child == 0:
    refusals = 0
    for use in uses:
        try:
            use()
        except BudgetError as error:
            refusals += "process" in str(error)
    own = dampen.Budget(epsilon=1)
    PermuteAndFlip("1/4").release(problem, budget=own)
    os._exit(refusals if pickle.loads(pickle.dumps(own)).remaining.epsilon * 4 == 3 else 99)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
assert pickle.loads(reference) is budget
budget.reserve(loss)
print(code, len(uses), budget.spent.epsilon)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_after_a_fork_the_child_refuses_and_the_parent_goes_on(run_python: "RunPython") -> None:
    done = run_python(FORK)
    assert done.stdout.split() == ["6", "6", "1/2"], done.stderr


def test_printing_a_budget_shows_spent_and_limit() -> None:
    budget = Budget(epsilon=1, delta="1/1000", composition="basic")
    budget.reserve(loss("1/4", "1/2000"))
    assert repr(budget) == str(budget) == "Budget(spent: epsilon 0.25 of 1, delta 0.0005 of 0.001)"
    assert repr(Budget(epsilon="1/3")) == "Budget(spent: epsilon 0 of 1/3)"


# Quotes, batches, and the way to the durable one (all of it: contracts/test_budgets.py, test_ledger.py)


def test_a_batch_is_charged_at_once_and_a_quote_not_at_all() -> None:
    budget = Budget(epsilon=1)
    assert budget.quote([loss("1/4")] * 3).amount == loss("3/4").amount
    assert state(budget) == (Amount(Fraction(0), Fraction(0)), budget.limit, budget.limit, None, None)
    with budget.batch([loss("1/4")] * 3, note="three") as batch:
        assert budget.spent.epsilon == Fraction(3, 4)
        assert batch.reserve(loss("1/4")).note == "three"
    assert budget.spent.epsilon == Fraction(3, 4)


BATCH_FORK = """
import os
import dampen
from dampen.errors import BudgetError

loss = dampen.PrivacyLoss("1/4", adjacency=dampen.Adjacency.ADD_REMOVE)
batch = dampen.Budget(epsilon=1).batch([loss, loss])
child = os.fork()
if child == 0:
    try:
        batch.reserve(loss)
    except BudgetError as error:
        os._exit(7 if "fork" in str(error) else 1)
    os._exit(0)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
batch.reserve(loss)
print(code, batch.spent.epsilon)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_batch_does_not_cross_a_fork(run_python: "RunPython") -> None:
    done = run_python(BATCH_FORK)
    assert done.stdout.split() == ["7", "1/4"], done.stderr


def test_opening_needs_a_path_and_gives_a_ledger(tmp_path: Path) -> None:
    with closing(Budget.open(tmp_path / "study.db", epsilon=1)) as ledger:
        assert isinstance(ledger, Ledger)
        assert not isinstance(ledger, Budget)
    with pytest.raises(TypeError):
        Budget.open(epsilon=1)  # type: ignore[call-arg]
