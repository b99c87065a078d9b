"""SQL of DuckDB as a draw: extensions, macros and queries that claim to be private."""

from collections.abc import Callable, Sequence
from typing import Any

from dampen._validate import render, text
from dampen.errors import ParameterError

LONGEST = 100_000
MOST_OPEN = 8
"""So many data sets are kept loaded."""


def as_draw(sql: str, *, columns: Sequence[str], table: str = "data", setup: str = "") -> Callable[[Any], Any]:
    """A function from a list of rows to what ``sql`` answers: a value where it is one, else a list of rows.

    ``columns`` name the columns of ``table`` with their types, such as ``"pay DOUBLE"``; rows are tuples of values.
    Each data set is loaded once, into a connection of its own. ``setup`` runs before, to load an extension or to make a
    macro.

    >>> draw = as_draw("SELECT count(*) + round(random() * 100) FROM data", columns=["pay DOUBLE"])
    >>> 2 <= draw([(1.0,), (2.0,)]) <= 102
    True
    """
    for name, value in (("sql", sql), ("setup", setup), ("table", table)):
        if not isinstance(value, str) or len(value) > LONGEST:
            raise ParameterError(f"{name} must be a text; got {render(value)}")
    if isinstance(columns, str) or not columns:
        raise ParameterError(f"columns must be a list such as ['pay DOUBLE']; got {render(columns)}")
    declared = ", ".join(text(columns=column, longest=1000) for column in columns)
    return _Sql(sql, f'CREATE TABLE "{table}" ({declared})', f'INSERT INTO "{table}" VALUES', setup)


class _Sql:
    """Answers of one query; connections by data set, the latest ones kept."""

    def __init__(self, sql: str, create: str, insert: str, setup: str) -> None:
        self.sql, self.create, self.insert, self.setup = sql, create, insert, setup
        self._open: dict[int, tuple[Any, Any]] = {}

    def __call__(self, data: Any) -> Any:
        rows = self._connection(data).execute(self.sql).fetchall()
        return rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else rows

    def _connection(self, data: Any) -> Any:
        """The connection that has these rows; the data set itself is kept too, so that its id stays its own."""
        known = self._open.get(id(data))
        if known is None:
            while len(self._open) >= MOST_OPEN:
                self._open.pop(next(iter(self._open)))[0].close()
            known = self._open[id(data)] = (self._load(data), data)
        return known[0]

    def _load(self, data: Any) -> Any:
        import duckdb

        connection = duckdb.connect()
        if self.setup:
            connection.execute(self.setup)
        connection.execute(self.create)
        if len(data):
            places = ", ".join("?" * len(data[0]))
            connection.executemany(f"{self.insert} ({places})", [list(row) for row in data])
        return connection
