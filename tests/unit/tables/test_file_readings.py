"""What is declared of a file (delimiter, decimal mark, texts for missing values, encoding, header) is what is done."""

import gzip
import io
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openpyxl import Workbook

import dampen
from dampen.describe.reading import FileReading
from dampen.errors import DataError, ParameterError
from dampen.tables import read_scores
from dampen.tables.engines import Source, open_engine
from dampen.tables.engines.spark import read_files
from dampen.tables.grid import as_grid
from dampen.tables.reading import MISSING, OTHER
from dampen.tables.stdin import spool_stdin
from tests.contracts.engines import spark_session

if TYPE_CHECKING:
    from tests.conftest import Refused

BOTH = ("duckdb", "arrays")
ALL = (*BOTH, pytest.param("spark", marks=pytest.mark.long))


def source(path: Path, content: str | bytes, engine: str = "duckdb", **reading: Any) -> Source:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if engine == "spark":
        spark_session()
    return Source(path, engine=engine, reading=FileReading(**reading))


def labels(data: Source, column: str, *known: Any) -> dict[int, int]:
    with open_engine(data, column) as engine:
        return engine.label_counts(column, known)


@pytest.mark.parametrize("engine", ALL)
def test_a_delimiter_that_no_header_would_tell(engine: str, tmp_path: Path) -> None:
    content = "a,b~c\n1~2\n"
    assert labels(source(tmp_path / "t.csv", content, engine, delimiter="~"), "a,b", 1) == {0: 1}
    assert labels(source(tmp_path / "t.dat", content, engine, delimiter="~"), "c", 2) == {0: 1}
    assert labels(source(tmp_path / "t.tsv", "a;b\n1;2\n", engine, delimiter=";"), "b", 2) == {0: 1}


@pytest.mark.parametrize("engine", BOTH)
def test_tabs_alone_part_a_tsv_file(engine: str, tmp_path: Path) -> None:
    assert labels(source(tmp_path / "t.tsv", "a,b,c\td\n1,2,3\t4\n", engine), "a,b,c", "1,2,3") == {0: 1}


NUMBERS = {"1,5": 1, "-,5": 0, " 2,0\t": 2, "15e-1": 1, "1,5E0": 1, "2": 2, "+1,": 1, "inf": 3}
NO_NUMBERS = ("1.5", "1.234,5", "1,234,5", "1.000", "1,5,", "x,y", ",", "1 5", "1.")


@pytest.mark.parametrize("engine", ALL)
def test_a_decimal_comma(engine: str, tmp_path: Path) -> None:
    """Nothing separates thousands: a number with a point is none, rather than a number that nobody meant."""
    fields = [*NUMBERS, *NO_NUMBERS]
    data = source(tmp_path / "t.csv", "v;w\n" + "".join(f"{field};x\n" for field in fields), engine, decimal=",")
    with open_engine(data, "v") as found:
        places, counts = found.histogram("v", as_grid([-1.0, 1.0, 2.0, 1e9]))
    expected: dict[int, int] = {OTHER: len(NO_NUMBERS)}
    for place in NUMBERS.values():
        expected[place] = expected.get(place, 0) + 1
    assert dict(zip(places.tolist(), counts.tolist(), strict=True)) == expected
    assert labels(data, "v", 1.5, "1.234,5", "x,y") == {0: 3, 1: 1, 2: 1, OTHER: len(fields) - 5}


def test_a_decimal_comma_in_quotes_between_commas(tmp_path: Path) -> None:
    data = source(tmp_path / "t.csv", 'v,w\n"1,5",x\n', decimal=",", delimiter=",")
    assert labels(data, "v", 1.5) == {0: 1}


@pytest.mark.parametrize("engine", ALL)
def test_texts_for_missing_values(engine: str, tmp_path: Path) -> None:
    """As they are written, and before any label."""
    content = 'v,w\nNA,1\nna,1\n NA,1\n-,1\n"NA",1\nit\'s,1\n,1\n'
    data = source(tmp_path / "t.csv", content, engine, na=("NA", "-", "it's"))
    assert labels(data, "v", "NA", "na", "-") == {1: 1, MISSING: 5, OTHER: 1}


@pytest.mark.parametrize("engine", BOTH)
def test_texts_for_missing_values_in_other_formats(engine: str, tmp_path: Path) -> None:
    lines = "".join(json.dumps({"v": value}) + "\n" for value in ("NA", 5, "5", "x", None))
    assert labels(source(tmp_path / "t.jsonl", lines, engine, na=("NA", "5")), "v", 5, "x") == {0: 1, 1: 1, MISSING: 3}
    book, held = Workbook(), io.BytesIO()
    for value in ("v", "NA", 5, "5", "x"):
        book.active.append([value])
    book.save(held)
    data = source(tmp_path / "t.xlsx", held.getvalue(), engine, na=("NA", "5"))
    assert labels(data, "v", 5, "x") == {0: 1, 1: 1, MISSING: 2}


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig", "cp500"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings(encoding: str, packed: bool, engine: str, tmp_path: Path) -> None:
    content = 'größe,"zwei\nZeilen"\ncafé,1\n'.encode(encoding)
    path = tmp_path / ("t.csv.gz" if packed else "t.csv")
    data = source(path, gzip.compress(content) if packed else content, engine, encoding=encoding)
    assert labels(data, "größe", "café") == {0: 1}
    assert labels(data, "zwei\nZeilen", 1) == {0: 1}
    for name, text in (("t.json", '[{"ä": "é"}]'), ("t.ndjson", '{"ä": "é"}\n')):
        assert labels(source(tmp_path / name, text.encode(encoding), engine, encoding=encoding), "ä", "é") == {0: 1}


