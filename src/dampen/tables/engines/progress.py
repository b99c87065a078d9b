"""Who is told how far a long scan has come: nobody, unless a caller asks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread

EVERY = 0.2
"""Seconds between two looks."""

Share = float | None
"""Percent of a scan; None while it runs and nobody can tell how far it is."""

_listener: ContextVar[Callable[[Share], None] | None] = ContextVar("listener", default=None)


@contextmanager
def tell_progress(listener: Callable[[Share], None]) -> Iterator[None]:
    """Tell ``listener`` how far each scan has come while the block runs.

    The share of a table that was read is no secret; nothing else is told.
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def share_progress(place: int, count: int) -> Iterator[None]:
    """The scan within is one of several that count as one."""
    listener = _listener.get()
    if listener is None:
        yield
        return

    def tell_share(share: Share) -> None:
        listener(None if share is None else (100 * place + share) / count)

    with tell_progress(tell_share):
        yield


def is_watched() -> bool:
    """Whether anybody is told."""
    return _listener.get() is not None


@contextmanager
def watch(look: Callable[[], Share]) -> Iterator[None]:
    """While a scan runs in this thread, look from another how far it is."""
    listener = _listener.get()
    if listener is None:
        yield
        return
    done = Event()

    # the scan holds this thread inside the database until it ends, so another has to look
    def tell() -> None:
        while not done.wait(EVERY):
            listener(look())

    watcher = Thread(target=tell, daemon=True)
    watcher.start()
    try:
        yield
        listener(100.0)
    finally:
        done.set()
        watcher.join()
