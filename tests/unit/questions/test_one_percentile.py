"""``dampen.percentile`` and ``dampen.median``: answers, prices and refusals."""

import math
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dampen
from dampen import Adjacency, Budget, Number, PrivacyLoss, Table, entropy
from dampen.errors import BudgetExceeded, DampenError, DataError, ParameterError, ReleaseFailed
from dampen.mechanisms import (
    ExactPairLaplace,
    Exponential,
    LocalDampening,
    PairwiseDampening,
    PermuteAndFlip,
    PolyPlace,
    ReportNoisyMax,
    SelectionMechanism,
    SmoothExponential,
    SmoothLaplace,
    StableArgmax,
    TopK,
    laws,
)
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.mechanisms.selection_errors import Law, PercentileAccuracy
from dampen.privacy import Amount, PrivateAccuracy
from dampen.questions.record import RECORD, Single
from dampen.sampling import tables
from dampen.sampling.exponents import Exponents
from dampen.tables.grid import as_grid
from tests.conftest import Refused, RunPython

SURE = 10**6
"""An epsilon at which any answer but the best has a probability of exp(-1024)."""
ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
SECRETS = ("98765x", "4321")
TIES = [1, 3, 3, 3, 4]

both = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])


class Recording:
    """A budget that remembers what was asked of it."""

    def __init__(self, epsilon: float = 10**7) -> None:
        self.budget = Budget(epsilon=epsilon)
        self.asked: list[tuple[PrivacyLoss, str]] = []

    def reserve(self, loss: PrivacyLoss, *, note: str = "") -> AbstractContextManager[object]:
        self.asked.append((loss, note))
        return self.budget.reserve(loss, note=note)

    @property
    def limit(self) -> Amount:
        return self.budget.limit

    @property
    def spent(self) -> Amount:
        return self.budget.spent

    @property
    def remaining(self) -> Amount:
        return self.budget.remaining


def by_definition(values: Sequence[float], p: object, grid: Sequence[float]) -> float:
    """The 0-based element min(n - 1, floor(p n / 100)), every value at the largest grid point not above it."""
    placed = sorted(max((point for point in grid if point <= value), default=grid[0]) for value in values)
    return placed[min(len(placed) - 1, math.floor(Fraction(str(p)) * len(placed) / 100))]


def sure(values: Any, p: Any = 50, **arguments: Any) -> Any:
    """The answer at a huge epsilon."""
    return dampen.percentile(values, p, epsilon=SURE, budget=Budget(epsilon=SURE), **{"bounds": range(10), **arguments})


# The answer


@both
@given(
    values=st.lists(st.one_of(st.integers(-3, 9), st.floats(-3, 9)), min_size=1, max_size=9),
    p=st.sampled_from([0, 1, 10, 25, 49.5, 50, "100/3", "200/3", 75, 99, 100, Fraction(1, 7)]),
    grid=st.sampled_from([range(6), (-1.5, 0.0, 2.25, 7.0), (3,), range(-2, 8, 3)]),
)
def test_at_a_huge_epsilon_the_answer_is_the_percentile(
    adjacency: Adjacency, values: list[float], p: Any, grid: Sequence[float]
) -> None:
    assert sure(values, p, bounds=as_grid(grid), adjacency=adjacency) == by_definition(values, p, grid)


@both
@pytest.mark.parametrize(
    ("values", "p", "answer"),
    [
        ([7], 50, 7),
        ([2, 8], 0, 2),
        ([2, 8], 49.5, 2),
        ([2, 8], 50, 8),
        ([2, 8], 100, 8),
        ([1, 4, 9], "100/3", 4),
        ([1, 4, 9], "33.3", 1),
        ([1, 4, 9], 33.3, 1),
        ([1, 4, 9], 100 / 3, 4),
        (TIES, 50, 3),
        ([6] * 1000, 0, 6),
        ([6] * 1000, 50, 6),
        ([6] * 1000, 100, 6),
        ([0] * 49 + [9] * 51, 49, 9),
        ([0] * 49 + [9] * 51, "48.999", 0),
        ([-5, 100], 0, 0),
        ([-5, 100], 100, 9),
    ],
)
def test_by_hand(values: list[int], p: Any, answer: int, adjacency: Adjacency) -> None:
    """A float p is the decimal that it prints as: 100 / 3 prints as a little more than a third."""
    assert sure(values, p, adjacency=adjacency) == answer


