"""Computes reproductions: cell by cell, on several cores, from where an interrupted run stopped."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from rich.progress import Progress

from experiments import data
from experiments.pictures import pyplot, save
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
    for cell, rows in _measured(reproduction, [cell for cell in cells if cell not in done], jobs):
        unfinished.add(cell, rows)
        done[cell] = rows
        if progress is not None and bar is not None:
            progress.update(bar, advance=1)
    losses = {name: rounded(value) for name, value in reproduction.losses().items()}
    held = Held(wanted(reproduction, kind), losses, [row for cell in cells for row in done[cell]])
    write_csv(csv_path(folder, reproduction), held)
    unfinished.path.unlink()
    return True


def _measured(reproduction: Reproduction, cells: Iterable[Cell], jobs: int) -> Iterator[tuple[Cell, list[Row]]]:
    """Every cell with its rows, in order; with one job in this process."""
    held = list(cells)
    if jobs == 1 or len(held) < 2:
        yield from ((cell, reproduction.measure(cell)) for cell in held)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        try:
            yield from zip(held, pool.map(reproduction.measure, held), strict=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def draw(reproduction: Reproduction, folder: Path) -> bool:
    """The picture from the CSV file, as PNG and SVG; False for a table, or without matplotlib."""
    plt = pyplot()
    figure = None if plt is None else reproduction.draw(read_csv(csv_path(folder, reproduction)).rows, plt)
    if figure is None:
        return False
    save(figure, plt, folder / reproduction.id)
    return True
