"""Computes reproductions: cell by cell, on several cores, from where an interrupted run stopped."""

import os
import signal
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import NoReturn

from rich.progress import Progress

from experiments import data
from experiments.pictures import mark_as_stand_in, pyplot, save
from experiments.reproduction import Cell, Reproduction, Row, rounded
from experiments.results import Held, Unfinished, csv_path, finished, read_csv, wanted, write_csv


def compute(reproduction: Reproduction, folder: Path, *, jobs: int = 1, progress: Progress | None = None) -> bool:
    """Write the CSV file, unless a finished one has the same parameters. Returns whether anything was computed."""
    kind = data.source(reproduction.needs)
    if finished(folder, reproduction, kind):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    cells, unfinished = list(reproduction.cells()), Unfinished(folder, reproduction, kind)
    done = unfinished.read()
    unfinished.start(done)
    bar = None if progress is None else progress.add_task(reproduction.id, total=len(cells), completed=len(done))
    with closing(_measured(reproduction, [cell for cell in cells if cell not in done], jobs)) as measured:
        for cell, rows in measured:
            unfinished.add(cell, rows)
            done[cell] = rows
            if progress is not None and bar is not None:
                progress.update(bar, advance=1)
    losses = {name: rounded(value) for name, value in reproduction.losses().items()}
    held = Held(wanted(reproduction, kind), losses, [row for cell in cells for row in done[cell]])
    write_csv(csv_path(folder, reproduction), held)
    unfinished.path.unlink()
    return True


def _measured(
    reproduction: Reproduction, cells: Iterable[Cell], jobs: int
) -> Generator[tuple[Cell, list[Row]], None, None]:
    """Every cell with its rows, in order; with one job in this process."""
    held = list(cells)
    if jobs == 1 or len(held) < 2:
        yield from ((cell, reproduction.measure(cell)) for cell in held)
        return
    others = set(active_children())
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_follow_parent) as pool:
        try:
            yield from zip(held, pool.map(reproduction.measure, held), strict=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in set(active_children()) - others:
                worker.terminate()
            raise


def _follow_parent() -> None:
    """A worker leaves interrupts to its parent, and ends with it however the parent ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> NoReturn:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGTERM ends the block as Ctrl-C does: by an exception, so that workers are ended and files are whole."""

    def leave(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def draw(reproduction: Reproduction, folder: Path) -> bool:
    """The picture from the CSV file, as PNG and SVG; False for a table, or without matplotlib."""
    plt, held = pyplot(), read_csv(csv_path(folder, reproduction))
    figure = None if plt is None else reproduction.draw(held.rows, plt)
    if figure is None:
        return False
    if held.synthetic:
        mark_as_stand_in(figure)
    save(figure, plt, folder / reproduction.id)
    return True
