"""``dampen.percentiles``: one price for all, answers in order, and a way that depends on the ps alone."""

import random
import traceback
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dampen
from dampen import Adjacency, Budget, Number, SelectionProblem, Table, entropy
from dampen.accounting.composition import rho_of
from dampen.concentrated import rho_of_pure
from dampen.entropy import SystemEntropy
from dampen.errors import BudgetExceeded, DampenError, DataError, ParameterError, ReleaseFailed
from dampen.mechanisms import PermuteAndFlip, SelectionMechanism
from dampen.mechanisms.selection.base import SingleMechanism
from dampen.privacy import Amount, ListRelease
from dampen.queries.order.halving import count_levels
from dampen.questions import many_percentiles
from dampen.questions.many_percentiles import FEWEST_HALVED, FINENESS, choose_strategy
from dampen.sampling.scatter import scatter
from tests.conftest import Refused
from tests.unit.questions.test_one_percentile import Recording, by_definition, csv_file, whole_numbers_only

SURE = 10**6
ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
DECILES = tuple(range(10, 100, 10))

both = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
each_strategy = pytest.mark.parametrize("strategy", ["even", "halving"])
Draws = list[tuple[SelectionMechanism, SelectionProblem]]


@pytest.fixture
def draws(monkeypatch: pytest.MonkeyPatch) -> Draws:
    """What every single draw was made of."""
    seen: Draws = []
    draw = SingleMechanism.draw

    def recording(self: SingleMechanism, problem: SelectionProblem, source: Any) -> Any:
        seen.append((self, problem))
        return draw(self, problem, source)

    monkeypatch.setattr(SingleMechanism, "draw", recording)
    return seen


def ask(values: Any, ps: Any, **arguments: Any) -> ListRelease:
    given = {"bounds": range(10), "epsilon": SURE, "budget": Budget(epsilon=SURE), **arguments}
    return dampen.percentiles(values, ps, **given)


# The answers


@both
@settings(max_examples=30)
@given(
    values=st.lists(st.integers(-3, 12), min_size=1, max_size=8),
    ps=st.lists(st.sampled_from([0, 10, 49.5, 50, "100/3", 75, 100]), min_size=1, max_size=5),
)
def test_one_by_one_at_a_huge_epsilon_they_are_the_percentiles(
    adjacency: Adjacency, values: list[int], ps: list[Any]
) -> None:
    expected = tuple(by_definition(values, p, range(10)) for p in ps)
    assert ask(values, ps, adjacency=adjacency, strategy="even") == expected


@both
@pytest.mark.parametrize("ps", [DECILES, range(1, 100), (0, 50, 100)], ids=["deciles", "percents", "ends"])
def test_halving_at_a_huge_epsilon_is_off_by_a_few_ranks(adjacency: Adjacency, ps: Any) -> None:
    found = ask(range(1000), ps, bounds=range(1000), adjacency=adjacency, strategy="halving")
    assert [answer for p, answer in zip(ps, found, strict=True) if abs(answer - 10 * p) > 10] == []


@both
def test_ties_are_cut_so_that_halving_stays_on_them(adjacency: Adjacency) -> None:
    """All records at a cut would leave on one side, and the other half would be asked about nobody."""
    values = [2] * 300 + [7] * 700
    found = ask(values, (5, 10, 15, 20, 40, 50, 60, 90, 99), bounds=range(100), adjacency=adjacency, strategy="halving")
    assert found == (2, 2, 2, 2, 7, 7, 7, 7, 7)


@each_strategy
@both
@pytest.mark.parametrize("n", [0, 1, 2, 5000])
def test_equal_values_and_few_of_them(strategy: str, adjacency: Adjacency, n: int) -> None:
    found = ask([6] * n, DECILES, adjacency=adjacency, strategy=strategy)
    assert all(answer in range(10) for answer in found)
    if n == 5000 or (n and strategy == "even"):
        assert set(found) == {6}


@each_strategy
@pytest.mark.parametrize("values", [[], [3], [1, 5, 9]])
def test_a_grid_of_one_value_has_one_answer(values: list[int], strategy: str) -> None:
    assert ask(values, DECILES, bounds=range(4, 5), epsilon="1/100", strategy=strategy) == (4,) * 9


