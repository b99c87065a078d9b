"""Putting a question together: everything before the payment, when arguments and data are looked at."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dampen._validate import text
from dampen.accounting.reservation import LONGEST_NOTE
from dampen.privacy import as_budget
from dampen.tables.engines.sources import only_own_errors

if TYPE_CHECKING:
    from dampen.graphs.graph import Graph


@contextmanager
def asking(budget: Any, note: Any) -> Iterator[None]:
    """Refuse what cannot pay before any data is read; whatever then goes wrong leaves as an error that says nothing."""
    as_budget(budget)
    text(note=note, longest=LONGEST_NOTE)
    with only_own_errors():
        yield


def without_edges(graph: Any, nodes: Any) -> "Graph | None":
    """The declared nodes alone, on which a question about a table of edges is tried before any edge is read.

    So what is wrong with an argument is told whatever the edges. ``None`` for a graph, which was read before.
    """
    from dampen.graphs.graph import Graph

    return None if isinstance(graph, Graph) or nodes is None else Graph.from_edges([], [], nodes=nodes)


def kept(values: Any) -> Any:
    """What can be read only once is read now: a question looks at it twice."""
    return tuple(values) if isinstance(values, Iterator) else values
