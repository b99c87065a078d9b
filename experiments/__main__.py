"""``python -m experiments --list``, ``python -m experiments ID ...`` or ``python -m experiments --all``.

Computes figures and tables of the papers anew, draws them, and writes docs/papers.md. Nothing is released: exact laws
and seeded simulations of published data only.
"""

import argparse
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from experiments.page import papers_page
from experiments.registry import REPRODUCTIONS
from experiments.results import FOLDER, ROOT, csv_path, read_csv
from experiments.runner import compute, draw, ended_by_signals

PAGE = ROOT / "docs" / "papers.md"
STAND_IN = " (from a synthetic stand-in: DAMPEN_DATA names no folder with the data, see docs/datasets.md)"


def arguments(given: list[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m experiments", description="Figures and tables of the papers.")
    parser.add_argument("ids", nargs="*", metavar="ID", help="which to compute")
    parser.add_argument("--all", action="store_true", help="compute everything")
    parser.add_argument("--list", action="store_true", help="show what there is")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder for CSV files and pictures")
    options = parser.parse_args(given)
    unknown = [name for name in options.ids if name not in REPRODUCTIONS]
    if unknown:
        parser.error(f"there is no {unknown[0]}; see --list")
    if not (options.ids or options.all or options.list):
        parser.error("name what to compute, or say --all or --list")
    return options


def show(console: Console, folder: Path) -> None:
    """One line each: what it is, and its verdict if it is there."""
    for reproduction in REPRODUCTIONS.values():
        path = csv_path(folder, reproduction)
        verdict = "not computed yet"
        if path.exists():
            held = read_csv(path)
            verdict = reproduction.verdict(held.rows, held.losses).value + (STAND_IN if held.synthetic else "")
        console.print(
            f"{reproduction.id:24} {reproduction.title:18} {reproduction.subject}: {verdict}",
            soft_wrap=True,
            highlight=False,
        )


def compute_all(names: list[str], options: argparse.Namespace, console: Console) -> None:
    """One after the other, each with a bar and a line that says what became of it."""
    columns = (TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        for name in names:
            computed = compute(REPRODUCTIONS[name], options.out, jobs=options.jobs, progress=progress)
            draw(REPRODUCTIONS[name], options.out)
            became = "computed" if computed else "kept, its parameters are the same"
            synthetic = read_csv(csv_path(options.out, REPRODUCTIONS[name])).synthetic
            console.print(f"{name}: {became}{STAND_IN if synthetic else ''}", soft_wrap=True)


def main(given: list[str] | None = None) -> None:
    """Compute, draw, and write the page once everything is there."""
    options, console = arguments(given), Console()
    if options.list:
        show(console, options.out)
        return
    names = list(REPRODUCTIONS if options.all else options.ids)
    try:
        with ended_by_signals():
            compute_all(names, options, console)
    except (KeyboardInterrupt, SystemExit) as stop:
        console.print("interrupted; the same command goes on from here")
        raise SystemExit(130 if isinstance(stop, KeyboardInterrupt) else stop.code) from None
    if options.out == FOLDER and all(csv_path(FOLDER, each).exists() for each in REPRODUCTIONS.values()):
        PAGE.write_text(papers_page(FOLDER))
        console.print(f"wrote {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
