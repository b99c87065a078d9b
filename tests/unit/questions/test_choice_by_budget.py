"""What chooses where nobody names a mechanism: by what the budget counts, which is public."""

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import dampen
from dampen import Adjacency, Budget, Frame, Release, SelectionProblem, Table
from dampen.accounting.composition import rho_of
from dampen.cli.app import app
from dampen.concentrated import rho_of_pure
from dampen.mechanisms import Exponential, PermuteAndFlip, SelectionMechanism

SCORES = {"ann": 31, "bob": 9, "cy": 0}
TENTH = Fraction(1, 10)
TABLE = {"team": ["a", "a", "b"], "age": [20, 30, 40]}


def table(budget: Any) -> Table:
    return Table(TABLE, columns={"team": dampen.Category("a", "b", "c"), "age": dampen.Number(0, 120)}, budget=budget)


Ask = Callable[..., Release]
ASKED: dict[str, Ask] = {
    "select": lambda budget, **more: dampen.select(SCORES, sensitivity=1, epsilon=TENTH, budget=budget, **more),
    "most_common": lambda budget, **more: dampen.most_common(
        ["a", "b"], categories=("a", "b"), epsilon=TENTH, budget=budget, **more
    ),
    "median": lambda budget: dampen.median([23, 31], bounds=(0, 120), epsilon=TENTH, budget=budget),
    "percentile by rank": lambda budget: dampen.percentile(
        [23, 31], 9, bounds=(0, 120), epsilon=TENTH, budget=budget, method="rank"
    ),
    "most common of a table": lambda budget: table(budget).most_common("team", epsilon=TENTH),
    "median of a table": lambda budget: table(budget).median("age", epsilon=TENTH),
}
TOPS: dict[str, Ask] = {
    "top_k": lambda budget, **more: dampen.top_k(SCORES, 2, sensitivity=1, epsilon=TENTH, budget=budget, **more),
    "top_categories": lambda budget, **more: dampen.top_categories(
        ["a", "b"], 2, categories=("a", "b", "c"), epsilon=TENTH, budget=budget, **more
    ),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_a_budget_of_rho_is_answered_by_the_exponential_mechanism_at_the_epsilon_that_was_said(ask: Ask) -> None:
    budget = Budget(rho=1)
    release = ask(budget)
    assert release.mechanism == repr(Exponential(TENTH))
    assert release.loss.epsilon == release.loss.bounded_range == TENTH
    assert budget.spent.rho == TENTH**2 / 8
    assert release.error() > 0


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
@pytest.mark.parametrize(
    "limits", [{"epsilon": 1}, {"epsilon": 1, "composition": "pure"}, {"epsilon": 1, "delta": "1e-6"}], ids=str
)
def test_all_others_by_permute_and_flip(ask: Ask, limits: dict[str, Any]) -> None:
    budget = Budget(**limits)
    release = ask(budget)
    assert release.mechanism == repr(PermuteAndFlip(TENTH))
    assert budget.spent.epsilon == release.loss.epsilon == TENTH
    assert release.loss.bounded_range is None


@pytest.mark.parametrize("ask", TOPS.values(), ids=TOPS)
def test_the_first_few(ask: Ask) -> None:
    budget, plain = Budget(rho=1), Budget(epsilon=1)
    assert "Exponential" in ask(budget).mechanism
    assert budget.spent.rho == 2 * (TENTH / 2) ** 2 / 8
    assert "PermuteAndFlip" in ask(plain).mechanism
    assert plain.spent.epsilon == TENTH


@pytest.mark.parametrize("ask", [ASKED["select"], ASKED["most_common"], TOPS["top_k"], TOPS["top_categories"]])
def test_a_mechanism_that_is_named_is_taken(ask: Ask) -> None:
    assert "PermuteAndFlip" in ask(Budget(rho=1), mechanism=PermuteAndFlip).mechanism
    assert "Exponential" in ask(Budget(epsilon=1), mechanism=Exponential).mechanism


def test_scopes_of_a_ledger_of_rho_and_the_command_choose_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("staff.csv").write_text("pay\n1\n2\n3\n")
    ledger = Budget.open("study.db", rho=1)
    ann = ledger.scope("analyst", "ann", rho="1/2")
    assert ASKED["median"](ann).mechanism == repr(Exponential(TENTH))
    ledger.close()
    asked = "median staff.csv pay --bounds 0 10 --epsilon 0.1 --budget study.db --public --show-law --json"
    done = CliRunner().invoke(app, asked.split())
    assert done.exit_code == 0, done.output
    assert repr(Exponential(TENTH)) in done.output
    with_ledger = Budget.open("study.db")
    assert with_ledger.spent.rho == 2 * TENTH**2 / 8
    with_ledger.close()


# Why: at one rho the exponential mechanism has twice the epsilon, and errs no more.


def expected_error(mechanism: SelectionMechanism, scores: list[float]) -> float:
    frame = Frame(tuple(range(len(scores))), 1, Adjacency.ADD_REMOVE)
    problem = SelectionProblem(frame, scores).as_public()
    return float(np.exp(np.asarray(mechanism.log_probabilities(problem))) @ (max(scores) - np.array(scores)))


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2), Fraction(1)], ids=str)
def test_at_one_rho_the_exponential_mechanism_errs_no_more(epsilon: Fraction) -> None:
    rng = random.Random(4)
    twice, flip = Exponential(2 * epsilon), PermuteAndFlip(epsilon)
    for _ in range(60):
        scores = [float(round(rng.expovariate(0.1 * epsilon), 3)) for _ in range(rng.randint(2, 8))]
        assert expected_error(twice, scores) <= expected_error(flip, scores) * (1 + 1e-9)
    frame = Frame((0, 1), 1, Adjacency.ADD_REMOVE)
    assert rho_of(flip.privacy(frame)) == rho_of_pure(epsilon)
    assert rho_of(twice.privacy(frame)) == epsilon**2 / 2 <= Fraction(109, 100) * rho_of_pure(epsilon)


def test_at_one_epsilon_permute_and_flip_errs_less() -> None:
    scores = [5.0, 3.0, 0.0]
    assert expected_error(PermuteAndFlip(1), scores) < expected_error(Exponential(1), scores)
