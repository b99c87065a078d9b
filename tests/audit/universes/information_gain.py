"""The choice at a node of a tree: information gain and the max operator, over all small tables.

A record is one value (0 or 1) per attribute and a class (0 or 1) at the end. Information gain is monotone when a record
is added or removed, and unbounded without a largest table.
"""

from itertools import product

import numpy as np

from dampen import Adjacency
from dampen.audit import add_remove_neighbours, multisets, replace_neighbours
from dampen.problem import SelectionProblem
from dampen.queries import information_gain_problem, max_operator_problem, max_operator_winner_problem
from dampen.vectors import Integers
from tests.audit.universes.base import Universe

Record = tuple[int, ...]


def tables_of(x: tuple[Record, ...], attributes: int) -> list[Integers]:
    """For each attribute how many records have each value and class."""
    tables = [np.zeros((2, 2), dtype=np.int64) for _ in range(attributes)]
    for record in x:
        for table, value in zip(tables, record, strict=False):
            table[value, record[-1]] += 1
    return tables


def information_gain(*, attributes: int, largest: int, bounded: bool) -> Universe:
    """All tables of up to ``largest`` records; ``bounded``: that number is public, else there is no finite bound."""
    domain = list(product((0, 1), repeat=attributes + 1))
    return Universe(
        f"information gain, {attributes} attributes, up to {largest} records, {'bounded' if bounded else 'no bound'}",
        lambda x: information_gain_problem(
            tables_of(x, attributes),
            adjacency=Adjacency.ADD_REMOVE,
            max_records=largest if bounded else None,
        ),
        multisets(domain, largest=largest - 1),
        add_remove_neighbours(domain),
        horizon=largest,
    )


def replaced_gain(*, attributes: int, records: int) -> Universe:
    """All tables of so many records, one of which may be replaced."""
    domain = list(product((0, 1), repeat=attributes + 1))
    return Universe(
        f"information gain, {attributes} attributes, {records} records, one replaced",
        lambda x: information_gain_problem(
            tables_of(x, attributes), adjacency=Adjacency.REPLACE, max_records=max(2, records)
        ),
        multisets(domain, largest=records, smallest=records),
        replace_neighbours(domain),
        horizon=records,
    )


def max_operator(*, attributes: int, largest: int, winner: bool = False) -> Universe:
    """All tables of up to ``largest`` records; ``winner``: utility 1 for the best attribute alone."""
    domain = list(product((0, 1), repeat=attributes + 1))

    def posed(x: tuple[Record, ...]) -> SelectionProblem:
        pose = max_operator_winner_problem if winner else max_operator_problem
        return pose(tables_of(x, attributes), adjacency=Adjacency.ADD_REMOVE)

    return Universe(
        f"max operator, {attributes} attributes, up to {largest} records{', the winner' if winner else ''}",
        posed,
        multisets(domain, largest=largest - 1),
        add_remove_neighbours(domain),
        indicator=winner,
        horizon=largest,
    )
