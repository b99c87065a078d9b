"""SQL for DuckDB: persons whose rows are in a few cells, grouped once, with a sum for each cell beside the person.

Grouped by person and cell there would be a group for each of both, and a window over all of them to tell what a person
has up to a cell: both take more memory and more time, as long as the cells are few.
"""

from collections.abc import Sequence
from itertools import product
from math import prod

from dampen.tables.engines.base import LARGEST_TOTAL, PersonAsk
from dampen.tables.engines.duck_sql import kind_of, stands_for
from dampen.tables.engines.labels import Places
from dampen.tables.engines.shares import BELOW
from dampen.tables.files import literal
from dampen.tables.grid import Grid

MOST_CELLS = 4
"""Every row is compared with each cell, so that many cells would cost more than they save."""
COMPARED = ("wholes", "reals", "truths")
"""Kinds of columns whose values are compared with labels as they are."""


def clamp_total(total: str) -> str:
    """A total within the sizes that are counted."""
    return f"least(greatest({total}, -{LARGEST_TOTAL}), {LARGEST_TOTAL})::bigint"


def has_few_cells(ask: PersonAsk, types: Sequence[str]) -> bool:
    """Whether cells are few, and each is told by comparing values alone; ``types``: SQL types of the columns."""
    if not ask.cells or prod(ask.sizes) > MOST_CELLS:
        return False
    return all(
        not isinstance(each.values, Grid) and each.rest is None and _is_compared(sql_type, Places.of(each.values))
        for each, sql_type in zip(ask.cells, types, strict=True)
    )


def _is_compared(sql_type: str, places: Places) -> bool:
    kind = kind_of(sql_type)
    return kind in COMPARED or (kind == "text" and not places.numbers and not places.truths)


def few_cells_sql(ask: PersonAsk, types: Sequence[str], rows: str, somebody: str) -> str:
    """A row for each person and cell: ``t`` is what the person has in all, ``z`` up to the cell and ``b`` before it.

    Of sums that may be negative these add up sizes, and ``below`` tells the sign.

    ``rows`` have a person, ``label0``, ... and an amount; ``somebody``: whether a person is not missing. The first cell
    is the ``head`` of a person, whether or not there are own rows in it.
    """
    cells = [*product(*map(range, ask.sizes))]
    rules = [" and ".join(_rule(ask, types, spot, place) for spot, place in enumerate(cell)) for cell in cells]
    one = "count(case when {} then 1 end)" if ask.amount is None else "sum(case when {} then amount end)"
    listed = ", ".join(f"{one.format(rule)} as y{spot}" for spot, rule in enumerate(rules))
    persons = f"select person, {listed} from ({rows}) group by person"
    here = " or ".join(f"y{spot} {'> 0' if ask.amount is None else 'is not null'}" for spot in range(len(cells)))
    own = [_own(ask, f"y{spot}") for spot in range(len(cells))]
    ups = [clamp_total(" + ".join(own[: spot + 1])) for spot in range(len(cells))]
    ends = ", ".join(f"{up} as z{spot}" for spot, up in enumerate(ups))
    signs = [f"coalesce(y{spot} < 0, false)" for spot in range(len(cells))]
    if ask.signed:
        ends += "".join(f", {sign} as {BELOW}{spot}" for spot, sign in enumerate(signs))
    persons = f"select {ends} from ({persons}) where ({somebody}) and ({here})"
    names = [f"z{spot}" for spot in range(len(cells))]
    lists = {f"c{spot}": [str(cell[spot]) for cell in cells] for spot in range(len(ask.sizes))}
    lists |= {"head": ["true", *["false"] * (len(cells) - 1)], "z": names, "b": ["0::bigint", *names[:-1]]}
    if ask.signed:
        lists[BELOW] = [f"{BELOW}{spot}" for spot in range(len(cells))]
    spread = ", ".join(f"unnest([{', '.join(each)}]) as {name}" for name, each in lists.items())
    return f"select {spread}, {names[-1]} as t from ({persons})"


def _rule(ask: PersonAsk, types: Sequence[str], spot: int, place: int) -> str:
    """Whether the label of a row stands for that at a place; a text is compared and nothing else, null is none."""
    label, places = f"label{spot}", Places.of(tuple(ask.cells[spot].values))
    if kind_of(types[spot]) != "text":
        return stands_for(label, types[spot], places, frozenset({place}))
    texts = ", ".join(literal(text) for text, owner in places.texts.items() if owner == place)
    return f"{label} in ({texts})" if texts else "false"


def _own(ask: PersonAsk, total: str) -> str:
    """What a person has in a cell; numbers of 128 bits, so that a few of them add up."""
    if ask.amount is not None:
        own = f"{clamp_total(f'coalesce({total}, 0)')}::hugeint"
        return f"abs({own})" if ask.signed else own
    return f"({total} > 0)::hugeint" if ask.once else f"{total}::hugeint"
