"""Putting a question together: everything before the payment, when arguments and data are looked at."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dampen._validate import text
from dampen.accounting.reservation import LONGEST_NOTE
from dampen.errors import DampenError, DataError, EngineError
from dampen.privacy import as_budget
from dampen.statistics.graph import Graph


@contextmanager
def asking(budget: Any, note: Any) -> Iterator[None]:
    """Refuse what cannot pay before any data is read; whatever then goes wrong leaves as an error that says nothing.

    Columns may hold anything, and an object that is compared, counted or converted may raise anything, with the data
    in its message. The curator finds it in the ``__context__`` of the error that leaves, and no traceback prints it.
    """
    as_budget(budget)
    text(note=note, longest=LONGEST_NOTE)
    try:
        with np.errstate(all="ignore"):
            yield
    except DampenError as error:
        raise error from None
    except MemoryError:
        raise EngineError("there was not enough memory to read the data; leave it in files or in a database") from None
    except Exception:
        rule = "values must be numbers, texts, truth values, dates or the labels that are declared, in plain columns"
        raise DataError(f"{rule}; reading them failed (why: see __context__ of this error)") from None


def without_edges(graph: Any, nodes: Any) -> Graph | None:
    """The declared nodes alone, on which a question about a table of edges is tried before any edge is read.

    So what is wrong with an argument is told whatever the edges. ``None`` for a graph, which was read before.
    """
    return None if isinstance(graph, Graph) or nodes is None else Graph.from_edges([], [], nodes=nodes)


def kept(values: Any) -> Any:
    """What can be read only once is read now: a question looks at it twice."""
    return tuple(values) if isinstance(values, Iterator) else values
