"""Real percentiles, from real entropy, against exact laws at alpha = 1e-6; a law that is 30 % wrong is rejected."""

from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import dampen
from dampen import Adjacency, Budget
from dampen.mechanisms import Exponential, PermuteAndFlip
from dampen.queries import count_problem, percentile_rank_problem, percentile_value_problem
from dampen.questions import many_percentiles
from tests.audit.test_halving import QUARTILES, Law, joint_law, whole_part

ALPHA = 1e-6
DRAWS, DRAWS_OF_EVEN = 2_000, 2_500
"""Enough that a law 30 % wrong is missed with probability below 1e-7 in every case."""
ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
TIES = [1, 3, 3, 3, 4]

both = pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE])
often = pytest.mark.parametrize("times", [1, pytest.param(2, marks=pytest.mark.long)])
"""Full runs draw twice as often."""


def p_value(counts: Mapping[Hashable, int], law: Mapping[Hashable, float]) -> float:
    """Pearson's test; outcomes expected fewer than five times count as one."""
    total, drawn = sum(law.values()), sum(counts.values())
    rows = [(counts.get(outcome, 0), chance / total * drawn) for outcome, chance in law.items()]
    likely = [row for row in rows if row[1] >= 5]
    rare = [row for row in rows if row[1] < 5]
    kept = [*likely, (sum(seen for seen, _ in rare), sum(due for _, due in rare))] if rare else likely
    return float(chi2.sf(sum((seen - due) ** 2 / due for seen, due in kept), df=len(kept) - 1))


def check(counts: Mapping[Any, int], law: Mapping[Any, float]) -> None:
    assert set(counts) <= set(law)
    assert p_value(counts, law) > ALPHA
    likeliest = max(law, key=lambda outcome: law[outcome])
    rest = (1 - 0.7 * law[likeliest]) / (1 - law[likeliest])
    wrong = {outcome: chance * (0.7 if outcome == likeliest else rest) for outcome, chance in law.items()}
    assert p_value(counts, wrong) < ALPHA


def law_of(mechanism: Any, problem: dampen.SelectionProblem) -> dict[Any, float]:
    law = np.exp(np.asarray(mechanism.log_probabilities(problem)))
    return dict(zip(problem.frame.candidates, law.tolist(), strict=True))


@often
@pytest.mark.parametrize(
    ("p", "mechanism", "adjacency"),
    [
        (50, PermuteAndFlip, ADD_REMOVE),
        pytest.param(50, PermuteAndFlip, REPLACE, marks=pytest.mark.long),
        pytest.param("100/3", PermuteAndFlip, ADD_REMOVE, marks=pytest.mark.long),
        ("100/3", PermuteAndFlip, REPLACE),
        (100, Exponential, ADD_REMOVE),
        pytest.param(100, Exponential, REPLACE, marks=pytest.mark.long),
    ],
)
def test_percentiles_follow_the_law_of_their_distance(p: Any, mechanism: Any, adjacency: Adjacency, times: int) -> None:
    asked: dict[str, Any] = {"bounds": range(6), "adjacency": adjacency, "method": mechanism}
    draws = DRAWS * times
    budget = Budget(epsilon=draws)
    counts = Counter(dampen.percentile(TIES, p, epsilon=1, budget=budget, **asked).value for _ in range(draws))
    check(counts, law_of(mechanism(1), percentile_value_problem(TIES, p, grid=range(6), adjacency=adjacency)))


@often
@both
def test_percentiles_follow_the_law_of_their_rank(adjacency: Adjacency, times: int) -> None:
    draws = DRAWS * times
    budget = Budget(epsilon=2 * draws)
    counts = Counter(
        dampen.median(TIES, bounds=range(6), epsilon=2, budget=budget, adjacency=adjacency, method="rank").value
        for _ in range(draws)
    )
    check(counts, law_of(PermuteAndFlip(2), percentile_rank_problem(TIES, 50, grid=range(6), adjacency=adjacency)))


