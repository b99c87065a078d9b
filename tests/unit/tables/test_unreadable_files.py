"""A file that cannot be read says which rule it breaks, and shows nothing of what it holds: no value, no place."""

import gzip
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import pandas as pd
import pytest
from openpyxl import Workbook

import dampen
from dampen.describe.reading import FileReading
from dampen.errors import DataError, ParameterError
from dampen.tables import count_categories
from dampen.tables.engines import Source

if TYPE_CHECKING:
    from tests.conftest import Refused

BOTH = ("duckdb", "arrays")
ROWS = 3000
HIDDEN = ("4711", "secret", str(ROWS), str(ROWS + 1), str(ROWS + 2))
"""Values, and numbers of lines near the one that is wrong."""
CSV = "v,w\n" + "4711,secret\n" * ROWS


def ask(data: Any, column: str = "v") -> None:
    count_categories(data, (4711,), column=column, missing="drop", other="drop")


def longer_sheet() -> bytes:
    book, held = Workbook(), io.BytesIO()
    for row in (["v"], [4711], [4711, "secret"]):
        book.active.append(row)
    book.save(held)
    return held.getvalue()


BROKEN: dict[str, tuple[str, bytes, list[str]]] = {
    "latin-1": ("t.csv", CSV.encode() + b"caf\xe9,secret\n", ["CSV file in UTF-8, and is not", "encoding='latin-1'"]),
    "latin-1 in the header": ("t.csv", b"caf\xe9,v\n1,2\n", ["in UTF-8, and is not", "--encoding"]),
    "UTF-16": ("t.csv", CSV.encode("utf-16"), ["in UTF-8, and is not"]),
    "a short line": ("t.csv", CSV.encode() + b"4711\n4711,1\n", ["as many fields in every line", "more, or fewer"]),
    "a long line": ("t.csv", CSV.encode() + b"4711,1,secret\n", ["as many fields in every line"]),
    "a short line of tabs": ("t.tsv", CSV.replace(",", "\t").encode() + b"4711\n", ["TSV file with as many fields"]),
    "an open quote": ("t.csv", CSV.encode() + b'"4711,secret\n', ["double quotes", "never closed"]),
    "text behind a quote": ("t.csv", CSV.encode() + b'"4711"x,secret\n', ["double quotes", "something follows"]),
    "two kinds of line ends": ("t.csv", CSV.encode() + b"4711,secret\r\n4711,1\n", ["one kind of line end"]),
    "nothing": ("t.csv", b"", ["with a header line: it is empty", "header=False (--no-header)"]),
    "a blank line": ("t.csv", b"\n4711\n", ["with a header line: it is empty, or begins with a blank line"]),
    "no gzip": ("t.csv.gz", CSV.encode(), ["compressed by gzip: it is not"]),
    "half a gzip": ("t.csv.gz", gzip.compress(CSV.encode())[:-30], ["compressed by gzip", "cut short"]),
    "a gzip without its last bytes": ("t.csv.gz", gzip.compress(CSV.encode())[:-8], ["compressed by gzip"]),
    "half a gzip of JSON": ("t.ndjson.gz", gzip.compress(b'{"v": 1}\n' * ROWS)[:-30], ["JSON file", "by gzip"]),
    "no Parquet": ("t.parquet", CSV.encode(), ["must be a Parquet file: it is none, or damaged"]),
    "no Arrow": ("t.arrow", CSV.encode(), ["must be an Arrow or Feather file"]),
    "an empty Arrow file": ("t.feather", b"", ["must be an Arrow or Feather file"]),
    "no workbook": ("t.xlsx", CSV.encode(), ["must be an Excel workbook: it is none, or damaged"]),
    "a row beyond the header": ("t.xlsx", longer_sheet(), ["no cell beyond its header: a row is longer"]),
    "half a record": ("t.json", b'[{"v": 4711}, {"v": "secret', ["must be JSON: one array of objects, or one object"]),
    "an array cut at a comma": ("t.json", b'[{"v": 4711},', ["must be JSON"]),
    "a packed array cut at a comma": ("t.json.gz", gzip.compress(b'[{"v": 4711},\n'), ["must be JSON"]),
    "a value behind an array": ("t.json", b'[{"v": 4711}] "secret"', ["must be JSON"]),
    "an array of values": ("t.json", b'[4711, "secret"]', ["must be JSON"]),
    "a line that is no object": ("t.ndjson", b'{"v": 4711}\n["secret"]\n', ["must be JSON", "one object in each line"]),
    "a line that is no JSON": ("t.jsonl", b'{"v": 4711}\nsecret\n', ["must be JSON", "one object in each line"]),
    "an array over lines": ("t.ndjson", b'[{"v": 4711},\n{"v": 4711}]\n', ["must be JSON"]),
    "JSON in latin-1": ("t.json", b'[{"v": "caf\xe9 secret"}]', ["JSON file in UTF-8, and is not", "--encoding"]),
}


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("name", BROKEN)
def test_which_rule_is_broken(name: str, engine: str, tmp_path: Path, refused: "Refused") -> None:
    file, content, shown = BROKEN[name]
    (tmp_path / file).write_bytes(content)
    with refused(DataError, file, *shown, hidden=HIDDEN):
        ask(Source(tmp_path / file, engine=engine))


