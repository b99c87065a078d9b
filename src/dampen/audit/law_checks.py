"""Is it a law at all? Ratios of numbers that are none mean nothing, however small they are.

A law that is too small by a factor which differs between neighbours shows ratios that no release has.
"""

from math import log
from typing import Any

import numpy as np

from dampen._validate import render
from dampen.errors import ParameterError
from dampen.mechanisms import SelectionMechanism
from dampen.problem import SelectionProblem, count_candidates
from dampen.vectors import Floats, Runs, Sizes

TOLERANCE = 1e-9
"""Probabilities may exceed 1, and their sum may miss it, by so much: the rounding of floats."""


def selection_law(mechanism: SelectionMechanism, problem: SelectionProblem, x: Any) -> Floats:
    """Ln P of every outcome of the data set ``x``; refused unless it is a law.

    That is one number for each outcome, none of them NaN, no probability above 1, and a sum of 1 within ``TOLERANCE``.
    With runs every group counts with its size.
    """
    law = mechanism.log_probabilities(problem)
    groups, sizes = (law.values, law.sizes) if isinstance(law, Runs) else (law, None)
    log_p = log_chances(groups, x)
    entries = law.total if isinstance(law, Runs) else log_p.size
    outcomes = count_candidates(mechanism.outcomes(problem.frame))
    if log_p.ndim != 1 or entries != outcomes:
        raise ParameterError(f"log_probabilities must be one number for each of {outcomes} outcomes at {render(x)}")
    require_total(float(np.exp(log_p if sizes is None else log_p + _log_sizes(sizes)).sum()), x)
    return np.asarray(law, dtype=np.float64)


def log_chances(values: Any, x: Any, name: str = "log_probabilities") -> Floats:
    """Logarithms of probabilities; refused where one is not a number, or is above that of 1."""
    given = np.asarray(values)
    if given.dtype.kind not in "biuf":
        raise ParameterError(f"{name} must be numbers; at {render(x)} they are {given.dtype}")
    log_p: Floats = given.astype(np.float64, copy=False)
    largest = float(log_p.max(initial=-np.inf))
    if np.isnan(largest):
        raise ParameterError(f"{name} must be numbers; NaN at {render(x)}")
    if largest > TOLERANCE:
        raise ParameterError(f"{name} must be at most 0, the logarithm of 1; got {largest:.10g} at {render(x)}")
    return log_p


def require_total(total: float, x: Any, name: str = "log_probabilities") -> None:
    """Refuse probabilities of the data set ``x`` that do not sum to 1."""
    if not abs(total - 1) <= TOLERANCE:
        raise ParameterError(f"{name} must be those of a law, which sum to 1; at {render(x)} they sum to {total:.10g}")


def _log_sizes(sizes: Sizes) -> Floats:
    """Logarithms, also of sizes beyond what floats can hold."""
    return np.array([log(size) for size in sizes.tolist()])
