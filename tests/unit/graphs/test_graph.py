"""Graphs in: the same graph from every source, what is merged, and what is refused."""

import gzip
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

import dampen
from dampen.errors import DataError, MissingExtra, ParameterError
from dampen.graphs.building import GraphReport
from dampen.graphs.graph import Graph
from dampen.graphs.input import MOST_NODES, Nodes

if TYPE_CHECKING:
    from tests.conftest import Refused

SRC, DST = [3, 0, 1, 2, 0, 4], [1, 1, 0, 2, 3, 3]
"""Three edges 0-1, 0-3, 1-3 and 3-4; 0-1 twice and a self loop at 2; 5 has no edge."""
NAMES = ["ann", "bob", "cid", "dora", "eva", "finn"]
GRAPH = Graph.from_edges(SRC, DST, nodes=6)
NAMED = Graph.from_edges([NAMES[place] for place in SRC], [NAMES[place] for place in DST], nodes=NAMES)


def test_rows_are_sorted_and_symmetric() -> None:
    assert GRAPH.offsets.tolist() == [0, 2, 4, 4, 7, 8, 8]
    assert GRAPH.neighbours.tolist() == [1, 3, 0, 3, 0, 1, 4, 3]
    assert GRAPH.offsets.dtype == GRAPH.neighbours.dtype == np.int32
    assert [ends.tolist() for ends in GRAPH.edges()] == [[0, 0, 1, 3], [1, 3, 3, 4]]
    assert GRAPH.degrees().tolist() == [2, 2, 0, 3, 1, 0]
    for array in (GRAPH.offsets, GRAPH.neighbours):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_curator_is_told_what_was_merged_and_nobody_else() -> None:
    assert GRAPH.report == GraphReport(rows=6, self_loops=1, duplicates=1)
    assert repr(GRAPH) == str(GRAPH) == "Graph(6 nodes)"
    assert repr(NAMED) == "Graph(6 nodes)"


def test_labels_are_public_and_keep_their_order() -> None:
    assert NAMED.labels == tuple(NAMES)
    assert GRAPH.labels == range(6)
    assert Graph.from_edges([], [], nodes=[0, 1, 2]).labels == range(3)
    assert Graph.from_edges([], [], nodes=[1, 0, 2]).labels == (1, 0, 2)
    assert NAMED.neighbours.tolist() == GRAPH.neighbours.tolist()
    backwards = Graph.from_edges([NAMES[place] for place in SRC], [NAMES[place] for place in DST], nodes=NAMES[::-1])
    assert backwards.degrees().tolist() == GRAPH.degrees().tolist()[::-1]
    assert (NAMED == GRAPH, Graph.from_edges(DST, SRC, nodes=6) == GRAPH, backwards == NAMED) == (False, True, False)
    assert Graph.from_edges(SRC, DST, nodes=7) != GRAPH
    assert GRAPH != "graph"


@pytest.mark.parametrize(
    "form",
    [
        list,
        tuple,
        np.array,
        lambda ends: np.array(ends, dtype=np.uint8),
        lambda ends: np.array(ends, dtype=np.float64),
        lambda ends: np.array(ends, dtype=object),
        lambda ends: np.ma.MaskedArray(ends, mask=False),
        pd.Series,
        pl.Series,
        pa.array,
        lambda ends: pd.Series(ends, dtype="Int64"),
        lambda ends: [float(end) for end in ends],
    ],
    ids=lambda each: type(each).__name__ if callable(each) else str(each)[:40].split(" at 0x")[0],
)
def test_any_sequence_of_whole_numbers_will_do(form: Any) -> None:
    assert Graph.from_edges(form(SRC), form(DST), nodes=6) == GRAPH
    assert Graph.from_edges(form(SRC), form(DST), nodes=np.int64(6)) == GRAPH
    shifted = Graph.from_edges(form([x + 1 for x in SRC]), form([x + 1 for x in DST]), nodes=range(1, 7))
    assert shifted.neighbours.tolist() == GRAPH.neighbours.tolist()
    assert shifted.labels == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table], ids=lambda f: f.__name__)
