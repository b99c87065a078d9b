"""Whole fits to numbers without bounds: the joint law of their cuts and of the model that is drawn between them.

``fit`` runs as it is, through ``dampen.Table``; every draw in it is decided from outside and priced (``fits.py``). A
small grid stands in for the one of 14,335 values. Proof: docs/proofs/private_cuts.md.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import dampen
from dampen import Adjacency, Budget, Category, Number
from dampen.learn import PrivateClassifier, PrivateForestClassifier, PrivateTreeClassifier, private_cuts, training_table
from dampen.learn.estimator import PaidClassifier
from dampen.questions import many_percentiles
from dampen.questions.people import votes
from dampen.tables.grid import Grid, as_grid
from tests.audit.fits import Decision, worst_loss

EPSILON = 4
Rows = tuple[tuple[str, int, int], ...]
"""Whose, the number, and the class."""
ROWS: tuple[Rows, ...] = (
    (),
    (("ann", 0, 0), ("bob", 2, 1)),
    (("ann", 0, 0), ("bob", 0, 0), ("cid", 2, 1), ("dee", 2, 1)),
)
NEW: tuple[Rows, ...] = tuple((("eve", number, kind),) for number, kind in product((0, 1, 2), (0, 1)))
MORE: tuple[Rows, ...] = (*NEW[::3], (("eve", 0, 1), ("eve", 2, 0)), (("eve", 2, 0),) * 3)


def small_grid(unit: Any, leading_bits: int) -> Grid:
    return as_grid(range(3))


@pytest.fixture(autouse=True)
def _small_world(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of epsilon for cuts, so that a fault of either half is seen; no row is scattered, which is audited alone."""
    monkeypatch.setattr(private_cuts, "unbounded_grid", small_grid)
    monkeypatch.setattr(private_cuts, "SHARE", Fraction(1, 2))
    monkeypatch.setattr(many_percentiles, "FINENESS", 0)
    monkeypatch.setattr(training_table, "BITS", 2)
    monkeypatch.setattr(votes, "BITS", 2)


def near(true: Decision) -> list[Decision]:
    """Counts that a tree grows on, and the true ones."""
    return [tuple(count + 100 * (place % 2 == 0) for place, count in enumerate(true)), true]


def fit_table(table: dampen.Table) -> Any:
    return PrivateClassifier(EPSILON, expected_records=10, kind="table").fit(table, "kind")


def fit_joint(table: dampen.Table) -> Any:
    return PrivateClassifier(EPSILON, expected_records=10, kind="joint").fit(table, "kind")


def fit_tree(table: dampen.Table) -> Any:
    return PrivateTreeClassifier(EPSILON, 1).fit(table, "kind")


def fit_labels(table: dampen.Table) -> Any:
    """One tree, so that the seats of rows are no matter of chance."""
    return PrivateForestClassifier(EPSILON, 1, 1, "permute_and_flip", structure=5).fit(table, "kind")


FITS: dict[str, Callable[[dampen.Table], Any]] = {
    "table": fit_table, "joint": fit_joint, "tree": fit_tree, "forest": fit_labels,
}  # fmt: skip


def worst(
    name: str, pairs: Iterator[tuple[Rows, Rows]], *, bins: int = 2, person: bool = False,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
) -> float:  # fmt: skip
    def shown(rows: Rows) -> str:
        budget = Budget(epsilon=EPSILON)
        table = dampen.Table(
            {title: [row[spot] for row in rows] for spot, title in enumerate(("who", "number", "kind"))},
            columns={"number": Number(unit=1, bins=bins), "kind": Category(0, 1)},
            budget=budget, adjacency=adjacency, person="who" if person else None,
        )  # fmt: skip
        text: str = FITS[name](table).to_json()
        assert budget.spent.epsilon == EPSILON
        return text

    found = [worst_loss(x, y, shown, near) for x, y in pairs]
    assert sum(compared for _, compared in found) > 20
    return max(loss for loss, _ in found)


def added(rows: tuple[Rows, ...], first: int = 1) -> Iterator[tuple[Rows, Rows]]:
    for held, more in product(ROWS[first:], rows):
        yield held, held + more


def replaced() -> Iterator[tuple[Rows, Rows]]:
    for one in NEW[::3]:
        yield ROWS[1] + one, ROWS[1] + NEW[-1]


@pytest.mark.parametrize("name", FITS)
def test_cuts_and_model_together_lose_no_more_than_epsilon(name: str) -> None:
    assert 0.7 * EPSILON < worst(name, added(NEW[::2])) <= EPSILON + 1e-9


@pytest.mark.long
@pytest.mark.parametrize("person", [False, True], ids=["rows", "persons"])
@pytest.mark.parametrize("name", FITS)
def test_on_more_tables(name: str, person: bool) -> None:
    assert 0.5 * EPSILON < worst(name, added(NEW + MORE * person, 0), person=person) <= EPSILON + 1e-9


@pytest.mark.parametrize("name", FITS)
def test_so_do_those_of_persons(name: str) -> None:
    assert 0.5 * EPSILON < worst(name, added(MORE, 2), person=True) <= EPSILON + 1e-9


@pytest.mark.parametrize("person", [False, True], ids=["rows", "persons"])
def test_several_cuts_share_what_cuts_cost(person: bool) -> None:
    bins = 3 if person else 4
    assert 0.4 * EPSILON < worst("table", added(NEW[::5], 2), bins=bins, person=person) <= EPSILON + 1e-9


@pytest.mark.parametrize("name", FITS)
def test_a_row_with_other_values_loses_no_more_than_epsilon(name: str) -> None:
    found = worst(name, replaced(), adjacency=Adjacency.REPLACE)
    assert 0.4 * EPSILON < found <= EPSILON + 1e-9


@pytest.mark.parametrize("name", ["table", "joint", "tree"])
def test_cuts_for_nothing_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: the model is drawn as if nothing had been spent."""
    monkeypatch.setattr(PaidClassifier, "_rate", lambda made: Fraction(EPSILON))
    assert worst(name, added(NEW[::2])) > 1.05 * EPSILON
