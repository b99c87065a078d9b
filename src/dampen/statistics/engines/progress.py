"""Who is told how far a long scan has come: nobody, unless a caller asks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread
from typing import Any

EVERY = 0.2
"""Seconds between two looks."""

_listener: ContextVar[Callable[[float], None] | None] = ContextVar("listener", default=None)


@contextmanager
def told(listener: Callable[[float], None]) -> Iterator[None]:
    """Tell ``listener`` how far each scan has come, in percent, while the block runs.

    The share of a file that was read is no secret; nothing else is told.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def watched(connection: Any) -> Iterator[None]:
    """Look at a query of DuckDB while it runs in this thread."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    done = Event()

    def look() -> None:
        while not done.wait(EVERY):
            listener(max(0.0, float(connection.query_progress())))

    watcher = Thread(target=look, daemon=True)
    connection.execute("set enable_progress_bar = true; set enable_progress_bar_print = false")
    watcher.start()
    try:
        yield
        listener(100.0)
    finally:
        done.set()
        watcher.join()
        connection.execute("set enable_progress_bar = false")
