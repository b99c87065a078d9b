"""How long engines take to count, how much memory, and how both grow: ``python -m benchmarks.engines``.

Rows are made on the fly in a temporary folder. Every measurement is a process of its own, so that its peak memory is
its own; seconds of the processor stand beside those of the clock, since other programs may run.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from benchmarks.targets import Target

ATTRIBUTES = 23
SIZES = [2 + (3 * place) % 9 for place in range(ATTRIBUTES)]
GRID = range(0, 100_001, 1)


def make_rows(path: Path, rows: int) -> None:
    """Categories of 2 to 10 values, a class, and a number with two digits behind the point."""
    import duckdb

    fields = ", ".join(f"cast(hash(i * 31 + {k}) % {size} as utinyint) as a{k}" for k, size in enumerate(SIZES))
    label = "cast((hash(i * 31 + 1) % 2 + hash(i * 7 + 5) % 3) > 1 as utinyint) as y"
    query = f"select {fields}, {label}, (hash(i * 3 + 77) % 10000000) / 100.0 as pay from range({rows}) t(i)"
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(f"copy ({query}) to '{path}' (format parquet)")


def table() -> Any:
    """The attributes and the class as engines read them."""
    from dampen.tables.engines import CodedTable, Labels

    attributes = {f"a{place}": Labels(tuple(range(size))) for place, size in enumerate(SIZES)}
    return CodedTable(attributes, "y", Labels((0, 1)))


def data_of(engine: str, path: Path) -> Any:
    """The rows as an engine takes them; arrays are read before the clock starts, but for trees, which read files."""
    if engine == "spark":
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[2]").config("spark.ui.showConsoleProgress", "false")
        session = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "4g").getOrCreate()
        return session.read.parquet(str(path))
    if engine == "ibis":
        import ibis

        return ibis.duckdb.connect().read_parquet(path)
    if engine == "arrays":
        import duckdb

        with duckdb.connect() as connection:
            connection.execute("set enable_progress_bar = false")
            return connection.read_parquet(str(path)).fetchnumpy()
    return path


def count(engine: str, question: str, path: Path) -> dict[str, float]:
    """One measurement in this process."""
    import dampen
    from dampen import Category
    from dampen.learn import PrivateTreeClassifier, Schema
    from dampen.tables import count_on_grid
    from dampen.tables.engines import Source, open_engine

    data = None if (engine, question) == ("arrays", "tree") else data_of(engine, path)

    def tree() -> object:
        schema = Schema({f"a{place}": Category(range(size)) for place, size in enumerate(SIZES)}, classes=[0, 1])
        rows = Source(path, engine="arrays") if engine == "arrays" else data
        return PrivateTreeClassifier(10**5, 5, schema=schema, budget=dampen.Budget(epsilon=10**5)).fit(rows, "y")

    def contingency() -> object:
        with open_engine(data) as found:
            return found.contingency(table())

    asked: dict[str, Callable[[], object]] = {
        "histogram": lambda: count_on_grid(data, GRID, column="pay"),
        "contingency": contingency,
        "tree": tree,
    }
    clock, processor = perf_counter(), process_time()
    asked[question]()
    taken = {"seconds": perf_counter() - clock, "processor": process_time() - processor}
    return {**taken, "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def measured(engine: str, question: str, path: Path) -> dict[str, float]:
    """One measurement in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.engines", "--one", engine, question, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def targets(found: dict[str, dict[str, float]], rows: int, wide: int) -> list[Target]:
    """What was promised for 50M rows (histogram: 1e8), and what this run saw."""
    full, tall = rows >= 50_000_000, wide >= 10**8

    def one(key: str, name: str) -> dict[str, float]:
        return {key: found[key][name]} if key in found else {}

    def ratio(question: str) -> dict[str, float]:
        slow, fast = found.get(f"duckdb {question}"), found.get(f"arrays {question}")
        return {question: slow["seconds"] / fast["seconds"]} if slow and fast else {}

    return [
        Target("23 tables on DuckDB, seconds", 10, one("duckdb contingency", "seconds") if full else {}),
        Target("23 tables on DuckDB, MB", 1024, one("duckdb contingency", "megabytes") if full else {}),
        Target("histogram of 1e8 rows on DuckDB, seconds", 1.5, one("duckdb histogram", "seconds") if tall else {}),
        Target("DuckDB's seconds over those of arrays", 2, ratio("contingency") | ratio("histogram"), at_least=True),
        *(
            Target(f"tree of depth 5 on {engine}, {unit}", most, one(f"{engine} tree", name) if full else {})
            for engine in ("arrays", "duckdb")
            for unit, name, most in (("seconds", "seconds", 60), ("MB", "megabytes", 2048))
        ),
    ]


def main() -> None:
    """Make rows, measure every engine, print a table and the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=3, metavar=("ENGINE", "QUESTION", "FILE"), help="measure one thing and stop")
    parser.add_argument("--rows", type=float, default=5e7, help="rows of the table with 23 attributes")
    parser.add_argument("--wide", type=float, default=1e8, help="rows of the histogram")
    parser.add_argument("--engines", default="arrays,duckdb,ibis,spark", help="which engines")
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    if given.one:
        print(json.dumps(count(given.one[0], given.one[1], Path(given.one[2]))))
        return
    rows, wide = int(given.rows), int(given.wide)
    found: dict[str, dict[str, float]] = {}
    with TemporaryDirectory() as folder:
        small, large, tall = (Path(folder) / f"{name}.parquet" for name in ("small", "large", "tall"))
        make_rows(small, 10**6)
        make_rows(large, rows)
        _only_pay(tall, wide)
        for engine in given.engines.split(","):
            trees = {"tree": large} if engine in ("arrays", "duckdb") else {}
            plan = {"histogram": tall, "contingency": large} | trees
            for question, path in plan.items():
                found[f"{engine} {question}"] = measured(engine, question, path)
                _show(f"{engine} {question}", found)
            found[f"{engine} histogram, 1e6 rows"] = measured(engine, "histogram", small)
            _show(f"{engine} histogram, 1e6 rows", found)
    for target in targets(found, rows, wide):
        print(target.line())
    _growth(found, wide)
    if given.json:
        given.json.write_text(json.dumps(found, indent=2))


def _only_pay(path: Path, rows: int) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        query = f"select (hash(i * 3 + 77) % 10000000) / 100.0 as pay from range({rows}) t(i)"
        connection.execute(f"copy ({query}) to '{path}' (format parquet)")


def _show(key: str, found: dict[str, dict[str, float]]) -> None:
    figures = found[key]
    line = (
        f"{figures['seconds']:8.2f} s  {figures['processor']:8.2f} s of the processor  {figures['megabytes']:7.0f} MB"
    )
    print(f"{key:<32} {line}", flush=True)


def _growth(found: dict[str, dict[str, float]], wide: int) -> None:
    """The power of the number of rows with which seconds grow."""
    for key in [key for key in found if key.endswith("1e6 rows")]:
        name = key.removesuffix(", 1e6 rows")
        times = found[name]["seconds"] / found[key]["seconds"]
        print(f"{name}: seconds grow with rows to the power of {log(times) / log(wide / 10**6):.2f}")


if __name__ == "__main__":
    main()
