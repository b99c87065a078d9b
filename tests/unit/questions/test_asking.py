"""While a question is put together: what can pay is looked at first, and nothing leaves that tells of the data."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import dampen
from dampen import Budget
from dampen.errors import DampenError, DataError, EngineError, ParameterError
from dampen.privacy import PrivacyLoss
from dampen.questions.record import asking

if TYPE_CHECKING:
    from tests.conftest import Refused


@contextmanager
def raising(error: type[DampenError]) -> Iterator[None]:
    """The error that leaves says nothing, and no traceback shows what is behind it."""
    with pytest.raises(error) as caught:
        yield
    assert "4711" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("mishap", [ValueError, TypeError, OverflowError, RuntimeError, RecursionError, AssertionError])
def test_whatever_goes_wrong_is_an_error_of_the_data(mishap: type[Exception]) -> None:
    with raising(DataError) as _, asking(Budget(epsilon=1), "why"):
        raise mishap("4711")


def test_the_curator_finds_the_reason() -> None:
    with pytest.raises(DataError, match="__context__") as caught, asking(Budget(epsilon=1), "why"):
        raise ValueError("4711")
    assert str(caught.value.__context__) == "4711"


def test_too_little_memory_is_no_fault_of_the_data() -> None:
    with raising(EngineError), asking(Budget(epsilon=1), "why"):
        raise MemoryError("4711")


def test_errors_of_dampen_leave_as_they_are_but_without_what_is_behind_them() -> None:
    rule = ParameterError("k must be 1")
    with raising(ParameterError), asking(Budget(epsilon=1), "why"):
        try:
            raise ValueError("4711")
        except ValueError as error:
            raise rule from error


def test_an_interrupt_is_one() -> None:
    with pytest.raises(KeyboardInterrupt), asking(Budget(epsilon=1), "why"):
        raise KeyboardInterrupt


def test_numbers_beyond_all_floats_are_not_warned_of() -> None:
    with asking(Budget(epsilon=1), "why"):
        assert np.isinf(np.array([1e300]) * 1e300)


class Raising:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("4711")


@pytest.mark.parametrize("budget", [None, 1, {"reserve": 1}, Budget, Raising()], ids=lambda value: type(value).__name__)
def test_somebody_must_be_able_to_pay_before_any_data_is_read(budget: Any, refused: "Refused") -> None:
    with refused(ParameterError, "budget must be a dampen.Budget; got", hidden=("4711",)), asking(budget, "why"):
        pytest.fail("data is read")


@pytest.mark.parametrize("note", [None, 5, "a\nb", "x" * 100_000, ["why"]])
def test_the_note_is_looked_at_before_any_data_is_read(note: Any, refused: "Refused") -> None:
    with refused(ParameterError, "note must be one line of text"), asking(Budget(epsilon=1), note):
        pytest.fail("data is read")


class Payer:
    """A budget of somebody else's."""

    limit = spent = remaining = Budget(epsilon=1).limit

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> Any:
        raise LookupError("the purse is at home")


def test_what_another_budget_raises_is_its_own() -> None:
    with pytest.raises(LookupError, match="at home"):
        dampen.count([1, 2], epsilon=1, budget=Payer())
