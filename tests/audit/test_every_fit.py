"""Every public estimator, found and not listed: one record more costs a whole fit epsilon at most.

The bits of a fit are given (each record draws its own, so one record more moves no other), and every release in it is
decided and priced by :mod:`tests.audit.fits`. That the guarantee holds for given bits is more than is promised.
"""

from itertools import product

import numpy as np
import pytest

from dampen import Budget, Category, entropy
from dampen.learn import Schema
from dampen.learn.estimator import PaidClassifier
from tests.audit.fits import Decision, worst_loss
from tests.estimators import ESTIMATORS, small

Table = tuple[tuple[int, int, int], ...]
SCHEMA = Schema({"a": Category([0, 1]), "b": Category([0, 1])}, classes=[0, 1])
TABLE: Table = ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 0), (1, 1, 1))
EPSILON = 12


class GivenBits:
    """Bits that follow from a key and a place: whoever draws for more records has the same for those before."""

    def __init__(self, key: int) -> None:
        self._key = key

    def bits(self, count: int) -> int:
        return self._key & ((1 << count) - 1)

    def words(self, count: int, width: int) -> np.typing.NDArray[np.uint16]:
        drawn = np.random.default_rng([self._key, width]).integers(0, 1 << width, 64)
        return drawn[:count].astype(np.uint16)


def shown(name: str, rows: Table) -> str:
    table = np.array(rows, dtype=np.int64)
    made = small(name, EPSILON, schema=SCHEMA, budget=Budget(epsilon=EPSILON), expected_records=40)
    return str(made.fit(table[:, :-1], table[:, -1]).to_json())


def near(true: Decision) -> list[Decision]:
    """The first count raised so far that a tree grows on, and the true counts."""
    return [(true[0] + 6, *true[1:]), true]


def worst_of(name: str, monkeypatch: pytest.MonkeyPatch) -> float:
    """The largest loss over some bits and two records more."""
    worst = 0.0
    for key, more in product(range(1, 9), [(0, 0, 1), (1, 0, 0)]):
        monkeypatch.setattr(entropy, "system_entropy", lambda key=key: GivenBits(key))
        loss, compared = worst_loss(TABLE, (*TABLE, more), lambda rows: shown(name, rows), near)
        assert compared > 1
        worst = max(worst, loss)
    return worst


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_record_costs_a_whole_fit_epsilon_at_most(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert EPSILON / 2 < worst_of(name, monkeypatch) <= EPSILON + 1e-9


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fit_at_twice_its_price_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = PaidClassifier._rate
    monkeypatch.setattr(PaidClassifier, "_rate", lambda made: 2 * real(made))
    assert worst_of(name, monkeypatch) > EPSILON + 0.1
