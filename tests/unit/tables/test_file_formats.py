"""The same table in every format gives the same counts, and every value of a format is read by itself."""

import gzip
import json
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from openpyxl import Workbook

import dampen
from dampen.errors import DataError, MissingExtra, ParameterError
from dampen.graphs.files import labels_of_edges
from dampen.tables import read_scores
from dampen.tables.engines import CodedTable, Labels, Source, open_engine
from dampen.tables.engines.base import Bins, RowForm
from dampen.tables.engines.spark import read_files
from dampen.tables.file_formats import BY_ENDING
from dampen.tables.grid import as_grid
from dampen.tables.reading import MISSING, OTHER
from dampen.tables.rows import read_batches

if TYPE_CHECKING:
    from tests.conftest import Refused

FRAME = pl.DataFrame(
    {
        "pay": [1200, 700, 700, -3, 2**53 + 1, 10],
        "rate": [0.1, 2.5, 2.5, -0.0, 1e300, 3.0],
        "team": ["lab", "board", "lab", "Ä b,c", "01", "lab"],
        "well": [True, False, True, True, True, False],
    }
)


def _json(records: list[dict[str, Any]], path: Path) -> None:
    path.write_text(json.dumps(records, indent=1, ensure_ascii=False), encoding="utf-8")


def _lines(frame: pl.DataFrame) -> str:
    return "".join(json.dumps(record) + "\n" for record in frame.to_dicts())


def _sheet(frame: pl.DataFrame, path: Path) -> None:
    book = Workbook()
    book.active.append(frame.columns)
    for row in frame.rows():
        book.active.append(row)
    book.save(path)


WRITERS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    ".csv": lambda frame, path: frame.write_csv(path),
    ".csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode())),
    ".tsv": lambda frame, path: frame.write_csv(path, separator="\t"),
    ".tsv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv(separator="\t").encode())),
    ".json": lambda frame, path: _json(frame.to_dicts(), path),
    ".json.gz": lambda frame, path: path.write_bytes(gzip.compress(json.dumps(frame.to_dicts()).encode())),
    ".ndjson": lambda frame, path: path.write_text(_lines(frame)),
    ".jsonl": lambda frame, path: path.write_text("\ufeff" + _lines(frame).replace("\n", "\r\n"), encoding="utf-8"),
    ".ndjson.gz": lambda frame, path: path.write_bytes(gzip.compress(_lines(frame).encode())),
    ".parquet": lambda frame, path: frame.write_parquet(path),
    ".arrow": lambda frame, path: frame.write_ipc(path),
    ".feather": lambda frame, path: frame.write_ipc(path, compression="zstd"),
    ".xlsx": _sheet,
}
BOTH = ("duckdb", "arrays")
TABLE = CodedTable({"pay": Bins(0.0, 2000.0, (500.0, 1000.0))}, "team", Labels(("lab", "board", "Ä b,c", 1)))


def written(ending: str, folder: Path, frame: pl.DataFrame = FRAME, name: str = "rows") -> Path:
    path = folder / f"{name}{ending}"
    WRITERS[ending](frame, path)
    return path


def counted(data: Any) -> dict[str, Any]:
    """Everything that an engine counts, of the rows of ``FRAME``."""
    with open_engine(data, "pay", "rate", "team", "well") as engine:
        pay, rate = as_grid(range(0, 2001, 100)), as_grid(bounds=(0, 5), step="0.1")
        places = [tuple(map(tuple, engine.histogram(name, grid))) for name, grid in (("pay", pay), ("rate", rate))]
        return {
            "rows": engine.row_count(),
            "places": places,
            "sums": engine.sums("rate", (0, 10)),  # type: ignore[arg-type]
            "teams": engine.label_counts("team", ("lab", "board", "Ä b,c", 1)),
            "well": engine.label_counts("well", (True, False)),
            "levels": engine.contingency(TABLE).tolist(),
        }


