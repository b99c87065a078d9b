"""The judge of everything that is counted of persons: loops and fractions, row by row, without dampen.

A row is a person, the places of its cells and its amount; ``None`` in place of any of these leaves it out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

Row = tuple[Any, tuple[int | None, ...], int | None]
Cells = dict[tuple[int, ...], int]
MOST = 2**62 - 1


@dataclass(frozen=True)
class Shares:
    """What is counted; cells in which nobody has a weight are left out."""

    people: int
    above: tuple[int, ...]
    weights: dict[tuple[int, ...], tuple[int, ...]]


def rows_of_persons(rows: Iterable[Row]) -> dict[Any, list[tuple[tuple[int, ...], int]]]:
    """Who counts, each with the own rows that do."""
    found: dict[Any, list[tuple[tuple[int, ...], int]]] = {}
    for person, places, amount in rows:
        if person is not None and amount is not None and None not in places:
            found.setdefault(person, []).append((tuple(place for place in places if place is not None), amount))
    return found


def cut_bits(total: int) -> int:
    """How many bits a total loses before it is divided."""
    return 0 if total < 2**32 else 11 if total < 2**43 else 21 if total < 2**53 else 31


def weights_of_person(cells: Cells, cap: int, bits: int) -> Cells:
    """The increments of floor(2**bits min(t, k) z / t), cell by cell in order."""
    total = min(sum(cells.values()), MOST)
    reached, before, found = 0, 0, {}
    for cell in sorted(cells):
        reached = min(reached + cells[cell], MOST)
        if total <= cap:
            now = reached * 2**bits
        else:
            lost = cut_bits(total)
            now = floor(2**bits * cap * Fraction(reached >> lost, total >> lost))
        found[cell], before = now - before, now
    return found


def shares_by_hand(rows: Iterable[Row], caps: Sequence[int], bits: int = 0, *, once: bool = False) -> Shares:
    """Person by person."""
    above, weights = [0] * len(caps), dict[tuple[int, ...], list[int]]()
    persons = rows_of_persons(rows)
    for own in persons.values():
        cells: Cells = {}
        for cell, amount in own:
            cells[cell] = 1 if once else cells.get(cell, 0) + amount
        for spot, cap in enumerate(caps):
            above[spot] += min(sum(cells.values()), MOST) > cap
            for cell, weight in weights_of_person(cells, cap, bits).items():
                weights.setdefault(cell, [0] * len(caps))[spot] += weight
    return Shares(len(persons), tuple(above), {cell: tuple(row) for cell, row in weights.items() if any(row)})


def signed_by_hand(rows: Sequence[Row], caps: Sequence[int], bits: int = 0) -> tuple[Shares, Shares]:
    """The same of totals above 0, and of the sizes of those below."""
    totals = {who: sum(amount for _, amount in own) for who, own in rows_of_persons(rows).items()}
    up, down = (
        shares_by_hand([(who, (), max(sign * total, 0)) for who, total in totals.items()], caps, bits)
        for sign in (1, -1)
    )
    return up, down


def signed_cells_by_hand(rows: Iterable[Row], caps: Sequence[int], bits: int = 0) -> tuple[Shares, Shares]:
    """The sums of a person in cells, their sizes shared out: those of sums above 0, then those of sums below."""
    above, persons = [0] * len(caps), rows_of_persons(rows)
    sides: tuple[dict[tuple[int, ...], list[int]], ...] = ({}, {})
    for own in persons.values():
        sums: Cells = {}
        for cell, amount in own:
            sums[cell] = sums.get(cell, 0) + amount
        sizes = {cell: min(abs(total), MOST) for cell, total in sums.items()}
        for spot, cap in enumerate(caps):
            above[spot] += min(sum(sizes.values()), MOST) > cap
            for cell, weight in weights_of_person(sizes, cap, bits).items():
                sides[sums[cell] < 0].setdefault(cell, [0] * len(caps))[spot] += weight
    up, down = ({cell: tuple(row) for cell, row in side.items() if any(row)} for side in sides)
    return Shares(len(persons), tuple(above), up), Shares(len(persons), tuple(above), down)


def values_by_hand(rows: Iterable[Row], how: str) -> dict[int, int]:
    """One number for each person, and how many have it."""
    found: dict[int, int] = {}
    for own in rows_of_persons(rows).values():
        amounts = [amount for _, amount in own]
        total = max(-MOST, min(sum(amounts), MOST))
        value = {
            "count": len(amounts),
            "sum": total,
            "mean": floor(Fraction(total, len(amounts))),
            "min": min(amounts),
            "max": max(amounts),
        }[how]
        found[value] = found.get(value, 0) + 1
    return found


def told(shares: Any) -> Shares:
    """What an engine counted, in the judge's form."""
    weights = {
        tuple(cell): tuple(map(int, row))
        for cell, row in zip(shares.cells.tolist(), shares.weights.tolist(), strict=True)
    }
    assert [*weights] == sorted(weights), "cells are in order"
    assert all(map(any, weights.values())) or [*weights] == [()], "one row alone may hold nothing: that of all cells"
    held = {cell: row for cell, row in weights.items() if any(row)}
    return Shares(shares.people, tuple(shares.above), held)
