"""How good a choice is, exactly, from laws; for public problems only.

The error of a candidate is how far its utility lies below the best one.
"""

import numpy as np

from dampen._validate import Number, non_negative, positive, render
from dampen.errors import ParameterError
from dampen.mechanisms import SelectionMechanism
from dampen.mechanisms.selection.base import ExponentMechanism
from dampen.mechanisms.selection.ordered import OrderedMechanism
from dampen.mechanisms.selection.top_k import one_shot_noise
from dampen.problem import SelectionProblem, count_candidates
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
    """An error that a release exceeds with probability at most ``failure``, by the classical argument.

    A candidate with exponent x below the best is drawn with probability at most exp(-x) by the exponential law and by
    permute-and-flip, so R candidates with x >= ln(R / failure) are drawn with probability at most ``failure``. For the
    plain mechanisms this is the textbook bound ln(R / failure) / rate, cut at the utilities there are; for dampened
    ones it is the papers' bound in the score used, read back as utilities. Never below the exact quantile.
    """
    problem.require_public("error_bound")
    if not isinstance(mechanism, ExponentMechanism) or one_shot_noise(mechanism, clipped=True) is None:
        raise ParameterError(f"error_bound needs the exponential or permute-and-flip law; got {render(mechanism)}")
    chance = positive(failure=failure)
    utilities = np.asarray(problem.groups, dtype=np.float64)
    likely = mechanism.exponents(problem).approximate() < np.log(count_candidates(problem.frame.candidates)) - np.log(
        float(chance)
    )
    return float(utilities.max() - utilities[likely].min()) if likely.any() else 0.0


def law_and_errors(mechanism: SelectionMechanism, problem: SelectionProblem) -> tuple[Floats, Floats]:
    """The probability of each group of candidates, or of each list, and its error; for public problems only."""
    problem.require_public("accuracy")
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
