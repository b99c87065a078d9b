"""The coupling of persons: one person more, with all of its rows, moves what is counted by what one person may.

For a cap k and weights in units of 1/Q: the number of persons moves by at most 1; those above a cap by 0 or 1, at a
smaller cap by no less than at a larger one; no weight falls, and all together rise by at most Q k. A person may have
rows that lack its name: they are still its own.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from random import Random

from dampen.tables.engines.base import Amount, CellColumn, PersonAsk
from dampen.tables.grid import as_grid
from tests.contracts.people_by_hand import Row, Shares, shares_by_hand, signed_cells_by_hand

Visit = tuple[str | None, str, int]
"""A row: a person's name, a ward, a cost."""
KINDS = (("a", 1), ("b", 3), ("c", 0))
"""What a row may hold beside the name; the last ward is no cell."""
CAPS, BITS = (1, 2, 3, 4), 3
COST = Amount("cost", as_grid(range(8)))
SIGNED_COST = Amount("cost", as_grid(range(8)), -2)
"""Below 0 in one ward, above in the other."""
WARDS = (CellColumn("ward", ("a", "b")),)
ASKS: dict[str, PersonAsk] = {
    "rows": PersonAsk("name", caps=CAPS),
    "costs": PersonAsk("name", amount=COST, caps=CAPS),
    "wards": PersonAsk("name", WARDS, caps=CAPS, bits=BITS),
    "costs of wards": PersonAsk("name", WARDS, COST, caps=CAPS, bits=BITS),
    "signed costs of wards": PersonAsk("name", WARDS, SIGNED_COST, caps=CAPS, bits=BITS),
    "wards, once": PersonAsk("name", WARDS, once=True, caps=CAPS, bits=BITS),
}
Count = Callable[[Sequence[Visit], PersonAsk], Shares]


class Uncoupled(AssertionError):
    """One person moved more than one may."""


def bags(most: int = 3) -> list[tuple[tuple[str, int], ...]]:
    """All that a person may have: one to so many rows."""
    return [bag for size in range(1, most + 1) for bag in combinations_with_replacement(KINDS, size)]


def tables(people: int = 2) -> Iterator[list[Visit]]:
    """All tables of at most so many people."""
    for size in range(people + 1):
        for held in combinations_with_replacement(bags(), size):
            yield [(f"p{who}", *row) for who, bag in enumerate(held) for row in bag]


def persons(rng: Random | None = None) -> Iterator[list[Visit]]:
    """All persons that may be added: with their name in all rows, in the first alone, in none."""
    for bag in bags():
        for named in range(len(bag) + 1) if rng is None else [rng.choice((0, 1, len(bag)))]:
            yield [("new" if spot < named else None, *row) for spot, row in enumerate(bag)]


def couple(count: Count, rows: list[Visit], added: list[Visit], rng: Random, name: str) -> None:
    """Raise where adding a person, whose rows stand anywhere, moves too much."""
    more = [*rows]
    for row in added:
        more.insert(rng.randint(0, len(more)), row)
    ask = ASKS[name]
    before, after = count(rows, ask), count(more, ask)
    moved = [new - old for old, new in zip(before.above, after.above, strict=True)]
    nothing = (0,) * len(ask.caps)
    pairs = [(before.weights.get(cell, nothing), after.weights.get(cell, nothing)) for cell in after.weights]
    risen = [[new - old for old, new in zip(*pair, strict=True)] for pair in pairs]
    sound = (
        {*before.weights} <= {*after.weights}
        and after.people - before.people in (0, 1)
        and {*moved} <= {0, 1}
        and moved == sorted(moved, reverse=True)
        and all(min(rise) >= 0 for rise in risen)
        and all(sum(rise[spot] for rise in risen) <= cap << ask.bits for spot, cap in enumerate(ask.caps))
    )
    if not sound:
        raise Uncoupled(name, rows, added)


def as_rows(visits: Sequence[Visit], ask: PersonAsk) -> list[Row]:
    """What the judge reads."""
    places: dict[str, int | None] = {"a": 0, "b": 1, "c": None}
    first = 0 if ask.amount is None else ask.amount.first
    return [
        (name, (places[ward],) if ask.cells else (), 1 if ask.amount is None else cost + first)
        for name, ward, cost in visits
    ]


def both_sides(up: Shares, down: Shares) -> Shares:
    """Of sums above 0 and below as one: the side is one more place of a cell."""
    assert (up.people, up.above) == (down.people, down.above)
    cells = {(*cell, side): row for side, each in enumerate((up, down)) for cell, row in each.weights.items()}
    return Shares(up.people, up.above, cells)


def judge(visits: Sequence[Visit], ask: PersonAsk) -> Shares:
    """No fault."""
    if ask.signed:
        return both_sides(*signed_cells_by_hand(as_rows(visits, ask), ask.caps, ask.bits))
    return shares_by_hand(as_rows(visits, ask), ask.caps, ask.bits, once=ask.once)


def first_rows_of_all(visits: Sequence[Visit], ask: PersonAsk) -> Shares:
    """Rows are cut in the order of the file, whoever they are of: one person pushes others out."""
    return judge(visits[:4], ask)


def rows_by_place(visits: Sequence[Visit], ask: PersonAsk) -> Shares:
    """A person keeps the rows that stand at even places of the table: others move them."""
    return judge(visits[::2], ask)


def nobody_as_one_person(visits: Sequence[Visit], ask: PersonAsk) -> Shares:
    """All rows without a name are one person, who is another one than those whose rows they are."""
    return judge([(name or "nobody", ward, cost) for name, ward, cost in visits], ask)


def nobody_as_many_persons(visits: Sequence[Visit], ask: PersonAsk) -> Shares:
    """Every row without a name is a person: many may be one person's."""
    return judge([(name or f"row {spot}", ward, cost) for spot, (name, ward, cost) in enumerate(visits)], ask)


FAULTS: tuple[Count, ...] = (first_rows_of_all, rows_by_place, nobody_as_one_person, nobody_as_many_persons)
