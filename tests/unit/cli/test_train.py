"""``dampen train``, ``dampen predict`` and ``dampen score``: a tree from the shell."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dampen import Budget
from dampen.cli import main
from dampen.cli.app import app
from dampen.learn import Categorical, Numeric, PrivateTreeClassifier, Schema
from tests.contracts.engines import SPARK

SCHEMA = Schema({"rain": Categorical(["no", "yes"]), "km": Numeric(0, 20, bins=2)}, classes=["walk", "bus"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = ["no,3,walk", "no,15,bus", "yes,3,bus", "yes,15,bus"] * 30
    (tmp_path / "ways.csv").write_text("rain,km,way\n" + "\n".join(rows) + "\n")
    (tmp_path / "new.csv").write_text("km,rain\n2,no\n19,no\n2,snow\n")
    (tmp_path / "schema.json").write_text(SCHEMA.to_json())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(*arguments: str) -> Result:
    done = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done


TRAIN = ("train", "ways.csv", "--target", "way", "--schema", "schema.json", "--epsilon", "100000", "--depth", "2")


def test_a_tree_is_written_and_predicts(folder: Path) -> None:
    done = invoke(*TRAIN, "--out", "tree.json")
    assert done.stdout == ""
    assert "nothing remembers" in done.stderr
    tree = PrivateTreeClassifier.from_json(folder / "tree.json")
    assert tree.model_.counts == (30, 90)
    assert invoke("predict", "tree.json", "new.csv").stdout.splitlines() == ["walk", "bus", "walk"]


@pytest.mark.parametrize("engine", ["arrays", "duckdb", SPARK])
def test_files_are_told_in_their_order(folder: Path, engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The larger file, which Spark would read first, is the last; batches are of two rows."""
    if engine == "spark":
        from tests.contracts.engines import spark_session

        spark_session()
    monkeypatch.setattr("dampen.tables.rows.BATCH", 2)
    invoke(*TRAIN, "--out", "tree.json")
    (folder / "part1.csv").write_text("km,rain,city\n2,no,Oslo\n19,no,Oslo\n2,no,Bonn\n")
    (folder / "part2.csv").write_text("km,rain,city\n" + "19,no,Bonn\n2,no,Oslo\n2,yes,Oslo\n" * 3)
    told = invoke("predict", "tree.json", "part*.csv", "--engine", engine).stdout.split()
    assert told == ["walk", "bus", "walk", *["bus", "walk", "bus"] * 3]
    told = invoke("predict", "tree.json", "part*.csv", "--engine", engine, "--where", "city=Bonn").stdout.split()
    assert told == ["walk", "bus", "bus", "bus"]


def test_without_a_file_the_tree_is_the_answer(folder: Path) -> None:
    shown = json.loads(invoke(*TRAIN, "--criterion", "information_gain", "--adjacency", "replace").stdout)
    assert shown["parameters"]["criterion"] == "information_gain"
    assert shown["adjacency"] == "replace"


def test_a_ledger_pays_once_and_remembers_the_note(folder: Path) -> None:
    Budget.open("study.db", epsilon=150_000)
    invoke(*TRAIN, "--budget", "study.db", "--note", "ways to work", "--out", "tree.json")
    assert Budget.open("study.db").spent.epsilon == 100_000
    assert "ways to work" in invoke("budget", "history", "study.db").stdout


SCORE = ("score", "tree.json", "held.csv", "--target", "way", "--epsilon", "100000")


@pytest.mark.parametrize("engine", ["arrays", "duckdb", SPARK])
@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
def test_a_tree_is_scored_on_rows_held_out(folder: Path, adjacency: str, engine: str) -> None:
    if engine == "spark":
        from tests.contracts.engines import spark_session

        spark_session()
    invoke(*TRAIN, "--out", "tree.json")
    (folder / "held.csv").write_text("rain,km,way\nno,3,walk\nno,15,walk\nyes,3,bus\nyes,3,tram\n")
    done = invoke(*SCORE, "--adjacency", adjacency, "--engine", engine)
    assert done.stdout == "0.5\n"
    assert "give or take 0 (95 % confidence)" in done.stderr
    assert "nothing remembers" in done.stderr


def test_a_score_is_paid_from_a_ledger_and_told_as_json(folder: Path) -> None:
    invoke(*TRAIN, "--out", "tree.json")
    (folder / "held.csv").write_text("rain,km,way,city\nno,3,walk,Rome\nno,15,walk,Oslo\n")
    Budget.open("study.db", epsilon=150_000)
    told = json.loads(invoke(*SCORE, "--where", "city=Rome", "--budget", "study.db", "--json").stdout)
    assert told["value"] == 1
    assert told["loss"]["epsilon"] == "100000"
    assert Budget.open("study.db").spent.epsilon == 100_000
    assert "score" in invoke("budget", "history", "study.db").stdout


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ((*TRAIN, "--out", "nowhere/tree.json"), "out must be a file in a folder"),
        ((*TRAIN, "--mechanism", "magic"), "mechanism must be one of"),
        ((*TRAIN[:-1], "-1"), "max_depth must be"),
        (("predict", "schema.json", "new.csv"), "the model must be a JSON file"),
        (("predict", "missing.json", "new.csv"), "the model must be a JSON file"),
        (("predict", "good.json", "ways.csv", "--where", "city=Oslo"), "where must be a column of ways.csv"),
        (("score", "missing.json", "ways.csv", "--target", "way", "--epsilon", "1"), "the model must be a JSON file"),
        (
            ("score", "good.json", "ways.csv", "--target", "rain", "--epsilon", "1"),
            "the target must not be an attribute",
        ),
        (("score", "good.json", "ways.csv", "--target", "way", "--epsilon", "0"), "epsilon must be"),
    ],
    ids=["out", "mechanism", "depth", "schema", "missing", "where", "score missing", "score target", "score epsilon"],
)
def test_refusals_are_one_line(
    folder: Path,
    arguments: tuple[str, ...],
    rule: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "good.json" in arguments:
        invoke(*TRAIN, "--out", "good.json")
    monkeypatch.setattr(sys, "argv", ["dampen", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 1
    error = capsys.readouterr().err
    assert error.startswith(f"dampen: {rule}")
    assert error.count("\n") == 1


def test_a_model_of_an_unknown_kind_is_refused(folder: Path) -> None:
    (folder / "odd.json").write_text('{"model": "Schema"}')
    done = CliRunner().invoke(app, ["predict", "odd.json", "new.csv"])
    assert "classifier of dampen.learn" in str(done.exception)


def test_a_tree_that_cannot_be_written_is_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(Path, "write_text", full)
    done = invoke(*TRAIN, "--out", "tree.json")
    assert json.loads(done.stdout)["model"] == "PrivateTreeClassifier"
    assert "could not be written" in done.stderr
