"""Frames and problems: what they refuse, what they show, who may look."""

from collections import UserList
from collections.abc import Sequence
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from dampen import Adjacency, Frame, Runs, SelectionProblem
from dampen.errors import DataError, NotPublic, ParameterError
from dampen.mechanisms import PermuteAndFlip
from dampen.sensitivity import Constant, RungTable, SensitivityFunction

if TYPE_CHECKING:
    from tests.conftest import Refused

ADD_REMOVE = Adjacency.ADD_REMOVE
FRAME = Frame(("a", "b", "c"), bound=10, adjacency=ADD_REMOVE)


def test_a_frame_keeps_what_is_public_exactly() -> None:
    frame = Frame(candidates=["a", "b"], bound=0.1, adjacency=Adjacency.EDGE, monotone=True)
    assert frame.candidates == ("a", "b")
    assert frame.bound == Fraction(1, 10)
    assert frame.monotone is True
    assert frame.unit == "edge"
    assert Frame(("a",), None, ADD_REMOVE, unit="patient").unit == "patient"
    assert Frame(("a",), None, ADD_REMOVE).bound is None


def test_a_frame_may_hold_a_range_without_writing_it_out() -> None:
    assert Frame(range(10**12), 1, ADD_REMOVE).candidates == range(10**12)


def test_frames_and_problems_are_frozen() -> None:
    problem = SelectionProblem(FRAME, [1, 2, 3])
    with pytest.raises(FrozenInstanceError):
        FRAME.bound = Fraction(1)  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        problem.public = True  # type: ignore[misc]


@pytest.mark.parametrize("candidates", [(), [], range(0), np.array([]), np.array([], dtype=str)], ids=repr)
def test_empty_candidates_are_refused(candidates: Any, refused: "Refused") -> None:
    with refused(ParameterError, "candidates", "empty"):
        Frame(candidates, 1, ADD_REMOVE)


@pytest.mark.parametrize(
    "candidates",
    [
        ("secret", "b", "secret"),
        ["secret", "b", "secret"],
        np.array(["secret", "b", "secret"]),
        np.array(["secret", "b", "secret"], dtype=object),
        np.array([3, 1, 3]),
        np.array([[1, 2], [1, 2]]),
        (["secret"], ["b"], ["secret"]),
        [{"secret": 1}, {"secret": 1}],
        UserList(["secret", "b", "secret"]),
        pd.Index(["secret", "b", "secret"]),
    ],
    ids=["tuple", "list", "array", "objects", "numbers", "rows", "lists", "dicts", "UserList", "Index"],
)
def test_duplicate_candidates_are_refused(candidates: Any, refused: "Refused") -> None:
    with refused(ParameterError, "candidates", "distinct", hidden=("secret",)):
        Frame(candidates, 1, ADD_REMOVE)


@pytest.mark.parametrize(
    "candidates",
    [(["a"], ["b"]), (np.array([1, 2]), np.array([1, 3])), np.array(["a", 1], dtype=object), ("a", 1, None)],
    ids=["lists", "arrays", "mixed objects", "mixed"],
)
def test_distinct_candidates_of_any_kind_are_taken(candidates: Any) -> None:
    assert len(Frame(candidates, 1, ADD_REMOVE).candidates) == len(candidates)


@pytest.mark.parametrize(
    "candidates",
    ["abc", {"a", "b"}, 3, None, iter("ab"), {"a": 1, "b": 2}, np.array(5)],
    ids=["text", "set", "number", "None", "iterator", "mapping", "scalar array"],
)
def test_candidates_are_a_sequence(candidates: Any, refused: "Refused") -> None:
    """Anything that is not indexed by 0, 1, ... would fail only after it was paid for."""
    with refused(ParameterError, "candidates"):
        Frame(candidates, 1, ADD_REMOVE)


@pytest.mark.parametrize("bound", [0, -1, float("nan"), float("inf"), True, "abc", "1/0"], ids=repr)
def test_a_bound_is_positive_or_none(bound: Any, refused: "Refused") -> None:
    with refused(ParameterError, "bound", repr(bound)):
        Frame(("a",), bound, ADD_REMOVE)


@pytest.mark.parametrize("adjacency", ["ADD_REMOVE", None, 1])
def test_an_adjacency_is_one_of_the_three(adjacency: Any, refused: "Refused") -> None:
    with refused(ParameterError, "adjacency", "Adjacency.REPLACE", str(adjacency)):
        Frame(("a",), 1, adjacency)


@pytest.mark.parametrize(
    ("utilities", "rule"),
    [
        ([987654, 2], "3 are needed"),
        ([987654, 2, 3, 4], "3 are needed"),
        ([], "3 are needed"),
        (Runs([987654, 2], [1, 1]), "3 are needed"),
        (Runs([987654], [4]), "3 are needed"),
        ([987654.0, float("nan"), 1.0], "finite"),
        ([987654.0, float("inf"), 1.0], "finite"),
        ([987654, None, 1], "utilities"),
        (np.array([987654, {1}, 2], dtype=object), "numbers"),
        (["987654", "2", "3"], "numbers"),
        ([2**62 + 987654, 1, 2], "2**62"),
        (np.array([2**64 - 987654, 1, 2], dtype=np.uint64), "2**62"),
        ([[987654, 1, 2]], "one-dimensional"),
        (np.full((3, 1), 987654), "one-dimensional"),
        ("987", "one-dimensional"),
        (987654, "one-dimensional"),
    ],
)
def test_wrong_utilities_are_refused_without_a_value(utilities: Any, rule: str, refused: "Refused") -> None:
    with refused(DataError, "utilities", rule, hidden=("987",)):
        SelectionProblem(FRAME, utilities)


