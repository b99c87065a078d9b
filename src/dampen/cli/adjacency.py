"""Adjacencies on the command line."""

from enum import StrEnum
from typing import Annotated

import typer

from dampen.privacy import Adjacency


class AdjacencyName(StrEnum):
    """The adjacencies of tables by their names on the command line."""

    ADD_REMOVE = "add-remove"
    REPLACE = "replace"

    @property
    def meant(self) -> Adjacency:
        """The adjacency itself."""
        return Adjacency[self.name]


Neighbours = Annotated[AdjacencyName, typer.Option(help="What a neighbour is.")]
