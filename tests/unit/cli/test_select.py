"""``dampen select``: plain and JSON answers, notes beside them, errors in one line."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dampen.cli import main
from dampen.cli.app import app
from tests.unit.cli.shell import tell

SURE = "1000000"
"""An epsilon at which any answer but the best has a probability of exp(-1024)."""
OPTIONS = ("--label", "name", "--score", "votes", "--sensitivity", "1")


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text("name,votes\ntea,31\ncoffee,28\nwater,4\n")
    return path


@pytest.fixture
def names(tmp_path: Path) -> Path:
    path = tmp_path / "names.txt"
    path.write_text("tea\ncoffee\nwater\nmilk\n")
    return path


def invoke(path: Path, *options: str, epsilon: str = SURE) -> tuple[str, str]:
    done = CliRunner().invoke(app, ["select", str(path), *OPTIONS, "--epsilon", epsilon, *options])
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


def test_the_plain_answer_stands_alone_on_standard_output(votes: Path, names: Path) -> None:
    out, err = invoke(votes, "--monotone", "--candidates", str(names))
    assert out == "tea\n"
    assert "nothing remembers this spending" in err


def test_the_command_of_the_readme(votes: Path, names: Path) -> None:
    out, _ = invoke(votes, "--monotone", "--candidates", str(names), epsilon="1/2")
    assert out.strip() in names.read_text().split()


def test_json_tells_value_loss_and_mechanism_and_no_score(votes: Path) -> None:
    out, err = invoke(votes, "--json")
    told = json.loads(out)
    assert (told["value"], told["mechanism"]) == ("tea", "PermuteAndFlip(epsilon=1000000)")
    assert told["loss"] == {"epsilon": "1000000", "delta": "0", "adjacency": "add_remove", "unit": "row"}
    assert told["error"]["unit"] == "units of the score"
    assert told["note"] == f"select of name by votes in {votes}"
    assert "31" not in out.replace(str(votes), "")
    assert "nothing remembers this spending" in err


def test_json_tells_epsilon_exactly(votes: Path) -> None:
    out, _ = invoke(votes, "--json", "--adjacency", "replace", epsilon="1/3")
    assert json.loads(out)["loss"] == {"epsilon": "1/3", "delta": "0", "adjacency": "replace", "unit": "row"}


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("permute-and-flip", "PermuteAndFlip(epsilon=1000000)"),
        ("exponential", "Exponential(epsilon=1000000)"),
        ("report-noisy-max", "ReportNoisyMax(epsilon=1000000, noise='laplace')"),
    ],
)
def test_every_mechanism_has_a_name(name: str, shown: str, votes: Path) -> None:
    out, _ = invoke(votes, "--json", "--mechanism", name)
    assert json.loads(out)["value"] == "tea"
    assert json.loads(out)["mechanism"] == shown


def test_labels_of_the_file_are_published_only_with_a_warning(votes: Path, names: Path) -> None:
    assert "published as the candidates" in invoke(votes)[1]
    assert "published" not in invoke(votes, "--candidates", str(names))[1]


def test_a_candidate_without_votes_can_win(tmp_path: Path, names: Path) -> None:
    path = tmp_path / "negative.csv"
    path.write_text("name,votes\ntea,-3\ncoffee,-2\nwater,-1\n")
    assert invoke(path, "--candidates", str(names))[0] == "milk\n"


def test_real_scores_are_declared(tmp_path: Path) -> None:
    path = tmp_path / "reals.csv"
    path.write_text("name,votes\ntea,0.5\ncoffee,2.5\n")
    assert invoke(path, "--real")[0] == "coffee\n"


def run_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["dampen", "select", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize(
    ("content", "options", "shown"),
    [
        ("name,votes\nsecret,98765\n", ["--epsilon", "0"], "epsilon must be positive; got '0'"),
        ("name,votes\nsecret,98765\n", ["--epsilon", "abc"], "epsilon"),
        ("name,votes\nsecret,98765\n", ["--epsilon=-1"], "epsilon must be positive"),
        ("name,votes\nsecret,98765\n", ["--epsilon", "1e999999999"], "epsilon"),
        ("name,votes\nsecret,98765\n", ["--epsilon", "1", "--sensitivity", "0"], "sensitivity must be positive"),
        ("name,votes\nsecret,98765\n", ["--epsilon", "1", "--label", "who"], "'who'"),
        ("name,votes\nsecret,98765\n", ["--epsilon", "1", "--candidates", "none.txt"], "candidates must be a list"),
        (
            "name,votes\nsecret,98765\n",
            ["--epsilon", "1", "--adjacency", "replace", "--monotone"],
            "monotone must be False under REPLACE",
        ),
        ("name,votes\nsecret,98765.5\n", ["--epsilon", "1"], "'votes'"),
        ("name,votes\nsecret,nan\n", ["--epsilon", "1", "--real"], "must hold numbers"),
        ("name,votes\nsecret,inf\n", ["--epsilon", "1", "--real"], "finite"),
        ("name,votes\nsecret,\n", ["--epsilon", "1"], "missing"),
        ("name,votes\nsecret,1\nsecret,2\n", ["--epsilon", "1"], "once"),
        ("name,votes\n", ["--epsilon", "1"], "empty"),
        ("name,votes\n" + "x,1\n" * 30_000 + "secret,98765,1,1\n", ["--epsilon", "1"], "must"),
        ("name,votes\nsecret," + "9" * 30 + "\n", ["--epsilon", "1"], "utilities"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_errors_are_one_line_on_standard_error_without_data(
    content: str,
    options: list[str],
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(content)
    assert run_main(monkeypatch, str(path), *OPTIONS, *options) == 1
    out, err = capsys.readouterr()
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("dampen: ")
    assert shown in line
    assert len(line) < 300
    assert "secret" not in line
    assert "98765" not in line


def test_unknown_labels_are_refused_without_naming_them(
    votes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = tmp_path / "few.txt"
    few.write_text("tea\ncoffee\n")
    assert run_main(monkeypatch, str(votes), *OPTIONS, "--epsilon", "1", "--candidates", str(few)) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert "among the candidates" in line
    assert "water" not in line


@pytest.mark.parametrize("missing", ["--label", "--score", "--sensitivity", "--epsilon"])
def test_nothing_that_matters_has_a_default(missing: str, votes: Path) -> None:
    options = {"--label": "name", "--score": "votes", "--sensitivity": "1", "--epsilon": "1"}
    del options[missing]
    done = CliRunner().invoke(app, ["select", str(votes), *(part for pair in options.items() for part in pair)])
    assert done.exit_code == (1 if missing == "--epsilon" else 2)
    assert missing in done.output + str(done.exception)


def test_a_list_of_candidates_and_a_file_that_says_little_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "votes.txt"
    path.write_bytes("Kaffee;1,5\nKäse;2,5\n".encode("latin-1"))
    reading = ["--no-header", "--delimiter", ";", "--decimal", ",", "--encoding", "latin-1", "--real"]
    options = ["--label", "c0", "--score", "c1", "--sensitivity", "1", "--epsilon", SURE]
    options += ["--candidates", "Kaffee,Käse,Tee"]
    for engine in ("duckdb", "arrays"):
        assert tell("select", path, *options, *reading, "--engine", engine).stdout == "Käse\n"
    piped = tell("top-k", "-", "--k", "2", *options, *reading, stdin=path.read_bytes())
    assert piped.stdout == "Käse\nKaffee\n"
