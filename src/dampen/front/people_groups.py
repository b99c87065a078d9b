"""The groups of a table with a person, asked: a person may be in several, and all own rows are one step."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.front.people import PERCENTILES, PersonQuestion, as_cap, labels_of
from dampen.privacy import Adjacency
from dampen.queries.votes import Votes, vote_counts_frame, votes_of
from dampen.questions.by_group import pose_together, share_of_group
from dampen.questions.histograms import pose_counts
from dampen.questions.mechanism_choice import choose_mechanism
from dampen.questions.people.groups import FEW_GROUPS, bits_for_amounts, pose_limited_counts, pose_presence
from dampen.questions.people.limits import Limit
from dampen.questions.people.means import pose_group_mean
from dampen.questions.people.totals import caps_of_amounts
from dampen.questions.people.votes import BITS, bits_for, pose_choice, pose_percentiles, require_proportional
from dampen.questions.record import Posed, Price
from dampen.tables.engines.base import Amount, CellColumn, PersonShares
from dampen.vectors import Integers

PoseGroup = Callable[[Votes, Fraction], Posed[Any]]
"""The votes of one group and a price in; its question under ``ADD_REMOVE`` out."""


@dataclass(frozen=True)
class GroupQuestion(PersonQuestion):
    """What the groups of a table with a person are asked. ``labels``: those of the groups, in the order of cells."""

    labels: Sequence[Any]

    @property
    def groups(self) -> tuple[CellColumn, ...]:
        """The columns that make the groups."""
        return tuple(self.cell(name) for name in self.asked.by)

    def places(self, found: PersonShares) -> Integers:
        """The group of each cell."""
        sizes = tuple(len(each.values) for each in self.groups)
        return np.asarray(np.ravel_multi_index(tuple(found.cells.T[: len(sizes)]), sizes), dtype=np.int64)

    def limit(self, caps: tuple[int, ...], **more: Any) -> Limit:
        """How much a person may count for in all groups together."""
        return Limit(caps, self.adjacency, self.person, people=len(self.labels), stakes=True, **more)

    def vote(self, cell: CellColumn, bits: int, pose: PoseGroup) -> Posed[Any]:
        """One vote for each person, spread over all own rows in all groups.

        What a person moves in all groups together is no more than one vote, so each group is asked at the whole price.
        """
        if cell.column in self.asked.by:
            raise ParameterError(f"column must be another one than those of the groups; got {render(cell.column)}")
        price = share_of_group(self.asked.epsilon, self.adjacency)

        def pose_all(found: PersonShares) -> Posed[Any]:
            places = self.places(found)
            ends = np.searchsorted(places, np.arange(len(self.labels) + 1))
            parts = [
                pose(votes_of(found.cells[start:end, -1], found.weights[start:end, 0], 1 << bits), price)
                for start, end in pairwise(ends.tolist())
            ]
            return pose_together(parts, self.labels, self.adjacency)

        return self.tried(pose_all, self.ask(*self.groups, cell, caps=(1,), bits=bits))

    def ask_percentiles(self, shares: Sequence[Fraction], *, listed: bool) -> Posed[Any]:
        """These percentiles of the votes of each group."""
        grid = self.view.grid(self.column)["bounds"]
        public: dict[str, Any] = {"grid": grid, "adjacency": Adjacency.ADD_REMOVE, "unit": self.person}
        return self.vote(
            CellColumn(self.column, grid), bits_for(shares),
            lambda votes, price: pose_percentiles(votes, shares, epsilon=price, listed=listed, **public),
        )  # fmt: skip


def _count(question: GroupQuestion) -> Posed[Any]:
    options = {name: question.asked.options[name] for name in ("non_negative", "consistent")}
    cap, count = question.asked.options.get("cap"), len(question.labels)
    if question.by_rows:
        return _pose_limited(question, question.limit(question.row_caps()), BITS, options)
    if cap is not None:
        return _pose_limited(question, question.limit((as_cap(cap),), what="groups"), BITS, options, once=True)
    if count > FEW_GROUPS:
        caps = tuple(1 << power for power in range(count.bit_length() + 1))
        return _pose_limited(question, question.limit(caps, what="groups"), BITS, options, once=True)
    ask = question.ask(*question.groups, once=True, caps=(count,))
    return question.tried(
        lambda found: pose_presence(found, question.labels, question.places(found), **question.price, **options), ask
    )


def _sum(question: GroupQuestion) -> Posed[Any]:
    if question.column in question.asked.by:
        raise ParameterError(f"column must be another one than those of the groups; got {render(question.column)}")
    units, cap = question.units(sums=True), question.asked.options.get("cap")
    caps = caps_of_amounts(units.largest) if cap is None else (as_cap(cap, units.unit),)
    amount = Amount(question.column, units.grid, units.first)
    limit = question.limit(caps, resolution=units.unit, what="in size" if units.first < 0 else "")
    return _pose_limited(question, limit, bits_for_amounts(units.largest), {}, amount=amount)


def _pose_limited(question: GroupQuestion, limit: Limit, bits: int, options: dict[str, Any], **more: Any) -> Posed[Any]:
    def pose(found: PersonShares) -> Posed[Any]:
        price = question.asked.epsilon
        return pose_limited_counts(found, question.labels, question.places, limit, bits, epsilon=price, **options)

    return question.tried(pose, question.ask(*question.groups, caps=limit.caps, bits=bits, **more))


def _mean(question: GroupQuestion) -> Posed[Any]:
    units = question.units()

    def pose(votes: Votes, price: Fraction) -> Posed[Any]:
        known: dict[str, Any] = {"vote": votes.each, "epsilon": price, "unit": question.person}
        return pose_group_mean(units, votes.places.tolist(), votes.weights.tolist(), **known)

    return question.vote(CellColumn(question.column, units.grid), BITS, pose)


def _most_common(question: GroupQuestion) -> Posed[Any]:
    labels, named = question.view.category(question.column).labels, question.asked.options["mechanism"]

    def pose(votes: Votes, price: Fraction) -> Posed[Any]:
        chosen = choose_mechanism(named, Price(price), indicators="dampen.queries.winner_problem")
        require_proportional(chosen)
        return pose_choice(votes, labels, chosen, adjacency=Adjacency.ADD_REMOVE, unit=question.person)

    return question.vote(question.cell(question.column), BITS, pose)


def _histogram(question: GroupQuestion) -> Posed[Any]:
    cell = CellColumn(question.column, question.view.grid(question.column)["bounds"])
    bars = labels_of(cell)
    frame = vote_counts_frame(len(bars), 1 << BITS, Adjacency.ADD_REMOVE, question.person)
    known: dict[str, Any] = {"adjacency": Adjacency.ADD_REMOVE, "frame": frame, "resolution": Fraction(1, 1 << BITS)}
    return question.vote(
        cell, BITS, lambda votes, price: pose_counts(votes.at_all(len(bars)), bars, price=Price(price), **known)
    )


QUESTIONS: dict[str, Callable[[GroupQuestion], Posed[Any]]] = {
    "count": _count,
    "sum": _sum,
    "mean": _mean,
    **PERCENTILES,
    "most_common": _most_common,
    "histogram": _histogram,
}
"""How each question of groups is asked by person."""
