"""``dampen.explain``: of releases, losses, budgets and ledgers, and as a command."""

import json
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import dampen
from dampen import Adjacency, PrivacyLoss
from dampen.cli.app import app
from dampen.concentrated import least_epsilon
from dampen.errors import ParameterError

if TYPE_CHECKING:
    from tests.conftest import Refused


def test_a_loss_is_told_in_words() -> None:
    told = dampen.explain(PrivacyLoss(1, "1e-6", adjacency=Adjacency.ADD_REMOVE, unit="patient"))
    words = str(told)
    assert "50 %     26.89 %          73.11 %" in words
    assert "no answer is more than 2.719 times as likely" in words
    assert "with probability 0.000001 at most the release may tell everything about a patient" in words
    assert "people with several rows" not in words
    assert told.as_dict()["beliefs"][2]["most"] == pytest.approx(0.7310585786)
    assert "<table>" in told._repr_html_()


def test_a_rho_is_told_at_a_stated_delta(refused: "Refused") -> None:
    loss = PrivacyLoss(None, "1e-9", rho="1/50", adjacency=Adjacency.REPLACE)
    told = dampen.explain(loss, delta="1e-5")
    assert told.epsilon == least_epsilon(Fraction(1, 50), Fraction(1, 10**5))
    assert told.delta == Fraction(1, 10**5) + Fraction(1, 10**9)
    assert "rho 0.02 is no epsilon; at a delta of 1e-05" in str(told)
    with refused(ParameterError, "delta must be positive"):
        dampen.explain(loss, delta=0)
    with refused(ParameterError, "delta must be left out"):
        dampen.explain(PrivacyLoss(1, adjacency=Adjacency.REPLACE), delta="1e-5")


def test_a_budget_is_its_limit_and_a_ledger_its_largest(tmp_path: Path) -> None:
    empty = dampen.explain(dampen.Budget(epsilon=2, delta="1e-6"))
    assert empty.epsilon == 2
    assert empty.delta == Fraction(1, 10**6)
    assert empty.adjacency is None
    assert "not fixed yet" in str(empty)
    ledger = dampen.Budget.open(tmp_path / "study.db", epsilon=3)
    dampen.select({"tea": 7, "coffee": 5}, sensitivity=1, epsilon="1/2", budget=ledger, note="drink")
    ledger.change_limit(epsilon=1)
    told = dampen.explain(ledger)
    assert told.epsilon == 3
    assert [(part.what, part.epsilon) for part in told.parts] == [("drink, 1 times", Fraction(1, 2))]
    assert ledger.spent.epsilon == Fraction(1, 2)


def test_anything_else_is_refused(refused: "Refused") -> None:
    anything: Any = [1, 2]
    with refused(ParameterError, "what must be a Release", hidden=("[1, 2]",)):
        dampen.explain(anything)


def test_the_commands_say_the_same(tmp_path: Path) -> None:
    run = CliRunner()
    done = run.invoke(app, ["explain", "--epsilon", "1", "--json"])
    assert json.loads(done.stdout)["beliefs"][2]["most"] == pytest.approx(0.7310585786)
    assert "rho 0.02" in run.invoke(app, ["explain", "--rho", "1/50", "--delta", "1e-6"]).stdout
    file, page = str(tmp_path / "study.db"), tmp_path / "study.html"
    assert run.invoke(app, ["budget", "create", file, "--epsilon", "2"]).exit_code == 0
    assert "epsilon 2" in run.invoke(app, ["budget", "explain", file]).stdout
    assert json.loads(run.invoke(app, ["budget", "certificate", file]).stdout)["verification"]["intact"] is True
    assert run.invoke(app, ["budget", "certificate", file, "--html", str(page)]).exit_code == 0
    assert "not protected" in page.read_text().lower()
