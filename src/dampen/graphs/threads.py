"""Long counts in threads: parts handed out one by one, a bar after a second, an ear for interrupts."""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event, Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dampen._validate import whole

Part = TypeVar("Part")

Halt = NDArray[np.uint8]
"""One number, 0 until a count is given up: compiled code that may take long looks at it, and then ends at once."""

PATIENCE = 1.0
"""Seconds before a bar is shown."""


def as_threads(threads: int | None) -> int:
    """How many threads to use: all the processors that this process may use, unless said otherwise."""
    if threads is not None:
        return whole(threads=threads, least=1)
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def new_halt() -> Halt:
    """A number for :func:`run_parts` to set, and for compiled code to look at."""
    return np.zeros(1, dtype=np.uint8)


def run_parts(
    worker: Callable[[], Callable[[Part], Iterable[None] | None]],
    parts: Sequence[Part],
    *,
    threads: int,
    title: str,
    halt: Halt | None = None,
) -> None:
    """Hand out parts of a count, in order, to threads that take the next one when they are done.

    ``worker`` is called once in each thread and returns what counts one part, with memory of its own. A part that takes
    long is counted by an iterator, one piece for each step, or looks at ``halt``. After an error or an interrupt no
    thread takes another part or piece, and ``halt`` is set.
    """
    waiting, lock, stop = iter(parts), Lock(), Event()
    done: list[Part] = []

    def give_up() -> None:
        stop.set()
        if halt is not None:
            halt[0] = 1

    def run() -> None:
        try:
            count = worker()
            while not stop.is_set():
                with lock:
                    part = next(waiting, stop)
                if isinstance(part, Event):
                    break
                for _ in count(part) or ():
                    if stop.is_set():
                        return
                done.append(part)
        except BaseException:
            give_up()
            raise

    with ThreadPoolExecutor(max(1, min(threads, len(parts)))) as pool:
        running = [pool.submit(run) for _ in range(min(threads, len(parts)))]
        try:
            _watch(running, done, len(parts), title)
        except BaseException:
            give_up()
            raise
    for future in running:
        future.result()


def _watch(running: list[Future[None]], done: Sequence[Any], total: int, title: str) -> None:
    """Wait for all; from the first second on with a bar, if someone is there to see it."""
    if not wait(running, timeout=PATIENCE).not_done:
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(title, total=total)
        while wait(running, timeout=0.1).not_done:
            bar.update(task, completed=len(done))
