"""Where to look first: pairs of neighbouring data sets on which mechanisms have failed before."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from dampen._validate import Number, flag, one_of, pair, render
from dampen.errors import ParameterError
from dampen.privacy import Adjacency, as_adjacency, as_unit

FEW, MANY = 3, 20
ROW = "row"
OUTLIER = 1e6
"""An outlier lies so many ranges above the upper end."""


@dataclass(frozen=True)
class Pair:
    """Two neighbouring data sets, and what is special about them.

    ``mixed``: one of them has a record that a subject may rightly refuse, such as a text among numbers. A subject that
    always raises an exception there refuses it, and is not accused of it.
    """

    name: str
    x: Any
    y: Any
    mixed: bool = False


@dataclass(frozen=True)
class Case:
    """A data set without one record, that record, and what stands in its place where records are replaced."""

    name: str
    rest: tuple[Any, ...]
    record: Any
    instead: Any
    mixed: bool = False


def pairs(
    kind: str,
    *,
    adjacency: Adjacency | None = None,
    unit: str = ROW,
    bounds: tuple[Number, Number] = (0, 1),
    labels: tuple[str, ...] = ("a", "b", "c"),
    monotone: bool = False,
) -> list[Pair]:
    """Neighbouring pairs of one kind of data, those on which mechanisms fail most often first.

    ``"numbers"``: lists of numbers within ``bounds``, and one far outside. ``"categories"``: lists of ``labels``.
    ``"table"``: lists of rows, each a mapping with a ``group`` and a ``value``; where ``unit`` is a column of persons,
    rows have it too, and one person has many rows. ``"graph"``: a number of nodes and a frozen set of edges, as in
    :func:`dampen.audit.graphs`. ``"scores"``: lists of scores that one step moves by at most 1 each, all in one
    direction where they are ``monotone``.

    ``adjacency`` is ``EDGE`` for graphs and ``ADD_REMOVE`` for all else, unless it is given.

    >>> pairs("scores")[0]
    Pair(name='ties that part', x=[0, 0], y=[1, -1], mixed=False)
    """
    propose = KINDS[one_of(tuple(KINDS), kind=kind)]
    natural = Adjacency.EDGE if kind == "graph" else Adjacency.ADD_REMOVE
    adjacency = natural if adjacency is None else as_adjacency(adjacency)
    if kind in ("numbers", "categories", "table", "graph") and (adjacency is Adjacency.EDGE) != (kind == "graph"):
        raise ParameterError(f"adjacency must be Adjacency.{natural.name} for kind={kind!r}; got {render(adjacency)}")
    low, high = map(float, pair(bounds=bounds))
    if low >= high:
        raise ParameterError("bounds must be two numbers (lo, hi) with lo < hi")
    if len({*labels}) < 2:
        raise ParameterError("labels must be at least two different ones")
    proposed = propose(Terms(as_unit(unit), low, high, tuple(labels), flag(monotone=monotone)))
    return [each if isinstance(each, Pair) else _pair_of(each, adjacency) for each in proposed]


@dataclass(frozen=True)
class Terms:
    """What is publicly known of data sets of some kind."""

    unit: str
    low: float
    high: float
    labels: tuple[str, ...]
    monotone: bool


def _pair_of(case: Case, adjacency: Adjacency) -> Pair:
    """One record more, or another one; a record that is a list of rows is one person's."""
    x = [*case.rest, *_rows(case.record)]
    y = [*case.rest, *(_rows(case.instead) if adjacency is Adjacency.REPLACE else ())]
    return Pair(case.name, x, y, case.mixed)


def _rows(record: Any) -> list[Any]:
    return record if isinstance(record, list) else [record]


def _numbers(terms: Terms) -> Iterator[Case]:
    low, high = terms.low, terms.high
    middle = (low + high) / 2
    spread = tuple(low + (high - low) * place / 10 for place in range(11))
    yield Case("empty and one record", (), high, low)
    yield Case("one extreme beside many of the other", (low,) * MANY, high, low)
    yield Case("the other way round", (high,) * MANY, low, high)
    yield Case("one record beside one other", (low,), high, low)
    yield Case("ties", (middle,) * MANY, middle, high)
    yield Case("a tie that one record breaks", (low, high) * FEW, high, low)
    yield Case("one outlier", spread, high + OUTLIER * (high - low), low)
    yield Case("an outlier below", spread, low - OUTLIER * (high - low), high)
    yield Case("a third of the range", (), low + (high - low) / 3, high)  # its binary digits do not end
    for name, record in (("not a number", float("nan")), ("infinity", float("inf"))):
        yield Case(f"{name} among numbers", spread, record, middle, mixed=True)
    for name, other in (("nothing", None), ("a text", "1"), ("a truth value", True)):
        yield Case(f"{name} among numbers", spread, other, middle, mixed=True)