def test_a_billion_values_in_two_stretches() -> None:
    """All records at one value in the middle: it, everything below and everything above have known chances."""
    values, grid = [5 * 10**8] * 20, range(10**9)
    problem = percentile_value_problem(values, 50, grid=grid, adjacency=ADD_REMOVE)
    law = PermuteAndFlip(1).log_probabilities(problem)
    chances = np.exp(law.values) * law.sizes.astype(np.float64)  # type: ignore[union-attr]
    budget = Budget(epsilon=DRAWS)
    found = [dampen.percentile(values, 50, bounds=grid, epsilon=1, budget=budget) for _ in range(DRAWS)]
    counts = Counter((answer > values[0]) - (answer < values[0]) for answer in found)
    check(counts, dict(zip((-1, 0, 1), chances.tolist(), strict=True)))


@often
@both
def test_the_most_common_follows_its_law(adjacency: Adjacency, times: int) -> None:
    draws, categories = DRAWS * times, ("a", "b", "c", "d")
    budget = Budget(epsilon=draws)
    values = ["a", "a", "a", "b", "b", "c"]
    counts = Counter(
        dampen.most_common(values, categories=categories, epsilon=1, budget=budget, adjacency=adjacency).value
        for _ in range(draws)
    )
    check(counts, law_of(PermuteAndFlip(1), count_problem(values, categories=categories, adjacency=adjacency)))


# Several percentiles

QUARTERS = (25, 50, 75)


def sorted_law(law: Law) -> Law:
    total = Law()
    for places, chance in law.items():
        total[tuple(sorted(places))] = total.get(tuple(sorted(places)), 0.0) + chance
    return total


def ask_often(draws: int, values: list[int], size: int, **arguments: Any) -> Counter[tuple[Any, ...]]:
    budget = Budget(epsilon=3 * draws)
    return Counter(
        dampen.percentiles(values, QUARTERS, bounds=range(size), epsilon=3, budget=budget, **arguments).value
        for _ in range(draws)
    )


@pytest.mark.parametrize(
    ("adjacency", "draws"),
    [(ADD_REMOVE, DRAWS_OF_EVEN), pytest.param(REPLACE, 2 * DRAWS_OF_EVEN, marks=pytest.mark.long)],
)
def test_even_answers_are_independent_and_sorted(adjacency: Adjacency, draws: int) -> None:
    one_by_one = [
        law_of(PermuteAndFlip(1), percentile_value_problem(TIES[:4], p, grid=range(4), adjacency=adjacency))
        for p in QUARTERS
    ]
    joint = Law()
    for places in product(range(4), repeat=3):
        joint[places] = float(np.prod([law[place] for law, place in zip(one_by_one, places, strict=True)]))
    check(ask_often(draws, TIES[:4], 4, adjacency=adjacency, strategy="even"), sorted_law(joint))


@pytest.mark.parametrize(
    ("adjacency", "draws"), [(ADD_REMOVE, DRAWS // 2), pytest.param(REPLACE, 2 * DRAWS, marks=pytest.mark.long)]
)
def test_halving_follows_its_joint_law_over_all_coins(
    adjacency: Adjacency, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two finer cells for each grid point, so that all coins can be written down."""
    monkeypatch.setattr(many_percentiles, "FINENESS", 1)
    records = (0, 1, 1, 1)
    mechanism = PermuteAndFlip(3) if adjacency is ADD_REMOVE else PermuteAndFlip("3/2")
    mechanism = PermuteAndFlip(mechanism.epsilon / 2)
    mixed = Law()
    for coins in product((0, 1), repeat=len(records)):
        finer = tuple(sorted(2 * record + coin for record, coin in zip(records, coins, strict=True)))
        for places, chance in joint_law(whole_part(finer, 4, QUARTILES), mechanism).items():
            coarse = tuple(place // 2 for place in places)
            mixed[coarse] = mixed.get(coarse, 0.0) + chance / 2 ** len(records)
    check(ask_often(draws, list(records), 2, adjacency=adjacency, strategy="halving"), mixed)
