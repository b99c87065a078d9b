"""The rows of a query of DuckDB batch by batch, as arrays in place, through the C stream interface of Arrow.

The interface is three structures of pointers (https://arrow.apache.org/docs/format/CStreamInterface.html and
CDataInterface.html), read here with ctypes: no library of Arrow is needed. DuckDB runs in this very process and keeps
no more than a batch ahead, so neither side ever holds all rows.
"""

import ctypes
from collections.abc import Generator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen.tables.columns import Typed
from dampen.tables.engines.aside import Aside

FORMATS: dict[bytes, Any] = {
    b"c": np.int8,
    b"C": np.uint8,
    b"s": np.int16,
    b"S": np.uint16,
    b"i": np.int32,
    b"I": np.uint32,
    b"l": np.int64,
    b"L": np.uint64,
    b"f": np.float32,
    b"g": np.float64,
    b"b": np.bool_,
}
"""How Arrow writes the types of columns that are arrays already; truth values are bits."""
INTERRUPTED = b"INTERRUPT"
"""What DuckDB's message begins with when somebody cancelled the query."""


class StreamError(Exception):
    """A query cannot be streamed, or broke off. Why is not told: messages of DuckDB quote the data."""


class _Schema(ctypes.Structure):
    """``ArrowSchema``: what a column is."""


class _Array(ctypes.Structure):
    """``ArrowArray``: a column of a batch, or a batch of columns."""


class _Stream(ctypes.Structure):
    """``ArrowArrayStream``: who makes batches."""


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Reader:
    """Who reads a stream. It lives as long as the capsule, which releases it: calls that still run hold both."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        self.stream = ctypes.cast(_pointer_of(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream))

    def fill(self, batch: _Array) -> int:
        """Fill in the next batch, with nothing to release where there is none. Not 0 where DuckDB failed."""
        return int(self.stream.contents.get_next(self.stream, batch))


def stream_batches(relation: Any, aside: Aside) -> Generator[list[Typed]]:
    """The columns of a relation, batch after batch. A batch is gone when the next is asked for: nothing may keep it.

    A batch of few rows out of many takes as long as the whole scan, and hears no signals: it is filled aside.
    """
    try:
        capsule = relation.__arrow_c_stream__()
    except (AttributeError, ImportError):
        # older versions of DuckDB make their streams with pyarrow
        raise StreamError from None
    reader = _Reader(capsule)
    dtypes = _dtypes_of(reader.stream)
    while True:
        batch = _Array()
        try:
            failed = aside.run(partial(reader.fill, batch))
        except BaseException:
            aside.leave(partial(_release, batch))
            raise
        if failed:
            raise _error_of(reader.stream)
        if not batch.release:
            return
        try:
            yield [_column(batch.children[place].contents, dtype) for place, dtype in enumerate(dtypes)]
        finally:
            _release(batch)


def _release(batch: _Array) -> None:
    if batch.release:
        batch.release(batch)


def _error_of(stream: Any) -> Exception:
    import duckdb

    message = stream.contents.get_last_error(stream) or b""
    return duckdb.InterruptException() if message.startswith(INTERRUPTED) else StreamError()


def _dtypes_of(stream: Any) -> list[Any]:
    schema = _Schema()
    if stream.contents.get_schema(stream, schema):
        raise StreamError
    try:
        columns = [schema.children[place].contents for place in range(schema.n_children)]
        if any(column.dictionary or column.format not in FORMATS for column in columns):
            raise StreamError
        return [FORMATS[column.format] for column in columns]
    finally:
        schema.release(schema)


def _column(column: Any, dtype: Any) -> Typed:
    absent = ~_bits(column, 0) if column.null_count and column.buffers[0] else None
    if dtype is np.bool_:
        return Typed(_bits(column, 1), absent)
    end = column.offset + column.length
    return Typed(_memory(column, 1, end * np.dtype(dtype).itemsize).view(dtype)[column.offset :], absent)


def _bits(column: Any, place: int) -> NDArray[np.bool_]:
    """A buffer with a bit for each row, lowest first."""
    end = column.offset + column.length
    packed = _memory(column, place, (end + 7) // 8)
    return np.unpackbits(packed, count=end, bitorder="little")[column.offset :].view(np.bool_)


def _memory(column: Any, place: int, size: int) -> NDArray[np.uint8]:
    if not size:
        return np.empty(0, dtype=np.uint8)
    return np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(column.buffers[place]))
