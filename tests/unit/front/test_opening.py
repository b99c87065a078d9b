"""``dampen.open``: from a description file to what can be asked."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import dampen
from dampen import Adjacency, Budget, Graph, Table
from dampen.describe.description import Description
from dampen.errors import BudgetError, BudgetExceeded, DampenError, DataError, ParameterError
from dampen.front.opening import graph_of, table_of

if TYPE_CHECKING:
    from tests.conftest import Refused

SURE = 10**6
STAFF = """
data = "rows/*.csv"
ledger = "staff.db"
[columns.pay]
kind = "number"
bounds = [0, 100]
[columns.team]
kind = "category"
values = ["lab", "sales"]
"""
FRIENDS = """
data = "friends.txt"
ledger = "friends.db"
[graph]
nodes = 6
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files of rows, a graph, and a ledger for each."""
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "a.csv").write_text("pay,team\n10,lab\n20,lab\n")
    (tmp_path / "rows" / "b.csv").write_text("pay,team\n30,sales\n")
    (tmp_path / "friends.txt").write_text("0 1\n0 2\n0 3\n")
    (tmp_path / "staff.toml").write_text(STAFF)
    (tmp_path / "friends.toml").write_text(FRIENDS)
    for name in ("staff.db", "friends.db"):
        Budget.open(tmp_path / name, epsilon=10 * SURE).close()
    return tmp_path


def opened(path: Path, **more: Any) -> Any:
    return dampen.open(path, **more)


@pytest.mark.parametrize("form", [Path, str])
def test_a_table_with_its_ledger(folder: Path, form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths are those of the description, wherever one stands."""
    monkeypatch.chdir("/")
    staff = opened(form(folder / "staff.toml"))
    assert type(staff) is Table
    assert staff.median("pay", epsilon=SURE) == 20
    assert staff.by("team").sum("pay", epsilon=SURE).value == {"lab": 30, "sales": 30}
    ledger = Budget.open(folder / "staff.db")
    assert ledger.spent.epsilon == 2 * SURE
    notes = [entry.note for entry in ledger.history() if entry.kind == "charge"]
    assert notes[0] == "median of pay as Number(0, 100) in rows/*.csv"
    ledger.close()


def test_somebody_else_may_pay(folder: Path) -> None:
    budget = Budget(epsilon=1)
    opened(folder / "staff.toml", budget=budget).count(epsilon=1)
    opened(folder / "friends.toml", budget=Budget(epsilon=1)).count("edge", epsilon=1)
    assert budget.spent.epsilon == 1
    for name in ("staff.db", "friends.db"):
        ledger = Budget.open(folder / name)
        assert ledger.spent.epsilon == 0
        ledger.close()


def test_what_the_description_says_of_the_table_holds(folder: Path) -> None:
    more = 'adjacency = "replace"\nengine = "arrays"\n'
    (folder / "staff.toml").write_text(more + STAFF + '[reading]\ndelimiter = ";"\n')
    (folder / "rows" / "a.csv").write_text("pay;team\n10;lab\n20;lab\n")
    (folder / "rows" / "b.csv").write_text("pay;team\n30;sales\n")
    staff = opened(folder / "staff.toml", budget=Budget(epsilon=10 * SURE))
    assert staff.adjacency is Adjacency.REPLACE
    assert staff.sum("pay", epsilon=SURE) == 60
    assert staff.where(team="lab").count(epsilon=SURE) == 2
    found = Description.read(folder / "staff.toml")
    other = table_of(found, Budget(epsilon=1), engine="duckdb", adjacency=Adjacency.ADD_REMOVE)
    assert other.adjacency is Adjacency.ADD_REMOVE


@pytest.mark.parametrize(
    ("nodes", "edges", "best"),
    [
        ("6", "0 1\n0 2\n0 3\n", 0),
        ('["ann", "bob", "cid", "dan"]', "bob ann\nbob cid\nbob dan\n", "bob"),
        ('"names.txt"', "bob ann\nbob cid\nbob dan\n", "bob"),
    ],
    ids=["count", "labels", "file"],
)
def test_a_graph_with_its_ledger(folder: Path, nodes: str, edges: str, best: Any) -> None:
    (folder / "names.txt").write_text("ann\nbob\ncid\ndan\n")
    (folder / "friends.txt").write_text(edges)
    (folder / "friends.toml").write_text(FRIENDS.replace("nodes = 6", f"nodes = {nodes}"))
    friends = opened(folder / "friends.toml")
    assert isinstance(friends, Graph)
    assert friends.top_nodes(1, epsilon=SURE) == (best,)
    ledger = Budget.open(folder / "friends.db")
    assert ledger.spent.epsilon == SURE
    assert ledger.adjacency is Adjacency.EDGE
    ledger.close()


def test_a_described_graph_is_answered_again_for_nothing(folder: Path) -> None:
    (folder / "friends.txt").write_text("0 1\n0 2\n0 3\n")
    (folder / "friends.toml").write_text(FRIENDS)
    budget = Budget(epsilon=1, remember=True)
    first = opened(folder / "friends.toml", budget=budget).count("edge", epsilon=1)
    assert opened(folder / "friends.toml", budget=budget).count("edge", epsilon=1) == first
    (folder / "friends.toml").write_text(FRIENDS.replace("nodes = 6", "nodes = 7"))
    with pytest.raises(BudgetExceeded):
        opened(folder / "friends.toml", budget=budget).count("edge", epsilon=1)


def test_a_graph_of_two_columns(folder: Path) -> None:
    (folder / "friends.csv").write_text("who,whom\n0,1\n0,2\n")
    text = FRIENDS.replace("friends.txt", "friends.csv") + 'src = "who"\ndst = "whom"\n'
    (folder / "friends.toml").write_text(text)
    friends = opened(folder / "friends.toml", budget=Budget(epsilon=SURE))
    assert friends.count("edge", epsilon=SURE) == 2


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (STAFF.replace('ledger = "staff.db"', ""), ParameterError, "budget must be given: the description names no"),
        (STAFF.replace("staff.db", "nowhere.db"), BudgetError, "nowhere.db"),
        (STAFF.replace('data = "rows/*.csv"', ""), ParameterError, "data must be named in the description"),
        (STAFF.replace("bounds = [0, 100]", ""), ParameterError, "[columns.pay]"),
        (FRIENDS.replace("nodes = 6", "nodes = 2"), DataError, "whole numbers from 0 to 1"),
        (FRIENDS.replace("friends.txt", "nowhere.txt"), ParameterError, "file must exist"),
        (FRIENDS.replace('data = "friends.txt"', ""), ParameterError, "data must be named in the description"),
        ("data = [", ParameterError, "TOML"),
    ],
    ids=["no ledger", "no such ledger", "no data", "no bounds", "few nodes", "no such file", "no edges", "no TOML"],
)
def test_what_is_lacking_is_said(
    folder: Path, text: str, error: type[DampenError], message: str, refused: "Refused"
) -> None:
    (folder / "this.toml").write_text(text)
    with refused(error, message):
        opened(folder / "this.toml")


def test_a_file_that_is_not_there(folder: Path, refused: "Refused") -> None:
    with refused(ParameterError, "nothing.toml"):
        opened(folder / "nothing.toml")


def test_a_table_is_no_graph_and_a_graph_no_table(folder: Path, refused: "Refused") -> None:
    with refused(ParameterError, "tells of a graph"):
        table_of(Description.read(folder / "friends.toml"), Budget(epsilon=1))
    with refused(ParameterError, "tells of no graph"):
        graph_of(Description.read(folder / "staff.toml"))
