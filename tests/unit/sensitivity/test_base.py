"""What every sensitivity function can tell, by the least of them."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from dampen.errors import ParameterError
from dampen.sensitivity import SensitivityFunction
from dampen.vectors import Floats

if TYPE_CHECKING:
    from tests.conftest import Refused


class Squares(SensitivityFunction):
    """s(t) = t squared, for every candidate."""

    def at(self, t: int) -> Floats:
        return np.full(self.size, float(t * t))


def test_the_cumulative_sum_stops_before_t() -> None:
    squares = Squares(size=2, bound=100)
    assert squares.cumulative(0).tolist() == [0, 0]
    assert squares.cumulative(4).tolist() == [0 + 1 + 4 + 9] * 2


def test_public_facts_are_exact_and_the_floor_is_a_millionth_of_the_bound() -> None:
    function = Squares(size=2, bound=0.1)
    assert function.bound == Fraction(1, 10)
    assert function.floor == Fraction(1, 10) / 2**20
    assert function.horizon is None
    assert Squares(size=2, bound=None, floor="1/3").floor == Fraction(1, 3)
    assert Squares(size=2, bound=None, floor=1).bound is None


def test_without_a_bound_a_floor_must_be_given(refused: "Refused") -> None:
    with refused(ParameterError, "floor"):
        Squares(size=2, bound=None)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"size": 0}, "size"),
        ({"size": 1.0}, "size"),
        ({"bound": 0}, "bound"),
        ({"bound": -1}, "bound"),
        ({"floor": 0}, "floor"),
        ({"floor": float("nan")}, "floor"),
    ],
)
def test_wrong_facts_are_refused_by_name(arguments: dict[str, Any], name: str, refused: "Refused") -> None:
    with refused(ParameterError, name):
        Squares(**{"size": 2, "bound": 1, **arguments})


@pytest.mark.parametrize("t", [-1, 1.0, True, None])
def test_t_is_a_whole_number(t: Any, refused: "Refused") -> None:
    with refused(ParameterError, "t must be a whole number", repr(t)):
        Squares(size=2, bound=1).cumulative(t)
