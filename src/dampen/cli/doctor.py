"""``dampen doctor``: which engines work on this machine, and what is missing for the others."""

import typer

from dampen.cli.verbs import verb
from dampen.tables.engines.health import Health, engine_health
from dampen.tables.engines.registry import ENGINES


@verb(150)
def doctor(
    start_spark: bool = typer.Option(False, "--start-spark", help="Start a Spark session too; takes some seconds."),
) -> None:
    """Tell which engines can count here and, where one cannot, what to install.

    Example:
      dampen doctor
    """
    found = [engine_health(name, start=start_spark) for name in ENGINES]
    for health in found:
        typer.echo(_line(health))
    if not all(health.works for health in found if not ENGINES[health.name].is_extra):
        raise typer.Exit(1)


def _line(health: Health) -> str:
    state = "works" if health.works else "does not work"
    return f"{health.name:<7} {state}: {health.told}"
