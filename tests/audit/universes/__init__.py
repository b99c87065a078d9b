"""Audit universes: a query with all its small data sets and their neighbours.

A new query registers its universe here; the gate then runs every public mechanism on it, except that mechanisms which
demand utilities of 0 and 1 run on the universes of kind ``indicator`` alone. ``CLASSICAL`` universes have one constant
sensitivity; the others have rungs that differ between neighbours.
"""

from fractions import Fraction

from dampen import Adjacency
from dampen.queries.graph.level import LevelPlan, plan_with_step
from tests.audit.universes.base import Movements, Universe
from tests.audit.universes.counts import approval_ballots, counts_add_remove, counts_replace, far_apart
from tests.audit.universes.database_graphs import database_graphs, leader_and_followers
from tests.audit.universes.degrees import degrees
from tests.audit.universes.ego_betweenness import (
    ego_betweenness,
    ego_betweenness_beyond_the_atlas,
    ego_betweenness_range,
    level_universe,
    node_degrees,
)
from tests.audit.universes.grids import rank_errors_on_a_grid
from tests.audit.universes.information_gain import information_gain
from tests.audit.universes.majorities import approvals, category_counts, category_winners
from tests.audit.universes.percentiles import percentile_hits, percentile_labels, percentile_ranks, percentile_values
from tests.audit.universes.ranks import cores, one_hop_ranks, pageranks
from tests.audit.universes.two_stars import two_stars
from tests.audit.universes.weights import weighted_sums
from tests.audit.universes.winners import winners

ADD_REMOVE, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE

CLASSICAL: tuple[Universe, ...] = (
    counts_add_remove(),
    counts_replace(),
    approval_ballots(),
    weighted_sums(),
    rank_errors_on_a_grid(),
    degrees(largest=6),
    *(percentile_values(adjacency) for adjacency in (ADD_REMOVE, REPLACE)),
    *(category_counts(adjacency) for adjacency in (ADD_REMOVE, REPLACE)),
)
QUERIES_IN_FULL: tuple[Universe, ...] = (
    *(percentile_values(adjacency, stable=False) for adjacency in (ADD_REMOVE, REPLACE)),
    *(percentile_ranks(adjacency, plain=plain) for adjacency in (ADD_REMOVE, REPLACE) for plain in (True, False)),
    *(approvals(adjacency) for adjacency in (ADD_REMOVE, REPLACE)),
    ego_betweenness_range(largest=6),
)
"""Constant sensitivities too; the exponential mechanism and permute-and-flip run on them."""
EGO_BETWEENNESS: tuple[Universe, ...] = (
    ego_betweenness(largest=6, tight=False),
    *(ego_betweenness_beyond_the_atlas(tight=tight) for tight in (False, True)),
)
"""For dampening, plain, shifted and to infinity. Co-degrees matter only beyond the atlas."""
FEW_MOVERS: tuple[Universe, ...] = (
    counts_add_remove(largest=20),
    counts_replace(largest=20),
    node_degrees(largest=6, smallest=3),
)
"""Whole utilities of which one step moves at most two."""
FEW_MOVERS_IN_PAIRS: tuple[Universe, ...] = (node_degrees(largest=6, smallest=2), far_apart(records=300))
"""For ordered pairs: as few as two candidates, and orders whose chances are below exp(-400)."""
LEVELS = (("1", "1"), ("1", "6"), ("2", "3.3"), ("4", "3.3"), ("4", "20"))
"""Floors and levels of the plans whose scores the gate looks at: nodes below, around and far below the level."""


def level_plans(nodes: int) -> list[LevelPlan]:
    return [plan_with_step(nodes, Fraction(1, 2), Fraction(floor), Fraction(level)) for floor, level in LEVELS]


LEVEL_SCORES: tuple[Universe, ...] = tuple(level_universe(plan) for n in (4, 5, 6) for plan in level_plans(n))
"""What follows a released h. With steps of 1/2 the drift is half an edge whatever the floor: one mechanism for all."""
ONE_HOP: tuple[Universe, ...] = (one_hop_ranks(largest=4), one_hop_ranks(largest=6, smallest=5))
PAGERANKS: tuple[Universe, ...] = (pageranks(largest=4), pageranks(largest=6, smallest=5))
"""One edge moves all utilities of these, and all together by little."""
CORES: tuple[Universe, ...] = (cores(largest=6),)
INFORMATION_GAIN = information_gain(attributes=2, largest=6, bounded=True)
INSTANCE_BASED: tuple[Universe, ...] = (
    database_graphs(seeds=range(40), nodes=12, size=2, monotone=False),
    database_graphs(seeds=range(40, 80), nodes=12, size=4, monotone=False),
    database_graphs(seeds=range(80, 120), nodes=12, size=3, monotone=True),
    leader_and_followers(3),
    leader_and_followers(8),
    two_stars(5, monotone=True),
    two_stars(5, monotone=False),
    percentile_labels(labels=4, top=2, percents=("0", "40", "90")),
)
INDICATOR: tuple[Universe, ...] = (
    winners(labels=2, largest=20),
    winners(labels=3, largest=9),
    winners(labels=3, largest=6, own_steps=False),
    winners(labels=4, largest=5, strict=True),
    category_winners(REPLACE, largest=6),
)
HITS: tuple[Universe, ...] = tuple(percentile_hits(adjacency, largest=3) for adjacency in (ADD_REMOVE, REPLACE))
"""Indicators written as runs."""
INDICATOR_IN_FULL: tuple[Universe, ...] = (
    winners(labels=2, largest=40),
    winners(labels=3, largest=20),
    winners(labels=3, largest=12, own_steps=False),
    winners(labels=4, largest=9, strict=True),
    *(category_winners(adjacency, largest=12) for adjacency in (ADD_REMOVE, REPLACE)),
    *(percentile_hits(adjacency, largest=5) for adjacency in (ADD_REMOVE, REPLACE)),
)
"""For the mechanisms that run nowhere else."""
UNIVERSES: tuple[Universe, ...] = (*CLASSICAL, INFORMATION_GAIN, *INSTANCE_BASED, *INDICATOR, *HITS)

__all__ = [
    "CLASSICAL",
    "CORES",
    "EGO_BETWEENNESS",
    "FEW_MOVERS",
    "FEW_MOVERS_IN_PAIRS",
    "HITS",
    "INDICATOR",
    "INDICATOR_IN_FULL",
    "INFORMATION_GAIN",
    "INSTANCE_BASED",
    "LEVEL_SCORES",
    "ONE_HOP",
    "PAGERANKS",
    "QUERIES_IN_FULL",
    "UNIVERSES",
    "Movements",
    "Universe",
    "level_plans",
]
