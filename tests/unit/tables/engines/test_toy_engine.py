"""A new engine is a class and an entry in the registry: here both stand outside of the package."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dampen
from dampen.errors import ParameterError
from dampen.tables.engines import Engine, Source, is_outside, open_engine
from dampen.tables.engines.arrays import ArrayEngine
from dampen.tables.engines.health import engine_health
from dampen.tables.engines.registry import ENGINES, EngineEntry, file_engines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dampen.describe.reading import FileReading
    from tests.conftest import Refused


@dataclass(frozen=True)
class Notebook:
    """Data of a type of its own: one line of text for each row, fields between blanks, names in the first line."""

    text: str

    def columns(self) -> dict[str, list[str]]:
        names, *rows = (line.split() for line in self.text.splitlines())
        return {name: [row[place] for row in rows] for place, name in enumerate(names)}


class NotebookEngine(ArrayEngine):
    """Counts as arrays do."""

    name = "notebooks"


@contextmanager
def open_notebook(data: Notebook) -> Iterator[Engine]:
    yield NotebookEngine(data.columns())


@contextmanager
def open_files(pattern: "str | Path", columns: "Sequence[str]", reading: "FileReading") -> Iterator[Engine]:
    yield NotebookEngine(Notebook(Path(pattern).read_text()).columns())


TEXT = "age team\n" + "\n".join(f"{age} {'ab'[age % 2]}" for age in range(21, 42))


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EngineEntry(
        owns=lambda data: isinstance(data, Notebook),
        open=open_notebook,
        open_files=open_files,
        sample=lambda: Notebook("value\n1.5\n2.5\n2.5"),
        packages=("numpy",),
    )
    monkeypatch.setitem(ENGINES, "notebooks", entry)


def test_questions_are_answered() -> None:
    data = Notebook(TEXT)
    assert is_outside(data)
    with open_engine(data) as engine:
        assert engine.name == "notebooks"
    columns: dict[str, Any] = {"age": dampen.Number(0, 120), "team": dampen.Category("a", "b")}
    people = dampen.Table(data, columns=columns, budget=dampen.Budget(epsilon=10**7))
    assert people.count(epsilon=10**6) == 21
    assert people.where(team="a").count(epsilon=10**6) == 10
    assert people.median("age", epsilon=10**6) == 31
    assert people.by("team").median("age", epsilon=10**6).value == {"a": 32, "b": 31}


def test_files_are_read_by_its_name(tmp_path: Path, refused: "Refused") -> None:
    path = tmp_path / "people.txt"
    path.write_text(TEXT)
    pay: dict[str, Any] = {"epsilon": 10**6, "budget": dampen.Budget(epsilon=10**6)}
    assert dampen.median(Source(path, engine="notebooks", column="age"), bounds=range(121), **pay) == 31
    assert file_engines()[-1] == "notebooks"
    with refused(ParameterError, "engine must be one of 'arrays', 'duckdb', 'spark', 'notebooks'; got 'toys'"):
        Source(path, engine="toys")


def test_the_doctor_tries_it() -> None:
    found = engine_health("notebooks")
    assert found.works
    assert found.told.startswith("numpy ")