@both
def test_no_records_have_an_answer_and_a_price(adjacency: Adjacency) -> None:
    budget = Recording()
    answers = {
        dampen.percentile([], 50, bounds=range(3), epsilon=1, budget=budget, adjacency=adjacency) for _ in "." * 99
    }
    assert answers == {0, 1, 2}
    assert len(budget.asked) == 99


@pytest.mark.parametrize("values", [[], [4], [1, 9]])
@pytest.mark.parametrize(
    "arguments", [{"bounds": as_grid([7])}, {"bounds": range(7, 8)}, {"bounds": (7, 7), "step": 3}], ids=str
)
def test_a_grid_of_one_value_has_one_answer(values: list[int], arguments: dict[str, Any]) -> None:
    assert dampen.percentile(values, 50, epsilon="1/1000", budget=Budget(epsilon=1), **arguments) == 7


def test_the_forms_of_the_grid() -> None:
    assert sure([23, 31, 45], bounds=range(121)) == 31
    assert sure([23, 31, 45], bounds=as_grid([0, 30, 60])) == 30
    assert sure([23, 31, 45], bounds=as_grid(np.array([0.5, 30.5, 60.5]))) == 30.5
    assert sure([23, 31, 45], bounds=(0, 120), step=7) == 28
    assert sure([23, 31, 45], bounds=(0, 120)) == 31
    assert sure([0.25, 0.31, 0.4], bounds=(0, 1), step="0.1") == 0.3


@pytest.mark.parametrize("grid", [range(10), as_grid((0.5, 1.5))])
def test_answers_are_pythons_own_numbers(grid: Any) -> None:
    assert type(sure([1, 1, 1], bounds=grid).value) is type(grid[0])


def test_the_median_is_the_percentile_at_50() -> None:
    budget = Recording()
    options: dict[str, Any] = {"bounds": (0, 10), "epsilon": SURE, "budget": budget}
    assert dampen.median([1.5, 2.5, 4.0, 4.0], step="0.5", **options) == 4.0
    assert dampen.median([1], note="why", **options) == 1
    assert [note for _, note in budget.asked] == ["median", "why"]


def test_the_median_passes_its_options_on() -> None:
    budget = Recording()
    options: dict[str, Any] = {"bounds": range(10), "epsilon": SURE, "budget": budget, "adjacency": REPLACE}
    assert dampen.median([1, 2, 9], method=Exponential, **options) == 2
    assert budget.asked == [(PrivacyLoss(SURE, adjacency=REPLACE, bounded_range=SURE), "median")]
    assert dampen.median([1, 2, 9], method="rank", **options).mechanism == f"PermuteAndFlip(epsilon={SURE})"


# Where the values come from


def frames() -> dict[str, Callable[[], Any]]:
    def pandas() -> Any:
        return pytest.importorskip("pandas").DataFrame({"pay": [3.0, 3.5, None, 9.0]})

    def polars() -> Any:
        return pytest.importorskip("polars").DataFrame({"pay": [3.0, 3.5, None, 9.0]})

    def pyarrow() -> Any:
        return pytest.importorskip("pyarrow").table({"pay": [3.0, 3.5, None, 9.0]})

    return {"pandas": pandas, "polars": polars, "pyarrow": pyarrow, "mapping": lambda: {"pay": [3.0, 3.5, None, 9.0]}}


def of_table(data: Any, p: Any = 50, *, column: str = "pay", **described: Any) -> Any:
    """The answer at a huge epsilon about a column of a table."""
    columns = {column: Number(**{"lo": 0, "hi": 9, "step": 1, **described})}
    return Table(data, columns=columns, budget=Budget(epsilon=SURE)).percentile(column, p, epsilon=SURE)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "mapping"])
