"""``dampen group-by`` and ``dampen counts`` from the shell."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.progress import Progress
from typer.testing import CliRunner, Result

from dampen import Adjacency, Budget
from dampen.cli import main, records
from dampen.cli.app import app
from dampen.tables.engines import progress
from tests.contracts.engines import SPARK

SURE = "1000000"
PEOPLE = "id,sex,city\n1,F,Oslo\n2,M,Bonn\n3,M,Oslo\n4,F,Lima\n5,X,\n"
REMEMBERS = "note: nothing remembers this spending; asking again spends again. See --budget.\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


@pytest.fixture
def cities(tmp_path: Path) -> Path:
    path = tmp_path / "cities.txt"
    path.write_text("Oslo\nBonn\nother\n")
    return path


def invoke(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [*map(str, arguments)], env={"COLUMNS": "200"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done


def asked(people: Path, *more: object, epsilon: str = SURE) -> Result:
    options = ("--id", "id", "--by", "sex", "--categories", "F,M,other", "--epsilon", epsilon)
    return invoke("group-by", people, *options, *more)


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(f"select * from '{path}'").fetchall()


def test_groups_are_not_written_over_a_file_of_the_pattern(people: Path) -> None:
    options = ("--id", "id", "--by", "sex", "--categories", "F,M,other", "--epsilon", "1", "--out", str(people))
    done = CliRunner().invoke(app, ["group-by", str(people.with_name("peo*.csv")), *options])
    assert "out must not be the file that is read" in str(done.exception)
    assert people.read_text() == PEOPLE


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".PARQUET"])
def test_groups_are_written_to_a_file(people: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"groups{suffix}"
    done = asked(people, "--out", out)
    assert (done.stdout, done.stderr) == ("", REMEMBERS)
    expected = [("1", "F"), ("4", "F"), ("2", "M"), ("3", "M"), ("5", "other")]
    assert [(str(person), group) for person, group in rows_of(out)] == expected


def test_what_was_written_is_read_again(people: Path, tmp_path: Path) -> None:
    asked(people, "--out", tmp_path / "groups.parquet")
    assert asked(tmp_path / "groups.parquet").stdout == "id,sex\n1,F\n4,F\n2,M\n3,M\n5,other\n"


@pytest.mark.parametrize("method", ["randomised-response", "triode"])
def test_the_order_of_rows_is_not_told(tmp_path: Path, method: str) -> None:
    """A file sorted by its private column: what is written is sorted by what is told."""
    path, out = tmp_path / "people.csv", tmp_path / "groups.csv"
    path.write_text("id,sex\n" + "".join(f"{i + 100},F\n" for i in range(1, 60, 2)) + "".join(
        f"{i + 100},M\n" for i in range(0, 60, 2)))  # fmt: skip
    asked(path, "--out", out, "--method", method, epsilon="1")
    order = [(("F", "M", "other").index(group), int(person)) for person, group in rows_of(out)]
    assert order == sorted(order)


@pytest.mark.parametrize("engine", ["arrays", "duckdb", SPARK])
def test_a_public_filter_and_an_engine(people: Path, engine: str) -> None:
    if engine == "spark":
        from tests.contracts.engines import spark_session

        spark_session()
    done = asked(people.with_name("p*.csv"), "--where", "city=Oslo", "--engine", engine)
    assert done.stdout == "id,sex\n1,F\n3,M\n"


def test_without_a_file_rows_stand_on_standard_output(people: Path) -> None:
    done = asked(people)
    assert (done.stdout, done.stderr) == ("id,sex\n1,F\n4,F\n2,M\n3,M\n5,other\n", REMEMBERS)


@pytest.mark.parametrize("method", ["randomised-response", "triode", "triode-h", "dampened-triode"])
def test_json_tells_value_loss_and_mechanism(people: Path, method: str) -> None:
    told = json.loads(asked(people, "--method", method, "--json", epsilon="1/2").stdout)
    assert list(told["value"]) == ["F", "M", "other"]
    assert told["loss"] == {"epsilon": "0.5", "delta": "0", "adjacency": "replace", "unit": "row"}
    assert told["mechanism"].lower().startswith(method.replace("-", ""))


def test_a_ledger_pays_once_and_remembers(people: Path, tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "ledger.db", epsilon=3, adjacency=Adjacency.REPLACE)
    done = asked(people, "--budget", tmp_path / "ledger.db", "--note", "who", epsilon="1")
    assert done.stderr == ""
    assert ledger.spent.epsilon == 1


def test_groups_are_never_written_over_the_ledger(people: Path, tmp_path: Path) -> None:
    ledger = Budget.open(tmp_path / "ledger.csv", epsilon=3, adjacency=Adjacency.REPLACE)
    options = ("--id", "id", "--by", "sex", "--categories", "F,M,other", "--epsilon", "1")
    words = ["group-by", people, *options, "--budget", tmp_path / "ledger.csv", "--out", tmp_path / "ledger.csv"]
    done = CliRunner().invoke(app, [*map(str, words)])
    assert "out must not be the ledger that pays" in str(done.exception)
    assert ledger.spent.epsilon == 0


def test_a_file_that_cannot_be_written_loses_nothing(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dampen.cli.group_by.literal", lambda path: "'/nowhere/at/all.parquet'")
    done = asked(people, "--out", tmp_path / "groups.parquet")
    assert done.stdout == "id,sex\n1,F\n4,F\n2,M\n3,M\n5,other\n"
    assert "groups.parquet could not be written" in done.stderr


def test_the_commands_of_the_guide(people: Path, cities: Path, tmp_path: Path) -> None:
    rest = ("--categories", "F,M,other", "--epsilon", "1", "--out", tmp_path / "groups.parquet")
    invoke("group-by", people, "--id", "id", "--by", "sex", *rest)
    assert sorted(person for person, _ in rows_of(tmp_path / "groups.parquet")) == ["1", "2", "3", "4", "5"]
    done = invoke("counts", people, "--by", "city", "--categories", cities, "--epsilon", "1", "--missing-as-other")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["Oslo", "Bonn", "other"]


def test_counts_stand_one_to_a_line(people: Path, cities: Path) -> None:
    options = ("counts", people, "--by", "city", "--categories", cities, "--epsilon", SURE)
    assert invoke(*options, "--missing-as-other").stdout == "Oslo\t2\nBonn\t1\nother\t2\n"
    assert invoke(*options, "--drop-missing", "--adjacency", "replace").stdout == "Oslo\t2\nBonn\t1\nother\t1\n"
    told = json.loads(invoke(*options, "--missing-as-other", "--json").stdout)
    assert told["value"] == {"Oslo": 2, "Bonn": 1, "other": 2}


def test_consistent_counts_add_up_to_all_rows(people: Path, cities: Path) -> None:
    options = ("--by", "city", "--categories", cities, "--epsilon", "1/10", "--consistent", "--adjacency", "replace")
    done = invoke("counts", people, *options, "--missing-as-other")
    numbers = [int(line.split("\t")[1]) for line in done.stdout.splitlines()]
    assert sum(numbers) == 5
    assert min(numbers) >= 0
    noisy = invoke("counts", people, "--by", "city", "--categories", cities, "--epsilon", "1/100", "--non-negative",
                   "--drop-missing")  # fmt: skip
    assert min(int(line.split("\t")[1]) for line in noisy.stdout.splitlines()) >= 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("group-by FILE --id id --by sex --categories F,M", "column 'sex' must hold only the declared categories"),
        ("group-by FILE --id sex --by city --categories F,M", "ids must"),
        ("group-by FILE --id id --by id --categories F,M", "must be another column than that of the ids"),
        (
            "group-by FILE --id id --by sex --where sex=F --categories F,M",
            "where must not name the column of the groups",
        ),
        ("group-by FILE --id id --by town --categories F,M", "must be a column of people.csv"),
        ("group-by FILE --id id --by city --categories Oslo,Bonn,Lima", "column 'city' must have no missing values"),
        ("group-by FILE --id id --by sex --categories F", "categories must be a list such as F,M"),
        ("group-by FILE --id id --by sex --categories F,F", "distinct"),
        ("group-by FILE --id id --by sex --categories F,", "categories must have no empty label"),
        ("counts FILE --by sex --categories F,,M", "categories must have no empty label"),
        ("group-by FILE --id id --by sex --categories F,M --out x.txt", "out must end in .parquet or .csv"),
        ("group-by FILE --id id --by sex --categories F,M --out FILE", "out must not be the file that is read"),
        ("group-by FILE --id id --by sex --categories F,M --out no/where.csv", "a folder that exists"),
        ("group-by FILE --id id --by sex --categories F,M --fragment 3", "fragment goes with method 'triode_h'"),
        ("counts FILE --by city --categories Oslo,Bonn", "column 'city' must hold only the declared categories"),
        ("counts FILE --by city --categories Oslo,Bonn,other", "column 'city' must have no missing values"),
        ("counts FILE --by sex --categories F,M,other --missing-as-other --drop-missing", "exclude each other"),
        ("counts FILE --by sex --categories F,M,other --scope analyst=ann", "scope must come with --budget"),
    ],
)
def test_refusals_are_one_line(
    arguments: str, message: str, people: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(people) if word == "FILE" else word for word in arguments.split()]
    monkeypatch.setattr(sys, "argv", ["dampen", *words, "--epsilon", "1"])
    with pytest.raises(SystemExit) as ended:
        main()
    told = capsys.readouterr()
    assert ended.value.code == 1
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert message in told.err


def test_parquet_groups_of_other_types(tmp_path: Path) -> None:
    path = tmp_path / "typed.parquet"
    with duckdb.connect() as connection:
        table = "select * from (values (1, true, 7), (2, false, 8), (3, null, null)) as t(id, flag, code)"
        connection.execute(f"copy ({table}) to '{path}' (format parquet)")
    options = ("--id", "id", "--epsilon", SURE, "--missing-as-other")
    flags = invoke("group-by", path, "--by", "flag", "--categories", "true,false,other", *options)
    assert flags.stdout == "id,flag\n1,true\n2,false\n3,other\n"
    codes = invoke("group-by", path, "--by", "code", "--categories", "7,8,other", *options)
    assert codes.stdout == "id,code\n1,7\n2,8\n3,other\n"


def test_a_bar_runs_on_without_a_share_and_shows_it_where_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    bars = list[Progress]()

    class Kept(Progress):
        def __enter__(self) -> "Kept":
            bars.append(self)
            return self

    monkeypatch.setattr("rich.progress.Progress", Kept)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with records.progress():
        tell = progress._listener.get()
        assert tell is not None
        seen = []
        for share in (None, 40.0, None):
            tell(share)
            seen.append((bars[0].tasks[0].total, bars[0].tasks[0].completed))
        assert seen == [(None, 0), (100.0, 40.0), (100.0, 40.0)]