def test_every_ending_is_written_here() -> None:
    assert {*WRITERS} <= {*BY_ENDING}
    assert {ending.split(".")[1] for ending in WRITERS} == {ending.split(".")[1] for ending in BY_ENDING}


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("ending", WRITERS)
def test_the_same_counts(ending: str, engine: str, tmp_path: Path) -> None:
    expected = counted({name: FRAME[name].to_list() for name in FRAME.columns})
    assert expected["teams"] == {0: 3, 1: 1, 2: 1, 3: 1}
    assert counted(Source(written(ending, tmp_path), engine=engine)) == expected


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize("ending", WRITERS)
def test_a_filter_and_a_pattern(ending: str, engine: str, tmp_path: Path) -> None:
    """Two files of one format are one table, and a column that is only filtered by is read too."""
    for name in ("one", "two"):
        written(ending, tmp_path, name=name)
    with open_engine(Source(str(tmp_path / f"*{ending}"), {"team": "lab", "well": True}, engine), "pay") as found:
        assert found.label_counts("pay", (1200, 700)) == {0: 2, 1: 2}


@pytest.mark.parametrize("ending", WRITERS)
def test_rows_leave_as_they_are(ending: str, tmp_path: Path) -> None:
    """Also piece by piece; a field of text is a text."""
    path, textual = written(ending, tmp_path), "csv" in ending or "tsv" in ending
    readings = {"pay": RowForm.AS_IT_IS, "team": RowForm.AS_IT_IS, "well": RowForm.AS_IT_IS, "rate": RowForm.FLOATS}
    for engine in BOTH:
        [found] = read_batches(Source(path, engine=engine), readings)
        assert found["pay"].tolist()[:2] == (["1200", "700"] if textual else [1200, 700])
        assert found["team"].tolist() == FRAME["team"].to_list()
        assert found["well"].tolist()[:2] == (["true", "false"] if textual else [True, False])
        assert found["rate"].tolist() == FRAME["rate"].to_list()


@pytest.mark.parametrize("ending", WRITERS)
def test_scores_and_edges(ending: str, tmp_path: Path) -> None:
    scores = written(ending, tmp_path, pl.DataFrame({"name": ["tea", "coffee"], "votes": [31, 28]}))
    assert read_scores(scores, label="name", score="votes") == {"tea": 31, "coffee": 28}
    frame = pl.DataFrame({"s": [0, 1, 0], "d": [1, 2, 1], "kind": ["mail", "mail", "call"]})
    edges = written(ending, tmp_path, frame, "edges")
    graph = dampen.Graph.from_file(edges, src="s", dst="d", nodes=4)
    assert graph.degrees().tolist() == [1, 2, 1, 0]
    assert labels_of_edges(edges, "s", "d") == ("0", "1", "2")
    mail = dampen.Graph.from_file(Source(edges, {"kind": "mail"}), src="s", dst="d", nodes=4)
    assert mail.report.rows == 2


@pytest.mark.parametrize("ending", WRITERS)
def test_a_table_without_rows(ending: str, tmp_path: Path) -> None:
    """Records that are not there do not tell their columns, so those that are asked for are taken to be there."""
    for engine in BOTH:
        with open_engine(Source(written(ending, tmp_path, FRAME[:0]), engine=engine), "pay", "team") as found:
            assert found.row_count() == 0
            assert found.label_counts("team", ("lab",)) == {}
            assert found.histogram("pay", as_grid(range(3)))[1].sum() == 0


# Formats whose values have types of their own

ODD: tuple[Any, ...] = (1, "1", 1.0, True, "true", None, "", "NA", "x", 2**53 + 1, "9007199254740993", 0.5, "0.5", -3)
"""Values that one type of column could not hold side by side."""
LABELS = (1, "1", True, "true", 2**53 + 1, "x", 0.5)


def odd_json(values: Any, path: Path) -> Path:
    path.write_text("".join(json.dumps({"v": value, "n": 1}) + "\n" for value in values))
    return path


