"""``dampen most-common``: the most frequent values of a column from the shell."""

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from dampen import Adjacency, Budget
from dampen.cli import main
from dampen.cli.app import app
from tests.unit.questions.test_one_percentile import parquet_file

SURE = "1000000"
PEOPLE = "name,city,gap\nann,Bonn,Oslo\nbob,Oslo,Oslo\ncid,Bonn,\ndan,Rome,Oslo\neve,Bonn,Oslo\nfay,Oslo,Oslo\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.fixture
def cities(tmp_path: Path) -> Path:
    path = tmp_path / "cities.txt"
    path.write_text("Rome\nOslo\nBonn\nLima\n")
    return path


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, ["most-common", *map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def test_the_answer_stands_alone_on_standard_output(people: Path, cities: Path) -> None:
    done = invoke(people, "--column", "city", "--categories", cities, "--epsilon", SURE)
    assert done.stdout == "Bonn\n"
    error, remark = done.stderr.splitlines()
    assert error == "error: at most 0 records below the best, with probability 95 %"
    assert remark == "note: nothing remembers this spending; asking again spends again. See --budget."


def test_several_answers_stand_on_lines_of_their_own_most_frequent_first(people: Path, cities: Path) -> None:
    options = (people, "--column", "city", "--categories", cities, "--epsilon", SURE)
    assert invoke(*options, "--k", 2).stdout == "Bonn\nOslo\n"
    assert invoke(*options, "--k", 4, "--adjacency", "replace").stdout == "Bonn\nOslo\nRome\nLima\n"


def test_a_fraction_of_epsilon(people: Path, cities: Path) -> None:
    done = invoke(people, "--column", "city", "--categories", cities, "--epsilon", "0.5")
    assert done.stdout.strip() in cities.read_text().split()


def test_json_tells_value_loss_and_mechanism(people: Path, cities: Path) -> None:
    options = (people, "--column", "city", "--categories", cities, "--json")
    told = json.loads(invoke(*options, "--epsilon", SURE).stdout)
    assert (told["value"], told["mechanism"]) == ("Bonn", "PermuteAndFlip(epsilon=1000000)")
    assert told["loss"] == {"epsilon": "1000000", "delta": "0", "adjacency": "add_remove", "unit": "row"}
    assert (told["error"]["bound"], told["error"]["unit"]) == (0, "records")
    several = json.loads(invoke(*options, "--epsilon", "1/2", "--k", 3, "--adjacency", "replace").stdout)
    assert len(several["value"]) == 3
    assert several["loss"] == {"epsilon": "0.5", "delta": "0", "adjacency": "replace", "unit": "row"}
    assert several["mechanism"] == "TopK(k=3, base=PermuteAndFlip(epsilon=1/6))"


def test_parquet(tmp_path: Path, cities: Path) -> None:
    path = parquet_file(tmp_path, PEOPLE)
    assert invoke(path, "--column", "city", "--categories", cities, "--epsilon", SURE).stdout == "Bonn\n"


def test_missing_values_are_left_out_and_others_count_as_one_when_told(
    people: Path, tmp_path: Path, cities: Path
) -> None:
    options = (people, "--categories", cities, "--epsilon", SURE)
    assert invoke(*options, "--column", "gap", "--missing", "drop").stdout == "Oslo\n"
    few = tmp_path / "few.txt"
    few.write_text("Oslo\nRome\nelsewhere\n")
    done = invoke(people, "--categories", few, "--epsilon", SURE, "--column", "city", "--other", "elsewhere")
    assert done.stdout == "elsewhere\n"


@pytest.mark.parametrize("k", [1, 2])
def test_a_ledger_pays_once_and_remembers(k: int, people: Path, cities: Path, tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    study = Budget.open(path, epsilon=3)
    study.scope("analyst", "ann", epsilon=2)
    study.close()
    options = (people, "--column", "city", "--categories", cities, "--epsilon", "1/2", "--budget", path, "--k", k)
    assert "nothing remembers" not in invoke(*options).stderr
    invoke(*options, "--note", "towns", "--scope", "analyst=ann")
    refusal = CliRunner().invoke(app, ["most-common", *map(str, options), "--column", "town"])
    assert refusal.exit_code == 1
    study = Budget.open(path)
    assert study.spent.epsilon == 1
    assert study.adjacency is Adjacency.ADD_REMOVE
    notes = [entry.note for entry in study.history()]
    asked = f"{'most_common' if k == 1 else 'top_categories k=2'} of city as Category('Rome', 'Oslo', 'Bonn', 'Lima')"
    assert (notes.count(f"{asked} in {people}"), notes.count("towns")) == (1, 1)
    study.close()


# Refusals


def run_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["dampen", "most-common", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert isinstance(ended.value.code, int)
    return ended.value.code


RIGHT = {"--column": "city", "--categories": "cities.txt", "--epsilon": "1"}


@pytest.mark.parametrize(
    ("change", "more", "shown"),
    [
        ({"--epsilon": "0"}, [], "epsilon must be positive; got '0'"),
        ({"--epsilon": "abc"}, [], "epsilon"),
        ({"--column": "town"}, [], "'town'"),
        ({"--column": "gap"}, [], "missing"),
        ({"--column": "name"}, [], "declared categories"),
        ({"--categories": "none.txt"}, [], "categories must be a list such as a,b,c or a file that exists"),
        ({"--categories": "twice.txt"}, [], "distinct"),
        ({"--categories": "empty.txt"}, [], "empty"),
        ({}, ["--k", "0"], "k must be a whole number of at least 1; got 0"),
        ({}, ["--k", "5"], "k must not exceed the number of candidates, 4; got 5"),
        ({}, ["--scope", "analyst=ann"], "scope must come with --budget"),
        ({}, ["--budget", "none.db"], "none.db"),
    ],
    ids=str,
)
def test_errors_are_one_line_on_standard_error_without_data(
    change: dict[str, str],
    more: list[str],
    shown: str,
    people: Path,
    cities: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    people.write_text(PEOPLE.replace("ann", "secret"))
    (tmp_path / "twice.txt").write_text("Rome\nRome\n")
    (tmp_path / "empty.txt").write_text("")
    monkeypatch.chdir(tmp_path)
    options = [part for pair in (RIGHT | change).items() for part in pair]
    assert run_main(monkeypatch, people.name, *options, *more) == 1
    out, err = capsys.readouterr()
    assert out == ""
    [line] = err.splitlines()
    assert line.startswith("dampen: ")
    assert shown in line
    assert len(line) < 300
    assert not any(word in line for word in ("secret", "Bonn", "Lima"))


@pytest.mark.parametrize("missing", list(RIGHT))
def test_nothing_that_matters_has_a_default(missing: str, people: Path, cities: Path) -> None:
    given = RIGHT | {"--categories": str(cities)}
    options = [part for name, word in given.items() if name != missing for part in (name, word)]
    done = CliRunner().invoke(app, ["most-common", str(people), *options])
    assert done.exit_code == 1
    assert missing in done.output + str(done.exception)


def test_the_law_of_a_category_is_not_shown(people: Path, cities: Path) -> None:
    options = [
        "most-common",
        str(people),
        "--column",
        "city",
        "--categories",
        str(cities),
        "--epsilon",
        "1",
        "--show-law",
    ]
    assert CliRunner().invoke(app, options).exit_code == 2
