"""Queries on a relation of a caller's own connection. The relation is a view there while they run.

No way leads from a relation to its connection, so nothing here can cancel a query. When Ctrl-C comes DuckDB computes
on, and lets nobody drop the view before it has ended. Then the view stays until the next question.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from dampen.errors import EngineError
from dampen.tables.engines.aside import Aside, open_aside

PATIENCE = 0.5
"""Seconds in which most queries end that nobody waits for: then nothing is left when an interrupt is told."""

_left: set[str] = set()
"""Views that could not be dropped."""


@contextmanager
def view_of(relation: Any, name: str) -> Iterator[Aside]:
    """The relation is a view from the first query of it on; and a thread for what hears no signals."""
    with open_aside() as aside:
        # made now: while a query runs, whatever makes a relation waits, and no thread of Python runs meanwhile
        empty = relation.query(name, "select 1 where false")
        try:
            _drop_left(relation, name)
            yield aside
        except BaseException as error:
            if is_interrupt(error):
                _drop_soon(relation, name, empty, aside)
            else:
                _drop(relation, name)
            raise
        _drop(relation, name)


def _drop(relation: Any, name: str) -> None:
    relation.query(name, f"drop view if exists {name}")


def _drop_soon(relation: Any, name: str, empty: Any, aside: Aside) -> None:
    """Drop the view if the query that runs has ended in time.

    An empty query waits for that. It is the last one: a later one might close what the caller asks meanwhile.
    """
    import duckdb

    _left.add(name)
    if aside.attempt(empty.fetchall, patience=PATIENCE):
        with suppress(duckdb.Error):
            _drop(relation, name)
            _left.discard(name)


def _drop_left(relation: Any, name: str) -> None:
    """Drop views that are left over in the relation's connection."""
    if _left:
        found = relation.query(name, "select view_name from duckdb_views() where temporary").fetchall()
        for each in _left.intersection(view for (view,) in found):
            relation.query(name, f"drop view if exists {each}")
            _left.discard(each)


def is_interrupt(error: BaseException) -> bool:
    """Whether somebody wants to stop; DuckDB tells an interrupt from the keyboard as an error of its own."""
    return not isinstance(error, Exception) or (
        isinstance(error, RuntimeError) and isinstance(error.__context__, KeyboardInterrupt)
    )


def closed_error() -> EngineError:
    """What is raised when the caller's connection is gone."""
    return EngineError(
        "duckdb could not run the query: the connection of the relation is closed; open one and ask again"
    )
