"""Mechanisms and estimators of diffprivlib as draws.

Nothing of diffprivlib is imported: its objects are told by what they can do, in whatever environment they live.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, PrivacyLoss


def as_draw(mechanism: Any) -> Callable[[Any], Any]:
    """A function from a value to what a mechanism, such as ``Laplace(epsilon=1, sensitivity=1)``, makes of it."""
    if not callable(getattr(mechanism, "randomise", None)):
        raise ParameterError(f"mechanism must have a method randomise, as in diffprivlib; got {render(mechanism)}")
    randomise: Callable[[Any], Any] = mechanism.randomise
    return randomise


def as_claim(mechanism: Any, *, adjacency: Adjacency = Adjacency.REPLACE) -> PrivacyLoss:
    """What a mechanism or an estimator claims, by its attributes ``epsilon`` and ``delta``."""
    epsilon = getattr(mechanism, "epsilon", None)
    if epsilon is None:
        raise ParameterError(f"mechanism must have an epsilon, as in diffprivlib; got {render(mechanism)}")
    return PrivacyLoss(epsilon, getattr(mechanism, "delta", None) or 0, adjacency=adjacency)


def estimator_as_draw(make: Callable[[], Any], *, outputs: Sequence[str]) -> Callable[[Any], dict[str, Any]]:
    """A function from data to some attributes of an estimator that was fitted to it.

    ``make()`` returns a new estimator, such as ``lambda: GaussianNB(epsilon=1, bounds=(0, 1))``. Data is what its
    ``fit`` takes: a tuple of arguments, or one argument. ``outputs`` name the attributes that are published.
    """
    if not callable(make):
        raise ParameterError(f"make must be a function that returns a new estimator; got {render(make)}")
    if isinstance(outputs, str) or not outputs:
        raise ParameterError(f"outputs must be a list of names of attributes; got {render(outputs)}")

    def draw(data: Any) -> dict[str, Any]:
        fitted = make()
        fitted.fit(*data) if isinstance(data, tuple) else fitted.fit(data)
        return {name: getattr(fitted, name) for name in outputs}

    return draw
