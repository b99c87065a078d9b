"""Totals under caps: what is public of them, what is refused, and that nothing of the data shows."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency
from dampen.errors import DataError, NotPublic, ParameterError
from dampen.problem import CapFrame, CapProblem, SignedCapProblem

ADD_REMOVE = Adjacency.ADD_REMOVE
FRAME = CapFrame(ADD_REMOVE, caps=4)


def test_caps_are_doublings_up_to_the_last_or_as_listed() -> None:
    assert CapFrame(ADD_REMOVE).caps == tuple(2**j for j in range(21))
    assert CapFrame(ADD_REMOVE, caps=8).caps == (1, 2, 4, 8)
    assert CapFrame(ADD_REMOVE, caps=10).caps == (1, 2, 4, 8, 10)
    assert CapFrame(ADD_REMOVE, caps=1).caps == (1,)
    assert CapFrame(ADD_REMOVE, caps=int(np.int64(2))).caps == (1, 2)
    assert CapFrame(ADD_REMOVE, caps=[3, 5]).caps == (3, 5)
    assert CapFrame(ADD_REMOVE, caps=[3, 5]).last == 1


def test_a_person_is_the_unit_unless_another_is_named() -> None:
    assert FRAME.unit == "person"
    assert CapFrame(ADD_REMOVE, unit="patient").unit == "patient"
    assert FRAME.spread == 1
    assert CapFrame(ADD_REMOVE, spread=3, resolution="1/100") == CapFrame(ADD_REMOVE, spread=3, resolution=0.01)


@pytest.mark.parametrize("caps", [0, -1, [], [2, 2], [4, 2], [0, 1], [1.5], "12", None, 1.5])
def test_odd_caps_are_refused(caps: Any) -> None:
    with pytest.raises(ParameterError, match="caps must be"):
        CapFrame(ADD_REMOVE, caps=caps)


def test_other_public_arguments_are_checked() -> None:
    with pytest.raises(ParameterError, match="EDGE"):
        CapFrame(Adjacency.EDGE)
    with pytest.raises(ParameterError, match="spread must be positive"):
        CapFrame(ADD_REMOVE, spread=0)
    with pytest.raises(ParameterError, match="resolution must be positive"):
        CapFrame(ADD_REMOVE, resolution=-1)
    with pytest.raises(ParameterError, match="unit must be one line"):
        CapFrame(ADD_REMOVE, unit="a\nb")
    with pytest.raises(ParameterError, match="frame must be a CapFrame"):
        CapProblem("frame", [1], [1])  # type: ignore[arg-type]


def test_counts_and_sums_are_exact() -> None:
    problem = CapProblem(FRAME, np.array([5, 2, 0]), [7, 9, 2**70])
    assert list(map(int, problem.above)) == [5, 2, 0]
    assert problem.sums == (7, 9, 2**70)
    assert CapProblem(FRAME, [Fraction(1, 2), -1, 0]).above == (Fraction(1, 2), Fraction(-1), Fraction(0))
    assert CapProblem(FRAME, [1, 1, 1]).sums is None


@pytest.mark.parametrize(
    ("above", "sums", "rule"),
    [
        ([1, 2], [1, 2, 3], "above must be exactly one number per cap: 3 are needed"),
        ([1, 2, 3], [1, 2, 3, 4], "sums must be exactly one number per cap: 3 are needed"),
        ([1.0, 2, 3], [1, 2, 3], "above must be whole numbers or fractions"),
        ([True, 2, 3], [1, 2, 3], "above must be whole numbers or fractions"),
        ([1, 2, 3], [1, Fraction(1, 2), 3], "sums must be whole numbers"),
        ([1, 2, 3], [1, "98765432", 3], "sums must be whole numbers"),
    ],
)
def test_what_is_no_number_per_cap_is_refused_and_not_shown(above: Any, sums: Any, rule: str) -> None:
    with pytest.raises(DataError) as refused:
        CapProblem(FRAME, above, sums)
    assert str(refused.value) == rule


def test_printing_shows_the_frame_alone() -> None:
    problem = CapProblem(FRAME, [98765432, 2, 0], [98765432] * 3)
    signed = SignedCapProblem(problem, problem)
    for each in (problem, signed):
        assert "98765432" not in repr(each)
        assert repr(FRAME) in repr(each)
        assert repr(each.as_public()).endswith(", public)")
    assert repr(FRAME) == ("CapFrame(Adjacency.ADD_REMOVE, 3 caps up to 4, spread=1, resolution=1, unit='person')")


def test_signed_totals_share_a_frame_and_have_sums() -> None:
    one = CapProblem(FRAME, [1, 0, 0], [1, 1, 1])
    for other in (CapProblem(CapFrame(ADD_REMOVE, 4, unit="ship"), [0] * 3, [0] * 3), CapProblem(FRAME, [0] * 3)):
        with pytest.raises(ParameterError, match="must have the same frame, and sums"):
            SignedCapProblem(one, other)
    with pytest.raises(ParameterError, match="must be a CapProblem each"):
        SignedCapProblem(one, None)  # type: ignore[arg-type]


def test_what_shows_data_needs_public_data() -> None:
    one = CapProblem(FRAME, [1, 0, 0], [1, 1, 1])
    for each in (one, SignedCapProblem(one, one), SignedCapProblem(one.as_public(), one)):
        with pytest.raises(NotPublic, match="simulate"):
            each.require_public("simulate")
        each.as_public().require_public("simulate")
