"""What a plan costs, by the rule of every budget: never above the limit, and nearly the least there is."""

from fractions import Fraction
from functools import partial
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category, Number, Table
from dampen.accounting import converted
from dampen.accounting.rules import COMPOSITIONS
from dampen.errors import ParameterError
from dampen.front.plan import Plan
from dampen.front.planned import Law
from dampen.front.question_text import read_question
from dampen.front.unpaid import UnpaidTable
from dampen.privacy import Amount, PrivacyLoss
from dampen.questions.record import Price

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
COLUMNS: dict[str, Any] = {"pay": Number(0, 10_000, step=50), "team": Category("sales", "lab", "board")}
ROWS = {"pay": [1200, 2500, 3100, 900] * 25, "team": ["lab", "sales", "board", "lab"] * 25}
BUDGETS: dict[str, Any] = {
    "basic": partial(Budget, epsilon=2),
    "pure": partial(Budget, epsilon=2, composition="pure"),
    "basic with a delta": partial(Budget, epsilon=2, delta="1e-6", composition="basic"),
    "zcdp": partial(Budget, rho="0.2"),
    "approx": partial(Budget, epsilon=2, delta="1e-6"),
    "approx of many": partial(Budget, epsilon=8, delta="1e-3"),
}
MIXED = {"median pay": 40, "mean pay": 90, "count": 12}
MORE = ["sum pay", "histogram team", "percentiles 25,75 of pay", "variance pay", "most_common team"]


def staff(budget: Budget, adjacency: Adjacency = ADD_REMOVE, **more: Any) -> Table:
    return Table(ROWS, columns=COLUMNS, budget=budget, adjacency=adjacency, **more)


def ask_all(table: Table, plan: Plan) -> None:
    for each in plan.questions:
        asked = read_question(each.question, COLUMNS)
        release = asked.ask(asked.of(table), **each.price)
        if not needs_size(each.question):
            assert str(release.error()) == str(each.error)


def needs_size(question: str) -> bool:
    return question.startswith(("mean", "variance"))


@pytest.mark.parametrize("adjacency", [None, REPLACE])
@pytest.mark.parametrize("name", BUDGETS)
def test_a_plan_is_charged_what_it_said(name: str, adjacency: Adjacency | None) -> None:
    budget = BUDGETS[name](adjacency=adjacency)
    table = staff(budget)
    plan = dampen.plan(table, list(MIXED), error=MIXED, size=10_000)
    assert budget.spent.delta == 0
    ask_all(table, plan)
    assert plan.left == budget.remaining
    assert plan.total == budget.spent


@pytest.mark.parametrize("adjacency", [None, REPLACE])
@pytest.mark.parametrize("name", BUDGETS)
def test_all_that_is_left_is_shared_and_never_exceeded(name: str, adjacency: Adjacency | None) -> None:
    budget = BUDGETS[name](adjacency=adjacency)
    measure = "rho" if budget.limit.epsilon is None else "epsilon"
    whole = getattr(budget.limit, measure)
    table = staff(budget)
    plan = dampen.plan(table, [*MIXED, *MORE], size=10_000, **{measure: whole})
    assert plan.total is not None
    assert Fraction(98, 100) * whole < getattr(plan.total, measure) <= whole
    ask_all(table, plan)  # a plan above the limit would be refused here
    assert plan.left == budget.remaining


def test_a_budget_of_epsilon_and_delta_may_be_shared_by_rho() -> None:
    budget = Budget(epsilon=2, delta="1e-6")
    table = staff(budget)
    plan = dampen.plan(table, [*MIXED, *MORE], size=10_000, rho=budget.limit.rho)
    ask_all(table, plan)
    assert plan.rhos
    assert budget.spent.epsilon is None


def bound_at(law: Law, kind: str, amount: Fraction) -> float:
    return law.bound(Price(**{kind: amount}), 10_000, Fraction(1, 20), "own")


def counted(budget: Budget, losses: list[PrivacyLoss]) -> Amount:
    rule = COMPOSITIONS[budget.composition]
    spent = rule.start
    for loss in losses:
        spent = rule.add(spent, rule.price(converted(loss, budget.adjacency or ADD_REMOVE, "row")))
    return spent


FINE = [Fraction(round(10**6 * 1.004**step), 10**9) for step in range(2200)]
"""Prices from a thousandth on, a share of .004 apart."""