def test_data_frames(library: str, untouched: Budget, refused: Refused) -> None:
    frame = frames()[library]()
    assert of_table(frame, missing="drop") == 3
    assert of_table(frame, 100, missing="drop") == 9
    if library in ("pandas", "polars"):
        assert sure(frame["pay"].drop_nulls() if library == "polars" else frame["pay"].dropna(), 100) == 9
    with refused(ParameterError, "column"):
        dampen.percentile(frame, 50, bounds=range(10), epsilon=1, budget=untouched)
    with refused(ParameterError, "column", "'age'"):
        of_table(frame, column="age")
    with refused(DataError, "'pay'", "missing"):
        of_table(frame)


def csv_file(folder: Path, content: str) -> Path:
    path = folder / "pay.csv"
    path.write_text(content)
    return path


def parquet_file(folder: Path, content: str) -> Path:
    import duckdb

    source, path = csv_file(folder, content), folder / "pay.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"copy (from read_csv('{source}', header=true)) to '{path}' (format parquet)")
    return path


@pytest.mark.parametrize("make", [csv_file, parquet_file])
@pytest.mark.parametrize("as_text", [False, True])
def test_files(make: Callable[..., Path], as_text: bool, tmp_path: Path, untouched: Budget, refused: Refused) -> None:
    path = make(tmp_path, "name,pay\nann,98765\nbob,4321\ncid,\ndan,100000\n")
    file = str(path) if as_text else path
    salary: dict[str, Any] = {"hi": 100_000, "step": 100}
    assert of_table(file, missing="drop", **salary) == 98_700
    with refused(DataError, "'pay'", "missing", hidden=SECRETS):
        of_table(file, **salary)
    with refused(DataError, "'name'", "numbers", hidden=(*SECRETS, "ann")):
        of_table(file, column="name", **salary)
    with refused(ParameterError, "column", "'age'"):
        of_table(file, column="age", **salary)
    with refused(ParameterError, "column"):
        dampen.percentile(file, 50, bounds=(0, 10), epsilon=1, budget=untouched)


# The price


@both
@pytest.mark.parametrize("method", ["distance", "rank"])
def test_one_charge_of_epsilon_with_the_note(method: Any, adjacency: Adjacency) -> None:
    notes: list[dict[str, Any]] = [{}, {"note": "salaries, 2024"}]
    for note in notes:
        budget = Recording()
        dampen.percentile(
            TIES, 50, bounds=range(6), epsilon="1/3", budget=budget, adjacency=adjacency, method=method, **note
        )
        assert budget.asked == [(PrivacyLoss("1/3", adjacency=adjacency), note.get("note", "percentile"))]
        assert budget.spent == Amount(Fraction(1, 3), Fraction(0))


def test_mechanisms_with_other_losses_are_paid_at_theirs() -> None:
    budget = Recording()
    dampen.percentile(TIES, 50, bounds=range(6), epsilon="1/2", budget=budget, method=Exponential)
    assert budget.asked[0][0] == PrivacyLoss("1/2", adjacency=ADD_REMOVE, bounded_range="1/2")


def test_too_small_a_budget_refuses_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch, untouched: Budget, refused: Refused
) -> None:
    monkeypatch.setattr(entropy, "system_entropy", lambda: pytest.fail("drawn before it was paid"))
    with refused(BudgetExceeded, "asked epsilon 11"):
        dampen.percentile(TIES, 50, bounds=range(6), epsilon=11, budget=untouched)


def test_a_failing_draw_keeps_the_charge_and_shows_no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no entropy for 98765")

    monkeypatch.setattr(entropy, "system_entropy", fail)
    budget, values = Budget(epsilon=1), [98765]
    with pytest.raises(ReleaseFailed) as caught:
        dampen.percentile(values, 50, bounds=range(10**5), epsilon="1/4", budget=budget)
    assert budget.spent.epsilon == Fraction(1, 4)
    assert not any(word in "".join(traceback.format_exception(caught.value)) for word in ("98765x", "OSError"))


# Methods and mechanisms


