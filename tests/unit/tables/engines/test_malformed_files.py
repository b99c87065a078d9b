"""Malformed text is refused before anything is counted, by every engine that reads files, and by all alike."""

import re
from pathlib import Path

import pytest

from dampen.errors import DataError
from dampen.tables import count_categories, read_scores
from dampen.tables.engines import Source
from dampen.tables.files import csv_source
from tests.contracts.engines import spark_session

ENGINES = ["duckdb", "arrays", pytest.param("spark", marks=pytest.mark.long)]
MALFORMED = {
    "a quote that is never closed": 'a,b\n1,2\n"1,2\n1,2\n',
    "the same in a later field": 'a,b\n1,2\n1,"2\n1,2\n',
    "text after a closing quote": 'a,b\n1,2\n"1"x,2\n1,2\n',
    "a short line": "a,b\n1,2\n1\n1,2\n",
    "a long line": "a,b\n1,2\n1,2,3\n1,2\n",
    "one line end of another kind": "a,b\n1,2\n1,2\r\n1,2\n",
    "the other way round": "a,b\r\n1,2\r\n1,2\n1,2\r\n",
    "a lone carriage return": "a,b\n1\r,2\n1,2\n",
    "a line of blanks": "a,b\n1,2\n  \n1,2\n",
}
SOUND = {
    "a quote within a field": ('a,b\n1,2\n1x"y,2\n1,2\n', 2),
    "carriage returns alone": ("a,b\r1,2\r1,2\r", 2),
    "a line end in quotes": ('a,b\n"1\n",2\n1,2\n', 1),
    "another line end in quotes": ('a,b\n"1\r\n",2\n1,2\n', 1),
    "a doubled quote": ('a,b\n"1""",2\n1,2\n', 1),
    "an empty line": ("a,b\n1,2\n\n1,2\n", 2),
    "NUL": ("a,b\n1\0,2\n1,2\n", 1),
    "no line end at the end": ("a,b\n1,2\n1,2", 2),
    "a byte order mark": ("\ufeffa,b\n1,2\n1,2\n", 2),
    "blanks around": ("a,b\n 1 ,2\n1, 2\n", 2),
    "a backslash": ("a,b\n1\\,2\n1,2\n", 1),
    "a hash": ("a,b\n#1,2\n1,2\n", 1),
}


def held(text: str, engine: str, folder: Path) -> Source:
    if engine == "spark":
        spark_session()
    (folder / "t.csv").write_bytes(text.encode())
    return Source(folder / "t.csv", engine=engine)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_text_is_refused(name: str, engine: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="must be a CSV file"):
        count_categories(held(MALFORMED[name], engine, tmp_path), (1, 2), column="a", missing="drop", other="drop")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", SOUND)
def test_sound_text_is_read_alike(name: str, engine: str, tmp_path: Path) -> None:
    text, ones = SOUND[name]
    data = held(text, engine, tmp_path)
    assert count_categories(data, (1, 2), column="a", missing="drop", other="drop").tolist() == [ones, 0]


@pytest.mark.parametrize("name", MALFORMED)
def test_scores_are_read_as_strictly(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="must be a CSV file"):
        read_scores(held(MALFORMED[name], "duckdb", tmp_path), label="a", score="b")


def test_no_field_too_many_is_taken_for_a_missing_one() -> None:
    """DuckDB lets a line pass whose additional field is the beginning of what stands for null."""
    for _ in range(20):
        [null] = re.findall("nullstr='(.*?)'", csv_source(["t.csv"], 2, ","))
        assert ord(null[0]) > 0xFFFF
        assert len(null) > 30


def test_one_unclosed_quote_does_not_swallow_a_file(tmp_path: Path) -> None:
    """1002 rows once became 1 on Spark."""
    text = "a,b\n" + '"1,2\n' + "1,2\n" * 1001
    for engine in ("duckdb", "arrays"):
        with pytest.raises(DataError):
            count_categories(held(text, engine, tmp_path), (1, 2), column="a")


@pytest.mark.long
def test_nor_on_spark(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        count_categories(held("a,b\n" + '"1,2\n' + "1,2\n" * 1001, "spark", tmp_path), (1, 2), column="a")
