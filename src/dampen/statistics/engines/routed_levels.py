"""Levels of a tree over rows that stay where they are: the way to every node is part of the question."""

from collections.abc import Mapping

import numpy as np

from dampen.statistics.engines.base import NOT_HERE, Coded, Engine, Route
from dampen.vectors import Integers


class RoutedLevels:
    """One grouped query for each level, which sends every row down the tree anew."""

    def __init__(self, engine: Engine, table: Coded) -> None:
        self._engine, self._table = engine, table
        self._route: Route | int = 0

    def tables(self, asked: Integers) -> Integers:
        """Joint counts at these nodes."""
        part = _redirect(self._route, dict(zip(asked.tolist(), range(len(asked)), strict=True)))
        return np.asarray(self._engine.contingency(self._table.routed(part, len(asked))))

    def descend(self, attributes: Integers, firsts: Integers) -> None:
        """Every node that goes on becomes its test."""
        sizes = self._table.sizes
        self._route = _redirect(
            self._route,
            {
                node: Route(place, tuple(range(first, first + sizes[place])))
                for node, (place, first) in enumerate(zip(attributes.tolist(), firsts.tolist(), strict=True))
                if place >= 0
            },
        )


def _redirect(route: Route | int, ways: Mapping[int, Route | int]) -> Route | int:
    """Every node becomes what stands for it, and those for which nothing stands are left out."""
    if isinstance(route, int):
        return ways.get(route, NOT_HERE)
    branches = tuple(_redirect(branch, ways) for branch in route.branches)
    return NOT_HERE if all(branch == NOT_HERE for branch in branches) else Route(route.attribute, branches)
