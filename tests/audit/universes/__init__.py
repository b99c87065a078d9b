"""Audit universes: a query with all its small data sets and their neighbours.

A new query registers its universe here; the gate then runs every public mechanism on it, except that mechanisms which
demand utilities of 0 and 1 run on the universes of kind ``indicator`` alone. ``CLASSICAL`` universes have one constant
sensitivity; the others have rungs that differ between neighbours.
"""

from tests.audit.universes.base import Movements, Universe
from tests.audit.universes.counts import approval_ballots, counts_add_remove, counts_replace
from tests.audit.universes.database_graphs import database_graphs, leader_and_followers
from tests.audit.universes.degrees import degrees
from tests.audit.universes.grids import rank_errors_on_a_grid
from tests.audit.universes.information_gain import information_gain
from tests.audit.universes.two_stars import two_stars
from tests.audit.universes.weights import weighted_sums
from tests.audit.universes.winners import winners

CLASSICAL: tuple[Universe, ...] = (
    counts_add_remove(),
    counts_replace(),
    approval_ballots(),
    weighted_sums(),
    rank_errors_on_a_grid(),
    degrees(largest=6),
)
INFORMATION_GAIN = information_gain(attributes=2, largest=6, bounded=True)
INSTANCE_BASED: tuple[Universe, ...] = (
    database_graphs(seeds=range(40), nodes=12, size=2, monotone=False),
    database_graphs(seeds=range(40, 80), nodes=12, size=4, monotone=False),
    database_graphs(seeds=range(80, 120), nodes=12, size=3, monotone=True),
    leader_and_followers(3),
    leader_and_followers(8),
    two_stars(5, monotone=True),
    two_stars(5, monotone=False),
)
INDICATOR: tuple[Universe, ...] = (
    winners(labels=2, largest=20),
    winners(labels=3, largest=9),
    winners(labels=3, largest=6, own_steps=False),
    winners(labels=4, largest=5, strict=True),
)
INDICATOR_IN_FULL: tuple[Universe, ...] = (
    winners(labels=2, largest=40),
    winners(labels=3, largest=20),
    winners(labels=3, largest=12, own_steps=False),
    winners(labels=4, largest=9, strict=True),
)
"""For the mechanisms that run nowhere else."""
UNIVERSES: tuple[Universe, ...] = (*CLASSICAL, INFORMATION_GAIN, *INSTANCE_BASED, *INDICATOR)

__all__ = [
    "CLASSICAL",
    "INDICATOR",
    "INDICATOR_IN_FULL",
    "INFORMATION_GAIN",
    "INSTANCE_BASED",
    "UNIVERSES",
    "Movements",
    "Universe",
]
