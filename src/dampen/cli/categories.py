"""How categories are told on the command line: a list, or a file of them."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.tables import read_labels

Categories = Annotated[str, typer.Option(help="All possible values: F,M or the path of a file with one per line.")]


def read_categories(told: str) -> tuple[Any, ...]:
    """The labels: what has a comma is a list, anything else the path of a file."""
    if "," in told:
        labels = tuple(label.strip() for label in told.split(","))
        if not all(labels):
            raise ParameterError(f"categories must have no empty label, as between two commas; got {render(told)}")
        return labels
    if not Path(told).is_file():
        raise ParameterError(f"categories must be a list such as F,M or a file that exists; got {render(told)}")
    return tuple(read_labels(Path(told)))
