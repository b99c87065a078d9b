"""What every budget must do, run over each kind: in memory, in a file, a scope, a scope of a scope; and batches."""

import copy
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dampen
from dampen import Adjacency, Budget, Frame, PrivacyLoss, SelectionProblem
from dampen._validate import Number
from dampen.accounting import Ledger
from dampen.accounting.account import LONGEST_NOTE, Account, Batch
from dampen.accounting.composition import LONGEST_DENOMINATOR, add_amounts, within
from dampen.accounting.memory import LONGEST_KEPT
from dampen.accounting.rules import COMPOSITIONS
from dampen.errors import BudgetError, BudgetExceeded, ParameterError
from dampen.mechanisms import Exponential, PermuteAndFlip
from dampen.privacy import Amount, BudgetLike
from tests import postgres

if TYPE_CHECKING:
    from tests.conftest import Refused

AnyBudget = Budget | Ledger
Make = Callable[..., AnyBudget]
Kind = Callable[..., AnyBudget]

ADD_REMOVE, REPLACE, EDGE = Adjacency.ADD_REMOVE, Adjacency.REPLACE, Adjacency.EDGE
AMPLE: dict[str, Any] = {"epsilon": 10**9, "delta": "0.999"}
"""Limits of parents that never stand in the way."""
AMPLE_UNDER: dict[str, dict[str, Any]] = {"zcdp": {"rho": 10**9, "delta": "0.999"}, "pure": {"epsilon": 10**9}}
PLAIN: dict[str, Any] = {"composition": "basic"}
GRID = 2**80
MIXTURES = [(ADD_REMOVE, REPLACE), (ADD_REMOVE, EDGE), (REPLACE, EDGE), (EDGE, ADD_REMOVE), (EDGE, REPLACE)]
TEA = {"tea": 7, "coffee": 5}


def in_memory(path: Path, **limits: Any) -> AnyBudget:
    return Budget(**{**PLAIN, **limits})


def in_file(path: Path, **limits: Any) -> AnyBudget:
    return Budget.open(path, **{**PLAIN, **limits})


def scope(path: Path | str, **limits: Any) -> AnyBudget:
    if "slots" in limits:  # a ledger of slots has no scopes
        return Budget.open(path, **limits)
    own, whole = own_limits(limits), ample_limits(limits)
    return Budget.open(path, **whole, **fixed_by(limits)).scope("analyst", "ann", **own)


def scope_of_a_scope(path: Path | str, **limits: Any) -> AnyBudget:
    if "slots" in limits:
        return scope(path, **limits)
    own, whole = own_limits(limits), ample_limits(limits)
    project = Budget.open(path, **whole, **fixed_by(limits)).scope("project", "census", **own_limits(whole))
    return project.scope("analyst", "ann", **own)


def own_limits(limits: dict[str, Any]) -> dict[str, Any]:
    return {name: limits[name] for name in ("epsilon", "delta", "rho") if name in limits}


def ample_limits(limits: dict[str, Any]) -> dict[str, Any]:
    rule = limits.get("composition", "basic")
    return {**AMPLE_UNDER.get(rule, AMPLE), "composition": rule}


def fixed_by(limits: dict[str, Any]) -> dict[str, Any]:
    return {name: given for name, given in limits.items() if name in ("adjacency", "unit", "remember")}


def on_a_server(path: Path, **limits: Any) -> AnyBudget:
    """A scope there; the whole is what its parents are."""
    return scope(postgres.server().address(f"of_{crc32(str(path).encode())}"), **limits)


def through_a_pickle(path: Path, **limits: Any) -> AnyBudget:
    with closing(scope_of_a_scope(path, **limits)) as ledger:  # type: ignore[type-var]
        reference = pickle.dumps(ledger)
    reopened = pickle.loads(reference)
    assert isinstance(reopened, Ledger)
    return reopened


KINDS: dict[str, Kind] = {
    "in memory": in_memory,
    "in a file": in_file,
    "scope": scope,
    "scope of a scope": scope_of_a_scope,
    "through a pickle": through_a_pickle,
    "on a server": on_a_server,
}
each_kind = pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, id=name, marks=[pytest.mark.long] * (kind is on_a_server)) for name, kind in KINDS.items()],
)


