"""``dampen release-group-members``: who belongs to which group."""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dampen._validate import render
from dampen.cli import answers
from dampen.cli.options import name_of
from dampen.cli.output import print_answer, require_unused, require_writable, write_answer
from dampen.cli.payment import EpsilonPayment
from dampen.cli.progress import progress
from dampen.cli.tables import Groups, TableOptions
from dampen.cli.verbs import add_members, verb
from dampen.errors import ParameterError
from dampen.mechanisms.grouping.triode_h import FRAGMENT
from dampen.questions.members_by_group import METHODS
from dampen.tables.files import literal


class GroupMethod(StrEnum):
    """The methods by their names on the command line."""

    add_members(vars(), METHODS)


DEFAULT = GroupMethod("randomised-response")

FORMATS = {".parquet": "format parquet", ".csv": "format csv, header"}


@dataclass(frozen=True, kw_only=True)
class MembersOptions(TableOptions):
    """A table whose members are told, for an epsilon."""

    payment: EpsilonPayment


@verb(50, "release_group_members")
def release_group_members(
    id: Annotated[str, typer.Option(help="Column that names each person, once; public.")],
    groups: Groups,
    options: MembersOptions,
    out: Annotated[
        Path | None, typer.Option(readable=False, help="Parquet or CSV file to write id and group to.")
    ] = None,
    method: Annotated[GroupMethod, typer.Option(help="How groups are drawn.")] = DEFAULT,
    fragment: Annotated[int, typer.Option(help="For triode-h: how many people a fragment holds.")] = FRAGMENT,
) -> None:
    """Tell who belongs to which group, privately: ids are public, one person's group is hidden.

    Example:
      dampen release-group-members staff.toml --id name --by team --epsilon 1
    """
    if len(groups.columns) != 1:
        raise ParameterError(f"by must name one column, that of the groups; got {render(groups.columns)}")
    if options.adjacency is not None:
        raise ParameterError("--adjacency must be left out: who is there is public, and one person's group is hidden")
    _require_table(out, options.as_json)
    with options.open(None, groups) as (table, payer), progress():
        require_unused(out, table.view.source(None).data, payer)
        release = table.release_group_members(
            id, groups.columns[0], epsilon=options.payment.epsilon, method=str(name_of(method)), fragment=fragment,
            public=[each.column for each in table.view.conditions if each.column not in table.columns],
            note=options.payment.note,
        )  # fmt: skip
    names = (id, groups.columns[0])
    if out is not None:
        write_answer(out, partial(_write, release.value, names))
    else:
        print_answer(json.dumps(release.as_dict()) if options.as_json else _as_csv(release.value, names))
    answers.tell(payer)


def _require_table(out: Path | None, as_json: bool) -> None:
    if out is not None and out.suffix.lower() not in FORMATS:
        raise ParameterError(f"out must end in .parquet or .csv; got {render(str(out))}")
    if out is not None and as_json:
        raise ParameterError("json must be left out with --out, which writes a table")
    require_writable(out)


def _write(groups: Mapping[Any, Any], names: tuple[str, str], out: Path) -> None:
    """One row for each person of each group."""
    import duckdb

    labels = np.array([label for label, people in groups.items() for _ in people], dtype=object)
    people = np.concatenate(list(groups.values()))
    people = people.astype(object) if people.dtype.kind == "U" else people
    with duckdb.connect() as connection:
        connection.register("groups", {names[0]: people, names[1]: labels})
        connection.execute(f"copy groups to {literal(str(out))} ({FORMATS[out.suffix.lower()]})")


def _as_csv(groups: Mapping[Any, Any], names: tuple[str, str]) -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(names)
    writer.writerows((person, label) for label, people in groups.items() for person in people.tolist())
    return lines.getvalue().rstrip("\n")
