"""The command itself: its help, its version, its errors, and the installed script."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import dampen
from dampen.cli import main
from dampen.cli.app import app


def verbs() -> list[str]:
    commands = app.registered_commands
    functions = [command.name or str(getattr(command.callback, "__name__", "")) for command in commands]
    return [name.replace("_", "-") for name in functions]


def installed(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The console script next to this Python."""
    script = shutil.which("dampen", path=str(Path(sys.executable).parent))
    assert script is not None, "the command is not installed"
    environment = {**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    command = [script, *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, timeout=300, check=False)


def test_help_lists_every_verb_in_at_most_60_lines() -> None:
    done = installed("--help")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= 60
    assert {"select", "demo"} <= set(verbs())
    listed = {word for line in done.stdout.splitlines() for word in line.replace("│", " ").split()[:1]}
    assert set(verbs()) <= listed


def test_without_a_verb_the_help_is_shown() -> None:
    done = CliRunner().invoke(app, [])
    assert "select" in done.output
    assert "Usage" in done.output


def test_every_verb_explains_itself() -> None:
    for verb in verbs():
        done = CliRunner().invoke(app, [verb, "--help"])
        assert done.exit_code == 0
        assert f"dampen {verb}" in done.output


def test_the_version_is_the_library_s() -> None:
    done = CliRunner().invoke(app, ["--version"])
    assert (done.exit_code, done.stdout) == (0, f"dampen {dampen.__version__}\n")


def test_the_installed_command_answers(tmp_path: Path) -> None:
    scores = tmp_path / "votes.csv"
    scores.write_text("name,votes\ntea,31\ncoffee,28\n")
    options = ("--label", "name", "--score", "votes", "--sensitivity", "1", "--monotone", "--epsilon", "1000000")
    done = installed("select", str(scores), *options)
    assert (done.returncode, done.stdout) == (0, "tea\n")
    assert "nothing remembers this spending" in done.stderr


def test_the_installed_command_fails_in_one_line(tmp_path: Path) -> None:
    options = ("--label", "name", "--score", "votes", "--sensitivity", "1", "--epsilon", "1")
    done = installed("select", str(tmp_path / "none.csv"), *options)
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("dampen: file must exist")


def test_only_what_dampen_refuses_is_turned_into_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bug must stay visible as a bug."""
    broken = typer.Typer(pretty_exceptions_enable=False)

    @broken.command()
    def fail() -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("dampen.cli.app.app", broken)
    monkeypatch.setattr(sys, "argv", ["dampen"])
    with pytest.raises(ZeroDivisionError):
        main()
    assert capsys.readouterr().err == ""
