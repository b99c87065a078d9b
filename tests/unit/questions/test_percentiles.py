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
from dampen import Adjacency, Budget, PrivacyLoss, entropy
from dampen.errors import BudgetExceeded, DampenError, DataError, ParameterError, ReleaseFailed
from dampen.mechanisms import (
    Exponential,
    LocalDampening,
    PairwiseDampening,
    PermuteAndFlip,
    ReportNoisyMax,
    SelectionMechanism,
    SmoothExponential,
    StableArgmax,
    TopK,
    laws,
)
from dampen.privacy import Amount
from dampen.sampling import tables
from dampen.sampling.exponents import Exponents
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
    public = arguments if {"grid", "bounds"} & set(arguments) else {"grid": range(10), **arguments}
    return dampen.percentile(values, p, epsilon=SURE, budget=Budget(epsilon=SURE), **public)


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
    assert sure(values, p, grid=grid, adjacency=adjacency) == by_definition(values, p, grid)


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
        dampen.percentile([], 50, grid=range(3), epsilon=1, budget=budget, adjacency=adjacency) for _ in "." * 99
    }
    assert answers == {0, 1, 2}
    assert len(budget.asked) == 99


@pytest.mark.parametrize("values", [[], [4], [1, 9]])
@pytest.mark.parametrize("arguments", [{"grid": (7,)}, {"grid": range(7, 8)}, {"bounds": (7, 7), "step": 3}], ids=str)
def test_a_grid_of_one_value_has_one_answer(values: list[int], arguments: dict[str, Any]) -> None:
    assert dampen.percentile(values, 50, epsilon="1/1000", budget=Budget(epsilon=1), **arguments) == 7


def test_the_forms_of_the_grid() -> None:
    assert sure([23, 31, 45], grid=range(121)) == 31
    assert sure([23, 31, 45], grid=[0, 30, 60]) == 30
    assert sure([23, 31, 45], grid=np.array([0.5, 30.5, 60.5])) == 30.5
    assert sure([23, 31, 45], bounds=(0, 120), step=7) == 28
    assert sure([23, 31, 45], bounds=(0, 100), bins=4) == 25
    assert sure([0.25, 0.31, 0.4], bounds=(0, 1), step="0.1") == 0.3


@pytest.mark.parametrize("grid", [range(10), (0.5, 1.5)])
def test_answers_are_pythons_own_numbers(grid: Any) -> None:
    assert type(sure([1, 1, 1], grid=grid)) is type(grid[0])


def test_the_median_is_the_percentile_at_50() -> None:
    budget = Recording()
    options: dict[str, Any] = {"bounds": (0, 10), "epsilon": SURE, "budget": budget}
    assert dampen.median([1.5, 2.5, 4.0, 4.0], step="0.5", **options) == 4.0
    assert dampen.median({"a": [1, None]}, bins=10, column="a", missing="drop", note="why", **options) == 1
    assert [note for _, note in budget.asked] == ["median", "why"]


def test_the_median_passes_its_options_on() -> None:
    options: dict[str, Any] = {"grid": range(10), "adjacency": REPLACE, "method": "rank", "mechanism": Exponential}
    budget = Recording()
    assert dampen.median([1, 2, 9], epsilon=SURE, budget=budget, **options) == 2
    assert budget.asked == [(PrivacyLoss(SURE, adjacency=REPLACE, bounded_range=SURE), "median")]


# Where the values come from


def frames() -> dict[str, Callable[[], Any]]:
    def pandas() -> Any:
        return pytest.importorskip("pandas").DataFrame({"pay": [3.0, 3.5, None, 9.0]})

    def polars() -> Any:
        return pytest.importorskip("polars").DataFrame({"pay": [3.0, 3.5, None, 9.0]})

    def pyarrow() -> Any:
        return pytest.importorskip("pyarrow").table({"pay": [3.0, 3.5, None, 9.0]})

    return {"pandas": pandas, "polars": polars, "pyarrow": pyarrow, "mapping": lambda: {"pay": [3.0, 3.5, None, 9.0]}}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "mapping"])
