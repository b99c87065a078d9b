"""Descriptions of tables and graphs: the TOML file, what is refused with the key it is about, and paths."""

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, Category, Date, Flag, Number, Text
from dampen.describe.columns import Column
from dampen.describe.description import Description
from dampen.describe.toml import toml_text
from dampen.errors import ParameterError
from tests.unit.describe.refusals import faults_of
from tests.unit.describe.strategies import columns, labels, texts

if TYPE_CHECKING:
    from tests.conftest import Refused

STAFF = """
# staff.toml: what is publicly known. Paths are relative to this file.
data = "staff/*.parquet"
ledger = "staff.db"                # an existing ledger; `dampen budget create` makes it
adjacency = "add_remove"
[columns.pay]
kind = "number"
bounds = [0, 10000]
step = 50
[columns.team]
kind = "category"
values = ["sales", "lab", "board"]
[columns.hired]
kind = "date"
bounds = [2000-01-01, 2030-12-31]
step = "month"
"""
COLUMNS: dict[str, Column] = {
    "pay": Number(0, 10_000, step=50),
    "team": Category("sales", "lab", "board"),
    "hired": Date("2000-01-01", "2030-12-31", step="month"),
}
FLAG = "\n[columns.f]\nkind = 'flag'\n"


def test_a_file_says_what_python_says(tmp_path: Path) -> None:
    path = tmp_path / "staff.toml"
    path.write_text(STAFF)
    found = Description.read(path)
    assert found == Description(COLUMNS, data="staff/*.parquet", ledger="staff.db")
    assert found.adjacency is Adjacency.ADD_REMOVE
    assert (found.data, found.ledger) == ("staff/*.parquet", "staff.db")
    paths = (str(tmp_path / "staff" / "*.parquet"), str(tmp_path / "staff.db"))
    assert (found.locate_data(), found.ledger_path) == paths
    assert Description.read(str(path)) == found


def test_paths_are_relative_to_the_file_and_others_stay() -> None:
    for path in ("/data/x.csv", "s3://bucket/x.parquet", "postgresql://host/db"):
        assert Description(COLUMNS, data=path, folder="here").locate_data() == path
    assert Description(COLUMNS, data="x.csv").locate_data() == "x.csv"
    with pytest.raises(ParameterError, match="data must be named in the description: the path or pattern"):
        Description(COLUMNS).locate_data()
    assert Description(COLUMNS).ledger_path is None
    assert Description(COLUMNS, folder="here").locate("nodes.txt") == str(Path("here") / "nodes.txt")


def test_every_word_of_every_kind() -> None:
    found = Description.parse("""
    adjacency = "replace"
    engine = "duckdb"
    [reading]
    delimiter = "\\t"
    decimal = ","
    na = ["NA", "-"]
    encoding = "latin-1"
    header = false
    [columns.a]
    kind = "number"
    bounds = ["1/3", 2.5]
    step = 0.1
    unit = "0.01"
    bins = 7
    missing = "drop"
    [columns."b c"]
    kind = "category"
    values = [2, "x", true, 2020-01-01]
    other = "x"
    missing = "other"
    [columns.d]
    kind = "date"
    bounds = ["2000-01-01", 2001-01-01]
    [columns.f]
    kind = "flag"
    missing = "drop"
    [columns.t]
    kind = "text"
    """)
    assert found.adjacency is Adjacency.REPLACE
    assert found.engine == "duckdb"
    assert found.reading == {
        "delimiter": "\t",
        "decimal": ",",
        "na": ("NA", "-"),
        "encoding": "latin-1",
        "header": False,
    }
    assert list(found.columns) == ["a", "b c", "d", "f", "t"]
    assert found.columns["a"] == Number("1/3", 2.5, step=0.1, unit="0.01", bins=7, missing="drop")
    labels = found.columns["b c"].labels  # type: ignore[union-attr]
    assert [type(label).__name__ for label in labels] == ["int", "str", "bool", "date"]
    assert found.columns["f"] == Flag(missing="drop")
    assert found.columns["t"] == Text()