@pytest.mark.parametrize(
    ("method", "used"),
    [
        ("distance", PermuteAndFlip),
        ("rank", PermuteAndFlip),
        ("label", LocalDampening),
        (Exponential, Exponential),
        (Exponential(1), Exponential),
        (ReportNoisyMax("1"), ReportNoisyMax),
        (partial(SmoothExponential, delta="1e-6"), SmoothExponential),
        (PairwiseDampening, PairwiseDampening),
    ],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "__name__", type(value).__name__),
)
def test_the_mechanism_that_is_used(
    method: Any, used: type[SelectionMechanism], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[type[SelectionMechanism], Fraction]] = []
    draw = SingleMechanism.draw

    def recording(self: SingleMechanism, *args: Any) -> Any:
        seen.append((type(self), self.epsilon))
        return draw(self, *args)

    monkeypatch.setattr(SingleMechanism, "draw", recording)
    public: dict[str, Any] = {"bounds": (0, 5), "adjacency": REPLACE} if method == "label" else {"bounds": range(6)}
    budget = Budget(epsilon=1, delta="1e-5")
    told = dampen.percentile(TIES, 50, epsilon=1, budget=budget, method=method, **public)
    assert seen == [(used, Fraction(1))]
    assert told.mechanism.startswith(f"{used.__name__}(epsilon=1")


@pytest.mark.parametrize(
    ("method", "shown"),
    [
        (PermuteAndFlip(2), "epsilon must be the mechanism's own, 2"),
        (lambda epsilon: PermuteAndFlip(2 * epsilon), "epsilon"),
        (TopK(2, PermuteAndFlip("1/2")), ""),
        (SmoothExponential, "mechanism"),
        (SelectionMechanism, "mechanism"),
        ("permute-and-flip", "method must be one of 'distance', 'rank', 'number', 'label', or a mechanism"),
        (dict, "mechanism"),
        (7, "mechanism"),
        ("", "method"),
        (0, "mechanism"),
        (False, "mechanism"),
        (None, "method"),
    ],
    ids=["other", "twice", "top", "delta", "abstract", "name", "dict", "seven", "no name", "zero", "false", "none"],
)
def test_a_mechanism_that_does_not_fit_is_refused(method: Any, shown: str, untouched: Budget, refused: Refused) -> None:
    with refused(ParameterError, shown):
        dampen.percentile(TIES, 50, bounds=range(6), epsilon=1, budget=untouched, method=method)


def test_a_mechanism_for_0_and_1_refuses_distances(untouched: Budget, refused: Refused) -> None:
    with refused(ParameterError, "utilities", "percentile_hit_problem", hidden=SECRETS):
        dampen.percentile([98765] * 9, 50, bounds=range(10**5), epsilon=1, budget=untouched, method=StableArgmax)


def test_ranks_pay_for_large_steps() -> None:
    """The rank error of p = 99 moves by 99 where the median's moves by 1: the same epsilon buys less."""
    budget = Recording()
    assert dampen.percentile(TIES, 50, bounds=range(6), epsilon=SURE, budget=budget, method="rank") == 3
    problem = dampen.queries.percentile_rank_problem(TIES, 99, grid=range(6), adjacency=ADD_REMOVE)
    assert problem.frame.bound == 99


def test_labels_answer_with_a_position() -> None:
    budget, values = Recording(), [9, 4, 7, 0]
    best = dampen.percentile(
        values, 50, bounds=(0, "10"), epsilon=SURE, budget=budget, method="label", adjacency=REPLACE
    )
    assert values[best.value] == sorted(values)[2]
    assert budget.asked == [(PrivacyLoss(SURE, adjacency=REPLACE), "percentile")]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"adjacency": ADD_REMOVE}, ["adjacency", "REPLACE"]),
        ({"adjacency": Adjacency.EDGE}, ["adjacency", "REPLACE"]),
        ({"bounds": None}, ["bounds", "(0, hi)"]),
        ({"bounds": (1, 10)}, ["bounds", "(0, hi)"]),
        ({"bounds": (0, 5, 10)}, ["bounds", "(0, hi)"]),
        ({"bounds": (0, 0)}, ["bounds"]),
        ({"bounds": (0, -3)}, ["bounds"]),
        ({"bounds": (0, "many")}, ["bounds"]),
        ({"bounds": (0, 10.5)}, ["bounds", "(0, hi)", "whole"]),
        ({"bounds": 10}, ["bounds", "(0, hi)"]),
        ({"step": 1}, ["step", "label"]),
        ({"bounds": range(10)}, ["label", "(0, hi)"]),
        ({"p": 101}, ["p must"]),
    ],
    ids=str,
)
def test_labels_need_replace_and_bounds_from_0(
    arguments: dict[str, Any], shown: list[str], untouched: Budget, refused: Refused
) -> None:
    given = {"p": 50, "bounds": (0, 10), "epsilon": 1, "method": "label", "adjacency": REPLACE, **arguments}
    with refused(ParameterError, *shown):
        dampen.percentile([1, 2, 3], budget=untouched, **given)


