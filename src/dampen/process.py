"""Which process this is. After a fork the child is another one, whatever number the system gives it."""

import os

_forks = 0


def this_process() -> tuple[int, int]:
    """How many forks led here, and the system's number: never those of a process that this one was forked from.

    The number alone would not do: where a child is the first process of a new namespace, its parent may have been the
    first of an older one, and both are number 1. The forks alone would not do either: C code may fork unseen.
    """
    return _forks, os.getpid()


def _count_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)
