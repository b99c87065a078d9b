"""Counts of all groups."""

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import chisquare

import dampen
from dampen import Adjacency, Budget
from dampen.errors import DataError, ParameterError
from dampen.questions.counts_by_group import nearest_with_sum

if TYPE_CHECKING:
    from tests.conftest import Refused

VALUES, CATEGORIES = ["tea"] * 30 + ["milk"] * 5, ("tea", "milk", "rum")


def asked(budget: Budget, **changed: Any) -> Any:
    given: dict[str, Any] = {"values": VALUES, "categories": CATEGORIES, "epsilon": 1} | changed
    return dampen.group_counts(given.pop("values"), budget=budget, **given)


def test_a_mapping_and_a_release() -> None:
    budget = Budget(epsilon=1)
    counts = asked(budget)
    assert list(counts) == list(CATEGORIES)
    assert len(counts) == 3
    assert dict(counts) == counts.value
    assert all(type(count) is int for count in counts.values())
    assert counts.loss.epsilon == budget.spent.epsilon == 1
    assert counts.error("0.95") == 3
    assert counts.note == "group_counts"


def test_much_budget_tells_the_truth_and_empty_groups_count_zero() -> None:
    for adjacency in (Adjacency.ADD_REMOVE, Adjacency.REPLACE):
        counts = asked(Budget(epsilon=10**6), epsilon=10**6, adjacency=adjacency)
        assert dict(counts) == {"tea": 30, "milk": 5, "rum": 0}


def test_under_replace_the_noise_is_twice_as_wide() -> None:
    assert asked(Budget(epsilon=1), adjacency=Adjacency.REPLACE).error("0.95") == 6


def test_the_noise_has_the_geometric_law() -> None:
    labels = tuple(range(20_000))
    counts = dampen.group_counts([], categories=labels, epsilon=1, budget=Budget(epsilon=1))
    drawn = np.clip(np.array(list(counts.values())), -4, 4)
    q = np.exp(-1)
    law = np.array([(1 - q) / (1 + q) * q ** abs(k) for k in range(-3, 4)])
    ends = (1 - law.sum()) / 2
    law = np.array([ends, *law, ends])
    observed = np.bincount(drawn + 4, minlength=9)
    assert chisquare(observed, law * len(labels)).pvalue > 1e-6
    wrong = law * np.where(np.arange(9) % 2, 1.3, 0.7)
    assert chisquare(observed, wrong / wrong.sum() * len(labels)).pvalue < 1e-6


@pytest.mark.parametrize("people", [1, 1000])
@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=lambda a: a.value)
def test_noise_beyond_64_bits_cannot_be_taken_off_again(people: int, adjacency: Adjacency) -> None:
    """Sums are cut off, not the noise: cut noise is a known number, and the rest would be the true count."""
    counts = asked(Budget(epsilon=1), values=["tea"] * people, epsilon="1e-30", adjacency=adjacency)
    assert {abs(count) for count in counts.values()} == {2**62}


def test_counts_can_be_made_non_negative() -> None:
    counts = dampen.group_counts([], categories=range(200), epsilon=1, budget=Budget(epsilon=1), non_negative=True)
    assert min(counts.values()) == 0 < max(counts.values())
    with pytest.raises(ParameterError, match="error must be asked of counts as drawn"):
        counts.error("0.9")


@pytest.mark.parametrize("adjacency", [Adjacency.ADD_REMOVE, Adjacency.REPLACE], ids=lambda a: a.value)
def test_counts_can_be_made_to_add_up(adjacency: Adjacency, monkeypatch: pytest.MonkeyPatch) -> None:
    noise = np.array([-4, 9, -7])
    monkeypatch.setattr("dampen.mechanisms.counts.laplace_counts.discrete_laplace_batch", lambda *_: noise)
    counts = asked(Budget(epsilon=1), adjacency=adjacency, consistent=True)
    assert min(counts.values()) >= 0
    assert sum(counts.values()) == (35 if adjacency is Adjacency.REPLACE else 33)


def test_the_nearest_counts_with_a_sum_by_brute_force() -> None:
    """All whole numbers of at least 0 with the sum: none is nearer."""
    for counts in product(range(-3, 5), repeat=3):
        for total in (0, 1, 4, 7):
            found = nearest_with_sum(counts, total)
            every = [c for c in product(range(total + 1), repeat=3) if sum(c) == total]
            nearest = min(sum((a - b) ** 2 for a, b in zip(c, counts, strict=True)) for c in every)
            assert sum(found) == total
            assert min(found) >= 0
            assert sum((a - b) ** 2 for a, b in zip(found, counts, strict=True)) == nearest


def test_one_category_is_a_count() -> None:
    counts = dampen.group_counts(["a"] * 9, categories=["a"], epsilon=10**6, budget=Budget(epsilon=10**6))
    assert dict(counts) == {"a": 9}


@pytest.mark.parametrize(
    ("changed", "error", "message"),
    [
        ({"values": ["tea", "secret"]}, DataError, "must hold only the declared categories"),
        ({"values": ["tea", None]}, DataError, "must have no missing values"),
        ({"categories": ["tea", "tea"]}, ParameterError, "distinct"),
        (
            {"adjacency": Adjacency.REPLACE, "consistent": True, "missing": np.arange(2)},
            ParameterError,
            "missing must be",
        ),
        ({"adjacency": Adjacency.EDGE}, ParameterError, "adjacency"),
        ({"non_negative": 1}, ParameterError, "non_negative must be True or False"),
        (
            {"adjacency": Adjacency.REPLACE, "consistent": True, "missing": "drop"},
            ParameterError,
            "missing must not be 'drop'",
        ),
    ],
)
def test_refusals_come_before_payment(
    changed: dict[str, Any], error: Any, message: str, untouched: Budget, refused: "Refused"
) -> None:
    with refused(error, message, hidden=("secret",)):
        asked(untouched, **changed)


def test_files_are_counted_where_they_lie(tmp_path: Any) -> None:
    path = tmp_path / "people.csv"
    path.write_text("id,city\n1,Oslo\n2,Bonn\n3,Oslo\n4,Lima\n5,\n")
    counts = dampen.group_counts(
        path, column="city", categories=("Oslo", "Bonn", "other"), missing="other", epsilon=10**6,
        budget=Budget(epsilon=10**6),
    )  # fmt: skip
    assert dict(counts) == {"Oslo": 2, "Bonn": 1, "other": 2}


def test_a_filter_under_replace_moves_two_counts_at_most(refused: "Refused") -> None:
    """The noise pays for two; only counts that add up need the public number of rows."""
    people = {"sex": ["F", "M", "M"], "city": ["Oslo", "Oslo", "Bonn"]}
    common: dict[str, Any] = {"categories": ("F", "M"), "column": "sex", "where": {"city": "Oslo"}}
    common |= {"adjacency": Adjacency.REPLACE, "epsilon": 10**6, "budget": Budget(epsilon=10**6)}
    with refused(ParameterError, "where must be left out under REPLACE"):
        dampen.group_counts(people, consistent=True, **common)
    assert dict(dampen.group_counts(people, **common)) == {"F": 1, "M": 1}
