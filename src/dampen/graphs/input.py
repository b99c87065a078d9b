"""Edges in: from arrays, data frames, files and other libraries' graphs to pairs of places among the declared nodes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from numbers import Integral
from typing import Any

import numpy as np

from dampen._validate import only_own_errors, render
from dampen.errors import DataError, MissingExtra, ParameterError
from dampen.graphs.building import ROWS_AT_ONCE, Pairs
from dampen.tables.columns import Column, Typed, column_of_values, floats_of
from dampen.tables.engines.array_codes import label_places
from dampen.tables.engines.base import NOWHERE
from dampen.tables.engines.labels import Places
from dampen.tables.reading import is_missing
from dampen.vectors import Integers

MOST_NODES = 2**31 - 2
"""Places of nodes are 32-bit numbers."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """The public node set: how many there are, and their labels in order (a range where they are just numbered)."""

    count: int
    labels: Sequence[Any]

    @property
    def numbered(self) -> bool:
        """Whether the labels are 0, 1, 2, ..."""
        return isinstance(self.labels, range)

    @cached_property
    def place_of(self) -> dict[Any, int]:
        """The place of each label."""
        return {label: place for place, label in enumerate(self.labels)}

    def rule(self, title: str) -> str:
        """What must hold of every end of an edge."""
        if self.numbered:
            return (
                f"{title} must hold whole numbers from 0 to {self.count - 1}, none missing; list other labels in nodes="
            )
        return f"{title} must hold only labels listed in nodes=, none missing"

    def check(self, pairs: Pairs, *titles: str) -> Pairs:
        """The pairs, if both ends of all are places of nodes; ``titles`` name where these come from."""
        for end, title in enumerate(titles):
            for batch in pairs:
                for first in range(0, len(batch[end]), ROWS_AT_ONCE):
                    places = batch[end][first : first + ROWS_AT_ONCE]
                    if places.min() < 0 or places.max() >= self.count:
                        raise DataError(self.rule(title))
        return pairs

    @cached_property
    def known(self) -> Places | None:
        """What each label is found by; none where nodes are just numbered."""
        return None if self.numbered else Places.of(self.labels)

    def places(self, column: Column) -> Integers:
        """Where the values of a column stand among the nodes; below 0 where they do not."""
        if self.known is not None:
            return label_places(column, self.known).astype(np.int64)
        if isinstance(column, Typed) and column.array.dtype.kind in "iu" and column.absent is None:
            wide = column.array.dtype == np.uint64
            return column.array.astype(np.int64) if wide else column.array  # as narrow as they come: there may be many
        numbers = floats_of(column)
        usable = (numbers >= 0) & (numbers <= MOST_NODES)
        wholes = np.where(usable, numbers, NOWHERE).astype(np.int64)
        return np.where(wholes == numbers, wholes, np.int64(NOWHERE))


def as_nodes(nodes: Any) -> Nodes:
    """The declared node set: a count, or distinct labels in order."""
    if isinstance(nodes, Integral) and not isinstance(nodes, bool):
        if not 1 <= int(nodes) <= MOST_NODES:
            raise ParameterError(f"nodes must be a count from 1 to {MOST_NODES}, or labels; got {render(nodes)}")
        return Nodes(int(nodes), range(int(nodes)))
    rule = "nodes must be a count, or an ordered sequence of distinct labels, none of them missing"
    try:
        if isinstance(nodes, str | bytes | set | frozenset | Mapping):
            raise TypeError
        labels = tuple(nodes.tolist() if isinstance(nodes, np.ndarray) else nodes)
        if len(set(labels)) < len(labels) or any(map(is_missing, labels)):
            raise TypeError
    except Exception:  # a collection or a label of the caller's own may raise anything
        raise ParameterError(f"{rule}; got {render(nodes)}") from None
    if not labels:
        raise ParameterError("nodes must not be empty")
    return Nodes(len(labels), range(len(labels)) if _just_numbers(labels) else labels)


def sort_nodes(labels: Iterable[Any], argument: str) -> Nodes:
    """The nodes of another library's graph, sorted: the order in which it met them may tell of its edges."""
    found = list(labels)
    if not found:
        raise ParameterError(f"{argument} must have a node")
    try:
        ordered = sorted(found)
    except TypeError:
        ordered = sorted(found, key=lambda label: (type(label).__name__, repr(label)))
    return as_nodes(ordered)


