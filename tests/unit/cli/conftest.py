"""The command takes the signals of its process over; where tests call it in theirs, they get them back."""

import signal
from collections.abc import Iterator

import pytest

from dampen.cli import interrupts


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    numbers = (*interrupts.SIGNALS, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)
