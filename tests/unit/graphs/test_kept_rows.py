"""Rows of two persons under a cap: the kernel against the definition, and what a person more or less does to it."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import floor, pi
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from dampen.errors import DataError
from dampen.graphs import building, greedy_kernels, kept_rows
from dampen.graphs.kept_rows import count_rows_kept, order_rows
from dampen.graphs.threads import run_parts
from tests.unit.graphs import judges
from tests.unit.graphs.judges import Row

Rows = tuple[Row, ...]
CAPS = (1, 2, 3)
long = pytest.mark.long
MANY = [(3, True, 3, 6), (4, False, 3, 7), (4, True, 2, 2)]


def pairs_of(nodes: int, *, selves: bool = False) -> list[Row]:
    choose = combinations_with_replacement if selves else combinations
    return list(choose(range(nodes), 2))


def all_rows(ordered: Sequence[Row], most: int = 1) -> Iterable[Rows]:
    """Every choice of at most so many rows of each pair, in the order of the pairs."""
    for times in product(range(most + 1), repeat=len(ordered)):
        yield tuple(row for row, count in zip(ordered, times, strict=True) for _ in range(count))


def range_of_changes(ordered: Sequence[Row], cap: int, most: int = 1) -> tuple[int, int]:
    """The least and largest change when somebody is removed with all rows, over all data."""
    nodes = {end for row in ordered for end in row}
    kept = {rows: judges.rows_kept(rows, cap) for rows in all_rows(ordered, most)}
    changes = {kept[rows] - kept[judges.without(rows, v)] for rows in kept for v in nodes}
    return min(changes), max(changes)


def shuffles(pairs: Sequence[Row], count: int) -> Iterable[list[Row]]:
    rng = np.random.default_rng(0)
    yield sorted(pairs, key=judges.public_place)
    for _ in range(count - 1):
        yield [pairs[place] for place in rng.permutation(len(pairs))]


@pytest.mark.parametrize(("nodes", "orders"), [(4, 7), (5, 7)])
@pytest.mark.parametrize("cap", CAPS)
def test_a_node_more_moves_what_is_kept_by_0_to_the_cap(nodes: int, orders: int, cap: int) -> None:
    """On all graphs of so many nodes, in several orders, the public one first; both ends occur."""
    for ordered in shuffles(pairs_of(nodes), orders):
        assert range_of_changes(ordered, cap) == (0, cap)


@pytest.mark.parametrize(
    ("nodes", "selves", "most", "orders"),
    [(3, True, 3, 1), (4, False, 3, 1), (4, True, 1, 3), *(pytest.param(*each, marks=long) for each in MANY)],
)
@pytest.mark.parametrize("cap", CAPS)
def test_so_do_several_rows_of_a_pair_and_rows_to_oneself(
    nodes: int, selves: bool, most: int, orders: int, cap: int
) -> None:
    for ordered in shuffles(pairs_of(nodes, selves=selves), orders):
        assert range_of_changes(ordered, cap, most) == (0, cap)


@pytest.mark.parametrize("cap", CAPS)
def test_a_node_that_is_wired_anew_moves_it_by_the_cap_at_most(cap: int) -> None:
    ordered = sorted(pairs_of(4), key=judges.public_place)
    kept = {rows: judges.rows_kept(rows, cap) for rows in all_rows(ordered)}
    changes = {kept[x] - kept[y] for v in range(4) for x in kept for y in kept if _same_but_for(v, x, y)}
    assert max(changes) == -min(changes) == cap


def _same_but_for(node: int, one: Rows, other: Rows) -> bool:
    return judges.without(one, node) == judges.without(other, node)


def test_an_order_that_is_counted_anew_is_rejected() -> None:
    """The control: ids are numbered from 0 again once somebody has left, and the change leaves 0 to cap."""
    pairs = pairs_of(5)

    def kept(rows: Rows, cap: int) -> int:
        number = {end: place for place, end in enumerate(sorted({end for row in rows for end in row}))}
        return judges.rows_kept(
            sorted(rows, key=lambda row: judges.public_place((number[row[0]], number[row[1]]))), cap
        )

    changes = {kept(rows, 1) - kept(judges.without(rows, v), 1) for rows in all_rows(pairs) for v in range(5)}
    assert min(changes) < 0


def test_the_order_of_a_file_is_rejected() -> None:
    """The control: nothing but the file says in which order rows are listed, and two orders may be far apart."""
    paths = [[(4 * i, 4 * i + 1), (4 * i + 2, 4 * i + 3), (4 * i + 1, 4 * i + 2)] for i in range(5)]
    ends_first = [row for path in paths for row in path]
    middles_first = ends_first[::-1]
    somebody_more = [*ends_first, (20, 21)]
    assert judges.rows_kept(somebody_more, 1) - judges.rows_kept(middles_first, 1) == 6 > 1
    assert by_kernel(somebody_more, (1,), 22)[0] - by_kernel(middles_first, (1,), 22)[0] == 1


def largest_fraction(rows: Rows, cap: int) -> float:
    """The largest sum of shares of rows, each at most 1, with at most the cap at each node."""
    if not rows:
        return 0.0
    at = np.array([[node in row for row in rows] for node in range(4)], dtype=float)
    found: Any = linprog(-np.ones(len(rows)), A_ub=at, b_ub=[cap] * 4, bounds=(0, 1))
    return -float(found.fun)


def test_at_least_half_of_what_fits_is_kept_and_all_where_nobody_has_more() -> None:
    for rows in all_rows(sorted(pairs_of(4), key=judges.public_place)):
        degrees = [sum(node in row for row in rows) for node in range(4)]
        for cap in (1, 2, 3):
            kept, best = judges.rows_kept(rows, cap), largest_fraction(rows, cap)
            assert best / 2 - 1e-9 <= kept <= best + 1e-9
            assert kept == len(rows) or max(degrees) > cap


def by_kernel(rows: Sequence[Row], caps: Sequence[int], nodes: int, threads: int = 1) -> tuple[int, ...]:
    src, dst = [row[0] for row in rows], [row[1] for row in rows]
    return count_rows_kept(src, dst, caps, nodes=nodes, threads=threads)


@pytest.mark.parametrize("nodes", [3, 4, 5])
def test_the_kernel_is_the_definition_on_all_small_graphs(nodes: int) -> None:
    for rows in all_rows(pairs_of(nodes)):
        ordered = sorted(rows, key=judges.public_place)
        assert by_kernel(rows, (1, 2, 4), nodes) == tuple(judges.rows_kept(ordered, cap) for cap in (1, 2, 4))


def many_rows(seed: int) -> list[Row]:
    """Few nodes with very many rows, several of a pair, some to oneself, in either direction."""
    rng = np.random.default_rng(seed)
    src, dst = (60 * rng.random(3000) ** 3).astype(int), (60 * rng.random(3000)).astype(int)
    return list(zip(src.tolist(), dst.tolist(), strict=True))


@pytest.mark.parametrize("threads", [1, 3])
def test_the_kernel_is_the_definition_under_many_caps(threads: int) -> None:
    """More caps than one pass takes, in any order, twice the same one, and caps beyond what anybody has."""
    rows, caps = many_rows(1), [*range(40, 0, -1), 7, 500, 700, 2**20, 2**40]
    ordered = sorted(rows, key=judges.public_place)
    assert by_kernel(rows, caps, 60, threads) == tuple(judges.rows_kept(ordered, cap) for cap in caps)


def test_no_call_of_compiled_code_has_more_than_a_piece_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two pieces an interrupt is heard. Pieces and buckets change no count."""
    rows, caps, seen = many_rows(4), (1, 5, 30), dict[str, int]()
    monkeypatch.setattr(kept_rows, "FEWEST_DEALT", len(rows))
    monkeypatch.setattr(kept_rows, "BUCKET", 50)
    monkeypatch.setattr(kept_rows, "SLOTS_AT_ONCE", 16 * 70)
    monkeypatch.setattr(building, "ROWS_AT_ONCE", 200)

    def watched(name: str, kernel: Any) -> Any:
        def count(first: Any, *more: Any) -> Any:
            seen[name] = max(seen.get(name, 0), len(first))
            return kernel(first, *more)

        return count

    for name in ("count_places", "deal_places", "read_pairs", "count_ends", "count_kept"):
        monkeypatch.setattr(greedy_kernels, name, watched(name, getattr(greedy_kernels, name)))
    ordered = sorted(rows, key=judges.public_place)
    assert by_kernel(rows, caps, 60) == tuple(judges.rows_kept(ordered, cap) for cap in caps)
    assert {name: seen[name] for name in ("count_places", "deal_places", "count_ends", "count_kept")} == {
        "count_places": 200,
        "deal_places": 200,
        "count_ends": 200,
        "count_kept": 70,
    }
    assert seen["read_pairs"] < len(rows) / 5


