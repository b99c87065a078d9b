"""A person who leaves with all rows of all tables, or gets other ones, moves one total and no other: through links.

The control leaves a link out, so that orders stand for persons: whoever has two orders then moves two totals.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dampen import Budget, Category, Database
from dampen.tables.engines.base import PersonAsk, PersonShares
from dampen.tables.people_counts import person_shares

LINKS = {"orders.customer": "customers.id", "items.order": "orders.id", "items.product": "products.id"}
NO_LINK = {"items.order": "orders.id", "items.product": "products.id"}
CAPS = (1, 2, 4)
PERSONS = ((), (0,), (1,), (2,), (1, 0), (1, 1), (2, 1))
"""What somebody may have: orders, and so many items each."""
People = dict[int, tuple[int, ...]]
Tables = dict[str, dict[str, list[Any]]]
STRAY: list[tuple[int | None, int]] = [(9000, 5), (None, 5)]
"""Items of nobody."""


def tables_of(people: People) -> Tables:
    """The database of some persons; ids are those of the data, and stay when somebody leaves."""
    orders = [(10 * who + place, who) for who, own in people.items() for place in range(len(own))]
    items = [
        (10 * who + place, 5 + spot % 2)
        for who, own in people.items()
        for place, size in enumerate(own)
        for spot in range(size)
    ]
    return {
        "customers": {"id": [*people]},
        "orders": {"id": [order for order, _ in orders], "customer": [who for _, who in orders]},
        "items": {
            "order": [order for order, _ in (*items, *STRAY)],
            "product": [product for _, product in (*items, *STRAY)],
        },
        "products": {"id": [5, 6], "kind": ["book", "toy"]},
    }


def counted(tables: Any, links: dict[str, str], person: str, *, filtered: bool) -> PersonShares:
    shop = Database(
        tables, person=person, links=links, public=["products"], columns={"products.kind": Category("book", "toy")},
        budget=Budget(epsilon=1),
    )  # fmt: skip
    table = shop.table("items")
    view = table.where(kind="book").view if filtered else table.view
    return person_shares(view.person_source(), PersonAsk(person, caps=CAPS))


def moves(one: PersonShares, two: PersonShares) -> bool:
    """Whether the counts differ by more than one person: absent, or with any total. One total moves one way."""
    risen = [a - b for a, b in zip(one.above, two.above, strict=True)]
    return (
        abs(one.people - two.people) > 1
        or not ({*risen} <= {0, 1} or {*risen} <= {0, -1})
        or any(abs(a - b) > cap for a, b, cap in zip(one.totals, two.totals, CAPS, strict=True))
    )


def neighbours(most: int, *, replaced: bool) -> Iterator[tuple[People, People]]:
    """Every database of so many persons at most, and one which somebody left, or where somebody has other rows."""
    for size in range(1, most + 1):
        for owned in combinations_with_replacement(PERSONS, size):
            people = dict(enumerate(owned, 1))
            for who in people:
                if replaced:
                    yield from ((people, {**people, who: other}) for other in PERSONS if other > people[who])
                else:
                    yield people, {other: own for other, own in people.items() if other != who}


def faults(
    links: dict[str, str], person: str, most: int, *, without: tuple[str, ...] = (), replaced: bool = False
) -> int:
    found = 0
    for people, left in neighbours(most, replaced=replaced):
        for filtered in (False, True):
            sides = [
                counted(
                    {name: each for name, each in tables_of(side).items() if name not in without}, links, person,
                    filtered=filtered,
                )
                for side in (people, left)
            ]  # fmt: skip
            found += moves(*sides)
    return found


@pytest.mark.parametrize("most", [2, pytest.param(3, marks=pytest.mark.long)])
def test_a_person_with_all_rows_moves_one_total(most: int) -> None:
    assert faults(LINKS, "customers.id", most) == 0


@pytest.mark.parametrize("most", [1, pytest.param(3, marks=pytest.mark.long)])
def test_a_person_with_other_rows_moves_one_total(most: int) -> None:
    assert faults(LINKS, "customers.id", most, replaced=True) == 0


def test_a_missing_link_is_caught() -> None:
    """Orders as persons: the same check fails."""
    assert faults(NO_LINK, "orders.id", 1, without=("customers",)) > 0
    assert faults(NO_LINK, "orders.id", 1, without=("customers",), replaced=True) > 0


def test_the_same_through_a_database_file(tmp_path: Path) -> None:
    """One pair whose person has most: the integers of DuckDB are those of arrays."""
    people = {1: (2, 1), 2: (1, 1), 3: ()}
    for left in (people, {2: (1, 1), 3: ()}):
        path = tmp_path / f"{len(left)}.duckdb"
        with duckdb.connect(str(path)) as connection:
            for name, columns in tables_of(left).items():
                listed = ", ".join(
                    f"unnest({values!r}::{'varchar' if column == 'kind' else 'bigint'}[]) as {column}".replace(
                        "None", "null"
                    )
                    for column, values in columns.items()
                )
                connection.execute(f'create table "{name}" as select {listed}')
        for filtered in (False, True):
            here = counted(tables_of(left), LINKS, "customers.id", filtered=filtered)
            there = counted(path, LINKS, "customers.id", filtered=filtered)
            assert (there.people, there.above, there.totals) == (here.people, here.above, here.totals)
