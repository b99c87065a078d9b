"""What selection mechanisms share beyond the contract: who pays, what a charge buys, how groups are drawn."""

import traceback
from contextlib import AbstractContextManager, nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, Frame, PrivacyLoss, Runs, SelectionProblem
from dampen.errors import ParameterError, ReleaseFailed
from dampen.mechanisms import Exponential, PermuteAndFlip, SelectionMechanism
from dampen.mechanisms.selection.base import LATTICE, ROUNDING_SHARE
from dampen.privacy import Amount

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE = Adjacency.ADD_REMOVE
FRAME = Frame(("a", "b", "c"), bound=1, adjacency=ADD_REMOVE)
PROBLEM = SelectionProblem(FRAME, [3, 1, 0])


class Purse:
    """Somebody else's budget: it only writes down what it is asked for."""

    limit = spent = remaining = Amount(Fraction(1), Fraction(0))

    def __init__(self) -> None:
        self.asked: list[tuple[PrivacyLoss, str]] = []

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        self.asked.append((loss, note))
        return nullcontext()


def test_whoever_can_reserve_may_pay() -> None:
    purse = Purse()
    release = PermuteAndFlip("1/3").release(PROBLEM, budget=purse, note="drinks")
    assert purse.asked == [(PrivacyLoss("1/3", adjacency=ADD_REMOVE), "drinks")]
    assert release.note == "drinks"


@pytest.mark.parametrize("budget", [None, 1, "1/2", Amount(Fraction(1), Fraction(0))], ids=repr)
def test_whoever_cannot_may_not(budget: Any, refused: "Refused") -> None:
    with refused(ParameterError, "budget", type(budget).__name__):
        PermuteAndFlip(1).release(PROBLEM, budget=budget)


def test_a_mechanism_without_its_parts_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        SelectionMechanism(1)  # type: ignore[abstract]


def test_the_lattice_is_paid_for() -> None:
    """Four lattice steps, two on either side of the loss, are what the reduced rate leaves over."""
    assert 4 * LATTICE <= ROUNDING_SHARE


@pytest.mark.parametrize("size", [-1, 1.0, None, True])
def test_simulate_draws_a_whole_number_of_times(size: Any, refused: "Refused") -> None:
    with refused(ParameterError, "size", repr(size)):
        PermuteAndFlip(1).simulate(PROBLEM.as_public(), np.random.default_rng(0), size=size)
    assert PermuteAndFlip(1).simulate(PROBLEM.as_public(), np.random.default_rng(0), size=0).tolist() == []


def test_simulate_is_reproducible_by_its_generator() -> None:
    draws = [PermuteAndFlip("1/2").simulate(PROBLEM.as_public(), np.random.default_rng(7), size=50) for _ in range(2)]
    assert draws[0].tolist() == draws[1].tolist()
    assert draws[0].dtype == np.int64


def test_simulate_places_the_members_of_runs_by_unrank() -> None:
    runs = Runs([100, 0], [3, 3], unrank=lambda group, member: 2 * member + group)
    problem = SelectionProblem(Frame(range(6), 1, ADD_REMOVE), runs).as_public()
    picks = Exponential(1).simulate(problem, np.random.default_rng(0), size=500)
    assert set(picks.tolist()) == {0, 2, 4}


def test_simulate_says_in_one_line_that_indices_beyond_64_bits_do_not_fit(refused: "Refused") -> None:
    class Many:
        total = 2**70

        def __len__(self) -> int:
            raise OverflowError

        def __getitem__(self, index: int) -> int:
            return index

    candidates: Any = Many()
    problem = SelectionProblem(Frame(candidates, 1, ADD_REMOVE), Runs([1], [2**70])).as_public()
    with refused(ParameterError, "2**6"):
        Exponential(1).simulate(problem, np.random.default_rng(0), size=1)


def test_a_failing_unrank_is_a_failed_release_without_its_reason() -> None:
    def unrank(group: int, member: int) -> int:
        raise ValueError("secret")

    problem = SelectionProblem(FRAME, Runs([5], [3], unrank=unrank))
    budget = Budget(epsilon=1)
    with pytest.raises(ReleaseFailed) as caught:
        PermuteAndFlip("1/4").release(problem, budget=budget)
    assert "secret" not in str(caught.value)
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    assert budget.spent.epsilon == Fraction(1, 4)


def test_an_interrupt_passes_and_keeps_the_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("dampen.entropy.system_entropy", interrupted)
    budget = Budget(epsilon=1)
    with pytest.raises(KeyboardInterrupt):
        PermuteAndFlip("1/4").release(PROBLEM, budget=budget)
    assert budget.spent.epsilon == Fraction(1, 4)
