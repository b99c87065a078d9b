"""``dampen describe`` and ``dampen check``: a draft without values, and rules without counts."""

import re
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from dampen.cli.app import app
from dampen.describe.description import Description
from tests.unit.cli.shell import refusal, tell


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(draft: str, **columns: str) -> str:
    """What the curator does: a description for each column in place of the comments."""
    for name, words in columns.items():
        draft = re.sub(rf"(\[columns\.{name}\]\n)(?:[^\n\[]*\n)*", rf"\1{words}\n", draft)
    return draft


def test_a_draft_names_the_columns_and_no_value(here: Path) -> None:
    (here / "staff.csv").write_text("pay,team\n98765,secret\n")
    done = tell("describe", "staff.csv")
    assert 'data = "staff.csv"' in done.stdout
    assert re.findall(r"^\[columns\.(\w+)\]", done.stdout, re.MULTILINE) == ["pay", "team"]
    assert "secret" not in done.stdout
    assert "98765" not in done.stdout
    assert done.stderr.startswith("note: the first line was read as the names of the columns")


def test_five_commands_lead_to_a_first_answer(here: Path) -> None:
    (here / "staff.csv").write_text("pay,team\n" + "1000,lab\n" * 50)
    draft = tell("describe", "staff.csv").stdout
    (here / "staff.toml").write_text(draft)
    assert "still needs its kind" in refusal("median", "staff.toml", "pay", "--epsilon", "1")
    filled = fill(draft, pay='kind = "number"\nbounds = [0, 9000]\nstep = 500', team='kind = "text"')
    (here / "staff.toml").write_text(filled.replace('# ledger = "staff.db"', 'ledger = "staff.db"'))
    tell("budget", "create", "staff.db", "--epsilon", "6")
    assert tell("check", "staff.toml").stdout == "everything keeps to its description\n"
    done = tell("median", "staff.toml", "pay", "--epsilon", "5")
    assert (done.stdout, done.stderr.count("\n")) == ("1000\n", 1)


def test_how_the_file_is_written_goes_into_the_draft(here: Path) -> None:
    (here / "odd.txt").write_bytes("7,5;Köln\n-;Bonn\n".encode("latin-1"))
    reading = ("--delimiter", ";", "--decimal", ",", "--na", "-,NA", "--encoding", "latin-1", "--no-header")
    done = tell("describe", "odd.txt", *reading)
    assert done.stderr == ""
    number = 'kind = "number"\nbounds = [0, 10]\nstep = 0.5\nmissing = "drop"\n'
    (here / "odd.toml").write_text(fill(done.stdout, c0=number, c1='kind = "category"\nvalues = ["Köln", "Bonn"]\n'))
    found = Description.read(here / "odd.toml")
    assert found.reading == {
        "delimiter": ";",
        "decimal": ",",
        "na": ("-", "NA"),
        "encoding": "iso8859-1",
        "header": False,
    }
    assert tell("check", "odd.toml").stdout == "everything keeps to its description\n"
    assert tell("median", "odd.toml", "c0", "--epsilon", "1000").stdout == "7.5\n"


def test_types_are_told_where_a_file_declares_them(here: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute("copy (select 1 as n, true as f, date '2020-01-01' as d) to 'x.parquet' (format parquet)")
    done = tell("describe", "x.parquet")
    assert re.findall(r'^kind = "(\w+)"', done.stdout, re.MULTILINE) == ["number", "flag", "date"]
    assert done.stderr == ""


def test_names_from_standard_input(here: Path) -> None:
    done = tell("describe", "-", stdin="pay,team\n1,lab\n")
    assert "\ndata = " not in done.stdout
    assert "[columns.pay]" in done.stdout


def test_a_file_that_cannot_be_described_is_refused(here: Path) -> None:
    (here / "x.json").write_text('[{"secret": 1}]')
    assert "keys of JSON records are data" in refusal("describe", "x.json")
    assert "file must exist" in refusal("describe", "none.csv")


# Check

RULES = """
data = "staff.csv"
[columns.pay]
kind = "number"
bounds = [0, 10]
[columns.age]
kind = "number"
bounds = [0, 120]
missing = "drop"
[columns.team]
kind = "category"
values = ["lab", "board"]
[columns.hired]
kind = "date"
bounds = [2000-01-01, 2030-12-31]
[columns.smoker]
kind = "flag"
"""


def check(here: Path, rows: str) -> tuple[int, str]:
    (here / "staff.csv").write_text("pay,age,team,hired,smoker\n" + rows)
    (here / "staff.toml").write_text(RULES)
    done = CliRunner().invoke(app, ["check", "staff.toml"])
    assert done.stderr == ""
    return done.exit_code, done.stdout


def test_data_that_keeps_to_its_description(here: Path) -> None:
    good = "3,20,lab,2001-02-03,true\n30,,board,2001-02-03,false\n"
    assert check(here, good) == (0, "everything keeps to its description\n")


def test_every_broken_rule_is_a_sentence_without_count_value_or_bound(here: Path) -> None:
    code, told = check(here, "4321x,20,secret,2001-02-03,true\n3,20,,yesterday,maybe\n,20,lab,2001-02-03,true\n")
    assert code == 1
    assert told.splitlines() == [
        "column 'pay' must hold only numbers",
        "column 'pay' must have no missing values, or missing = \"drop\" in its description",
        "column 'team' must hold only the declared values",
        "column 'team' must have no missing values, or missing = \"drop\" in its description",
        "column 'hired' must hold only days",
        "column 'smoker' must hold only the declared values",
    ]
    assert not re.search(r"\d", told)


def test_that_a_whole_column_is_clamped_is_told_by_the_check_alone(here: Path) -> None:
    """And by no question: under a filter it would tell about one person."""
    outside = "3,2000,lab,1999-02-03,true\n4,-1,lab,2050-01-01,true\n"
    code, told = check(here, outside)
    assert code == 1
    assert [line.split(" must ")[0] for line in told.splitlines()] == ["column 'age'", "column 'hired'"]
    assert all("all lie outside" in line for line in told.splitlines())
    assert not re.search(r"\d", told)
    for column in ("age", "hired"):
        tell("median", "staff.toml", column, "--epsilon", "1")
    one_inside = outside + "5,20,lab,2001-01-01,true\n"
    assert check(here, one_inside)[0] == 0


def test_graphs_are_checked_too(here: Path) -> None:
    (here / "friends.txt").write_text("0 1\n1 7\n")
    (here / "friends.toml").write_text('data = "friends.txt"\n[graph]\nnodes = 3\n')
    done = CliRunner().invoke(app, ["check", "friends.toml"])
    assert done.exit_code == 1
    assert "the second field must hold" in done.stdout
    (here / "friends.toml").write_text('data = "friends.txt"\n[graph]\nnodes = 8\n')
    assert tell("check", "friends.toml").stdout == "everything keeps to its description\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ('data = "none.csv"\n[columns.pay]\nkind = "flag"\n', "file must exist"),
        ('[columns.pay]\nkind = "flag"\n', "data must"),
        ('data = "staff.csv"\n[columns.pya]\nkind = "flag"\n', "'pya'"),
        ("no toml", "a description must be TOML"),
    ],
)
def test_what_cannot_be_checked_is_one_sentence(words: str, told: str, here: Path) -> None:
    (here / "staff.csv").write_text("pay\n1\n")
    (here / "staff.toml").write_text(words)
    assert told in refusal("check", "staff.toml")
