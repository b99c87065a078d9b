"""The same rows for every engine, and one Spark session for each process of a test run."""

import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

FORMS = ("arrays", "polars", "pandas", "pyarrow", "csv", "parquet", "glob", "loaded", "relation", "ibis", "spark")
"""Everything that is accepted as data. ``loaded``: a file that is read into arrays."""
SPARK = pytest.param("spark", marks=pytest.mark.long)
EVERY: list[Any] = [SPARK if form == "spark" else form for form in FORMS]
"""The same as parameters. Spark one by one is ``long``; a single test asks it all questions in the default run."""
CONFIG = {
    "spark.sql.shuffle.partitions": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1",
}


@cache
def spark_session() -> Any:
    """The session of this process; skips with a reason where there is none."""
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install 'dampen[spark]'")
    if shutil.which("java") is None and not _java_installed():
        pytest.skip("Spark needs Java, and it could not be installed: apt-get install openjdk-17-jre-headless")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("dampen tests")
    for name, value in CONFIG.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def _java_installed() -> bool:
    """Java from Debian, where the tests may install it."""
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    for asked in (["update", "-qq"], ["install", "-y", "-qq", "openjdk-17-jre-headless"]):
        subprocess.run(["apt-get", *asked], capture_output=True, timeout=300, check=False)
    return shutil.which("java") is not None


def lying(frame: pl.DataFrame, form: str, folder: Path) -> Any:
    """The rows of a frame in one of FORMS."""
    from dampen.tables.engines import Source

    path = folder / "rows.parquet"
    makers: dict[str, Callable[[], Any]] = {
        "arrays": lambda: {name: frame[name].to_list() for name in frame.columns},
        "polars": lambda: frame,
        "pandas": frame.to_pandas,
        "pyarrow": frame.to_arrow,
        "csv": lambda: _written(frame, folder / "rows.csv"),
        "parquet": lambda: _written(frame, path),
        "glob": lambda: _in_parts(frame, folder),
        "loaded": lambda: Source(_written(frame, path), engine="arrays"),
        "relation": lambda: duckdb.connect().read_parquet(str(_written(frame, path))),
        "ibis": lambda: pytest.importorskip("ibis").duckdb.connect().read_parquet(_written(frame, path)),
        "spark": lambda: spark_session().read.parquet(str(_written(frame, path))),
    }
    return makers[form]()


def _written(frame: pl.DataFrame, path: Path) -> Path:
    if path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    return path


def _in_parts(frame: pl.DataFrame, folder: Path) -> str:
    """Three files, one of them without rows."""
    third = len(frame) // 3
    for place, part in enumerate((frame[:third], frame[third:], frame[:0])):
        part.write_parquet(folder / f"part{place}.parquet")
    return str(folder / "part*.parquet")


def table(rows: int) -> pl.DataFrame:
    """Numbers at, beside and far from grid points, categories, truth values and classes."""
    rng = np.random.default_rng(rows)
    points = rng.integers(-15, 25, rows) / 10
    ulps = np.nextafter(points, np.where(rng.random(rows) < 0.5, -np.inf, np.inf))
    pay = np.where(rng.random(rows) < 0.4, points, np.where(rng.random(rows) < 0.6, ulps, rng.normal(size=rows) * 1e3))
    pay[:4] = [np.inf, -np.inf, 5e-324, -1e-200]
    wholes = rng.integers(-50, 60, rows)
    wholes[:6] = [2**62, -(2**62), 2**53 + 1, 2**53, -(2**53) - 1, 7]
    city, sick = rng.choice(["Oslo", "Bonn", "Lima, Peru"], rows), rng.random(rows) < 0.5
    kind = np.where(rng.random(rows) < 0.3, "no", np.where((city == "Oslo") ^ (pay > 0), "yes", "perhaps"))
    return pl.DataFrame({"pay": pay, "age": wholes, "city": city, "sick": sick, "kind": kind})
