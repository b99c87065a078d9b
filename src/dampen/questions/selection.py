"""Which candidate is best?"""

import numbers
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from dampen._validate import Number, flag, positive, render
from dampen.errors import DataError, ParameterError
from dampen.mechanisms import PairwiseDampening, SelectionMechanism
from dampen.privacy import Adjacency, BudgetLike, ListRelease, Release, as_adjacency
from dampen.problem import Frame, SelectionProblem, count_candidates, matching_sensitivity
from dampen.questions.mechanism_choice import Choice, choose_mechanism, choose_top_k
from dampen.questions.record import Posed, Price, Single, question, usual_law, zero_scores
from dampen.sensitivity import Constant, SensitivityFunction

Pairs = list[tuple[Any, Any]]
"""Labels and their scores."""


class Scores(Protocol):
    """Anything that lists (label, score) pairs: a mapping, a pandas Series."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """The pairs."""
        ...


@question(zero_scores, proof="permute_and_flip")
def select(
    scores: Scores,
    *,
    sensitivity: Number | SensitivityFunction,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    monotone: bool = False,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    candidates: Iterable[Any] | None = None,
    mechanism: Choice | None = None,
    note: str = "select",
) -> Posed[Release]:
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
        A mechanism class, or a mechanism with the same epsilon. By default permute-and-flip (the exponential mechanism
        where the budget is one of rho), or pairwise dampening when ``sensitivity`` is a function other than a constant.
    rho
        In place of epsilon: the exponential mechanism chooses, whose epsilon is the root of 8 rho.
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
    varies = isinstance(sensitivity, SensitivityFunction) and not isinstance(sensitivity, Constant)
    chosen = choose_mechanism(
        mechanism, Price(epsilon, rho), default=PairwiseDampening if varies else usual_law(budget)
    )
    frame, pairs = _frame_scores(scores, sensitivity, monotone, adjacency, candidates)
    if chosen.privacy(frame).epsilon != chosen.epsilon:
        raise ParameterError(
            f"epsilon must be what the mechanism costs; {render(mechanism)} does not cost {render(epsilon)}"
        )
    return Single(chosen, _score_problem(frame, pairs, sensitivity))


@question(zero_scores, proof="top_k")
def top_k(
    scores: Scores,
    k: int,
    *,
    sensitivity: Number | SensitivityFunction,
    epsilon: Number | None = None,
    rho: Number | None = None,
    budget: BudgetLike,
    monotone: bool = False,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    candidates: Iterable[Any] | None = None,
    mechanism: Callable[[Number], SelectionMechanism] | None = None,
    note: str = "top_k",
) -> Posed[ListRelease]:
    """The k labels with the highest scores, best first, privately. The price is that of the whole answer.

    The other arguments are those of :func:`select`; ``mechanism`` is a mechanism class of the exponential or
    permute-and-flip type, run at epsilon / k, or rho / k, for each place. The default is that of scores with one
    sensitivity, whatever it is: pairwise dampening compares with the winner, which does not help to find the second.

    >>> import dampen
    >>> budget = dampen.Budget(epsilon=1)
    >>> len(dampen.top_k({"ann": 31, "bob": 9, "cy": 0}, 2, sensitivity=1, monotone=True, epsilon=1, budget=budget))
    2
    """
    chosen = choose_top_k(k, mechanism, Price(epsilon, rho), default=usual_law(budget))
    frame, pairs = _frame_scores(scores, sensitivity, monotone, adjacency, candidates)
    chosen.privacy(frame)
    return Single(chosen, _score_problem(frame, pairs, sensitivity))


def _frame_scores(
    scores: Scores,
    sensitivity: Number | SensitivityFunction,
    monotone: bool,
    adjacency: Adjacency,
    candidates: Iterable[Any] | None,
) -> tuple[Frame, Pairs]:
    """What is known before a score is looked at, and the scores by their labels."""
    if flag(monotone=monotone) and as_adjacency(adjacency) is Adjacency.REPLACE:
        raise ParameterError(
            "monotone must be False under REPLACE: a replaced record moves one score up and another down"
        )
    function = _function(sensitivity)
    bound = positive(sensitivity=sensitivity) if function is None else function.bound
    as_adjacency(adjacency)
    labels = None if candidates is None else _hashable(candidates)
    pairs = _pairs(scores)
    try:
        frame = Frame(tuple(label for label, _ in pairs) if labels is None else labels, bound, adjacency, monotone)
    except ParameterError:
        if labels is not None:
            raise
        raise DataError("scores must not be empty, and must name each label once") from None
    size = count_candidates(frame.candidates)
    matching_sensitivity(function, frame.bound, size=size, candidates=size)
    return frame, pairs


def _score_problem(frame: Frame, pairs: Pairs, sensitivity: Number | SensitivityFunction) -> SelectionProblem:
    """Scores for exactly the candidates, in their order, 0 where there is none."""
    kinds = {_kind(each) for each in {type(score) for _, score in pairs}}
    if "other" in kinds:
        raise DataError("scores must be numbers")
    if len(kinds) > 1:
        raise DataError("scores must be all whole numbers or all floats: their type must not depend on the data")
    function = _function(sensitivity)
    if len(pairs) == len(frame.candidates) and all(a is b for (a, _), b in zip(pairs, frame.candidates, strict=True)):
        return SelectionProblem(frame, [score for _, score in pairs], function)  # also where labels have no hash
    try:
        known, declared = dict(pairs), set(frame.candidates)
        strange = not known.keys() <= declared
    except Exception:  # labels that have no hash, or that cannot be compared
        known, strange = {}, True
    if strange:
        raise DataError("scores must name only labels that are among the candidates")
    if len(known) < len(pairs):
        raise DataError("scores must name each label once")
    zero = type(pairs[0][1])(0) if pairs else 0
    return SelectionProblem(frame, [known.get(candidate, zero) for candidate in frame.candidates], function)


def _function(sensitivity: Number | SensitivityFunction) -> SensitivityFunction | None:
    return sensitivity if isinstance(sensitivity, SensitivityFunction) else None


def _pairs(scores: Scores) -> Pairs:
    if not callable(getattr(scores, "items", None)):
        raise ParameterError(f"scores must be a mapping or a Series label -> score; got {type(scores).__name__}")
    try:
        return [(label, score) for label, score in scores.items()]
    except Exception:  # an object of the caller's own may raise anything
        raise DataError("scores must be a mapping or a Series that lists labels and scores") from None


def _kind(score: type) -> str:
    if issubclass(score, numbers.Integral):
        return "whole"
    return "real" if issubclass(score, numbers.Real) else "other"


def _hashable(candidates: Iterable[Any]) -> tuple[Any, ...]:
    try:
        if isinstance(candidates, str | bytes | set | frozenset):
            raise TypeError
        everyone = tuple(candidates)
        set(everyone)
    except Exception:  # an object of the caller's own may raise anything
        raise ParameterError(
            f"candidates must be an ordered sequence of hashable labels; got {render(candidates)}"
        ) from None
    return everyone
