"""What is the sum of numbers without bounds? Sizes in, a problem of caps out. Proof: docs/proofs/bounds.md.

A number is a total of both signs: it has one of them, and the row that holds it is its own person.
"""

from collections.abc import Sequence

from dampen._validate import Number
from dampen.privacy import Adjacency, default_unit
from dampen.problem import CapFrame, CapProblem, SignedCapProblem
from dampen.tables.engines.unit_sizes import UnitSizes


def sizes_frame(caps: Sequence[int], unit: Number, adjacency: Adjacency) -> CapFrame:
    """What is known of numbers without bounds: the unit, and that a row has one of them."""
    return CapFrame(adjacency, caps, resolution=unit, unit=default_unit(adjacency))


def sizes_problem(frame: CapFrame, sizes: UnitSizes) -> SignedCapProblem:
    """The numbers of either sign, cut at every cap."""
    up, down = (CapProblem(frame, sizes.above(side, frame.caps), sizes.sums(side, frame.caps)) for side in (1, -1))
    return SignedCapProblem(up, down)
