"""``--rho`` in place of ``--epsilon``: the same verbs, paid from budgets that count rho."""

import shlex
from pathlib import Path

import pytest

from dampen import Budget
from tests.unit.cli.shell import refusal, tell, tell_json


@pytest.fixture(autouse=True)
def staff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("staff.csv").write_text("team,pay\n" + "lab,1200\nsales,3100\nlab,2500\n" * 100)
    Path("votes.csv").write_text("who,n\nann,31\nbob,9\n")
    Path("edges.txt").write_text("0 1\n1 2\n")


PAY, TEAM = "staff.csv pay --bounds 0 10000 --step 500", "staff.csv team --categories lab,sales"
SCORES = "votes.csv --label who --score n --sensitivity 1"
ASKED = {
    "count staff.csv": "Gaussian(rho=0.02)",
    "count staff.csv --by team --groups lab,sales": "GaussianCounts(rho=0.02) of 2 counts",
    "sum staff.csv pay --bounds 0 10000": "Gaussian(rho=0.02)",
    "mean staff.csv pay --bounds 0 10000": "Gaussian(rho=0.01) of a sum and of a number",
    "variance staff.csv pay --bounds 0 10000": "Gaussian(rho=1/150) of sums and of a number",
    f"histogram {PAY}": "GaussianCounts(rho=0.02) of 21 counts",
    f"median {PAY}": "Exponential(epsilon=0.4)",
    f"percentile {PAY} --p 90": "Exponential(epsilon=0.4)",
    f"most-common {TEAM}": "Exponential(epsilon=0.4)",
    f"select {SCORES}": "Exponential(epsilon=0.4)",
}


SHORT = ("count staff.csv", f"median {PAY}", f"select {SCORES}")
"""Of each kind one, in every run."""


@pytest.mark.parametrize(
    "words", [pytest.param(each, marks=() if each in SHORT else pytest.mark.long) for each in ASKED]
)
def test_verbs_take_a_rho(words: str) -> None:
    told = tell_json(*shlex.split(words), "--rho", "1/50")
    assert told["mechanism"] == ASKED[words]
    assert told["loss"].get("rho") == (None if "Exponential" in ASKED[words] else "0.02")


@pytest.mark.parametrize(
    "words", [pytest.param(f"most-common {TEAM} --k 2", marks=pytest.mark.long), f"top-k {SCORES} --k 2"]
)
def test_lists_take_a_rho_for_all_places(words: str) -> None:
    told = tell_json(*shlex.split(words), "--rho", "1/25")
    assert told["mechanism"] == "TopK(k=2, base=Exponential(epsilon=0.4))"


REFUSED = {
    "count staff.csv --rho 1/50 --epsilon 1": "rho must be left out where epsilon is given",
    "count staff.csv": "epsilon must be given with --epsilon, or rho in its place with --rho",
    "count staff.csv --rho none": "rho must be a finite number",
    f"percentile {PAY} --p 25,75 --rho 1/50": "rho must be left out for several percentiles",
    f"percentile {PAY} --p 25 --method number --rho 1/50": "method must be 'distance' or 'rank' for a rho",
    "sum staff.csv pay --bounds private --unit 1 --rho 1/50": "rho must be left out where bounds are private",
    "count staff.csv --person team --rho 1/50": "rho must be left out for a table with a person",
    "count staff.csv --by team --groups private --delta 1e-6 --rho 1/50": "rho must be left out with --groups private",
    "count edges.txt --pattern edge --nodes 3 --rho 1/50": "rho must be left out with --pattern",
    f"select {SCORES} --mechanism permute-and-flip --rho 1/50": "mechanism must be left out, or Exponential, for a rho",
}


@pytest.mark.parametrize(
    "words", [pytest.param(each, marks=pytest.mark.long if "where" in told else ()) for each, told in REFUSED.items()]
)
def test_what_no_rho_buys_is_refused_before_anything_is_spent(words: str) -> None:
    Budget.open("study.db", rho=1)
    assert REFUSED[words] in refusal(*shlex.split(words), "--budget", "study.db")
    assert not [entry for entry in Budget.open("study.db").history() if entry.kind == "charge"]


def test_a_ledger_of_rho_pays_and_says_how_many_more_fit() -> None:
    Budget.open("study.db", epsilon=1, delta="1e-6")
    tell("count", "staff.csv", "--rho", "1/50000", "--budget", "study.db")
    shown = tell("budget", "show", "study.db").stdout
    assert "room for about 1100 more: count in staff.csv at rho 2e-05" in shown
    plain = Budget.open("plain.db", epsilon=1)
    told = refusal("count", "staff.csv", "--rho", "1/1000", "--budget", "plain.db")
    assert "has a rho but no epsilon" in told
    assert "Budget(rho=...), or one of epsilon and delta" in told
    assert plain.spent.epsilon == 0
