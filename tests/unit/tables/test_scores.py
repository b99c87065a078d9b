"""Scores and labels from files; what is refused names the column and the rule, never a value."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from dampen.errors import DampenError, DataError, ParameterError
from dampen.tables import read_labels, read_scores

if TYPE_CHECKING:
    from tests.conftest import Refused

SECRET = "secret"
SAMPLED = 30_000
"""More rows than a CSV reader looks at before it settles on a format."""


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def parquet(path: Path, rows: str, columns: str = "name, votes") -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"copy (select * from (values {rows}) t({columns})) to '{path}' (format parquet)")
    return path


def read(path: Path, **arguments: Any) -> dict[str, Any]:
    return dict(read_scores(path, **{"label": "name", "score": "votes", **arguments}))


@pytest.mark.parametrize(
    "content",
    [
        "name,votes\ntea,31\ncoffee,28\n",
        "votes,name\n31,tea\n28,coffee\n",
        "id,name,votes\n1,tea,31\n2,coffee,28\n",
        "name,votes\r\ntea,31\r\ncoffee,28\r\n",
        "name;votes\ntea;31\ncoffee;28\n",
        '"name","votes"\n"tea","31"\n"coffee","28"\n',
    ],
)
def test_whole_scores_from_csv(content: str, tmp_path: Path) -> None:
    scores = read(write(tmp_path / "scores.csv", content))
    assert scores == {"tea": 31, "coffee": 28}
    assert {type(score) for score in scores.values()} == {int}


def test_declared_reals_are_floats_even_where_they_are_whole(tmp_path: Path) -> None:
    scores = read(write(tmp_path / "scores.csv", "name,votes\ntea,31\ncoffee,2.5\n"), real=True)
    assert scores == {"tea": 31.0, "coffee": 2.5}
    assert {type(score) for score in scores.values()} == {float}


@pytest.mark.parametrize("labels", [["007", "7", "2020-01-01", "NULL"], ["007", "07"], ["1.50", "1e3"], ["true"]])
def test_labels_stay_as_they_are_written(labels: list[str], tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", "name,votes\n" + "".join(f"{label},1\n" for label in labels))
    assert list(read(path)) == labels


def test_a_quoted_label_may_hold_commas_and_quotes(tmp_path: Path) -> None:
    path = write(tmp_path / "scores.csv", 'name,votes\n"a, b",4\n"the ""best""",5\n')
    assert list(read(path)) == ["a, b", 'the "best"']


def test_scores_from_parquet(tmp_path: Path) -> None:
    assert read(parquet(tmp_path / "scores.parquet", "('tea', 31), ('coffee', 28)")) == {"tea": 31, "coffee": 28}
    reals = parquet(tmp_path / "reals.parquet", "('tea', 0.5::double), ('coffee', 2)")
    assert read(reals, real=True) == {"tea": 0.5, "coffee": 2.0}


def test_parquet_is_known_by_its_ending_in_any_case(tmp_path: Path) -> None:
    assert read(parquet(tmp_path / "scores.PARQUET", "('tea', 31), ('coffee', 28)")) == {"tea": 31, "coffee": 28}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_column_names_may_hold_spaces_and_quotes(kind: str, tmp_path: Path) -> None:
    label, score = 'the "best" name', "it's; drop table votes"
    if kind == "csv":
        path = write(tmp_path / "scores.csv", '"the ""best"" name","it\'s; drop table votes"\ntea,31\ncoffee,28\n')
    else:
        columns = '"the ""best"" name", "it\'s; drop table votes"'
        path = parquet(tmp_path / "scores.parquet", "('tea', 31), ('coffee', 28)", columns)
    assert read(path, label=label, score=score) == {"tea": 31, "coffee": 28}


@pytest.mark.parametrize("name", ["scores[1].csv", "scores*.csv", "scores?.csv", "it's (1).csv"])
def test_a_file_name_is_no_pattern(name: str, tmp_path: Path) -> None:
    write(tmp_path / "scores1.csv", "name,votes\nother,99\n")
    assert read(write(tmp_path / name, "name,votes\ntea,31\n")) == {"tea": 31}


def test_many_rows_are_all_read(tmp_path: Path) -> None:
    content = "name,votes\n" + "".join(f"label {i},{i}\n" for i in range(SAMPLED))
    assert read(write(tmp_path / "scores.csv", content)) == {f"label {i}": i for i in range(SAMPLED)}


@pytest.mark.parametrize("last", ['"tea",31', '"the ""best"", tea",31'], ids=["quoted", "comma and quotes"])
def test_quotes_far_down_mean_what_they_mean_at_the_top(last: str, tmp_path: Path) -> None:
    content = "name,votes\n" + "".join(f"x{i},1\n" for i in range(SAMPLED)) + last + "\n"
    label, score = list(read(write(tmp_path / "scores.csv", content)).items())[-1]
    assert label in ("tea", 'the "best", tea')
    assert score == 31


def test_a_table_without_rows_has_no_scores(tmp_path: Path) -> None:
    assert read(write(tmp_path / "scores.csv", "name,votes\n")) == {}