@each_strategy
def test_the_order_of_the_ps_is_kept_and_repeats_are_drawn_once(strategy: str, draws: Draws) -> None:
    ps = [75, 25, "50.0", 75.0, Fraction(50), 25]
    found = ask(range(1000), ps, bounds=range(1000), strategy=strategy)
    assert len(draws) == 3
    assert found[0] == found[3]
    assert found[1] == found[5]
    assert found[2] == found[4]
    assert [round(answer, -2) for answer in found[:3]] == [pytest.approx(10 * p, abs=51) for p in (75, 25, 50)]
    assert found[1] < found[2] < found[0]


@each_strategy
@both
@pytest.mark.parametrize("values", [[], [1, 3, 3, 3, 4], list(range(40))], ids=["none", "ties", "many"])
def test_answers_never_cross(strategy: str, adjacency: Adjacency, values: list[int]) -> None:
    shuffled: list[Any] = random.Random(7).sample([0, 5, 25, 49.5, 50, "100/3", 75, 95, 100], 9)
    by_size = sorted(range(9), key=lambda place: Fraction(str(shuffled[place])))
    budget, distinct = Budget(epsilon=40), 0
    for _ in range(40):
        found = dampen.percentiles(
            values, shuffled, bounds=range(20), epsilon="1/2", budget=budget, adjacency=adjacency, strategy=strategy
        )
        assert all(found[a] <= found[b] for a, b in pairwise(by_size))
        distinct = max(distinct, len(set(found)))
    assert distinct > 3, "answers so close together could hardly cross"


def test_data_from_frames_and_files(tmp_path: Path) -> None:
    path = csv_file(tmp_path, "pay\n1\n5\n\n9\n".replace("\n\n", '\n""\n'))
    for data in ({"pay": [1, 5, None, 9]}, path, str(path)):
        columns = {"pay": Number(0, 9, step=1, missing="drop")}
        table = Table(data, columns=columns, budget=Budget(epsilon=SURE))
        assert table.percentiles("pay", (0, 50, 100), epsilon=SURE) == (1, 5, 9)
    pandas = pytest.importorskip("pandas")
    assert ask(pandas.Series([1.0, 5.5, 9.0]), (0, 50, 100), bounds=(0, 10), step=0.5) == (1.0, 5.5, 9.0)


@pytest.mark.parametrize("ps", [(25, 75), [25, 75], range(25, 100, 50), {25: 1, 75: 2}, np.array([25, 75])], ids=repr)
def test_any_collection_of_percentages_is_taken(ps: Any) -> None:
    assert ask([2, 8], ps) == (2, 8)


def test_a_generator_is_read_once() -> None:
    assert ask([2, 8], (p for p in (25, 75))) == (2, 8)
    assert ask([2, 8], iter(["75", "25"])) == (8, 2)


@pytest.mark.parametrize("ps", [(0, 1, 2), (0, 1), (1,), (0,), (0.5, 99.5), ("1/2", 2)], ids=str)
def test_small_percentages_are_no_fractions(ps: Any) -> None:
    """What looks like a list of shares is refused; a list that has larger percentages too, or 0 and 1 alone, is not."""
    assert len(ask([2, 8], ps)) == len(ps)


# The way


def spied_ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    ways: list[str] = []
    for name in ("draw_evenly", "draw_by_halving"):
        drawn = getattr(many_percentiles, name)

        def recording(*args: Any, _name: str = name, _drawn: Any = drawn) -> Any:
            ways.append(_name)
            return _drawn(*args)

        monkeypatch.setattr(many_percentiles, name, recording)
    return ways