def test_a_copy_in_utf_8_lies_in_the_private_folder_and_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    with open_engine(source(tmp_path / "t.csv", "v\ncafé\n".encode("utf-16"), encoding="utf-16"), "v"):
        [folder] = (tmp_path / "tmp").iterdir()
        assert (folder / "table0").read_text(encoding="utf-8") == "v\ncafé\n"
        assert folder.stat().st_mode & 0o77 == 0
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("engine", ALL)
def test_files_without_a_header(engine: str, tmp_path: Path) -> None:
    """The first line is a record like all others; it does not tell by which mark lines are parted."""
    data = source(tmp_path / "t.csv", "1,a;b;c;d\n2,e\n1,f\n", engine, header=False)
    assert labels(data, "c0", 1, 2) == {0: 2, 1: 1}
    assert labels(data, "c1", "a;b;c;d", "e") == {0: 1, 1: 1, OTHER: 1}
    assert labels(source(tmp_path / "s.csv", "1;2\n", engine, header=False, delimiter=";"), "c1", 2) == {0: 1}
    assert labels(source(tmp_path / "t.tsv", "1\t2\n", engine, header=False), "c1", 2) == {0: 1}


@pytest.mark.parametrize("engine", BOTH)
def test_blank_lines_and_no_lines_without_a_header(engine: str, tmp_path: Path) -> None:
    assert labels(source(tmp_path / "t.csv", "\n\n1,2\n\n3,2\n", engine, header=False), "c1", 2) == {0: 2}
    assert labels(source(tmp_path / "e.csv", "", engine, header=False), "c3", 2) == {}
    assert labels(source(tmp_path / "q.csv", '"1\n2",3\n4,5\n', engine, header=False), "c0", "1\n2") == {0: 1, OTHER: 1}


@pytest.mark.parametrize("engine", BOTH)
def test_sheets_without_a_header(engine: str, tmp_path: Path) -> None:
    """How far a row reaches is its own matter: the first one may end early."""
    book = Workbook()
    for row in ([1, None], [1, "a", "b"], [2]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    data = Source(tmp_path / "t.xlsx", engine=engine, reading=FileReading(header=False))
    assert labels(data, "c0", 1, 2) == {0: 2, 1: 1}
    assert labels(data, "c2", "b") == {0: 1, MISSING: 2}
    assert labels(data, "c9", "b") == {MISSING: 3}


def test_scores_are_read_as_declared(tmp_path: Path) -> None:
    data = source(tmp_path / "t.csv", "café;1,5\nthé;2\n".encode("latin-1"), encoding="latin-1", delimiter=";",
                  decimal=",", header=False)  # fmt: skip
    assert read_scores(data, label="c0", score="c1", real=True) == {"café": 1.5, "thé": 2.0}


def test_a_reading_goes_along_with_a_filter(tmp_path: Path) -> None:
    data = source(tmp_path / "t.csv", "1;a\n2;b\n", delimiter=";", header=False)
    budget = dampen.Budget(epsilon=10**6)
    assert dampen.count(Source(data, {"c1": "a"}), epsilon=10**6, budget=budget).value == 1


@pytest.mark.parametrize(
    ("name", "reading", "shown"),
    [
        ("t.parquet", {"na": "NA"}, ["na must be left out for Parquet", "CSV, TSV, JSON, XLSX"]),
        ("t.arrow", {"decimal": ","}, ["decimal must be left out for Arrow"]),
        ("t.json", {"delimiter": ";"}, ["delimiter must be left out for JSON", "CSV, TSV"]),
        ("t.ndjson", {"header": False}, ["header must be left out for JSON"]),
        ("t.xlsx", {"encoding": "latin-1"}, ["encoding must be left out for XLSX"]),
    ],
)
def test_options_that_mean_nothing_are_refused(
    name: str, reading: dict[str, Any], shown: list[str], tmp_path: Path, refused: "Refused"
) -> None:
    with refused(ParameterError, *shown), open_engine(source(tmp_path / name, b"", **reading), "v"):
        pass


def test_readings_are_for_files(tmp_path: Path, refused: "Refused") -> None:
    with refused(ParameterError, "reading is for files"):
        Source([1, 2], reading=FileReading(na=("NA",)))
    with refused(ParameterError, "reading must be a FileReading"):
        Source("t.csv", reading={"na": "NA"})  # type: ignore[arg-type]
    edges = source(tmp_path / "edges", "0 1\n", na="NA")
    with refused(ParameterError, "reading is for tables of edges"):
        dampen.Graph.from_file(edges, nodes=2)
    with refused(ParameterError, "encoding must be UTF-8 for Spark"):
        read_files(tmp_path / "edges", [], FileReading(encoding="latin-1", delimiter=" "))


# Standard input


def test_standard_input_is_a_file_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with spool_stdin(io.BytesIO(b"v;w\n1,5;2\n")) as path:
        assert path.parent.stat().st_mode & 0o77 == 0
        for _ in range(2):
            assert labels(Source(path, reading=FileReading(decimal=",")), "v", 1.5) == {0: 1}
    assert not list(tmp_path.iterdir())


def test_a_terminal_is_no_table(monkeypatch: pytest.MonkeyPatch, refused: "Refused") -> None:
    class Terminal(io.BytesIO):
        def isatty(self) -> bool:
            return True

    for stream in (Terminal(), None):
        monkeypatch.setattr("sys.stdin", None)
        with refused(ParameterError, "standard input"), spool_stdin(stream):
            pass


def test_what_cannot_be_decoded_is_refused(tmp_path: Path, refused: "Refused") -> None:
    for name in ("t.csv", "t.tsv", "t.json", "t.jsonl"):
        data = source(tmp_path / name, b"caf\xe9secret", encoding="ascii")
        with refused(DataError, name, "in ascii", hidden=("secret",)), open_engine(data, "v"):
            pass