def test_any_data_frame_will_do(frame: Any) -> None:
    numbers = frame({"weight": [0.5] * 6, "to": DST, "from": SRC})
    assert Graph.from_frame(numbers, src="from", dst="to", nodes=6) == GRAPH
    names = frame({"a": [NAMES[place] for place in SRC], "b": [NAMES[place] for place in DST]})
    assert Graph.from_frame(names, src="a", dst="b", nodes=NAMES) == NAMED


def written(folder: Path, name: str, ends: tuple[Any, Any] = (SRC, DST)) -> Path:
    file, frame = folder / name, pd.DataFrame({"from": ends[0], "to": ends[1], "w": 1.5})
    if name.endswith("parquet"):
        frame.to_parquet(file)
    elif name.endswith(("csv", "tsv")):
        frame.to_csv(file, index=False, sep="\t" if name.endswith("tsv") else ";")
    else:
        lines = [f"{a}\t{b}" for a, b in zip(*ends, strict=True)]
        text = (
            "# Nodes: 6\n#from to\n"
            + "\r\n".join(lines[:3])
            + "\n\n%konect\n  "
            + "  \n  ".join(lines[3:]).replace("\t", "  ")
        )
        file.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return file


@pytest.mark.parametrize("name", ["e.csv", "e.tsv", "e.parquet", "e.txt", "e.txt.gz", "edges"])
@pytest.mark.parametrize("texts", [False, True])
def test_any_file_will_do(name: str, texts: bool, tmp_path: Path) -> None:
    ends = ([NAMES[end] for end in SRC], [NAMES[end] for end in DST]) if texts else (SRC, DST)
    file = written(tmp_path, name, ends)
    columns = {"src": "from", "dst": "to"} if name.endswith(("csv", "tsv", "parquet")) else {}
    graph = Graph.from_file(file, nodes=NAMES if texts else 6, **columns)
    assert graph == (NAMED if texts else GRAPH)
    assert graph.report == GRAPH.report
    assert Graph.from_file(str(file), nodes=NAMES if texts else 6, **columns) == graph


def test_files_of_floats_and_of_numbers_as_labels(tmp_path: Path) -> None:
    floats = written(tmp_path, "f.parquet", ([float(x) for x in SRC], np.array(DST, dtype=np.uint64)))
    assert Graph.from_file(floats, src="from", dst="to", nodes=6) == GRAPH
    tens = written(tmp_path, "t.txt", ([10 * x for x in SRC], [10 * x for x in DST]))
    assert Graph.from_file(tens, nodes=range(0, 60, 10)).neighbours.tolist() == GRAPH.neighbours.tolist()
    empty = tmp_path / "empty.txt"
    empty.write_text("# nothing\n")
    assert Graph.from_file(empty, nodes=2).degrees().tolist() == [0, 0]
    (tmp_path / "empty.csv").write_text("from,to\n")
    assert Graph.from_file(tmp_path / "empty.csv", src="from", dst="to", nodes=2).degrees().tolist() == [0, 0]


def test_other_libraries_graphs() -> None:
    from_networkx = nx.MultiDiGraph()
    from_networkx.add_edges_from([(NAMES[a], NAMES[b]) for a, b in zip(SRC, DST, strict=True)])
    from_networkx.add_nodes_from(["finn"])
    assert Graph.from_networkx(from_networkx) == NAMED
    assert Graph.from_networkx(from_networkx).report == GRAPH.report
    matrix = sparse.coo_array((np.ones(6), (SRC, DST)), shape=(6, 6))
    assert Graph.from_scipy(matrix) == Graph.from_scipy(matrix.tocsr()) == GRAPH
    assert Graph.from_scipy(sparse.csr_matrix((6, 6))).degrees().sum() == 0
    matrix.data[:] = [0, 1, 1, 1, 1, 0]
    assert Graph.from_scipy(matrix).degrees().tolist() == [2, 1, 0, 1, 0, 0]