def from_columns(frame: Any, nodes: Nodes, src: str, dst: str) -> Pairs:
    """The edges of a data frame or mapping; of a lazy frame both columns are read at once."""
    with only_own_errors():
        ends = _read_columns(frame, src, dst)
    return _place_ends(*ends, nodes, f"column {src[:60]!r}", f"column {dst[:60]!r}")


def from_arrays(src: Any, dst: Any, nodes: Nodes) -> Pairs:
    """The edges of two equally long sequences."""
    return _place_ends(src, dst, nodes, "src", "dst")


def _place_ends(src: Any, dst: Any, nodes: Nodes, *titles: str) -> Pairs:
    with only_own_errors():
        tails, heads = (nodes.places(column_of_values(values, None)) for values in (src, dst))
        if len(tails) != len(heads):
            raise DataError("src and dst must have equally many entries")
        return nodes.check([(tails, heads)], *titles)


def from_networkx(graph: Any) -> tuple[Nodes, Pairs]:
    """Nodes and edges of a networkx graph of any kind; weights are not looked at."""
    networkx = _extra("networkx")
    if not isinstance(graph, networkx.Graph):
        raise ParameterError(f"graph must be a networkx graph; got {type(graph).__name__}")
    nodes = sort_nodes(graph.nodes, "graph")
    places = np.array([nodes.place_of[end] for edge in graph.edges() for end in edge], dtype=np.int64)
    return nodes, [(places[::2], places[1::2])]


def from_igraph(graph: Any) -> tuple[Nodes, Pairs]:
    """Nodes and edges of an igraph graph; its vertices are known by the attribute ``name``, if they have one."""
    igraph = _extra("igraph")
    if not isinstance(graph, igraph.Graph):
        raise ParameterError(f"graph must be an igraph graph; got {type(graph).__name__}")
    names = graph.vs["name"] if "name" in graph.vs.attributes() else range(graph.vcount())
    nodes = sort_nodes(names, "graph")
    places = np.array([nodes.place_of[name] for name in names], dtype=np.int64)
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    return nodes, [(places[ends[:, 0]], places[ends[:, 1]])]


def from_scipy(matrix: Any) -> tuple[Nodes, Pairs]:
    """Nodes and edges of a square sparse matrix: an edge wherever an entry, its stored parts summed, is not zero."""
    from scipy import sparse

    known: bool = sparse.issparse(matrix)
    if not known or matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ParameterError(f"matrix must be a square sparse matrix of scipy; got {type(matrix).__name__}")
    nodes = as_nodes(int(matrix.shape[0])) if matrix.shape[0] else as_nodes(())
    entries = matrix.tocsr(copy=True)
    entries.sum_duplicates()
    entries = entries.tocoo()
    kept = entries.data != 0
    return nodes, [(entries.row[kept].astype(np.int64), entries.col[kept].astype(np.int64))]


def _extra(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(f"{name} is not installed; install dampen[graph]") from None


def require_ends(src: Any, dst: Any) -> None:
    """Refuse what does not name two columns."""
    for name, column in {"src": src, "dst": dst}.items():
        if not isinstance(column, str):
            raise ParameterError(f"{name} must name a column of the data; got {render(column)}")
    if src == dst:
        raise ParameterError(f"src and dst must be two columns; got {render(src)} twice")


def _read_columns(frame: Any, src: str, dst: str) -> tuple[Any, Any]:
    require_ends(src, dst)
    if isinstance(frame, Mapping):
        _require_columns(list(frame), src, dst)
        return frame[src], frame[dst]
    import narwhals as nw

    native = nw.from_native(frame, pass_through=True)
    if not isinstance(native, nw.DataFrame | nw.LazyFrame):
        rule = "frame must be a data frame, a relation of DuckDB or a mapping of columns"
        raise ParameterError(f"{rule}; got {type(frame).__name__}")
    _require_columns(native.collect_schema().names(), src, dst)
    chosen = native.select(src, dst)
    columns = chosen.collect() if isinstance(chosen, nw.LazyFrame) else chosen
    return columns[src], columns[dst]


def _require_columns(names: list[Any], src: str, dst: str) -> None:
    for name, column in {"src": src, "dst": dst}.items():
        if names.count(column) != 1:
            raise ParameterError(f"{name} must be a column of the data; got {render(column)}")


def _just_numbers(labels: tuple[Any, ...]) -> bool:
    """Whether labels are 0, 1, 2, ... in order; ``True`` is not 1 here."""
    return all(type(label) is int for label in labels) and labels == tuple(range(len(labels)))
