"""How outputs are read: numbers in columns, all else as labels, each output by itself."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dampen import Adjacency, PrivacyLoss
from dampen.audit.leaves import Raised
from dampen.audit.outputs import Layout, Outputs
from dampen.privacy import release_of


def test_plain_numbers_are_one_column() -> None:
    outputs = Outputs([1, 2.5, True])
    assert outputs.column("the output").tolist() == [1, 2.5, 1]
    assert outputs.types == ["int", "float", "bool"]
    assert np.isnan(outputs.lengths).all()


@pytest.mark.parametrize("number", [Fraction(1, 2), Decimal("0.5"), np.float64(0.5), np.float32(0.5)])
def test_numbers_of_other_types_are_numbers(number: Any) -> None:
    assert Outputs([number, "none"]).column("the output").tolist()[0] == 0.5


def test_a_release_is_its_value() -> None:
    loss = PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE)
    assert Outputs([release_of(3, loss, "toy"), 4]).column("the output").tolist() == [3, 4]


def test_vectors_and_mappings_have_a_column_for_each_entry() -> None:
    for drawn in ([(1, 2), (3, 4)], [[1, 2], [3, 4]], [np.array([1, 2]), np.array([3, 4])], np.array([[1, 2], [3, 4]])):
        outputs = Outputs(drawn)
        assert outputs.column("entry 1").tolist() == [2, 4]
        assert outputs.lengths.tolist() == [2, 2]
    assert Outputs([{"a": 1, "b": (5, "x")}]).names == {"entry 'a'": 0, "entry 'b', 0": 1}
    assert Outputs([{"a": 1, "b": (5, "x")}]).labels("entry 'b', 1") == ["x"]


def test_ragged_and_mixed_outputs_keep_their_places() -> None:
    outputs = Outputs([(1, 2), (3,), "nothing", Raised("ValueError", "no")])
    assert outputs.column("entry 0").tolist()[:2] == [1, 3]
    assert np.isnan(outputs.column("entry 1")).tolist() == [False, True, True, True]
    assert outputs.labels("the output") == [None, None, "nothing", Raised("ValueError", "no")]
    assert outputs.types[3] == "an exception (ValueError)"


def test_numbers_that_are_none_are_labels() -> None:
    for drawn in ([float("nan"), 1.0], [float("nan"), "x"], np.array([np.nan, 1.0]), [Decimal("sNaN"), Decimal(1)]):
        assert Outputs(drawn).labels("the output")[0] == "nan"
    assert Outputs([10**400, -(10**400)]).column("the output").tolist() == [np.inf, -np.inf]


def test_what_looks_alike_to_python_is_told_apart() -> None:
    """1, 1.0 and True are equal and have one hash; so have 0.0 and -0.0."""
    outputs = Outputs([(0.0, "a"), (-0.0, "a"), (0, "a")])
    assert np.signbit(outputs.column("entry 0")).tolist() == [False, True, False]


def test_sets_are_memberships() -> None:
    outputs = Outputs([{"a"}, {"a", "b"}, set()])
    assert np.nan_to_num(outputs.column("entry 'b'")).tolist() == [0, 1, 0]


def test_objects_are_told_by_their_text_without_addresses() -> None:
    class Thing:
        pass

    one, other = Outputs([Thing(), Thing()]).labels("the output")
    assert one == other
    assert Raised.by(ValueError(f"bad {object()!r}")) == Raised.by(ValueError(f"bad {object()!r}"))


def test_each_output_is_read_by_itself() -> None:
    """What an output is in a layout does not hang on what else was drawn: each alone, and all together."""
    drawn = [(1, 2.0), {"b": 1}, {"a": 3, "b": -0.0}, "x", None, float("nan"), 7, (1, ("y", 2)), Raised("E", "t")]
    together = Outputs(drawn)
    for place, each in enumerate(drawn):
        alone = Outputs([each]).on(together.layout)
        assert repr(alone.matrix[0]) == repr(together.matrix[place])
        assert alone.rows[0] == together.rows[place]
        assert alone.types[0] == together.types[place]


def test_layouts_of_both_have_all_columns() -> None:
    layout = Layout.of_both(Outputs([{"a": 1}]), Outputs([{"b": "x"}, {"c": 2}]))
    assert layout.paths == (("a",), ("c",))
    assert layout.entries == ("entry 'b'",)


@pytest.mark.parametrize("array", [np.array([1, 2]), np.array([1.0, 2.0]), np.array([True]), np.ones((2, 3))])
def test_an_array_of_outputs_is_read_as_its_outputs_are(array: Any) -> None:
    together, apart = Outputs(array), Outputs(list(array))
    assert together.types == apart.types
    assert together.rows == apart.rows
    assert repr(together.lengths) == repr(apart.lengths)


def test_parts_are_parts() -> None:
    part = Outputs([(1, "a"), (2, "b"), (3, "c"), (4, "d")]).part(1, 4, 2)
    assert part.rows == [(2.0, "b"), (4.0, "d")]
    assert len(part) == 2
