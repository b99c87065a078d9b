"""Which candidate is best?"""

import numbers
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from dampen._validate import Number, positive, shown
from dampen.applications.mechanism_choice import Choice, chosen_mechanism, chosen_top
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import PairwiseDampening, PermuteAndFlip, SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike
from dampen.problem import Frame, SelectionProblem
from dampen.sensitivity import Constant, SensitivityFunction


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
    mechanism: Choice | None = None,
    note: str = "select",
) -> Any:
    """The label with the highest score, privately.

    Parameters
    ----------
    scores
        A mapping or pandas Series label -> score. All scores are whole numbers, or all are floats: which of the two is
        public, so it must not depend on the data.
    sensitivity
        How much one record can change any score at most: a number, or a sensitivity function that speaks for the
        candidates in their order.
    monotone
        Whether one record moves all scores in the same direction (true of counts when records are added or removed).
        Halves the noise.
    candidates
        All labels that could have occurred. Labels without a score count as 0; a score without a candidate is refused.
        Left out, the labels of ``scores`` are published as they are: right for a fixed list, wrong for
        ``Counter(values)``, whose labels tell which values occur.
    mechanism
        A mechanism class, or a mechanism with the same epsilon. By default permute-and-flip, or pairwise dampening when
        ``sensitivity`` is a function other than a constant.
    note
        What the answer is for; a ledger remembers it.

    Returns
    -------
    The chosen label.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> dampen.select({"ann": 31, "bob": 0}, sensitivity=1, monotone=True, epsilon=1, budget=budget) in ("ann", "bob")
    True
    """
    chosen = chosen_mechanism(mechanism, epsilon, default=_default(sensitivity))
    problem = selection_problem(
        scores, sensitivity=sensitivity, monotone=monotone, adjacency=adjacency, candidates=candidates
    )
    if chosen.privacy(problem.frame).epsilon != positive(epsilon=epsilon):
        raise ParameterError(
            f"epsilon must be what the mechanism costs; {shown(mechanism)} does not cost {shown(epsilon)}"
        )
    return chosen.release(problem, budget=budget, note=note).value


def top_k(
    scores: Scores,
    k: int,
    *,
    sensitivity: Number | SensitivityFunction,
    epsilon: Number,
    budget: BudgetLike,
    monotone: bool = False,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    candidates: Iterable[Any] | None = None,
    mechanism: Callable[[Number], SelectionMechanism] | None = None,
    note: str = "top_k",
) -> tuple[Any, ...]:
    """The k labels with the highest scores, best first, privately. ``epsilon`` is the price of the whole answer.

    The other arguments are those of :func:`select`; ``mechanism`` is a mechanism class of the exponential or
    permute-and-flip type, run at epsilon / k for each place. Permute-and-flip by default, whatever the sensitivity:
    pairwise dampening compares with the winner, which does not help to find the second.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> len(dampen.top_k({"ann": 31, "bob": 9, "cy": 0}, 2, sensitivity=1, monotone=True, epsilon=1, budget=budget))
    2
    """
    chosen = chosen_top(k, mechanism, epsilon)
    problem = selection_problem(
        scores, sensitivity=sensitivity, monotone=monotone, adjacency=adjacency, candidates=candidates
    )
    drawn: tuple[Any, ...] = chosen.release(problem, budget=budget, note=note).value
    return drawn


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


def _default(sensitivity: Number | SensitivityFunction) -> Callable[[Number], SelectionMechanism]:
    varies = isinstance(sensitivity, SensitivityFunction) and not isinstance(sensitivity, Constant)
    return PairwiseDampening if varies else PermuteAndFlip


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
    everyone, names = _hashable(candidates)
    if not known.keys() <= names:
        raise DataError("scores must name only labels that are among the candidates")
    zero = type(values[0])(0) if values else 0
    return everyone, [known.get(candidate, zero) for candidate in everyone]


def _hashable(candidates: Iterable[Any]) -> tuple[tuple[Any, ...], set[Any]]:
    try:
        if isinstance(candidates, str | bytes | set | frozenset):
            raise TypeError
        everyone = tuple(candidates)
        return everyone, set(everyone)
    except TypeError:
        raise ParameterError(
            f"candidates must be an ordered sequence of hashable labels; got {shown(candidates)}"
        ) from None