def test_the_order_of_the_nodes_does_not_tell_of_the_edges() -> None:
    """networkx lists nodes as edges brought them in."""
    first, second = nx.Graph([("c", "a"), ("b", "d")]), nx.Graph([("d", "a"), ("b", "c")])
    assert Graph.from_networkx(first).labels == Graph.from_networkx(second).labels == ("a", "b", "c", "d")
    mixed = nx.Graph([((1, 2), "a"), (7, (0, 3))])
    assert Graph.from_networkx(mixed).labels == (7, "a", (0, 3), (1, 2))


@pytest.mark.parametrize("directed", [False, True])
def test_igraph(directed: bool) -> None:
    igraph = pytest.importorskip("igraph")
    ends = list(zip(SRC, DST, strict=True))
    assert Graph.from_igraph(igraph.Graph(6, ends, directed=directed)) == GRAPH
    assert Graph.from_igraph(igraph.Graph(6, ends, directed=directed)).report == GRAPH.report
    named = igraph.Graph(6, [(5 - a, 5 - b) for a, b in ends], directed=directed)
    named.vs["name"] = NAMES[::-1]
    assert Graph.from_igraph(named) == NAMED
    assert Graph.from_igraph(igraph.Graph(2, directed=directed)).degrees().tolist() == [0, 0]


def test_what_igraph_cannot_give_is_refused(refused: "Refused") -> None:
    igraph = pytest.importorskip("igraph")
    with refused(ParameterError, "graph must be an igraph graph; got int"):
        Graph.from_igraph(1)
    with refused(ParameterError, "graph must have a node"):
        Graph.from_igraph(igraph.Graph(0))
    twins = igraph.Graph(2)
    twins.vs["name"] = ["ann", "ann"]
    with refused(ParameterError, "nodes must be", "distinct labels"):
        Graph.from_igraph(twins)


