"""Tables whose rows have two persons on the command line: the same words and answers as in the library."""

from pathlib import Path

import pytest

from dampen import Budget, Category
from dampen.learn import Schema
from tests.unit.cli.shell import SURE, refusal, tell, tell_json

CALLS = "from,to,kind\n" + "".join(f"p{place % 20},p{(place + 1) % 20},{'ab'[place % 2]}\n" for place in range(60))
TOML = """
data = "calls.csv"
ledger = "calls.db"
persons = ["from", "to"]
[columns.kind]
kind = "category"
values = ["a", "b"]
"""
WHOSE = ("--persons", "from,to")


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("calls.csv").write_text(CALLS)
    Path("calls.toml").write_text(TOML)
    Budget.open("calls.db", epsilon=10**12, unit="from or to").close()
    return tmp_path


@pytest.mark.parametrize(
    ("more", "told"),
    [((), "60\n"), (("--cap", "6"), "60\n"), (("--cap", "6", "--where", "kind=a"), "30\n"), (("--of", "rows"), "60\n")],
    ids=str,
)
def test_options_and_a_description_tell_the_same(more: tuple[str, ...], told: str, calls: Path) -> None:
    assert tell("count", "calls.csv", *WHOSE, *more, "--epsilon", SURE).stdout == told
    assert tell("count", "calls.toml", *more, "--epsilon", SURE).stdout == told


def test_the_unit_and_the_cap_are_told(calls: Path) -> None:
    told = tell_json("count", "calls.toml", "--cap", "4", "--epsilon", "1")
    assert (told["cap"], told["loss"]["unit"]) == (4, "from or to")


def test_the_curator_may_check_it(calls: Path) -> None:
    assert tell("check", "calls.toml").stdout == "everything keeps to its description\n"


REFUSED = [
    (("count", "calls.toml", *WHOSE), "--persons must be left out"),
    (("count", "calls.csv", *WHOSE, "--person", "from"), "person must be left out beside persons"),
    (("count", "calls.csv", "--persons", "from"), "persons must name two columns"),
    (("count", "calls.csv", "--persons", "from,too"), "'too'"),
    (("count", "calls.csv", "--pattern", "edge", *WHOSE), "--persons must be left out"),
    (("count", "calls.toml", "--of", "persons"), "of must be 'rows' where rows have two persons"),
    (("count", "calls.toml", "--by", "kind"), "asked for count alone"),
    (("most-common", "calls.toml", "kind"), "asked for count alone"),
    (("sum", "calls.csv", "n", "--bounds", "0", "9", *WHOSE), "asked for count alone"),
    (("train", "calls.toml", "kind"), "person"),
]


@pytest.mark.parametrize(("words", "shown"), REFUSED, ids=lambda words: " ".join(words)[:60])
def test_refusals_are_one_line_and_cost_nothing(words: tuple[str, ...], shown: str, calls: Path) -> None:
    assert shown in refusal(*words, "--epsilon", "1")
    assert Budget.open("calls.db").spent.epsilon == 0


def test_nothing_is_learned_from_them(calls: Path) -> None:
    Path("schema.json").write_text(Schema({"n": Category("1", "2")}, classes=["a", "b"]).to_json())
    words = ("train", "calls.csv", "kind", *WHOSE, "--schema", "schema.json", "--epsilon", "1", "--out", "model.json")
    assert "--persons must be left out" in refusal(*words)


@pytest.mark.parametrize("unit", ["row", "edge", "from"])
def test_another_ledger_does_not_pay(unit: str, calls: Path) -> None:
    Budget.open("other.db", epsilon=1, unit=unit).close()
    told = refusal("count", "calls.csv", *WHOSE, "--budget", "other.db", "--epsilon", "1")
    assert "unit='from or to'" in told