def test_utilities_are_whole_numbers_or_floats_by_type_not_by_value() -> None:
    assert SelectionProblem(FRAME, [1, 2, 3]).integral
    assert SelectionProblem(FRAME, [True, False, True]).integral
    assert not SelectionProblem(FRAME, [1.0, 2.0, 3.0]).integral
    assert not SelectionProblem(FRAME, Runs([1.0], [3])).integral


@pytest.mark.parametrize(
    ("sensitivity", "rule"),
    [
        (RungTable([[1, 1]], bound=10), "3 candidates"),
        (Constant(10, size=4), "3 candidates"),
        (RungTable([[1, 1, 1]], bound=5), "bound"),
        (Constant(9, size=3), "got 9 and 10"),
        (3, "SensitivityFunction"),
        ([[1, 1, 1]], "SensitivityFunction"),
    ],
)
def test_the_sensitivity_speaks_for_the_same_candidates_and_bound(
    sensitivity: Any, rule: str, refused: "Refused"
) -> None:
    with refused(ParameterError, "sensitivity", rule):
        SelectionProblem(FRAME, [3, 1, 0], sensitivity)


def test_with_runs_the_sensitivity_speaks_for_the_groups(refused: "Refused") -> None:
    runs = Runs([5, 7], [2, 1])
    assert SelectionProblem(FRAME, runs, RungTable([[1, 2]], bound=10)).sensitivity.size == 2
    with refused(DataError, "groups of the runs", hidden=("2", "3")):
        SelectionProblem(FRAME, runs, RungTable([[1, 2, 3]], bound=10))


def test_the_sensitivity_defaults_to_the_bound_and_must_be_given_where_there_is_none(refused: "Refused") -> None:
    default = SelectionProblem(FRAME, [3, 1, 0]).sensitivity
    assert isinstance(default, Constant)
    assert default.bound == 10
    assert default.size == 3
    with refused(ParameterError, "sensitivity"):
        SelectionProblem(Frame(("a", "b", "c"), None, ADD_REMOVE), [3, 1, 0])


@pytest.mark.parametrize("frame", [None, ("a", "b", "c"), 3])
def test_a_problem_needs_a_frame(frame: Any, refused: "Refused") -> None:
    with refused(ParameterError, "frame"):
        SelectionProblem(frame, [3, 1, 0])


def test_printing_shows_the_frame_and_never_data() -> None:
    sensitivity: SensitivityFunction = RungTable([[1.25, 1.75, 2.25]], bound=10)
    for utilities in ([98765, 43210, 31337], Runs([98765, 43210, 31337], [1, 1, 1])):
        problem = SelectionProblem(FRAME, utilities, sensitivity)
        for shown in (repr(problem), str(problem), repr(FRAME), repr(utilities)[:5], repr(problem.sensitivity)):
            assert not any(secret in shown for secret in ("98765", "43210", "31337", "1.25", "1.75", "2.25"))
        assert "3 candidates" in repr(problem)
        assert "bound=10" in repr(problem)
    assert "alice" not in repr(Frame(("alice", "bob"), 1, ADD_REMOVE))


def test_a_mark_makes_a_public_copy_and_leaves_the_original() -> None:
    sensitivity = RungTable([[1, 1, 1]], bound=10)
    problem = SelectionProblem(FRAME, [3, 1, 0], sensitivity)
    marked = problem.as_public()
    assert (problem.public, marked.public) == (False, True)
    assert marked.frame is problem.frame
    assert marked.sensitivity is sensitivity
    assert np.asarray(marked.utilities).tolist() == [3, 1, 0]
    assert "public" in repr(marked)
    assert "public" not in repr(problem)


def test_only_a_marked_problem_is_simulated(refused: "Refused") -> None:
    problem = SelectionProblem(FRAME, [98765, 1, 0])
    with refused(NotPublic, "simulate", "as_public()", hidden=("98765",)):
        PermuteAndFlip(1).simulate(problem, np.random.default_rng(0), size=1)
    assert len(PermuteAndFlip(1).simulate(problem.as_public(), np.random.default_rng(0), size=5)) == 5


class EveryInteger(Sequence[int]):
    """More candidates than ``len`` can tell."""

    total = 2**70

    def __len__(self) -> int:
        raise OverflowError

    def __getitem__(self, index: Any) -> Any:
        return index


@pytest.mark.parametrize("candidates", [EveryInteger(), range(2**70)], ids=["own sequence", "range"])
def test_a_frame_may_hold_more_candidates_than_64_bits_count(candidates: Sequence[int]) -> None:
    frame = Frame(candidates, 1, ADD_REMOVE)
    problem = SelectionProblem(frame, Runs([5, 0], [2**69, 2**69]))
    assert f"{2**70} candidates" in repr(problem)
    with pytest.raises(DataError, match="one per candidate"):
        SelectionProblem(frame, Runs([5, 0], [2**69, 2**69 + 1]))


@pytest.mark.parametrize("runs", [False, True])
def test_a_bound_that_leaves_no_floor_is_refused_before_anything_is_paid(runs: bool) -> None:
    frame = Frame(("a", "b"), Fraction(1, 2**505), ADD_REMOVE)
    with pytest.raises(ParameterError, match="floor must"):
        SelectionProblem(frame, Runs([1, 2], [1, 1]) if runs else [1, 2])


@pytest.mark.parametrize("runs", [False, True])
def test_without_a_bound_a_sensitivity_is_needed(runs: bool) -> None:
    frame = Frame(("a", "b"), None, ADD_REMOVE)
    with pytest.raises(ParameterError, match="sensitivity must be a SensitivityFunction"):
        SelectionProblem(frame, Runs([1, 2], [1, 1]) if runs else [1, 2])
