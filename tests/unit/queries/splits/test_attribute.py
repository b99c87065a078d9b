"""Split questions: rungs against breadth-first search over all small tables, utilities against their definitions."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import log2

import numpy as np
import pytest

from dampen import Adjacency
from dampen.certified import arithmetic
from dampen.errors import DataError, ParameterError
from dampen.queries.splits import attribute
from dampen.queries.splits.attribute import (
    InformationGainRungs,
    information_gain_bound,
    information_gain_problem,
    max_operator_problem,
    max_operator_winner_problem,
)
from dampen.sensitivity import SensitivityFunction

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
Cells = tuple[int, ...]


def spread(x: int) -> float:
    return x * log2(x) if x else 0.0


@cache
def gain(cells: Cells, classes: int) -> float:
    """The definition, for one attribute whose table is written row by row."""
    rows = [cells[first : first + classes] for first in range(0, len(cells), classes)]
    return sum(map(spread, cells)) - sum(spread(sum(row)) for row in rows)


def one_step(cells: Cells) -> list[Cells]:
    steps = []
    for place, count in enumerate(cells):
        for moved in (count - 1, count + 1):
            if moved >= 0:
                steps.append((*cells[:place], moved, *cells[place + 1 :]))
    return steps


def one_replaced(cells: Cells) -> list[Cells]:
    taken = [(*cells[:p], n - 1, *cells[p + 1 :]) for p, n in enumerate(cells) if n]
    return [(*c[:p], n + 1, *c[p + 1 :]) for c in taken for p, n in enumerate(c)]


def searched(cells: Cells, classes: int, last: int) -> list[float]:
    """LS(t) for t up to ``last``: the largest move of one step from any table within t steps."""
    reached, edge, rungs = {cells}, {cells}, list[float]()
    for _ in range(last + 1):
        largest = max(abs(gain(x, classes) - gain(y, classes)) for x in edge for y in one_step(x))
        rungs.append(max([largest, *rungs[-1:]]))
        edge = {y for x in edge for y in one_step(x)} - reached
        reached |= edge
    return rungs


@pytest.mark.parametrize(
    ("rows", "classes", "most", "last"),
    [
        (1, 2, 6, 7),
        (2, 2, 2, 4),
        (1, 3, 3, 4),
        pytest.param(2, 2, 3, 4, marks=pytest.mark.long),
    ],
)
def test_rungs_equal_breadth_first_search(rows: int, classes: int, most: int, last: int) -> None:
    for cells in product(range(most + 1), repeat=rows * classes):
        table = np.array(cells).reshape(rows, classes)
        rungs = InformationGainRungs([table], None)
        found = [rungs.at(t)[0] for t in range(last + 1)]
        np.testing.assert_allclose(found, searched(cells, classes, last), atol=1e-9, err_msg=str(cells))


def test_rungs_cover_a_replaced_record() -> None:
    """Rule 1, over all tables of up to four records: no replacement moves the gain further than rung 0."""
    for cells in product(range(4), repeat=4):
        rung = InformationGainRungs([np.array(cells).reshape(2, 2)], None, 2).at(0)[0]
        moves = [abs(gain(cells, 2) - gain(y, 2)) for y in one_replaced(cells)]
        assert max(moves, default=0) <= rung + 1e-9


def test_a_replaced_record_is_two_steps() -> None:
    table = np.array([[7, 5], [3, 0]])
    one, two = InformationGainRungs([table], None), InformationGainRungs([table], None, 2)
    assert [two.at(t)[0] for t in range(9)] == [one.at(2 * t + 1)[0] for t in range(9)]


@pytest.mark.parametrize("most", [2, 3, 5, 8])
def test_the_bound_is_the_largest_move_up_to_so_many_records(most: int) -> None:
    moves = [
        abs(gain(cells, 2) - gain(y, 2))
        for cells in product(range(most + 1), repeat=2)
        for y in one_step(cells)
        if max(sum(cells), sum(y)) <= most
    ]
    bound = float(information_gain_bound(most))
    assert bound - 1e-8 <= max(moves) <= bound


def test_one_class_gains_nothing_and_moves_nothing() -> None:
    problem = information_gain_problem([[[3], [0]], [[2], [1]]], adjacency=ADD_REMOVE)
    assert np.asarray(problem.utilities).tolist() == [0, 0]
    assert problem.sensitivity.at(5).tolist() == [0, 0]


def test_bounded_rungs_meet_the_bound_and_stay() -> None:
    problem = information_gain_problem([[[3, 0], [1, 1]]], adjacency=ADD_REMOVE, max_records=9)
    last = problem.sensitivity.saturation
    assert last is not None
    assert problem.sensitivity.at(last).tolist() == problem.sensitivity.at(10**6).tolist()
    assert problem.sensitivity.at(last)[0] == float(information_gain_bound(9))


def test_rungs_far_away_equal_those_that_are_kept() -> None:
    table = np.array([[700, 650], [3, 0]])
    near, far = InformationGainRungs([table], None), InformationGainRungs([table], None)
    for t in range(1500):
        near.at(t)
    assert [far.at(t)[0] for t in (1400, 600, 3)] == [near.at(t)[0] for t in (1400, 600, 3)]


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("most", [None, 2000])
def test_scores_block_by_block_are_those_of_the_loop(most: int | None, steps: int) -> None:
    rng = np.random.default_rng(0)
    tables = [rng.integers(0, most_of, (rows, 2)) for rows, most_of in ((1, 900), (2, 60), (5, 9), (3, 2))]
    bound = None if most is None else information_gain_bound(most)
    rungs = InformationGainRungs(tables, bound, steps)
    for scale in (0.0, 1.0, 700.0, 9000.0):
        u = -scale * np.array([1.0, 0.3, 0.0, 2.0])
        assert rungs.inverse(u) == pytest.approx(SensitivityFunction.inverse(rungs, u), rel=1e-12)
        assert rungs.inverse(u, Fraction(-5)) == pytest.approx(
            SensitivityFunction.inverse(rungs, u, Fraction(-5)), rel=1e-12
        )


def test_values_that_never_hold_the_largest_move_are_dropped() -> None:
    """Against all values, one attribute each."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        table = rng.integers(0, 12, (6, 2))
        each = InformationGainRungs([row[None, :] for row in table], None)
        assert len(InformationGainRungs([table], None)._p) <= 6
        for t in range(0, 30, 3):
            assert InformationGainRungs([table], None).at(t)[0] == pytest.approx(each.at(t).max(), rel=1e-13)