@pytest.mark.parametrize(
    "values", [[1.5, 2.0], [98765.25], [1, None], [float("nan")], ["98765x"], "98765.csv"], ids=str
)
def test_labels_need_whole_values(values: Any, untouched: Budget, refused: Refused) -> None:
    with refused(DampenError, "values", hidden=SECRETS):
        dampen.percentile(values, 50, bounds=(0, 10), epsilon=1, budget=untouched, method="label", adjacency=REPLACE)


# As a number


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
def test_a_mechanism_s_error_counts_people_too(adjacency: Adjacency) -> None:
    """It is that of its law; ranks are no people, and what follows the data stays private."""
    asked: dict[str, Any] = {"bounds": (0, 120), "epsilon": 1, "adjacency": adjacency}

    def told(method: Any) -> Any:
        return dampen.percentile([30, 40], 90, method=method, **asked, budget=Budget(epsilon=1)).accuracy

    by_law: dict[Law, Any] = {
        "permute_and_flip": PermuteAndFlip,
        "exponential": Exponential,
        "laplace": ReportNoisyMax,
    }
    for law, method in by_law.items():
        for each in (method, method(1)):
            assert told(each) == PercentileAccuracy(Fraction(1), 121, Fraction(90), adjacency, law)
    assert told("distance") == told(PermuteAndFlip)
    assert told("rank").unit != "people"
    assert isinstance(told(LocalDampening), PrivateAccuracy)


def test_numbers_follow_the_gaps() -> None:
    ages = list(range(20, 80)) * 50
    budget = Budget(epsilon=100, delta="1/10")
    asked: dict[str, Any] = {"bounds": (0, 120), "epsilon": 5, "budget": budget}
    named = SmoothLaplace(5, "1e-6")
    for method in ("number", PolyPlace(5), named, ExactPairLaplace(5, "1e-6")):
        answer = dampen.percentile(ages, 50, method=method, **asked)
        assert answer.value == pytest.approx(49.5, abs=10)
        with pytest.raises(ParameterError, match="is private"):
            answer.error()
    assert answer.loss == PrivacyLoss(5, "1e-6", adjacency=ADD_REMOVE)
    assert dampen.percentile(ages, 50, method=named, **asked).mechanism == repr(named)
    assert dampen.percentile(ages, 50, method="number", **asked).mechanism == repr(PolyPlace(5))


@given(
    values=st.lists(st.integers(-3, 12), min_size=1, max_size=9),
    p=st.sampled_from([0, 25, 49.5, 50, "100/3", 75, 100]),
    step=st.sampled_from([1, 2, "1/2"]),
)
def test_numbers_are_the_percentile_before_noise(values: list[int], p: Any, step: Any) -> None:
    posed = RECORD["percentile"].pose(values, p, bounds=(0, 8), step=step, epsilon=1, method="number")
    assert isinstance(posed, Single)
    grid = [float(place * Fraction(step)) for place in range(int(8 / Fraction(step)) + 1)]
    assert posed.problem.value == by_definition(values, p, grid)


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"method": PolyPlace(2)}, "epsilon"),
        ({"method": PolyPlace}, "mechanism"),
        ({"method": "PolyPlace"}, "method"),
        ({"epsilon": 0}, "epsilon"),
        ({"bounds": (1, 0)}, "bounds"),
        ({"bounds": (1, 1)}, "bounds"),
        ({"bounds": range(9)}, "bounds"),
        ({"step": 0}, "resolution"),
        ({"p": 101}, "p must"),
        ({"adjacency": Adjacency.EDGE}, "adjacency"),
    ],
    ids=str,
)
def test_bad_parameters_of_numbers_are_one_sentence_before_any_spending(
    asked: dict[str, Any], shown: str, refused: Refused, untouched: Budget
) -> None:
    words: dict[str, Any] = {"p": 50, "bounds": (0, 1), "epsilon": 1, "method": "number"} | asked
    with refused(ParameterError, shown):
        dampen.percentile([1, 2], budget=untouched, **words)


