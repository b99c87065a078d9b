"""A table whose rows have two persons each, asked: how many rows there are, and nothing else."""

from typing import Any

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.front.asking import Asking
from dampen.front.people import ROW_CAPS, as_cap
from dampen.front.view import View
from dampen.privacy import Adjacency
from dampen.questions.people.rows_of_two import pose_capped_rows, pose_rows_of_two
from dampen.questions.record import Posed
from dampen.tables.person_pairs import NO_PAIRS, PersonPairs, person_pairs


def pose_by_two(view: View, asked: Asking, adjacency: Adjacency) -> Posed[Any]:
    """A question of such a table, posed on no rows first: no bad argument waits for the data."""
    assert view.person is not None
    assert view.person.pair is not None
    if asked.question != "count":
        raise ParameterError(f"a table whose rows have two persons must be asked for count; got {asked.question!r}")
    if asked.options.get("of") != "rows":
        rule = "of must be 'rows' where rows have two persons: who leaves may take others along, who have no other rows"
        raise ParameterError(f"{rule}; got {render(asked.options.get('of'))}")
    cap = asked.options.get("cap")
    price: dict[str, Any] = {"epsilon": asked.epsilon, "adjacency": adjacency, "unit": view.person.unit}

    def pose(pairs: PersonPairs) -> Posed[Any]:
        if cap is None:
            return pose_rows_of_two(pairs, ROW_CAPS, **price)
        return pose_capped_rows(pairs, as_cap(cap), **price)

    pose(NO_PAIRS)
    return pose(person_pairs(view.pair_source(), view.person.pair, missing=view.person.missing))