def test_rungs_without_a_table_of_values_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.array([[700, 650], [3, 0]])
    kept = [InformationGainRungs([table], None).at(t)[0] for t in (0, 99, 700)]
    monkeypatch.setattr(attribute, "LARGEST_TABLE", 0)
    assert [InformationGainRungs([table], None).at(t)[0] for t in (0, 99, 700)] == pytest.approx(kept, rel=1e-14)


def test_the_max_operator_counts_what_a_majority_gets_right() -> None:
    counts = [[[4, 0, 1], [1, 5, 2]], [[3, 3, 3], [2, 2, 0]]]
    assert np.asarray(max_operator_problem(counts, adjacency=ADD_REMOVE).utilities).tolist() == [9, 5]
    frames = [max_operator_problem(counts, adjacency=a, names=["a", "b"]).frame for a in (ADD_REMOVE, REPLACE)]
    assert [frame.monotone for frame in frames] == [True, False]
    assert all(frame.bound == Fraction(1) and tuple(frame.candidates) == ("a", "b") for frame in frames)


def test_the_winner_is_the_first_best_attribute() -> None:
    problem = max_operator_winner_problem([[[1, 0]], [[2, 1]], [[2, 0]]], adjacency=ADD_REMOVE)
    assert np.asarray(problem.utilities).tolist() == [0, 1, 0]
    assert problem.sensitivity.at(0).tolist() == [1, 1, 1]
    ahead = max_operator_winner_problem([[[1, 0]], [[4, 1]], [[2, 0]]], adjacency=ADD_REMOVE)
    assert [ahead.sensitivity.at(t).tolist() for t in (1, 2)] == [[0, 0, 0], [1, 1, 1]]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(DataError, match="one table per attribute"):
        max_operator_problem([[[1, -1]]], adjacency=ADD_REMOVE)
    with pytest.raises(DataError, match="max_records"):
        information_gain_problem([[[4, 4]]], adjacency=ADD_REMOVE, max_records=7)
    with pytest.raises(ParameterError, match="names must be one per attribute"):
        max_operator_problem([[[1, 1]]], adjacency=ADD_REMOVE, names=["a", "b"])


def test_gains_of_large_tables_keep_within_what_dampened_scores_allow() -> None:
    """F is of the size of N log2 N; at ten million records its last bits are above 2^-25."""
    rng = np.random.default_rng(1)
    for _ in range(10):
        table = rng.multinomial(10**7, rng.dirichlet(np.ones(20))).reshape(10, 2)
        with arithmetic(200) as flint:
            parts = [flint.arb(int(n)) * (flint.arb(int(n)).log() / flint.arb(2).log()) for n in table.ravel() if n]
            rows = [flint.arb(int(n)) * (flint.arb(int(n)).log() / flint.arb(2).log()) for n in table.sum(axis=1)]
            off = abs(float(sum(parts) - sum(rows) - flint.arb(float(attribute.information_gains([table])[0]))))
        assert off < 2**-28
