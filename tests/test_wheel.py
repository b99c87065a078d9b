"""What is in the wheel, and what must never be: the first lock of the fence."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_holds_the_package_and_nothing_else(names: list[str]) -> None:
    assert {name.split("/")[0].split("-")[0] for name in names} == {"dampen"}
    assert not [name for name in names if "refuted" in name or "experiments" in name]


def test_the_wheel_holds_every_module_and_the_type_marker(names: list[str]) -> None:
    sources = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src" / "dampen").rglob("*.py")}
    assert sources <= set(names)
    assert "dampen/py.typed" in names


def test_the_wheel_holds_no_data(names: list[str]) -> None:
    assert not [name for name in names if name.endswith((".csv", ".parquet", ".npy", ".db"))]


def test_the_wheel_declares_command_and_licence(names: list[str]) -> None:
    assert any(name.endswith("entry_points.txt") for name in names)
    assert any(name.endswith("LICENSE") for name in names)
