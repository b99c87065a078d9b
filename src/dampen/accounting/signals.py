"""Signals wait while a ledger is inside a transaction.

Python raises ``KeyboardInterrupt`` between any two steps, also between ``BEGIN`` and the ``try`` that would end what
was begun. A transaction that is left open by it keeps every other process waiting. So within ``delay_signals`` a signal
is noted and delivered at the end, or where a long work calls ``let_signals_in``; none is lost.
"""

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM") if hasattr(signal, name)
)  # fmt: skip
"""Those whose handlers often raise an error."""

_handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
"""What was to be called in place of ``_note``."""
_waiting: list[int] = []
_depth = 0
_forks_in_main = True


def delay_signals() -> "Delay":
    """Within, signals wait for the end. Python calls handlers in the main thread alone; elsewhere nothing happens."""
    return Delay()


class Delay:
    """See ``delay_signals``. No generator: an interrupt could strike between its ``yield`` and the block."""

    def __enter__(self) -> None:
        global _depth
        self._is_main = threading.current_thread() is threading.main_thread()
        if not self._is_main:
            return
        for number in SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler) and handler is not _note:
                _handlers[number] = handler
                signal.signal(number, _note)
        # The last step: before it a signal is handed on and may raise an error here, after it none does.
        _depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        global _depth
        if not self._is_main:
            return
        _depth -= 1
        if not _depth:
            # An error out of a handler may leave this loop early. ``_note`` then stays in place, and hands signals on.
            for number in SIGNALS:
                if signal.getsignal(number) is _note:
                    signal.signal(number, _handlers[number])
            while _waiting:
                signal.raise_signal(_waiting.pop())


def let_signals_in() -> None:
    """Deliver what waits; for long work between steps at which it may end."""
    if _waiting and threading.current_thread() is threading.main_thread():
        number = _waiting.pop()
        _handlers[number](number, None)


def _note(number: int, frame: FrameType | None) -> None:
    if not _depth:
        _handlers[number](number, frame)
    elif number not in _waiting:
        _waiting.append(number)


def _before_fork() -> None:
    global _forks_in_main
    _forks_in_main = threading.current_thread() is threading.main_thread()


def _in_child() -> None:
    """What the parent was told is not for the child; and no block of a thread that the child lacks will ever end."""
    global _depth
    _waiting.clear()
    if not _forks_in_main and _depth:
        _depth = 0
        for number, handler in _handlers.items():
            if signal.getsignal(number) is _note:
                signal.signal(number, handler)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)
