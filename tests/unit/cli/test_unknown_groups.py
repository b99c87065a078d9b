"""``--groups private``: groups that nobody listed, on the command line."""

from pathlib import Path

import pytest

from tests.unit.cli.shell import refusal, tell, tell_json

SURE = ("--epsilon", "400", "--delta", "1e-30")
DESCRIBED = """
data = "visits.csv"
person = "who"

[columns.term]
kind = "text"

[columns.ward]
kind = "category"
values = ["a", "b"]

[columns.cost]
kind = "number"
bounds = [0, 10]
"""


@pytest.fixture(autouse=True)
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ["ann,flu,a,1", "ann,flu,a,2", "bob,flu,b,3", "cid,gout,a,4", "dan,gout,b,5", "eve,rare,b,6"]
    Path("visits.csv").write_text("who,term,ward,cost\n" + "\n".join(rows) + "\n")
    Path("visits.toml").write_text(DESCRIBED)


def test_groups_are_counted_and_then_listed() -> None:
    private = ("--by", "term", "--groups", "private")
    assert tell("count", "visits.csv", *private, *SURE).stdout == "flu\t3\ngout\t2\n"
    assert tell("count", "visits.toml", *private, "--most", "1", *SURE).stdout == "flu\t2\ngout\t2\n"
    assert tell("count", "visits.csv", *private, "--person", "who", "--most", "3", *SURE).stdout == "flu\t2\ngout\t2\n"
    assert tell("count", "visits.csv", *private, "--at-least", "2", *SURE).stdout == "flu\t3\n"
    listed = ("--by", "term", "--groups", "flu,gout", "--epsilon", "400")
    assert tell("count", "visits.toml", *listed, "--of", "persons").stdout == "flu\t2\ngout\t2\n"
    told = tell("mean", "visits.toml", "cost", *listed).stdout
    assert [line.split("\t")[0] for line in told.splitlines()] == ["flu", "gout"]


def test_the_ledger_shows_that_delta_is_spent() -> None:
    tell("budget", "create", "l.db", "--epsilon", "500", "--delta", "1e-3")
    tell(
        "count",
        "visits.csv",
        "--by",
        "term",
        "--groups",
        "private",
        "--epsilon",
        "1",
        "--delta",
        "1e-6",
        "--budget",
        "l.db",
    )
    told = " ".join(tell("budget", "show", "l.db").stdout.split())
    assert "delta 1e-06" in told
    assert "delta is spent in full by every answer that has one, even where nothing is shown" in told


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("count visits.toml --by term --groups private --epsilon 1 --most 1", "delta must be positive"),
        (
            "count visits.toml --by term --groups private --epsilon 1 --delta 1e-6",
            "most must be given for a table with",
        ),
        (
            "count visits.toml --by ward --groups private --epsilon 1 --delta 1e-6",
            "--groups must be left out: the desc",
        ),
        ("mean visits.toml cost --by term --groups private --epsilon 1", "groups must be listed: count with --groups"),
        ("count visits.csv --by term --groups flu --epsilon 1 --delta 1e-6", "--delta must be left out: it comes with"),
        ("count visits.csv --epsilon 1 --most 3", "--most must be left out: it comes with --groups private"),
        (
            "count visits.csv --by term --groups private --epsilon 1 --delta 1e-6 --consistent",
            "--consistent must be left",
        ),
        ("count visits.toml --by term --groups private --epsilon 1 --delta 1e-6 --cap 3", "--cap must be left out"),
        ("count visits.csv --groups private --epsilon 1 --delta 1e-6", "groups must come with --by"),
        ("count visits.toml --groups private --epsilon 1 --delta 1e-6", "groups must come with --by"),
        ("count visits.csv --groups a,b --epsilon 1", "groups must come with --by"),
        ("count visits.toml --by term --groups flu --groups gout --epsilon 1", "groups must be given once with a desc"),
    ],
)
def test_what_is_refused(line: str, rule: str) -> None:
    assert rule in " ".join(refusal(*line.split()).split())


def test_where_nothing_may_be_shown_it_is_said() -> None:
    shy = ("--by", "term", "--groups", "private", "--epsilon", "0.001", "--delta", "1e-30")
    told = tell("count", "visits.csv", *shy)
    assert told.stdout == ""
    assert "note: no group has so many people that it may be shown" in told.stderr
    assert tell_json("count", "visits.csv", *shy)["value"] in ({}, [])


def test_bounds_are_two_or_the_word() -> None:
    said = refusal("sum", "visits.csv", "cost", "--bounds", "privat", "--unit", "1", "--epsilon", "1")
    assert said == "--bounds must be two numbers or days, or the one word private; got 'privat'"
    assert tell("sum", "visits.csv", "cost", "--bounds", "0", "10", "--epsilon", "1000000").stdout == "21\n"
