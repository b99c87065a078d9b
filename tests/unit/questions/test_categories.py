"""``dampen.most_common`` and ``dampen.top_categories``: answers, prices and refusals."""

import traceback
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dampen
from dampen import Adjacency, Budget, Category, PrivacyLoss, Table, entropy
from dampen.errors import BudgetExceeded, DampenError, DataError, ParameterError, ReleaseFailed
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, SelectionMechanism, StableArgmax
from tests.conftest import Refused
from tests.unit.questions.test_one_percentile import Recording, csv_file, parquet_file

SURE = 10**6
ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
CITIES = ("Rome", "Oslo", "Bonn", "Lima")
LIVES = ["Bonn", "Oslo", "Bonn", "Rome", "Bonn", "Oslo"]
SECRETS = ("Secretville",)

both = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])


def sure(values: Any, **arguments: Any) -> Any:
    return dampen.most_common(values, categories=CITIES, epsilon=SURE, budget=Budget(epsilon=SURE), **arguments)


@both
@pytest.mark.parametrize("mechanism", [None, Exponential, PermuteAndFlip(SURE), ReportNoisyMax])
def test_at_a_huge_epsilon_the_most_frequent_is_told(adjacency: Adjacency, mechanism: Any) -> None:
    assert sure(LIVES, adjacency=adjacency, mechanism=mechanism) == "Bonn"


@both
@pytest.mark.parametrize("mechanism", [None, Exponential])
def test_the_most_frequent_stand_first(adjacency: Adjacency, mechanism: Any) -> None:
    for k in range(1, 5):
        best = dampen.top_categories(
            LIVES, k, categories=CITIES, epsilon=SURE, budget=Budget(epsilon=SURE), adjacency=adjacency,
            mechanism=mechanism,
        )  # fmt: skip
        assert best == ("Bonn", "Oslo", "Rome", "Lima")[:k]


@pytest.mark.parametrize("values", [[], ["Rome", "Oslo"]], ids=str)
def test_ties_go_either_way(values: list[str]) -> None:
    tied = set(values or CITIES)
    assert {sure(values) for _ in range(200)} == tied


def test_one_category_is_the_answer() -> None:
    assert dampen.most_common([7, 7], categories=[7], epsilon=1, budget=Budget(epsilon=1)) == 7
    assert dampen.top_categories([], 1, categories=[7], epsilon=1, budget=Budget(epsilon=1)) == (7,)


def test_categories_are_any_labels() -> None:
    assert dampen.most_common(
        [(1, 2), (1, 2)], categories=[(1, 2), (3, 4)], epsilon=SURE, budget=Budget(epsilon=SURE)
    ) == (1, 2)
    assert dampen.most_common(
        np.array([3, 3, 1]), categories=range(1, 4), epsilon=SURE, budget=Budget(epsilon=SURE)
    ) == 3  # fmt: skip


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "mapping"])
def test_data_frames(library: str, untouched: Budget, refused: Refused) -> None:
    columns = {"city": [*LIVES, None, "Secretville"]}
    if library == "mapping":
        frame: Any = columns
    else:
        loaded = pytest.importorskip(library)
        frame = loaded.table(columns) if library == "pyarrow" else loaded.DataFrame(columns)
    assert of_table(frame, **FORGIVING).most_common("city", epsilon=SURE) == "Bonn"
    with refused(ParameterError, "column"):
        dampen.most_common(frame, categories=CITIES, epsilon=1, budget=untouched)
    with refused(ParameterError, "column", "'town'"):
        of_table(frame, column="town", budget=untouched).most_common("town", epsilon=1)
    with refused(DataError, "'city'", "missing", hidden=SECRETS):
        of_table(frame, budget=untouched, other="rest").most_common("city", epsilon=1)
    with refused(DataError, "'city'", "declared categories", hidden=SECRETS):
        of_table(frame, budget=untouched, missing="drop").most_common("city", epsilon=1)


FORGIVING = {"other": "rest", "missing": "drop"}


def of_table(data: Any, *, column: str = "city", budget: Any = None, **described: Any) -> Table:
    """A table of cities; with ``other`` there is a label for the rest."""
    labels = (*CITIES, "rest") if "other" in described else CITIES
    purse = Budget(epsilon=SURE) if budget is None else budget
    return Table(data, columns={column: Category(*labels, **described)}, budget=purse)


