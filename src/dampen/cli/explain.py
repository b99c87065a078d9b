"""``dampen explain``: what a loss means for one person."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import dampen
from dampen._validate import render
from dampen.cli.output import require_writable
from dampen.cli.verbs import verb
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, PrivacyLoss

if TYPE_CHECKING:
    from dampen.meaning import Explanation

DELTA_OF_RHO = "Of a rho: the delta at which epsilon is told; 1e-6, if left out."
FORMATS = (".png", ".svg", ".pdf")
Picture = Annotated[Path | None, typer.Option(help="Also draw it into this file: .png, .svg or .pdf.")]


class AnyAdjacency(StrEnum):
    """The adjacencies by their names on the command line."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"
    EDGE = "edge"


@verb(7)
def explain(
    epsilon: Annotated[str | None, typer.Option(help="The loss, e.g. 1 or 1/2.")] = None,
    delta: Annotated[str | None, typer.Option(help=f"The failure probability. {DELTA_OF_RHO}")] = None,
    rho: Annotated[str | None, typer.Option(help="In place of epsilon: concentrated loss, e.g. 1/50.")] = None,
    adjacency: Annotated[AnyAdjacency, typer.Option(help="What a neighbour is.")] = AnyAdjacency.ADD_REMOVE,
    unit: Annotated[str, typer.Option(help="What one step moves, e.g. patient; a row, if left out.")] = "",
    picture: Picture = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what a loss means for one person: what anybody may believe or guess of them afterwards.

    Examples:
      dampen explain --epsilon 1
      dampen explain --epsilon 2 --delta 1e-6 --unit patient
      dampen explain --rho 1/50 --delta 1e-6
    """
    if epsilon is not None and rho is not None:
        raise ParameterError("rho must be left out where epsilon is given: a loss is told by one of them")
    own = delta or "0" if rho is None else "0"
    loss = PrivacyLoss(epsilon, own, rho=rho, adjacency=Adjacency[adjacency.name], unit=unit)
    tell(dampen.explain(loss, delta=None if rho is None else delta), picture=picture, as_json=as_json)


def tell(explained: "Explanation", *, picture: Path | None, as_json: bool) -> None:
    """Print it and, where asked, draw it."""
    if picture is not None and picture.suffix not in FORMATS:
        raise ParameterError(f"picture must be a file that ends in {', '.join(FORMATS)}; got {render(picture.name)}")
    require_writable(picture, "picture")
    typer.echo(json.dumps(explained.as_dict()) if as_json else str(explained))
    if picture is not None:
        explained.plot().savefig(picture)
