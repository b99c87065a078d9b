"""The command takes the signals of its process over; where tests call it in theirs, they get them back."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from dampen.cli import interrupts
from dampen.learn import Schema

TEAMS = ("sales", "lab", "board")
DESCRIPTION = """
data = "staff.csv"

[columns.name]
kind = "text"
[columns.pay]
kind = "number"
bounds = [0, 10000]
step = 50
[columns.team]
kind = "category"
values = ["sales", "lab", "board"]
[columns.hired]
kind = "date"
bounds = [2000-01-01, 2030-12-31]
step = "month"
[columns.smoker]
kind = "flag"
[columns.leaves]
kind = "category"
values = ["yes", "no"]
"""


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    numbers = (*interrupts.SIGNALS, signal.SIGALRM)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def staff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that one stands in: a table of 60 people, its description, a graph, votes.

    Everybody of sales earns 1000, of the lab 3010, of the board 9000 to 9019; the first of March of 2001, 2011, 2021.
    """
    monkeypatch.chdir(tmp_path)
    rows = ["name,pay,team,hired,smoker,leaves"]
    for place in range(60):
        team = place % 3
        pay = (1000, 3010, 9000 + place // 3)[team]
        smoker, leaves = "true" if place < 20 else "false", "yes" if team == 2 else "no"
        rows.append(f"p{place},{pay},{TEAMS[team]},20{team}1-03-01,{smoker},{leaves}")
    (tmp_path / "staff.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "staff.toml").write_text(DESCRIPTION)
    (tmp_path / "friends.txt").write_text("0 1\n1 2\n0 2\n" + "".join(f"3 {place}\n" for place in range(4, 60)))
    (tmp_path / "friends.toml").write_text('data = "friends.txt"\n[graph]\nnodes = 100\n')
    (tmp_path / "votes.csv").write_text("who,n\nann,31\nbob,28\ncid,4\n")
    return tmp_path


@pytest.fixture
def schema(staff: Path) -> Path:
    from dampen import Category, Number

    path = staff / "schema.json"
    known = Schema({"pay": Number(0, 10_000, bins=4), "team": Category(TEAMS)}, classes=["yes", "no"])
    path.write_text(known.to_json())
    return path