@pytest.mark.parametrize("values", [[], [4] * 50, list(range(10))], ids=["none", "ties", "distinct"])
@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
@pytest.mark.parametrize(
    ("ps", "way"),
    [
        ((50,), "draw_evenly"),
        (range(2), "draw_evenly"),
        ([*range(2), *range(2)], "draw_evenly"),
        (range(3), "draw_by_halving"),
        (range(0, 101, 2), "draw_by_halving"),
    ],
    ids=["1", "2", "2 twice", "3", "51"],
)
def test_the_way_depends_on_the_ps_alone(
    ps: Any, way: str, values: list[int], adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = spied_ways(monkeypatch)
    for grid in (range(2), range(10**6)):
        for epsilon in ("1/100", 50):
            ask(values, ps, bounds=grid, epsilon=epsilon, adjacency=adjacency)
    assert ways == [way] * 4


def test_the_choice_is_a_function_of_two_public_numbers() -> None:
    assert FEWEST_HALVED == 3
    assert [choose_strategy("auto", count, 9) for count in (1, 2, 3, 99)] == ["even", "even", "halving", "halving"]
    assert [choose_strategy("auto", 9, 2**bits) for bits in (49, 50)] == ["halving", "even"]
    assert {choose_strategy("even", count, 9) for count in (1, 99)} == {"even"}
    assert {choose_strategy("halving", count, 2**61) for count in (1, 99)} == {"halving"}


def test_what_is_wrong_with_the_price_is_found_before_it_is_paid(untouched: dampen.Budget, refused: "Refused") -> None:
    for strategy in ("even", "halving"):
        with refused(ParameterError, "epsilon"):
            dampen.percentiles(
                [1, 2], (10, 50, 90), bounds=range(9), epsilon="1e-154", budget=untouched, strategy=strategy
            )


# The price


@both
@each_strategy
@pytest.mark.parametrize("ps", [(50,), (25, 75, 25), DECILES], ids=["1", "3", "9"])
def test_one_charge_for_all_with_the_note(ps: Any, strategy: str, adjacency: Adjacency) -> None:
    for note in ({}, {"note": "pay, deciles"}):
        budget = Recording()
        ask([1, 2, 2], ps, epsilon="1/3", budget=budget, adjacency=adjacency, strategy=strategy, **note)
        [(loss, told)] = budget.asked
        assert (loss.amount, loss.adjacency, told) == (budget.spent, adjacency, note.get("note", "percentiles"))
        rounds = len(set(ps)) if strategy == "even" else count_levels(len(set(ps)))
        assert rho_of(loss) == rounds * rho_of_pure(Fraction(1, 3) / rounds)
        assert budget.spent == Amount(Fraction(1, 3), Fraction(0))


@pytest.mark.parametrize(
    ("strategy", "adjacency", "ps", "share"),
    [
        ("even", ADD_REMOVE, (50,), 1),
        ("even", ADD_REMOVE, (25, 50, 75, 75), 3),
        ("even", REPLACE, (25, 50, 75), 3),
        ("halving", ADD_REMOVE, (50,), 1),
        ("halving", ADD_REMOVE, (25, 50, 75), 2),
        ("halving", ADD_REMOVE, DECILES, 4),
        ("halving", REPLACE, (50,), 2),
        ("halving", REPLACE, (25, 50, 75), 4),
        ("halving", REPLACE, DECILES, 8),
        ("auto", REPLACE, range(1, 100), 14),
    ],
)
def test_the_share_of_epsilon_of_every_draw(
    strategy: str, adjacency: Adjacency, ps: Any, share: int, draws: Draws
) -> None:
    """Inside the parts of halving the records are counted as private, so under REPLACE a level is paid twice."""
    ask([1, 2, 2, 9], ps, epsilon="1/3", adjacency=adjacency, strategy=strategy)
    assert len(draws) == len(set(ps))
    assert {type(mechanism) for mechanism, _ in draws} == {PermuteAndFlip}
    assert {mechanism.epsilon for mechanism, _ in draws} == {Fraction(1, 3 * share)}
    expected = adjacency if strategy == "even" else ADD_REMOVE
    assert {problem.frame.adjacency for _, problem in draws} == {expected}
    assert {problem.frame.bound for _, problem in draws} == {1}


def test_too_small_a_budget_refuses_before_anything_is_drawn(
    monkeypatch: pytest.MonkeyPatch, untouched: Budget, refused: Refused
) -> None:
    monkeypatch.setattr(entropy, "system_entropy", lambda: pytest.fail("drawn before it was paid"))
    for strategy in ("even", "halving"):
        with refused(BudgetExceeded, "asked epsilon 11"):
            ask([1, 2], DECILES, epsilon=11, budget=untouched, strategy=strategy)


class Failing(SystemEntropy):
    """So many requests for bits are answered, then none."""

    def __init__(self, allowed: int) -> None:
        super().__init__()
        self.allowed = allowed

    def _count(self) -> None:
        self.allowed -= 1
        if self.allowed < 0:
            raise OSError("no entropy for 98765")

    def bits(self, count: int) -> int:
        self._count()
        return super().bits(count)

    def words(self, count: int, width: int) -> Any:
        self._count()
        return super().words(count, width)


@both
@each_strategy
@pytest.mark.parametrize("allowed", [0, 1, 4])
def test_a_failing_draw_keeps_the_charge_and_shows_no_data(
    strategy: str, allowed: int, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entropy, "system_entropy", lambda: Failing(allowed))
    budget, values = Recording(), [98765] * 5
    with pytest.raises(ReleaseFailed) as caught:
        ask(values, DECILES, bounds=range(10**5), epsilon="1/4", budget=budget, strategy=strategy, adjacency=adjacency)
    assert budget.spent.epsilon == Fraction(1, 4)
    assert len(budget.asked) == 1
    printed = "".join(traceback.format_exception(caught.value))
    assert "charge stands" in printed
    assert not any(word in printed for word in ("98765x", "OSError", "no entropy"))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@both
@each_strategy
def test_randomness_comes_through_one_door(
    strategy: str, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bits give the same answers: scattering and every draw take theirs from ``system_entropy``."""

    class Seeded:
        def __init__(self, source: random.Random) -> None:
            self.source = source

        def bits(self, count: int) -> int:
            return self.source.getrandbits(count) if count else 0

        def words(self, count: int, width: int) -> Any:
            return np.array([self.bits(width) for _ in range(count)], dtype=np.uint16)

    found = set()
    for seed in (1, 1, 1, 2):
        source = random.Random(seed)
        monkeypatch.setattr(entropy, "system_entropy", lambda source=source: Seeded(source))
        found.add(
            (
                seed,
                ask(
                    range(200), DECILES, bounds=range(200), epsilon="1/5", adjacency=adjacency, strategy=strategy
                ).value,
            )
        )
    assert len(found) == 2
    assert len({answers for _, answers in found}) == 2


@both
@each_strategy
@pytest.mark.parametrize("grid", [range(6), range(10**9)], ids=["six", "huge"])
def test_there_is_no_float_on_the_way_to_whole_answers(
    strategy: str, grid: range, adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = Budget(epsilon=10)
    whole_numbers_only(monkeypatch)
    found = [
        ask(
            [1, 3, 3, 3, 4],
            (0, 25, 50, 100),
            bounds=grid,
            epsilon=1,
            budget=budget,
            adjacency=adjacency,
            strategy=strategy,
        )
        for _ in range(5)
    ]
    with pytest.raises(AssertionError, match="forbidden"):
        np.exp(0.0)
    monkeypatch.undo()
    assert all(answer in grid for answers in found for answer in answers)


# Huge grids


@each_strategy
@both
@pytest.mark.parametrize(
    "grid",
    [range(10**9), range(2**55), range(2**56), range(2**61), range(2**62 - 1)],
    ids=["1e9", "2^55", "2^56", "2^61", "2^62-1"],
)
def test_huge_grids_are_answered(grid: range, adjacency: Adjacency, strategy: str) -> None:
    values = [5] * 40 + [70] * 40 + [10**8] * 40
    assert ask(values, (20, 50, 80), bounds=grid, adjacency=adjacency, strategy=strategy) == (5, 70, 10**8)


@each_strategy
@pytest.mark.parametrize("lowest", [-1, -5, -(2**61), -(2**62) + 1])
def test_the_largest_grids_of_all_are_answered(lowest: int, strategy: str) -> None:
    """From 2**62 to almost 2**63 points."""
    values = [5] * 40 + [70] * 40 + [10**8] * 40
    assert ask(values, (20, 50, 80), bounds=range(lowest, 2**62), strategy=strategy) == (5, 70, 10**8)


def test_every_record_is_scattered_over_as_many_cells_as_can_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []

    def recording(places: Any, counts: Any, bits: int, source: Any) -> Any:
        asked.append((int(counts.sum()), bits))
        return scatter(places, counts, bits, source)

    monkeypatch.setattr(many_percentiles, "scatter", recording)
    for size in (10, 10**9, 2**49, 2**50, 2**51, 2**61, 2**62 - 1):
        ask([3, 3, 5], DECILES, bounds=range(size), strategy="halving")
    assert FINENESS == 12
    assert asked == [(3, bits) for bits in (12, 12, 12, 11, 10, 0, 0)]


# Refusals

WRONG: list[tuple[dict[str, Any], type[DampenError], list[str]]] = [
    ({"ps": ()}, ParameterError, ["ps must not be empty"]),
    ({"ps": "50"}, ParameterError, ["ps must be a list", "'50'"]),
    ({"ps": 50}, ParameterError, ["ps must be a list", "50"]),
    ({"ps": None}, ParameterError, ["ps must be a list", "None"]),
    ({"ps": b"22"}, ParameterError, ["ps must be a list"]),
    ({"ps": np.array(50)}, ParameterError, ["ps must be a list"]),
    ({"ps": (50, 101)}, ParameterError, ["between 0 and 100", "got a tuple"]),
    ({"ps": (50, -1)}, ParameterError, ["between 0 and 100"]),
    ({"ps": (50, float("nan"))}, ParameterError, ["ps must be numbers"]),
    ({"ps": (50, "abc")}, ParameterError, ["ps must be numbers"]),
    ({"ps": (50, None)}, ParameterError, ["ps must be numbers"]),
    ({"epsilon": 0}, ParameterError, ["epsilon must be positive"]),
    ({"epsilon": "x"}, ParameterError, ["epsilon", "'x'"]),
    ({"budget": None}, ParameterError, ["budget", "NoneType"]),
    ({"strategy": "best"}, ParameterError, ["strategy", "'auto'", "'best'"]),
    ({"strategy": None}, ParameterError, ["strategy"]),
    ({"adjacency": Adjacency.EDGE}, ParameterError, ["adjacency", "EDGE"]),
    ({"adjacency": "replace"}, ParameterError, ["adjacency"]),
    ({"ps": (0.25, 0.5, 0.75)}, ParameterError, ["ps must be percentages", "fractions"]),
    ({"ps": (0, 0.5, 1)}, ParameterError, ["ps must be percentages", "fractions"]),
    ({"note": "two\nlines"}, ParameterError, ["note"]),
    ({"bounds": (9, 0), "step": 1}, ParameterError, ["bounds", "reversed"]),
    ({"step": 1}, ParameterError, ["step must be left out"]),
    ({"bounds": (0, 9, 10)}, ParameterError, ["bounds must be two"]),
    ({"bounds": None}, ParameterError, ["bounds"]),
    ({"values": {"pay": [1]}}, ParameterError, ["column"]),
    ({"values": [98765, None]}, DataError, ["missing"]),
    ({"values": [98765, float("nan")]}, DataError, ["missing"]),
    ({"values": ["98765x"]}, DataError, ["numbers"]),
    ({"values": "none.csv"}, ParameterError, ["file must exist"]),
]


@each_strategy
@pytest.mark.parametrize(("arguments", "error", "shown"), WRONG, ids=lambda value: str(value)[:60])
def test_a_refusal_is_one_line_and_costs_nothing(
    arguments: dict[str, Any],
    error: type[DampenError],
    shown: list[str],
    strategy: str,
    untouched: Budget,
    refused: Refused,
) -> None:
    given: dict[str, Any] = {"values": [1, 2], "ps": (25, 75), "bounds": range(10), "epsilon": 1, "budget": untouched}
    given |= {"strategy": strategy, **arguments}
    with refused(error, *shown, hidden=("98765x",)):
        dampen.percentiles(**given)
