"""Which set of people is a group? How large is it? Whose fragment holds many of it?

A group is told by its ``members``: for each person whether the group holds them. People are public, and a neighbour is
a data set in which one person has joined or left the group (``REPLACE`` of one person's category, seen by one group).
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dampen._validate import whole
from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.sensitivity import SensitivityFunction
from dampen.sensitivity.base import ZERO, gaps_to
from dampen.vectors import Floats, Integers, Runs, Vector

LARGEST_FRAGMENT = 32
"""Up to so many people a fragment's score fits 64 bits."""


class Subsets(Sequence[tuple[int, ...]]):
    """All 2^n sets of n people: number s holds person i where bit i of s is 1. Never written out."""

    distinct = True

    def __init__(self, people: int) -> None:
        self.people = people
        self.total: int = 1 << people

    def __len__(self) -> int:
        return self.total

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < self.total:
            raise IndexError("there are fewer subsets")
        return tuple(person for person in range(self.people) if number >> person & 1)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (self[number] for number in range(self.total))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subsets) and other.people == self.people

    def __hash__(self) -> int:
        return hash(("Subsets", self.people))


def dice(overlap: int, chosen: int, size: int) -> Fraction:
    """2 |r & G| / (|r| + |G|): how well a set r of ``chosen`` people is a group G of ``size``; 1 where both are empty.

    >>> dice(2, 3, 2)
    Fraction(4, 5)
    """
    return Fraction(2 * overlap, chosen + size) if chosen + size else Fraction(1)


def dice_problem(members: Any) -> SelectionProblem:
    """Which set of people is the group? All 2^n sets, the utility is the Dice score.

    Sets with the same overlap k with the group and the same number l of others score alike: (g + 1)(n - g + 1) runs of
    C(g, k) C(n - g, l) sets. One person moves a score by up to 1, the bound, and by 2 / (|r| + |G|) at most, which the
    sensitivity function tells.

    >>> problem = dice_problem([True, True, False])
    >>> problem.frame.candidates[0b011], float(np.asarray(problem.utilities)[0b011])
    ((0, 1), 1.0)
    """
    inside = as_members(members)
    frame = Frame(Subsets(len(inside)), bound=1, adjacency=Adjacency.REPLACE)
    own, others = np.flatnonzero(inside).tolist(), np.flatnonzero(~inside).tolist()
    of_own = np.array([comb(len(own), k) for k in range(len(own) + 1)], dtype=object)
    of_others = np.array([comb(len(others), count) for count in range(len(others) + 1)], dtype=object)
    overlap, outside = (places.ravel() for places in np.indices((len(of_own), len(of_others))))
    totals = overlap + outside + len(own)
    utilities = np.where(totals > 0, 2.0 * overlap / np.maximum(totals, 1), 1.0)

    def unrank(cell: int, member: int) -> int:
        first, second = divmod(member, int(of_others[outside[cell]]))
        chosen = [own[i] for i in nth_combination(len(own), int(overlap[cell]), first)]
        chosen += [others[i] for i in nth_combination(len(others), int(outside[cell]), second)]
        return sum(1 << person for person in chosen)

    runs = Runs(utilities, np.outer(of_own, of_others).ravel(), unrank)
    return SelectionProblem(frame, runs, DiceRungs(np.maximum(totals, 1)))


def group_size_problem(members: Any) -> SelectionProblem:
    """How many people does the group hold? The utility of an answer is minus its distance from the truth.

    >>> group_size_problem([True, True, False]).utilities.tolist()
    [-2, -1, 0, -1]
    """
    inside = as_members(members)
    sizes = np.arange(len(inside) + 1)
    return SelectionProblem(
        Frame(range(len(sizes)), bound=1, adjacency=Adjacency.REPLACE), -np.abs(sizes - np.count_nonzero(inside))
    )


def fragment_problem(members: Any, fragments: Integers) -> SelectionProblem:
    """Who is in the group, judged by the people around them? ``fragments`` numbers each person's fragment from 0.

    The utility of everybody in a fragment of h people, f of them in the group, is S(h, f) of :func:`fragment_score`.
    One person moves it by up to 2^(h - 1). Scores of smaller fragments are raised by a power of 2, so that all share
    the bound of the largest.

    >>> fragment_problem([True, False, False], np.array([0, 0, 1])).utilities.tolist()
    [-2, -2, -2]
    """
    inside = as_members(members)
    sizes = _fragment_sizes(fragments, len(inside))
    largest = int(sizes.max())
    if largest > LARGEST_FRAGMENT:
        raise ParameterError(f"fragments must hold at most {LARGEST_FRAGMENT} people; got {largest}")
    counts = np.bincount(fragments, weights=inside).astype(np.int64)
    known = {
        (size, count): fragment_score(size, count) << (largest - size)
        for size, count in {*zip(sizes.tolist(), counts.tolist(), strict=True)}
    }
    scores = np.array([known[pair] for pair in zip(sizes.tolist(), counts.tolist(), strict=True)], dtype=np.int64)
    frame = Frame(range(len(inside)), bound=2 ** (largest - 1), adjacency=Adjacency.REPLACE)
    return SelectionProblem(frame, scores[fragments])


