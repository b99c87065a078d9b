"""What scikit-learn may do with a private classifier: nothing that weighs rows, and scores that no budget pays for."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import has_fit_parameter

from dampen import Budget
from dampen.errors import ParameterError
from dampen.learn import PrivateTreeClassifier, Schema
from tests.conftest import Refused
from tests.estimators import ESTIMATORS, small

SCHEMA = Schema.any(0, 10, bins=2, classes=[0, 1])
X, Y = np.array([[1.0], [9.0]] * 20), np.array([0, 1] * 20)
WEIGHTS = np.ones(40)


def tree(budget: Any) -> PrivateTreeClassifier:
    return PrivateTreeClassifier(1, 1, schema=SCHEMA, budget=budget)


@pytest.mark.parametrize("weights", [WEIGHTS, WEIGHTS.tolist(), None, np.zeros(3)], ids=["ones", "list", "None", "odd"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_weights_are_refused_whatever_they_are(name: str, weights: Any, refused: Refused, untouched: Budget) -> None:
    """None too: the refusal looks at the name alone, so scikit-learn never takes weights to be understood."""
    with refused(ParameterError, "no sample weights", "sample_weight"):
        small(name, 1, schema=SCHEMA, budget=untouched).fit(X, Y, sample_weight=weights)
    assert not has_fit_parameter(small(name, 1, schema=SCHEMA, budget=untouched), "sample_weight")


ROUTES: dict[str, Callable[[Any], Any]] = {
    "cross_validate": lambda model: cross_validate(
        model, X, Y, params={"sample_weight": WEIGHTS}, cv=2, error_score="raise"
    ),
    "grid": lambda model: GridSearchCV(model, {"max_depth": [1]}, cv=2, error_score="raise").fit(
        X, Y, sample_weight=WEIGHTS
    ),
    "pipeline": lambda model: make_pipeline(model).fit(X, Y, privatetreeclassifier__sample_weight=WEIGHTS),
    "boosting": lambda model: AdaBoostClassifier(model, n_estimators=2).fit(X, Y),
}


@pytest.mark.parametrize("routing", [False, True], ids=["as always", "metadata routing"])
@pytest.mark.parametrize("route", ROUTES)
def test_no_route_of_scikit_learn_brings_weights_to_a_fit(route: str, routing: bool, untouched: Budget) -> None:
    """With metadata routing there is no way to ask for them: a fit has no request to set."""
    with sklearn.config_context(enable_metadata_routing=routing), pytest.raises((ValueError, TypeError)):
        ROUTES[route](tree(untouched))
    assert not hasattr(tree(untouched), "set_fit_request")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_duplicated_rows_are_no_reason_to_refuse(name: str) -> None:
    """That two people are alike is a fact about the data."""
    budget = Budget(epsilon=1)
    small(name, 1, schema=SCHEMA, budget=budget).fit(np.ones((40, 1)), np.zeros(40, dtype=int))
    assert budget.remaining.epsilon == 0


def test_bagging_is_charged_for_its_fits_and_not_for_the_rows_it_repeats() -> None:
    budget = Budget(epsilon=3)
    bag = BaggingClassifier(tree(budget), n_estimators=3, random_state=0).fit(X, Y)
    assert budget.remaining.epsilon == 0
    assert all(np.bincount(rows).max() > 1 for rows in bag.estimators_samples_)


def test_scores_of_scikit_learn_are_exact_and_free() -> None:
    """What the documentation warns of."""
    budget = Budget(epsilon=10**7)
    model = PrivateTreeClassifier(10**6, 1, schema=SCHEMA, budget=budget).fit(X, Y)
    assert model.score(X, 1 - Y) == 0
    assert budget.spent.epsilon == 10**6
    found = cross_validate(model, X, Y, cv=4)
    assert found["test_score"].tolist() == [1] * 4
    assert budget.spent.epsilon == 5 * 10**6