def test_igraph_agrees_on_ego_betweenness() -> None:
    made = pytest.importorskip("igraph").Graph(40, [(a, b) for a in range(40) for b in range(a) if a * b % 7 in (1, 2)])
    values = []
    for node in range(40):
        ids = sorted({node, *made.neighbors(node)})
        values.append(made.induced_subgraph(ids).betweenness(ids.index(node)))
    np.testing.assert_allclose(Graph.from_igraph(made).ego_betweenness(), values, rtol=1e-12, atol=1e-12)
    assert max(values) > 10


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_a_missing_extra_says_what_to_install(
    library: str, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with refused(MissingExtra, f"{library} is not installed; install dampen[graph]"):
        getattr(Graph, f"from_{library}")(nx.path_graph(2))


@pytest.mark.parametrize(
    "bad",
    [[0, 6], [0, -1], [0, 1.5], [0, None], [0, float("nan")], [0, float("inf")], [0, "17"], ["17", "18"]],
    ids=lambda each: type(each).__name__ if callable(each) else str(each)[:40].split(" at 0x")[0],
)
@pytest.mark.parametrize(
    "form", [list, pd.Series, lambda x: np.array(x, dtype=object)], ids=["list", "pandas", "array"]
)
def test_ends_that_are_no_declared_node_are_refused(bad: Any, form: Any, refused: "Refused") -> None:
    with refused(DataError, "dst must hold whole numbers from 0 to 5", "none missing", "nodes=", hidden=("17", "1.5")):
        Graph.from_edges([1, 2], form(bad), nodes=6)
    with refused(DataError, "column 'a' must hold whole numbers from 0 to 5", hidden=("17", "1.5")):
        Graph.from_frame({"a": form(bad), "b": [1, 2]}, src="a", dst="b", nodes=6)


@pytest.mark.parametrize(
    "bad",
    [2**31, 2**40, 2**63, 2**64 - 1, 2**70, -(2**63), True, [1], 1e300],
    ids=lambda each: str(each)[:40].split(" at 0x")[0],
)
def test_numbers_out_of_reach_are_refused(bad: Any, refused: "Refused") -> None:
    with refused(DataError, "src must hold", hidden=("2147", "e+")):
        Graph.from_edges([0, bad], [0, 0], nodes=2)
    arrays = [np.array([0, bad], dtype=np.uint64)] if isinstance(bad, int) and 0 < bad < 2**64 and bad > 1 else []
    for array in arrays:
        with refused(DataError, "src must hold"):
            Graph.from_edges(array, [0, 0], nodes=2)


@pytest.mark.parametrize(
    "bad", ["gus", None, float("nan"), 0, ["ann"]], ids=lambda each: str(each)[:40].split(" at 0x")[0]
)
def test_labels_that_are_not_declared_are_refused(bad: Any, refused: "Refused") -> None:
    with refused(DataError, "src must hold only labels listed in nodes=", hidden=("gus", "ann")):
        Graph.from_edges(["ann", bad], ["bob", "bob"], nodes=NAMES)
    with refused(DataError, "dst must hold only labels"):
        Graph.from_edges([1, 2], np.ma.MaskedArray([1, 2], mask=[False, True]), nodes=[1, 2])
    with refused(DataError, "src must hold whole numbers"):
        Graph.from_edges(np.ma.MaskedArray([1, 2], mask=[False, True]), [1, 2], nodes=3)


@pytest.mark.parametrize(
    "nodes",
    [0, -1, True, 2.5, "abc", b"ab", {1, 2}, {1: 2}, [], [1, 1], [1, None], [1, float("nan")], [[1]], None, 2**31],
)
def test_node_sets_that_are_none_are_refused(nodes: Any, refused: "Refused") -> None:
    with refused(ParameterError, "nodes must"):
        Graph.from_edges([], [], nodes=nodes)


def test_the_most_nodes_there_can_be(refused: "Refused") -> None:
    nodes, last = Nodes(MOST_NODES, range(MOST_NODES)), np.array([MOST_NODES - 1])
    nodes.check([(last, last)], "src", "dst")
    with refused(DataError, "dst must hold whole numbers"):
        nodes.check([(last, last), (last, last + 1)], "src", "dst")
    assert np.iinfo(np.int32).max > MOST_NODES


def test_columns_and_lengths_that_do_not_fit_are_refused(refused: "Refused") -> None:
    with refused(DataError, "src and dst must have equally many entries"):
        Graph.from_edges([0], [0, 1], nodes=2)
    with refused(DataError, "src and dst must have equally many entries"):
        Graph.from_frame({"a": [0], "b": [0, 1]}, src="a", dst="b", nodes=2)
    for frame in ({"a": [0], "b": [1]}, pd.DataFrame({"a": [0], "b": [1]})):
        with refused(ParameterError, "dst must be a column", "'c'"):
            Graph.from_frame(frame, src="a", dst="c", nodes=2)
        with refused(ParameterError, "src and dst must be two columns"):
            Graph.from_frame(frame, src="a", dst="a", nodes=2)
        with refused(ParameterError, "src must name a column", "0"):
            Graph.from_frame(frame, src=0, dst="a", nodes=2)  # type: ignore[arg-type]
    with refused(ParameterError, "frame must be a data frame"):
        Graph.from_frame([0], src="a", dst="b", nodes=2)
    with refused(DataError, "one-dimensional"):
        Graph.from_edges(np.zeros((1, 1), dtype=int), [0], nodes=2)


@pytest.mark.parametrize(
    "wrong",
    [1, nx.path_graph(2), np.eye(2), sparse.csr_matrix((2, 3))],
    ids=lambda each: str(each)[:40].split(" at 0x")[0],
)
def test_what_is_no_square_sparse_matrix_is_refused(wrong: Any, refused: "Refused") -> None:
    with refused(ParameterError, "matrix must be a square sparse matrix"):
        Graph.from_scipy(wrong)
    with refused(ParameterError, "graph must be a networkx graph"):
        Graph.from_networkx(1)


def test_a_graph_without_nodes_is_refused(refused: "Refused") -> None:
    with refused(ParameterError, "graph must have a node"):
        Graph.from_networkx(nx.Graph())
    with refused(ParameterError, "nodes must not be empty"):
        Graph.from_scipy(sparse.csr_matrix((0, 0)))


@pytest.mark.parametrize(
    "content",
    [
        b"secret 1 2\n",
        b"0 1\n17\n",
        b"0,1\n",
        b"0 1\nsecret, 17, 5\n",
        b"\xff\xfe\x00\x01secret",
        b"PK\x03\x04\x00\n\x00 secret 1 2",
    ],
    ids=lambda each: type(each).__name__ if callable(each) else str(each)[:40].split(" at 0x")[0],
)
def test_a_file_that_is_no_edge_list_is_refused(content: bytes, tmp_path: Path, refused: "Refused") -> None:
    file = tmp_path / "edges.txt"
    file.write_bytes(content)
    with refused(DataError, "edges.txt must be an edge list", "src= and dst=", hidden=("secret", "17")):
        Graph.from_file(file, nodes=20)
    file.rename(tmp_path / "edges.txt.gz")
    with refused(DataError, "edges.txt.gz must be", "compressed by gzip", hidden=("secret", "17")):
        Graph.from_file(tmp_path / "edges.txt.gz", nodes=20)


@pytest.mark.parametrize("field", ["secret", "9", "-1", "1.5", "1_0", "0x1", "nan", "99999999999999999999"])
def test_fields_that_are_no_declared_node_are_refused(field: str, tmp_path: Path, refused: "Refused") -> None:
    (tmp_path / "e.txt").write_text(f"0 1\n{field} 2\n")
    with refused(DataError, "the first field of each line must hold whole numbers from 0 to 2", hidden=(field,)):
        Graph.from_file(tmp_path / "e.txt", nodes=3)
    (tmp_path / "e.csv").write_text(f"a,b\n0,1\n1,{field}\n")
    with refused(DataError, "column 'b' must hold whole numbers from 0 to 2", hidden=(field,)):
        Graph.from_file(tmp_path / "e.csv", src="a", dst="b", nodes=3)
    with refused(DataError, "column 'b' must hold only labels listed in nodes=", hidden=(field,)):
        Graph.from_file(tmp_path / "e.csv", src="a", dst="b", nodes=["0", "1"])


def test_files_and_columns_that_are_not_there_are_refused(tmp_path: Path, refused: "Refused") -> None:
    with refused(ParameterError, "file must exist"):
        Graph.from_file(tmp_path / "none.txt", nodes=3)
    for name in ("e.csv", "e.parquet"):
        file = written(tmp_path, name)
        with refused(ParameterError, "src must name a column of", name):
            Graph.from_file(file, nodes=6)
        with refused(ParameterError, "dst must be a column of", "'x'"):
            Graph.from_file(file, nodes=6, src="from", dst="x")
        with refused(ParameterError, "src and dst must be two columns"):
            Graph.from_file(file, nodes=6, src="to", dst="to")
    (tmp_path / "missing.csv").write_text("a,b\n0,\n")
    with refused(DataError, "column 'b' must hold whole numbers"):
        Graph.from_file(tmp_path / "missing.csv", src="a", dst="b", nodes=2)
    (tmp_path / "ragged.csv").write_text("a,b\n0,1\n0\n")
    with refused(DataError, "ragged.csv must be a CSV file"):
        Graph.from_file(tmp_path / "ragged.csv", src="a", dst="b", nodes=2)


def test_it_is_a_public_name() -> None:
    assert issubclass(dampen.Graph, Graph)
