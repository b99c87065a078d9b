"""Helpers for every test: how a refusal must look, a budget that must stay whole, a process of one's own."""

import gc
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

import pytest
from hypothesis import settings

from dampen.accounting import Budget
from dampen.errors import DampenError

LONGEST_MESSAGE = 300
"""Every refusal is one line shorter than this."""

settings.register_profile("all examples", deadline=None, derandomize=True)
settings.register_profile("some examples", settings.get_profile("all examples"), max_examples=40)
settings.load_profile("all examples")


def pytest_configure(config: pytest.Config) -> None:
    """Fewer random examples in the default run, where a test does not say how many; all of them with full counts."""
    gc.disable()  # nothing that is collected is garbage, and to walk through it takes a quarter of the time
    if "not long" in config.getoption("markexpr"):
        settings.load_profile("some examples")


def pytest_collection_finish() -> None:
    """The garbage collector passes over all tests from now on."""
    gc.freeze()
    gc.enable()


class Refused(Protocol):
    """``with refused(ParameterError, "epsilon"): ...`` demands one short line that shows this and hides that."""

    def __call__(
        self, error: type[DampenError], *shown: str, hidden: tuple[str, ...] = ()
    ) -> AbstractContextManager[None]: ...


class RunPython(Protocol):
    """Runs a script in a fresh Python process."""

    def __call__(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def refused() -> Refused:
    @contextmanager
    def expect(error: type[DampenError], *shown: str, hidden: tuple[str, ...] = ()) -> Iterator[None]:
        with pytest.raises(error) as caught:
            yield
        message = str(caught.value)
        assert message.splitlines() == [message], "a refusal is one line"
        assert len(message) < LONGEST_MESSAGE
        assert [part for part in shown if part not in message] == [], message
        assert [part for part in hidden if part in message] == [], message

    return expect


@pytest.fixture
def untouched() -> Iterator[Budget]:
    """A budget that must not be spent, nor bound to an adjacency or a unit, by the test that asks for it."""
    budget = Budget(epsilon=10)
    yield budget
    assert budget.spent.epsilon == 0
    assert budget.spent.delta == 0
    assert budget.adjacency is None
    assert budget.unit is None


@pytest.fixture
def run_python() -> RunPython:
    def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)

    return run
