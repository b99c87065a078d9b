"""Which category is the most frequent? Counts, the winner alone, and ballots that approve of several."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from dampen.errors import DataError, ParameterError
from dampen.privacy import Adjacency, record_adjacency
from dampen.problem import Frame, SelectionProblem
from dampen.sensitivity import Step
from dampen.tables.counts import as_categories, count_categories
from dampen.vectors import Integers


def count_problem(
    values: Any,
    *,
    categories: Sequence[Any],
    adjacency: Adjacency,
    column: str | None = None,
    missing: str = "refuse",
    other: str = "refuse",
) -> SelectionProblem:
    """Which of the categories has the most records? The utility is the count.

    One record moves one count by 1, so the frame is monotone under ``ADD_REMOVE``. A replaced record lowers one count
    and raises another: under ``REPLACE`` it is not. ``other``: what happens to values that are no category.

    >>> import dampen
    >>> from dampen.queries import count_problem
    >>> problem = count_problem("tea tea milk".split(), categories=("tea", "milk", "rum"),
    ...                         adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem.utilities.tolist(), problem.frame.monotone
    ([2, 1, 0], True)
    """
    frame = count_frame(categories, adjacency)
    counts = count_categories(values, frame.candidates, column=column, missing=missing, other=other)
    return SelectionProblem(frame, counts)


def problem_of_counts(counts: Integers, *, categories: Sequence[Any], adjacency: Adjacency) -> SelectionProblem:
    """The same question, of records that are counted already."""
    return SelectionProblem(count_frame(categories, adjacency), counts)


def winner_problem(
    values: Any,
    *,
    categories: Sequence[Any],
    adjacency: Adjacency,
    column: str | None = None,
    missing: str = "refuse",
    other: str = "refuse",
) -> SelectionProblem:
    """Which category wins? Utility 1 for the one with the most records, the first of equals, and 0 for the others.

    The sensitivity of the winner steps from 0 to 1 one step before it can lose. For ``StableArgmax``, dampening and
    Pareto noise.

    >>> import dampen
    >>> from dampen.queries import winner_problem
    >>> problem = winner_problem("tea tea milk".split(), categories=("tea", "milk", "rum"),
    ...                          adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem.utilities.tolist(), problem.sensitivity.at(0).tolist(), problem.sensitivity.at(1).tolist()
    ([1, 0, 0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0])
    """
    frame = Frame(as_categories(categories), bound=1, adjacency=record_adjacency(adjacency))
    counts = count_categories(values, frame.candidates, column=column, missing=missing, other=other)
    utilities, starts = winner_steps(counts, adjacency)
    return SelectionProblem(frame, utilities, Step(starts, bound=1))


def approval_problem(
    ballots: Iterable[Collection[Any]], *, categories: Sequence[Any], adjacency: Adjacency
) -> SelectionProblem:
    """Which category is approved most often? One record is one ballot: a set of categories, of any size.

    A ballot moves any number of counts by 1, all in one direction, so the frame is monotone under ``ADD_REMOVE`` and
    the bound is 1 whatever people approve of. A category named twice on a ballot counts once.

    >>> import dampen
    >>> from dampen.queries import approval_problem
    >>> problem = approval_problem([{"tea", "milk"}, {"milk"}, set()], categories=("tea", "milk"),
    ...                            adjacency=dampen.Adjacency.ADD_REMOVE)
    >>> problem.utilities.tolist()
    [1, 2]
    """
    frame = count_frame(categories, adjacency)
    return SelectionProblem(frame, count_approvals(ballots, frame.candidates))


def winner_steps(counts: Integers, adjacency: Adjacency) -> tuple[Integers, Integers]:
    """For each category its utility, and the distance at which its sensitivity becomes 1.

    With w the winner, category v trails by g_v = n_w - n_v + [v > w] and wins once it is at most 0. One record more or
    less moves g_v by at most 1, a replaced one by 2, so that takes g_v steps, or no fewer than half of it rounded up.
    The winner falls when the nearest other category has caught up, which is exact under both adjacencies.
    """
    winner = int(np.argmax(counts))
    utilities = np.zeros(len(counts), dtype=np.int64)
    utilities[winner] = 1
    steps = counts[winner] - counts + (np.arange(len(counts)) > winner)
    if adjacency is Adjacency.REPLACE:
        steps = (steps + 1) // 2
    steps[winner] = np.delete(steps, winner).min(initial=int(counts.sum()) + 1)
    return utilities, steps - 1


def count_approvals(ballots: Iterable[Collection[Any]], categories: Sequence[Any]) -> Integers:
    """How many ballots approve of each category."""
    if isinstance(ballots, str) or not isinstance(ballots, Iterable):
        raise ParameterError(f"ballots must be a sequence of sets of categories; got {type(ballots).__name__}")
    places = {category: place for place, category in enumerate(categories)}
    counts = np.zeros(len(places), dtype=np.int64)
    for ballot in ballots:
        if isinstance(ballot, str) or not isinstance(ballot, Collection):
            raise DataError("every ballot must be a set, list or tuple of categories")
        try:
            chosen = {places[category] for category in ballot}
        except (KeyError, TypeError):
            raise DataError("every ballot must hold declared categories only") from None
        counts[list(chosen)] += 1
    return counts


def count_frame(categories: Sequence[Any], adjacency: Adjacency) -> Frame:
    """What is known of counts before the data is seen."""
    labels = as_categories(categories)
    monotone = record_adjacency(adjacency) is Adjacency.ADD_REMOVE
    return Frame(labels, bound=1, adjacency=adjacency, monotone=monotone)
