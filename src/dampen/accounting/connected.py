"""Stores that keep a connection: one each, made when needed, and never carried across a fork."""

import os
import threading
import time
import weakref
from abc import abstractmethod

from dampen.accounting.store import Store

opening = threading.Lock()
"""Held while a connection is made or a file is looked at: a fork waits for it."""

_stores: "weakref.WeakSet[ConnectedStore]" = weakref.WeakSet()
_forking = threading.Lock()
_held: "list[ConnectedStore]" = []
TURN, PAUSE = 1.0, 0.01
"""Seconds that a fork waits for one store while it holds others, and lets them go."""


class ConnectedStore(Store):
    """A store with one connection for all threads, which is closed before a fork on both sides of it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        with _forking:
            _stores.add(self)

    @abstractmethod
    def _disconnect(self) -> None:
        """Close the connection, where there is one."""

    def close(self) -> None:
        """Close the connection; it is made again when needed."""
        with self._lock:
            self._disconnect()

    def __del__(self) -> None:
        self._disconnect()


def _before_fork() -> None:
    """No connection may cross a fork: its locks would belong to nobody. Wait for transactions to end, then close."""
    _forking.acquire()
    while not _hold_all():
        time.sleep(PAUSE)
    for each in _held:
        each._disconnect()
    opening.acquire()


def _hold_all() -> bool:
    """Take the lock of every store, or none: whoever copies a ledger holds one and waits for another."""
    for each in list(_stores):
        if not each._lock.acquire(timeout=TURN):
            _let_go()
            return False
        _held.append(each)
    return True


def _let_go() -> None:
    while _held:
        _held.pop()._lock.release()


def _after_fork() -> None:
    opening.release()
    _let_go()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
