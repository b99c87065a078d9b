"""Randomised response, TRIODE, TRIODE-H and dampened TRIODE: their laws, and that they draw them."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, exp, log
from typing import Any

import numpy as np
import pytest

from dampen import entropy
from dampen.audit import law_by_enumeration
from dampen.errors import ParameterError
from dampen.mechanisms import Exponential
from dampen.mechanisms.grouping import triode as triode_module
from dampen.mechanisms.grouping.dampened_triode import DampenedTriode
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.mechanisms.grouping.triode import Triode, dice_scores, epsilon_by_cells, members_of
from dampen.mechanisms.grouping.triode_h import TriodeH
from dampen.privacy import Adjacency
from dampen.problem import GroupFrame, GroupProblem
from dampen.queries.groups import dice_problem
from dampen.sampling import exact, tables


def number_of(chosen: np.ndarray[Any, Any]) -> int:
    return sum(1 << int(person) for person in np.flatnonzero(chosen))


def cell_weights(people: int, size: int, rate: float) -> dict[tuple[int, int], float]:
    """Ln of the weight of all sets with an overlap of k and o others, by the formula."""
    return {
        (k, o): log(comb(size, k) * comb(people - size, o)) + rate * (2 * k / (k + o + size) if k + o + size else 1)
        for k in range(size + 1)
        for o in range(people - size + 1)
    }


@pytest.mark.parametrize("people", range(10))
def test_the_law_of_triode_by_cells_is_full_enumeration(people: int) -> None:
    """Three ways: all sets one by one, cells of overlap and outside count, and the runs of the problem."""
    mechanism = Triode(1)
    for size in {0, people // 3, people - 1, people} - {-1}:
        members = np.arange(people) < size
        law = np.exp(mechanism.set_law(members))
        weights = cell_weights(people, size, 0.5)
        total = np.logaddexp.reduce(list(weights.values()))
        cells: Counter[tuple[int, int]] = Counter()
        for number in range(2**people):
            chosen = members_of(number, people)
            cells[int((chosen & members).sum()), int((chosen & ~members).sum())] += float(law[number])  # type: ignore[assignment]
        assert sum(law) == pytest.approx(1, abs=1e-12)
        for cell, weight in weights.items():
            assert cells[cell] == pytest.approx(exp(weight - total), abs=1e-14)
        if people <= 7 or size == people // 3:
            by_runs = np.exp(np.asarray(Exponential(1).log_probabilities(dice_problem(members))))
            assert by_runs == pytest.approx(law, rel=2e-6)


def test_triode_walked_through_all_short_bit_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    members = np.array([True, False])
    law, undecided = law_by_enumeration(lambda bits: number_of(Triode(2).draw_set(members, None, bits)), depth=15)
    expected = np.exp(Triode(2).set_law(members))
    assert undecided < Fraction(1, 25)
    for number, p in enumerate(expected):
        assert float(law[number]) - 1e-12 <= p <= float(law[number] + undecided) + 1e-12


def test_randomised_response_walked_through_all_short_bit_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    monkeypatch.setattr(tables, "WIDTH", 2)

    def few(count: int, size: int, source: Any) -> Any:
        return np.array([exact.uniform_below(size, source) for _ in range(count)], dtype=np.int64)

    monkeypatch.setattr("dampen.mechanisms.grouping.randomised_response.uniform_batch", few)
    mechanism, places = RandomisedResponse(1), np.array([0, 2])
    law, undecided = law_by_enumeration(lambda bits: tuple(mechanism.draw_places(places, 3, bits).tolist()), depth=17)
    assert undecided < Fraction(1, 50)
    for told in product(range(3), repeat=2):
        p = exp(mechanism.log_probability(places, np.array(told), 3))
        assert float(law[told]) - 1e-12 <= p <= float(law[told] + undecided) + 1e-12


def test_randomised_response_tells_a_partition() -> None:
    people = np.array([2, 0, 0, 1, 2, 2])
    told = RandomisedResponse(1).draw(GroupProblem(GroupFrame(6, 4), people), entropy.system_entropy())
    assert len(told) == 4
    assert sorted(np.concatenate(told).tolist()) == list(range(6))
    sure = RandomisedResponse(1000).draw(GroupProblem(GroupFrame(6, 4), people), entropy.system_entropy())
    assert [group.tolist() for group in sure] == [[1, 2], [3], [0, 4, 5], []]


def test_triode_h_deals_fragments_of_one_size_and_a_rest() -> None:
    dealt = TriodeH(1, 4).prepare(11, entropy.system_entropy())
    assert np.bincount(dealt).tolist() == [4, 4, 3]
    many = {tuple(TriodeH(1, 2).prepare(4, entropy.system_entropy()).tolist()) for _ in range(300)}
    assert len(many) == 6


def test_triode_h_picks_exactly_as_many_as_it_drew(monkeypatch: pytest.MonkeyPatch) -> None:
    members, source = np.arange(30) < 12, entropy.system_entropy()
    for size in (0, 1, 29, 30):
        monkeypatch.setattr(Exponential, "draw", lambda self, problem, source, size=size: size)
        assert TriodeH(1).draw_set(members, np.arange(30) // 10, source).sum() == size


def test_the_shares_of_a_release() -> None:
    """Half of epsilon is the rate of sets; two stages have a quarter each, in each group that a person touches."""
    assert Triode(1).rate == Fraction(1, 2)
    assert epsilon_by_cells(Fraction(3)) == 3 * (1 - Fraction(1, 2**20))
    assert TriodeH(1).stage == Fraction(1, 4)
    assert TriodeH(1).pick_rate(5, 512) == Fraction(1, 4) / 10 / 512
    assert TriodeH(10**9).pick_rate(1, 512) == Fraction(1024, 10) / 512
    loss = Triode("1/3").privacy(GroupFrame(10, 2))
    assert (loss.epsilon, loss.delta, loss.adjacency) == (Fraction(1, 3), Fraction(0), Adjacency.REPLACE)


def test_what_is_too_much_is_refused_in_one_sentence() -> None:
    Triode(14).privacy(GroupFrame(10**6, 2))
    Triode(15).privacy(GroupFrame(2000, 2))
    with pytest.raises(ParameterError, match="epsilon must be at most 14 for TRIODE with more than 2000 people"):
        Triode(15).privacy(GroupFrame(2001, 2))
    DampenedTriode(1).privacy(GroupFrame(2000, 2))
    with pytest.raises(ParameterError, match="at most 2000 people for method 'dampened_triode'; got 2001"):
        DampenedTriode(1).privacy(GroupFrame(2001, 2))
    with pytest.raises(ParameterError, match="fragment must be at most 32"):
        TriodeH(1, 33)
    RandomisedResponse(1).privacy(GroupFrame(10**9, 2))


def test_large_sets_are_drawn_too() -> None:
    people = 30_000
    members = np.arange(people) % 3 == 0
    drawn = Triode(1).draw_set(members, None, entropy.system_entropy())
    assert abs(int(drawn.sum()) - people / 2) < 6 * (people / 4) ** 0.5
    far = np.arange(300) < 40
    assert DampenedTriode(10**4).draw_set(far, None, entropy.system_entropy()).tolist() == far.tolist()
    assert Triode(10**6).draw_set(far, None, entropy.system_entropy()).tolist() == far.tolist()


def test_dice_scores_of_all_sets() -> None:
    assert dice_scores(np.array([True, False])).tolist() == [0, 1, 0, pytest.approx(2 / 3)]
    assert dice_scores(np.array([False])).tolist() == [1, 0]


def test_mechanisms_print_their_parameters_alone() -> None:
    assert repr(TriodeH("1/2", 5)) == "TriodeH(epsilon=0.5, fragment=5)"
    assert repr(Triode(2)) == "Triode(epsilon=2)"
    assert triode_module.MOST_PEOPLE == 2000
