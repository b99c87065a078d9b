"""Calls into a database that hear no signals, made in a thread beside the one that waits for them."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TypeVar

Found = TypeVar("Found")

EVERY = 0.1
"""Seconds between two looks whether somebody wants to stop, where a wait cannot be interrupted (Windows)."""


class Aside:
    """One thread, which makes call after call. ``stop`` makes the present one end soon, if anything can.

    It holds whatever its calls hold until they have ended, even if nobody waits for them any more.
    """

    def __init__(self, stop: Callable[[], None] | None = None) -> None:
        self._pool, self._stop = ThreadPoolExecutor(1), stop

    def run(self, call: Callable[[], Found]) -> Found:
        """What a call returns. After an interrupt it is stopped and waited for, or left alone if nothing stops it."""
        running = self._pool.submit(call)
        try:
            while wait([running], timeout=EVERY).not_done:
                pass
        except BaseException:
            if self._stop is not None:
                self._stop()
                wait([running])
            raise
        return running.result()

    def leave(self, call: Callable[[], object]) -> None:
        """Make a call after all others. Nobody waits for it."""
        self._pool.submit(call)

    def attempt(self, call: Callable[[], object], *, patience: float) -> bool:
        """Make a call after all others; whether it ended within so many seconds. If not begun by then, it never is."""
        running = self._pool.submit(call)
        ended = not wait([running], timeout=patience).not_done
        running.cancel()
        return ended

    def close(self) -> None:
        """No call comes any more; those that were left are still made."""
        self._pool.shutdown(wait=False)


@contextmanager
def open_aside(stop: Callable[[], None] | None = None) -> Iterator[Aside]:
    """A thread for the calls of a block; it starts with the first."""
    aside = Aside(stop)
    try:
        yield aside
    finally:
        aside.close()
