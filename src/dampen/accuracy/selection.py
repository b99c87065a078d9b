"""How good a choice is, exactly, from laws; for public problems only.

The error of a candidate is how far its utility lies below the best one.
"""

import numpy as np

from dampen._validate import Number, non_negative, positive, render
from dampen.errors import ParameterError
from dampen.mechanisms import SelectionMechanism
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.problem import SelectionProblem
from dampen.vectors import Floats, Runs


def expected_error(mechanism: SelectionMechanism, problem: SelectionProblem) -> float:
    """The mean error of a release; of a top-k, the mean over its picks of how far each place falls short.

    >>> import dampen
    >>> from dampen.mechanisms import Exponential, PermuteAndFlip
    >>> frame = dampen.Frame(("tea", "coffee"), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, [7, 5]).as_public()
    >>> round(expected_error(Exponential(1), problem), 4), round(expected_error(PermuteAndFlip(1), problem), 4)
    (0.2384, 0.1353)
    """
    probabilities, errors = law_and_errors(mechanism, problem)
    return float(probabilities @ errors)


def tail_bound(mechanism: SelectionMechanism, problem: SelectionProblem, error: Number) -> float:
    """The exact probability that a release has at least this error; no bound can be better."""
    probabilities, errors = law_and_errors(mechanism, problem)
    return float(probabilities[errors >= float(non_negative(error=error))].sum())


def error_bound(mechanism: SelectionMechanism, problem: SelectionProblem, failure: Number) -> float:
    """The least error that a release exceeds with probability at most ``failure``: the exact quantile of its law.

    It is an error that some candidate has, or some list; the next smaller one is exceeded more often. For every
    mechanism that has a law.

    >>> import dampen
    >>> from dampen.mechanisms import PermuteAndFlip
    >>> frame = dampen.Frame(range(100), bound=1, adjacency=dampen.Adjacency.ADD_REMOVE, monotone=True)
    >>> problem = dampen.SelectionProblem(frame, range(100)).as_public()
    >>> error_bound(PermuteAndFlip(1), problem, "0.05"), tail_bound(PermuteAndFlip(1), problem, 2) > 0.05
    (2.0, True)
    """
    chance = positive(failure=failure)
    if chance > 1:
        raise ParameterError(f"failure must be a probability, above 0 and at most 1; got {render(failure)}")
    return least_error(*law_and_errors(mechanism, problem), float(chance))


def least_error(probabilities: Floats, errors: Floats, chance: float) -> float:
    """The least of the errors that is exceeded with this chance at most."""
    order = np.argsort(errors)
    # Small chances are added up first: those of large errors are the ones that decide.
    beyond = np.append(np.cumsum(probabilities[order][:0:-1])[::-1], 0.0)
    return float(errors[order][int(np.argmax(beyond <= chance))])


def law_and_errors(mechanism: SelectionMechanism, problem: SelectionProblem) -> tuple[Floats, Floats]:
    """The probability of each group of candidates, or of each list, and its error; for public problems only."""
    _require_public_choice(mechanism, problem)
    utilities = np.asarray(problem.groups, dtype=np.float64)
    if not isinstance(mechanism, OrderedMechanism):
        law = mechanism.log_probabilities(problem)
        of_each = np.exp(np.asarray(law.values if isinstance(law, Runs) else law, dtype=np.float64))
        members = np.ones(len(utilities)) if problem.sizes is None else problem.sizes.astype(np.float64)
        return of_each * members, utilities.max() - utilities
    probabilities = np.exp(np.asarray(mechanism.log_probabilities(problem), dtype=np.float64))
    best = np.sort(utilities)[::-1][: mechanism.k]
    places = dict(zip(problem.frame.candidates, utilities, strict=True))
    picked = np.array([[places[candidate] for candidate in outcome] for outcome in mechanism.outcomes(problem.frame)])
    return probabilities, (best - picked).mean(axis=1)


def _require_public_choice(mechanism: object, problem: object) -> None:
    """Refuse what chooses no candidate: numeric mechanisms have ``expected_absolute_noise``."""
    if not isinstance(mechanism, SelectionMechanism):
        rule = "mechanism must be one that chooses, such as PermuteAndFlip(1)"
        raise ParameterError(f"{rule}; got {render(mechanism)}")
    if not isinstance(problem, SelectionProblem):
        raise ParameterError(f"problem must be a SelectionProblem; got {type(problem).__name__}")
    problem.require_public("accuracy")
