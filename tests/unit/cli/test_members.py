"""``dampen release-group-members`` from the shell, and the bar that is shown while data is read."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.progress import Progress
from typer.testing import Result

from dampen import Adjacency, Budget
from dampen.cli.progress import progress as show_progress
from dampen.tables.engines import progress
from tests.contracts.engines import SPARK
from tests.unit.cli.shell import REMEMBERS, SURE, refusal, tell

OPTIONS = ("--id", "id", "--by", "sex", "--groups", "F,M,other", "--other", "other")
PEOPLE = "id,sex,city\n1,F,Oslo\n2,M,Bonn\n3,M,Oslo\n4,F,Lima\n5,X,\n"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def asked(people: Path, *more: object, epsilon: str = SURE) -> Result:
    return tell("release-group-members", people, *OPTIONS, "--epsilon", epsilon, *more)


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(f"select * from '{path}'").fetchall()


def test_groups_are_not_written_over_a_file_of_the_pattern(people: Path) -> None:
    words = ("release-group-members", people.with_name("peo*.csv"), *OPTIONS, "--epsilon", "1", "--out", people)
    assert "out must not be the file that is read" in refusal(*words)
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
    path = tmp_path / "ledger.csv"
    ledger = Budget.open(path, epsilon=3, adjacency=Adjacency.REPLACE)
    words = ("release-group-members", people, *OPTIONS, "--epsilon", "1", "--budget", path, "--out", path)
    assert "out must not be the ledger that pays" in refusal(*words)
    assert ledger.spent.epsilon == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--id id --by sex --groups F,M", "column 'sex' must hold only the declared categories"),
        ("--id sex --by city --groups F,M", "ids must"),
        ("--id id --by id --groups F,M", "must be another column"),
        ("--id id --by sex --where sex=F --groups F,M", "where must name public columns alone"),
        ("--id id --by town --groups F,M", "must be a column of people.csv"),
        ("--id id --by city --groups Oslo,Bonn,Lima", "column 'city' must have no missing values"),
        ("--id id --by sex --groups F", "groups must be a list such as a,b,c or a file"),
        ("--id id --by sex --groups F,F", "distinct"),
        ("--id id --by sex --groups F,", "groups must have no empty label"),
        ("--id id --by sex,city --groups F,M --groups Oslo,Bonn", "by must name one column"),
        ("--id id", "by must name one column"),
        ("--id id --by sex --groups F,M --out x.txt", "out must end in .parquet or .csv"),
        ("--id id --by sex --groups F,M --out no/where.csv", "a folder that exists"),
        ("--id id --by sex --groups F,M --fragment 3", "fragment goes with method 'triode_h'"),
        ("--id id --by sex --groups F,M --adjacency add-remove", "--adjacency must be left out"),
    ],
)
def test_refusals_are_one_line(options: str, message: str, people: Path) -> None:
    assert message in refusal("release-group-members", people, *options.split(), "--epsilon", "1")


def test_a_description_tells_the_groups(people: Path, tmp_path: Path) -> None:
    known = '[columns.sex]\nkind = "category"\nvalues = ["F", "M", "other"]\nother = "other"\n'
    (tmp_path / "people.toml").write_text('data = "people.csv"\nadjacency = "replace"\n' + known)
    words = ("release-group-members", tmp_path / "people.toml", "--id", "id", "--by", "sex", "--epsilon", SURE)
    assert tell(*words).stdout == "id,sex\n1,F\n4,F\n2,M\n3,M\n5,other\n"
    out = tmp_path / "people.csv"
    assert "out must not be the file that is read" in refusal(*words, "--out", out), "wherever one stands"


def test_parquet_groups_of_other_types(tmp_path: Path) -> None:
    path = tmp_path / "typed.parquet"
    with duckdb.connect() as connection:
        table = "select * from (values (1, true, 7), (2, false, 8), (3, null, null)) as t(id, flag, code)"
        connection.execute(f"copy ({table}) to '{path}' (format parquet)")
    options = ("--id", "id", "--epsilon", SURE, "--missing", "other", "--other", "other")
    flags = tell("release-group-members", path, "--by", "flag", "--groups", "true,false,other", *options)
    assert flags.stdout == "id,flag\n1,true\n2,false\n3,other\n"
    codes = tell("release-group-members", path, "--by", "code", "--groups", "7,8,other", *options)
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
    with show_progress():
        tell = progress._listener.get()
        assert tell is not None
        seen = []
        for share in (None, 40.0, None):
            tell(share)
            seen.append((bars[0].tasks[0].total, bars[0].tasks[0].completed))
        assert seen == [(None, 0), (100.0, 40.0), (100.0, 40.0)]
