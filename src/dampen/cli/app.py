"""Every verb of the command, registered in one place."""

import typer

import dampen
from dampen.cli.budget import budget
from dampen.cli.count import count
from dampen.cli.counts import counts
from dampen.cli.demo import demo
from dampen.cli.doctor import doctor
from dampen.cli.group_by import group_by
from dampen.cli.mode import mode
from dampen.cli.percentile import percentile
from dampen.cli.select import select
from dampen.cli.sums import mean, total
from dampen.cli.top_k import top_k
from dampen.cli.top_nodes import top_nodes
from dampen.cli.train import predict, score, train

app = typer.Typer(
    name="dampen",
    help="Private answers with noise fitted to the data at hand.",
    no_args_is_help=True,
    add_completion=False,
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


app.command()(percentile)
app.command()(mode)
app.command()(count)
app.command()(counts)
app.command()(group_by)
app.command("sum")(total)
app.command()(mean)
app.command()(select)
app.command()(top_k)
app.command()(top_nodes)
app.command()(train)
app.command()(predict)
app.command()(score)
app.command()(demo)
app.command()(doctor)
app.add_typer(budget, name="budget")