# Refusals

WRONG: list[tuple[dict[str, Any], type[DampenError], list[str]]] = [
    ({"p": -1}, ParameterError, ["p must lie between 0 and 100", "-1"]),
    ({"p": 100.5}, ParameterError, ["p must lie between 0 and 100", "100.5"]),
    ({"p": "301/3"}, ParameterError, ["p must lie between 0 and 100"]),
    ({"p": float("nan")}, ParameterError, ["p must", "nan"]),
    ({"p": None}, ParameterError, ["p must", "None"]),
    ({"p": True}, ParameterError, ["p must", "True"]),
    ({"p": [50]}, ParameterError, ["p must", "a list"]),
    ({"epsilon": 0}, ParameterError, ["epsilon must be positive"]),
    ({"epsilon": "abc"}, ParameterError, ["epsilon", "'abc'"]),
    ({"epsilon": float("inf")}, ParameterError, ["epsilon"]),
    ({"budget": None}, ParameterError, ["budget", "NoneType"]),
    ({"budget": 3}, ParameterError, ["budget", "int"]),
    ({"adjacency": Adjacency.EDGE}, ParameterError, ["adjacency", "EDGE"]),
    ({"adjacency": "replace"}, ParameterError, ["adjacency", "'replace'"]),
    ({"method": "value"}, ParameterError, ["method", "'distance'", "'value'"]),
    ({"note": "two\nlines"}, ParameterError, ["note"]),
    ({"note": None}, ParameterError, ["note"]),
    ({"bounds": None}, ParameterError, ["bounds"]),
    ({"bounds": range(0)}, ParameterError, ["grid", "empty"]),
    ({"bounds": (3, 2, 1)}, ParameterError, ["bounds must be two"]),
    ({"bounds": (1, 0)}, ParameterError, ["bounds", "reversed"]),
    ({"bounds": (0.0, float("nan"))}, ParameterError, ["bounds"]),
    ({"bounds": (0, float("inf"))}, ParameterError, ["bounds"]),
    ({"step": 2}, ParameterError, ["step must be left out where bounds are a grid", "2"]),
    ({"bounds": (0, 9), "step": 0}, ParameterError, ["step"]),
    ({"bounds": (0, 9), "step": "x"}, ParameterError, ["step"]),
    ({"values": [98765, float("nan")]}, DataError, ["missing"]),
    ({"values": [98765, None]}, DataError, ["missing"]),
    ({"values": ["98765x", "4321x"]}, DataError, ["numbers"]),
    ({"values": [[98765], [4321]]}, DataError, ["values"]),
    ({"values": 98765}, ParameterError, ["values", "int"]),
    ({"values": "98765-none.csv"}, ParameterError, ["file must exist"]),
    ({"values": {"pay": [98765]}}, ParameterError, ["column"]),
]


@pytest.mark.parametrize(("arguments", "error", "shown"), WRONG, ids=lambda value: str(value)[:60])
def test_a_refusal_is_one_line_and_costs_nothing(
    arguments: dict[str, Any], error: type[DampenError], shown: list[str], untouched: Budget, refused: Refused
) -> None:
    given = {"values": TIES, "p": 50, "bounds": range(10), "epsilon": 1, "budget": untouched, **arguments}
    hidden = () if error is ParameterError else SECRETS
    with refused(error, *shown, hidden=hidden):
        dampen.percentile(**given)


def test_data_is_the_first_argument_and_p_the_second_and_nothing_else_is_positional() -> None:
    with pytest.raises(TypeError):
        dampen.percentile(TIES, 50, range(6), epsilon=1, budget=Budget(epsilon=1))  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        dampen.median(TIES, 50, bounds=range(6), epsilon=1, budget=Budget(epsilon=1))  # type: ignore[misc, arg-type]


