"""Several percentiles at once: the middle one first, then each half of the records on its side of the grid.

Recursive halving (Kaplan, Schnapp and Stemmer 2022). The records of a level lie in disjoint parts that are cut at
values already released, so a level costs what one release costs, and q percentiles cost floor(log2 q) + 1 levels
instead of q releases. docs/proofs/quantiles.md has the proof and the price under either adjacency.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.queries.order.percentile_on_grid import find_stretches, value_utilities
from dampen.vectors import Integers


@dataclass(frozen=True, eq=False)
class Part:
    """The records between two released values, and the percentiles still to be found there.

    ``shares`` lie strictly between the shares of the two ends, save that the whole begins at 0 and ends at 1.
    """

    shares: tuple[Fraction, ...]
    low: int
    high: int
    places: Integers
    counts: Integers
    below: Fraction = Fraction(0)
    above: Fraction = Fraction(1)

    @property
    def middle(self) -> int:
        """Which of the shares is asked for first."""
        return len(self.shares) // 2

    def problem(self) -> SelectionProblem:
        """The middle percentile, as a percentile of these records among the places from ``low`` to ``high``."""
        share = (self.shares[self.middle] - self.below) / (self.above - self.below)
        groups = find_stretches(self.places - self.low, self.counts, self.high - self.low + 1)
        frame = Frame(range(self.low, self.high + 1), bound=1, adjacency=Adjacency.ADD_REMOVE)
        return SelectionProblem(frame, groups.runs(value_utilities(groups, share, frame.adjacency, stable=True)))

    def halves(self, place: int) -> tuple["Part", "Part"]:
        """The records at or before the released place, and those after it."""
        cut = int(np.searchsorted(self.places, place, side="right"))
        share, rest = self.shares[self.middle], self.middle + 1
        left = Part(
            self.shares[: self.middle], self.low, place, self.places[:cut], self.counts[:cut], self.below, share
        )
        right = Part(self.shares[rest:], place, self.high, self.places[cut:], self.counts[cut:], share, self.above)
        return left, right


def count_levels(count: int) -> int:
    """How many levels ``count`` percentiles take."""
    return count.bit_length()


def list_paths(shares: Sequence[Fraction]) -> list[tuple[Fraction, ...]]:
    """For every share, increasing: as which percentile of its part each of those before it is asked for, and it too."""
    return [path for _, path in sorted(_walk(tuple(shares), Fraction(0), Fraction(1), ()))]


def _walk(
    shares: tuple[Fraction, ...], below: Fraction, above: Fraction, before: tuple[Fraction, ...]
) -> Iterator[tuple[Fraction, tuple[Fraction, ...]]]:
    if shares:
        middle = len(shares) // 2
        share = shares[middle]
        path = (*before, (share - below) / (above - below))
        yield share, path
        yield from _walk(shares[:middle], below, share, path)
        yield from _walk(shares[middle + 1 :], share, above, path)


def ask_by_halving(
    places: Integers, counts: Integers, size: int, shares: Sequence[Fraction]
) -> Generator[SelectionProblem, int, dict[Fraction, int]]:
    """Ask for one percentile after the other: yields a problem, is sent the chosen place, returns each share's place.

    ``shares`` are increasing, in [0, 1]. Every problem is posed under ``ADD_REMOVE``: the size of a part is private.
    """
    chosen: dict[Fraction, int] = {}
    waiting = [Part(tuple(shares), 0, size - 1, places, counts)]
    while waiting:
        part = waiting.pop()
        place = yield part.problem()
        chosen[part.shares[part.middle]] = place
        waiting += [half for half in part.halves(place) if half.shares]
    return chosen