@contextmanager
def budgets(kind: Kind) -> Iterator[Make]:
    """Makes budgets of one kind, each in a file of its own, and closes them."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        made: list[AnyBudget] = []

        def make(**limits: Any) -> AnyBudget:
            budget = kind(Path(folder) / f"budget{len(made)}.db", **limits)
            made.append(budget)
            if isinstance(budget, Ledger):
                stack.callback(budget.close)
            return budget

        yield make
        for budget in made:
            assert not isinstance(budget, Ledger) or budget.verify(), "whatever a test does, the ledger stays intact"


@pytest.fixture(params=list(KINDS.values()), ids=list(KINDS))
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    with budgets(request.param) as maker:
        yield maker


def loss(epsilon: Number, delta: Number = 0, adjacency: Adjacency = ADD_REMOVE, unit: str = "") -> PrivacyLoss:
    return PrivacyLoss(epsilon, delta, adjacency=adjacency, unit=unit)


def state(budget: AnyBudget) -> tuple[object, ...]:
    """All that may be seen of a budget, and in a file also the head, which stands for every entry."""
    numbers = (budget.spent, budget.remaining, budget.limit, budget.adjacency, budget.unit)
    return (*numbers, budget.head if isinstance(budget, Ledger) else None)


def amount(epsilon: Number, delta: Number = 0) -> Amount:
    return Amount(Fraction(epsilon), Fraction(delta))


# Exact sums


@pytest.mark.parametrize("tenth", [0.1, "0.1", "1/10", Fraction(1, 10)], ids=repr)
def test_ten_tenths_exhaust_one_exactly_and_nothing_more_fits(make: Make, tenth: Number, refused: "Refused") -> None:
    budget = make(epsilon=1)
    for count in range(1, 11):
        assert budget.reserve(loss(tenth)).loss == loss("1/10")
        assert type(budget.spent.epsilon) is Fraction
        assert budget.spent == amount(Fraction(count, 10))
        assert budget.remaining == amount(1 - Fraction(count, 10))
    before = state(budget)
    for more in (tenth, "1e-100"):
        with refused(BudgetExceeded, "not enough budget", "asked epsilon", "spent epsilon 1;", "limit epsilon 1"):
            budget.reserve(loss(more))
        assert state(budget) == before
    budget.reserve(loss(0))
    assert (budget.spent, budget.remaining) == (amount(1), amount(0))


def test_delta_is_counted_and_limited_as_exactly(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=10, delta="1e-6")
    for _ in range(10):
        budget.reserve(loss("1/10", 1e-7))
    assert (budget.spent, budget.remaining) == (amount(1, "1e-6"), amount(9))
    before = state(budget)
    with refused(BudgetExceeded, "asked epsilon 0.1, delta 1e-09", "spent epsilon 1, delta 1e-06"):
        budget.reserve(loss("1/10", 1e-9))
    assert state(budget) == before
    budget.reserve(loss(9))
    assert budget.remaining == amount(0)


def test_a_budget_without_delta_pays_for_no_delta(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=1)
    before = state(budget)
    with refused(BudgetExceeded, "delta 0.001"):
        budget.reserve(loss("1/10", "0.001"))
    assert state(budget) == before
    assert budget.limit == amount(1)


fractions = st.fractions(min_value=0, max_value=1, max_denominator=50)


@each_kind
@settings(max_examples=15)
@given(charges=st.lists(st.tuples(fractions, fractions.map(lambda part: part / 100)), max_size=10))
def test_charges_add_up_and_stop_at_the_limit(kind: Kind, charges: list[tuple[Fraction, Fraction]]) -> None:
    with budgets(kind) as make:
        budget, total = make(epsilon=2, delta="1/50"), amount(0)
        for epsilon, delta in charges:
            wanted = add_amounts(total, Amount(epsilon, delta))
            fits = within(wanted.epsilon, Fraction(2)) and wanted.delta <= Fraction(1, 50)
            try:
                budget.reserve(loss(epsilon, delta))
                assert fits
                total = wanted
            except BudgetExceeded:
                assert not fits
            assert budget.spent == total


unwieldy = st.integers(1, 2**120).flatmap(
    lambda top: st.integers(2**130, 2**400).map(lambda bottom: Fraction(top, 2 * bottom + 1))
)


@each_kind
@settings(max_examples=12)
@given(charges=st.lists(st.tuples(unwieldy, unwieldy), min_size=1, max_size=12))
def test_large_denominators_are_rounded_up_never_down_and_stay_bounded(
    kind: Kind, charges: list[tuple[Fraction, Fraction]]
) -> None:
    with budgets(kind) as make:
        budget = make(epsilon=10, delta="1/2")
        paid = [budget.reserve(loss(epsilon, delta)).loss for epsilon, delta in charges]
        spent, count = budget.spent, len(charges)
        assert spent.epsilon is not None
        for total, exact, shown in (
            (spent.epsilon, sum(e for e, _ in charges), [one.epsilon or Fraction(0) for one in paid]),
            (spent.delta, sum(d for _, d in charges), [one.delta for one in paid]),
        ):
            assert exact <= sum(shown) <= total <= exact + Fraction(count, GRID)
            assert total.denominator.bit_length() <= LONGEST_DENOMINATOR + 80
        assert budget.remaining == Amount(10 - spent.epsilon, Fraction(1, 2) - spent.delta)


def test_rounding_up_starts_only_where_exact_sums_become_unwieldy(make: Make) -> None:
    budget, least = make(epsilon=10), Fraction(1, 2**255)
    budget.reserve(loss(least))
    assert budget.spent.epsilon == least
    budget.reserve(loss(Fraction(1, 3)))
    assert budget.spent.epsilon == least + Fraction(-(-GRID // 3), GRID) > least + Fraction(1, 3)
    budget.reserve(loss(Fraction(1, 2**300)))
    assert budget.spent.epsilon == least + Fraction(-(-GRID // 3) + 1, GRID)


SLOTS = [loss("1/5")] * 3 + [loss("1/4", "1/400"), loss("1/3", "1/200")]
RULES: dict[str, dict[str, Any]] = {
    "pure": {"epsilon": 1, "composition": "pure"},
    "basic": {"epsilon": 1, "delta": "1/100", "composition": "basic"},
    "zcdp": {"rho": "1/50", "delta": "1/100", "composition": "zcdp"},
    "approx": {"epsilon": 1, "delta": "1/100", "composition": "approx"},
    "slots": {"slots": SLOTS, "epsilon": "6/5", "delta": "1/100", "composition": "slots"},
}
CHARGES = [
    loss("1/10"),
    PrivacyLoss("1/10", adjacency=ADD_REMOVE, bounded_range="1/10"),
    loss("1/10", "1/1000"),
    PrivacyLoss("1/20", adjacency=ADD_REMOVE, rho="1/1000"),
    loss("1/3"),
    PrivacyLoss(None, adjacency=ADD_REMOVE, rho="1/100"),
    loss("1/4", "1/200"),
]


def test_every_rule_is_in_here() -> None:
    assert set(RULES) == set(COMPOSITIONS)


@pytest.mark.parametrize("rule", RULES)
def test_every_budget_grants_and_refuses_what_its_rule_does(make: Make, rule: str) -> None:
    budget, refusals = make(**RULES[rule]), 0
    account = Account(budget.limit, composition=COMPOSITIONS[rule], adjacency=budget.adjacency, unit=budget.unit)
    assert budget.composition == rule
    for charge in CHARGES * 2:
        try:
            after = account.charge(account.price([charge]))
        except BudgetError as refusal:
            with pytest.raises(type(refusal)):
                budget.reserve(charge)
            refusals += 1
        else:
            budget.reserve(charge)
            account = after
        assert (budget.spent, budget.remaining) == (account.spent, account.remaining)
    assert 0 < refusals < len(CHARGES) * 2


# One adjacency, one unit


def test_the_first_reservation_fixes_adjacency_and_unit(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=10)
    assert (budget.adjacency, budget.unit) == (None, None)
    with refused(BudgetExceeded, "asked epsilon 11"):
        budget.reserve(loss(11, adjacency=REPLACE))
    assert (budget.adjacency, budget.unit) == (None, None)
    budget.reserve(loss(1, adjacency=EDGE))
    assert (budget.adjacency, budget.unit) == (EDGE, "edge")
    before = state(budget)
    for other in (loss(1), loss(1, adjacency=EDGE, unit="friendship")):
        with refused(BudgetError, "'edge'", repr(other.unit)):
            budget.reserve(other)
    assert state(budget) == before


@pytest.mark.parametrize(("kept", "asked"), MIXTURES)
@pytest.mark.parametrize("given", [True, False], ids=["given", "fixed by the first"])
def test_mixtures_are_refused_without_change(
    make: Make, kept: Adjacency, asked: Adjacency, given: bool, refused: "Refused"
) -> None:
    budget = make(epsilon=10, adjacency=kept, unit="x") if given else make(epsilon=10)
    budget.reserve(loss(1, adjacency=kept, unit="x"))
    before = state(budget)
    wrong = loss("1/2", adjacency=asked, unit="x")
    for use in (
        lambda: budget.reserve(wrong),
        lambda: budget.batch([loss("1/2", adjacency=kept, unit="x"), wrong]),
        lambda: budget.quote([wrong]),
    ):
        with refused(BudgetError, kept.name, asked.name):
            use()
    assert state(budget) == before


@pytest.mark.parametrize("given", [True, False], ids=["given", "fixed by the first"])
def test_a_replace_budget_charges_add_remove_at_its_price(make: Make, given: bool) -> None:
    budget = make(epsilon=10, delta="1/2", adjacency=REPLACE) if given else make(epsilon=10, delta="1/2")
    budget.reserve(loss(0, adjacency=REPLACE))
    asked = PrivacyLoss(1, "1e-6", adjacency=ADD_REMOVE, bounded_range=1, rho="1/8")
    charged = budget.reserve(asked).loss
    assert (charged.epsilon, charged.bounded_range, charged.rho) == (Fraction(2), Fraction(2), Fraction(1, 2))
    assert (charged.adjacency, charged.unit) == (REPLACE, "row")
    steps = charged.delta * GRID
    assert steps.denominator == 1
    # (1 + e) 10^-6 lies between these two neighbours of e = 2.71828182845904523536028747135266249775724709...
    e_below = Fraction("2.71828182845904523536028747135266249775724709")
    assert Fraction(steps - 1, GRID) < (1 + e_below) / 10**6 < charged.delta
    assert budget.spent == Amount(Fraction(2), charged.delta)


def test_the_price_under_replace_is_what_is_compared_with_the_limit(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=1, adjacency=REPLACE)
    with refused(BudgetExceeded, "asked epsilon 1.2; spent epsilon 0; limit epsilon 1"):
        budget.reserve(loss("0.6"))
    budget.reserve(loss("0.5"))
    assert budget.remaining == amount(0)


def test_a_unit_that_is_given_is_kept(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=1, unit="patient")
    with refused(BudgetError, "'patient'", "'row'"):
        budget.reserve(loss("1/2"))
    assert (budget.spent, budget.adjacency, budget.unit) == (amount(0), None, "patient")
    budget.reserve(loss("1/2", unit="patient"))
    assert (budget.adjacency, budget.unit) == (ADD_REMOVE, "patient")


@pytest.mark.parametrize("unit", ["person ännchen", "x" * 100, "[bold]x[/bold]", "'; DROP TABLE entries; --"])
def test_units_are_only_text(make: Make, unit: str) -> None:
    budget = make(epsilon=1)
    assert budget.reserve(loss("1/2", unit=unit)).loss.unit == unit
    assert budget.unit == unit


# Numbers and notes


@pytest.mark.parametrize("wrong", [0, -1, "-1/2", float("nan"), float("inf"), True, "abc", "1e400"], ids=repr)
def test_a_wrong_epsilon_makes_no_budget(make: Make, wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "epsilon"):
        make(epsilon=wrong)


@pytest.mark.parametrize("wrong", [1, -0.1, float("nan"), True, False, "", "abc"], ids=repr)
def test_a_wrong_delta_makes_no_budget(make: Make, wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "delta"):
        make(epsilon=1, delta=wrong)


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), True, "abc"], ids=repr)
def test_a_wrong_epsilon_makes_no_loss_and_touches_no_budget(make: Make, wrong: Any, refused: "Refused") -> None:
    budget = make(epsilon=1)
    before = state(budget)
    with refused(ParameterError, "epsilon"):
        budget.reserve(loss(wrong))
    with refused(ParameterError, "epsilon"):
        dampen.select(TEA, sensitivity=1, epsilon=wrong, budget=budget)
    assert state(budget) == before


@pytest.mark.parametrize("wrong", [1, "1/2", None, Fraction(1), PrivacyLoss], ids=repr)
def test_only_losses_are_reserved(make: Make, wrong: Any, refused: "Refused") -> None:
    budget = make(epsilon=1)
    before = state(budget)
    with refused(ParameterError, "loss", type(wrong).__name__):
        budget.reserve(wrong)
    for losses in (wrong, [], [wrong], [loss("1/2"), wrong], iter(())):
        with refused(ParameterError, "losses"):
            budget.batch(losses)
        with refused(ParameterError, "losses"):
            budget.quote(losses)
    assert state(budget) == before


NOTES = [
    "",
    "why",
    "warum? täglich, 数据 🎉",
    "[bold red]markup[/] [/x]",
    "{0} %s $x 'quoted' \"too\"",
    "x" * LONGEST_NOTE,
]


@pytest.mark.parametrize("note", NOTES, ids=range(len(NOTES)))
def test_a_note_is_one_line_of_text_and_comes_back_as_it_is(make: Make, note: str) -> None:
    budget = make(epsilon=1)
    assert budget.reserve(loss("1/4"), note=note).note == note
    batch = budget.batch([loss("1/4")], note=note)
    assert batch.reserve(loss("1/4")).note == note


WRONG_NOTES = [
    "x" * (LONGEST_NOTE + 1),
    "a\nb",
    "a\rb",
    "\x1b[31m",
    "\0",
    "\x85",
    "\u2028",
    "\ud800",
    "\x7f",
    5,
    None,
    b"x",
]


@pytest.mark.parametrize("note", WRONG_NOTES, ids=lambda note: ascii(note)[:12])
def test_any_other_note_is_refused_without_change(make: Make, note: Any, refused: "Refused") -> None:
    budget = make(epsilon=1)
    before = state(budget)
    with refused(ParameterError, "note", str(LONGEST_NOTE)):
        budget.reserve(loss("1/4"), note=note)
    with refused(ParameterError, "note", str(LONGEST_NOTE)):
        budget.batch([loss("1/4")], note=note)
    assert state(budget) == before


@pytest.mark.parametrize("note", WRONG_NOTES, ids=lambda note: ascii(note)[:12])
def test_a_batch_refuses_such_a_note_too(note: Any, refused: "Refused") -> None:
    batch = Budget(epsilon=1).batch([loss("1/4")])
    with refused(ParameterError, "note", str(LONGEST_NOTE)):
        batch.reserve(loss("1/4"), note=note)
    assert batch.spent == amount(0)


# Pay first


def test_an_error_inside_the_block_keeps_the_charge_and_passes(make: Make) -> None:
    budget = make(epsilon=1)

    def work() -> None:
        with budget.reserve(loss("1/4")):
            assert budget.spent == amount("1/4")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()
    assert budget.spent == amount("1/4")


def test_the_charge_stands_without_entering_the_block(make: Make) -> None:
    budget = make(epsilon=1)
    reservation = budget.reserve(loss("1/4"))
    with reservation, reservation:
        pass
    assert budget.spent == amount("1/4")


def test_releases_are_paid_from_every_budget(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=1)
    for count in range(1, 5):
        assert dampen.select(TEA, sensitivity=1, epsilon="1/4", budget=budget, note="drinks") in TEA
        assert budget.spent == amount(Fraction(count, 4))
    before = state(budget)
    with refused(BudgetExceeded, "spent epsilon 1; limit epsilon 1", hidden=("tea", "coffee", "drinks")):
        dampen.select(TEA, sensitivity=1, epsilon="1/4", budget=budget, note="drinks")
    assert state(budget) == before


def test_releases_are_paid_from_every_batch(make: Make, refused: "Refused") -> None:
    problem = SelectionProblem(Frame(("a", "b"), 1, ADD_REMOVE), [3, 1])
    budget = make(epsilon=1)
    with budget.batch([loss("1/4"), loss("1/4")]) as batch:
        for _ in range(2):
            assert PermuteAndFlip("1/4").release(problem, budget=batch).value in ("a", "b")
        with refused(BudgetExceeded, "no unused slot", "epsilon 0.25"):
            PermuteAndFlip("1/4").release(problem, budget=batch)
    assert budget.spent == amount("1/2")


# Quotes and batches


def test_a_quote_is_the_price_of_reserving_and_charges_nothing(make: Make) -> None:
    budget = make(epsilon=10, delta="1/2")
    parts = [
        PrivacyLoss("1/3", "1e-6", adjacency=REPLACE, bounded_range="1/3", rho="1/72"),
        PrivacyLoss("1/7", "1e-7", adjacency=ADD_REMOVE, rho="1/800"),
    ]
    before = state(budget)
    quoted = budget.quote(parts)
    assert state(budget) == before
    assert (quoted.adjacency, quoted.unit, quoted.rho, quoted.bounded_range) == (
        REPLACE,
        "row",
        Fraction(1, 72) + Fraction(1, 200),
        None,
    )
    assert quoted.epsilon == Fraction(1, 3) + Fraction(2, 7)
    for part in parts:
        budget.reserve(part)
    assert budget.spent == quoted.amount
    assert budget.batch(iter(parts)).loss == budget.quote(iter(parts)) == quoted
    assert budget.spent == add_amounts(quoted.amount, quoted.amount)
    one = budget.quote(parts[:1])
    assert one == parts[0] == budget.reserve(parts[0]).loss


def test_a_quote_may_exceed_the_budget(make: Make) -> None:
    assert make(epsilon=1).quote([loss(3)] * 4).amount == loss(12).amount


@pytest.mark.parametrize(
    "losses",
    [[loss("1/2"), loss("1/2"), loss("1e-50")], [loss("1/4"), loss("1/4", "1/1000")], [loss("1/2", unit="x"), loss(0)]],
    ids=["too much epsilon", "delta", "units"],
)
def test_a_batch_is_reserved_whole_or_not_at_all(make: Make, losses: list[PrivacyLoss], refused: "Refused") -> None:
    budget = make(epsilon=1)
    before = state(budget)
    with refused(BudgetError):
        budget.batch(losses)
    assert state(budget) == before
    batch = budget.batch([loss("1/2")] * 2)
    assert budget.remaining == amount(0)
    assert (batch.limit, batch.spent, batch.remaining) == (amount(1), amount(0), amount(1))


def test_a_batch_hands_out_the_smallest_slot_that_covers(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=10, delta="1/10")
    slots = [loss(3), loss(1), loss(2, "1/100"), loss(2)]
    batch = budget.batch(slots)
    paid = state(budget)
    assert batch.reserve(loss("3/2")).loss == loss(2)
    assert batch.reserve(loss(2)).loss == loss(2, "1/100")
    assert (batch.spent, batch.remaining) == (amount(4, "1/100"), amount(4))
    before = (batch.spent, batch.remaining, repr(batch))
    for wrong in (loss(4), loss(1, "1/100")):
        with refused(BudgetExceeded, "no unused slot", str(Amount(wrong.epsilon, wrong.delta))):
            batch.reserve(wrong)
    for other in (loss(1, adjacency=REPLACE), loss(1, unit="patient")):
        with refused(BudgetError):
            batch.reserve(other)
    assert (batch.spent, batch.remaining, repr(batch)) == before
    assert [batch.reserve(loss(0)).loss, batch.reserve(loss(0)).loss] == [loss(1), loss(3)]
    assert (batch.spent, batch.remaining) == (amount(8, "1/100"), amount(0))
    assert state(budget) == paid


def test_a_batch_under_replace_takes_add_remove_at_its_price(make: Make, refused: "Refused") -> None:
    batch = make(epsilon=10, adjacency=REPLACE).batch([loss(1, adjacency=REPLACE)] * 2)
    with refused(BudgetExceeded, "epsilon 1.2"):
        batch.reserve(loss("0.6"))
    assert batch.reserve(loss("0.5")).loss == loss(1, adjacency=REPLACE)


def test_a_slot_never_claims_a_smaller_concentrated_loss_than_is_used(make: Make) -> None:
    """What stands in the books for a release is at least what it cost: in epsilon, in rho and in its range."""
    problem = SelectionProblem(Frame(("a", "b"), 1, ADD_REMOVE), [3, 1])
    ranged = Exponential("1/4").privacy(problem.frame)
    assert ranged.bounded_range is not None
    batch = make(epsilon=1).batch([ranged])
    cost = PermuteAndFlip("1/4").privacy(problem.frame)
    assert cost.bounded_range is None
    try:
        slot = batch.reserve(cost)
    except BudgetExceeded:
        return
    assert slot.loss.bounded_range is None


def test_unused_slots_are_lost_when_the_block_ends(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=1)

    def work() -> None:
        with batch:
            batch.reserve(loss("1/4"))
            raise ZeroDivisionError

    batch = budget.batch([loss("1/4")] * 4)
    with pytest.raises(ZeroDivisionError):
        work()
    with refused(BudgetExceeded, "no unused slot"):
        batch.reserve(loss("1/4"))
    assert batch.spent == amount("1/4")
    assert (budget.spent, budget.remaining) == (amount(1), amount(0))


def test_nothing_remains_of_a_closed_batch() -> None:
    with Budget(epsilon=1).batch([loss("1/4")] * 4) as batch:
        batch.reserve(loss("1/4"))
    assert batch.remaining == amount(0)


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy])
def test_a_copy_of_a_batch_is_the_batch(make: Make, clone: Callable[[Batch], Batch]) -> None:
    batch = make(epsilon=1).batch([loss("1/4")])
    assert clone(batch) is batch


@pytest.mark.parametrize("protocol", [0, 2, pickle.HIGHEST_PROTOCOL])
def test_a_batch_cannot_be_pickled(make: Make, protocol: int, refused: "Refused") -> None:
    batch = make(epsilon=1).batch([loss("1/4")])
    with refused(BudgetError, "batch", "process"):
        pickle.dumps(batch, protocol)


def test_a_batch_is_not_used_in_a_forked_child(make: Make, monkeypatch: pytest.MonkeyPatch, refused: "Refused") -> None:
    batch = make(epsilon=1).batch([loss("1/4")])
    home = os.getpid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: home + 1)
        with refused(BudgetError, "batch", "fork"):
            batch.reserve(loss("1/4"))
    assert batch.reserve(loss("1/4")).loss == loss("1/4")


# Answers that are kept


@pytest.mark.parametrize("remember", [True, False])
def test_an_answer_comes_back_for_nothing_where_answers_are_kept(make: Make, remember: bool) -> None:
    budget = make(epsilon=1, remember=remember)
    assert budget.remembers is remember
    assert budget.recall("median of pay") is None
    budget.reserve(loss(1))
    budget.keep("median of pay", '{"value": 7}')
    spent = state(budget)
    assert [budget.recall("median of pay") for _ in range(2)] == [('{"value": 7}' if remember else None)] * 2
    assert state(budget) == spent
    assert budget.recall("median of age") is None


def test_a_budget_keeps_no_answers_unless_told(make: Make) -> None:
    budget = make(epsilon=1)
    before = state(budget)
    budget.keep("median of pay", "7")
    assert (budget.remembers, budget.recall("median of pay"), state(budget)) == (False, None, before)


def test_the_first_answer_to_a_question_stays(make: Make) -> None:
    budget = make(epsilon=1, remember=True)
    budget.keep("median of pay", "7")
    before = state(budget)
    budget.keep("median of pay", "8")
    assert (budget.recall("median of pay"), state(budget)) == ("7", before)


ALIKE = [
    "",
    " ",
    "median of pay",
    "Median of pay",
    "median of pay ",
    "größe",
    "gro\u0308ße",
    "%",
    "'; DROP TABLE x; --",
]
LENGTHY = "x" * (LONGEST_KEPT // 2)


@each_kind
@settings(max_examples=20)
@given(
    kept=st.dictionaries(st.sampled_from(ALIKE), st.sampled_from(["", "7", "8"])),
    asked=st.lists(st.sampled_from(ALIKE)),
)
def test_answers_are_found_by_exactly_the_same_words(kind: Kind, kept: dict[str, str], asked: list[str]) -> None:
    with budgets(kind) as make:
        budget = make(epsilon=1, remember=True)
        for key, answer in kept.items():
            budget.keep(key, answer)
        assert [budget.recall(key) for key in asked] == [kept.get(key) for key in asked]


def test_long_questions_are_told_apart_and_too_long_answers_are_not_kept(make: Make) -> None:
    budget = make(epsilon=1, remember=True)
    for end, answer in (("a", "7"), ("b", "8"), ("c", LENGTHY[:-1]), ("d", LENGTHY)):
        budget.keep(LENGTHY + end, answer)
    assert [budget.recall(LENGTHY + end) for end in "abcd"] == ["7", "8", LENGTHY[:-1], None]


@pytest.mark.parametrize("wrong", [None, 7, b"x", ["x"], "a\nb", "\0", "\ud800"], ids=ascii)
def test_questions_and_answers_are_lines_of_text(make: Make, wrong: Any, refused: "Refused") -> None:
    budget = make(epsilon=1, remember=True)
    before = state(budget)
    with refused(ParameterError, "key must be one line of text"):
        budget.recall(wrong)
    with refused(ParameterError, "key must be one line of text"):
        budget.keep(wrong, "7")
    with refused(ParameterError, "answer must be one line of text"):
        budget.keep("median of pay", wrong)
    assert (state(budget), budget.recall("median of pay")) == (before, None)


@pytest.mark.parametrize("wrong", ["yes", 1, [True]], ids=repr)
def test_remember_is_true_or_false(make: Make, wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "remember must be True or False"):
        make(epsilon=1, remember=wrong)


def test_threads_that_keep_an_answer_agree_on_one(make: Make) -> None:
    budget = make(epsilon=1, remember=True)
    barrier, lock, told, seen = threading.Barrier(8), threading.Lock(), iter("abcdefgh"), list[str | None]()

    def keep() -> None:
        with lock:
            own = next(told)
        barrier.wait(timeout=60)
        budget.keep("median of pay", own)
        seen.append(budget.recall("median of pay"))

    run_together(keep)
    assert len(seen) == 8
    assert set(seen) == {budget.recall("median of pay")}
    assert seen[0] is not None


# Receipts


def test_every_release_carries_the_receipt_of_its_own_charge(make: Make) -> None:
    budget = make(epsilon=10, delta="1/100")
    drink = partial(dampen.select, TEA, sensitivity=1, epsilon="1/4")
    releases = [drink(budget=budget, note=f"drink {turn}") for turn in range(3)]
    with budget.batch([loss("1/4")] * 2, note="each") as each, budget.batch([loss("1/4")] * 2, delta="1/1000") as one:
        releases += [drink(budget=payer) for payer in (each, each, one, one)]
    before = state(budget)
    certificates = [release.certificate().as_dict() for release in releases]
    assert state(budget) == before
    if not isinstance(budget, Ledger):
        assert [release.receipt for release in releases] == [None] * 7
        assert not any("privacy_budget" in told for told in certificates)
        return
    entries = {entry.number: entry for entry in budget.history()}
    charges = [number for number, entry in entries.items() if entry.kind == "charge"]
    assert [told["privacy_budget"]["entry"] for told in certificates] == [*charges, charges[-1]]
    for told in certificates:
        number, head = told["privacy_budget"]["entry"], told["privacy_budget"]["head"]
        assert head == f"{number}:{entries[number].hash}"
        assert budget.verify(head=head)
    assert [entries[number].note for number in charges] == ["drink 0", "drink 1", "drink 2", "each", "each", ""]


# Shared, never copied


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy])
def test_a_copy_is_the_same_budget(make: Make, clone: Callable[[Any], Any]) -> None:
    budget = make(epsilon=1)
    assert clone(budget) is budget
    assert clone([budget, budget])[1] is budget


@pytest.mark.parametrize("protocol", [0, 2, pickle.HIGHEST_PROTOCOL])
def test_a_pickle_spends_from_the_same_budget(make: Make, protocol: int) -> None:
    budget = make(epsilon=1)
    other = pickle.loads(pickle.dumps(budget, protocol))
    other.reserve(loss("1/4"))
    assert budget.spent == other.spent == amount("1/4")
    assert (other.limit, other.remaining) == (budget.limit, budget.remaining)
    if isinstance(other, Ledger):
        other.close()


def test_threads_never_overspend(make: Make) -> None:
    budget = make(epsilon=2)
    barrier, paid, refusals = threading.Barrier(8), [], []

    def spend() -> None:
        barrier.wait(timeout=60)
        for _ in range(5):
            try:
                paid.append(budget.reserve(loss("1/10")))
            except BudgetExceeded:
                refusals.append(1)

    run_together(spend)
    assert (len(paid), len(refusals)) == (20, 20)
    assert (budget.spent, budget.remaining) == (amount(2), amount(0))


def test_threads_never_share_a_slot(make: Make) -> None:
    batch = make(epsilon=2).batch([loss("1/10")] * 20)
    barrier, taken, refusals = threading.Barrier(8), [], []

    def use() -> None:
        barrier.wait(timeout=60)
        for _ in range(5):
            try:
                taken.append(id(batch.reserve(loss("1/10"))))
            except BudgetExceeded:
                refusals.append(1)

    run_together(use)
    assert (len(taken), len(refusals)) == (20, 20)
    assert batch.spent == amount(2)


def run_together(action: Callable[[], None]) -> None:
    threads = [threading.Thread(target=action) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)


# What is shown


def test_printing_shows_spent_and_limit_and_no_note(make: Make) -> None:
    budget = make(epsilon=1, delta="1/1000")
    budget.reserve(loss("1/4", "1/2000"), note="secret purpose")
    shown = repr(budget)
    assert str(budget) == shown
    assert "spent: epsilon 0.25 of 1, delta 0.0005 of 0.001)" in shown
    assert "secret" not in shown
    if isinstance(budget, Ledger):
        assert repr(budget.name) in shown
        assert str(Path(budget._store.address).parent) not in shown
    batch = budget.batch([loss("1/8")] * 3, note="secret purpose")
    batch.reserve(loss("1/8"))
    assert repr(batch) == str(batch) == "Batch(2 of 3 slots left)"


def test_a_refusal_stays_short_however_long_the_fractions(make: Make, refused: "Refused") -> None:
    budget = make(epsilon="0." + "1" * 190, delta="0." + "1" * 190)
    for prime in (2, 3, 5, 7, 11, 13, 17, 19):
        budget.reserve(loss(Fraction(1, prime * 10**60 + 1), Fraction(1, prime * 10**61 + 1)), note="secret purpose")
    folder = str(Path(budget._store.address).parent) if isinstance(budget, Ledger) else "secret"
    with refused(BudgetExceeded, "asked", "spent", "limit", hidden=("secret", folder)):
        budget.reserve(loss(2, "1/2"), note="secret purpose")


def test_a_refusal_stays_short_however_long_the_unit(make: Make, refused: "Refused") -> None:
    budget = make(epsilon=1)
    budget.reserve(loss("1/4"))
    with refused(BudgetError, "'row'"):
        budget.reserve(loss("1/4", unit="x" * 100))


def test_every_budget_is_what_a_mechanism_needs(make: Make) -> None:
    budget = make(epsilon=1)
    wanted = {name for name in vars(BudgetLike) if not name.startswith("_")}
    assert wanted == {"reserve"}
    for each in (budget, budget.batch([loss("1/4")])):
        assert wanted <= set(dir(each))
