"""Remembered answers: what is written is read back, and the same question costs nothing."""

from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dampen import Adjacency, Budget, Number, PrivacyLoss, Table
from dampen.errors import ParameterError
from dampen.front.memory import FREE, KeptAccuracy, read_release, remembered, write_release
from dampen.mechanisms import Laplace
from dampen.mechanisms.noise_errors import NoiseAccuracy
from dampen.privacy import (
    Accuracy,
    GroupAccuracy,
    GroupRelease,
    ListRelease,
    NumericRelease,
    PrivateAccuracy,
    Receipt,
    Release,
    release_of,
)
from dampen.queries import row_count_problem

PLAIN = st.one_of(
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.text(max_size=20),
    st.dates(),
    st.none(),
)
LABELS = st.one_of(st.text(max_size=9), st.dates(), st.integers(), st.tuples(st.text(max_size=3), st.booleans()))
VALUES = st.one_of(
    PLAIN,
    st.lists(PLAIN, max_size=4).map(tuple),
    st.dictionaries(LABELS, st.one_of(PLAIN, st.dictionaries(LABELS, st.integers(), max_size=3)), max_size=4),
)
AMOUNTS = st.fractions(min_value=Fraction(1, 10**6), max_value=100)
LOSSES = st.builds(
    PrivacyLoss,
    AMOUNTS,
    st.sampled_from([0, "1e-6", Fraction(1, 3)]),
    adjacency=st.sampled_from(list(Adjacency)),
    unit=st.sampled_from(["", "row", "patient"]),
    bounded_range=st.one_of(st.none(), AMOUNTS),
    rho=st.one_of(st.none(), AMOUNTS),
)
NOISY = NoiseAccuracy(Laplace(1).noise(row_count_problem([], adjacency=Adjacency.ADD_REMOVE)))
KNOWN = st.one_of(
    st.none(),
    st.just(NOISY),
    st.builds(PrivateAccuracy, st.text(max_size=30)),
    st.builds(KeptAccuracy, st.floats(0, allow_nan=False), st.text(max_size=9), st.text(max_size=30)),
)


def same_kind(one: Any, other: Any) -> bool:
    """Equal, and of the same types within: 1, 1.0 and True are equal."""
    if type(one) is not type(other) or one != other:
        return False
    if isinstance(one, tuple):
        return all(same_kind(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        pairs = zip(one.items(), other.items(), strict=True)
        return all(same_kind(a, b) and same_kind(x, y) for (a, x), (b, y) in pairs)
    return True


def same_accuracy(one: Accuracy | None, other: Accuracy | None) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, GroupAccuracy):
        assert isinstance(other, GroupAccuracy)
        each = zip(one.groups.items(), other.groups.items(), strict=True)
        return all(label == again and same_accuracy(a, b) for (label, a), (again, b) in each)
    if isinstance(one, PrivateAccuracy):
        return one == other
    return (one.bound(), one.unit, one.statement()) == (other.bound(), other.unit, other.statement())


@given(value=VALUES, loss=LOSSES, mechanism=st.text(max_size=20), note=st.text(max_size=20), known=KNOWN)
def test_what_is_written_is_read_back(
    value: Any, loss: PrivacyLoss, mechanism: str, note: str, known: Accuracy | None
) -> None:
    answer = release_of(value, loss, mechanism, note, known)
    text = write_release(answer)
    assert text is not None
    assert text.splitlines() == [text]
    assert text.isascii()
    back = read_release(text)
    assert type(back) is type(answer)
    assert same_kind(back.value, value)
    assert (back.loss, back.mechanism, back.note) == (loss, mechanism, f"{note} ({FREE})")
    assert same_accuracy(known, back.accuracy)


@given(errors=st.dictionaries(LABELS, KNOWN.filter(lambda known: known is not None), min_size=1, max_size=3))
def test_groups_keep_an_error_each(errors: dict[Any, Accuracy]) -> None:
    loss = PrivacyLoss(1, adjacency=Adjacency.REPLACE)
    answer = GroupRelease(dict.fromkeys(errors, 5), loss, "m", "", GroupAccuracy(errors))
    text = write_release(answer)
    assert text is not None
    back = read_release(text)
    assert isinstance(back, GroupRelease)
    assert same_accuracy(answer.accuracy, back.accuracy)
    for label in errors:
        assert same_accuracy(answer[label].accuracy, back[label].accuracy)


class Odd:
    """A label of somebody's own."""


def test_a_loss_without_epsilon_is_read_back() -> None:
    loss = PrivacyLoss(None, adjacency=Adjacency.ADD_REMOVE, rho="1/50")
    text = write_release(release_of(5, loss, "Gaussian"))
    assert text is not None
    assert read_release(text).loss == loss


@pytest.mark.parametrize(
    "value",
    [np.int64(3), np.array([1]), Odd(), Decimal(1), Fraction(1, 3), datetime(2020, 1, 1), {Odd(): 1}, (1, Odd()), b"x"],
    ids=lambda value: type(value).__name__,
)
def test_what_could_not_be_read_back_is_not_written(value: Any) -> None:
    """A day is no moment, and a number of numpy no number of Python's: another type would be told the second time."""
    assert write_release(Release(value, PrivacyLoss(1, adjacency=Adjacency.EDGE), "m")) is None


def test_a_remembered_answer_names_the_entry_that_paid_for_it(tmp_path: Path) -> None:
    with closing(Budget.open(tmp_path / "study.db", epsilon=1, remember=True)) as ledger:
        table = Table({"pay": [1, 2, 3]}, columns={"pay": Number(0, 9)}, budget=ledger, name="staff")
        first, again = (table.count(epsilon="1/4") for _ in range(2))
        assert first.receipt == again.receipt == Receipt(3, f"3:{ledger.history()[2].hash}")
        assert again.certificate().as_dict()["privacy_budget"]["entry"] == 3
        assert ledger.spent.epsilon == Fraction(1, 4)


def test_kinds_of_releases() -> None:
    loss = PrivacyLoss(1, adjacency=Adjacency.EDGE)
    kinds = {5: NumericRelease, 0.5: NumericRelease, (1, 2): ListRelease, "a": Release, True: Release}
    for value, kind in kinds.items():
        assert type(read_release(write_release(release_of(value, loss, "m")) or "")) is kind


def test_a_kept_error_is_that_of_95_percent() -> None:
    answer = NumericRelease(5, PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE), "m", "", NOISY)
    back = read_release(write_release(answer) or "")
    assert str(back.error()) == str(answer.error())
    assert float(back.error("0.95")) == 3
    with pytest.raises(ParameterError, match="a remembered answer knows no other error"):
        back.error("0.9")


