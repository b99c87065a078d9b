"""Permute-and-flip against its algorithm, all coins enumerated."""

from itertools import product
from math import exp, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, Frame, SelectionProblem
from dampen.mechanisms import Exponential, PermuteAndFlip


def enumerated(utilities: list[int], rate: float) -> list[float]:
    """Every way the coins can fall, one of the heads taken uniformly."""
    heads = [exp(rate * (utility - max(utilities))) for utility in utilities]
    law = [0.0] * len(utilities)
    for coins in product((True, False), repeat=len(utilities)):
        weight = prod(p if coin else 1 - p for p, coin in zip(heads, coins, strict=True))
        for place, coin in enumerate(coins):
            law[place] += weight / sum(coins) if coin else 0.0
    return law


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=6), st.sampled_from(["1/10", "1", "4"]), st.booleans())
def test_the_law_is_that_of_the_coins(utilities: list[int], epsilon: str, monotone: bool) -> None:
    frame = Frame(range(len(utilities)), 2, Adjacency.ADD_REMOVE, monotone)
    mechanism = PermuteAndFlip(epsilon)
    rate = float(mechanism.epsilon) / (2 if monotone else 4)
    law = np.exp(np.asarray(mechanism.log_probabilities(SelectionProblem(frame, utilities))))
    assert law == pytest.approx(enumerated(utilities, rate), rel=1e-11)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=20), st.sampled_from(["1/10", "1", "4"]))
def test_its_expected_utility_is_never_below_the_exponential_mechanism_s(utilities: list[int], epsilon: str) -> None:
    problem = SelectionProblem(Frame(range(len(utilities)), 1, Adjacency.ADD_REMOVE), utilities)
    flip, softmax = (
        np.exp(np.asarray(mechanism.log_probabilities(problem))) @ np.array(utilities)
        for mechanism in (PermuteAndFlip(epsilon), Exponential(epsilon))
    )
    assert flip >= softmax - 1e-10


def test_it_prints_its_parameters() -> None:
    assert repr(PermuteAndFlip(epsilon="1/2")) == "PermuteAndFlip(epsilon=0.5)"
