"""Where answers go: a file is tried before anything is paid, and no answer is lost after it."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp

import typer

from dampen._validate import render
from dampen.cli.payment import Payer
from dampen.errors import ParameterError
from dampen.tables.files import existing_files


def require_writable(out: Path | None, name: str = "out") -> None:
    """Refuse, before anything is paid, a file that cannot be written."""
    if out is None:
        return
    if out.is_dir() or not out.parent.is_dir():
        raise ParameterError(f"{name} must be a file in a folder that exists; got {render(str(out))}")
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise ParameterError(f"{name} must be a file that can be written; got {render(str(out))}")


def require_unused(out: Path | None, data: str | Path, payer: Payer) -> None:
    """Refuse to write over what is read, or over the ledger."""
    if out is None or not out.exists():
        return
    read = [(file, "the file that is read") for file in existing_files(data)]
    for used, what in (*read, *(() if payer.file is None else ((payer.file, "the ledger that pays"),))):
        if out.samefile(used):
            raise ParameterError(f"out must not be {what}; got {render(str(out))}")


def write_answer(out: Path, write: Callable[[Path], None]) -> None:
    """Write an answer that is paid for. Where that fails it goes to a folder of its own, which is told, with exit 1."""
    try:
        write(out)
    except Exception:
        typer.echo(f"dampen: {out.name[:60]} could not be written; {_rescue(out, write)}", err=True)
        raise typer.Exit(1) from None


def print_answer(answer: str) -> None:
    """Print an answer that is paid for. Where that fails, on a full disk, it goes to a folder of its own too."""
    try:
        typer.echo(answer)
    except OSError as error:
        if error.errno == errno.EPIPE:  # who reads it wants no more
            raise
        kept = _rescue(Path("answer.txt"), lambda path: write_text(path, answer))
        typer.echo(f"dampen: the answer could not be printed; {kept}", err=True)
        raise typer.Exit(1) from None


def write_text(path: Path, answer: str) -> None:
    """Write an answer as it is."""
    path.write_text(answer + "\n")


def _rescue(out: Path, write: Callable[[Path], None]) -> str:
    try:
        rescued = Path(mkdtemp(prefix="dampen-")) / out.name
        write(rescued)
    except Exception:
        return "nor could any other file, and the charge stands"
    return f"the answer is in {rescued}"
