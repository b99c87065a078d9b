"""What is printed, logged or warned of while something runs."""

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

Heard = list[str]
"""What was done aloud, in words: nothing where all was silent."""


class _Ear(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.records += 1


@contextmanager
def listening() -> Iterator[Heard]:
    """Tell afterwards what was heard; what it said is not kept."""
    heard: Heard = []
    ear, root, out, level = _Ear(), logging.getLogger(), io.StringIO(), logging.getLogger().level
    root.addHandler(ear)
    root.setLevel(logging.DEBUG)
    try:
        with warnings.catch_warnings(record=True) as caught, redirect_stdout(out), redirect_stderr(out):
            warnings.simplefilter("always")
            yield heard
    finally:
        root.removeHandler(ear)
        root.setLevel(level)
    heard += ["prints"] if out.getvalue() else []
    heard += ["logs"] if ear.records else []
    heard += ["warns"] if caught else []
