"""The exponential mechanism by its formula."""

from fractions import Fraction

import numpy as np
import pytest

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import Exponential


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize(("epsilon", "bound"), [(1, 1), ("1/10", 1), (3, 2), (0.5, "1/3")])
def test_the_law_is_the_softmax_of_the_scaled_utilities(epsilon: float | str, bound: int | str, monotone: bool) -> None:
    utilities = np.array([7, 5, 5, 0, -20])
    frame = Frame(range(5), bound, Adjacency.ADD_REMOVE, monotone)
    rate = float(Fraction(str(epsilon)) / Fraction(bound) / (1 if monotone else 2))
    weights = np.exp(rate * (utilities - 7))
    law = np.exp(np.asarray(Exponential(epsilon).log_probabilities(SelectionProblem(frame, utilities))))
    assert law == pytest.approx(weights / weights.sum(), rel=1e-13)


def test_it_prints_its_parameters() -> None:
    assert repr(Exponential(epsilon=0.1)) == "Exponential(epsilon=0.1)"
    assert repr(Exponential(epsilon="1/3")) == "Exponential(epsilon=1/3)"
