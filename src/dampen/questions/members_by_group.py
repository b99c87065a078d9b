"""Who belongs to which group?"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dampen._validate import Number, one_of, positive, render, whole
from dampen.errors import DataError, ParameterError
from dampen.mechanisms.grouping.base import GroupMechanism, Groups
from dampen.mechanisms.grouping.dampened_triode import DampenedTriode
from dampen.mechanisms.grouping.randomised_response import RandomisedResponse
from dampen.mechanisms.grouping.triode import Triode
from dampen.mechanisms.grouping.triode_h import FRAGMENT, TriodeH
from dampen.privacy import BudgetLike, PrivacyLoss, Release
from dampen.problem import GroupFrame, GroupProblem
from dampen.questions.record import Composite, Posed, question
from dampen.tables.columns import title_of
from dampen.tables.counts import as_categories
from dampen.tables.engines import Source
from dampen.tables.groups import find_groups, settle_groups
from dampen.tables.people import as_ids, public_order, read_people
from dampen.vectors import Integers

METHODS: dict[str, Callable[[Number], GroupMechanism]] = {
    "randomised_response": RandomisedResponse,
    "triode": Triode,
    "triode_h": TriodeH,
    "dampened_triode": DampenedTriode,
}
MOST_CATEGORIES = 2**16


def _known_people(records: int, public: Mapping[str, Any]) -> Mapping[str, Any]:
    """So many people, all of them in the first category."""
    return {"ids": range(records), "groups": [*public["categories"]][:1] * records}


@question(_known_people, proof="randomised_response")
def release_group_members(
    ids: Any,
    groups: Any,
    *,
    categories: Sequence[Any],
    epsilon: Number,
    budget: BudgetLike,
    method: str = "randomised_response",
    fragment: int = FRAGMENT,
    note: str = "release_group_members",
) -> Posed[Release]:
    """The ids of the people in each category, privately: a mapping from category to an array of ids.

    ``epsilon`` is the price of the whole mapping. Protected is what one person's category is (``REPLACE``): the ids
    and their number are public. If only sizes are wanted, ask ``table.by(...).count``, which is far more accurate.

    Parameters
    ----------
    ids
        One label per person, distinct. Public: every one of them may come out in any group. They come out sorted,
        because the order of rows may follow the groups.
    groups
        The category of each person, in the same order.
    categories
        Everything that could have occurred, at least two labels. Public, so never taken from the data.
    method
        ``"randomised_response"`` tells a partition: everybody's category, each true with the same known probability.
        No private method is better, person by person. ``"triode"``, ``"triode_h"`` and ``"dampened_triode"`` are those
        of the group-by paper, repaired: their groups may overlap, and need not cover everybody.
    fragment
        For ``"triode_h"``: how many people a fragment holds.
    note
        What the answer is for; a ledger remembers it.

    >>> import dampen
    >>> found = dampen.release_group_members(["ann", "bob", "cid"], ["F", "M", "M"], categories=("F", "M"),
    ...                                      epsilon=1, budget=dampen.Budget(epsilon=1))
    >>> list(found.value), sorted(name for names in found.value.values() for name in names.tolist())
    (['F', 'M'], ['ann', 'bob', 'cid'])
    """
    labels, mechanism = as_group_categories(categories), group_mechanism(method, epsilon, fragment)
    names, found, rules = _people(ids, groups, labels)
    people = as_ids(names)
    frame = GroupFrame(len(people), len(labels))
    loss = mechanism.privacy(frame)
    places = settle_groups(found, labels, **rules)
    if len(places) != len(people):
        raise DataError("groups must be exactly one for each id")
    order = public_order(people)
    people, problem = people[order], GroupProblem(frame, places[order])

    def build(members: Groups, loss: PrivacyLoss, note: str) -> Release:
        by_label = {label: people[chosen] for label, chosen in zip(labels, members, strict=True)}
        return Release(by_label, loss, repr(mechanism), note, mechanism.accuracy(frame))

    return Composite(frame, loss, lambda source: mechanism.draw(problem, source), build)


def _people(ids: Any, groups: Any, labels: tuple[Any, ...]) -> tuple[Any, Integers, dict[str, Any]]:
    """Ids, the place of everybody's group, and what happens to places that are none."""
    if not isinstance(ids, Source):
        return ids, find_groups(groups, labels), {"other": None, "missing": "refuse", "title": "groups"}
    names, found = read_people(ids, labels, id=ids.column or "", by=groups.column)
    return names, found, {"other": groups.other, "missing": groups.missing, "title": title_of(groups.column)}


def group_mechanism(method: str, epsilon: Number, fragment: int = FRAGMENT) -> GroupMechanism:
    """The mechanism that a method names."""
    named = one_of(tuple(METHODS), method=method)
    positive(epsilon=epsilon)
    if named == "triode_h":
        return TriodeH(epsilon, fragment)
    if whole(fragment=fragment, least=1) != FRAGMENT:
        raise ParameterError(f"fragment goes with method 'triode_h' alone; got {render(fragment)} for {named!r}")
    return METHODS[named](epsilon)


def as_group_categories(categories: Sequence[Any]) -> tuple[Any, ...]:
    """At least two labels: with one of them everybody is in it, and nothing is asked."""
    labels = as_categories(categories)
    if not 2 <= len(labels) <= MOST_CATEGORIES:
        raise ParameterError(
            f"categories must be at least two and at most {MOST_CATEGORIES} labels for a group-by; got {len(labels)}"
        )
    return labels