@pytest.mark.parametrize("name", BUDGETS)
def test_the_total_is_within_2_percent_of_the_best_on_a_fine_grid(name: str) -> None:
    budget = BUDGETS[name]()
    table = staff(budget)
    plan = dampen.plan(table, list(MIXED), error=MIXED, size=10_000)
    best: dict[str, list[Fraction]] = {"epsilon": [], "rho": []}
    for told, most in MIXED.items():
        law = Law(read_question(told, COLUMNS), UnpaidTable(table), None)
        offers = []
        for kind in ("epsilon", "rho") if budget.limit.rho is not None else ("epsilon",):
            low, high = 0, len(FINE) - 1  # the error falls with the price, which other tests see to
            while low < high:
                middle = (low + high) // 2
                low, high = (low, middle) if bound_at(law, kind, FINE[middle]) <= most else (middle + 1, high)
            offers.append(counted(budget, [law.loss(Price(**{kind: FINE[low]}))]))
        best["epsilon"].append(min(each.epsilon for each in offers if each.epsilon is not None) if budget.limit.epsilon
                               else Fraction(0))  # fmt: skip
        best["rho"].append(min(each.rho for each in offers if each.rho is not None) if budget.limit.rho
                           else Fraction(0))  # fmt: skip
    shares = [sum(best[part]) / limit for part in best if (limit := getattr(budget.limit, part))]
    assert plan.total is not None
    planned = [
        used / limit
        for part in best
        if (limit := getattr(budget.limit, part)) and (used := getattr(plan.total, part)) is not None
    ]
    assert min(planned) <= Fraction(102, 100) * min(shares)
    assert min(planned) <= 1


def test_by_rho_where_that_takes_the_smaller_part() -> None:
    """Many answers of a little each: their rhos add up to less of the limit than their epsilons."""
    questions = [f"percentile {p} of pay" for p in range(2, 100, 2)]
    many = dampen.plan(staff(Budget(epsilon=2, delta="1e-6")), questions, error=400)
    assert many.rhos
    assert many.total is not None
    assert many.total.rho is not None
    few = dampen.plan(staff(Budget(epsilon=2, delta="1e-6")), questions[:1], error=15)
    assert few.epsilons
    assert not few.rhos


def test_what_has_no_rho_is_paid_for_by_an_epsilon() -> None:
    plan = dampen.plan(staff(Budget(rho=1)), ["percentiles 25,75 of pay", "count"], rho="0.1")
    assert set(plan.epsilons) == {"percentiles 25,75 of pay"}
    assert set(plan.rhos) == {"count"}
    assert "rho 0." in str(plan)
    assert "epsilon 0." in str(plan)


def test_a_trade_off_is_told_in_what_the_budget_counts() -> None:
    plan = dampen.plan(staff(Budget(rho=1)), "count")
    assert str(plan).splitlines()[0].split() == ["question", "rho", "error"]
    assert plan["count"].kind == "rho"
    assert plan.as_dict()["questions"][0]["curve"][0]["rho"] == "0.0001"
    assert ">rho<" in plan.as_html()


