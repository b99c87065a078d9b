"""Stores that keep a connection: one each, made when needed, and never carried across a fork."""

import os
import threading
import weakref
from abc import abstractmethod

from dampen.accounting.store import Store

opening = threading.Lock()
"""Held while a connection is made or a file is looked at: a fork waits for it."""

_stores: "weakref.WeakSet[ConnectedStore]" = weakref.WeakSet()
_forking = threading.Lock()
_held: "list[ConnectedStore]" = []


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
    for each in list(_stores):
        each._lock.acquire()
        each._disconnect()
        _held.append(each)
    opening.acquire()


def _after_fork() -> None:
    opening.release()
    while _held:
        _held.pop()._lock.release()
    _forking.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
