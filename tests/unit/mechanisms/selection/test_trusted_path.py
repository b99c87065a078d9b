"""`release` reaches no float generator and no function of the C library's exponentials and logarithms."""

import math

import numpy as np
import pytest

import dampen
from dampen.mechanisms import Exponential, PermuteAndFlip, ReportNoisyMax, SelectionMechanism, laws
from dampen.sampling import tables

FORBIDDEN = (
    [(math, name) for name in ("exp", "expm1", "log", "log1p", "log2", "pow", "sqrt")]
    + [(np, name) for name in ("exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "power", "sqrt", "cumsum")]
    + [(np.random, name) for name in ("default_rng", "random", "rand", "choice", "Generator", "PCG64")]
    + [(laws, name) for name in ("softmax", "permute_and_flip", "laplace_maximum")]
)


@pytest.fixture
def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    def reached(*args: object, **kwargs: object) -> None:
        raise AssertionError("a release reached a forbidden function")

    for module, name in FORBIDDEN:
        monkeypatch.setattr(module, name, reached)
    tables.log_table.cache_clear()
    tables.log_log_table.cache_clear()


@pytest.mark.usefixtures("forbid")
@pytest.mark.parametrize(
    "mechanism",
    [Exponential(1), PermuteAndFlip(1), *(ReportNoisyMax(1, noise) for noise in ("laplace", "exponential", "gumbel"))],
    ids=repr,
)
@pytest.mark.parametrize("utilities", [[3, 1, 0], [3.5, 1.0, 0.0], dampen.Runs([3, 0], [1, 2])], ids=str)
def test_release_stays_on_integers_and_certified_arithmetic(mechanism: SelectionMechanism, utilities: object) -> None:
    frame = dampen.Frame(("a", "b", "c"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    problem = dampen.SelectionProblem(frame, utilities)
    budget = dampen.Budget(epsilon=20)
    assert {mechanism.release(problem, budget=budget).value for _ in range(20)} <= {"a", "b", "c"}


@pytest.mark.usefixtures("forbid")
def test_the_traps_are_armed() -> None:
    frame = dampen.Frame(("a", "b"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE)
    problem = dampen.SelectionProblem(frame, [1, 0])
    with pytest.raises(AssertionError, match="forbidden"):
        PermuteAndFlip(1).log_probabilities(problem)