def test_neither_the_order_of_rows_nor_their_direction_matters() -> None:
    rows, caps = many_rows(2), (1, 8, 64)
    turned = [row[::-1] for row in reversed(rows)]
    assert by_kernel(rows, caps, 60) == by_kernel(turned, caps, 60)
    assert by_kernel((), caps, 60) == (0, 0, 0)


@pytest.mark.parametrize("fewest", [0, 10**6])
def test_the_public_order_is_as_it_is_written_down(fewest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether rows are many enough to be dealt into buckets or not."""
    monkeypatch.setattr(kept_rows, "FEWEST_DEALT", fewest)
    rng = np.random.default_rng(3)
    rows = [(a, b) for a, b in rng.integers(0, 2**32, (500, 2)).tolist()]
    rows += [(0, 0), (2**32 - 1, 2**32 - 1), (0, 2**32 - 1), *rows[:50]]
    low, high = order_rows([row[0] for row in rows], [row[1] for row in rows])
    ordered = sorted((min(row), max(row)) for row in rows)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == sorted(ordered, key=judges.public_place)


def test_the_key_is_the_beginning_of_pi() -> None:
    """A double has the first 48 places after the point; the rest is as Blowfish has it."""
    known = floor((Fraction(pi) - 3) * 2**48)
    assert known == greedy_kernels.KEY >> 16


def test_more_rows_than_are_counted_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "MOST_ROWS", 2)
    assert by_kernel([(0, 1), (0, 1)], (1, 2), 2) == (1, 2)
    with pytest.raises(DataError, match="must be at most 2 rows"):
        by_kernel([(0, 1)] * 3, (1,), 2)


def test_rows_are_put_in_order_by_as_many_threads_as_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[int]()

    def note(*arguments: Any, threads: int, **named: Any) -> None:
        asked.append(threads)
        run_parts(*arguments, threads=threads, **named)

    monkeypatch.setattr(kept_rows, "run_parts", note)
    count_rows_kept([0, 0, 0, 1], [1, 2, 3, 2], (1,), nodes=4, threads=3)
    assert asked == [3]
    monkeypatch.setattr(kept_rows, "FEWEST_DEALT", 4)
    count_rows_kept([0, 0, 0, 1], [1, 2, 3, 2], (1,), nodes=4, threads=3)
    assert asked == [3, 3, 3]
