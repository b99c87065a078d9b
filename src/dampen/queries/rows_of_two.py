"""How many rows that belong to two people each are kept, if nobody has more than a cap of them?

Rows are gone through in a public order, and one is kept if both its people have kept fewer than the cap. Somebody more
or less, with all rows, moves the number kept under a cap t by 0 to t. What doubling the cap would add, counted in caps,
moves by a number between -1 and 2. Proof: docs/proofs/edge_race.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from dampen.privacy import Adjacency
from dampen.problem import CapFrame, CapProblem
from dampen.problem.caps import SPREADS


def rows_of_two_frame(adjacency: Adjacency, *, caps: Sequence[int] | int, unit: str) -> CapFrame:
    """The frame of rows that belong to two people each: these caps, or 1, 2, 4, ... up to one."""
    return CapFrame(adjacency, caps=caps, spread=SPREADS.get(adjacency, 1), unit=unit)


def rows_of_two_problem(frame: CapFrame, count: Callable[[Sequence[int]], Sequence[int]]) -> CapProblem:
    """The problem of a ``count``, which tells how many rows are kept under each of some caps.

    >>> frame = rows_of_two_frame(Adjacency.ADD_REMOVE, caps=2, unit="person")
    >>> problem = rows_of_two_problem(frame, lambda caps: [min(cap, 3) for cap in caps])
    >>> problem.sums, [str(each) for each in problem.above]
    ((1, 2), ['1', '1/2'])
    """
    counts = count((*frame.caps, *(2 * cap for cap in frame.caps)))
    kept, more = counts[: len(frame.caps)], counts[len(frame.caps) :]
    scores = [Fraction(twice - once, cap) for cap, once, twice in zip(frame.caps, kept, more, strict=True)]
    return CapProblem(frame, scores, kept)
