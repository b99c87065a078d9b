"""Parts in threads: each is done once, errors and interrupts stop the rest, and a bar shows on terminals only."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from dampen.graphs import threads as graph_threads
from dampen.graphs.threads import as_threads, run_parts


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 100])
def test_every_part_is_counted_once(threads: int, count: int) -> None:
    done: list[int] = []
    workers: list[int] = []

    def worker() -> Callable[[int], None]:
        workers.append(threading.get_ident())
        return done.append

    run_parts(worker, range(count), threads=threads, title="")
    assert sorted(done) == list(range(count))
    assert len(workers) == min(threads, count)


def test_an_error_stops_all_threads_and_comes_out() -> None:
    done: list[int] = []

    def count(part: int) -> None:
        if part == 3:
            raise MemoryError
        time.sleep(0.001)
        done.append(part)

    with pytest.raises(MemoryError):
        run_parts(lambda: count, range(10_000), threads=2, title="")
    assert len(done) < 100


def test_an_interrupt_is_heard_between_two_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[int] = []

    def interrupted(_: Any, timeout: float) -> None:
        raise KeyboardInterrupt

    def count(part: int) -> None:
        time.sleep(0.001)
        done.append(part)

    monkeypatch.setattr(graph_threads, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_parts(lambda: count, range(10_000), threads=2, title="")
    assert len(done) < 100


@pytest.mark.parametrize(("seen", "patience"), [(True, 0.0), (False, 0.0), (True, 60.0)])
def test_a_bar_after_a_while_on_a_terminal(
    seen: bool, patience: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(graph_threads, "PATIENCE", patience)
    monkeypatch.setenv("TTY_COMPATIBLE", "1" if seen else "0")
    run_parts(lambda: lambda part: time.sleep(0.05), range(6), threads=1, title="counting on")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("counting on" in captured.err) == (seen and patience == 0)
    assert seen or captured.err == ""


def test_all_processors_are_used_unless_told_otherwise() -> None:
    assert as_threads(None) >= 1
    assert as_threads(3) == 3
