"""The same selection for every group, all for one epsilon."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dampen._validate import Number, plain, positive, shown
from dampen.accounting import converted
from dampen.applications.composite import paid
from dampen.applications.mechanism_choice import Choice, chosen_mechanism, refuse_indicators
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import PermuteAndFlip, SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import SelectionProblem
from dampen.queries.stretches import record_adjacency
from dampen.sampling import entropy
from dampen.statistics.categories import as_categories
from dampen.statistics.groups import listed_as, place_groups
from dampen.vectors import Integers


def group_choice(mechanism: Choice | None, epsilon: Number, adjacency: Adjacency, instead: str) -> SelectionMechanism:
    """The mechanism of one group: under ``REPLACE`` at half of epsilon."""
    parts = 2 if record_adjacency(adjacency) is Adjacency.REPLACE else 1
    share = positive(epsilon=epsilon) / parts
    if isinstance(mechanism, SelectionMechanism) and mechanism.epsilon != share:
        raise ParameterError(
            f"mechanism must have epsilon {plain(share)}, at which each group is asked under {adjacency.name}; "
            f"got {shown(mechanism)}"
        )
    chosen = chosen_mechanism(mechanism, share, default=PermuteAndFlip)
    refuse_indicators(chosen, instead)
    return chosen


def each_group(
    values: Any,
    groups: Any,
    problem: Callable[[Any], SelectionProblem],
    mechanism: SelectionMechanism,
    *,
    categories: Sequence[Any],
    budget: BudgetLike,
    adjacency: Adjacency,
    other: Any,
    missing: str,
    note: str,
    rule: str,
) -> dict[Any, Any]:
    """One draw per group, paid together. Sizes of groups are private, so inside them the adjacency is ``ADD_REMOVE``.

    ``rule``: what is said of values that make no problem.

    One record more or less changes one group; a replaced one is one less and one more, each at its group's price.
    """
    labels = as_categories(categories)
    records = _split(values, place_groups(groups, labels, other=other, missing=missing), len(labels))
    try:
        posed = [problem(part) for part in records]
    except DataError:
        raise DataError(rule) from None
    single = mechanism.privacy(posed[0].frame)
    loss = converted(single, adjacency, single.unit)

    def draw() -> list[int]:
        source = entropy.system_entropy()
        with np.errstate(all="ignore"):
            return [mechanism.draw(each, source) for each in posed]

    drawn = paid(draw, loss, budget=budget, note=note)
    return {label: each.frame.candidates[i] for label, each, i in zip(labels, posed, drawn, strict=True)}


def _split(values: Any, places: Integers, kinds: int) -> list[Any]:
    """The values of each group."""
    found = listed_as(values, "values")
    if len(found) != len(places):
        raise DataError("groups must be exactly one for each value")
    order = np.argsort(places, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(places, minlength=kinds))[:-1])
    if isinstance(found, np.ndarray):
        return [found[part] for part in parts]
    items = found if isinstance(found, list) else found.to_list()
    return [[items[place] for place in part.tolist()] for part in parts]
