"""Audit universes: a query with all its small data sets and their neighbours.

A new query registers its universe here; the gate then runs every public mechanism on it.
"""

from tests.audit.universes.base import Universe
from tests.audit.universes.counts import approval_ballots, counts_add_remove, counts_replace
from tests.audit.universes.degrees import degrees
from tests.audit.universes.grids import rank_errors_on_a_grid
from tests.audit.universes.weights import weighted_sums

UNIVERSES: tuple[Universe, ...] = (
    counts_add_remove(),
    counts_replace(),
    approval_ballots(),
    weighted_sums(),
    rank_errors_on_a_grid(),
    degrees(largest=6),
)

__all__ = ["UNIVERSES", "Universe"]
