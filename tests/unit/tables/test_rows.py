"""Several columns of a file at once: in the order of its rows, and CSV fields as text."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dampen.errors import DampenError, DataError
from dampen.tables.engines.base import RowForm
from dampen.tables.files import connect_files
from dampen.tables.rows import read_rows


def read_columns(data: Any, names: list[str]) -> dict[str, Any]:
    return read_rows(data, dict.fromkeys(names, RowForm.AS_IT_IS))


def test_rows_keep_their_order_and_fields_stay_text(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).permutation(200_000)
    (tmp_path / "t.csv").write_text("b;a\n" + "".join(f"x{n};0{n}\n" for n in numbers[:5000]))
    read = read_columns(tmp_path / "t.csv", ["a", "b"])
    assert read["a"].tolist() == [f"0{n}" for n in numbers[:5000]]
    assert read["b"].tolist() == [f"x{n}" for n in numbers[:5000]]
    pq.write_table(pa.table({"n": numbers, 'odd "name"': -numbers}), tmp_path / "t.parquet", row_group_size=1000)
    read = read_columns(tmp_path / "t.parquet", ['odd "name"', "n"])
    assert (read["n"] == numbers).all()
    assert (read['odd "name"'] == -numbers).all()


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_that_is_not_there_is_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{kind}"
    if kind == "csv":
        path.write_text("a,b\n1,2\n")
    else:
        pq.write_table(pa.table({"a": [1], "b": [2]}), path)
    with pytest.raises(DampenError, match="'c'"):
        read_columns(path, ["a", "c"])
    with pytest.raises(DampenError):
        read_columns(tmp_path / f"missing.{kind}", ["a"])


def test_a_pattern_reads_files_in_order(tmp_path: Path) -> None:
    for name, rows in (("b", "v,V\n3,c\n"), ("a", "v,V\n1,a\n2,b\n")):
        (tmp_path / f"{name}.csv").write_text(rows)
    found = read_columns(tmp_path / "*.csv", ["V", "v"])
    assert found["v"].tolist() == ["1", "2", "3"]
    assert found["V"].tolist() == ["a", "b", "c"]


def raised_while(error: BaseException) -> RuntimeError:
    """How DuckDB tells of an error that a signal's handler raised while a query ran."""
    told = RuntimeError("Query interrupted")
    told.__context__ = error
    return told


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (raised_while(KeyboardInterrupt()), KeyboardInterrupt),
        (duckdb.Error("KeyboardInterrupt: <EMPTY MESSAGE>"), KeyboardInterrupt),
        (raised_while(ValueError()), RuntimeError),
        (duckdb.Error("secret"), DataError),
    ],
    ids=["query", "header", "other", "data"],
)
def test_an_interrupt_is_not_taken_for_a_file_that_is_no_table(
    error: Exception, expected: type[BaseException], tmp_path: Path
) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    with pytest.raises(expected) as caught, connect_files(tmp_path / "t.csv"):
        raise error
    assert "secret" not in str(caught.value)
