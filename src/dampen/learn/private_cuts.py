"""Where numbers without bounds are cut: at percentiles that are released first, for a share of what a fit costs.

Released percentiles are public, and so are edges that are made of them: all that a model draws afterwards reads the
table through a schema that everybody may know. Proof: docs/proofs/private_cuts.md.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from dampen.describe.columns import Number
from dampen.entropy import Entropy
from dampen.learn.schema import Schema
from dampen.learn.training_table import TrainingTable
from dampen.mechanisms import PermuteAndFlip
from dampen.privacy import Adjacency
from dampen.queries.order.halving import count_levels
from dampen.queries.votes import vote_percentile_problem, votes_of
from dampen.questions.many_percentiles import draw_by_halving, draw_evenly
from dampen.questions.people.votes import bits_for
from dampen.tables.counts import GridCounts
from dampen.tables.engines import Engine
from dampen.tables.engines.base import CellColumn, PersonAsk
from dampen.tables.grid import Grid
from dampen.tables.relative_grid import unbounded_grid

SHARE = Fraction(1, 10)
"""Of epsilon, for the cuts of all numbers without bounds together, in equal parts."""
LEADING_BITS, OF_PERSONS = 7, 5
"""How many leading bits a cut has; one by votes has fewer: not every engine counts persons on a longer grid."""

Draw = Callable[[Fraction, Entropy], list[Any]]
"""A price in, percentiles out; nobody has paid for them here."""


def share_for_cuts(schema: Schema) -> Fraction:
    """The share of epsilon that a fit spends on cuts."""
    return SHARE if schema.uncut else Fraction(0)


@dataclass(frozen=True, eq=False, repr=False)
class UncutNumbers:
    """What is counted of every number without bounds, before anything is paid, and how its percentiles are drawn."""

    schema: Schema
    grids: dict[str, Grid]
    draws: dict[str, Draw]

    @classmethod
    def count(cls, table: TrainingTable) -> "UncutNumbers":
        """One scan for each number that is not cut yet."""
        schema, engine, grids, draws = table.schema, table.engine, dict[str, Grid](), dict[str, Draw]()
        for name, bins in schema.uncut.items():
            number = schema.attributes[name]
            assert isinstance(number, Number)
            bits = LEADING_BITS if table.person is None else OF_PERSONS
            grid, shares = unbounded_grid(number.sum_unit, bits), [Fraction(k, bins) for k in range(1, bins)]
            if table.person is None:
                draws[name] = _by_row(engine, name, grid, shares)
            else:
                draws[name] = _by_person(engine, table.person, name, grid, shares)
            grids[name] = grid
        return cls(schema, grids, draws)

    @property
    def widest(self) -> Schema:
        """The schema with as many cuts as there may be, wherever they are: what it makes too large is refused."""
        return self.schema.with_cuts({name: [*map(float, range(bins - 1))] for name, bins in self.schema.uncut.items()})

    def draw(self, epsilon: Fraction, source: Entropy) -> Schema:
        """The schema with its cuts, which cost ``epsilon`` under ``ADD_REMOVE``. Nobody has paid for them here."""
        return self.schema.with_cuts(
            {
                name: edges_at(draw(epsilon / len(self.draws), source), self.grids[name])
                for name, draw in self.draws.items()
            }
        )


def edges_at(percentiles: Iterable[Any], grid: Grid) -> list[float]:
    """Edges at released percentiles; one that was drawn again holds many rows, and has an edge on either side.

    So there are never more edges than percentiles, and one at least.

    >>> edges_at([0, 0, 0, 5], unbounded_grid(1))
    [0.0, 1.0, 5.0]
    """
    edges = set[float]()
    for value, times in Counter(percentiles).items():
        beyond = bisect_left(grid, value) + 1
        edges |= {float(value), float(grid[beyond]) if times > 1 and beyond < len(grid) else float(value)}
    return sorted(edges)


def _by_row(engine: Engine, name: str, grid: Grid, shares: list[Fraction]) -> Draw:
    """By halving: each level is drawn on disjoint rows."""
    places, counts = engine.histogram(name, grid)
    counted = GridCounts(grid, places[places >= 0], counts[places >= 0])
    return lambda price, source: draw_by_halving(
        counted, shares, PermuteAndFlip(price / count_levels(len(shares))), source
    )


def _by_person(engine: Engine, person: str, name: str, grid: Grid, shares: list[Fraction]) -> Draw:
    """By votes, each percentile by itself: rows of one person may be on both sides of a cut."""
    bits = bits_for(shares)
    found = engine.person_shares(PersonAsk(person, (CellColumn(name, grid),), caps=(1,), bits=bits))
    votes = votes_of(found.cells[:, 0], found.weights[:, 0], 1 << bits)
    pose = partial(vote_percentile_problem, votes, grid=grid, adjacency=Adjacency.ADD_REMOVE, unit=person)
    problems = [pose(100 * share) for share in shares]
    return lambda price, source: draw_evenly(problems, PermuteAndFlip(price / len(problems)), source)
