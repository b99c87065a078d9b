"""The command itself: its help, its version, its errors, and the installed script."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

import dampen
from dampen.cli import main
from dampen.cli.app import app

if TYPE_CHECKING:
    from tests.conftest import RunPython


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


def test_the_help_waits_for_nothing_that_only_some_verbs_need(run_python: "RunPython") -> None:
    code = """
        import sys
        import dampen.cli.app
        print(*sorted(sys.modules))
    """
    heavy = {"duckdb", "flint", "matplotlib", "narwhals", "numba", "scipy", "sklearn"}
    own = {f"dampen.{name}" for name in ("audit", "plots", "learn", "front.plan", "front.compare", "cli.tour.steps")}
    loaded = run_python(code).stdout.split()
    assert "dampen.cli.demo" in loaded
    assert not (heavy | own) & set(loaded)


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


def test_the_package_run_as_a_module_is_the_command() -> None:
    command = [sys.executable, "-m", "dampen", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, installed("--version").stdout)


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


# Help


def commands(group: Any = None, prefix: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every verb by the words that call it, those of groups too."""
    top: Any = get_command(app) if group is None else group
    for name, command in top.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*prefix, name))
        else:
            yield (*prefix, name), command


def examples(command: Any) -> list[str]:
    """The lines of its help that may be pasted."""
    _, *found = re.split(r"\n\nExamples?:\n", command.help)
    return [line.strip() for block in found for line in block.splitlines()]


@pytest.mark.parametrize(
    ("words", "command"), [*commands()], ids=lambda value: " ".join(value) if type(value) is tuple else ""
)
def test_every_help_has_an_example_that_is_printed_in_one_line(words: tuple[str, ...], command: Any) -> None:
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80"}).output.splitlines()
    assert len(examples(command)) >= 1
    for example in examples(command):
        assert example.startswith(" ".join(["dampen", *words]))
        assert f" {example}" in [line.rstrip() for line in shown]


@pytest.fixture
def prepared(staff: Path, schema: Path) -> Path:
    """The folder in which every example runs; the model that some ask for is trained by those."""
    assert CliRunner().invoke(app, ["budget", "create", "staff.db", "--epsilon", "3"]).exit_code == 0
    for name in ("held-out.csv", "new.csv", "public.csv"):
        shutil.copy("staff.csv", name)
    Path("calls.csv").write_text("from,to\n" + "".join(f"p{place % 9},p{place % 7}\n" for place in range(60)))
    return staff


@pytest.mark.parametrize(
    "example", [line for words, command in commands() for line in examples(command) if words != ("demo",)]
)
def test_every_example_runs_as_pasted(example: str, prepared: Path) -> None:
    if example == "dampen budget create staff.db --epsilon 6":
        Path("staff.db").unlink()
    if "model.json" in example:
        trained = ["train", "staff.csv", "leaves", "--schema", "schema.json", "--epsilon", "1", "--out", "model.json"]
        assert CliRunner().invoke(app, trained).exit_code == 0
    _, *words = shlex.split(example.split(" > ")[0])
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, (done.output, done.exception)
    assert done.stdout or "--out" in words or "no group" in done.stderr, "which may say that it shows none"


# Completion


def complete(shell: str, typed: str) -> list[str]:
    script = shutil.which("dampen", path=str(Path(sys.executable).parent))
    environment = {**os.environ, "_DAMPEN_COMPLETE": f"complete_{shell}"}
    environment |= {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_TYPER_COMPLETE_ARGS": typed}
    done = subprocess.run([str(script)], capture_output=True, text=True, env=environment, timeout=300, check=False)
    return done.stdout.split()


def test_words_are_completed() -> None:
    assert complete("bash", "dampen med") == ["median"]
    assert complete("bash", "dampen most-common --mi") == ["--missing"]
    assert complete("bash", "dampen budget ver") == ["verify"]
    assert any("median" in word for word in complete("zsh", "dampen med"))


def test_completion_is_installed(tmp_path: Path) -> None:
    script = shutil.which("dampen", path=str(Path(sys.executable).parent))
    environment = {**os.environ, "HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    command = [str(script), "--install-completion", "bash"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "bash completion installed" in done.stdout
    assert "_DAMPEN_COMPLETE=complete_bash" in (tmp_path / ".bash_completions" / "dampen.sh").read_text()