def test_data_frames(library: str, untouched: Budget, refused: Refused) -> None:
    frame = frames()[library]()
    assert sure(frame, column="pay", missing="drop") == 3
    assert sure(frame, 100, column="pay", missing="drop") == 9
    if library in ("pandas", "polars"):
        assert sure(frame["pay"], 100, missing="drop") == 9
    for column in (None, "age"):
        with refused(ParameterError, "column"):
            dampen.percentile(frame, 50, grid=range(10), column=column, epsilon=1, budget=untouched)
    with refused(DataError, "'pay'", "missing"):
        dampen.percentile(frame, 50, grid=range(10), column="pay", epsilon=1, budget=untouched)


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
    grid = range(0, 100_001, 100)
    assert sure(file, column="pay", grid=grid, missing="drop") == 98_700
    with refused(DataError, "'pay'", "missing", hidden=SECRETS):
        dampen.percentile(file, 50, column="pay", grid=grid, epsilon=1, budget=untouched)
    with refused(DataError, "'name'", "numbers", hidden=(*SECRETS, "ann")):
        dampen.percentile(file, 50, column="name", grid=grid, epsilon=1, budget=untouched)
    with refused(ParameterError, "column", "'age'"):
        dampen.percentile(file, 50, column="age", grid=grid, epsilon=1, budget=untouched)
    with refused(ParameterError, "column"):
        dampen.percentile(file, 50, grid=grid, epsilon=1, budget=untouched)


# The price


@both
@pytest.mark.parametrize("method", ["distance", "rank"])
def test_one_charge_of_epsilon_with_the_note(method: Any, adjacency: Adjacency) -> None:
    notes: list[dict[str, Any]] = [{}, {"note": "salaries, 2024"}]
    for note in notes:
        budget = Recording()
        dampen.percentile(
            TIES, 50, grid=range(6), epsilon="1/3", budget=budget, adjacency=adjacency, method=method, **note
        )
        assert budget.asked == [(PrivacyLoss("1/3", adjacency=adjacency), note.get("note", "percentile"))]
        assert budget.spent == Amount(Fraction(1, 3), Fraction(0))


def test_mechanisms_with_other_losses_are_paid_at_theirs() -> None:
    budget = Recording()
    arguments: dict[str, Any] = {"grid": range(6), "epsilon": "1/2", "budget": budget}
    dampen.percentile(TIES, 50, mechanism=Exponential, **arguments)
    assert budget.asked[0][0] == PrivacyLoss("1/2", adjacency=ADD_REMOVE, bounded_range="1/2")


def test_too_small_a_budget_refuses_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch, untouched: Budget, refused: Refused
) -> None:
    monkeypatch.setattr(entropy, "system_entropy", lambda: pytest.fail("drawn before it was paid"))
    with refused(BudgetExceeded, "asked epsilon 11"):
        dampen.percentile(TIES, 50, grid=range(6), epsilon=11, budget=untouched)


def test_a_failing_draw_keeps_the_charge_and_shows_no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("no entropy for 98765")

    monkeypatch.setattr(entropy, "system_entropy", fail)
    budget, values = Budget(epsilon=1), [98765]
    with pytest.raises(ReleaseFailed) as caught:
        dampen.percentile(values, 50, grid=range(10**5), epsilon="1/4", budget=budget)
    assert budget.spent.epsilon == Fraction(1, 4)
    assert not any(word in "".join(traceback.format_exception(caught.value)) for word in ("98765x", "OSError"))


# Methods and mechanisms


