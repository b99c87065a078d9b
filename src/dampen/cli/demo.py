"""``dampen demo``: a guided tour."""

from pathlib import Path
from typing import Annotated

import typer

from dampen.cli.output import require_writable, write_text
from dampen.cli.verbs import verb


@verb(140)
def demo(
    html: Annotated[Path | None, typer.Option(help="Write one page with pictures here instead.")] = None,
) -> None:
    """Take a guided tour on built-in synthetic data.

    Examples:
      dampen demo
      dampen demo --html report.html
    """
    from dampen.cli.tour.steps import show_tour, tour_as_html

    if html is None:
        show_tour()
        return
    require_writable(html, "html")
    write_text(html, tour_as_html())
    typer.echo(f"{html.name}: open it in a browser; it needs no network")