def _fragment_sizes(fragments: Any, people: int) -> Integers:
    """How many people each fragment holds. Public, as the fragments are."""
    numbers = np.asarray(fragments)
    fit = people > 0 and numbers.shape == (people,) and numbers.dtype.kind in "iu"
    within = fit and numbers.min() >= 0 and numbers.max() < people
    if not within or not (sizes := np.bincount(numbers)).all():
        raise ParameterError("fragments must number each person's fragment, one whole number a person, 0, 1, 2, ...")
    return sizes


def fragment_score(size: int, count: int) -> int:
    """S(h, f): the sum over all subsets t of a fragment of h people, f of them in the group, seen from one person.

    A subset counts -|f - |t|| if it holds the person and -|t| if not. So all people of a fragment score alike, whether
    in the group or not: S = -sum over j < h of C(h - 1, j) |f - 1 - j|, less (h - 1) 2^(h - 2).

    >>> [fragment_score(3, count) for count in range(4)]
    [-12, -8, -6, -8]
    """
    holding = sum(comb(size - 1, j) * abs(count - 1 - j) for j in range(size))
    return -holding - ((size - 1) << (size - 1)) // 2


def nth_combination(people: int, count: int, number: int) -> list[int]:
    """The ``count`` of ``people`` places that stand at this number among all such sets, in lexicographic order."""
    chosen: list[int] = []
    left = comb(people, count)
    for place in range(people):
        if len(chosen) == count:
            break
        wanted, rest = count - len(chosen), people - place
        left_with = left * wanted // rest
        if number < left_with:
            chosen.append(place)
            left = left_with
        else:
            number, left = number - left_with, left - left_with
    return chosen


def as_members(members: Any) -> NDArray[np.bool_]:
    """For each person whether the group holds them."""
    try:
        inside = np.array(members)
    except Exception:  # objects of the caller's own may raise anything
        raise DataError("members must be True or False, one for each person") from None
    if inside.size == 0:
        inside = inside.astype(np.bool_)
    if inside.ndim != 1 or inside.dtype.kind != "b":
        raise DataError("members must be True or False, one for each person")
    return inside


class DiceRungs(SensitivityFunction):
    """s(t) = min(1, 2 / max(N - t, 1)) for a set with N = its size plus the true group's.

    One person more or less in the true group moves N by 1 and the score by at most 2 / N, which proves that it is
    admissible (docs/proofs/triode.md).
    """

    def __init__(self, totals: Integers) -> None:
        super().__init__(size=len(totals), bound=1)
        self._totals = totals
        heights = np.minimum(1.0, 2.0 / np.arange(1, int(totals.max()) + 1))
        self._sums = np.concatenate([[0.0], np.cumsum(heights)])

    @property
    def saturation(self) -> int:
        """Two steps before the largest N."""
        return max(0, int(self._totals.max()) - 2)

    def at(self, t: int) -> Floats:
        """2 / (N - t), at most 1."""
        left = np.maximum(self._totals - whole(t=t, least=0), 1)
        return np.minimum(1.0, 2.0 / left)

    def inverse(self, u: Vector, level: Fraction = ZERO) -> Floats:
        """Search the sums of 2 / 1, 2 / 2, ... downwards from N for where abs(u - level) less is reached."""
        size = np.abs(gaps_to(u, level))
        target = self._sums[self._totals] - size
        place = np.maximum(np.searchsorted(self._sums, target, side="left"), 1)
        rung = np.minimum(1.0, 2.0 / place)
        within = self._totals - place + (self._sums[np.minimum(place, len(self._sums) - 1)] - target) / rung
        steps = np.where(target > 0, within, self._totals - target)
        return self._signed_scores(np.maximum(steps, 0.0), u, level, rung)

    def __repr__(self) -> str:
        """Without its size, from which that of the group could be read off."""
        return "DiceRungs()"
