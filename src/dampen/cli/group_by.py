"""``dampen group-by``: who belongs to which group."""

import csv
import io
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dampen._validate import render
from dampen.cli import answers, payment, records
from dampen.cli.verbs import add_members, verb
from dampen.errors import ParameterError
from dampen.mechanisms.grouping.triode_h import FRAGMENT
from dampen.questions.members_by_group import METHODS
from dampen.tables.files import existing_files, literal
from dampen.tables.groups import REST


class GroupMethod(StrEnum):
    """The methods by their names on the command line."""

    add_members(vars(), METHODS)


DEFAULT = GroupMethod("randomised-response")

FORMATS = {".parquet": "format parquet", ".csv": "format csv, header"}


@verb(50, "group_by")
def group_by(
    file: records.File,
    id: Annotated[str, typer.Option(help="Column that names each person, once; public.")],
    by: Annotated[str, typer.Option(help="Column that holds each person's group; private.")],
    categories: records.Categories,
    epsilon: payment.Epsilon,
    out: Annotated[Path | None, typer.Option(help="Parquet or CSV file to write id and group to.")] = None,
    method: Annotated[GroupMethod, typer.Option(help="How groups are drawn.")] = DEFAULT,
    fragment: Annotated[int, typer.Option(help="For triode-h: how many people a fragment holds.")] = FRAGMENT,
    other: Annotated[str, typer.Option(help="Category that takes undeclared values, if it is declared.")] = REST,
    missing_as_other: Annotated[
        bool, typer.Option("--missing-as-other", help="Missing groups go there too, instead of being refused.")
    ] = False,
    where: Annotated[
        list[str] | None, typer.Option(help="Only people with this value in a public column: city=Paris; repeatable.")
    ] = None,
    engine: records.Engine = records.DEFAULT_ENGINE,
    budget: payment.LedgerFile = None,
    scope: payment.Scope = None,
    note: payment.Note = None,
    as_json: answers.Json = False,
) -> None:
    """Tell who belongs to which group, privately: ids are public, one person's group is hidden."""
    _require_writable(out, file, budget)
    labels = records.read_categories(categories)
    asker = answers.Asker("group-by", budget, scope, note, as_json, epsilon=epsilon)
    _, release = asker.ask(
        "group_by", records.source(file, engine, where), by, categories=labels, method=method.value.replace("-", "_"),
        fragment=fragment, column=id, other=other, missing="other" if missing_as_other else "refuse",
    )  # fmt: skip
    names = (id, by)
    if out is None or not _write(release.value, names, out):
        named = {str(label): people.tolist() for label, people in release.value.items()}
        typer.echo(answers.as_text(release, named) if as_json else _as_csv(release.value, names))
    if budget is None:
        typer.echo(payment.NOTHING_REMEMBERS, err=True)


def _require_writable(out: Path | None, pattern: str, ledger: Path | None) -> None:
    if out is None:
        return
    if out.suffix.lower() not in FORMATS:
        raise ParameterError(f"out must end in .parquet or .csv; got {render(str(out))}")
    if out.is_dir() or not out.parent.is_dir():
        raise ParameterError(f"out must be a file in a folder that exists; got {render(str(out))}")
    read = [(file, "the file that is read") for file in existing_files(pattern)]
    for used, what in (*read, (ledger, "the ledger that pays")):
        if used is not None and used.exists() and out.exists() and out.samefile(used):
            raise ParameterError(f"out must not be {what}; got {render(str(out))}")


def _write(groups: Mapping[Any, Any], names: tuple[str, str], out: Path) -> bool:
    """Whether the groups, which are paid for, stand in their file: one row for each person of each group."""
    import duckdb

    try:
        labels = np.array([label for label, people in groups.items() for _ in people], dtype=object)
        people = np.concatenate(list(groups.values()))
        people = people.astype(object) if people.dtype.kind == "U" else people
        with duckdb.connect() as connection:
            connection.register("groups", {names[0]: people, names[1]: labels})
            connection.execute(f"copy groups to {literal(str(out))} ({FORMATS[out.suffix.lower()]})")
    except Exception:
        typer.echo(f"note: {out.name[:60]} could not be written; the groups are on standard output", err=True)
        return False
    return True


def _as_csv(groups: Mapping[Any, Any], names: tuple[str, str]) -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(names)
    writer.writerows((person, label) for label, people in groups.items() for person in people.tolist())
    return lines.getvalue().rstrip("\n")