@pytest.mark.parametrize(
    ("budget", "given", "why"),
    [
        (Budget(rho=1), {"epsilon": 1}, "epsilon must be left out, and rho given: the budget counts rho"),
        (Budget(epsilon=1), {"rho": 1}, "rho must be left out, and epsilon given: the budget counts epsilon"),
        (Budget(rho=1), {"rho": 2}, "rho must be at most what is left, rho 1"),
        (Budget(epsilon=1, delta="1e-6"), {"epsilon": 2}, "epsilon must be at most what is left"),
        (Budget(epsilon=1, delta="1e-6"), {"rho": 2}, "rho must be at most what is left"),
        (Budget(epsilon=1), {"rho": 1, "epsilon": 1}, "rho must be left out where epsilon is given"),
        (Budget(rho="0.001"), {"error": 2}, "these need rho .*, and rho 0.001 is left"),
        (
            Budget(epsilon=9, delta="1e-6", slots=[PrivacyLoss(1, adjacency=ADD_REMOVE)]),
            {"error": 2},
            "a budget of slots is a plan already",
        ),
    ],
)
def test_what_a_budget_does_not_count_is_refused(budget: Budget, given: dict[str, Any], why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        dampen.plan(staff(budget), "count", **given)


def test_a_filter_by_which_a_budget_was_spent_already_leaves_less() -> None:
    budget = Budget(epsilon=2, delta="1e-6")
    table = staff(budget)
    table.count(rho="0.05")
    plan = dampen.plan(table, "count", error=12)
    assert plan.rhos  # epsilon is not counted any more
    table.count(**plan["count"].price)
    assert plan.left == budget.remaining


# The same errors for all questions about a column


def test_an_error_of_a_column_is_that_of_its_questions() -> None:
    table = staff(Budget(epsilon=9))
    plan = dampen.plan(table, ["median pay", "mean pay", "count"], error={"pay": 60, "mean pay": 90}, size=10_000)
    assert [each.wished for each in plan.questions] == ["60", "90", None]
    with pytest.raises(ParameterError, match="none is about 'team'"):
        dampen.plan(table, ["median pay"], error={"team": 60})


def test_a_column_that_is_called_as_a_question_is_no_trap() -> None:
    table = Table("none.csv", columns={"count": Number(0, 900), "pay": COLUMNS["pay"]}, budget=Budget(epsilon=9))
    plan = dampen.plan(table, ["count", "median count"], error={"count": 10, "median count": 20})
    assert [each.wished for each in plan.questions] == ["10", "20"]
    assert dampen.plan(table, ["median count"], error={"count": 20}).questions[0].wished == "20"


# People


def visits(budget: Budget | None = None, rows: Any = "none.csv") -> Table:
    return Table(rows, columns=COLUMNS, budget=budget or Budget(epsilon=9, unit="who"), person="who")


CAPPED = [
    "count of persons",
    "count of persons by team",
    "count cap 5",
    "count cap 5 by team",
    "sum pay cap 20000",
    "sum pay cap 20000 by team",
    "median pay of rows cap 3",
    "percentiles 25,75 of pay of rows cap 3",
]


@pytest.mark.parametrize("question", CAPPED)
def test_a_public_cap_of_people_is_planned_as_it_is_asked(question: str) -> None:
    rows = {**ROWS, "who": [place % 40 for place in range(100)]}
    plan = dampen.plan(visits(), question, epsilon=1)
    asked, table = read_question(question, COLUMNS), visits(rows=rows)
    release = asked.ask(asked.of(table), **plan[question].price)
    assert str(plan[question].error) == str(release.error())


@pytest.mark.parametrize(
    ("question", "way"),
    [
        ("count", "count cap 10"),
        ("sum pay by team", "sum pay cap 10000 by team"),
        ("mean pay of rows", "mean pay of rows cap 10"),
    ],
)
def test_a_cap_that_is_drawn_is_not_planned_and_the_way_out_is_told(question: str, way: str) -> None:
    with pytest.raises(ParameterError, match=f"cannot be planned: .* with a public cap it can be: '{way}'"):
        dampen.plan(visits(), question, epsilon=1, size=100)
    assert dampen.plan(visits(), way, epsilon=1, size=100).questions[0].error is not None


def test_people_are_paid_for_by_epsilon_also_where_rho_is_counted() -> None:
    budget = Budget(rho=1, unit="who")
    plan = dampen.plan(visits(budget), ["mean pay", "median pay"], rho="0.2", size=500)
    rows = {**ROWS, "who": [place % 40 for place in range(100)]}
    table = visits(budget, rows)
    for each in plan.questions:
        asked = read_question(each.question, COLUMNS)
        asked.ask(table, **each.price)
    assert not plan.rhos
    assert plan.total == budget.spent


def test_the_size_of_a_table_of_people_is_a_number_of_people() -> None:
    rows = {**ROWS, "who": [place % 40 for place in range(100)]}
    table = visits(Budget(epsilon=10**4, unit="who"), rows)
    people = table.count(of="persons", epsilon=1000)
    plan = dampen.plan(table, ["mean pay", "mean pay by team"], epsilon=1, size=people)
    assert plan["mean pay"].size == 40
    assert "where there are at least 40 people" in str(plan["mean pay"].error)
    assert "where there are at least 13 votes" in str(plan["mean pay by team"].error)
    for given in (table.count(epsilon=1000), table.count(cap=2, epsilon=1000)):
        with pytest.raises(ParameterError, match="size must be a number of people"):
            dampen.plan(table, "mean pay", epsilon=1, size=given)


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("mean pay cap 5", "cap must be left out where persons are asked about"),
        ("mean pay of nobody", "must end with its column"),
        ("mean pay of rows cap 5 by team", "must be asked without 'of rows'"),
        ("histogram team cap 5", "must be asked without 'cap 5'"),
        ("count cap many", "cap must be"),
    ],
)
def test_what_cannot_be_said_of_people_is_refused(question: str, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        dampen.plan(visits(), question, epsilon=1, size=100)
    with pytest.raises(ParameterError, match="must be left out for a table without a person"):
        dampen.plan(staff(Budget(epsilon=1)), "count cap 5", epsilon=1)
