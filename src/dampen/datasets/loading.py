"""From the user's data folder to arrays: find the file, check it, read it. Nothing is downloaded."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import flag
from dampen.datasets.catalogue import CATEGORY, REAL, WHOLE, Description
from dampen.errors import DataError, ParameterError
from dampen.front.graph import Graph
from dampen.tables.files import connect_files
from dampen.vectors import Integers

KINDS = {"i": WHOLE, "u": WHOLE, "f": REAL, "O": CATEGORY, "U": CATEGORY}


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Mapping[str, NDArray[Any]]):
    """A public table: a mapping from column names to read-only arrays, with its description.

    ``adult["age"]`` is one column, ``pandas.DataFrame(dict(adult))`` or ``polars.DataFrame(dict(adult))`` a data frame.
    """

    description: Description
    columns: dict[str, NDArray[Any]]

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.description.rows

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"Dataset({self.description.name!r}, {self.rows} rows, {len(self)} columns)"


def load_table(description: Description, verify: bool = True) -> Dataset:
    """A table of the catalogue, from its Parquet file."""
    file = _find_file(description, verify)
    with connect_files(file) as (connection, [name]):
        columns: dict[str, NDArray[Any]] = dict(connection.read_parquet(name).fetchnumpy())
    lengths = {len(column) for column in columns.values()}
    kinds = {name: KINDS.get(column.dtype.kind, "") for name, column in columns.items()}
    masked = any(isinstance(column, np.ma.MaskedArray) for column in columns.values())
    if list(kinds.items()) != list(description.columns.items()) or lengths != {description.rows} or masked:
        raise DataError(f"{file.name} must have the rows and columns that are described for {description.name}")
    for column in columns.values():
        column.flags.writeable = False
    return Dataset(description, columns)


def load_histogram(description: Description, verify: bool = True) -> Integers:
    """A histogram of the catalogue, from its file of one array."""
    file = _find_file(description, verify)
    rule = f"{file.name} must be an array of {description.rows} 64-bit whole numbers"
    try:
        counts: Integers = np.load(file, allow_pickle=False)
    except (ValueError, OSError, EOFError):
        raise DataError(rule) from None
    if not isinstance(counts, np.ndarray) or counts.shape != (description.rows,) or counts.dtype != np.int64:
        raise DataError(rule)
    counts.flags.writeable = False
    return counts


def load_graph(description: Description, verify: bool = True) -> Graph:
    """A graph of the catalogue, from its Parquet file with one row for each edge."""
    file = _find_file(description, verify)
    graph = Graph.from_file(file, nodes=description.nodes, src="src", dst="dst")
    if len(graph.neighbours) != 2 * description.rows or graph.report.rows != description.rows:
        raise DataError(f"{file.name} must have the edges that are described for {description.name}, each of them once")
    return graph


def data_folders() -> list[Path]:
    """Where data sets are looked for: the folder that ``DAMPEN_DATA`` names, then the user's cache."""
    named = os.environ.get("DAMPEN_DATA")
    cache = os.environ.get("XDG_CACHE_HOME")
    return [*([Path(named)] if named else []), (Path(cache) if cache else Path.home() / ".cache") / "dampen"]


def _find_file(description: Description, verify: bool) -> Path:
    """The file of a data set, if it is here and the one that is meant."""
    files = [folder / description.file for folder in data_folders()]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        raise ParameterError(
            f"{description.name} is not on this machine: get it from {description.source}, and put it at "
            f"{description.file} in the folder that DAMPEN_DATA names or in ~/.cache/dampen (docs/datasets.md)"
        )
    if flag(verify=verify) and hashlib.sha256(file.read_bytes()).hexdigest() != description.sha256:
        raise DataError(f"{file.name} must have the described checksum (SHA-256 {description.sha256[:12]}...)")
    return file
