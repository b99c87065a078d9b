"""The house: a room imports only rooms above it, and no room grows too large."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOMS = (
    "errors",
    "_validate",
    "process",
    "privacy",
    "vectors",
    "runs",
    "sensitivity",
    "problem",
    "statistics",
    "queries",
    "sampling",
    "laws",
    "mechanisms",
    "accounting",
    "audit",
    "accuracy",
    "applications",
    "learn",
    "datasets",
    "plots",
    "contrib",
    "cli",
    "service",
    "client",
)
"""From the top of the house to the bottom; data flows down only."""

SOURCE = Path(__file__).parents[1] / "src" / "dampen"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_FILE = 500
LONGEST_FUNCTION = 60


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = (
                [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "dampen" else [node.module]
            )
        for name in names:
            parts = name.split(".")
            if parts[0] == "dampen" and len(parts) > 1:
                yield parts[1]


def test_every_module_lives_in_a_known_room() -> None:
    assert {room_of(path) for path in MODULES} <= {*ROOMS, "__init__"}
    assert not list(SOURCE.rglob("*util*"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_imports_only_rooms_above_it(path: Path) -> None:
    if room_of(path) == "__init__":
        pytest.skip("the front door names every room, and opens none until asked")
    allowed = {*ROOMS[: ROOMS.index(room_of(path)) + 1]}
    assert set(imported_rooms(path)) <= allowed


def test_the_walk_sees_a_forbidden_import(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("from dampen import audit\nimport dampen.cli.app\nfrom dampen.laws import softmax\n")
    assert set(imported_rooms(planted)) == {"audit", "cli", "laws"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_and_functions_stay_short(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            documented = ast.get_docstring(node) is not None
            first = node.body[min(int(documented), len(node.body) - 1)]
            assert (node.end_lineno or 0) - first.lineno < LONGEST_FUNCTION, node.name


def test_randomness_enters_through_one_door() -> None:
    """Only sampling/entropy.py touches the operating system's entropy; nothing imports `random` or `secrets`."""
    for path in MODULES:
        text = path.read_text()
        modules = {
            alias.name
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        assert not {"random", "secrets"} & modules, path
        assert ("urandom" in text) == (path.name == "entropy.py"), path


def test_which_process_this_is_has_one_answer() -> None:
    """Process numbers are not unique across namespaces: `process.py` alone asks for them."""
    assert [path.name for path in MODULES if "getpid" in path.read_text()] == ["process.py"]
