"""Counts and sums by groups, where a person may be in several: whoever has more than a limit is scaled down to it."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from dampen._validate import Number
from dampen.privacy import Adjacency, GroupRelease
from dampen.problem import CountsFrame
from dampen.queries.votes import vote_counts_frame, votes_of
from dampen.questions.histograms import pose_counts
from dampen.questions.people.limits import Limit, pose_limited
from dampen.questions.record import Posed, Price
from dampen.tables.engines.base import PersonShares
from dampen.vectors import Integers

FEW_GROUPS = 32
"""Up to so many groups everybody counts in all of them; among more a limit is chosen."""
FINEST = 20
"""Units of weights are no finer than 2**-FINEST."""
Place = Callable[[PersonShares], Integers]
"""What was counted in, the group of each cell out."""


def bits_for_amounts(largest: int) -> int:
    """Into how many units, as a power of 2, one unit of an amount is cut, where a row brings so many. Public.

    >>> bits_for_amounts(1), bits_for_amounts(10_000), bits_for_amounts(2**30)
    (19, 6, 0)
    """
    return max(0, FINEST - largest.bit_length())


def pose_presence(
    shares: PersonShares, labels: Sequence[Any], places: Integers, *, epsilon: Number, adjacency: Adjacency, unit: str,
    **options: Any,
) -> Posed[GroupRelease]:  # fmt: skip
    """How many persons each group has, everybody counted in every own group.

    A person more or less moves every count by 1 at most, and so does one with other rows: all together by as many as
    there are groups.
    """
    frame = CountsFrame(len(labels), len(labels), adjacency, largest=1, unit=unit)
    counts = votes_of(places, shares.weights[:, 0], len(labels)).at_all(len(labels))
    return pose_counts(counts, labels, price=Price(epsilon), adjacency=adjacency, frame=frame, **options)


def pose_limited_counts(
    shares: PersonShares, labels: Sequence[Any], place: Place, limit: Limit, bits: int, *, epsilon: Number,
    **options: Any,
) -> Posed[GroupRelease]:  # fmt: skip
    """What all persons have in each group, nobody more than a limit in all groups together.

    Of sums that may be negative their sizes are held against the limit; what is below 0 is taken off before anything is
    drawn, so that every group has one noise.
    """

    def pose(cap: int, price: Fraction) -> Posed[GroupRelease]:
        sides = [shares] if shares.negative is None else [shares, shares.negative]
        votes = [votes_of(place(side), side.weights[:, limit.caps.index(cap)], cap << bits) for side in sides]
        counts, *below = (each.at_all(len(labels)) for each in votes)
        signed = shares.negative is not None
        frame = vote_counts_frame(len(labels), votes[0].each, limit.adjacency, limit.unit, signed=signed)
        return pose_counts(
            counts - sum(below), labels, price=Price(price), adjacency=limit.adjacency, frame=frame,
            resolution=limit.resolution / (1 << bits), **options,
        )  # fmt: skip

    return pose_limited(limit, shares.above, pose, epsilon)
