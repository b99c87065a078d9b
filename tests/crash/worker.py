"""A process that has imported everything once and forks a child for each task, so that a child starts in milliseconds.

Run as ``python -m tests.crash.worker``. It reads one JSON list a line: ``["start", task, arguments]`` is answered with
the child's process id, ``["wait", id]`` with its exit status (negative: the signal that ended it).
"""

import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import Any

import dampen
from tests.crash import forking, tasks

LONGEST_TASK = 300
"""Seconds; a child that works so long has hung."""


def warm_up() -> None:
    """Load what is loaded late, before rights are dropped and disks fill up."""
    dampen.select({"tea": 1, "coffee": 2}, sensitivity=1, epsilon=1, budget=dampen.Budget(epsilon=1))
    with suppress(ImportError):
        import_module("dampen.accounting.postgres_tables")


def start(name: str, arguments: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    signal.alarm(LONGEST_TASK)
    try:
        task = getattr(tasks, name, None) or getattr(forking, name)
        task(**arguments)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def wait(child: int) -> int:
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    warm_up()
    for line in sys.stdin:
        order, *rest = json.loads(line)
        print(start(*rest) if order == "start" else wait(*rest), flush=True)


if __name__ == "__main__":
    main()