# Huge grids and the private path


@pytest.mark.parametrize("method", ["distance", "rank"])
@pytest.mark.parametrize("size", [10**9, 2**61, 2**62 - 1])
def test_huge_grids_are_answered(size: int, method: Any) -> None:
    assert sure([5, 7, 7, 10**8, 10**8 + 1], 50, bounds=range(size), method=method) == 7


def test_the_largest_grid_of_all_is_answered() -> None:
    """Almost 2**63 points, so that groups are counted by Python's own whole numbers."""
    assert sure([-5, 7, 7, 8], 50, bounds=range(-(2**62) + 1, 2**62)) == 7


FORBIDDEN = (
    [(math, name) for name in ("exp", "expm1", "log", "log1p", "log2", "pow", "sqrt")]
    + [(np, name) for name in ("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "power", "sqrt")]
    + [(np.random, name) for name in ("default_rng", "random", "rand", "choice", "Generator", "PCG64")]
    + [(laws, name) for name in ("softmax", "permute_and_flip", "pareto_maximum", "picks_in_turn")]
    + [(laws, "ordered_exponential")]
    + [(Exponents, "of_real")]
)


def whole_numbers_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on floats' functions fail, and sums and counts of anything but whole numbers too."""

    def reached(*args: object, **kwargs: object) -> None:
        raise AssertionError("a release reached a forbidden function")

    def checked(function: Any) -> Any:
        def of_whole(array: Any, *args: Any, **kwargs: Any) -> Any:
            assert np.asarray(array).dtype.kind in "iuOb", "a sum of floats"
            return function(array, *args, **kwargs)

        return of_whole

    for module, name in FORBIDDEN:
        monkeypatch.setattr(module, name, reached)
    for name in ("cumsum", "diff", "bincount", "unique"):
        monkeypatch.setattr(np, name, checked(getattr(np, name)))
    tables.log_table.cache_clear()
    tables.log_log_table.cache_clear()


@both
@pytest.mark.parametrize("method", ["distance", "rank", Exponential, PermuteAndFlip])
@pytest.mark.parametrize("grid", [range(6), range(10**9)], ids=["six", "huge"])
def test_there_is_no_float_on_the_way_to_a_whole_answer(
    method: Any, grid: range, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, budget = set(), Budget(epsilon=40)
    whole_numbers_only(monkeypatch)
    for p in (0, 49.5, 50, 100) * 3:
        answers.add(
            dampen.percentile(TIES, p, bounds=grid, epsilon=1, budget=budget, adjacency=adjacency, method=method).value
        )
    with pytest.raises(AssertionError, match="forbidden"):
        np.exp(0.0)
    with pytest.raises(AssertionError, match="floats"):
        np.cumsum([0.5])
    monkeypatch.undo()
    assert answers <= set(range(6)) if len(grid) == 6 else all(answer in grid for answer in answers)


@both
@given(values=st.lists(st.integers(-9, 9), max_size=9), p=st.sampled_from([0, 30, "100/3", 100]))
def test_utilities_and_sizes_are_whole(adjacency: Adjacency, values: list[int], p: Any) -> None:
    problem = dampen.queries.percentile_value_problem(values, p, grid=range(10**9), adjacency=adjacency)
    assert problem.integral
    assert problem.groups.dtype == np.int64
    assert problem.sizes is not None
    assert problem.sizes.dtype == np.int64


def test_arrays_need_no_heavy_module(run_python: RunPython) -> None:
    done = run_python("""
        import sys, dampen
        budget = dampen.Budget(epsilon=2)
        dampen.percentile([23, 31, 45], 50, bounds=range(0, 121), epsilon=1, budget=budget)
        dampen.percentiles([23, 31, 45], range(0, 101, 5), bounds=range(0, 121), epsilon=1, budget=budget)
        print([name for name in ("numba", "duckdb", "narwhals", "typer", "rich", "scipy") if name in sys.modules])
    """)
    assert done.stdout.strip() == "[]", done.stderr
