"""The most frequent value of each group of a table with a person, by the caller's own mechanism, audited exactly.

A person's vote is cut into parts, one for each own row, and every group is asked at the whole of epsilon. This is
right for mechanisms of which a part of a vote costs that part of epsilon, and for no others: these are refused, and
one of them is shown to lose more. Proofs: docs/proofs/people.md, section 4; docs/proofs/range_theorem.md.
"""

from functools import partial
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import dampen.mechanisms
from dampen import Adjacency, Budget, Category, Frame, Release, SelectionProblem, Table
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.errors import ParameterError
from dampen.mechanisms import (
    Exponential,
    LocalDampening,
    PairwiseDampening,
    ParetoNoisyMax,
    PermuteAndFlip,
    ReportNoisyMax,
    SelectionMechanism,
    ShiftedLocalDampening,
    SmoothExponential,
)
from tests.audit.people import PeopleAudit, persons
from tests.every_selection import find_selections

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE
COLUMNS = {"g": Category("a", "b", "c", "d"), "h": Category("x", "y")}
KINDS = [("a", "x"), ("a", "y"), ("b", "x")]
EVERYWHERE = tuple((group, "x") for group in "abcd")
"""A person with a row in every group: a quarter of a vote in each."""
A_FEW = [(KINDS[0],), (KINDS[1], KINDS[2]), EVERYWHERE]
TAKEN: dict[str, Any] = {
    "no mechanism": None,
    "PermuteAndFlip": PermuteAndFlip,
    "Exponential": Exponential,
    **{f"{noise} noise": partial(ReportNoisyMax, noise=noise) for noise in ("laplace", "exponential", "gumbel")},
}
REFUSED: dict[str, Any] = {
    "ParetoNoisyMax": ParetoNoisyMax,
    "ParetoNoisyMax, nu 2": partial(ParetoNoisyMax, nu=2),
    "SmoothExponential": partial(SmoothExponential, delta="1e-3"),
    "LocalDampening": LocalDampening,
    "ShiftedLocalDampening": partial(ShiftedLocalDampening, horizon=3),
    "PairwiseDampening": PairwiseDampening,
}


def audited(mechanism: Any, adjacency: Adjacency, price: int = 1) -> PeopleAudit:
    def ask(table: Table) -> Release:
        return table.by("g").most_common("h", mechanism=mechanism, epsilon=price)

    return PeopleAudit(ask, ("g", "h"), COLUMNS, adjacency, price)


def worst(audit: PeopleAudit, adjacency: Adjacency, everybody: list[Any], most: int = 2) -> float:
    if adjacency is REPLACE:
        kinds = [(), *everybody]
        return audit.worst(multisets(kinds, largest=most, smallest=1), replace_neighbours(kinds))
    return audit.worst(multisets(everybody, largest=most - 1), add_remove_neighbours(everybody))


@pytest.mark.parametrize("name", ["no mechanism", "Exponential", "laplace noise"])
def test_parts_of_a_vote_lose_epsilon_together_and_no_more(name: str) -> None:
    assert 0.7 < worst(audited(TAKEN[name], ADD_REMOVE), ADD_REMOVE, A_FEW) <= 1 + 1e-9


def test_a_person_with_other_rows_loses_no_more() -> None:
    everybody = [(KINDS[0],), (KINDS[1],), (("b", "y"),), EVERYWHERE]
    assert 0.9 < worst(audited(None, REPLACE), REPLACE, everybody) <= 1 + 1e-9


@pytest.mark.long
@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize("price", [1, 8])
@pytest.mark.parametrize("name", TAKEN)
def test_three_persons_with_three_rows_each(name: str, price: int, adjacency: Adjacency) -> None:
    everybody = [*persons(KINDS, 3 if adjacency is ADD_REMOVE else 2), EVERYWHERE]
    assert worst(audited(TAKEN[name], adjacency, price), adjacency, everybody, most=3) <= price * (1 + 1e-9)


@pytest.mark.parametrize("adjacency", [ADD_REMOVE, REPLACE], ids=lambda adjacency: adjacency.value)
@pytest.mark.parametrize("name", REFUSED)
def test_other_mechanisms_are_refused_before_anything_is_paid(name: str, adjacency: Adjacency) -> None:
    budget, data = Budget(epsilon=1, delta="0.1"), {"who": ["ann"], "g": ["a"], "h": ["x"]}
    table = Table(data, columns=COLUMNS, budget=budget, adjacency=adjacency, person="who")
    with pytest.raises(ParameterError, match="mechanism must be one whose loss is in proportion to votes"):
        table.by("g").most_common("h", mechanism=REFUSED[name], epsilon="0.5")
    assert budget.spent.epsilon == 0
    assert table.most_common("h", mechanism=REFUSED[name], epsilon="0.5").value in ("x", "y"), "a whole vote is fine"


def test_a_mechanism_that_is_refused_loses_more_than_it_costs() -> None:
    """Somebody with a row in each of four groups, if Pareto noise were taken there."""
    with patch.object(ParetoNoisyMax, "proportional", True):
        assert worst(audited(ParetoNoisyMax, ADD_REMOVE, 4), ADD_REMOVE, [EVERYWHERE]) == pytest.approx(4.36, abs=0.01)
        assert worst(audited(ParetoNoisyMax, ADD_REMOVE, 8), ADD_REMOVE, [EVERYWHERE]) == pytest.approx(18.25, abs=0.01)


# What a mechanism declares: a step of a part of the bound costs that part of epsilon


BOUND = 8
STARTS = (0, 1, 5, 12)
FOUND = find_selections(dampen.mechanisms)
DECLARED = [name for name, make in FOUND.items() if make(1).proportional]


def largest_share(mechanism: SelectionMechanism, step: int, *, monotone: bool) -> float:
    """The worst loss where utilities of three candidates move by at most ``step``, over its share of epsilon."""
    frame, known = Frame(tuple("abc"), bound=BOUND, adjacency=ADD_REMOVE, monotone=monotone), dict[Any, Any]()

    def law(utilities: Any) -> Any:
        ahead = utilities - utilities.max()
        if (key := tuple(ahead.tolist())) not in known:
            known[key] = np.asarray(mechanism.log_probabilities(SelectionProblem(frame, ahead)))
        return known[key]

    moves = [np.array(move) for move in product((0, step) if monotone else (-step, 0, step), repeat=3)]
    pairs = product(map(np.array, product(STARTS, repeat=3)), moves)
    losses = [float(np.abs(law(start) - law(start + move)).max()) for start, move in pairs]
    return max(losses) / (float(mechanism.epsilon) * step / BOUND)


def test_these_declare_it() -> None:
    assert {name.split(",")[0] for name in DECLARED} == {"PermuteAndFlip", "Exponential", "ReportNoisyMax"}


@pytest.mark.parametrize("monotone", [True, False])
@pytest.mark.parametrize("name", DECLARED)
def test_a_small_step_costs_a_small_part_of_epsilon(name: str, monotone: bool) -> None:
    for step in (1, BOUND):
        assert 0.5 < largest_share(FOUND[name](4), step, monotone=monotone) <= 1 + 1e-9


def test_pareto_noise_pays_too_little_for_small_steps() -> None:
    assert largest_share(FOUND["ParetoNoisyMax"](4), BOUND, monotone=True) <= 1
    assert largest_share(FOUND["ParetoNoisyMax"](8), 1, monotone=True) > 2