@pytest.mark.parametrize("make", [csv_file, parquet_file])
def test_files(make: Callable[..., Path], tmp_path: Path, untouched: Budget, refused: Refused) -> None:
    path = make(tmp_path, "name,city\n" + "".join(f"x,{city}\n" for city in [*LIVES, "", "Secretville"]))
    assert of_table(str(path), **FORGIVING).most_common("city", epsilon=SURE) == "Bonn"
    assert of_table(path, **FORGIVING).top_categories("city", 2, epsilon=SURE) == ("Bonn", "Oslo")
    for described, error, shown in (
        ({"column": "town", **FORGIVING}, ParameterError, "column"),
        ({"other": "rest"}, DataError, "missing"),
        ({"missing": "drop"}, DataError, "declared categories"),
    ):
        table, column = of_table(path, budget=untouched, **described), described.get("column", "city")
        with refused(error, shown, hidden=SECRETS):
            table.most_common(column, epsilon=1)
        with refused(error, shown, hidden=SECRETS):
            table.top_categories(column, 2, epsilon=1)


# The price


@both
def test_one_charge_with_the_note(adjacency: Adjacency) -> None:
    notes: list[dict[str, Any]] = [{}, {"note": "towns"}]
    for note in notes:
        budget = Recording()
        options: dict[str, Any] = {"categories": CITIES, "epsilon": "1/3", "budget": budget, "adjacency": adjacency}
        dampen.most_common(LIVES, **options, **note)
        dampen.top_categories(LIVES, 3, **options, **note)
        loss = PrivacyLoss("1/3", adjacency=adjacency)
        expected = [(loss, note.get("note", "most_common")), (loss, note.get("note", "top_categories"))]
        assert [(PrivacyLoss(paid.epsilon, adjacency=paid.adjacency), told) for paid, told in budget.asked] == expected


def test_every_place_is_drawn_at_an_equal_share() -> None:
    made: list[Any] = []

    def noted(epsilon: Any) -> SelectionMechanism:
        made.append(epsilon)
        return PermuteAndFlip(epsilon)

    budget = Budget(epsilon=2)
    dampen.top_categories(LIVES, 3, categories=CITIES, epsilon=2, budget=budget, mechanism=noted)
    assert set(made) == {Fraction(2, 3)}
    assert budget.spent.epsilon == 2