@pytest.mark.parametrize(
    ("content", "arguments", "error", "shown"),
    [
        ("name,votes\nsecret,\nb,2\n", {}, DataError, ["'votes'", "missing"]),
        ('name,votes\nsecret,""\nb,2\n', {}, DataError, ["'votes'", "missing"]),
        ("name,votes\nsecret,1\n,2\n", {}, DataError, ["'name'", "missing"]),
        ("name,votes\nsecret,1\nsecret,2\n", {}, DataError, ["'name'", "once"]),
        ("name,votes\nsecret,x98765\nb,2\n", {}, DataError, ["'votes'", "whole numbers", "--real"]),
        ("name,votes\nsecret,98765.5\nb,2\n", {}, DataError, ["'votes'", "whole numbers", "--real"]),
        ("name,votes\nsecret,98765.0\nb,2\n", {}, DataError, ["'votes'", "whole numbers", "--real"]),
        ("name,votes\nsecret,1e5\nb,2\n", {}, DataError, ["'votes'", "whole numbers", "--real"]),
        ("name,votes\nsecret,x98765\nb,2\n", {"real": True}, DataError, ["'votes'", "numbers"]),
        ("name,votes\nsecret,1\nb,2\n", {"label": "who"}, ParameterError, ["label", "scores.csv", "'who'"]),
        ("name,votes\nsecret,1\nb,2\n", {"score": "points"}, ParameterError, ["score", "scores.csv", "'points'"]),
        ("name,votes\nsecret,1\nb,2\n", {"label": "Name"}, ParameterError, ["label", "'Name'"]),
        ("secret\nb\n", {}, ParameterError, ["label", "'name'"]),
        ("", {}, DampenError, ["scores.csv"]),
        (bytes(range(256)) * 10, {}, DataError, ["scores.csv", "CSV"]),
        ("name,votes\nsecr\xe9t,1\n".encode("latin-1"), {}, DataError, ["scores.csv"]),
    ],
)
def test_a_wrong_table_is_refused_without_a_value(
    content: str | bytes,
    arguments: dict[str, Any],
    error: type[DampenError],
    shown: list[str],
    tmp_path: Path,
    refused: "Refused",
) -> None:
    with refused(error, *shown, hidden=(SECRET, "98765", "secr")):
        read(write(tmp_path / "scores.csv", content), **arguments)


@pytest.mark.parametrize(
    "last",
    [b"secret,1,2,3\n", b"secret\n", "secr\xe9t,1\n".encode("latin-1")],
    ids=["too long", "too short", "not utf-8"],
)
def test_a_broken_row_far_down_is_refused_without_a_value(last: bytes, tmp_path: Path, refused: "Refused") -> None:
    """The reader settles on a format from the first rows, and fails later with the offending line in its message."""
    rows = "".join(f"x{i},1\n" for i in range(SAMPLED))
    with refused(DataError, hidden=("secr",)):
        read(write(tmp_path / "scores.csv", f"name,votes\n{rows}".encode() + last))


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ("('secret', 98765), ('b', null)", ["'votes'", "missing"]),
        ("('secret', 98765), (null, 1)", ["'name'", "missing"]),
        ("('secret', 98765), ('secret', 1)", ["'name'", "once"]),
        ("('secret', 98765.5), ('b', 1)", ["'votes'", "whole numbers"]),
        ("('secret', 'x98765'), ('b', '1')", ["'votes'", "whole numbers"]),
    ],
)
def test_a_wrong_parquet_table_is_refused_without_a_value(
    rows: str, shown: list[str], tmp_path: Path, refused: "Refused"
) -> None:
    with refused(DataError, *shown, hidden=(SECRET, "98765")):
        read(parquet(tmp_path / "scores.parquet", rows))


def test_a_file_that_is_no_parquet_is_refused(tmp_path: Path, refused: "Refused") -> None:
    with refused(DataError, "scores.parquet", "Parquet", hidden=(SECRET,)):
        read(write(tmp_path / "scores.parquet", "name,votes\nsecret,1\n"))


@pytest.mark.parametrize("name", ["none.csv", "none.parquet"])
def test_a_missing_file_is_refused(name: str, tmp_path: Path, refused: "Refused") -> None:
    with refused(ParameterError, "file must exist"):
        read(tmp_path / name)
    with refused(ParameterError, "file must exist"):
        read_labels(tmp_path / name)


def test_labels_are_the_lines_that_are_not_blank(tmp_path: Path) -> None:
    path = write(tmp_path / "names.txt", " tea \n\ncoffee with milk\r\n   \nwater")
    assert read_labels(path) == ("tea", "coffee with milk", "water")


def test_a_mark_of_byte_order_is_no_part_of_a_label(tmp_path: Path) -> None:
    content = "tea\ncoffee\n".encode("utf-8-sig")
    assert read_labels(write(tmp_path / "names.txt", content)) == ("tea", "coffee")


def test_labels_that_are_not_utf_8_are_refused(tmp_path: Path, refused: "Refused") -> None:
    with refused(DampenError, "names.txt"):
        read_labels(write(tmp_path / "names.txt", "th\xe9\n".encode("latin-1")))
