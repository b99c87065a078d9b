"""What a scorecard hands to its mechanism: one vote for each person, marked as spread, at the rate that was paid."""

from fractions import Fraction
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category, Number
from dampen.learn import PrivateScorecard, Schema, scorecard
from dampen.problem import LogisticProblem

COLUMNS: dict[str, Any] = {
    "age": Number(0, 100, bins=4),
    "job": Category("office", "field"),
    "leaves": Category("no", "yes"),
}
ROWS = [("a", 20, "office", "no"), ("a", 20, "field", "yes"), ("a", 80, "field", "yes"), ("b", 50, "office", "no")]


def seen_by_mechanism(monkeypatch: pytest.MonkeyPatch, fit: Any) -> tuple[LogisticProblem, Fraction]:
    seen, real = [], scorecard.draw_scorecard

    def watched(problem: LogisticProblem, epsilon: Fraction, source: Any) -> Any:
        seen.append((problem, epsilon))
        return real(problem, epsilon, source)

    monkeypatch.setattr(scorecard, "draw_scorecard", watched)
    fit()
    [found] = seen
    return found


def votes_of(problem: LogisticProblem) -> dict[tuple[tuple[int, ...], int], Fraction]:
    """The weight of every cell, in votes."""
    found: dict[tuple[tuple[int, ...], int], Fraction] = {}
    rows = zip(problem.codes.tolist(), problem.targets.tolist(), problem.weights.tolist(), strict=True)
    for codes, target, weight in rows:
        key = tuple(codes), target
        found[key] = found.get(key, Fraction(0)) + Fraction(weight, problem.vote)
    return found


def people_problem(monkeypatch: pytest.MonkeyPatch, rows: list[Any]) -> LogisticProblem:
    columns = dict(zip(("who", "age", "job", "leaves"), map(list, zip(*rows, strict=True)), strict=True))
    table = dampen.Table(columns, columns=COLUMNS, budget=Budget(epsilon=1), person="who")
    return seen_by_mechanism(monkeypatch, lambda: PrivateScorecard(1).fit(table, "leaves"))[0]


@pytest.mark.parametrize("more", [1, 3, 7, 5000])
def test_a_person_more_adds_one_vote_and_takes_none(monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    person = [("c", 20 * (i % 5), ("office", "field")[i % 2], ("no", "yes")[i % 3 == 0]) for i in range(more)]
    before, after = (people_problem(monkeypatch, rows) for rows in (ROWS, [*ROWS, *person]))
    one, two = votes_of(before), votes_of(after)
    added = {cell: two.get(cell, 0) - one.get(cell, 0) for cell in {*one, *two}}
    assert min(added.values()) >= 0
    assert sum(added.values()) == 1
    assert before.frame == after.frame
    assert after.frame.spread, "several records of a person are not of rank one, and cost more"


def test_rows_without_persons_are_records_of_one_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema({"job": COLUMNS["job"]}, classes=["no", "yes"])
    model = PrivateScorecard(1, schema, Budget(epsilon=1))
    problem, epsilon = seen_by_mechanism(monkeypatch, lambda: model.fit({"job": ["office"] * 3}, ["no"] * 3))
    assert votes_of(problem) == {((0,), 0): 3}
    assert not problem.frame.spread
    assert epsilon == 1


def test_a_replaced_record_is_drawn_at_half_of_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema({"job": COLUMNS["job"]}, classes=["no", "yes"])
    budget = Budget(epsilon=1, adjacency=Adjacency.REPLACE)
    model = PrivateScorecard(1, schema, budget, adjacency=Adjacency.REPLACE)
    problem, epsilon = seen_by_mechanism(monkeypatch, lambda: model.fit({"job": ["office"] * 3}, ["no"] * 3))
    assert problem.frame.adjacency is Adjacency.ADD_REMOVE
    assert epsilon == Fraction(1, 2)
    assert budget.remaining.epsilon == 0


def test_a_fitted_scorecard_keeps_released_and_public_things_alone() -> None:
    schema = Schema({"job": COLUMNS["job"]}, classes=["no", "yes"])
    budget = Budget(epsilon=2)
    model = PrivateScorecard(1, schema, budget).fit({"job": ["office"] * 3}, ["no"] * 3)
    assert budget.remaining.epsilon == 1
    own = {name for name in vars(model) if name.endswith("_")}
    assert own == {"classes_", "feature_names_in_", "model_", "n_features_in_", "schema_", "terms_"}
    assert {*vars(model.model_)} == {"points", "epsilon"}
    model.fit({"job": []}, [])
    assert budget.remaining.epsilon == 0
