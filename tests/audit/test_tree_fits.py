"""Whole fits of small trees on neighbouring tables: the law of everything they expose, for every mechanism."""

from fractions import Fraction
from itertools import product
from math import exp
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, Budget, Category, entropy
from dampen.audit import add_remove_neighbours, law_by_enumeration, multisets, replace_neighbours
from dampen.learn import PrivateTreeClassifier, Schema, id3
from dampen.learn.split_choice import MECHANISMS
from dampen.sampling import exact, tables
from tests.audit.fits import Decision, scripts, worst_loss

Table = tuple[tuple[int, ...], ...]
"""Records of two or three attributes with two values each, and one of two classes at the end."""
FAR = 6
CASES = [("max", name) for name in MECHANISMS] + [("information_gain", name) for name in MECHANISMS[:5]]
FEW: Table = ((0, 0, 0), (0, 0, 1), (1, 0, 1), (1, 1, 0))
WIDE: Table = ((0, 0, 0, 0), (0, 0, 1, 1), (1, 0, 1, 1), (1, 1, 0, 0))


def domain(attributes: int) -> Table:
    return tuple(product((0, 1), repeat=attributes + 1))


def exposed(x: Table, attributes: int, **parameters: Any) -> tuple[str, bytes]:
    """All that a fitted tree shows: its JSON, and its class shares for every possible record."""
    rows = np.array(x, dtype=np.int64).reshape(-1, attributes + 1)
    schema = Schema({name: Category([0, 1]) for name in "abc"[:attributes]}, classes=[0, 1])
    tree = PrivateTreeClassifier(schema=schema, budget=Budget(epsilon=10**6), **parameters)
    tree.fit(rows[:, :-1], rows[:, -1])
    everywhere = np.array(list(product((0, 1), repeat=attributes)))
    return tree.to_json(), tree.predict_proba(everywhere).tobytes()


def raised(true: Decision) -> list[Decision]:
    """The true counts with the first class raised so far that growth goes on, and they themselves."""
    return [tuple(count + FAR * (place % 2 == 0) for place, count in enumerate(true)), true]


def settings(criterion: str, mechanism: str, depth: int, adjacency: Adjacency) -> dict[str, Any]:
    largest = 8 if criterion == "information_gain" else None
    return {
        "criterion": criterion, "mechanism": mechanism, "max_depth": depth, "adjacency": adjacency,
        "epsilon": 12, "max_records": largest,
    }  # fmt: skip


def judge(
    parameters: dict[str, Any], chosen: list[Table], attributes: int = 2, stride: int = 1, replaced: bool = False
) -> tuple[float, int]:
    """The worst loss over some neighbours of some tables, and how many outcomes were compared."""
    neighbours = (replace_neighbours if replaced else add_remove_neighbours)(domain(attributes))
    worst, compared = 0.0, 0
    for x in chosen:
        for y in list(neighbours(x))[::stride]:
            loss, outcomes = worst_loss(x, y, lambda table: exposed(table, attributes, **parameters), raised)
            worst, compared = max(worst, loss), compared + outcomes
    return worst, compared


