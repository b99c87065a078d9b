"""The public estimators of ``dampen.learn``, found and not listed: a new one meets the tests of all of them."""

import inspect
from typing import Any

from dampen import learn
from dampen.learn.estimator import PaidClassifier

SMALL = {"max_depth": 1, "n_trees": 2}
"""Parameters that keep a model small, for the estimators that have them."""
ESTIMATORS: dict[str, type[PaidClassifier]] = {
    name: found
    for name in learn.__all__
    if isinstance(found := getattr(learn, name), type) and issubclass(found, PaidClassifier)
}


def small(name: str, epsilon: Any, **given: Any) -> Any:
    """An estimator that is not fitted yet; it takes those of the given parameters, and of ``SMALL``, that it has."""
    own = inspect.signature(ESTIMATORS[name]).parameters
    return ESTIMATORS[name](epsilon, **{key: value for key, value in {**SMALL, **given}.items() if key in own})
