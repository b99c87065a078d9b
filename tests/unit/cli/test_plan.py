"""``dampen plan``: what questions will cost, from a description alone."""

from pathlib import Path

import pytest

from dampen import Budget
from tests.unit.cli.shell import misuse, refusal, tell, tell_json

DESCRIPTION = """
data = "none.csv"
{ledger}
[columns.pay]
kind = "number"
bounds = [0, 10000]
step = 50
[columns.team]
kind = "category"
values = ["sales", "lab", "board"]
"""


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    path = tmp_path / "staff.toml"
    path.write_text(DESCRIPTION.format(ledger=""))
    return path


def test_the_trade_off_comes_first(staff: Path) -> None:
    told = tell("plan", staff, "--ask", "median pay", "--ask", "count").stdout
    assert "median pay  0.01     at most 1,513 people" in told
    assert "count       0.01     off by at most 300 with probability 95 %" in told


def test_errors_make_prices(staff: Path) -> None:
    asked = ("--ask", "median pay", "--ask", "mean pay by team", "--error", "median pay=50", "--size", 5000)
    told = tell_json("plan", staff, *asked, "--epsilon", 1, "--confidence", ".95")
    first, second = told["questions"]
    assert first["epsilon"] == "0.297"
    assert second["epsilon"] == "0.703"
    assert second["size"] == 1666
    assert told["total"] == {"epsilon": "1", "delta": "0"}


def test_a_question_with_a_filter_has_a_size_of_its_own(staff: Path) -> None:
    told = tell_json(
        "plan", staff, "--ask", "mean pay where team=lab", "--size", "mean pay where team=lab=300", "--epsilon", 1
    )
    assert told["questions"][0]["size"] == 300


def test_the_ledger_is_looked_at_and_not_charged(staff: Path) -> None:
    staff.write_text(DESCRIPTION.format(ledger='ledger = "staff.db"'))
    assert tell_json("plan", staff, "--ask", "count", "--error", 10)["left"] is None
    ledger = Budget.open(staff.parent / "staff.db", epsilon=2)
    head = ledger.head
    assert tell_json("plan", staff, "--ask", "count", "--error", 10)["left"]["epsilon"] == "1.715"
    assert Budget.open(staff.parent / "staff.db").head == head
    assert "is left" in refusal("plan", staff, "--ask", "sum pay", "--error", 10)
    scoped = tell_json("plan", staff, "--ask", "count", "--error", 10, "--budget", staff.parent / "staff.db")
    assert scoped["left"]["epsilon"] == "1.715"


@pytest.mark.parametrize(
    ("shape", "most"), [("pay=uniform", 100), ("pay=10:1400,50:2600,90:5200", 100), ("pay=public.csv", 100)]
)
def test_stand_ins_say_how_values_lie(staff: Path, shape: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    (staff.parent / "public.csv").write_text("pay\n" + "\n".join(str(100 * i) for i in range(100)))
    monkeypatch.chdir(staff.parent)
    asked = ("plan", staff, "--ask", "median pay", "--error", most, "--size", 5000, "--stand-in", shape)
    told = tell_json(*asked, "--public")["questions"][0]
    assert told["error"]["bound"] <= most
    assert "as in the stand-in" in told["error"]["statement"]
    if shape != "pay=uniform":
        assert "public must be said, --public" in refusal(*asked)


def test_a_page_opens_without_a_network(staff: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    tell("plan", staff, "--ask", "median pay", "--html", page)
    text = page.read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert "<svg" in text
    assert "src=" not in text
    assert "href=" not in text


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--ask", "medain pay"), 'did you mean "median"'),
        (("--ask", "mean pay"), "size must be given"),
        (("--ask", "count", "--error", "=5"), "error must be written as"),
        (("--ask", "count", "--error", "count=5", "--error", "7"), "error must be written as"),
        (("--ask", "count", "--stand-in", "pay"), "stand-in must be written as"),
        (("--ask", "count", "--stand-in", "pay=bell"), "stand-in must be uniform"),
        (("--ask", "count", "--stand-in", "pay=1,2:3", "--public"), "percentiles such as"),
        (("--ask", "count", "--scope", "analyst=ann"), "scope must come with a ledger"),
        (("--ask", "count", "--html", "no such folder/page.html"), "a folder that exists"),
    ],
)
def test_what_makes_no_plan_is_refused(staff: Path, words: tuple[str, ...], why: str) -> None:
    assert why in refusal("plan", staff, *words)


def test_data_are_refused(tmp_path: Path) -> None:
    (tmp_path / "staff.csv").write_text("pay\n1\n")
    assert "must be given a description" in refusal("plan", tmp_path / "staff.csv", "--ask", "count")
    assert "--ask" in misuse("plan", tmp_path / "staff.toml")
