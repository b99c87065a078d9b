"""The forest as an estimator."""

from typing import Any

import numpy as np
import pytest

from dampen import Budget, Category, Number
from dampen.errors import ParameterError
from dampen.learn import PrivateForestClassifier, Schema
from dampen.learn.forest import COUNTS
from dampen.learn.votes import LABELS
from tests.conftest import Refused

SCHEMA = Schema({"a": Number(0, 1), "b": Category(["x", "y"])}, classes=["no", "yes"])
RNG = np.random.default_rng(0)
TABLE = {"a": RNG.random(4000), "b": RNG.choice(["x", "y"], 4000)}
TARGET = np.where(TABLE["b"] == "x", "no", "yes")


def forest(**parameters: Any) -> PrivateForestClassifier:
    words: dict[str, Any] = {"epsilon": 1, "n_trees": 8, "schema": SCHEMA, "budget": Budget(epsilon=100)} | parameters
    return PrivateForestClassifier(**words)


def test_a_public_structure_is_the_same_at_every_fit() -> None:
    first, again, anew = (forest(structure=key).fit(TABLE, TARGET).model_.trees for key in (3, 3, None))
    assert (first.attributes == again.attributes).all()
    assert (first.points == again.points).all()
    assert (first.right == again.right).all()
    assert (first.points != anew.points).any()


def test_an_unknown_category_goes_with_the_first_declared() -> None:
    fitted = forest(n_trees=20).fit(TABLE, TARGET)
    places = {"a": np.linspace(0, 1, 50)}
    unknown = fitted.predict_proba(places | {"b": ["never seen"] * 50})
    assert unknown.tolist() == fitted.predict_proba(places | {"b": ["x"] * 50}).tolist()


@pytest.mark.parametrize("labels", [COUNTS, *LABELS])
def test_it_learns_what_is_easy(labels: str) -> None:
    fitted = forest(labels=labels, max_depth=4).fit(TABLE, TARGET)
    assert (fitted.predict(TABLE) == TARGET).mean() > 0.9
    shares = fitted.predict_proba(TABLE)
    assert shares.shape == (4000, 2)
    assert shares.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("labels", LABELS)
def test_an_ample_epsilon_is_no_obstacle(labels: str) -> None:
    sure = forest(epsilon=10**6, labels=labels, max_depth=2, budget=Budget(epsilon=10**6))
    assert set(sure.fit(TABLE, ["yes"] * 4000).predict(TABLE)) == {"yes"}


@pytest.mark.parametrize("labels", [COUNTS, "permute_and_flip"])
def test_json_keeps_all_that_predicting_needs(labels: str) -> None:
    fitted = forest(labels=labels).fit(TABLE, TARGET)
    again = PrivateForestClassifier.from_json(fitted.to_json())
    assert again.predict_proba(TABLE).tolist() == fitted.predict_proba(TABLE).tolist()
    assert again.budget is None


def test_depth_nought_is_one_leaf_for_each_tree() -> None:
    fitted = forest(max_depth=0, epsilon=50).fit(TABLE, ["yes"] * 4000)
    assert set(fitted.predict({"a": [0.5], "b": ["never seen"]})) == {"yes"}


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"n_trees": 0}, "n_trees"),
        ({"n_trees": 10**6}, "n_trees"),
        ({"max_depth": 17}, "max_depth"),
        ({"max_depth": -1}, "max_depth"),
        ({"structure": -1}, "structure"),
        ({"labels": "vote"}, "labels"),
        ({"epsilon": 0}, "epsilon"),
    ],
    ids=str,
)
def test_bad_parameters_are_one_sentence_before_any_spending(
    asked: dict[str, Any], shown: str, refused: Refused, untouched: Budget
) -> None:
    with refused(ParameterError, shown):
        forest(budget=untouched, **asked).fit(TABLE, TARGET)


def test_a_tiny_epsilon_tells_nothing_of_the_counts() -> None:
    """Noise beyond 64 bits is cut off together with the count, so that the count cannot be read off."""
    fitted = forest(epsilon="1/1000000000000000000000000000000", n_trees=2, max_depth=1).fit(TABLE, TARGET)
    ends = {abs(int(count)) for count in fitted.model_.counts.ravel()} | {abs(total) for total in fitted.model_.totals}
    assert ends == {2**62}
