"""Answers that cannot be written: refused before they are paid for, or else kept somewhere and told of."""

import errno
import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from dampen import Budget
from dampen.cli.app import app
from tests.unit.cli.shell import refusal

TRAIN = ("train", "staff.toml", "leaves", "--epsilon", "1")
MEMBERS = ("release-group-members", "staff.toml", "--id", "name", "--by", "team", "--epsilon", "1")
WRITING = [(TRAIN, "model.json"), (MEMBERS, "teams.csv")]


@pytest.fixture(autouse=True)
def ledger(staff: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    Budget.open("study.db", epsilon=5)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path_factory.mktemp("temporary")))


def invoke(*words: str) -> Result:
    return CliRunner().invoke(app, [*words, "--budget", "study.db"], env={"COLUMNS": "200"})


def spent() -> Any:
    return Budget.open("study.db").spent.epsilon


@pytest.mark.parametrize(("words", "name"), WRITING, ids=["train", "members"])
def test_a_file_that_cannot_be_written_is_refused_before_the_payment(words: tuple[str, ...], name: str) -> None:
    Path("folder.csv").mkdir()
    Path("folder.json").mkdir()
    suffix = Path(name).suffix
    ledger = Path("study.db").rename(f"study{suffix}")
    Path("copy").symlink_to("staff.csv")
    cases = {
        f"none/{name}": "out must be a file in a folder that exists",
        f"folder{suffix}": "out must be a file in a folder that exists",
        str(ledger): "out must not be the ledger that pays",
    }
    if suffix == ".csv":
        cases |= {"staff.csv": "out must not be the file that is read", "x.txt": "out must end in .parquet or .csv"}
    else:
        cases |= {"copy": "out must not be the file that is read"}
    before = Path("staff.csv").read_text()
    for out, told in cases.items():
        assert told in refusal(*words, "--out", out, "--budget", ledger)
    assert Budget.open(ledger).spent.epsilon == 0
    assert Path("staff.csv").read_text() == before


def test_a_file_that_may_not_be_written_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("model.json").write_text("mine")
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "out must be a file that can be written" in refusal(*TRAIN, "--out", "model.json", "--budget", "study.db")
    assert spent() == 0


@pytest.mark.parametrize(("words", "name"), WRITING, ids=["train", "members"])
def test_after_the_payment_the_answer_is_kept_and_told_of(
    words: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 1, and nothing on standard output."""
    fail_for(monkeypatch, lambda path: "dampen-" not in str(path))
    done = invoke(*words, "--out", name)
    assert (done.exit_code, done.stdout) == (1, "")
    found = re.fullmatch(rf"dampen: {name} could not be written; the answer is in (.*)\n", done.stderr)
    assert found is not None, done.stderr
    kept = Path(found[1]).read_text()
    assert json.loads(kept)["model"] == "PrivateClassifier" if name == "model.json" else kept.startswith("name,team\n")
    assert spent() == 1


@pytest.mark.parametrize(("words", "name"), WRITING, ids=["train", "members"])
def test_where_nothing_can_be_written_that_is_told(
    words: tuple[str, ...], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_for(monkeypatch, lambda path: True)
    done = invoke(*words, "--out", name)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == f"dampen: {name} could not be written; nor could any other file, and the charge stands\n"


def fail_for(monkeypatch: pytest.MonkeyPatch, fails: Any) -> None:
    """The disk is full, for some paths."""
    from dampen.cli import members, output

    writers = {(output, "write_text"): output.write_text, (members, "_write"): members._write}
    for (module, name), write in writers.items():

        def attempt(*arguments: Any, write: Any = write) -> None:
            path = next(each for each in arguments if isinstance(each, Path))
            if fails(path):
                raise OSError(errno.ENOSPC, "full")
            write(*arguments)

        monkeypatch.setattr(module, name, attempt)
    monkeypatch.setattr("dampen.cli.train.write_text", output.write_text)


def test_an_answer_that_cannot_be_printed_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    echo = typer.echo

    def full(message: Any = None, err: bool = False, **options: Any) -> None:
        if not err:
            raise OSError(errno.ENOSPC, "full")
        echo(message, err=err, **options)

    monkeypatch.setattr(typer, "echo", full)
    done = invoke("count", "staff.csv", "--epsilon", "1")
    assert (done.exit_code, done.stdout) == (1, "")
    found = re.fullmatch(r"dampen: the answer could not be printed; the answer is in (.*)\n", done.stderr)
    assert found is not None, done.stderr
    assert abs(int(Path(found[1]).read_text()) - 60) < 100


def test_an_answer_that_nobody_reads_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: Any, **__: Any) -> None:
        raise BrokenPipeError(errno.EPIPE, "closed")

    monkeypatch.setattr(typer, "echo", closed)
    assert invoke("count", "staff.csv", "--epsilon", "1").exit_code == 1
    import tempfile

    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_json_does_not_go_to_a_file() -> None:
    assert "json must be left out with --out" in refusal(*MEMBERS, "--out", "teams.csv", "--json")


def test_a_ledger_is_not_exported_over_a_file() -> None:
    Path("mine.txt").write_text("mine")
    for out in ("mine.txt", "none/entries.jsonl"):
        refusal("budget", "export", "study.db", "--out", out)
    assert Path("mine.txt").read_text() == "mine"
