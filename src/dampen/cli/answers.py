"""How a release is shown: the answer on standard output, what a user should know beside it on standard error."""

import json
from typing import Annotated

import typer

from dampen._validate import plain
from dampen.cli.payment import NOTHING_REMEMBERS
from dampen.privacy import Release

Json = Annotated[bool, typer.Option("--json", help="Print the release as JSON.")]


def show(release: Release, *, as_json: bool, remembered: bool, remarks: tuple[str, ...] = ()) -> None:
    """Print a release: its value, or one value per line, or all of it as JSON."""
    if as_json:
        loss = {"epsilon": plain(release.loss.epsilon), "delta": plain(release.loss.delta)}
        loss |= {"adjacency": release.loss.adjacency.value, "unit": release.loss.unit}
        typer.echo(json.dumps({"value": release.value, "loss": loss, "mechanism": release.mechanism}))
    else:
        values = release.value if isinstance(release.value, tuple) else (release.value,)
        typer.echo("\n".join(map(str, values)))
    for remark in (*remarks, *(() if remembered else (NOTHING_REMEMBERS,))):
        typer.echo(remark, err=True)
