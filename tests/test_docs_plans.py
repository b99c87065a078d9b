"""The numbers of the pages on plans and mechanisms are those of the code."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dampen.cli.app import app
from docs.generate_mechanisms import PAGE, page
from tests.test_docs import BLOCKS, ROOT, STAFF, write_file


def test_the_table_of_mechanisms_is_the_generated_one() -> None:
    assert PAGE.read_text() == page()


def test_plans_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("staff.csv").write_text(STAFF)
    shown = 0
    for kind, block in BLOCKS.findall((ROOT / "docs" / "plan.md").read_text()):
        if kind == "toml":
            write_file(block)
        for command, output in re.findall(r"^\$ (dampen plan .*)\n((?:[^$].*\n)*)", block, flags=re.MULTILINE):
            told = CliRunner().invoke(app, shlex.split(command)[1:]).stdout.splitlines()
            for line in output.splitlines():
                shown += 1
                assert line.strip() == "..." or line in told, line
    assert shown > 5