class Asked:
    """Counts how often it is asked."""

    def __init__(self, value: Any = 5) -> None:
        self.times, self.value = 0, value

    def __call__(self) -> Release:
        self.times += 1
        return release_of(self.value, PrivacyLoss(1, adjacency=Adjacency.ADD_REMOVE), "m", "why")


def test_the_same_key_is_asked_once() -> None:
    budget, ask = Budget(epsilon=1, remember=True), Asked()
    first, again = remembered(budget, "k", ask), remembered(budget, "k", ask)
    assert (ask.times, first.note, again.note) == (1, "why", f"why ({FREE})")
    assert first == again
    remembered(budget, "another", ask)
    assert ask.times == 2


@pytest.mark.parametrize("key", ["", None])
def test_without_a_key_nothing_is_remembered(key: str | None) -> None:
    budget, ask = Budget(epsilon=1, remember=True), Asked()
    for _ in range(2):
        assert remembered(budget, key, ask).note == "why"
    assert ask.times == 2


def test_a_budget_that_does_not_remember_is_asked_again() -> None:
    class Payer:
        def reserve(self, loss: PrivacyLoss, *, note: str = "") -> Any: ...

    for budget in (Budget(epsilon=1), Payer()):
        ask = Asked()
        remembered(budget, "k", ask)
        remembered(budget, "k", ask)
        assert ask.times == 2


def test_what_cannot_be_written_is_asked_again() -> None:
    budget, ask = Budget(epsilon=1, remember=True), Asked(Odd())
    for _ in range(2):
        assert remembered(budget, "k", ask).value is ask.value
    assert ask.times == 2


def test_a_key_is_public_words_and_never_data() -> None:
    """The same words find the answer, whatever the data are by then: a miss would tell that they have changed."""
    budget = Budget(epsilon=2, remember=True)
    columns: dict[str, Any] = {"pay": Number(0, 10)}
    before = Table({"pay": [1, 2]}, columns=columns, budget=budget, name="staff").count(epsilon=1)
    after = Table({"pay": [None] * 9}, columns=columns, budget=budget, name="staff").count(epsilon=1)
    assert before.value == after.value
    assert budget.spent.epsilon == 1


def test_days_are_days() -> None:
    told = read_release(write_release(Release(date(2020, 2, 29), PrivacyLoss(1, adjacency=Adjacency.EDGE), "m")) or "")
    assert told.value == date(2020, 2, 29)
