"""Larger than memory: DuckDB spills, counts finish, and the process stays below twice its limit."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest

if TYPE_CHECKING:
    from tests.conftest import RunPython

CODE = """
    import json, resource, sys, duckdb, dampen
    from dampen import Category
    from dampen.learn import PrivateTreeClassifier, Schema
    path, limit = sys.argv[1], int(sys.argv[2])
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    connection = duckdb.connect(config={"memory_limit": f"{limit}B", "threads": 2, "temp_directory": sys.argv[3]})
    connection.execute("set enable_progress_bar = false")
    rows, budget = connection.read_parquet(path), dampen.Budget(epsilon=10**9)
    columns = {"v": dampen.Number(0, 10**9, step=1000), "a": Category([0, 1, 2])}
    table = dampen.Table(rows, columns=columns, budget=budget)
    middle = table.median("v", epsilon=10**6).value
    count = table.where(a=1).count(epsilon=10**6).value
    total = table.sum("v", epsilon=10**6).value
    schema = Schema({name: Category([0, 1, 2]) for name in "abc"}, classes=[0, 1])
    tree = PrivateTreeClassifier(10**6, 2, schema=schema, budget=budget).fit(rows, "y")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps([middle, count, total, tree.model_.size, peak - start]))
"""


def checked(rows: int, tmp_path: Path, run_python: "RunPython") -> None:
    """Eight bytes for each distinct value alone are four times the limit."""
    path = tmp_path / "rows.parquet"
    fields = "cast(i * 7919 % 1000000000 as bigint) as v, " + ", ".join(
        f"cast(i % {size} % 3 as utinyint) as {name}" for name, size in (("a", 3), ("b", 7), ("c", 11))
    )
    with duckdb.connect(config={"threads": 2}) as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(
            f"copy (select {fields}, cast(i % 2 as utinyint) as y from range({rows}) t(i)) to '{path}' (format parquet)"
        )
        limit = max(rows * 12 // 4, 64 * 2**20)
        wanted = connection.execute(
            f"select count(*) filter (where a = 1), sum(v)::bigint from read_parquet('{path}')"
        ).fetchall()[0]
    done = run_python(CODE, str(path), str(limit), str(tmp_path / "spill"))
    assert done.returncode == 0, done.stderr[-2000:]
    _, count, total, size, grown = json.loads(done.stdout)
    assert count == wanted[0]
    assert abs(total - wanted[1]) < 10**6
    assert size == rows
    assert grown < 2 * limit


def test_a_table_of_moderate_size(tmp_path: Path, run_python: "RunPython") -> None:
    checked(500_000, tmp_path, run_python)


@pytest.mark.long
def test_a_table_four_times_as_large_as_memory(tmp_path: Path, run_python: "RunPython") -> None:
    checked(60_000_000, tmp_path, run_python)
