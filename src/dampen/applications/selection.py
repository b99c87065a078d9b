"""Which candidate is best?"""

import numbers
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from dampen._validate import Number, plain, positive
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import PermuteAndFlip, SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import Frame, SelectionProblem
from dampen.sensitivity import SensitivityFunction


class Scores(Protocol):
    """Anything that lists (label, score) pairs: a mapping, a pandas Series."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """The pairs."""
        ...


def select(
    scores: Scores,
    *,
    sensitivity: Number | SensitivityFunction,
    epsilon: Number,
    budget: BudgetLike,
    monotone: bool = False,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    candidates: Iterable[Any] | None = None,
    mechanism: SelectionMechanism | Callable[[Number], SelectionMechanism] | None = None,
) -> Any:
    """The label with the highest score, privately.

    Parameters
    ----------
    scores
        A mapping or pandas Series label -> score. All scores are whole numbers, or all are floats: which of the two is
        public, so it must not depend on the data.
    sensitivity
        How much one record can change any score at most.
    monotone
        Whether one record moves all scores in the same direction (true of counts when records are added or removed).
        Halves the noise.
    candidates
        All labels that could have occurred. Labels without a score count as 0; a score without a candidate is refused.
        Left out, the labels of ``scores`` are published as they are: right for a fixed list, wrong for
        ``Counter(values)``, whose labels tell which values occur.
    mechanism
        A mechanism class, or a mechanism with the same epsilon; permute-and-flip by default.

    Returns
    -------
    The chosen label.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.select({"ann": 31, "bob": 0}, sensitivity=1, monotone=True, epsilon=1, budget=budget) in ("ann", "bob")
    True
    """
    chosen = _mechanism(mechanism, epsilon)
    problem = selection_problem(
        scores, sensitivity=sensitivity, monotone=monotone, adjacency=adjacency, candidates=candidates
    )
    return chosen.release(problem, budget=budget, note="select").value


def selection_problem(
    scores: Scores,
    *,
    sensitivity: Number | SensitivityFunction,
    monotone: bool = False,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    candidates: Iterable[Any] | None = None,
) -> SelectionProblem:
    """The problem that :func:`select` poses: scores in their public frame."""
    if monotone and adjacency is Adjacency.REPLACE:
        raise ParameterError(
            "monotone must be False under REPLACE: a replaced record moves one score up and another down"
        )
    function = sensitivity if isinstance(sensitivity, SensitivityFunction) else None
    bound = function.bound if function is not None else positive(sensitivity=sensitivity)
    labels, values = _listed(scores)
    if candidates is not None:
        labels, values = _completed(labels, values, candidates)
    frame = Frame(labels, bound, adjacency, monotone)
    return SelectionProblem(frame, values, function)


def _mechanism(
    mechanism: SelectionMechanism | Callable[[Number], SelectionMechanism] | None, epsilon: Number
) -> SelectionMechanism:
    if mechanism is None:
        return PermuteAndFlip(epsilon)
    chosen = mechanism if isinstance(mechanism, SelectionMechanism) else None
    if chosen is None and callable(mechanism):
        chosen = mechanism(epsilon)
    if not isinstance(chosen, SelectionMechanism):
        raise ParameterError(f"mechanism must be a mechanism class such as PermuteAndFlip; got {str(mechanism)[:60]!r}")
    if chosen.epsilon != positive(epsilon=epsilon):
        raise ParameterError(f"epsilon must be the mechanism's own, {plain(chosen.epsilon)}; got {str(epsilon)[:60]}")
    return chosen


def _listed(scores: Scores) -> tuple[tuple[Any, ...], list[Any]]:
    if not callable(getattr(scores, "items", None)):
        raise ParameterError(f"scores must be a mapping or a Series label -> score; got {type(scores).__name__}")
    pairs = list(scores.items())
    labels, values = tuple(label for label, _ in pairs), [score for _, score in pairs]
    kinds = {_kind(score) for score in values}
    if "other" in kinds:
        raise DataError("scores must be numbers")
    if len(kinds) > 1:
        raise DataError("scores must be all whole numbers or all floats: their type must not depend on the data")
    return labels, values


def _kind(score: Any) -> str:
    if isinstance(score, numbers.Integral):
        return "whole"
    return "real" if isinstance(score, numbers.Real) else "other"


def _completed(
    labels: tuple[Any, ...], values: list[Any], candidates: Iterable[Any]
) -> tuple[tuple[Any, ...], list[Any]]:
    """Scores for exactly the candidates, in their order, 0 where there is none."""
    known = dict(zip(labels, values, strict=True))
    if len(known) < len(labels):
        raise DataError("scores must name each label once")
    everyone = tuple(candidates)
    if not known.keys() <= set(everyone):
        raise DataError("scores must name only labels that are among the candidates")
    zero = type(values[0])(0) if values else 0
    return everyone, [known.get(candidate, zero) for candidate in everyone]
