"""How an answer is shown: itself on standard output, what a user should know beside it."""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from dampen.cli.output import print_answer
from dampen.cli.payment import Payer
from dampen.errors import CutOffWarning
from dampen.front.memory import FREE
from dampen.privacy import GroupRelease, ListRelease, Release
from dampen.questions.record import CUT_OFF

NOTHING_REMEMBERS = "note: nothing remembers this spending; asking again spends again. See --budget."

Json = Annotated[bool, typer.Option("--json", help="Print the release as JSON.")]


def show(release: Release, payer: Payer, *, as_json: bool, remarks: tuple[str, ...] = ()) -> None:
    """Print a release: its value, or one value or label and value per line, or all of it as JSON.

    What a user should know goes to standard error, so that the answer stays alone: how good it is, first of all.
    """
    print_answer(json.dumps(release.as_dict()) if as_json else "\n".join(lines_of(release)))
    for line in () if as_json else errors_of(release):
        typer.echo(f"error: {line}", err=True)
    if release.doubtful:
        typer.echo(f"note: {CUT_OFF}", err=True)
    if release.note.endswith(f"({FREE})"):
        typer.echo(f"note: {FREE}", err=True)
    tell(payer, remarks)


@contextmanager
def cut_off_as_note() -> Iterator[None]:
    """What a warning would say is a note beside the answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CutOffWarning)
        yield


def tell(payer: Payer, remarks: tuple[str, ...] = ()) -> None:
    """What is said beside every answer: remarks, and that nothing remembers what was spent, where that is so."""
    for remark in (*remarks, *((NOTHING_REMEMBERS,) if not payer.remembers else ())):
        typer.echo(remark, err=True)


def lines_of(release: Release) -> list[str]:
    """One line for each value; groups have theirs before it, with tabs between."""
    if isinstance(release, GroupRelease):
        starts = {label: label if isinstance(label, tuple) else (label,) for label in release}
        return [
            "\t".join(map(str, (*start, line))) for label, start in starts.items() for line in lines_of(release[label])
        ]
    return list(map(str, release.value)) if isinstance(release, ListRelease) else [str(release.value)]


def errors_of(release: Release) -> list[str]:
    """How good an answer is, in words: of groups once for all, or of each by itself where they differ."""
    if not isinstance(release, GroupRelease):
        return [] if release.accuracy is None else [release.accuracy.statement()]
    said = {label: words for label, part in release.items() for words in errors_of(part)}
    if len(set(said.values())) == 1:
        return [f"each: {next(iter(said.values()))}"]
    return [f"{label}: {words}" for label, words in said.items()]