@pytest.mark.parametrize(("criterion", "mechanism"), CASES)
@pytest.mark.parametrize(
    ("depth", "adjacency"),
    [
        (1, Adjacency.ADD_REMOVE),
        (1, Adjacency.REPLACE),
        (2, Adjacency.ADD_REMOVE),
        pytest.param(2, Adjacency.REPLACE, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_no_fit_loses_more_than_epsilon(depth: int, criterion: str, mechanism: str, adjacency: Adjacency) -> None:
    replaced = adjacency is Adjacency.REPLACE
    parameters = settings(criterion, mechanism, depth, adjacency)
    worst, compared = judge(parameters, [FEW], stride=(7 if replaced else 3) * depth, replaced=replaced)
    assert worst <= 12 + 1e-9
    assert worst > 12 * (depth + 1) / (2 * depth + 1) - 1e-9
    assert compared > 20


@pytest.mark.long
@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=lambda a: a.value)
@pytest.mark.parametrize(("criterion", "mechanism"), CASES)
@pytest.mark.parametrize("depth", [1, 2])
def test_no_fit_loses_more_than_epsilon_on_all_tables_of_up_to_two_records(
    depth: int, criterion: str, mechanism: str, adjacency: Adjacency
) -> None:
    """Every table, with every fifth of its neighbours."""
    small, replaced = multisets(domain(2), largest=2), adjacency is Adjacency.REPLACE
    worst, _ = judge(settings(criterion, mechanism, depth, adjacency), small, stride=5, replaced=replaced)
    assert worst <= 12 + 1e-9


def test_every_share_of_epsilon_is_spent_on_a_path_of_two_choices() -> None:
    """With three attributes the second choice has two candidates: two choices and three counts lose all of epsilon."""
    parameters = settings("max", "permute_and_flip", 2, Adjacency.ADD_REMOVE)
    worst, _ = judge(parameters, [WIDE], attributes=3, stride=3)
    assert 0.9 * 12 < worst <= 12 + 1e-9


def test_one_share_too_few_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(id3, "count_shares", lambda depth, attributes: 2 * min(depth, attributes))
    assert judge(settings("max", "permute_and_flip", 1, Adjacency.ADD_REMOVE), [FEW], stride=3)[0] > 12.1


def test_a_replaced_record_at_the_full_rate_is_caught() -> None:
    parameters = settings("max", "permute_and_flip", 1, Adjacency.ADD_REMOVE)
    assert judge(parameters, [FEW], stride=7, replaced=True)[0] > 12.1


def test_the_probabilities_of_all_outcomes_add_up_to_one() -> None:
    """The price of each script is a law: at a high epsilon few numbers hold nearly all of it."""
    near = lambda true: [tuple(np.add(true, noise).tolist()) for noise in product((0, 1, -1), repeat=len(true))]  # noqa: E731
    parameters = settings("max", "permute_and_flip", 1, Adjacency.ADD_REMOVE) | {"epsilon": "21"}
    walked = [script.log_probability for _, script in scripts(lambda: exposed(FEW, 2, **parameters), near)]
    assert 1 - 1e-4 < np.exp(walked).sum() <= 1 + 1e-9


def test_a_fit_walked_through_all_its_bits_has_the_law_of_its_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Depth 0: nothing is replaced but the source of bits."""
    monkeypatch.setattr(exact, "MORE_BITS", 1)
    monkeypatch.setattr(tables, "WIDTH", 4)
    schema = Schema({"a": Category([0, 1])}, classes=["one"])
    rows, classes = np.array([[0], [1], [1]]), ["one"] * 3

    def released(source: entropy.Entropy) -> int:
        monkeypatch.setattr(entropy, "system_entropy", lambda: source)
        tree = PrivateTreeClassifier("1", 0, schema=schema, budget=Budget(epsilon=1))
        return int(tree.fit(rows, classes).model_.counts[0])

    drawn, undecided = law_by_enumeration(released, depth=10)
    assert undecided < 0.1
    for count in range(7):
        law = (1 - exp(-1)) / (1 + exp(-1)) * exp(-abs(count - 3))
        low = float(drawn.get(count, Fraction(0)))
        assert low - 1e-12 <= law <= low + float(undecided) + 1e-12


def test_what_a_tree_predicts_is_all_in_its_json() -> None:
    for attribute, depth in product((2, 3), (0, 1, 2)):
        written, shares = exposed(FEW if attribute == 2 else WIDE, attribute, epsilon=20, max_depth=depth)
        everywhere = np.array(list(product((0, 1), repeat=attribute)))
        assert PrivateTreeClassifier.from_json(written).predict_proba(everywhere).tobytes() == shares
