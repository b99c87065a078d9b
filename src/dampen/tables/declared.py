"""What a file declares of itself: the names of its columns, and their types where the format has any. Never values."""

from dampen._validate import only_own_errors
from dampen.describe.reading import FileReading
from dampen.errors import ParameterError
from dampen.tables.engines.duck_files import common_header, open_files
from dampen.tables.file_formats import ARROW, JSON, PARQUET, XLSX
from dampen.tables.files import table_files


def declared_columns(pattern: str, reading: FileReading) -> list[tuple[str, str | None]]:
    """Names and declared types of the columns of files; ``None`` where a format declares no types."""
    with only_own_errors():
        files, form = table_files(pattern, reading)
        if form.name == JSON.name:
            raise ParameterError("file must declare the names of its columns; the keys of JSON records are data")
        if form == XLSX or form.name in (PARQUET.name, ARROW.name):
            with open_files(pattern, [], reading) as engine:
                types = getattr(engine, "types", None) if form != XLSX else None
                names = list(engine.columns)  # type: ignore[attr-defined]
                return list(zip(names, types or [None] * len(names), strict=True))
        names, _ = common_header(files, [], reading)
        return [(name, None) for name in names]