def test_nothing_is_spent(tmp_path: Path, refused: "Refused", untouched: dampen.Budget) -> None:
    for file, content, _ in BROKEN.values():
        (tmp_path / file).write_bytes(content)
        with refused(DataError, file, hidden=HIDDEN):
            dampen.median(Source(tmp_path / file, column="v"), bounds=range(9), epsilon=1, budget=untouched)


def test_the_file_that_is_wrong_is_named(tmp_path: Path, refused: "Refused") -> None:
    for name, end in (("a", ""), ("b", ""), ("c", "4711\n")):
        (tmp_path / f"{name}.csv").write_text(CSV + end)
    with refused(DataError, "c.csv must be a CSV file with as many fields", hidden=HIDDEN):
        ask(str(tmp_path / "*.csv"))


def test_another_delimiter_is_looked_at(tmp_path: Path, refused: "Refused") -> None:
    """Which lines are ragged depends on the mark that the header told, not on the comma."""
    (tmp_path / "t.csv").write_text("v;w\n1,2;3\n4711\n")
    with refused(DataError, "as many fields in every line"):
        ask(tmp_path / "t.csv")
    (tmp_path / "t.csv").write_text("v;w\n1,2;3\n4711;1\r\n4711;1\n")
    with refused(DataError, "one kind of line end"):
        ask(tmp_path / "t.csv")


def test_folders_and_files_that_may_not_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    with refused(ParameterError, "file must be a file, or a pattern such as 'pay/*.csv', and no folder"):
        ask(tmp_path)
    (tmp_path / "t.csv").write_text(CSV)

    def deny(*_: Any, **__: Any) -> Any:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", deny)
        with refused(ParameterError, "permission is denied", "t.csv"):
            ask(tmp_path / "t.csv")
    ask(tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        (
            "pya",
            ["column must be a column of t.csv", "'pya'", "did you mean 'pay'?", "(columns: 'pay', 'team', 'age')"],
        ),
        ("Team", ["did you mean 'team'?"]),
    ],
)
def test_a_misspelt_column_is_told_from_the_header(
    column: str, shown: list[str], tmp_path: Path, refused: "Refused"
) -> None:
    (tmp_path / "t.csv").write_text("pay,team,age\n4711,secret,3\n")
    for engine in BOTH:
        with refused(ParameterError, *shown, hidden=HIDDEN):
            ask(Source(tmp_path / "t.csv", engine=engine), column)


def test_names_of_typed_files_are_always_told(tmp_path: Path, refused: "Refused") -> None:
    pd.DataFrame({"pay": [4711], "team": ["secret"]}).to_parquet(tmp_path / "t.parquet")
    pd.DataFrame({"pay": [4711], "team": ["secret"]}).to_feather(tmp_path / "t.feather")
    for name in ("t.parquet", "t.feather"):
        with refused(ParameterError, "'zzz'", "(columns: 'pay', 'team')", hidden=(*HIDDEN, "mean")):
            ask(tmp_path / name, "zzz")


def test_names_by_place_are_told(tmp_path: Path, refused: "Refused") -> None:
    (tmp_path / "t.csv").write_text("4711,secret\n")
    with refused(ParameterError, "'pay'", "(columns: 'c0', 'c1')", hidden=HIDDEN):
        ask(Source(tmp_path / "t.csv", reading=FileReading(header=False)), "pay")


@pytest.mark.parametrize("first", ["secret,ann", "4711,pay", "pay,", "47.11,pay"])
def test_a_first_record_is_not_told_for_names(first: str, tmp_path: Path, refused: "Refused") -> None:
    """Nor is one in which a value happens to be much like the name that was given."""
    (tmp_path / "t.csv").write_text(f"{first}\n4711,secret\n")
    book = Workbook()
    book.active.append([value or None for value in first.split(",")])
    book.active.append([None, None, None])
    book.save(tmp_path / "t.xlsx")
    hidden = (*HIDDEN, "ann", "47.11", "'pay'")
    for name in ("t.csv",) if first == "pay," else ("t.csv", "t.xlsx"):
        with refused(ParameterError, "column must be a column of", "header=False (--no-header)", hidden=hidden):
            ask(tmp_path / name, "pays")


def test_many_and_long_names_fit_in_one_line(tmp_path: Path, refused: "Refused") -> None:
    names = [f"{'n' * 70}{number}" for number in range(50)]
    (tmp_path / f"{'t' * 90}.csv").write_text(",".join(names) + "\n")
    with refused(ParameterError, "...", "did you mean"):
        ask(tmp_path / f"{'t' * 90}.csv", "n" * 80)


def test_a_graph_of_networkx_is_no_table(refused: "Refused", untouched: dampen.Budget) -> None:
    graph = nx.Graph([(4711, 4712)])
    with refused(ParameterError, "dampen.Graph.from_networkx", hidden=HIDDEN):
        dampen.count(graph, epsilon=1, budget=untouched)
    with refused(ParameterError, "dampen.Graph.from_networkx", hidden=HIDDEN):
        dampen.median(graph, bounds=range(9), epsilon=1, budget=untouched)
