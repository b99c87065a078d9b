"""Whoever pays gets a model: what is read only after payment was seen to fit before, from public things alone."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dampen
from dampen import Budget, Category, Number
from dampen.errors import ParameterError
from dampen.learn import PrivateClassifier, PrivateScorecard, Schema
from dampen.learn.joint_model import THRESHOLD, schema_noise_share

NUMBERS = (10, 11, 12, 13)
"""So many numbers without ``bins`` make too many cells for votes: 11 with those of points, 13 by themselves."""


def people(numbers: int, budget: Budget) -> dampen.Table:
    rng = np.random.default_rng(0)
    data: dict[str, Any] = {f"x{place}": rng.random(60) for place in range(numbers)}
    data |= {"who": rng.integers(0, 50, 60), "y": np.where(data["x0"] > 0.5, "y", "n")}
    columns = {f"x{place}": Number(0, 1) for place in range(numbers)} | {"y": Category("n", "y")}
    return dampen.Table(data, columns=columns, budget=budget, person="who")


@pytest.mark.parametrize("kind", [None, "joint", "table"])
@pytest.mark.parametrize("numbers", NUMBERS)
def test_nothing_is_spent_without_a_model(numbers: int, kind: str | None) -> None:
    budget, model = Budget(epsilon=50), PrivateClassifier(50, expected_records=300, kind=kind)
    if numbers > 12 or (kind == "joint" and numbers > 10):
        with pytest.raises(ParameterError, match="must make fewer than 2\\*\\*62 cells"):
            model.fit(people(numbers, budget), "y")
        assert budget.spent.epsilon == 0
    else:
        model.fit(people(numbers, budget), "y")
        assert budget.spent.epsilon == 50
        assert model.kind_ == (kind or ("table" if numbers > 10 else "joint"))


def test_why_a_table_was_taken_where_votes_have_too_many_cells() -> None:
    model = PrivateClassifier(50, expected_records=300).fit(people(11, Budget(epsilon=50)), "y")
    assert "at most 0.02: but a joint model counts the votes of persons by all values" in model.why_
    assert PrivateClassifier.from_json(model.to_json()).why_ == model.why_


@pytest.mark.parametrize("kind", [None, "joint", "table", "scorecard"])
@pytest.mark.parametrize("rows", [[], np.empty((0, 3))], ids=["no columns", "no rows"])
def test_an_empty_table_is_a_table(rows: Any, kind: str | None) -> None:
    schema, budget = Schema.any(0, 1, bins=4, classes=[0, 1]), Budget(epsilon=5)
    card = kind == "scorecard"
    made = PrivateScorecard(5, schema, budget) if card else PrivateClassifier(5, schema, budget, kind=kind)
    assert made.fit(rows, []).predict(rows).shape == (0,)
    assert budget.spent.epsilon == 5


@pytest.mark.parametrize("bins", [None, 3])
def test_cuts_that_are_drawn_make_no_more_cells_than_were_seen_to_fit(bins: int | None) -> None:
    """Numbers without bounds: where they are cut is known after payment alone."""
    rng, budget = np.random.default_rng(0), Budget(epsilon=50)
    data = {f"x{place}": rng.integers(0, 50, 200) for place in range(13)}
    columns: dict[str, Any] = {name: Number(unit=1, bins=bins) for name in data} | {"y": Category("n", "y")}
    data |= {"who": np.arange(200), "y": np.where(data["x0"] > 25, "y", "n")}
    PrivateClassifier(50, expected_records=200, kind="joint").fit(
        dampen.Table(data, columns=columns, budget=budget, person="who"), "y"
    )
    assert budget.spent.epsilon == 50


@pytest.mark.parametrize("off", [Fraction(0), Fraction(1, 1000), Fraction(-1, 1000), Fraction(1, 10**9), Fraction(1)])
def test_the_share_of_noise_is_told_with_digits_enough(off: Fraction) -> None:
    """Just above the threshold it is not told to be the threshold."""
    schema = Schema({"a": Category("x", "y", "z")}, classes=["n", "y"])
    epsilon = schema_noise_share(schema, Fraction(1), 100) / THRESHOLD / (1 + off)
    model = PrivateClassifier(epsilon, schema, Budget(epsilon=99), expected_records=100).fit({"a": ["x"]}, ["n"])
    told = model.why_.partition("rho is ")[2].split(",")
    assert (Fraction(told[0]) > THRESHOLD) == (off > 0)
    assert told[1].strip().startswith("above 0.02" if off > 0 else "at most 0.02")