@pytest.mark.parametrize(
    ("method", "mechanism", "used"),
    [
        ("distance", None, PermuteAndFlip),
        ("rank", None, PermuteAndFlip),
        ("label", None, LocalDampening),
        ("distance", Exponential, Exponential),
        ("distance", Exponential(1), Exponential),
        ("distance", ReportNoisyMax("1"), ReportNoisyMax),
        ("distance", partial(SmoothExponential, delta="1e-6"), SmoothExponential),
        ("rank", PairwiseDampening, PairwiseDampening),
        ("label", PermuteAndFlip(1.0), PermuteAndFlip),
        ("label", PairwiseDampening, PairwiseDampening),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_the_mechanism_that_is_used(
    method: Any, mechanism: Any, used: type[SelectionMechanism], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[type[SelectionMechanism], Fraction]] = []
    release = SelectionMechanism.release

    def recording(self: SelectionMechanism, *args: Any, **kwargs: Any) -> Any:
        seen.append((type(self), self.epsilon))
        return release(self, *args, **kwargs)

    monkeypatch.setattr(SelectionMechanism, "release", recording)
    public: dict[str, Any] = {"bounds": (0, 5), "adjacency": REPLACE} if method == "label" else {"grid": range(6)}
    budget = Budget(epsilon=1, delta="1e-5")
    dampen.percentile(TIES, 50, epsilon=1, budget=budget, method=method, mechanism=mechanism, **public)
    assert seen == [(used, Fraction(1))]


@pytest.mark.parametrize(
    ("mechanism", "shown"),
    [
        (PermuteAndFlip(2), "epsilon must be the mechanism's own, 2"),
        (lambda epsilon: PermuteAndFlip(2 * epsilon), "epsilon"),
        (TopK(2, PermuteAndFlip("1/2")), ""),
        (SmoothExponential, "mechanism"),
        (SelectionMechanism, "mechanism"),
        ("permute-and-flip", "mechanism"),
        (dict, "mechanism"),
        (7, "mechanism"),
        ("", "mechanism"),
        (0, "mechanism"),
        (False, "mechanism"),
    ],
    ids=["other", "twice", "top", "delta", "abstract", "name", "dict", "seven", "no name", "zero", "false"],
)
def test_a_mechanism_that_does_not_fit_is_refused(
    mechanism: Any, shown: str, untouched: Budget, refused: Refused
) -> None:
    with refused(ParameterError, shown):
        dampen.percentile(TIES, 50, grid=range(6), epsilon=1, budget=untouched, mechanism=mechanism)


def test_a_mechanism_for_0_and_1_refuses_distances(untouched: Budget, refused: Refused) -> None:
    with refused(DampenError, "utilities", hidden=SECRETS):
        dampen.percentile([98765] * 9, 50, grid=range(10**5), epsilon=1, budget=untouched, mechanism=StableArgmax)


def test_ranks_pay_for_large_steps() -> None:
    """The rank error of p = 99 moves by 99 where the median's moves by 1: the same epsilon buys less."""
    budget = Recording()
    assert dampen.percentile(TIES, 50, grid=range(6), epsilon=SURE, budget=budget, method="rank") == 3
    problem = dampen.queries.percentile_rank_problem(TIES, 99, grid=range(6), adjacency=ADD_REMOVE)
    assert problem.frame.bound == 99


def test_labels_answer_with_a_position() -> None:
    budget = Recording()
    found = dampen.percentile(
        [9, 4, 7, 0], 50, bounds=(0, 10), epsilon=SURE, budget=budget, method="label", adjacency=REPLACE
    )
    assert found in (0, 1, 2, 3)
    [(loss, note)] = budget.asked
    assert (loss, note) == (PrivacyLoss(SURE, adjacency=REPLACE), "percentile")
    exact = PermuteAndFlip(SURE)
    values = [9, 4, 7, 0]
    best = dampen.percentile(
        values, 50, bounds=(0, "10"), epsilon=SURE, budget=budget, method="label", adjacency=REPLACE, mechanism=exact
    )
    assert values[best] == sorted(values)[3 - 1]


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
        ({"bounds": (0, 10.5)}, ["bound", "whole"]),
        ({"bounds": 10}, ["bounds", "(0, hi)"]),
        ({"step": 1}, ["label", "bounds=(0, hi)"]),
        ({"bins": 5}, ["label", "bounds=(0, hi)"]),
        ({"grid": range(10)}, ["label", "bounds=(0, hi)"]),
        ({"column": "pay"}, ["label", "bounds=(0, hi)"]),
        ({"missing": "huh"}, ["missing"]),
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
    ({"method": None}, ParameterError, ["method", "None"]),
    ({"missing": "ignore"}, ParameterError, ["missing", "'ignore'"]),
    ({"note": "two\nlines"}, ParameterError, ["note"]),
    ({"note": None}, ParameterError, ["note"]),
    ({"grid": None}, ParameterError, ["grid", "bounds"]),
    ({"grid": range(0)}, ParameterError, ["grid", "empty"]),
    ({"grid": (3, 2, 1)}, ParameterError, ["grid", "increasing"]),
    ({"grid": (1, 1)}, ParameterError, ["grid", "increasing"]),
    ({"grid": (0.0, float("nan"))}, ParameterError, ["grid"]),
    ({"bounds": (0, 9)}, ParameterError, ["grid", "bounds"]),
    ({"step": 2}, ParameterError, ["step"]),
    ({"grid": None, "bounds": (9, 0), "step": 1}, ParameterError, ["bounds", "reversed"]),
    ({"grid": None, "bounds": (9, 0), "bins": 3}, ParameterError, ["bounds", "reversed"]),
    ({"grid": None, "bounds": (0, 9)}, ParameterError, ["step", "bins"]),
    ({"grid": None, "bounds": (0, 9), "step": 1, "bins": 3}, ParameterError, ["step", "bins"]),
    ({"grid": None, "bounds": (0, 9), "step": 0}, ParameterError, ["step"]),
    ({"grid": None, "bounds": (0, 9), "bins": 0}, ParameterError, ["bins"]),
    ({"grid": None, "bounds": (0, float("nan")), "step": 1}, ParameterError, ["bounds"]),
    ({"column": "pay"}, ParameterError, ["column"]),
    ({"values": [98765, float("nan")]}, DataError, ["missing"]),
    ({"values": [98765, None]}, DataError, ["missing"]),
    ({"values": ["98765x", "4321x"]}, DataError, ["numbers"]),
    ({"values": [[98765], [4321]]}, DataError, ["values"]),
    ({"values": 98765}, ParameterError, ["values", "int"]),
    ({"values": "98765-none.csv", "column": "pay"}, ParameterError, ["file must exist"]),
]


@pytest.mark.parametrize(("arguments", "error", "shown"), WRONG, ids=lambda value: str(value)[:60])
def test_a_refusal_is_one_line_and_costs_nothing(
    arguments: dict[str, Any], error: type[DampenError], shown: list[str], untouched: Budget, refused: Refused
) -> None:
    given = {"values": TIES, "p": 50, "grid": range(10), "epsilon": 1, "budget": untouched, **arguments}
    hidden = () if error is ParameterError else SECRETS
    with refused(error, *shown, hidden=hidden):
        dampen.percentile(**given)


def test_data_is_the_first_argument_and_p_the_second_and_nothing_else_is_positional() -> None:
    with pytest.raises(TypeError):
        dampen.percentile(TIES, 50, range(6), epsilon=1, budget=Budget(epsilon=1))  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        dampen.median(TIES, 50, grid=range(6), epsilon=1, budget=Budget(epsilon=1))  # type: ignore[misc]
    with pytest.raises(TypeError):
        dampen.percentile(TIES, 50, grid=range(6), budget=Budget(epsilon=1))  # type: ignore[call-arg]


# Huge grids and the private path


@pytest.mark.parametrize("method", ["distance", "rank"])
@pytest.mark.parametrize("size", [10**9, 2**61, 2**62 - 1])
def test_huge_grids_are_answered(size: int, method: Any) -> None:
    assert sure([5, 7, 7, 10**8, 10**8 + 1], 50, grid=range(size), method=method) == 7


def test_the_largest_grid_of_all_is_answered() -> None:
    """Almost 2**63 points, so that groups are counted by Python's own whole numbers."""
    assert sure([-5, 7, 7, 8], 50, grid=range(-(2**62) + 1, 2**62)) == 7


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
@pytest.mark.parametrize("method", ["distance", "rank"])
@pytest.mark.parametrize("mechanism", [None, Exponential, PermuteAndFlip])
@pytest.mark.parametrize("grid", [range(6), range(10**9)], ids=["six", "huge"])
def test_there_is_no_float_on_the_way_to_a_whole_answer(
    method: Any, mechanism: Any, grid: range, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, budget = set(), Budget(epsilon=40)
    whole_numbers_only(monkeypatch)
    for p in (0, 49.5, 50, 100) * 3:
        answers.add(
            dampen.percentile(
                TIES, p, grid=grid, epsilon=1, budget=budget, adjacency=adjacency, method=method, mechanism=mechanism
            )
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
        dampen.percentile([23, 31, 45], 50, grid=range(0, 121), epsilon=1, budget=budget)
        dampen.quantiles([23, 31, 45], range(0, 101, 5), grid=range(0, 121), epsilon=1, budget=budget)
        print([name for name in ("numba", "duckdb", "narwhals", "typer", "rich", "scipy") if name in sys.modules])
    """)
    assert done.stdout.strip() == "[]", done.stderr
