"""How a file is to be read where it does not say so itself: public things, declared and never guessed from values."""

import codecs
from collections.abc import Iterable
from dataclasses import dataclass, fields

from dampen._validate import flag, one_of, render
from dampen.errors import ParameterError

UTF_8 = ("utf-8", "utf-8-sig")
MARKS = (".", ",")


@dataclass(frozen=True, kw_only=True)
class FileReading:
    """What is publicly known of how a file is written.

    Parameters
    ----------
    delimiter
        What stands between the fields of a line, one character. Without it the header line of a CSV file tells, and a
        file without one has commas; a TSV file has tabs. With it a file of any unknown ending is read as CSV.
    decimal
        The decimal mark, ``"."`` or ``","``. With a comma, ``1,5`` is the number 1.5, and neither ``1.5`` nor
        ``1.234,5`` is a number: nothing separates thousands.
    na
        Texts that stand for a missing value, each as it is written: ``("NA", "-")``. What is blank is missing anyway.
    encoding
        How characters are written, by Python's name: ``"latin-1"``, ``"cp1252"``, ``"utf-16"``.
    header
        Whether the first line (of a sheet: the first row) holds the names of the columns. Without them columns are
        named ``c0``, ``c1``, ...

    >>> FileReading(delimiter=";", decimal=",", na=("NA", "-"))
    FileReading(delimiter=';', decimal=',', na=('NA', '-'), encoding='utf-8', header=True)
    """

    delimiter: str | None = None
    decimal: str = "."
    na: tuple[str, ...] = ()
    encoding: str = "utf-8"
    header: bool = True

    def __post_init__(self) -> None:
        if self.delimiter is not None and not _is_delimiter(self.delimiter):
            rule = "delimiter must be one character, and neither a quote nor a line end"
            raise ParameterError(f"{rule}; got {render(self.delimiter)}")
        one_of(MARKS, decimal=self.decimal)
        object.__setattr__(self, "na", _as_texts(self.na))
        object.__setattr__(self, "encoding", _as_encoding(self.encoding))
        object.__setattr__(self, "header", flag(header=self.header))

    @property
    def is_utf_8(self) -> bool:
        """Whether the file is in UTF-8, which needs no translation."""
        return self.encoding in UTF_8

    def given(self) -> tuple[str, ...]:
        """The options that are not left as they were."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) != field.default)


def _is_delimiter(mark: object) -> bool:
    return isinstance(mark, str) and len(mark) == 1 and mark not in '"\r\n\0'


def _as_texts(na: object) -> tuple[str, ...]:
    texts = (na,) if isinstance(na, str) else tuple(na) if isinstance(na, Iterable) else (na,)
    if not all(isinstance(text, str) for text in texts):
        raise ParameterError(f"na must be texts that stand for a missing value, such as ('NA', '-'); got {render(na)}")
    return texts


def _as_encoding(encoding: object) -> str:
    """The name under which Python knows an encoding, so that two names of one are the same."""
    try:
        found = codecs.lookup(encoding) if isinstance(encoding, str) else None
        "".encode(found.name if found else "")  # refuses what is a codec, but not of text
    except (LookupError, ValueError, TypeError):
        found = None
    if found is None:
        raise ParameterError(
            f"encoding must be one that Python knows, such as 'utf-8', 'latin-1' or 'utf-16'; got {render(encoding)}"
        )
    return found.name


PLAIN = FileReading()
"""A file that is read as its ending and its header line say."""
