"""Which format a file has: told by its ending alone, never by what it holds."""

from dataclasses import dataclass, replace
from pathlib import Path

from dampen._validate import render
from dampen.describe.nearest import nearest
from dampen.describe.reading import PLAIN, FileReading
from dampen.errors import ParameterError

PLAIN_TEXT, GZIP = "uncompressed", "gzip"
"""How a text is compressed, as DuckDB calls it. It also unpacks zstd, but does not notice that a file is cut short."""


@dataclass(frozen=True)
class FileFormat:
    """A format: its endings, the options of :class:`FileReading` that it takes, and what may stand between fields.

    ``packing``: how a file is compressed.
    """

    name: str
    endings: tuple[str, ...]
    options: tuple[str, ...] = ()
    delimiters: str = ""
    packing: str = PLAIN_TEXT

    @property
    def has_lines(self) -> bool:
        """Whether it has lines of fields between delimiters."""
        return bool(self.delimiters)

    @property
    def is_text(self) -> bool:
        """Whether it is text, which has an encoding and may be compressed."""
        return "encoding" in self.options


CSV = FileFormat("CSV", (".csv",), ("delimiter", "decimal", "na", "encoding", "header"), ",;\t|")
TSV = replace(CSV, name="TSV", endings=(".tsv",), delimiters="\t")
JSON = FileFormat("JSON", (".json",), ("na", "encoding"))
JSON_LINES = replace(JSON, endings=(".ndjson", ".jsonl"))
PARQUET = FileFormat("Parquet", (".parquet",))
ARROW = FileFormat("Arrow", (".arrow", ".feather"))
XLSX = FileFormat("XLSX", (".xlsx",), ("na", "header"))
FORMATS = (CSV, TSV, JSON, JSON_LINES, PARQUET, ARROW, XLSX)

BY_ENDING = {
    ending + packed: replace(form, packing=GZIP if packed else PLAIN_TEXT)
    for form in FORMATS
    for ending in form.endings
    for packed in ("", ".gz")[: 1 + form.is_text]
}
"""The format of every ending, the compressed ones included."""


def known_format(file: Path) -> FileFormat | None:
    """The format of a file; none where its ending is not known."""
    name = file.name.lower()
    return next((form for ending, form in BY_ENDING.items() if name.endswith(ending)), None)


def format_or_csv(file: Path) -> FileFormat:
    """The format of a file, CSV where its ending is not known."""
    return known_format(file) or replace(CSV, packing=GZIP if file.suffix.lower() == ".gz" else PLAIN_TEXT)


def format_of(file: Path, reading: FileReading = PLAIN) -> FileFormat:
    """The format of a file, which must be known by its ending, unless a delimiter says that it is CSV."""
    if known_format(file) is not None or reading.delimiter is not None:
        return format_or_csv(file)
    plain = [ending for form in FORMATS for ending in form.endings]
    near = nearest("".join(file.suffixes[-2:]), BY_ENDING) or nearest(file.suffix, BY_ENDING)
    hint = f": did you mean {near}?" if near else ""
    rule = f"file must end in {', '.join(plain)}, text also in .gz behind it; with delimiter= any file is CSV"
    raise ParameterError(f"{rule}; got {render(file.name)}{hint}")


def require_options(form: FileFormat, reading: FileReading) -> None:
    """Refuse an option that means nothing for a format, rather than leave it unheard."""
    for option in reading.given():
        if option not in form.options:
            homes = dict.fromkeys(each.name for each in FORMATS if option in each.options)
            raise ParameterError(
                f"{option} must be left out for {form.name} files, which need none; it is for {', '.join(homes)}"
            )
