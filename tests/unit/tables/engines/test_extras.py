"""Every extra that is installed can be imported with the versions that are pinned, and engines tell their health."""

import importlib
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dampen.tables.engines import health

if TYPE_CHECKING:
    from tests.conftest import RunPython

ROOT = Path(__file__).parents[4]
EXTRAS = {
    "learn": ["sklearn"],
    "graph": ["networkx", "igraph"],
    "plots": ["matplotlib", "altair"],
    "ibis": ["ibis", "sqlglot"],
    "spark": ["pyspark"],
    "service": ["fastapi", "uvicorn", "sqlalchemy", "psycopg"],
    "xlsx": ["openpyxl"],
    "opendp": ["opendp"],
}


def test_every_extra_is_imported_here() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert {*project["optional-dependencies"]} - {"all", "dev"} == {*EXTRAS}


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_imports(extra: str) -> None:
    for module in EXTRAS[extra]:
        pytest.importorskip(module, reason=f"pip install 'dampen[{extra}]'")
        assert importlib.import_module(module)


def test_version_traps_are_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert "sqlglot<30.18" in project["optional-dependencies"]["ibis"]
    assert any(needed.startswith("duckdb") and "<2" in needed for needed in project["dependencies"])
    pytest.importorskip("ibis")
    assert tuple(map(int, version("sqlglot").split(".")[:2])) < (30, 18)
    assert int(version("duckdb").split(".")[0]) < 2


def test_engines_tell_their_health(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("arrays", "duckdb"):
        found = health.engine_health(name)
        assert found.works
        assert version({"arrays": "numpy"}.get(name, name)) in found.told
    monkeypatch.setattr(health, "version", _missing)
    for name in ("ibis", "spark"):
        found = health.engine_health(name)
        assert not found.works
        assert f"pip install 'dampen[{name}]'" in found.told
    assert health.engine_health("duckdb").told == "duckdb is not installed: pip install duckdb"


def test_spark_without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = health.engine_health("spark")
    assert not found.works
    assert "openjdk" in found.told


def test_an_engine_that_counts_wrongly_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from dampen.tables.engines.arrays import ArrayEngine

    monkeypatch.setattr(ArrayEngine, "label_counts", lambda *_: {0: 3})
    assert "wrongly" in health.engine_health("arrays").told


def test_nothing_of_ibis_or_spark_is_loaded_for_other_data(run_python: "RunPython") -> None:
    code = """
        import sys, dampen, duckdb
        budget = dampen.Budget(epsilon=3)
        dampen.median([1, 2], bounds=(0, 2), step=1, epsilon=1, budget=budget)
        columns = {"v": dampen.Number(0, 2, step=1)}
        table = dampen.Table(duckdb.sql("select 1 as v"), columns=columns, budget=budget)
        table.median("v", epsilon=1)
        print([name for name in ("ibis", "pyspark", "sqlglot", "polars") if name in sys.modules])
    """
    loaded = run_python(code)
    assert loaded.stdout.strip() == "[]", loaded.stderr


def _missing(name: str) -> str:
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)
