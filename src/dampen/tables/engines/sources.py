"""Which engine counts which data: by what the data is, or by the name that the caller gives."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dampen._validate import one_of, only_own_errors, render
from dampen.describe.conditions import Among, Between, Condition
from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import DataError, ParameterError
from dampen.tables.columns import refuse_missing, title_of
from dampen.tables.engines.base import (
    Engine,
    Reading,
    change_error,
    day_error,
    label_error,
    location_note,
    name_error,
    number_error,
    person_error,
)
from dampen.tables.engines.joined import Joined, open_joined
from dampen.tables.engines.registry import ENGINES, engine_of, file_engines
from dampen.tables.reading import OTHER, is_missing
from dampen.vectors import LARGEST_WHOLE


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Source:
    """Data of any kind, a public filter of its rows, and for files the engine that reads them.

    ``column``: the one that is asked about, so that a source can stand where values do; ``missing``: what happens to
    its missing values, ``other``: the label that takes those which are no label. ``where``: conditions, all of which
    must hold, or columns and a value each. ``readings``: what columns must hold, in all rows, whichever of them are
    meant. ``reading``: how files are written.
    """

    data: Any
    where: tuple[Condition, ...]
    engine: str | None
    column: str | None
    missing: str | None
    other: Any
    reading: FileReading | None
    readings: Mapping[str, Reading]

    def __init__(
        self,
        data: Any,
        where: Mapping[str, Any] | Sequence[Condition] | None = None,
        engine: str | None = None,
        *,
        column: str | None = None,
        missing: str | None = None,
        other: Any = None,
        reading: FileReading | None = None,
        readings: Mapping[str, Reading] | None = None,
    ) -> None:
        inner = data if isinstance(data, Source) else None
        object.__setattr__(self, "column", column if inner is None else column or inner.column)
        object.__setattr__(self, "missing", missing if inner is None else missing or inner.missing)
        object.__setattr__(self, "other", other if inner is None or other is not None else inner.other)
        object.__setattr__(self, "data", data if inner is None else inner.data)
        chosen = () if where is None else as_where(where)
        object.__setattr__(self, "where", chosen if inner is None else (*inner.where, *chosen))
        held = dict(readings or {})
        object.__setattr__(self, "readings", held if inner is None else {**inner.readings, **held})
        named = None if engine is None else one_of(file_engines(), engine=engine)
        object.__setattr__(self, "engine", named if inner is None else named or inner.engine)
        if self.engine is not None and not isinstance(self.data, str | Path):
            raise ParameterError(f"engine is for files; got {type(self.data).__name__}, which has its own")
        object.__setattr__(self, "reading", reading if inner is None else reading or inner.reading)
        if self.reading is not None:
            require_reading(self.reading, self.data)

    def unfiltered(self) -> "Source":
        """All rows, nothing said of them."""
        return Source(self.data, engine=self.engine, reading=self.reading)

    def __repr__(self) -> str:
        return "Source()"


def require_reading(reading: Any, data: Any) -> None:
    """Refuse a reading that is none, or of data that is no file."""
    if not isinstance(reading, FileReading):
        raise ParameterError(f"reading must be a FileReading; got {render(reading)}")
    if not isinstance(data, str | Path):
        raise ParameterError(f"reading is for files; got {type(data).__name__}, whose values are read already")


def asked_column(values: Any, column: str | None, missing: str) -> tuple[str | None, str]:
    """The column that is asked about, and what happens to missing values: as given, or as the source says itself."""
    if not isinstance(values, Source) or values.column is None:
        return column, missing
    return values.column, values.missing or missing


def is_outside(data: Any) -> bool:
    """Whether data is counted where it lies: a file, a relation of DuckDB, an ibis table, a Spark data frame."""
    source = data if isinstance(data, Source) else Source(data)
    lies_elsewhere = isinstance(source.data, str | Path | Joined) or engine_of(source.data) != "arrays"
    return source.engine != "arrays" and lies_elsewhere


@contextmanager
def open_engine(data: Any, *columns: str | None) -> Iterator[Engine]:
    """The engine that counts the data, its rows filtered. ``columns``: those that are going to be counted.

    They help to read the header of a CSV file, and of the records of a JSON file they alone are read. What columns must
    hold is looked at in all rows before the filter is applied; without a filter a scan of its own is left out for
    columns that are counted, for that one sees all rows.

    Whatever goes wrong with the data leaves as an error of dampen's: those of other libraries quote what they met.
    """
    source = data if isinstance(data, Source) else Source(data)
    with only_own_errors(), _open(source, columns) as engine:
        counted = () if source.where else columns
        readings = {name: reading for name, reading in source.readings.items() if name not in counted}
        if readings:
            _require_readings(engine, readings)
        for condition in source.where:
            engine = engine.part(condition)
        yield engine


def _require_readings(engine: Engine, readings: Mapping[str, Reading]) -> None:
    found, where = engine.faulty(readings), location_note(engine)
    for name, reading in readings.items():
        if name in found.other and not reading.other:
            raise _reading_error(name, reading, where)
        option = "person_missing" if reading.person else "missing"
        refuse_missing(int(name in found.missing and not reading.missing), "refuse", name, where, option=option)


def _reading_error(column: str, reading: Reading, where: str) -> DataError:
    if reading.labels is not None:
        return label_error(title_of(column), where)
    if reading.person or reading.name:
        return person_error(column, where) if reading.person else name_error(column, where)
    return day_error(column, where) if reading.days else number_error(column, where)


def require_stillness(data: Any, column: str | None, fault: int, where: str) -> None:
    """Refuse a fault that was looked for in all rows before, and found in none: ``MISSING`` or ``OTHER``."""
    reading = data.readings.get(column or "") if isinstance(data, Source) and data.where else None
    if reading is not None and not (reading.other if fault == OTHER else reading.missing):
        raise change_error(where)


def _open(source: Source, columns: tuple[str | None, ...]) -> AbstractContextManager[Engine]:
    named = [*(condition.column for condition in source.where), *source.readings, *columns]
    asked = [column for column in named if isinstance(column, str)]
    if isinstance(source.data, Joined):
        return open_joined(source.data, dict.fromkeys(asked))
    if not isinstance(source.data, str | Path):
        return ENGINES[engine_of(source.data)].open(source.data)
    read = ENGINES[source.engine or "duckdb"].open_files
    assert read is not None  # a source takes the names of engines that read files, and no others
    return read(source.data, asked, source.reading or PLAIN)


def as_where(where: Any) -> tuple[Condition, ...]:
    """A public filter: conditions, or columns and one value each, at least one."""
    if isinstance(where, list | tuple) and all(isinstance(each, Among | Between) for each in where):
        return tuple(map(_as_condition, where))
    if not isinstance(where, Mapping) or not where or not all(isinstance(name, str) for name in where):
        raise ParameterError(f"where must be columns and a value each, {{column: value}}; got {render(where)}")
    for value in where.values():
        if not _plain(value) or is_missing(value):
            raise ParameterError(f"where must give one value that is not missing; got {render(value)}")
    return tuple(Among(name, (value,), frozenset({0})) for name, value in where.items())


def _as_condition(condition: Condition) -> Condition:
    """Ends of a range are compared with whole numbers of 64 bits and with floats, each exactly."""
    if isinstance(condition, Between):
        for end in (condition.low, condition.high):
            if end is not None and abs(end) > LARGEST_WHOLE:
                raise ParameterError(f"the ends of a range must be below 2**62 in size; got {render(end)}")
    return condition


def _plain(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return not isinstance(value, tuple | frozenset)
