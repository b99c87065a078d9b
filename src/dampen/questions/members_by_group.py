"""Who belongs to which group?"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

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
from dampen.tables.counts import as_categories, filter_rows
from dampen.tables.groups import REST, as_group_missing, find_groups, rest_place, settle_groups
from dampen.tables.people import as_ids, public_order, read_people
from dampen.vectors import Integers

METHODS: dict[str, Callable[[Number], GroupMechanism]] = {
    "randomised_response": RandomisedResponse,
    "triode": Triode,
    "triode_h": TriodeH,
    "dampened_triode": DampenedTriode,
}
MOST_CATEGORIES = 2**16
WHERE_NEEDS_A_TABLE = "where is for tables: name the columns of the values and of the groups, column= and groups="


def _known_people(records: int, public: Mapping[str, Any]) -> Mapping[str, Any]:
    """So many people, all of them in the first category."""
    groups, column = [*public["categories"]][:1] * records, public.get("column")
    if column is None:
        return {"ids": range(records), "groups": groups}
    filters = {name: [value] * records for name, value in (public.get("where") or {}).items()}
    return {"ids": {**filters, public["groups"]: groups, column: range(records)}}


@question(_known_people, proof="groups", plain=True)
def group_by(
    ids: Any,
    groups: Any,
    *,
    categories: Sequence[Any],
    epsilon: Number,
    budget: BudgetLike,
    method: str = "randomised_response",
    fragment: int = FRAGMENT,
    column: str | None = None,
    where: Mapping[str, Any] | None = None,
    other: Any = REST,
    missing: str = "refuse",
    note: str = "group_by",
) -> Posed[dict[Any, NDArray[Any]]]:
    """The ids of the people in each category, privately: a mapping from category to an array of ids.

    ``epsilon`` is the price of the whole mapping. Protected is what one person's category is (``REPLACE``): the ids
    and their number are public. If only sizes are wanted, ask :func:`group_counts`, which is far more accurate.

    Parameters
    ----------
    ids
        One label per person, distinct. Public: every one of them may come out in any group. They come out sorted,
        because the order of rows may follow the groups. With ``column`` a table that holds them: a data frame, a
        mapping of columns, a path or pattern of CSV or Parquet files, a DuckDB relation, an ibis table or a Spark data
        frame. Two columns are read from it, ids and groups, for the answer names every person.
    groups
        The category of each person, in the same order; with ``column`` the name of the column that holds it.
    categories
        Everything that could have occurred, at least two labels. Public, so never taken from the data.
    method
        ``"randomised_response"`` tells a partition: everybody's category, each true with the same known probability.
        No private method is better, person by person. ``"triode"``, ``"triode_h"`` and ``"dampened_triode"`` are those
        of the group-by paper, repaired: their groups may overlap, and need not cover everybody.
    fragment
        For ``"triode_h"``: how many people a fragment holds.
    where
        ``{column: value}``: only people with these values come out, for tables. Everybody sees who that is, so the
        columns that it names must be public, as the ids are. The column of the groups is refused.
    other
        The category that takes values which are no category: ``"other"``, where that is declared. Without one they are
        refused.
    missing
        ``"refuse"`` missing values, or count them as ``"other"``. Nobody can be left out: ids are public.
    note
        What the answer is for; a ledger remembers it.

    >>> import dampen
    >>> found = dampen.group_by(["ann", "bob", "cid"], ["F", "M", "M"], categories=("F", "M"), epsilon=1,
    ...                         budget=dampen.Budget(epsilon=1))
    >>> list(found), sorted(name for names in found.values() for name in names.tolist())
    (['F', 'M'], ['ann', 'bob', 'cid'])
    """
    labels, mechanism = as_group_categories(categories), group_mechanism(method, epsilon, fragment)
    as_group_missing(missing, rest_place(labels, other))
    names, found, title = _people(ids, groups, labels, column, where)
    people = as_ids(names)
    frame = GroupFrame(len(people), len(labels))
    loss = mechanism.privacy(frame)
    places = settle_groups(found, labels, other=other, missing=missing, title=title)
    if len(places) != len(people):
        raise DataError("groups must be exactly one for each id")
    order = public_order(people)
    people, problem = people[order], GroupProblem(frame, places[order])

    def build(members: Groups, loss: PrivacyLoss, note: str) -> Release:
        by_label = {label: people[chosen] for label, chosen in zip(labels, members, strict=True)}
        return Release(by_label, loss, repr(mechanism), note)

    return Composite(frame, loss, lambda source: mechanism.draw(problem, source), build)


def _people(
    ids: Any, groups: Any, labels: tuple[Any, ...], column: str | None, where: Mapping[str, Any] | None
) -> tuple[Any, Integers, str]:
    """Ids, the place of everybody's group, and how a message names it; out of a table where a column is named."""
    if column is None:
        if where is not None:
            raise ParameterError(WHERE_NEEDS_A_TABLE)
        return ids, find_groups(groups, labels), "groups"
    if not isinstance(groups, str):
        raise ParameterError(f"groups must be the name of a column, as column is; got {type(groups).__name__}")
    return *read_people(filter_rows(ids, where), labels, id=column, by=groups), title_of(groups)


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
