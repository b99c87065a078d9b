"""``dampen train``, ``dampen predict`` and ``dampen score``: a tree from the shell."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dampen import Budget, Category, Number
from dampen.cli import main
from dampen.cli.app import app
from dampen.learn import PrivateTreeClassifier, Schema
from tests.contracts.engines import SPARK
from tests.unit.cli.shell import refusal, tell

SCHEMA = Schema({"rain": Category(["no", "yes"]), "km": Number(0, 20, bins=2)}, classes=["walk", "bus"])


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


TREE = ("--kind", "tree", "--depth", "2")
TRAIN = ("train", "ways.csv", "--target", "way", "--schema", "schema.json", "--epsilon", "100000", *TREE)


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
    assert "error: off by at most 0 with probability 95 %" in done.stderr
    assert "nothing remembers" in done.stderr


def test_a_score_is_paid_from_a_ledger_and_told_as_json(folder: Path) -> None:
    invoke(*TRAIN, "--out", "tree.json")
    (folder / "held.csv").write_text("rain,km,way,city\nno,3,walk,Rome\nno,15,walk,Oslo\n")
    Budget.open("study.db", epsilon=150_000)
    told = json.loads(invoke(*SCORE, "--where", "city=Rome", "--budget", "study.db", "--json").stdout)
    assert told["value"] == 1
    assert told["loss"]["epsilon"] == "100000"
    assert Budget.open("study.db").spent.epsilon == 100_000
    [note] = [entry.note for entry in Budget.open("study.db").history() if entry.kind == "charge"]
    assert note == "score of way where city = 'Rome' in held.csv"


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ((*TRAIN, "--out", "nowhere/tree.json"), "out must be a file in a folder"),
        ((*TRAIN, "--mechanism", "magic"), "mechanism must be one of"),
        ((*TRAIN[:-1], "-1"), "max_depth must be"),
        ((*TRAIN[:-4], "--depth", "2"), "--depth must be left out: it is not for --kind classifier"),
        ((*TRAIN, "--expected-records", "9"), "--expected-records must be left out: it is not for --kind tree"),
        (TRAIN[:-2], "depth must be given for --kind tree"),
        ((*TRAIN[:4], *TRAIN[6:]), "schema must be given with --schema, or a description"),
        ((*TRAIN, "way"), "target must be named once"),
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
    ids=lambda value: value[:40] if isinstance(value, str) else "",
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


def test_a_description_is_all_that_a_classifier_needs(staff: Path, schema: Path) -> None:
    (staff / "staff.toml").write_text('ledger = "staff.db"\n' + (staff / "staff.toml").read_text())
    Budget.open("staff.db", epsilon=500)
    done = invoke("train", "staff.toml", "leaves", "--epsilon", "200", "--out", "model.json")
    assert (done.stdout, done.stderr) == ("", "")
    assert json.loads((staff / "model.json").read_text())["model"] == "PrivateClassifier"
    assert invoke("predict", "model.json", "staff.csv", "--where", "team=board").stdout.split() == ["yes"] * 20
    assert float(invoke("score", "model.json", "staff.toml", "leaves", "--epsilon", "200").stdout) == 1
    notes = [entry.note for entry in Budget.open("staff.db").history() if entry.kind == "charge"]
    assert notes == ["train of leaves in staff.csv", "score of leaves in staff.csv"]
    assert "--schema must be left out: the description says it" in refusal(
        "train", "staff.toml", "leaves", "--epsilon", "1", "--schema", schema
    )
    odd = ("train", "staff.toml", "leaves", "--epsilon", "1", "--delimiter", ";")
    assert "--delimiter must be left out" in refusal(*odd)


@pytest.mark.parametrize("kind", ["classifier", "tree", "forest", "scorecard"])
def test_every_kind_is_trained_from_a_pipe(kind: str, staff: Path, schema: Path) -> None:
    rows = (staff / "staff.csv").read_text()
    depth = ("--depth", "2") if kind == "tree" else ()
    options = ("--schema", schema, "--kind", kind, *depth, "--epsilon", "200", "--out", "model.json")
    tell("train", "-", "leaves", *options, stdin=rows)
    odd = rows.replace(",", ";").encode("utf-16")
    reading = ("--delimiter", ";", "--encoding", "utf-16")
    assert len(tell("predict", "model.json", "-", *reading, stdin=odd).stdout.split()) == 60
    told = tell("score", "model.json", "-", "leaves", "--epsilon", "200", *reading, stdin=odd)
    assert 0 <= float(told.stdout) <= 1
