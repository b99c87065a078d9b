"""The command: every verb that a file of this room holds."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import typer

import dampen
from dampen.cli.verbs import VERBS, VerbCommand

app = typer.Typer(
    name="dampen",
    help="Private answers with noise fitted to the data at hand.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"dampen {dampen.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Private answers with noise fitted to the data at hand."""


def _add_verbs() -> None:
    """Verbs by their places; then whole groups of them, each named after its file."""
    files = [found.name for found in iter_modules([str(Path(__file__).parent)]) if found.name != "app"]
    modules = {name: import_module(f"dampen.cli.{name}") for name in files}
    for verb in sorted(VERBS, key=lambda verb: verb.place):
        app.command(verb.name, cls=VerbCommand)(verb.run)
    for name, module in modules.items():
        if isinstance(group := getattr(module, name, None), typer.Typer):
            app.add_typer(group, name=name)


_add_verbs()