def odd_cells(values: Any, path: Path) -> Path:
    book = Workbook()
    book.active.append(["v", "n"])
    for value in values:
        book.active.append([value, 1])
    book.save(path)
    return path


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize(("write", "name"), [(odd_json, "v.jsonl"), (odd_cells, "v.xlsx")])
def test_a_value_is_read_by_itself(write: Any, name: str, engine: str, tmp_path: Path) -> None:
    """One record more, of whatever type, moves each vector of counts by one, at the place that it has alone."""
    values = [value for value in ODD if not (write is odd_cells and value == 2**53 + 1)]

    def counts(given: list[Any]) -> tuple[dict[int, int], dict[int, int]]:
        path = write(given, tmp_path / name)
        with open_engine(Source(path, engine=engine), "v") as found:
            places, many = found.histogram("v", as_grid([0.0, 0.5, 1.0, 2.0, 2.0**53]))
            return found.label_counts("v", LABELS), dict(zip(places.tolist(), many.tolist(), strict=True))

    whole = counts(values)
    alone = [counts([value]) for value in values]
    for spot in range(2):
        assert whole[spot] == {
            place: sum(part[spot].get(place, 0) for part in alone) for part in alone for place in part[spot]
        }
    with open_engine({"v": values}) as found:
        assert whole[0] == found.label_counts("v", LABELS)


def test_an_odd_record_does_not_change_how_others_are_read(tmp_path: Path) -> None:
    """With a thousand whole numbers, sniffed types would make texts or floats of them all."""
    numbers: list[Any] = [2**53 + 1] * 1000
    for odd in ("x", 0.5, True, None, [1], {"a": 1}):
        for engine in BOTH:
            path = odd_json([*numbers, odd], tmp_path / "v.ndjson")
            with open_engine(Source(path, engine=engine), "v") as found:
                assert found.label_counts("v", (2**53, 2**53 + 1))[1] == 1000


@pytest.mark.parametrize("engine", BOTH)
@pytest.mark.parametrize(
    ("written_as", "place"),
    [
        ("9007199254740993", 1),
        ('"9007199254740993"', 1),
        ("9007199254740992.0", 0),
        ("9223372036854775807", 2),
        ("1e2", 3),
        ("100", 3),
        ("100.0", 3),
        ("-Infinity", 4),
        ("1e400", 5),
        ("NaN", MISSING),
        ("null", MISSING),
        ('" "', MISSING),
        ("[100]", OTHER),
        ('{"v": 100}', OTHER),
        ('"[100]"', 6),
        ("true", OTHER),
        ('"\\u00e9\\t\\u0000"', 7),
    ],
)
def test_values_of_json(written_as: str, place: int, engine: str, tmp_path: Path) -> None:
    labels = (2**53, 2**53 + 1, 2**63 - 1, 100, "-inf", "inf", "[100]", "é\t\0")
    path = tmp_path / "v.json"
    path.write_text(f'[{{"v": {written_as}}}]')
    with open_engine(Source(path, engine=engine), "v") as found:
        assert found.label_counts("v", labels) == {place: 1}


