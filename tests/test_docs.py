"""The documentation is checked: its examples run, its links lead somewhere, its pages are complete.

Every page is tried as a reader would, in an empty folder and from top to bottom: blocks of Python run, lines that call
the command in blocks of a shell run, and a block of TOML becomes the file that its first line names.
"""

import doctest
import importlib
import importlib.util
import inspect
import pkgutil
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import dampen
import dampen.mechanisms
from dampen.cli.app import app
from docs.generate_commands import commands_page

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("[bdt]*/**/*.md")])
BLOCKS = re.compile(r"^```(python|console|toml)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
WITH_EXAMPLES = [page for page in PAGES if BLOCKS.search(page.read_text())]
OF_THE_PRESENT = [page for page in PAGES if page.name not in ("CHANGELOG.md", "papers.md")]
"""Pages that speak of the library as it is; the changelog names what is gone, and papers.md is made by experiments."""
MODULES = [found.name for found in pkgutil.walk_packages(dampen.__path__, "dampen.")]
MECHANISMS = [name for name in dampen.mechanisms.__all__ if not inspect.isabstract(getattr(dampen.mechanisms, name))]
NUMERIC = [
    name for name in MECHANISMS if issubclass(getattr(dampen.mechanisms, name), dampen.mechanisms.NumericMechanism)
]
STAFF = "name,team,pay,hired\n" + "".join(
    f"n{place},{('sales', 'lab', 'lab', 'board')[place % 4]},{2_000 + 37 * place % 3_000},2019-0{1 + place % 9}-15\n"
    for place in range(400)
)
"""The file of a reader's own, where a page speaks of one."""
SECTIONS = ("Definition", "Guarantee", "Differs from the paper", "Numerics", "Cost", "Example", "References")


def proof_page(name: str) -> Path:
    return ROOT / "docs" / "proofs" / f"{re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()}.md"


def relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=relative)
def test_examples_run_as_pasted(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("staff.csv").write_text(STAFF)
    namespace: dict[str, object] = {"__name__": "pasted"}
    for kind, block in BLOCKS.findall(page.read_text()):
        if kind == "python":
            exec(compile(block, relative(page), "exec"), namespace)
        elif kind == "toml":
            write_file(block)
        else:
            for line in re.findall(r"^\$ (dampen .*)$", block, flags=re.MULTILINE):
                type_in(line)


def write_file(block: str) -> None:
    """A block that is a file says in its first line how it is called."""
    named = re.match(r"# ([\w.-]+\.toml)\b", block)
    assert named, block
    Path(named[1]).write_text(block)


def type_in(line: str) -> None:
    """Run a command of dampen's as a shell would, its answer in a file where the line says so."""
    words = shlex.split(line, comments=True)
    place = words.index(">") if ">" in words else len(words)
    done = CliRunner().invoke(app, words[1:place])
    assert done.exit_code == 0, (line, done.stderr, done.exception)
    if place < len(words):
        Path(words[place + 1]).write_text(done.stdout)


def test_a_command_that_is_refused_and_a_file_without_a_name_are_noticed() -> None:
    for line in ("dampen median missing.toml pay --epsilon 1", "dampen counts staff.csv", "dampen check --wrong"):
        with pytest.raises(AssertionError, match=line):
            type_in(line)
    with pytest.raises(AssertionError):
        write_file('data = "staff.csv"\n')


@pytest.mark.parametrize("page", OF_THE_PRESENT, ids=relative)
def test_names_that_pages_use_exist(page: Path) -> None:
    for name in re.findall(r"\bdampen\.([A-Za-z]\w*)", page.read_text()):
        assert hasattr(dampen, name) or importlib.util.find_spec(f"dampen.{name}"), name


@pytest.mark.parametrize("page", OF_THE_PRESENT, ids=relative)
def test_commands_that_pages_use_exist(page: Path) -> None:
    verbs = get_command(app).commands  # type: ignore[attr-defined]
    for name in re.findall(r"(?:`|^\$ |^)dampen ([a-z][a-z-]*)", page.read_text(), flags=re.MULTILINE):
        assert name in verbs, name


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_to_sections_lead_to_one(page: Path) -> None:
    for target, section in re.findall(r"\]\(([^)#:\s]*)#([^)]*)\)", page.read_text()):
        assert section in sections_of(page.parent / target if target else page), f"{target}#{section}"


def sections_of(page: Path) -> set[str]:
    """The anchors that headings get."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", MODULES)
def test_doctests(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS).failed == 0


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_has_a_proof_page_and_all_docstring_sections(name: str) -> None:
    assert "Proof" in proof_page(name).read_text()
    text = inspect.getdoc(getattr(dampen.mechanisms, name)) or ""
    positions = [text.find(f"{section}\n{'-' * len(section)}") for section in SECTIONS]
    assert -1 not in positions
    assert positions == sorted(positions)


@pytest.mark.parametrize("name", NUMERIC)
def test_every_numeric_mechanism_is_audited_by_the_gate_and_says_so(name: str) -> None:
    audits = proof_page(name).read_text().split("## Audited by")[1].split("\n## ")[0]
    assert "tests/audit/test_numeric_gate.py" in audits
    assert "tests/unit/mechanisms/" in audits


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_files_that_pages_name_exist(page: Path) -> None:
    for path in re.findall(r"`((?:tests|docs|src|benchmarks|experiments)/[\w./]+\.\w+)`", page.read_text()):
        assert (ROOT / path).exists(), path


def test_the_command_reference_is_the_generated_one() -> None:
    assert (ROOT / "docs" / "commands.md").read_text() == commands_page()


def test_the_readme_names_both_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme
