"""The documentation is checked: its examples run, its links lead somewhere, its pages are complete."""

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import dampen
import dampen.mechanisms
from docs.generate_commands import commands_page

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("[bdt]*/**/*.md")])
WITH_EXAMPLES = [page for page in PAGES if "```python" in page.read_text()]
MODULES = [found.name for found in pkgutil.walk_packages(dampen.__path__, "dampen.")]
MECHANISMS = [name for name in dampen.mechanisms.__all__ if not inspect.isabstract(getattr(dampen.mechanisms, name))]
NUMERIC = [
    name for name in MECHANISMS if issubclass(getattr(dampen.mechanisms, name), dampen.mechanisms.NumericMechanism)
]
SECTIONS = ("Definition", "Guarantee", "Differs from the paper", "Numerics", "Cost", "Example", "References")


def proof_page(name: str) -> Path:
    return ROOT / "docs" / "proofs" / f"{re.sub(r'(?<!^)(?=[A-Z])', '_', name).lower()}.md"


def relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=relative)
def test_examples_run_as_pasted(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "pasted"}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL):
        exec(compile(block, relative(page), "exec"), namespace)


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        assert target.startswith("http") or (page.parent / target).exists(), target


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