nodes = st.integers(1, 10**9) | st.lists(labels, min_size=1, max_size=4, unique=True) | st.just("nodes.txt")
ends: st.SearchStrategy[dict[str, str]] = st.just({}) | st.fixed_dictionaries(
    {"src": st.text("ab c", min_size=1), "dst": st.just("dst")}
)
graphs = st.builds(lambda nodes, ends: {**ends, "nodes": nodes}, nodes, ends)
readings = st.fixed_dictionaries(
    {},
    optional={
        "delimiter": st.sampled_from(",;\t|"),
        "decimal": st.sampled_from(".,"),
        "na": st.lists(texts, max_size=3),
        "encoding": st.just("utf-8"),
        "header": st.booleans(),
    },
)
descriptions = st.one_of(
    st.builds(
        Description,
        st.dictionaries(texts, columns, min_size=1, max_size=4),
        adjacency=st.sampled_from(["add_remove", "replace"]),
        data=st.none() | st.just("data/*.csv"),
        ledger=st.none() | st.just('a "b"\\c.db'),
        engine=st.none() | st.just("duckdb"),
        reading=readings,
    ),
    st.builds(Description, st.just({}), graph=graphs),
)


@given(descriptions)
def test_what_is_written_is_read_back(description: Description) -> None:
    written = description.to_toml()
    again = Description.parse(written)
    assert again == description
    assert repr(again) == repr(description), "1, 1.0 and True are equal, and not the same"
    assert again.to_toml() == written


@pytest.mark.parametrize(
    ("written", "rules"),
    [
        ("", ["a description still needs its columns, [columns.NAME] for each, or a [graph]"]),
        ("dat = 'x'" + FLAG, ['a description knows no key "dat": did you mean "data"? Allowed: "data", "ledger"']),
        ("[column.a]\nkind = 'flag'", ['"column": did you mean "columns"?']),
        ("columns = 3", ["columns must be a table, [columns]; got 3"]),
        ("[columns]\na = 'flag'", ["[columns.a] must be a table with a kind; got 'flag'"]),
        ("[columns.a]", ["[columns.a] still needs its kind: one of 'number', 'category', 'date', 'flag', 'text'"]),
        ("[columns.'a b']", ["[columns.'a b'] still needs its kind"]),
        ("[columns.a]\nkind = 'nubmer'", ['[columns.a] must have a known kind, not "nubmer": did you mean "number"?']),
        ("[columns.a]\nkind = 3", ["must have a known kind, not 3."]),
        ("[columns.a]\nkind = 'number'", ["[columns.a] is a number and still needs bounds = [lo, hi]"]),
        ("[columns.a]\nkind = 'date'", ["[columns.a] is a date and still needs bounds = [first day, last day]"]),
        ("[columns.a]\nkind = 'category'", ["[columns.a] is a category and still needs values = [...]"]),
        ("[columns.a]\nkind = 'number'\nbound = [0, 1]", ['[columns.a] knows no key "bound": did you mean "bounds"?']),
        ("[columns.a]\nkind = 'flag'\nvalues = [1]", ['[columns.a] knows no key "values". Allowed: "kind", "missing"']),
        ("[columns.a]\nkind = 'number'\nbounds = 3", ["[columns.a]: bounds must be two values [lo, hi]; got 3"]),
        ("[columns.a]\nkind = 'number'\nbounds = [1]", ["bounds must be two values [lo, hi]; got a list"]),
        ("[columns.a]\nkind = 'number'\nbounds = [1, 0]", ["[columns.a]: lo must be below hi; got 1 and 0"]),
        ("[columns.a]\nkind = 'number'\nbounds = [0, 1]\nstep = true", ["[columns.a]: step must be a finite number"]),
        ("[columns.a]\nkind = 'category'\nvalues = 'x'", ["[columns.a]: values must be a list; got 'x'"]),
        ("[columns.a]\nkind = 'category'\nvalues = [['x']]", ["[columns.a]: values must be"]),
        ("[columns.a]\nkind = 'date'\nbounds = [1, 2]", ["[columns.a]: lo must be a day"]),
        ("adjacency = 'edge'" + FLAG, ["adjacency must be one of 'add_remove', 'replace'; got 'edge'"]),
        ("adjacency = 3" + FLAG, ["adjacency must be one of 'add_remove', 'replace'; got 3"]),
        ("data = ['x.csv']" + FLAG, ["data must be one line of text", "got a list"]),
        ("data = ' '" + FLAG, ["data must be a path; got ' '"]),
        ("engine = 3" + FLAG, ["engine must be one line of text"]),
        ("[graph]", ["[graph] still needs nodes: how many there are, a list of labels, or a file of them"]),
        ("[graph]\nnode = 5", ['[graph] knows no key "node": did you mean "nodes"?']),
        ("[graph]\nnodes = 0", ["nodes must be a whole number of at least 1; got 0"]),
        ("[graph]\nnodes = true", ["nodes must be a whole number"]),
        ("[graph]\nnodes = ['a', 'a']", ["nodes must be an ordered sequence of distinct"]),
        ("[graph]\nnodes = 5\nsrc = 'a'", ["[graph] must name both columns of a table of edges, src and dst"]),
        ("[graph]\nnodes = 5\nsrc = 1\ndst = 2", ["src must be one line of text"]),
        ("[graph]\nnodes = 5" + FLAG, ["must be of a table, with columns, or of a graph, and not of both"]),
        ("adjacency = 'replace'\n[graph]\nnodes = 5", ["adjacency must be one of 'edge'; got 'replace'"]),
        ("[reading]\nseparator = ';'" + FLAG, ['[reading] knows no key "separator"']),
        ("[reading]\ndelimiter = ';;'" + FLAG, ["delimiter must be one character; got ';;'"]),
        ("[reading]\ndecimal = ';'" + FLAG, ["decimal must be one of '.', ','; got ';'"]),
        ("[reading]\nna = [1]" + FLAG, ["na must be a text or a list of texts; got a list"]),
        ("[reading]\nencoding = 8" + FLAG, ["encoding must be one line of text"]),
        ("[reading]\nheader = 'no'" + FLAG, ["header must be True or False; got 'no'"]),
        ("a,b\n1,2", ["a description must be TOML (at line 1, column 2)"]),
        ("a = 1\nb = 'SECRET' x", ["a description must be TOML (at line 2, column "]),
    ],
)
def test_what_is_wrong_is_named_by_its_key(written: str, rules: list[str], refused: "Refused") -> None:
    with refused(ParameterError, *rules, hidden=("SECRET",)):
        Description.parse(written)


def test_files_that_cannot_be_read_are_refused_in_one_sentence(tmp_path: Path, refused: "Refused") -> None:
    (tmp_path / "latin.toml").write_bytes(b"data = '\xe9'")
    for path in (tmp_path / "none.toml", tmp_path, tmp_path / "latin.toml", "no\0file", 3):
        with refused(ParameterError, "must be a TOML file in UTF-8 that can be read"):
            Description.read(path)  # type: ignore[arg-type]


def test_a_graph_has_edges_for_neighbours() -> None:
    found = Description.parse("data = 'friends.csv'\n[graph]\nsrc = 'a'\ndst = 'b'\nnodes = 'nodes.txt'", folder="x")
    assert found.adjacency is Adjacency.EDGE
    assert found.columns == {}
    assert found.graph == {"src": "a", "dst": "b", "nodes": "nodes.txt"}
    assert Description({}, graph={"nodes": ["u", "v"]}).graph == {"nodes": ("u", "v")}


@pytest.mark.parametrize("name", ["columns", "adjacency", "data", "ledger", "engine", "graph", "reading"])
def test_spoiled_arguments_are_told_without_what_they_hold(name: str) -> None:
    def describe(spoiled: Any) -> Description:
        given: dict[str, Any] = {"columns": COLUMNS, name: spoiled}
        return Description(**given)

    assert list(faults_of(describe)) == []


def test_labels_that_no_file_holds_are_refused(refused: "Refused") -> None:
    with refused(ParameterError, "only texts, numbers, truth values and days can be written as TOML; got bytes"):
        Description({"a": Category(b"x")}).to_toml()


def test_tables_and_keys_are_written_as_toml_reads_them() -> None:
    odd = {"a.b": {"": {'"\\\n\x7f\u2028': ["\x00", 1.5, 1e300, float("inf"), True]}}, "plain": {}}
    assert tomllib.loads(toml_text(odd)) == odd
