"""Utilities of 0 and 1: is this label the majority? Step sensitivities with the exact distance to a change.

The universes of kind ``indicator``. A step is at t0 = d - 1, where d is the number of records that must be added or
removed before the utility changes.
"""

from dampen import Adjacency, Frame, SelectionProblem
from dampen.audit import add_remove_neighbours, multisets
from dampen.sensitivity import Step
from tests.audit.universes.base import Universe


def records_to_lead(counts: list[int], label: int, *, strict: bool) -> int:
    """How many records must come or go before ``label`` wins: add to it, take from those still ahead.

    A rival blocks while it is ahead, or level and (``strict`` or before the label in the order).
    """
    behind = [n - counts[label] + int(strict or rival < label) for rival, n in enumerate(counts) if rival != label]
    return min(added + sum(max(0, gap - added) for gap in behind) for added in range(max(0, *behind) + 1))


def winner_problem(
    x: tuple[int, ...], labels: int, *, strict: bool = False, own_steps: bool = True
) -> SelectionProblem:
    """Utility 1 for the label with the most records; of equals the first wins, or with ``strict`` nobody does.

    ``own_steps``: every label has its own exact step; else all have the winner's (the least), as in the thesis.
    """
    counts = [x.count(label) for label in range(labels)]
    to_lead = [records_to_lead(counts, label, strict=strict) for label in range(labels)]
    utilities = [int(distance == 0) for distance in to_lead]
    to_change = [distance or _records_to_fall(counts, label, strict) for label, distance in enumerate(to_lead)]
    starts = [distance - 1 if own_steps else min(to_change) - 1 for distance in to_change]
    frame = Frame(range(labels), bound=1, adjacency=Adjacency.ADD_REMOVE)
    return SelectionProblem(frame, utilities, Step(starts, bound=1))


def _records_to_fall(counts: list[int], winner: int, strict: bool) -> int:
    """k = min over the others s of n_w - n_s + [s > w]; to a mere tie where ties have no winner."""
    return min(
        counts[winner] - n + int(not strict and rival > winner) for rival, n in enumerate(counts) if rival != winner
    )


def winners(*, labels: int, largest: int, strict: bool = False, own_steps: bool = True) -> Universe:
    ties = "ties have no winner" if strict else "ties to the first"
    steps = "own steps" if own_steps else "the winner's step"
    return Universe(
        f"winner of {labels} labels, {ties}, {steps}",
        lambda x: winner_problem(x, labels, strict=strict, own_steps=own_steps),
        multisets(range(labels), largest=largest),
        add_remove_neighbours(range(labels)),
        indicator=True,
        horizon=largest + 2,
    )