@pytest.mark.parametrize("engine", BOTH)
def test_keys_of_json_are_those_that_are_asked_for(engine: str, tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    path.write_text('{"a": 1, "A": 2, "a/b": 3, "~": 4, "it\'s": 5, "": 6, "$.a": 7, "a b\\"": 8}\n{"other": 1}\n')
    names = ("a", "A", "a/b", "~", "it's", "", "$.a", 'a b"', "nowhere")
    with open_engine(Source(path, engine=engine), *names) as found:
        for place, name in enumerate(names[:-1]):
            assert found.label_counts(name, range(1, 9)) == {place: 1, MISSING: 1}
        assert found.label_counts("nowhere", (1,)) == {MISSING: 2}
    with open_engine(Source(path, engine=engine)) as found:
        assert found.row_count() == 2


def test_cells_are_what_they_are(tmp_path: Path) -> None:
    """Formulas are the values that were kept of them, of which openpyxl keeps none."""
    values = [date(2024, 2, 29), datetime(2024, 2, 29, 12, 30), "2024-02-29", 5, 5.5, "5", True, "=1+1", "#N/A"]
    for engine in BOTH:
        with open_engine(Source(odd_cells(values, tmp_path / "v.xlsx"), engine=engine), "v") as found:
            counts = found.label_counts("v", (date(2024, 2, 29), datetime(2024, 2, 29, 12, 30), 5, "5", True, "#N/A"))
        assert counts == {0: 2, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, MISSING: 1, OTHER: 1}


def test_the_first_sheet_counts_and_empty_rows_do_not(tmp_path: Path) -> None:
    book = Workbook()
    for row in (["v", "w", None], [1, None], [None, None], [None, 2], []):
        book.active.append(row)
    book.create_sheet("other").append(["v", 9, 9, 9])
    book.save(tmp_path / "v.xlsx")
    with open_engine(tmp_path / "v.xlsx", "v") as found:
        assert found.row_count() == 2
        assert found.label_counts("v", (1,)) == {0: 1, MISSING: 1}


def test_a_stream_of_arrow_and_half_floats(tmp_path: Path) -> None:
    import numpy as np
    import pyarrow as pa

    table = pa.table({"v": np.array([0.5, 1.0, 2.0], dtype=np.float16), "d": pa.array(["a", None, "a"])})
    table = table.set_column(1, "d", table["d"].dictionary_encode())
    with pa.ipc.new_stream(tmp_path / "v.arrow", table.schema) as writer:
        writer.write_table(table)
    for engine in BOTH:
        with open_engine(Source(tmp_path / "v.arrow", engine=engine), "v", "d") as found:
            assert found.label_counts("v", (0.5, 1, 3)) == {0: 1, 1: 1, OTHER: 1}
            assert found.label_counts("d", ("a", "b")) == {0: 2, MISSING: 1}


# What is refused


def test_files_of_one_format_must_fit_together(tmp_path: Path, refused: "Refused") -> None:
    for ending in (".arrow", ".xlsx", ".csv.gz"):
        written(ending, tmp_path)
        written(ending, tmp_path, FRAME.rename({"pay": "wage"}), "more")
        with refused(DataError, "same", hidden=("1200",)), open_engine(str(tmp_path / f"*{ending}"), "pay"):
            pass
    with refused(ParameterError, "files must all be of one format", ".arrow and .gz"):
        dampen.tables.count_on_grid(str(tmp_path / "*"), range(3), column="pay")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("rows.cvs", ["file must end in .csv, .tsv, .json, .ndjson", "'rows.cvs'", "did you mean .csv?"]),
        ("rows.xls", ["did you mean .xlsx?"]),
        ("rows.csv.gzip", ["did you mean .csv.gz?"]),
        ("rows.parquet.gz", ["did you mean .parquet?"]),
        ("rows", ["file must end in", "delimiter="]),
    ],
)
def test_unknown_endings(name: str, shown: list[str], tmp_path: Path, refused: "Refused") -> None:
    (tmp_path / name).write_text("v\n4711\n")
    with refused(ParameterError, *shown, hidden=("4711",)), open_engine(tmp_path / name, "v"):
        pass


@pytest.mark.parametrize("ending", [".json", ".ndjson", ".arrow", ".feather", ".xlsx"])
def test_spark_says_what_it_reads(ending: str, tmp_path: Path, refused: "Refused") -> None:
    with refused(ParameterError, "engine 'spark' reads .csv, .csv.gz,", ".parquet", "'duckdb'", f"'rows{ending}'"):
        read_files(written(ending, tmp_path), ["pay"])


@pytest.mark.parametrize(
    ("ending", "module", "shown"), [(".xlsx", "openpyxl", "dampen[xlsx]"), (".arrow", "pyarrow", "pip install pyarrow")]
)
def test_a_missing_extra_is_named(
    ending: str, module: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: "Refused"
) -> None:
    path = written(ending, tmp_path)
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with refused(MissingExtra, shown), open_engine(path, "pay"):
        pass


@pytest.mark.long
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".tsv.gz", ".parquet"])
def test_the_same_counts_on_spark(ending: str, tmp_path: Path) -> None:
    from tests.contracts.engines import spark_session

    spark_session()
    with open_engine(Source(written(ending, tmp_path), engine="spark"), "pay", "team") as engine:
        assert engine.row_count() == len(FRAME)
        assert engine.label_counts("team", ("lab", "board", "Ä b,c", 1)) == {0: 3, 1: 1, 2: 1, 3: 1}
        assert engine.label_counts("pay", (700, 2**53, 2**53 + 1)) == {0: 2, 2: 1, OTHER: 3}
