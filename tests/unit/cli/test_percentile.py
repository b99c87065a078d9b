"""``dampen percentile`` and ``dampen median``: values of a column from the shell."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import dampen
from dampen import Budget
from dampen.cli import main
from dampen.cli.app import app
from dampen.questions.record import Question
from tests.unit.cli.shell import tell
from tests.unit.questions.test_one_percentile import parquet_file

SURE = "1000000"
"""An epsilon at which any answer but the best has a probability of exp(-1024)."""
PEOPLE = "name,salary\nann,31000\nbob,42050\ncid,42050\ndan,98765\n"
GRID = ("--bounds", "0", "100000", "--step", "100")


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    study = Budget.open(path, epsilon=3)
    study.scope("analyst", "ann", epsilon=2)
    study.close()
    return path


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, ["percentile", *map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def told(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(invoke(*arguments, "--json").stdout)
    return found


def test_the_answer_stands_alone_on_standard_output(people: Path) -> None:
    done = invoke(people, "--column", "salary", "--p", "50", *GRID, "--epsilon", SURE)
    assert done.stdout == "42000\n"
    error, remark = done.stderr.splitlines()
    assert error == "error: at most 1 person more or fewer would make this exact, with probability 95 %"
    assert remark == "note: nothing remembers this spending; asking again spends again. See --budget."


def test_several_answers_stand_on_lines_of_their_own_in_the_order_asked(people: Path) -> None:
    options = ("--column", "salary", *GRID, "--epsilon", SURE)
    assert invoke(people, "--p", "100", "--p", "0", "--p", "100/3", *options).stdout == "98700\n31000\n42000\n"
    assert invoke(people, "--p", "50", "--p", "50", *options).stdout == "42000\n42000\n"


def test_answers_stand_on_the_grid(people: Path) -> None:
    grid = ("--bounds", "0", "1000000", "--step", "100")
    done = invoke(people, "--column", "salary", "--p", "50", "--p", "90", *grid, "--epsilon", "1")
    low, high = map(int, done.stdout.split())
    assert 0 <= low <= high <= 1_000_000
    assert low % 100 == high % 100 == 0


def test_json_tells_value_loss_and_mechanism(people: Path) -> None:
    found = told(people, "--column", "salary", "--p", "50", *GRID, "--epsilon", SURE)
    assert (found["value"], found["mechanism"]) == (42000, "PermuteAndFlip(epsilon=1000000)")
    assert found["loss"] == {"epsilon": "1000000", "delta": "0", "adjacency": "add_remove", "unit": "row"}
    assert (found["error"]["bound"], found["error"]["unit"]) == (1, "people")


def test_json_of_several_tells_the_total_price(people: Path) -> None:
    options = ("--column", "salary", *GRID, "--adjacency", "replace")
    assert told(people, "--p", "0", "--p", "100", *options, "--epsilon", SURE)["value"] == [31000, 98700]
    found = told(people, "--p", "0", "--p", "100", "--p", "0", *options, "--epsilon", "1/3")
    assert found["loss"] == {"epsilon": "1/3", "delta": "0", "adjacency": "replace", "unit": "row"}
    assert found["mechanism"] == "2 percentiles, even"
    many = [part for p in range(10, 100, 10) for part in ("--p", p)]
    assert told(people, *many, *options, "--epsilon", "1")["mechanism"] == "9 percentiles, halving"


def test_real_and_negative_grids(people: Path) -> None:
    options = ("--column", "salary", "--p", "50", "--epsilon", SURE)
    assert invoke(people, *options, "--bounds", "0", "100000", "--step", "25000").stdout == "25000\n"
    assert invoke(people, *options, "--bounds", "-1", "1", "--step", "0.1").stdout == "1.0\n"
    assert told(people, *options, "--bounds", "42050.5", "50000", "--step", "0.5")["value"] == 42050.5


def test_methods(people: Path) -> None:
    options = ("--column", "salary", *GRID, "--epsilon", SURE)
    for method in ("distance", "rank"):
        assert invoke(people, *options, "--p", "60", "--method", method).stdout == "42000\n"


def test_a_median_is_the_percentile_50(people: Path) -> None:
    options = (people, "salary", *GRID, "--epsilon", SURE)
    assert tell("median", *options).stdout == invoke(*options, "--p", "50").stdout == "42000\n"
    number = tell("median", *options[:-1], "300", "--method", "number")
    assert float(number.stdout) == pytest.approx(42050, abs=1000)
    shown = tell("median", *options, "--public", "--show-law")
    assert shown.stdout == "42000\n"
    assert "probability of each" in shown.stderr


def test_methods_reach_the_problem(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    pose = Question.pose

    def record(question: Question, *data: Any, **public: Any) -> Any:
        asked.append((question.name, data, public))
        return pose(question, *data, **public)

    monkeypatch.setattr(Question, "pose", record)
    options = ("--column", "salary", "--p", "60", *GRID, "--epsilon", "1")
    invoke(people, *options, "--method", "rank", "--adjacency", "replace")
    [(name, (source,), public)] = asked
    assert (name, public["p"], public["method"], source.missing) == ("percentile", "60", "rank", "refuse")
    assert public["adjacency"] is dampen.Adjacency.REPLACE
    invoke(people, *options, "--method", "rank", "--missing", "drop")
    assert asked[1][1][0].missing == "drop"


def test_parquet(tmp_path: Path) -> None:
    path = parquet_file(tmp_path, PEOPLE)
    assert invoke(path, "--column", "salary", "--p", "50", *GRID, "--epsilon", SURE).stdout == "42000\n"


def test_missing_values_are_left_out_when_told(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("name,salary\nann,31000\nbob,\n")
    options = (path, "--column", "salary", *GRID, "--epsilon", SURE, "--missing", "drop")
    assert invoke(*options, "--p", "0").stdout == "31000\n"
    assert invoke(*options, "--p", "0", "--p", "100").stdout == "31000\n31000\n"


# Who pays


@pytest.mark.parametrize("ps", [("50",), ("25", "75")])
def test_a_ledger_pays_once_and_remembers(ps: tuple[str, ...], people: Path, ledger: Path) -> None:
    asked = [part for p in ps for part in ("--p", p)]
    options = (people, "--column", "salary", *asked, *GRID, "--epsilon", "1/2", "--budget", ledger)
    done = invoke(*options)
    assert "nothing remembers" not in done.stderr
    invoke(*options, "--note", "salaries", "--scope", "analyst=ann")
    study = Budget.open(ledger)
    assert study.spent.epsilon == 1
    notes = [entry.note for entry in study.history()]
    asked_for = "percentile p='50'" if len(ps) == 1 else "percentiles"
    assert [note.startswith(asked_for) for note in notes].count(True) == 1
    assert notes.count("salaries") == 1
    assert study.scope("analyst", "ann").spent.epsilon == Fraction(1, 2)
    study.close()


def test_a_refused_file_is_not_paid_for(people: Path, ledger: Path) -> None:
    options = ["percentile", str(people), "--column", "name", "--p", "50", *GRID, "--epsilon", "1"]
    done = CliRunner().invoke(app, [*options, "--budget", str(ledger)])
    assert done.exit_code == 1
    study = Budget.open(ledger)
    assert study.spent.epsilon == 0
    assert study.adjacency is None
    study.close()


# The law


def test_the_law_of_public_data_is_shown_beside_the_answer(people: Path) -> None:
    options = (people, "--column", "salary", "--p", "50", *GRID, "--epsilon", "1", "--public", "--show-law")
    done = invoke(*options)
    assert done.stdout.strip().isdigit()
    lines = done.stderr.splitlines()[2:]
    problem = dampen.queries.percentile_value_problem(
        [31000, 42050, 42050, 98765], 50, grid=range(0, 100_001, 100), adjacency=dampen.Adjacency.ADD_REMOVE
    )
    law = dampen.mechanisms.PermuteAndFlip(1).log_probabilities(problem)
    assert isinstance(law, dampen.Runs)
    best = pytest.approx(2.718281828459045 ** max(law.values), rel=1e-5)
    assert lines[0].split() == ["values", "probability", "of", "each"]
    assert lines[1].split()[0] == "42000"
    assert float(lines[1].split()[1]) == best
    assert any("42100 to 98600 (566 values)" in line for line in lines)
    assert sum(line.startswith("expected loss of utility: ") for line in lines) == 1
    assert json.loads(invoke(*options, "--json").stdout)["value"] % 100 == 0


@pytest.mark.parametrize("grid", [("0", "1000000000"), ("0", "2305843009213693951")])
def test_the_law_on_a_huge_grid(grid: tuple[str, str], people: Path) -> None:
    options = (people, "--column", "salary", "--p", "50", "--bounds", *grid, "--step", "1", "--epsilon", "1")
    done = invoke(*options, "--public", "--show-law")
    assert "42050" in done.stderr


def test_without_show_law_public_data_shows_none(people: Path) -> None:
    done = invoke(people, "--column", "salary", "--p", "50", *GRID, "--epsilon", "1", "--public")
    assert done.stderr.splitlines()[1].startswith("note: nothing remembers")
    assert "probability of each" not in done.stderr


# Refusals


def run_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["dampen", "percentile", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


RIGHT = {
    "--column": ["salary"],
    "--p": ["50"],
    "--bounds": ["0", "100000"],
    "--step": ["100"],
    "--epsilon": ["1"],
}


@pytest.mark.parametrize(
    ("change", "more", "shown"),
    [
        ({"--epsilon": ["0"]}, [], "epsilon must be positive; got '0'"),
        ({"--epsilon": ["abc"]}, [], "epsilon"),
        ({"--p": ["101"]}, [], "p must lie between 0 and 100; got '101'"),
        ({"--p": ["-1"]}, [], "p must lie between 0 and 100"),
        ({"--p": ["abc"]}, [], "p must"),
        ({}, ["--p", "101"], "p must lie between 0 and 100; got '101'"),
        ({"--bounds": ["9", "0"]}, [], "lo must be below hi"),
        ({"--bounds": ["0", "nan"]}, [], "hi must be a finite number"),
        ({"--step": ["0"]}, [], "step must be positive"),
        ({"--bounds": ["0", "1"], "--step": []}, [], "needs a step"),
        ({"--p": ["0.25,0.5"]}, [], "percentages"),
        ({"--column": ["age"]}, [], "'age'"),
        ({"--column": ["name"]}, [], "'name' must hold numbers"),
        ({"--column": ["gap"]}, [], "missing"),
        ({}, ["--show-law"], "--public"),
        ({}, ["--show-law", "--public", "--p", "60"], "single --p"),
        ({}, ["--p", "60", "--method", "rank"], "method must be distance for several percentiles"),
        ({}, ["--scope", "analyst=ann"], "scope must come with --budget"),
        ({}, ["--budget", "none.db"], "none.db"),
        ({}, ["--note", "two\nlines"], "note"),
    ],
    ids=str,
)
def test_errors_are_one_line_on_standard_error_without_data(
    change: dict[str, list[str]],
    more: list[str],
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("name,salary,gap\nsecret,98765,4321\nsecret,98765,\n")
    monkeypatch.chdir(tmp_path)
    options = [part for name, words in (RIGHT | change).items() if words for part in (name, *words)]
    assert run_main(monkeypatch, str(path), *options, *more) == 1
    out, err = capsys.readouterr()
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("dampen: ")
    assert shown in line
    assert len(line) < 300
    assert not any(word in line for word in ("secret", "98765", "4321"))


def test_a_file_that_is_not_there(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    options = [part for name, words in RIGHT.items() for part in (name, *words)]
    assert run_main(monkeypatch, "none.csv", *options) == 1
    assert capsys.readouterr().err == "dampen: file must exist; got 'none.csv'\n"


@pytest.mark.parametrize("missing", ["--column", "--p", "--bounds", "--epsilon"])
def test_nothing_that_matters_has_a_default(missing: str, people: Path) -> None:
    options = [part for name, words in RIGHT.items() if name != missing for part in (name, *words)]
    done = CliRunner().invoke(app, ["percentile", str(people), *options])
    assert done.exit_code == (2 if missing == "--p" else 1)
    assert missing in done.output + str(done.exception)


@pytest.mark.parametrize("option", [("--method", "label"), ("--adjacency", "edge"), ("--missing", "keep")])
def test_words_that_no_option_knows(option: tuple[str, str], people: Path) -> None:
    options = [part for name, words in RIGHT.items() for part in (name, *words)]
    done = CliRunner().invoke(app, ["percentile", str(people), *options, *option])
    assert done.exit_code == 2
    assert option[0] in done.output
