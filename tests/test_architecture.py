"""The house: a room imports only rooms above it, and no room grows too large."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOMS = {
    "errors": "the exception tree",
    "_validate": "one-line guards for public arguments",
    "writing": "how values are written for others to read: amounts in words, JSON, HTML",
    "drawing": "the look of all pictures: palette, titles, captions",
    "certified": "exact and certified arithmetic: fractions and balls",
    "concentrated": "concentrated losses: the rho of an epsilon or a range, and the way back",
    "meaning": "what a loss means for one person: beliefs, odds, certificates",
    "operators": "how an answer is compared and calculated with: as its value is",
    "entropy": "where random bits come from; the only door to them",
    "privacy": "adjacency, loss, release, and `paid`: reserve, then draw, then nothing that knows data",
    "vectors": "array types, runs of equal entries, and how a caller's numbers become one",
    "sensitivity": "sensitivity functions s(x, t, r)",
    "problem": "a public frame each, and the last objects that see data",
    "describe": "what is publicly known of a data set: columns, which rows are meant, the description file",
    "tables": "data to counts: how a value is read, grids, labels, filters, engines; never random",
    "graphs": "graphs, their files, their kernels; never random",
    "queries": "counts to problems, by subject",
    "sampling": "bits to an index or to noise; knows nothing of privacy",
    "mechanisms": "a problem to a law and a draw, one file per mechanism",
    "accounting": "composition, accounts, the budget in memory and the durable ledger",
    "audit": "exact audits over small universes, draws against their laws, black boxes by their draws",
    "accuracy": "errors from laws: of releases before they are drawn, and on public problems and stand-ins",
    "questions": "one function per question of a user's",
    "front": "the front door: tables and graphs that are described once, then asked",
    "learn": "classifiers with the interface of scikit-learn, and the public schemas they read tables through",
    "plots": "pictures of laws, errors, sensitivities, audits, budgets and releases",
    "datasets": "loaders for the papers' data sets",
    "contrib": "bridges to others: OpenDP, diffprivlib, DuckDB, pytest",
    "cli": "the command; it calls questions and computes nothing",
}
"""From the top of the house to the bottom; data flows down only. CONTRIBUTING.md shows this very table."""

ORDER = tuple(ROOMS)
DOORS = ("__init__", "__main__")
"""What leads into the house: names of rooms for Python, and the command."""

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


def module_of(path: Path) -> str:
    return ".".join(("dampen", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def imported_modules(path: Path) -> Iterator[str]:
    """The modules that a file imports, where only names are imported for types left out."""
    known = {module_of(each) for each in MODULES}
    for node in imports_outside_type_checks(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif node.module in known:
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from inner & known
            if inner - known:
                yield str(node.module)


def imports_outside_type_checks(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    for child in ast.iter_child_nodes(node):
        yield from imports_outside_type_checks(child)


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    """A way from a module back to itself; empty where there is none."""
    done: set[str] = set()

    def walk(name: str, way: list[str]) -> list[str]:
        if name in way:
            return [*way[way.index(name) :], name]
        if name in done:
            return []
        for other in sorted(graph.get(name, ())):
            if found := walk(other, [*way, name]):
                return found
        done.add(name)
        return []

    for name in sorted(graph):
        if found := walk(name, []):
            return found
    return []


def test_every_module_lives_in_a_known_room() -> None:
    assert {room_of(path) for path in MODULES} <= {*ROOMS, *DOORS}
    assert not list(SOURCE.rglob("*util*"))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_imports_only_rooms_above_it(path: Path) -> None:
    if room_of(path) in DOORS:
        pytest.skip("a door may lead anywhere")
    allowed = {*ORDER[: ORDER.index(room_of(path)) + 1]}
    assert set(imported_rooms(path)) <= allowed


def test_the_guide_for_contributors_shows_the_rooms() -> None:
    rows = [f"| `{room}` | {what} |" for room, what in ROOMS.items()]
    assert "\n".join(rows) in (SOURCE.parents[1] / "CONTRIBUTING.md").read_text()


def test_no_module_imports_itself_through_others() -> None:
    graph = {module_of(path): set(imported_modules(path)) - {module_of(path)} for path in MODULES}
    assert cycle_in(graph) == []


def test_the_walk_sees_a_cycle() -> None:
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_the_walk_sees_a_forbidden_import(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("from dampen import audit\nimport dampen.cli.app\nfrom dampen.problem import Frame\n")
    assert set(imported_rooms(planted)) == {"audit", "cli", "problem"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_files_and_functions_stay_short(path: Path) -> None:
    text = path.read_text()
    assert text.count("\n") <= LONGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            documented = ast.get_docstring(node) is not None
            first = node.body[min(int(documented), len(node.body) - 1)]
            assert (node.end_lineno or 0) - first.lineno < LONGEST_FUNCTION, node.name


SPREADING = {"learn/forest.py", "questions/many_percentiles.py"}
"""They put each record into one of many parts at random: no noise, and nothing of the law is theirs."""


def test_only_mechanisms_draw() -> None:
    drawing = {str(path.relative_to(SOURCE)) for path in MODULES if "sampling" in imported_rooms(path)}
    assert {path for path in drawing if path.split("/")[0] not in ("mechanisms", "sampling")} == SPREADING


def test_mechanisms_refuse_in_require_alone() -> None:
    """Questions draw without ``release``: a check of its own there would be passed by, and its failure paid for."""
    mechanisms = [path for path in MODULES if "mechanisms" in path.relative_to(SOURCE).parts]
    assert [path.name for path in mechanisms if "def release(" in path.read_text()] == ["base.py"]


def test_randomness_enters_through_one_door() -> None:
    """Only entropy.py touches the operating system's entropy; nothing imports `random` or `secrets`."""
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
    """Process numbers are not unique across namespaces: `entropy.py` alone asks for them."""
    assert [path.name for path in MODULES if "getpid" in path.read_text()] == ["entropy.py"]
