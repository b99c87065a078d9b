"""Whether an engine can count here: told by letting it count three rows."""

import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from dampen.errors import DampenError
from dampen.tables.engines.sources import opened

ROWS = {"value": [1.5, 2.5, 2.5]}
EXTRAS = ("ibis", "spark")
"""Engines that the package itself does not install."""


@dataclass(frozen=True)
class Health:
    """What is known of an engine: whether it works, its versions or what is missing."""

    name: str
    works: bool
    told: str


def engine_health(name: str, *, start: bool = False) -> Health:
    """Try an engine. Spark is only looked for, unless it may ``start``."""
    tries: dict[str, Callable[[], Health]] = {
        "arrays": lambda: _counted("arrays", lambda: ROWS, ("numpy", "numba", "narwhals")),
        "duckdb": lambda: _counted("duckdb", _relation, ("duckdb",)),
        "ibis": lambda: _counted("ibis", _ibis_table, ("ibis-framework", "sqlglot")),
        "spark": lambda: _spark(start),
    }
    return tries[name]()


def _counted(name: str, make: Callable[[], Any], packages: tuple[str, ...]) -> Health:
    try:
        versions = ", ".join(f"{package} {version(package)}" for package in packages)
    except PackageNotFoundError as error:
        wanted = f"'dampen[{name}]'" if name in EXTRAS else error.name
        return Health(name, False, f"{error.name} is not installed: pip install {wanted}")
    try:
        with warnings.catch_warnings(action="ignore"), opened(make()) as engine:
            works = engine.group_counts("value", [1.5, 2.5]) == {0: 1, 1: 2}
    except (DampenError, ImportError, AttributeError) as error:
        return Health(name, False, f"{versions}; {error}"[:250])
    return Health(name, works, versions if works else f"{versions}; counts three rows wrongly")


def _spark(start: bool) -> Health:
    try:
        versions = f"pyspark {version('pyspark')}, ibis-framework {version('ibis-framework')}"
    except PackageNotFoundError as error:
        return Health("spark", False, f"{error.name} is not installed: pip install 'dampen[spark]'")
    if shutil.which("java") is None:
        return Health("spark", False, f"{versions}; Java is missing: apt-get install openjdk-17-jre-headless")
    if not start:
        return Health("spark", True, f"{versions}, Java found (not started; see --start-spark)")
    return _counted("spark", _spark_frame, ("pyspark", "ibis-framework"))


def _relation() -> Any:
    import duckdb

    return duckdb.connect().sql("select unnest([1.5, 2.5, 2.5]::double[]) as value")


def _ibis_table() -> Any:
    import ibis

    return ibis.duckdb.connect().sql("select unnest([1.5, 2.5, 2.5]::double[]) as value")


def _spark_frame() -> Any:
    from dampen.tables.engines.spark import local_session

    return local_session().createDataFrame([(value,) for value in ROWS["value"]], "value double")