def _categories(terms: Terms) -> Iterator[Case]:
    first, second = terms.labels[0], terms.labels[-1]
    yield Case("empty and one record", (), first, second)
    yield Case("a label that nobody else has", (first,) * MANY, second, first)
    yield Case("a tie that one record breaks", (first, second) * FEW, second, first)
    yield Case("ties of all labels", terms.labels * FEW, first, second)
    yield Case("everybody the same", (first,) * MANY, first, second)
    yield Case("one record beside one other", (first,), second, first)
    yield Case("a label that is not declared", (first, second) * FEW, "another label", first, mixed=True)
    for name, other in (("nothing", None), ("a number", 1), ("an empty text", "")):
        yield Case(f"{name} among labels", (first, second) * FEW, other, first, mixed=True)


def _table(terms: Terms) -> Iterator[Case]:
    low, high, first, second = terms.low, terms.high, terms.labels[0], terms.labels[-1]

    def row(group: Any, value: Any, person: int) -> dict[str, Any]:
        of_person = {} if terms.unit == ROW else {terms.unit: f"p{person}"}
        return of_person | {"group": group, "value": value}

    crowd = tuple(row(first, low, person) for person in range(1, MANY))
    both = tuple(row(terms.labels[person % len(terms.labels)], low, person) for person in range(1, MANY))
    yield Case("empty and one record", (), row(first, high, 0), row(second, low, 0))
    yield Case("one extreme beside many of the other", crowd, row(first, high, 0), row(first, low, 0))
    yield Case("a group of one", crowd, row(second, high, 0), row(first, low, 0))
    yield Case("ties", both, row(first, low, 0), row(second, low, 0))
    yield Case("one outlier", both, row(first, high + OUTLIER * (high - low), 0), row(first, low, 0))
    if terms.unit != ROW:
        many = [row(first, high, 0) for _ in range(MANY)]
        yield Case("one person with many rows", both, many, row(first, low, 0))
        scattered = [row(group, high, 0) for group in terms.labels]
        yield Case("one person in every group", both, scattered, row(first, low, 0))
    yield Case("nothing in place of a value", both, row(first, None, 0), row(first, low, 0), mixed=True)
    yield Case("a text in place of a value", both, row(first, "1", 0), row(first, low, 0), mixed=True)
    yield Case("a group that is not declared", both, row("another group", low, 0), row(first, low, 0), mixed=True)


def _graphs(terms: Terms) -> Iterator[Pair]:
    every = frozenset(combinations(range(6), 2))
    star = frozenset((0, leaf) for leaf in range(1, 6))
    path = frozenset((node, node + 1) for node in range(5))
    triangles = frozenset({(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)})
    bipartite = frozenset((one, other) for one in (0, 1) for other in (2, 3, 4, 5))
    for name, edges, edge in (
        ("no edge and one", frozenset[tuple[int, int]](), (0, 1)),
        ("two hubs that are joined", bipartite, (0, 1)),
        ("all edges but one", every - {(0, 1)}, (0, 1)),
        ("a star and an edge of leaves", star, (1, 2)),
        ("a star that loses a leaf", star - {(0, 5)}, (0, 5)),
        ("a path that is closed", path, (0, 5)),
        ("two triangles that are joined", triangles, (2, 3)),
    ):
        yield Pair(name, (6, edges | {edge}), (6, edges))


def _scores(terms: Terms) -> Iterator[Pair]:
    if not terms.monotone:
        yield Pair("ties that part", [0, 0], [1, -1])
        yield Pair("one up, all others down", [0] * MANY, [1] + [-1] * (MANY - 1))
        yield Pair("the last one up, all others down", [0] * FEW, [-1] * (FEW - 1) + [1])
        yield Pair("the last one down, all others up", [0] * FEW, [1] * (FEW - 1) + [-1])
        yield Pair("half up, half down", [0] * 6, [1, -1] * 3)
        yield Pair("a leader that is overtaken", [1, 0, 0], [0, 1, 0])
    yield Pair("one of two up", [0, 0], [1, 0])
    yield Pair("one of many up", [0] * MANY, [1] + [0] * (MANY - 1))
    yield Pair("all but one up", [0] * MANY, [0] + [1] * (MANY - 1))
    yield Pair("all up together", [0] * FEW, [1] * FEW)
    yield Pair("the hindmost up", [9, 9, 0], [9, 9, 1])
    yield Pair("a candidate alone", [0], [1])


KINDS: dict[str, Callable[[Terms], Iterator[Case | Pair]]] = {
    "numbers": _numbers,
    "categories": _categories,
    "table": _table,
    "graph": _graphs,
    "scores": _scores,
}
