"""What an audit is given, checked in one sentence each: a mechanism, how to pose a problem, data sets, neighbours."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from dampen._validate import render
from dampen.audit.neighbours import DataSet
from dampen.errors import ParameterError

Neighbours = Callable[[Any], Iterable[Any]]
Kind = TypeVar("Kind")


def require_kind(kind: type[Any], example: str = "", /, **named: object) -> None:
    """Require one named argument to be of a kind; ``example`` shows one."""
    [(name, value)] = named.items()
    if not isinstance(value, kind):
        such = f", such as {example}" if example else ""
        raise ParameterError(f"{name} must be a {kind.__name__}{such}; got {render(value)}")


def require_function(what: str, /, **named: object) -> None:
    """Require one named argument to be a function; ``what`` tells from what to what."""
    [(name, value)] = named.items()
    if not callable(value):
        raise ParameterError(f"{name} must be a function from {what}; got {render(value)}")


def pose(problem_of: Callable[[Any], Any], x: DataSet, kind: type[Kind]) -> Kind:
    """The problem of a data set, of the kind that is audited."""
    problem = problem_of(x)
    if not isinstance(problem, kind):
        raise ParameterError(f"problem_of must return a {kind.__name__}; it returned {render(problem)}")
    return problem


def pairs_of(universe: Iterable[DataSet], neighbours: Neighbours) -> Iterator[tuple[DataSet, DataSet]]:
    """Every data set of the universe with each of its neighbours, itself left out."""
    require_function("a data set to its neighbours", neighbours=neighbours)
    for x in _iterate(universe, "universe must be data sets in a list or another iterable; got"):
        for y in _iterate(
            neighbours(_require_hashable(x)), "neighbours must return data sets in an iterable; it returned"
        ):
            if x != _require_hashable(y):
                yield x, y


def _iterate(values: Any, otherwise: str) -> Iterator[Any]:
    try:
        return iter(values)
    except TypeError:
        raise ParameterError(f"{otherwise} {render(values)}") from None


def _require_hashable(x: DataSet) -> DataSet:
    try:
        hash(x)
    except TypeError:
        raise ParameterError(f"data sets must be hashable, such as tuples of records; got {render(x)}") from None
    return x