def test_counts_are_monotone_only_where_records_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under ADD_REMOVE the full rate epsilon, under REPLACE half of it."""
    seen: list[Any] = []

    def picked(self: SelectionMechanism, problem: Any, source: Any) -> tuple[int, int]:
        seen.append(problem.frame)
        return 0, 0

    monkeypatch.setattr(PermuteAndFlip, "_pick", picked)
    for adjacency in (ADD_REMOVE, REPLACE):
        dampen.most_common(LIVES, categories=CITIES, epsilon=1, budget=Budget(epsilon=1), adjacency=adjacency)
    assert [(frame.bound, frame.monotone, frame.adjacency) for frame in seen] == [
        (1, True, ADD_REMOVE),
        (1, False, REPLACE),
    ]


def test_too_small_a_budget_refuses_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch, untouched: Budget, refused: Refused
) -> None:
    monkeypatch.setattr(entropy, "system_entropy", lambda: pytest.fail("drawn before it was paid"))
    with refused(BudgetExceeded, "asked epsilon 11"):
        dampen.most_common(LIVES, categories=CITIES, epsilon=11, budget=untouched)
    with refused(BudgetExceeded, "asked epsilon 11"):
        dampen.top_categories(LIVES, 2, categories=CITIES, epsilon=11, budget=untouched)


@pytest.mark.parametrize("k", [None, 2])
def test_a_failing_draw_keeps_the_charge_and_shows_no_data(k: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no entropy")

    monkeypatch.setattr(entropy, "system_entropy", fail)
    budget = Budget(epsilon=1)
    options: dict[str, Any] = {"categories": CITIES, "epsilon": "1/4", "budget": budget}
    with pytest.raises(ReleaseFailed) as caught:
        _ = dampen.most_common(LIVES, **options) if k is None else dampen.top_categories(LIVES, k, **options)
    assert budget.spent.epsilon == Fraction(1, 4)
    assert not any(word in "".join(traceback.format_exception(caught.value)) for word in ("Bonn", "OSError"))


# Refusals

WRONG: list[tuple[dict[str, Any], type[DampenError], list[str]]] = [
    ({"epsilon": 0}, ParameterError, ["epsilon must be positive"]),
    ({"epsilon": float("nan")}, ParameterError, ["epsilon"]),
    ({"budget": None}, ParameterError, ["budget", "NoneType"]),
    ({"adjacency": Adjacency.EDGE}, ParameterError, ["adjacency", "EDGE"]),
    ({"adjacency": "replace"}, ParameterError, ["adjacency"]),
    ({"categories": ()}, ParameterError, ["empty"]),
    ({"categories": "Rome"}, ParameterError, ["categories"]),
    ({"categories": ("Rome", "Rome")}, ParameterError, ["distinct"]),
    ({"categories": {"Rome"}}, ParameterError, ["categories"]),
    ({"categories": None}, ParameterError, ["categories"]),
    ({"values": {"city": LIVES}}, ParameterError, ["column"]),
    ({"note": None}, ParameterError, ["note"]),
    ({"mechanism": "none"}, ParameterError, ["mechanism", "'none'"]),
    ({"values": ["Secretville"]}, DataError, ["declared categories"]),
    ({"values": [None, "Rome"]}, DataError, ["missing"]),
    ({"values": [float("nan")]}, DataError, ["missing"]),
    ({"values": [["Secretville"]]}, DataError, ["declared categories"]),
    ({"values": "none.csv"}, ParameterError, ["file must exist"]),
]


@pytest.mark.parametrize("k", [None, 2])
@pytest.mark.parametrize(("arguments", "error", "shown"), WRONG, ids=lambda value: str(value)[:60])
def test_a_refusal_is_one_line_and_costs_nothing(
    arguments: dict[str, Any],
    error: type[DampenError],
    shown: list[str],
    k: int | None,
    untouched: Budget,
    refused: Refused,
) -> None:
    given = {"values": LIVES, "categories": CITIES, "epsilon": 1, "budget": untouched, **arguments}
    with refused(error, *shown, hidden=SECRETS):
        _ = dampen.most_common(**given) if k is None else dampen.top_categories(k=k, **given)


@pytest.mark.parametrize("k", [0, -1, 5, 1.5, True, "2", None], ids=repr)
def test_k_is_a_whole_number_of_places(k: Any, untouched: Budget, refused: Refused) -> None:
    with refused(ParameterError, "k must"):
        dampen.top_categories(LIVES, k, categories=CITIES, epsilon=1, budget=untouched)


@pytest.mark.parametrize("mechanism", [StableArgmax, ReportNoisyMax, SelectionMechanism, PermuteAndFlip(1), dict, 7])
def test_top_categories_take_a_class_of_two_types(mechanism: Any, untouched: Budget, refused: Refused) -> None:
    with refused(ParameterError, "mechanism"):
        dampen.top_categories(LIVES, 2, categories=CITIES, epsilon=1, budget=untouched, mechanism=mechanism)


def test_another_epsilon_than_the_mechanisms_own_is_refused(untouched: Budget, refused: Refused) -> None:
    with refused(ParameterError, "epsilon must be the mechanism's own, 2"):
        dampen.most_common(LIVES, categories=CITIES, epsilon=1, budget=untouched, mechanism=PermuteAndFlip(2))


def test_k_is_the_second_argument_and_nothing_else_is_positional() -> None:
    with pytest.raises(TypeError):
        dampen.most_common(LIVES, CITIES, epsilon=1, budget=Budget(epsilon=1))  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        dampen.top_categories(LIVES, 2, CITIES, epsilon=1, budget=Budget(epsilon=1))  # type: ignore[call-arg]


def test_categories_are_read_in_their_order_whatever_holds_them() -> None:
    """A Series answers an index with a label, not a place."""
    values, budget = ["a"] * 50, dampen.Budget(epsilon=10**6)
    for index in ([2, 1, 0], [5, 6, 7]):
        series = pandas.Series(["a", "b", "c"], index=index)
        assert dampen.most_common(values, categories=series, epsilon=100, budget=budget) == "a"
        assert dampen.top_categories(values, 1, categories=series, epsilon=100, budget=budget) == ("a",)
    for categories in (pandas.Index(["a", "b"]), np.array(["a", "b"]), dict.fromkeys("ab").keys(), iter("ab")):
        answer = dampen.most_common(values, categories=categories, epsilon=100, budget=budget)  # type: ignore[arg-type]
        assert (answer.value, type(answer.value)) == ("a", str)


def test_mechanisms_of_0_and_1_are_refused_before_the_data_is_read(
    untouched: dampen.Budget, refused: "Refused"
) -> None:
    """Whether counts happen to be 0 and 1 is data."""
    for values in (["a"], ["a", "a"]):
        for mechanism in (dampen.mechanisms.StableArgmax, dampen.mechanisms.ParetoNoisyMax(1, indicator=True)):
            with refused(ParameterError, "mechanism must", "winner_problem"):
                dampen.most_common(values, categories=("a", "b"), epsilon=1, budget=untouched, mechanism=mechanism)
            with refused(ParameterError, "mechanism must", "percentile_hit_problem"):
                dampen.percentile([1], 50, bounds=range(3), epsilon=1, budget=untouched, method=mechanism)


def test_a_mechanism_of_several_picks_is_refused(untouched: dampen.Budget, refused: "Refused") -> None:
    for several in (dampen.mechanisms.TopK(2, PermuteAndFlip(1)), dampen.mechanisms.LaplaceTopK(2, 1)):
        with refused(ParameterError, "mechanism must choose one candidate"):
            dampen.most_common(["a"], categories=("a", "b"), epsilon=1, budget=untouched, mechanism=several)
